/* SPDX-License-Identifier: Apache-2.0 */
/* collective-name.c - recognises communication by the names that libraries give to it: by the
 * function alone, since template arguments and parameters belong to its caller or its types
 * (cutlass::gemm::collective, BlockAllReduce). */
#include "producers/collective-name.h"

#include <string.h>

typedef struct {
  const char *word; /* in lower case, without _ and - */
  const char *kind;
} Word;

/* Words tell what is done: where one begins there is no letter before, or a small one before a
 * capital.  The first that is found counts. */
static const Word operations[] = {
  { "allreduce", "all_reduce" },
  { "crossdevicereduce", "all_reduce" }, /* vLLM, SGLang, AITER */
  { "reducescatter", "reduce_scatter" },
  { "allgather", "all_gather" },
  { "alltoall", "all_to_all" },
  { "all2all", "all_to_all" },
  { "collectivepermute", "permute" },
  { "collectivebroadcast", "broadcast" },
  { "sendrecv", "send_recv" },
  { "epdispatch", "dispatch" }, /* MoRI: EpDispatchIntraNodeKernel */
  { "epcombine", "combine" },
};

/* Libraries of communication begin the names of all their kernels with these words. */
static const Word libraries[] = {
  { "nccl", "collective" },        /* NVIDIA, and AMD: ncclDevKernel_Generic       */
  { "rccl", "collective" },        /* AMD                                          */
  { "msccl", "collective" },       /* Microsoft: msccl, mscclpp                    */
  { "hccl", "collective" },        /* Intel Gaudi, MTIA, Huawei                    */
  { "oneccl", "collective" },      /* Intel                                        */
  { "xccl", "collective" },        /* Intel, in PyTorch                            */
  { "cncl", "collective" },        /* Cambricon                                    */
  { "nvshmem", "collective" },     /* NVIDIA                                       */
  { "rocshmem", "collective" },    /* AMD                                         */
  { "userbuffers", "collective" }, /* Transformer Engine                       */
  { "kuserbuffers", "collective" },
  { "symmetricmemory::", "collective" }, /* PyTorch: its barriers and signals  */
};

/* These are namespaces of libraries for experts on several devices, and what their kernels begin
 * with. */
static const char *const expert_spaces[] = { "deepep",    "ep",          "hybridep",
                                             "internode", "internodell", "intranode",
                                             "mori",      "uccl",        "pplx" };
static const Word expert_kernels[] = {
  { "dispatch", "dispatch" },       { "combine", "combine" },
  { "notifydispatch", "dispatch" }, { "notifycombine", "combine" },
  { "cachednotify", "collective" }, { "barrier", "barrier" },
};

/* The whole name of an HLO counts, but for its number: other names begin with these words and mean
 * a buffer. */
static const char *const whole[] = { "send", "recv", "send-done", "recv-done" };

/* Names of computing begin with or hold these words, whatever else they say: a fusion of Inductor
 * is named after all operators in it, and a matrix product that communicates while it computes is a
 * matrix product. */
static const char *const fusions[] = { "triton_poi_", "triton_red_", "triton_per_", "triton_spl_",
                                       "triton_tem_", "triton_for_", "triton_unk_" };
static const Word computes[] = { { .word = "gemm" },
                                 { .word = "matmul" },
                                 { .word = "blockallreduce" },
                                 { .word = "warpallreduce" } };

/* -- The name of the function ------------------------------------------------------------------ */

/* Puts the name of a mangled one: "_ZN4vllm22cross_device_reduceI6__halfE..." is
 * vllm::cross_device_reduce. */
static void
put_mangled (GString *to, const char *at)
{
  at += *at == 'N';
  while (g_ascii_isdigit (*at)) {
    char *text;
    guint64 n = g_ascii_strtoull (at, &text, 10);
    if (strlen (text) < n)
      return;
    g_string_append_printf (to, "%s%.*s", to->len ? "::" : "", (int) MIN (n, 4096), text);
    at = text + n;
  }
}

/* Puts a function without what stands in brackets. */
static void
put_function (GString *to, const char *name)
{
  guint depth = 0;
  for (const char *at = name; *at; at++) {
    gsize n = strcspn (at, "<(>)");
    if (depth == 0)
      g_string_append_len (to, at, (gssize) n);
    at += n;
    if (*at == '<' || *at == '(')
      depth++;
    else if (depth)
      depth--;
    else if (*at)
      g_string_append_c (to, *at);
    if (!*at)
      break;
  }
}

