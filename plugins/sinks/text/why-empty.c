/* SPDX-License-Identifier: Apache-2.0 */
/* why-empty.c - why a table that was asked for has no rows: what the file lacks, and which option of the
 * recorder would write it. */

#include "why-empty.h"

#include <string.h>

#define NO_MODULES "unknown: no nn.Module spans in the file; PyTorch: with_stack=True would tell"
#define NO_PATHS "unknown: no path of a framework in the file names a layer"
#define NO_SCOPES NO_PATHS "; jax.named_scope would write it"
#define NO_MEMORY "unknown: no allocations in the file; PyTorch: profile_memory=True would tell"
#define NO_ALLOCATORS "unknown: no rows of allocators in the file"
#define NO_SHAPES "unknown: no shapes in the file; PyTorch: record_shapes=True would tell"
#define NO_LAUNCHES "unknown: no launches in the file; PyTorch: ProfilerActivity.CPU would tell"
#define NO_HOST "unknown: no launches in the file; record the host as well"

/* The first row of the table that is for the decoder, or for all. */
static const struct {
  const char *table, *decoder, *why;
} reasons[] = {
  { "modules", "chrome", NO_MODULES },
  { "modules", "xplane", NO_SCOPES },
  { "modules", NULL, NO_PATHS },
  { "module_classes", "chrome", NO_MODULES },
  { "module_classes", "xplane", NO_SCOPES },
  { "module_classes", NULL, NO_PATHS },
  { "ranges", NULL, "unknown: no ranges in the file: record_function or NVTX would write them" },
  { "source", "chrome",
    "unknown: no frames of Python in the file; PyTorch: with_stack=True would tell" },
  { "source", NULL, "unknown: no lines of source in the file" },
  { "memory", "chrome", NO_MEMORY },
  { "memory", NULL, NO_ALLOCATORS },
  { "memory_holders", "chrome", NO_MEMORY },
  { "memory_holders", NULL, NO_ALLOCATORS },
  { "memory_modules", "chrome", NO_MEMORY },
  { "memory_modules", NULL, NO_ALLOCATORS },
  { "operator_flops", "chrome", NO_SHAPES },
  { "step_flops", "chrome", NO_SHAPES },
  { "phases", NULL,
    "unknown: no step says that it is prefill or decode, as those of vLLM and SGLang do" },
};

/* Nothing but work of devices fills these. */
static const struct {
  const char *table;
  gboolean launches; /* they need launches too */
  const char *none;  /* in what a device did; NULL: see `reasons` */
} of_devices[] = {
  { "collectives", FALSE, "none: no collective ran on a device" },
  { "communication", FALSE, "none: no collective ran on a device" },
  { "what_if", TRUE, NULL },
  { "critical_path", TRUE, NULL },
  { "launches", TRUE, NULL },
  { "queue_length", TRUE, NULL },
  { "kernels", FALSE, NULL },
  { "gaps", FALSE, "none: no device was idle" },
  { "idle_causes", FALSE, "none: no device was idle in a step" },
  { "queue_idle", FALSE, "none: no queue was idle" },
  { "step_breakdown", FALSE, NULL },
  { "bound", FALSE, NULL },
  { "critical", FALSE, NULL },
  { "mfu", FALSE, NULL },
  { "devices", FALSE, NULL },
};

static gboolean
is_chrome (const Answers *a)
{
  return g_strcmp0 (a->decoder, "chrome") == 0;
}

static const char *
why_of_devices (const Answers *a, gsize i)
{
  if (!answers_have (a, "devices") && !answers_have (a, "step_breakdown"))
    return is_chrome (a) ? "unknown: no work of devices in the file; PyTorch: "
                           "ProfilerActivity.CUDA would tell"
                         : "unknown: no work of devices in the file";
  if (of_devices[i].launches && !a->launches)
    return is_chrome (a) ? NO_LAUNCHES : NO_HOST;
  return of_devices[i].none;
}

const char *
why_empty (const Answers *a, const char *table)
{
  for (gsize i = 0; i < G_N_ELEMENTS (of_devices); i++)
    if (strcmp (of_devices[i].table, table) == 0)
      return why_of_devices (a, i);
  for (gsize i = 0; i < G_N_ELEMENTS (reasons); i++)
    if (strcmp (reasons[i].table, table) == 0
        && (!reasons[i].decoder || g_strcmp0 (reasons[i].decoder, a->decoder) == 0))
      return reasons[i].why;
  return NULL;
}
