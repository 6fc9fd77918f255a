/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - decoder rocprofv3-csv: the tables that rocprofv3 --output-format csv writes, those
 * of a process together.  This file has the entry, and the order in which parts are read. */
#include "rc.h"

#include <nprof/draft/declare.h>
#include <string.h>

static int
rc_probe (const void *head, size_t len, uint64_t size, const char *path)
{
  RcTable table;
  (void) size, (void) path;
  return rc_table_of (head, (const char *) head + len, &table) == RC_NONE ? 0 : 90;
}

static void
table_clear (gpointer data)
{
  g_free (((RcTable *) data)->file);
}

static nprof_status
rc_open (void *data, const struct nprof_host *host)
{
  Rc *self = data;
  self->host = host;
  self->tables = g_array_new (FALSE, FALSE, sizeof (RcTable));
  g_array_set_clear_func (self->tables, table_clear);
  self->processes = g_hash_table_new_full (NULL, NULL, NULL, rc_process_free);
  return rocm_open (&self->rocm, host);
}

static void
rc_close (void *data)
{
  Rc *self = data;
  g_clear_pointer (&self->tables, g_array_unref);
  g_clear_pointer (&self->processes, g_hash_table_unref);
  g_free (self->stem);
  rocm_close (&self->rocm);
}

static nprof_status
rc_declare (void *data, const void *bytes, uint64_t len, struct nprof_declaration *out)
{
  Rc *self = data;
  (void) bytes, (void) len;
  out->is_part = rc_is_part (self, false);
  return NPROF_OK;
}

static nprof_status
decode_profile (Rc *self, const void *bytes, uint64_t len)
{
  gint64 least = G_MAXINT64;
  nprof_status status = rc_files_find (self, bytes, len);
  if (!status)
    status = rc_survey (self, &least);
  rocm_steps_noted (&self->rocm);
  if (!status)
    status = rocm_begin (&self->rocm, least);
  if (!status)
    status = rc_rows (self);
  return status ? status : rocm_facts (&self->rocm);
}

static nprof_status
rc_decode (void *data, const void *bytes, uint64_t len)
{
  Rc *self = data;
  const struct nprof_host *host = self->host;
  self->rocm.w = host->writer (host);
  if (!self->rocm.w)
    return NPROF_E_NOMEM;
  if (rc_is_part (self, true)) {
    nprof_log (host, NPROF_INFO,
               "its rows are those of an earlier input, a table of the same "
               "process");
    return host->progress (host, 0, len);
  }
  nprof_status status = decode_profile (self, bytes, len);
  return status ? status : host->progress (host, 0, len);
}

static const struct nprof_component decoder = {
  .size = sizeof decoder,
  .kind = NPROF_DECODER,
  .name = "rocprofv3-csv",
  .summary = "CSV of ROCm's rocprofv3, the tables of a process together",
  .formats = "what rocprofv3 --output-format csv and rocpd convert -f csv write: PID_*_trace.csv, "
             "agent_info, counter_collection, of one folder together",
  .flags = NPROF_DECODER_FOLDER,
  .options = NPROF_OPTIONS (ROCM_STEPS_OPTION (Rc, rocm.steps)),
  .attributes = NPROF_ATTRIBUTES (ROCM_ATTRIBUTES),
  .instance_size = sizeof (Rc),
  .probe = rc_probe,
  .open = rc_open,
  .decode = rc_decode,
  .declare = rc_declare,
  .close = rc_close,
};

NPROF_PLUGIN ("rocprofv3-csv", NPROF_VERSION, "Apache-2.0", &decoder)
