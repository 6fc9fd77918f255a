/* SPDX-License-Identifier: Apache-2.0 */
/* nrt-status.c - the statuses of libnrt in words, after its public documentation; versions of it
 * know some of them only. */

#include "nrt.h"

#include <string.h>

typedef struct {
  int status;
  const char *name;
  const char *call; /* the advice is for this call alone; NULL: for all */
  const char *advice;
} Status;

static const Status statuses[] = {
  { 0, "success", NULL, NULL },
  { 1, "failure", NULL, NULL },
  { 2, "invalid (NEFF, or a tensor whose name or size does not match)", NULL, NULL },
  { 3, "invalid handle", NULL, NULL },
  { 4, "no resource", "nrt_profile_start",
    "profiling takes 2.4 to 5 GB of the device's memory: free some, or profile a smaller model" },
  { 5, "timed out", NULL, NULL },
  { 6, "hardware error", NULL, NULL },
  { 7, "queue full", NULL, NULL },
  { 9, "not enough NeuronCores", NULL,
    "others may have them: see neuron-ls, and NEURON_RT_VISIBLE_CORES" },
  { 10, "unsupported NEFF version", NULL,
    "the NEFF was made for another runtime: compile it again, or install the runtime of its "
    "compiler" },
  { 11, "no host memory", NULL, NULL },
  { 13, "runtime not initialised", NULL, NULL },
  { 14, "runtime closed", NULL, NULL },
  { 15, "queue empty", NULL, NULL },
  { 101, "execution unit unrecoverable", NULL, "the device is lost until it is reset" },
  { 1002, "bad input", NULL, NULL },
  { 1003, "completed with numerical errors (NaN)", NULL,
    "give inputs that are not zero, or --ignore-exec-errors" },
  { 1004, "completed with errors", NULL, "--ignore-exec-errors goes on after it" },
  { 1005, "NeuronCore busy", NULL,
    "another process has it: see neuron-ls, and NEURON_RT_VISIBLE_CORES" },
  { 1006, "access out of bounds", NULL, NULL },
  { 1100, "collective pending", NULL, NULL },
  { 1200, "stuck in a collective", NULL,
    "the NEFF may want others, which nprof capture does not start" },
  { 1201, "HBM uncorrectable error", NULL, "the device is lost until it is reset" },
  { 1202, "core memory uncorrectable error", NULL, "the device is lost until it is reset" },
  { 1203, "DMA aborted", NULL, "the device is lost until it is reset" },
  { 1204, "notification queue overflow", NULL, NULL },
  { 1205, "HBM repairable uncorrectable error", NULL, NULL },
};

char *
np_nrt_explain (const char *call, int status)
{
  for (guint i = 0; i < G_N_ELEMENTS (statuses); i++) {
    const Status *s = &statuses[i];
    gboolean advises = s->advice && (!s->call || !strcmp (s->call, call));
    if (s->status == status)
      return g_strdup_printf ("%s: %s (%d)%s%s", call, s->name, status, advises ? ": " : "",
                              advises ? s->advice : "");
  }
  return g_strdup_printf ("%s: unknown status (%d)", call, status);
}

gboolean
np_nrt_is_fatal (int status)
{
  return status == 101 || (status >= 1200 && status <= 1203);
}
