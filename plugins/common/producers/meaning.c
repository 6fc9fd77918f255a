/* SPDX-License-Identifier: Apache-2.0 */
/* meaning.c - finds what a row means by the words of its producer: first by those that hold on
 * every track of a device, then, of work, by its category, and by its name where the category tells
 * nothing. */
#include "producers/meaning.h"

#include "producers/collective-name.h"
#include "producers/pytorch.h"
#include "producers/rebellions.h"
#include "producers/row-categories.h"

#include <glib.h>
#include <string.h>

static const char *const words[N_MEANINGS] = {
  [MEANS_COMPUTE] = "compute", [MEANS_COMMUNICATION] = "communication",
  [MEANS_COPY] = "copy",       [MEANS_TRANSFER] = "transfer",
  [MEANS_INFEED] = "infeed",   [MEANS_CONTROL] = "control",
  [MEANS_SETUP] = "setup",     [MEANS_WAIT] = "wait",
  [MEANS_STEP] = "step",       [MEANS_PROGRAM] = "program",
  [MEANS_AROUND] = "around",   [MEANS_NOTE] = "note",
  [MEANS_UNKNOWN] = "unknown", [MEANS_UNALIGNED] = "unaligned",
};

const char *
meaning_word (Meaning meaning)
{
  return words[meaning];
}

Meaning
meaning_of_word (const char *word)
{
  guint means = N_MEANINGS - 1;
  while (means && strcmp (words[means], word))
    means--;
  return (Meaning) means;
}

/* -- Words that hold on every track of a device ------------------------------------------------ */

static const char *const works[] = { CATEGORIES_OF_WORK, PYTORCH_MTIA_WORK, NULL };
static const char *const waits[] = { CATEGORIES_OF_WAITS, NULL };
static const char *const around[] = { CATEGORIES_AROUND, NULL };
static const char *const no_work[] = { PYTORCH_NO_WORK, NULL };
static const char *const mtia_waits[] = { PYTORCH_MTIA_WAITS, NULL };

bool
meaning_is_note (const char *category)
{
  return g_strv_contains (waits, category) || g_strv_contains (no_work, category);
}

bool
meaning_is_launched (const char *category)
{
  static const char *const rocm[] = { CATEGORIES_OF_ROCM, NULL };
  return g_strv_contains (works, category) || g_strv_contains (rocm, category);
}

bool
meaning_is_pipelined (const char *category)
{
  return g_ascii_strcasecmp (category, "instruction") == 0;
}

/* Returns what the category tells beside work; MEANS_NOTHING: it tells none of these. */
static Meaning
of_no_work (const char *category, const char *name)
{
  if (g_strv_contains (waits, category))
    return MEANS_WAIT;
  if (g_strv_contains (no_work, category))
    return MEANS_NOTE;
  if (g_strv_contains (around, category))
    return MEANS_PROGRAM;
  if (strcmp (category, CATEGORY_UNKNOWN) == 0)
    return MEANS_UNKNOWN;
  bool waiting = strcmp (category, PYTORCH_MTIA_WORK) == 0 && g_strv_contains (mtia_waits, name);
  return waiting ? MEANS_WAIT : MEANS_NOTHING;
}

/* -- Work -------------------------------------------------------------------------------------- */

/* Of rows of such a category the name tells. */
enum { BY_NAME = N_MEANINGS, BY_KERNEL, BY_FURIOSA_NAME, BY_NEURON_NAME };

typedef struct {
  const char *text;
  guint8 means;
} Word;

/* These are whole categories, case ignored. source: output_json.cpp of Kineto; xplane.md 2.7 and
 * HloOpcodeString for HLO; nprof's ntff */
static const Word categories[] = {
  { "kernel", BY_KERNEL },
  { "kernel_dispatch", BY_KERNEL },
  { "rocm_kernel_dispatch", BY_KERNEL },
  { "gpu_memcpy", MEANS_COPY },
  { "memory_copy", MEANS_COPY },
  { "rocm_memory_copy", MEANS_COPY },
  { "memcpy", MEANS_COPY },
  { "gpu_memset", MEANS_COMPUTE }, /* a kernel writes it; TraceLens counts it so as well */
  { "memset", MEANS_COMPUTE },
  { "collective_comm", MEANS_COMMUNICATION },
  { "copy", MEANS_COPY },
  { "copy-start", MEANS_COPY },
  { "copy-done", MEANS_COPY },
  { "infeed", MEANS_COPY },
  { "outfeed", MEANS_COPY },
  { "host send", MEANS_COPY },
  { "host send-done", MEANS_COPY },
  { "host recv", MEANS_COPY },
  { "host recv-done", MEANS_COPY },
  { "while", MEANS_CONTROL },
  { "conditional", MEANS_CONTROL },
  { "call", MEANS_CONTROL },
  { "after-all", MEANS_CONTROL },
  { "barrier", MEANS_CONTROL },
  { "control", MEANS_CONTROL }, /* of torch-neuronx, as the next two */
  { "data transfer", MEANS_COPY },
  { "setup", MEANS_SETUP },
  { "dma", MEANS_COPY },
  { "collective", MEANS_COMMUNICATION },
  { "execution", MEANS_PROGRAM },
  { "recorded", MEANS_PROGRAM }, /* the extent of a recording, where no execution is stated */
  { "instruction", BY_NEURON_NAME },
  { "npu", BY_FURIOSA_NAME },
  { "neural engine clusters", MEANS_COMPUTE }, /* of Rebellions, as those that follow */
  { "general compute engine", MEANS_COMPUTE },
  { "neural dma", MEANS_COPY },
  { "task dma", MEANS_COPY },
  { "device hdma", MEANS_COPY },
  { "external hdma", MEANS_TRANSFER }, /* memory of the host and that of the device */
  { "device sync", MEANS_WAIT },
};

