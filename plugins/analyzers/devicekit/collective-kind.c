/* SPDX-License-Identifier: Apache-2.0 */
/* collective-kind.c - kinds of collectives, their formulas, types of elements, lists of ranks. */
#include "devicekit/collective-kind.h"

#include "producers/collective-name.h"

#include <string.h>

static const char *const names[AN_N_KINDS] = {
  [AN_KIND_COLLECTIVE] = "collective",
  [AN_KIND_ALLREDUCE] = "allreduce",
  [AN_KIND_ALLGATHER] = "allgather",
  [AN_KIND_REDUCESCATTER] = "reducescatter",
  [AN_KIND_ALLTOALL] = "alltoall",
  [AN_KIND_BROADCAST] = "broadcast",
  [AN_KIND_REDUCE] = "reduce",
  [AN_KIND_GATHER] = "gather",
  [AN_KIND_SCATTER] = "scatter",
  [AN_KIND_SEND] = "send",
  [AN_KIND_RECV] = "recv",
  [AN_KIND_SENDRECV] = "sendrecv",
  [AN_KIND_PERMUTE] = "permute",
  [AN_KIND_BARRIER] = "barrier",
  [AN_KIND_DISPATCH] = "dispatch",
  [AN_KIND_COMBINE] = "combine",
};

/* A longer one comes before those that it holds. */
static const AnKindOf by_length[]
    = { AN_KIND_REDUCESCATTER, AN_KIND_ALLREDUCE, AN_KIND_ALLGATHER, AN_KIND_ALLTOALL,
        AN_KIND_SENDRECV,      AN_KIND_BROADCAST, AN_KIND_DISPATCH,  AN_KIND_PERMUTE,
        AN_KIND_COMBINE,       AN_KIND_BARRIER,   AN_KIND_SCATTER,   AN_KIND_GATHER,
        AN_KIND_REDUCE,        AN_KIND_SEND,      AN_KIND_RECV };

const char *
an_kind_name (AnKindOf kind)
{
  return names[kind];
}

/* Returns the kind whose name its letters and digits hold. */
static AnKindOf
kind_in (const char *text, gsize len)
{
  g_autoptr (GString) letters = g_string_new (NULL);
  for (gsize i = 0; i < len; i++)
    if (g_ascii_isalnum (text[i]))
      g_string_append_c (letters, g_ascii_tolower (text[i]));
  for (gsize i = 0; i < G_N_ELEMENTS (by_length); i++)
    if (strstr (letters->str, names[by_length[i]]))
      return by_length[i];
  return AN_KIND_COLLECTIVE;
}

AnKindOf
an_kind_of (const char *stated, const char *name)
{
  AnKindOf kind = kind_in (stated, strlen (stated));
  if (kind != AN_KIND_COLLECTIVE)
    return kind;
  const char *known = collective_of_name (name);
  if (known && strcmp (known, "collective") != 0)
    return kind_in (known, strlen (known));
  return kind_in (name, strcspn (name, "<(")); /* ncclDevKernel_Broadcast(...) */
}

gint64
an_kind_bus_share (AnKindOf kind, gint64 ranks)
{
  switch (kind) {
  case AN_KIND_ALLREDUCE:
    return 2 * (ranks - 1);
  case AN_KIND_ALLGATHER:
  case AN_KIND_REDUCESCATTER:
  case AN_KIND_ALLTOALL:
  case AN_KIND_GATHER:
  case AN_KIND_SCATTER:
    return ranks - 1;
  case AN_KIND_BROADCAST:
  case AN_KIND_REDUCE:
  case AN_KIND_SEND:
  case AN_KIND_RECV:
  case AN_KIND_SENDRECV:
  case AN_KIND_PERMUTE:
    return ranks;
  default:
    return 0;
  }
}

/* -- Types of elements ------------------------------------------------------------------------ */

