/* SPDX-License-Identifier: Apache-2.0 */
/* why-empty.c - why a table that was asked for has no rows: what the file lacks, and which option
 * of the recorder would write it. */

#include "why-empty.h"

#include "recorder.h"

#include <string.h>

#define NO_MODULES "no nn.Module spans in the file"
#define NO_PATHS "no path of a framework in the file names a layer"
#define NO_MEMORY "no allocations in the file"
#define NO_ALLOCATORS "no rows of allocators in the file"
#define NO_SHAPES "no shapes of matrix products, convolutions, attention in the file"
#define NO_PRODUCT_OF_STEPS "no product whose shapes are known lies in a step"
#define NO_HLO_SHAPES                                                                              \
  "no shapes of operators in the file: it has no text and no proto of HLO for what ran"
#define NO_PHASES "no step says that it is prefill or decode, as those of vLLM and SGLang do"
#define NO_REQUESTS                                                                                \
  "no spans of requests in the file, as SGLang's converter of OpenTelemetry adds them"
#define NO_WAITS                                                                                   \
  "the file does not say what instructions wait for; NTFF of versions 4 to 6 and the JSON of "     \
  "neuron-profile do"

#define NO_TIMES "the file says what is held, not when; table neuron_memory"
#define NO_SIZES                                                                                   \
  "the file does not say what is held of the device's memory; NTFF of versions 4 to 6 and the "    \
  "JSON of neuron-profile may"

#define ANY RECORDERS

/* The first row of the table that is for the recorder, or for all. */
static const struct {
  const char *table;
  Recorder recorder;
  Option option; /* that would tell */
  const char *why;
} reasons[] = {
  { "modules", RECORDER_TORCH, OPTION_MODULES, NO_MODULES },
  { "modules", ANY, OPTION_MODULES, NO_PATHS },
  { "module_classes", RECORDER_TORCH, OPTION_MODULES, NO_MODULES },
  { "module_classes", ANY, OPTION_MODULES, NO_PATHS },
  { "ranges", ANY, OPTION_NONE, "no ranges in the file: record_function or NVTX would write them" },
  { "source", RECORDER_TORCH, OPTION_SPANS, "no frames of Python in the file" },
  { "source", ANY, OPTION_NONE, "no lines of source in the file" },
  { "memory", RECORDER_TORCH, OPTION_MEMORY, NO_MEMORY },
  { "memory", ANY, OPTION_NONE, NO_ALLOCATORS },
  { "memory_holders", RECORDER_TORCH, OPTION_MEMORY, NO_MEMORY },
  { "memory_holders", ANY, OPTION_NONE, NO_ALLOCATORS },
  { "memory_modules", RECORDER_TORCH, OPTION_MEMORY, NO_MEMORY },
  { "memory_modules", ANY, OPTION_NONE, NO_ALLOCATORS },
  { "neuron_memory", ANY, OPTION_NONE, NO_SIZES },
  { "operator_flops", RECORDER_TORCH, OPTION_SHAPES, NO_SHAPES },
  { "step_flops", RECORDER_TORCH, OPTION_SHAPES, NO_SHAPES },
  { "operator_shapes", RECORDER_TORCH, OPTION_SHAPES, NO_SHAPES },
  { "operator_shapes", ANY, OPTION_NONE, NO_HLO_SHAPES },
  { "phases", ANY, OPTION_NONE, NO_PHASES },
  { "server_steps", ANY, OPTION_NONE, NO_PHASES },
  { "requests", ANY, OPTION_NONE, NO_REQUESTS },
};

/* Launches that a table needs beside work of devices. */
typedef enum {
  NO_LAUNCHES,
  LAUNCHES,
  OF_TORCH /* where the recorder is PyTorch's */
} Needs;