/* Returns the function of a name as words: lower case, without _ and -; a space stands before each
 * word. */
static char *
words_of (const char *name)
{
  g_autoptr (GString) function = g_string_sized_new (128);
  if (g_str_has_prefix (name, "_Z"))
    put_mangled (function, name + 2);
  else
    put_function (function, name);
  char *words = g_malloc (2 * function->len + 2), *to = words;
  char before = *to++ = ' ';
  for (const char *at = function->str; *at; before = *at++) {
    gboolean starts
        = g_ascii_isalpha (*at)
          && (!g_ascii_isalpha (before) || (g_ascii_isupper (*at) && g_ascii_islower (before)));
    if (starts)
      *to++ = ' ';
    if (g_ascii_isalnum (*at) || *at == ':')
      *to++ = g_ascii_tolower (*at);
  }
  *to = '\0';
  return words;
}

/* -- Looking ----------------------------------------------------------------------------------- */

/* Returns whether `word` stands at `at`, over the spaces between words. */
static gboolean
stands_at (const char *at, const char *word)
{
  for (; *word; at++) {
    if (*at == ' ')
      continue;
    if (*at != *word++)
      return FALSE;
  }
  return TRUE;
}

/* Returns the first of the list that is found, wherever it stands; n: none is. */
static gsize
first_of (const char *words, const Word *list, gsize n)
{
  gsize first = n;
  for (const char *at = words; (at = strchr (at, ' ')) && *++at;)
    for (gsize i = 0; i < first; i++)
      if (*at == *list[i].word && stands_at (at, list[i].word))
        first = i;
  return first;
}

static gboolean
is_expert_space (const char *from, const char *to)
{
  g_autoptr (GString) space = g_string_new (NULL);
  for (; from < to; from++)
    if (g_ascii_isalnum (*from))
      g_string_append_c (space, *from);
  for (gsize i = 0; i < G_N_ELEMENTS (expert_spaces); i++)
    if (strcmp (space->str, expert_spaces[i]) == 0)
      return TRUE;
  return FALSE;
}

/* The last part of a::b::c counts when one before it names such a library. */
static const char *
of_experts (const char *words)
{
  gboolean within = FALSE;
  const char *from = g_str_has_prefix (words, "  void ") ? words + strlen ("  void ") : words;
  for (const char *to; (to = strstr (from, "::")); from = to + 2)
    within |= is_expert_space (from, to);
  for (gsize i = 0; within && i < G_N_ELEMENTS (expert_kernels); i++)
    if (stands_at (from, expert_kernels[i].word))
      return expert_kernels[i].kind;
  return NULL;
}

static gboolean
is_whole (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (whole); i++) {
    gsize len = strlen (whole[i]);
    if (g_ascii_strncasecmp (name, whole[i], len) != 0)
      continue;
    const char *rest = name + len;
    if (*rest == '.')
      rest += 1 + strspn (rest + 1, "0123456789");
    if (*rest == '\0')
      return TRUE;
  }
  return FALSE;
}

static gboolean
is_fusion (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (fusions); i++)
    if (g_str_has_prefix (name, fusions[i]))
      return TRUE;
  return FALSE;
}

const char *
collective_of_name (const char *name)
{
  if (is_whole (name))
    return "send_recv";
  if (is_fusion (name))
    return NULL;
  g_autofree char *words = words_of (name);
  if (first_of (words, computes, G_N_ELEMENTS (computes)) < G_N_ELEMENTS (computes))
    return NULL;
  gsize operation = first_of (words, operations, G_N_ELEMENTS (operations));
  if (operation < G_N_ELEMENTS (operations))
    return operations[operation].kind;
  const char *experts = of_experts (words);
  gsize library = experts ? 0 : first_of (words, libraries, G_N_ELEMENTS (libraries));
  if (experts || library == G_N_ELEMENTS (libraries))
    return experts;
  return libraries[library].kind;
}

char *
collective_without (const char *name, const char *word)
{
  const char *at = strstr (name, word);
  if (!at || (at[strlen (word)] && at[strlen (word)] != '.'))
    return NULL;
  return g_strdup_printf ("%.*s%s", (int) (at - name), name, at + strlen (word));
}
