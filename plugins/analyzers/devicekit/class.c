/* SPDX-License-Identifier: Apache-2.0 */
/* class.c - classes of work by category, and by name where the category tells nothing. */
#include "devicekit/class.h"

#include "devicekit/bytes.h"
#include "devicekit/collective.h"

#include <glib.h>
#include <nprof/sdk.h>
#include <string.h>

enum { BY_NAME = AN_CLASS_BY_NAME, BY_FURIOSA_NAME, BY_NEURON_NAME = AN_CLASS_BY_NEURON_NAME };
G_STATIC_ASSERT (BY_FURIOSA_NAME < BY_NEURON_NAME);
enum { YES = 1, NO };

typedef struct {
  const char *text;
  guint8 class;
} Word;

/* These are whole categories, case ignored. source: output_json.cpp of Kineto; xplane.md 2.7 and
 * HloOpcodeString for HLO; nprof's ntff */
static const Word categories[] = {
  { "kernel", BY_NAME },
  { "gpu_memcpy", 1 + AN_MEMORY },
  { "memcpy", 1 + AN_MEMORY },
  { "gpu_memset", 1 + AN_COMPUTE }, /* a kernel writes it; TraceLens counts it so as well */
  { "memset", 1 + AN_COMPUTE },
  { "collective_comm", 1 + AN_COMMUNICATION },
  { "copy", 1 + AN_MEMORY },
  { "copy-start", 1 + AN_MEMORY },
  { "copy-done", 1 + AN_MEMORY },
  { "infeed", 1 + AN_MEMORY },
  { "outfeed", 1 + AN_MEMORY },
  { "host send", 1 + AN_MEMORY },
  { "host send-done", 1 + AN_MEMORY },
  { "host recv", 1 + AN_MEMORY },
  { "host recv-done", 1 + AN_MEMORY },
  { "while", 1 + AN_CONTROL },
  { "conditional", 1 + AN_CONTROL },
  { "call", 1 + AN_CONTROL },
  { "after-all", 1 + AN_CONTROL },
  { "barrier", 1 + AN_CONTROL },
  { "control", 1 + AN_CONTROL }, /* of torch-neuronx, as the next */
  { "data transfer", 1 + AN_MEMORY },
  { "dma", 1 + AN_MEMORY },
  { "collective", 1 + AN_COMMUNICATION },
  { "execution", 1 + AN_AROUND },
  { "recorded", 1 + AN_AROUND }, /* the extent of a recording, where no execution is stated */
  { "instruction", BY_NEURON_NAME },
  { "npu", BY_FURIOSA_NAME },
};

/* Copies begin so, case ignored: HLO opcodes in categories and names ("copy-start.12"), kernels
 * ("Memcpy HtoD (Pageable -> Device)", "MemcpyD2H", AMD's copy kernels). */
static const Word beginnings[] = {
  { "copy-start", 1 + AN_MEMORY },         { "copy-done", 1 + AN_MEMORY },
  { "async-copy", 1 + AN_MEMORY },         { "memcpy", 1 + AN_MEMORY },
  { "copydevicetohost", 1 + AN_MEMORY },   { "copyhosttodevice", 1 + AN_MEMORY },
  { "copydevicetodevice", 1 + AN_MEMORY }, { "__amd_rocclr_copybuffer", 1 + AN_MEMORY },
  { "dma_request", 1 + AN_MEMORY }, /* of MTIA, where its category is that of kernels too */
};

/* source: furiosa.md 1.2, 1.7 */
static const Word furiosa[] = {
  { "execution", 1 + AN_AROUND }, { "task", 1 + AN_AROUND }, { "load", 1 + AN_MEMORY },
  { "store", 1 + AN_MEMORY },     { "dma", 1 + AN_MEMORY },
};

/* Mnemonics of NTFF begin so. source: neuron-outputs.md 3.5 (total_exec_time) */
static const Word neuron[] = {
  { "event", 1 + AN_CONTROL },     { "semaphore", 1 + AN_CONTROL },
  { "notify", 1 + AN_CONTROL },    { "compare_branch", 1 + AN_CONTROL },
  { "branch", 1 + AN_CONTROL },    { "drain", 1 + AN_CONTROL },
  { "nop", 1 + AN_SETUP },         { "set_ordering_mode", 1 + AN_SETUP },
  { "write", 1 + AN_SETUP },       { "tensor_load", 1 + AN_SETUP },
  { "modify_pool", 1 + AN_SETUP },
};

AnClasses *
an_classes_new (const struct nprof_host *host)
{
  AnClasses *c = g_new0 (AnClasses, 1);
  c->host = host;
  c->categories = g_byte_array_new ();
  c->names = g_byte_array_new ();
  c->furiosa = g_byte_array_new ();
  c->neuron = g_byte_array_new ();
  c->infeeds = g_byte_array_new ();
  c->hosts = g_byte_array_new ();
  return c;
}

void
an_classes_free (AnClasses *c)
{
  if (!c)
    return;
  g_byte_array_unref (c->categories);
  g_byte_array_unref (c->names);
  g_byte_array_unref (c->furiosa);
  g_byte_array_unref (c->neuron);
  g_byte_array_unref (c->infeeds);
  g_byte_array_unref (c->hosts);
  g_free (c);
}