/* Nothing but work of devices fills these. */
static const struct {
  const char *table;
  Needs needs;
  const char *none; /* in what a device did; NULL: see `reasons` */
} of_devices[] = {
  { "collectives", NO_LAUNCHES, "none: no collective ran on a device" },
  { "communication", NO_LAUNCHES, "none: no collective ran on a device" },
  { "what_if", LAUNCHES, NULL },
  { "critical_path", LAUNCHES, NULL },
  { "launches", LAUNCHES, NULL },
  { "queue_length", LAUNCHES, NULL },
  { "kernels", NO_LAUNCHES, NULL },
  { "gaps", NO_LAUNCHES, "none: no device was idle" },
  { "idle_causes", NO_LAUNCHES, "none: no device was idle in a step" },
  { "queue_idle", NO_LAUNCHES, "none: no queue was idle" },
  { "step_breakdown", NO_LAUNCHES, NULL },
  { "bound", NO_LAUNCHES, NULL },
  { "critical", NO_LAUNCHES, NULL },
  { "mfu", NO_LAUNCHES, "unknown: no work that takes time is in the file" },
  { "devices", NO_LAUNCHES, NULL },
  { "module_classes", NO_LAUNCHES, NULL },
  { "source", OF_TORCH, NULL },
  { "step_flops", OF_TORCH, NULL },
  { "operator_shapes", OF_TORCH, NULL },
  { "phases", NO_LAUNCHES, NULL },
  { "server_steps", NO_LAUNCHES, NULL },
};

/* Transfer full. */
static char *
unknown_text (const Answers *a, const char *why, Option option)
{
  const char *words = recorder_option (a, option);
  const char *who = recorder_of (a) == RECORDER_TORCH ? "PyTorch: " : "";
  return words ? g_strconcat ("unknown: ", why, "; ", who, words, NULL)
               : g_strconcat ("unknown: ", why, NULL);
}

static gboolean
is_neuron (const Answers *a)
{
  return g_strcmp0 (a->decoder, "ntff") == 0;
}

static gboolean
is_of_allocators (const char *table)
{
  return strcmp (table, "memory") == 0 || strcmp (table, "memory_holders") == 0
         || strcmp (table, "memory_modules") == 0;
}

/* The runtime of Neuron states what it holds, and never when it began to. */
static char *
why_no_allocators (const Answers *a)
{
  const char *why = answers_have (a, "neuron_memory") ? NO_TIMES : NO_SIZES;
  return unknown_text (a, why, OPTION_NONE);
}

static gboolean
is_path (const char *table)
{
  return strcmp (table, "what_if") == 0 || strcmp (table, "critical_path") == 0;
}

static gboolean
lacks_launches (const Answers *a, Needs needs)
{
  return !a->launches
         && (needs == LAUNCHES || (needs == OF_TORCH && recorder_of (a) == RECORDER_TORCH));
}

/* What was launched was asked for: its records were lost. */
static char *
why_of_devices (const Answers *a, gsize i)
{
  if (!answers_have (a, "devices") && !answers_have (a, "step_breakdown"))
    return a->launched ? unknown_text (
               a, "launches, and no work of devices in the file: its records are missing",
               OPTION_NONE)
                       : unknown_text (a, "no work of devices in the file", OPTION_DEVICES);
  if (lacks_launches (a, of_devices[i].needs))
    return is_path (of_devices[i].table) && is_neuron (a)
               ? unknown_text (a, NO_WAITS, OPTION_NONE)
               : unknown_text (a, "no launches in the file", OPTION_LAUNCHES);
  return g_strdup (of_devices[i].none);
}

char *
why_empty (const Answers *a, const char *table)
{
  for (gsize i = 0; i < G_N_ELEMENTS (of_devices); i++)
    if (strcmp (of_devices[i].table, table) == 0) {
      char *why = why_of_devices (a, i);
      if (why)
        return why;
    }
  if (strcmp (table, "step_flops") == 0 && answers_have (a, "operator_flops"))
    return unknown_text (a, NO_PRODUCT_OF_STEPS, OPTION_NONE);
  if (strcmp (table, "memory_modules") == 0 && answers_have (a, "memory"))
    return why_empty (a, "modules");
  if (is_neuron (a) && is_of_allocators (table))
    return why_no_allocators (a);
  for (gsize i = 0; i < G_N_ELEMENTS (reasons); i++)
    if (strcmp (reasons[i].table, table) == 0
        && (reasons[i].recorder == ANY || reasons[i].recorder == recorder_of (a)))
      return unknown_text (a, reasons[i].why, reasons[i].option);
  return NULL;
}