/* Copies begin so, case ignored: HLO opcodes in categories and names ("copy-start.12"), kernels
 * ("Memcpy HtoD (Pageable -> Device)", "MemcpyD2H", AMD's copy kernels). */
static const Word beginnings[] = {
  { "copy-start", MEANS_COPY },         { "copy-done", MEANS_COPY },
  { "async-copy", MEANS_COPY },         { "memcpy", MEANS_COPY },
  { "copydevicetohost", MEANS_COPY },   { "copyhosttodevice", MEANS_COPY },
  { "copydevicetodevice", MEANS_COPY }, { "__amd_rocclr_copybuffer", MEANS_COPY },
  { "dma_request", MEANS_COPY }, /* of MTIA, where its category is that of kernels too */
};

/* source: furiosa.md 1.2, 1.7 */
static const Word furiosa[] = {
  { "execution", MEANS_AROUND }, { "task", MEANS_AROUND }, { "load", MEANS_COPY },
  { "store", MEANS_COPY },       { "dma", MEANS_COPY },
};

/* Mnemonics of NTFF begin so. source: neuron-outputs.md 3.5 (total_exec_time) */
static const Word neuron[] = {
  { "event", MEANS_CONTROL },     { "semaphore", MEANS_CONTROL },
  { "notify", MEANS_CONTROL },    { "compare_branch", MEANS_CONTROL },
  { "branch", MEANS_CONTROL },    { "drain", MEANS_CONTROL },
  { "nop", MEANS_SETUP },         { "set_ordering_mode", MEANS_SETUP },
  { "write", MEANS_SETUP },       { "tensor_load", MEANS_SETUP },
  { "modify_pool", MEANS_SETUP },
};

/* Copies from and to the host begin so, case ignored: HLO opcodes, kernels and copies of CUDA and
 * ROCm. */
static const char *const of_host[] = { "infeed",
                                       "outfeed",
                                       "host send",
                                       "host recv",
                                       "copydevicetohost",
                                       "copyhosttodevice",
                                       "memcpy htod",
                                       "memcpy dtoh",
                                       "memcpyh2d",
                                       "memcpyd2h",
                                       "memory_copy_host_to_device",
                                       "memory_copy_device_to_host" };

/* Copies within a device, and from one to another. */
static const char *const of_memory[]
    = { "copydevicetodevice", "memcpy dtod", "memcpyd2d", "memory_copy_device_to_device" };
static const char *const of_peers[] = { "memcpy ptop", "memcpyp2p" };

/* Opcodes infeed, infeed-start; "infeed.3" in names. */
static const char *const infeeds[] = { "infeed" };

static guint
whole (const char *text, const Word *list, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (g_ascii_strcasecmp (text, list[i].text) == 0)
      return list[i].means;
  return MEANS_NOTHING;
}

static guint
beginning (const char *text, const Word *list, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (g_ascii_strncasecmp (text, list[i].text, strlen (list[i].text)) == 0)
      return list[i].means;
  return MEANS_NOTHING;
}

static bool
begins_so (const char *text, const char *const *list, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (g_ascii_strncasecmp (text, list[i], strlen (list[i])) == 0)
      return true;
  return false;
}

static guint
of_category (const char *text)
{
  guint means = whole (text, categories, G_N_ELEMENTS (categories));
  if (!means)
    means = beginning (text, beginnings, G_N_ELEMENTS (beginnings));
  if (!means && collective_of_name (text))
    means = MEANS_COMMUNICATION;
  return means ? means : BY_NAME;
}

/* Returns what an HLO instruction is, whose name begins with its opcode ("copy.2", "while.13"):
 * files without HLO protos state no category. */
