/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - decoder rocpd: databases of rocprofv3 and rocprof-sys (rocpd), and of
 * rocmProfileData (.rpd). This file has the entry, and the order in which parts are read. */
#include "rpd.h"

#include <string.h>

/* The names of tables stand in the schema, on the first pages. */
static int
rocpd_probe (const void *head, size_t len, uint64_t size, const char *path)
{
  (void) size;
  if (len < 16 || memcmp (head, "SQLite format 3", 16) != 0)
    return 0;
  if (memmem (head, len, "compute_workload", 16)) /* rocprof-compute's, which has no timeline */
    return 0;
  if (memmem (head, len, "rocpd_", 6))
    return 90;
  return g_str_has_suffix (path, "_results.db") || g_str_has_suffix (path, ".rpd") ? 20 : 0;
}

static nprof_status
rocpd_open (void *data, const struct nprof_host *host)
{
  Rocpd *self = data;
  self->guids = g_ptr_array_new_with_free_func (rp_guid_free);
  return rocm_open (&self->rocm, host);
}

static void
rocpd_close (void *data)
{
  Rocpd *self = data;
  g_clear_pointer (&self->guids, g_ptr_array_unref);
  rocm_close (&self->rocm);
  db_close (&self->db);
}

/* -- Decoding ---------------------------------------------------------------------------------- */

static nprof_status
each_guid (Rocpd *self, nprof_status (*fn) (RpGuid *g))
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < self->guids->len && !status; i++)
    status = fn (g_ptr_array_index (self->guids, i));
  return status;
}

static nprof_status
begin (Rocpd *self)
{
  gint64 least = G_MAXINT64;
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < self->guids->len && !status; i++)
    status = rp_survey (g_ptr_array_index (self->guids, i), &least);
  rocm_steps_noted (&self->rocm);
  return status ? status : rocm_begin (&self->rocm, least);
}

static nprof_status
decode_guids (Rocpd *self)
{
  static nprof_status (*const parts[]) (RpGuid *)
      = { rp_counts_load, rp_hosts, rp_work, rp_samples };
  nprof_status status = each_guid (self, rp_load);
  if (!status)
    status = begin (self);
  for (gsize i = 0; i < G_N_ELEMENTS (parts) && !status; i++)
    status = each_guid (self, parts[i]);
  for (guint i = 0; i < self->rocm.processes->len && !status; i++)
    status = rocm_uses_end (g_ptr_array_index (self->rocm.processes, i));
  return status ? status : rocm_facts (&self->rocm);
}

static nprof_status
refuse (Rocpd *self)
{
  g_autoptr (GList) names = db_tables (&self->db);
  return nprof_fail (
      self->rocm.host, NPROF_E_FORMAT,
      "byte 100: the schema has no table of rocpd, but %s: name the _results.db that "
      "rocprofv3 wrote, or an .rpd",
      names ? (const char *) names->data : "none at all");
}

static nprof_status
rocpd_decode (void *data, const void *bytes, uint64_t len)
{
  Rocpd *self = data;
  const struct nprof_host *host = self->rocm.host;
  self->rocm.w = host->writer (host);
  if (!self->rocm.w)
    return NPROF_E_NOMEM;
  nprof_status status = db_open (&self->db, host, "record it anew, or copy it whole", bytes, len);
  if (status)
    return status;
  rp_guids_find (self);
  if (rpd_is (&self->db))
    status = rpd_decode (self);
  else
    status = self->guids->len ? decode_guids (self) : refuse (self);
  if (!status)
    status = rp_tell_unread (self);
  return status ? status : host->progress (host, 0, len);
}

static const struct nprof_component decoder = {
  .size = sizeof decoder,
  .kind = NPROF_DECODER,
  .name = "rocpd",
  .summary = "databases of ROCm: rocprofv3's and rocprof-sys' rocpd, and .rpd of rocmProfileData",
  .formats = "rocpd of ROCm 7 (_results.db) by the columns that are there, layouts 3 to 4.1; "
             "rocmProfileData (.rpd) schema 2",
  .options = NPROF_OPTIONS (ROCM_STEPS_OPTION (Rocpd, rocm.steps)),
  .attributes
  = NPROF_ATTRIBUTES (ROCM_ATTRIBUTES,
                      NPROF_ATTRIBUTE (NPROF_INT64, "device", "",
                                       "of an .rpd: number of the device"),
                      NPROF_ATTRIBUTE (NPROF_TEXT, "text", "", "of an .rpd: arguments of a call")),
  .instance_size = sizeof (Rocpd),
  .probe = rocpd_probe,
  .open = rocpd_open,
  .decode = rocpd_decode,
  .close = rocpd_close,
};

NPROF_PLUGIN ("rocpd", NPROF_VERSION, "Apache-2.0", &decoder)