/* -- Looking at a text for the first time ----------------------------------------------------- */

static guint8
whole (const char *text, const Word *words, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (g_ascii_strcasecmp (text, words[i].text) == 0)
      return words[i].class;
  return 0;
}

static guint8
beginning (const char *text, const Word *words, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (g_ascii_strncasecmp (text, words[i].text, strlen (words[i].text)) == 0)
      return words[i].class;
  return 0;
}

static guint8
look_at_category (const char *text)
{
  guint8 class = whole (text, categories, G_N_ELEMENTS (categories));
  if (!class)
    class = beginning (text, beginnings, G_N_ELEMENTS (beginnings));
  if (!class && an_collective_of_name (text))
    class = 1 + AN_COMMUNICATION;
  return class ? class : BY_NAME;
}

/* Returns the class of an HLO instruction, whose name begins with its opcode ("copy.2", "while.13"):
 * files without HLO protos state no category. */
static guint8
look_at_hlo_name (const char *text)
{
  const char *number = strrchr (text, '.');
  if (!number || !number[1] || strspn (number + 1, "0123456789") != strlen (number + 1))
    return 0;
  g_autofree char *opcode = g_strndup (text, (gsize) (number - text));
  guint8 class = whole (opcode, categories, G_N_ELEMENTS (categories));
  return class == 1 + AN_MEMORY || class == 1 + AN_CONTROL ? class : 0;
}

static guint8
look_at_name (const char *text)
{
  guint8 class = beginning (text, beginnings, G_N_ELEMENTS (beginnings));
  if (!class)
    class = look_at_hlo_name (text);
  if (class)
    return class;
  return an_collective_of_name (text) ? 1 + AN_COMMUNICATION : 1 + AN_COMPUTE;
}

static guint8
look_at_furiosa (const char *text)
{
  g_autofree char *head = g_strndup (text, strcspn (text, " ("));
  guint8 class = whole (head, furiosa, G_N_ELEMENTS (furiosa));
  return class ? class : 1 + AN_COMPUTE;
}

static guint8
look_at_neuron (const char *text)
{
  guint8 class = beginning (text, neuron, G_N_ELEMENTS (neuron));
  return class ? class : 1 + AN_COMPUTE;
}

AnClass
an_class_of_texts (const char *category, const char *name)
{
  guint8 class = look_at_category (category);
  if (class == BY_NAME)
    class = look_at_name (name);
  else if (class == BY_FURIOSA_NAME)
    class = look_at_furiosa (name);
  else if (class == BY_NEURON_NAME)
    class = look_at_neuron (name);
  return (AnClass) (class - 1);
}

/* Classifies a category or name the first time. */
static __attribute__ ((noinline)) guint8
look_at (AnClasses *c, GByteArray *bytes, nprof_str text, guint8 (*look) (const char *text))
{
  guint8 *class = an_byte_of (bytes, text);
  if (!*class)
    *class = look (nprof_text (c->host, text));
  return *class;
}

static inline guint8
class_of (AnClasses *c, GByteArray *bytes, nprof_str text, guint8 (*look) (const char *text))
{
  guint8 class = text < bytes->len ? bytes->data[text] : 0;
  return class ? class : look_at (c, bytes, text, look);
}

guint8
an_look_at_category (AnClasses *c, nprof_str category)
{
  return look_at (c, c->categories, category, look_at_category);
}

AnClass
an_class_by_name (AnClasses *c, guint8 how, nprof_str name)
{
  guint8 class;
  if (how == BY_NAME)
    class = class_of (c, c->names, name, look_at_name);
  else if (how == BY_FURIOSA_NAME)
    class = class_of (c, c->furiosa, name, look_at_furiosa);
  else
    class = class_of (c, c->neuron, name, look_at_neuron);
  return (AnClass) (class - 1);
}

static guint8
look_for_infeed (const char *text)
{
  static const char infeed[] = "infeed"; /* opcodes infeed, infeed-start; "infeed.3" in names */
  return g_ascii_strncasecmp (text, infeed, strlen (infeed)) == 0 ? YES : NO;
}

bool
an_is_infeed (AnClasses *c, nprof_str category, nprof_str name)
{
  return class_of (c, c->infeeds, category, look_for_infeed) == YES
         || class_of (c, c->infeeds, name, look_for_infeed) == YES;
}

/* Copies from and to the host begin so, case ignored: HLO opcodes, kernels and copies of CUDA and
 * ROCm. */
static guint8
look_for_host (const char *text)
{
  static const char *const words[]
      = { "infeed",           "outfeed",     "host send",   "host recv", "copydevicetohost",
          "copyhosttodevice", "memcpy htod", "memcpy dtoh", "memcpyh2d", "memcpyd2h" };
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_ascii_strncasecmp (text, words[i], strlen (words[i])) == 0)
      return YES;
  return NO;
}

bool
an_is_of_host (AnClasses *c, nprof_str category, nprof_str name)
{
  return class_of (c, c->hosts, category, look_for_host) == YES
         || class_of (c, c->hosts, name, look_for_host) == YES;
}