static guint
of_hlo_name (const char *text)
{
  const char *number = strrchr (text, '.');
  if (!number || !number[1] || strspn (number + 1, "0123456789") != strlen (number + 1))
    return MEANS_NOTHING;
  g_autofree char *opcode = g_strndup (text, (gsize) (number - text));
  guint means = whole (opcode, categories, G_N_ELEMENTS (categories));
  return means == MEANS_COPY || means == MEANS_CONTROL ? means : MEANS_NOTHING;
}

static guint
of_name (const char *text)
{
  guint means = beginning (text, beginnings, G_N_ELEMENTS (beginnings));
  if (!means)
    means = of_hlo_name (text);
  if (means)
    return means;
  return collective_of_name (text) ? MEANS_COMMUNICATION : MEANS_NOTHING;
}

static guint
of_furiosa (const char *text)
{
  g_autofree char *head = g_strndup (text, strcspn (text, " ("));
  return whole (head, furiosa, G_N_ELEMENTS (furiosa));
}

/* Returns what its name tells of a row whose category asks for it. */
static guint
by_name (guint how, const char *name)
{
  guint means = how == BY_FURIOSA_NAME  ? of_furiosa (name)
                : how == BY_NEURON_NAME ? beginning (name, neuron, G_N_ELEMENTS (neuron))
                                        : of_name (name);
  return means || how == BY_NAME ? means : MEANS_COMPUTE;
}

/* Returns what a copy is: of the input, over a link to a host or a peer, or within a device. */
static Meaning
of_copy (const char *category, const char *name)
{
  if (begins_so (category, infeeds, G_N_ELEMENTS (infeeds))
      || begins_so (name, infeeds, G_N_ELEMENTS (infeeds)))
    return MEANS_INFEED;
  if (begins_so (category, of_host, G_N_ELEMENTS (of_host))
      || begins_so (name, of_host, G_N_ELEMENTS (of_host))
      || begins_so (name, of_peers, G_N_ELEMENTS (of_peers)))
    return MEANS_TRANSFER;
  return MEANS_COPY;
}

static Meaning
of_work (const char *category, const char *name)
{
  guint means = of_category (category);
  if (means >= N_MEANINGS)
    means = by_name (means, name);
  return means == MEANS_COPY ? of_copy (category, name) : (Meaning) means;
}

bool
meaning_is_memory_operation (const char *category, const char *name)
{
  static const char *const fills[] = { "gpu_memset", "memset" };
  for (gsize i = 0; i < G_N_ELEMENTS (fills); i++)
    if (g_ascii_strcasecmp (category, fills[i]) == 0)
      return true;
  if (whole (category, categories, G_N_ELEMENTS (categories)) == BY_KERNEL)
    return false;
  const Meaning means = of_work (category, name);
  return means == MEANS_COPY || means == MEANS_TRANSFER || means == MEANS_INFEED;
}

CopyLink
meaning_copy_link (const char *name)
{
  if (begins_so (name, of_host, G_N_ELEMENTS (of_host)))
    return OVER_HOST;
  if (begins_so (name, of_memory, G_N_ELEMENTS (of_memory)))
    return OVER_MEMORY;
  return begins_so (name, of_peers, G_N_ELEMENTS (of_peers)) ? OVER_PEERS : OVER_UNKNOWN;
}

/* -- Rows -------------------------------------------------------------------------------------- */

MeaningPlace
meaning_place (bool on_device, uint32_t kind, const char *label)
{
  if (!on_device)
    return ON_HOST;
  switch (kind) {
  case NPROF_TRACK_DEVICE:
  case NPROF_TRACK_CORE:
  case NPROF_TRACK_ENGINE:
  case NPROF_TRACK_QUEUE:
    return ON_WORK;
  case NPROF_TRACK_ASYNC:
    return ON_ASYNC;
  case NPROF_TRACK_THREAD:
  case NPROF_TRACK_DERIVED: /* TensorFlow 2.3 wrote its Steps among derived lines */
    if (g_str_has_suffix (label, TRACK_OF_STEPS))
      return ON_STEPS;
    return g_str_has_suffix (label, TRACK_OF_MODULES) || strcmp (label, REBELLIONS_WORKLOAD) == 0
               ? ON_PROGRAMS
               : ON_DEVICE;
  default:
    return ON_DEVICE;
  }
}

Meaning
meaning_of (MeaningPlace place, const char *category, const char *name)
{
  int64_t number;
  if (place == ON_STEPS || pytorch_step_of_name (name, strlen (name), &number))
    return MEANS_STEP;
  if (place == ON_HOST)
    return MEANS_NOTHING;
  if (place == ON_PROGRAMS)
    return MEANS_PROGRAM;
  const Meaning beside = of_no_work (category, name);
  const bool of_work_category = g_strv_contains (works, category);
  if (beside || (place == ON_DEVICE && !of_work_category))
    return beside;
  const Meaning means = of_work (category, name);
  return !means && of_work_category ? MEANS_COMPUTE : means;
}
