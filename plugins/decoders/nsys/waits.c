/* SPDX-License-Identifier: Apache-2.0 */
/* waits.c - names a wait by the call that has its correlation, in exports that do not say what
 * their numbers of kinds mean: early schemas number them otherwise. */
#include "nsys.h"

static const struct {
  const char *name, *wait; /* the words of Kineto */
} calls[] = {
  { "cudaEventSynchronize", "Event Sync" },       { "cuEventSynchronize", "Event Sync" },
  { "cudaStreamWaitEvent", "Stream Wait Event" }, { "cuStreamWaitEvent", "Stream Wait Event" },
  { "cudaStreamSynchronize", "Stream Sync" },     { "cuStreamSynchronize", "Stream Sync" },
  { "cudaDeviceSynchronize", "Context Sync" },    { "cuCtxSynchronize", "Context Sync" },
  { "cudaThreadSynchronize", "Context Sync" },
};

typedef struct {
  gint64 process, correlation;
} Key;

static guint
hash_key (gconstpointer key)
{
  const Key *k = key;
  return g_int64_hash (&k->process) * 31 + g_int64_hash (&k->correlation);
}

static gboolean
equal_keys (gconstpointer a, gconstpointer b)
{
  const Key *x = a, *y = b;
  return x->process == y->process && x->correlation == y->correlation;
}

static nprof_str
wait_of (const Nsys *self, nprof_str call)
{
  const char *name = nprof_text (self->host, call);
  for (gsize i = 0; i < G_N_ELEMENTS (calls); i++)
    if (g_str_equal (name, calls[i].name))
      return nprof_intern (self->host, calls[i].wait);
  return 0;
}

nprof_status
ns_waits_load (Nsys *self)
{
  NsRows rows;
  Key key;
  gint64 tid, call;
  self->waits = g_hash_table_new_full (hash_key, equal_keys, g_free, NULL);
  if (!ns_has (self, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION")
      || !ns_has (self, "CUPTI_ACTIVITY_KIND_RUNTIME") || ns_has (self, "ENUM_CUPTI_SYNC_TYPE"))
    return NPROF_OK;
  nprof_status status = ns_rows_begin (self, "CUPTI_ACTIVITY_KIND_RUNTIME", &rows);
  int thread = status ? -1 : ns_column (&rows, "globalTid"),
      correlation = status ? -1 : ns_column (&rows, "correlationId"),
      name = status ? -1 : ns_column (&rows, "nameId");
  while (!status && ns_rows_next (&rows, &status)) {
    if (!ns_int (&rows, thread, &tid) || !ns_int (&rows, correlation, &key.correlation)
        || !ns_int (&rows, name, &call))
      continue;
    nprof_str wait = wait_of (self, ns_call_name (self, call));
    key.process = NS_PROCESS (tid);
    if (wait)
      g_hash_table_replace (self->waits, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (wait));
  }
  ns_rows_end_again (&rows);
  return status;
}

nprof_str
ns_wait_name (Nsys *self, gint64 process, gint64 correlation, gint64 type)
{
  const Key key = { process, correlation };
  gpointer wait = g_hash_table_lookup (self->waits, &key);
  return wait ? GPOINTER_TO_UINT (wait) : ns_sync_name (self, type);
}