/* source: c10/core/ScalarType.h; xla/primitive_util; the Neuron tools' dtype */
static const struct {
  const char *name; /* in lower case */
  guint bits;
} types[] = {
  { "float", 32 },
  { "double", 64 },
  { "half", 16 },
  { "long", 64 },
  { "int", 32 },
  { "short", 16 },
  { "byte", 8 },
  { "char", 8 },
  { "bool", 8 },
  { "complexhalf", 32 },
  { "complexfloat", 64 },
  { "complexdouble", 128 },
  { "cfloat", 64 },
  { "cdouble", 128 },
  { "bfloat16", 16 },
  { "float16", 16 },
  { "float32", 32 },
  { "float64", 64 },
  { "int8", 8 },
  { "int16", 16 },
  { "int32", 32 },
  { "int64", 64 },
  { "uint8", 8 },
  { "uint16", 16 },
  { "uint32", 32 },
  { "uint64", 64 },
  { "pred", 8 },
  { "s2", 2 },
  { "s4", 4 },
  { "s8", 8 },
  { "s16", 16 },
  { "s32", 32 },
  { "s64", 64 },
  { "u2", 2 },
  { "u4", 4 },
  { "u8", 8 },
  { "u16", 16 },
  { "u32", 32 },
  { "u64", 64 },
  { "f16", 16 },
  { "bf16", 16 },
  { "f32", 32 },
  { "f64", 64 },
  { "c64", 64 },
  { "c128", 128 },
  { "fp16", 16 },
  { "fp32", 32 },
  { "fp64", 64 },
  { "tf32", 32 },
};

guint
an_bits_of_type (const char *type)
{
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    if (g_ascii_strcasecmp (type, types[i].name) == 0)
      return types[i].bits;
  /* These are Float8_e4m3fn, f8e5m2, fp8 and their kin; f4e2m1fn. */
  static const char *const eight[] = { "float8", "f8e", "fp8" };
  for (gsize i = 0; i < G_N_ELEMENTS (eight); i++)
    if (g_ascii_strncasecmp (type, eight[i], strlen (eight[i])) == 0)
      return 8;
  return g_ascii_strncasecmp (type, "f4e", 3) == 0 ? 4 : 0;
}

/* -- Lists of ranks ---------------------------------------------------------------------------- */

/* Reads "[4,2]<=[...": behind the <= only the order of ranks is told. */
static AnRanks
ranks_of_iota (const char *text)
{
  AnRanks ranks = { 0, 0, -1 };
  const char *comma = strchr (text, ',');
  const char *close = strchr (text, ']');
  if (comma && comma < close)
    ranks.size = g_ascii_strtoll (comma + 1, NULL, 10);
  return ranks;
}

typedef struct {
  AnRanks ranks;
  gint64 n;    /* in the list that is open       */
  guint lists; /* that are closed and hold ranks */
  bool uneven, cut;
} Lists;

static void
close_list (Lists *l, bool pairs)
{
  if (!l->n)
    return;
  l->uneven |= !pairs && l->lists && l->n != l->ranks.size;
  l->ranks.size = l->n;
  l->lists++;
  l->n = 0;
}

static void
add_rank (Lists *l, gint64 rank, bool pairs)
{
  l->n++;
  if (l->lists && !pairs)
    return;
  bool first = l->ranks.first > l->ranks.last;
  l->ranks.first = first ? rank : MIN (l->ranks.first, rank);
  l->ranks.last = first ? rank : MAX (l->ranks.last, rank);
}

/* Counts the different ranks of pairs. */
static gint64
count_different (const char *text)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  for (const char *at = text; *at;) {
    if (!g_ascii_isdigit (*at)) {
      at++;
      continue;
    }
    char *end;
    g_hash_table_add (seen, GSIZE_TO_POINTER (g_ascii_strtoull (at, &end, 10)));
    at = end;
  }
  return g_hash_table_size (seen);
}

AnRanks
an_ranks_of_text (const char *text, bool pairs)
{
  if (*text == '[' && strstr (text, "]<=["))
    return ranks_of_iota (text);
  Lists l = { .ranks = { 0, 0, -1 } };
  for (const char *at = text; *at;) {
    if (g_ascii_isdigit (*at)) {
      char *end;
      add_rank (&l, g_ascii_strtoll (at, &end, 10), pairs);
      at = end;
      continue;
    }
    l.cut |= *at == '.'; /* Kineto shortens long lists by "..." */
    if (*at == ']' || *at == '}')
      close_list (&l, pairs);
    at++;
  }
  if (l.n || l.uneven || l.cut)
    l.ranks = (AnRanks){ 0, l.cut ? l.ranks.first : 0, l.cut ? l.ranks.last : -1 };
  else if (pairs)
    l.ranks.size = count_different (text);
  return l.ranks;
}
