/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - decoder rocprofv3: the JSON that rocprofv3 --output-format json writes.  This file
 * has the entry, and the order in which parts are read. */
#include "rv.h"

#include <string.h>

/* The document has one member, whose name is its format's. */
static int
rv_probe (const void *head, size_t len, uint64_t size, const char *path)
{
  static const char key[] = "\"rocprofiler-sdk-tool\"";
  const char *end = (const char *) head + len, *p = te_space (head, end);
  (void) size, (void) path;
  p = p < end && *p == '{' ? te_space (p + 1, end) : end;
  return (size_t) (end - p) >= sizeof key - 1 && memcmp (p, key, sizeof key - 1) == 0 ? 90 : 0;
}

static nprof_status
rv_open (void *data, const struct nprof_host *host)
{
  Rv *self = data;
  nprof_status status = rv_walk_init (self, host);
  return status ? status : rocm_open (&self->rocm, host);
}

static void
rv_close (void *data)
{
  Rv *self = data;
  g_clear_pointer (&self->processes, g_ptr_array_unref);
  rv_walk_clear (self);
  rocm_close (&self->rocm);
}

static nprof_status
rv_decode (void *data, const void *bytes, uint64_t len)
{
  Rv *self = data;
  gint64 least = G_MAXINT64;
  self->data = self->told = bytes;
  self->end = self->data + len;
  self->scan = (TeScan){ .with = self->with, .end = self->end };
  self->rocm.w = self->host->writer (self->host);
  if (!self->rocm.w)
    return NPROF_E_NOMEM;
  nprof_status status = rv_processes_load (self);
  if (!status)
    status = rv_survey (self, &least);
  rocm_steps_noted (&self->rocm);
  if (!status)
    status = rocm_begin (&self->rocm, least);
  if (!status)
    status = rv_records (self);
  if (!status)
    status = rocm_facts (&self->rocm);
  return status ? status : self->host->progress (self->host, 0, len);
}

static const struct nprof_component decoder = {
  .size = sizeof decoder,
  .kind = NPROF_DECODER,
  .name = "rocprofv3",
  .summary = "JSON of ROCm's rocprofv3",
  .formats = "what rocprofv3 --output-format json writes (rocprofiler-sdk-tool), ROCm 6.2 to 7",
  .options = NPROF_OPTIONS (ROCM_STEPS_OPTION (Rv, rocm.steps)),
  .attributes = NPROF_ATTRIBUTES (ROCM_ATTRIBUTES),
  .instance_size = sizeof (Rv),
  .probe = rv_probe,
  .open = rv_open,
  .decode = rv_decode,
  .close = rv_close,
};

NPROF_PLUGIN ("rocprofv3", NPROF_VERSION, "Apache-2.0", &decoder)
