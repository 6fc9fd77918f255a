/* SPDX-License-Identifier: Apache-2.0 */
/* facts.c - writes what planes say of themselves: device facts as rows, all stats as a table; and
 * finds the HLO protos. */
#include "xplane.h"

NPROF_TABLE (planes, "Stats of planes",
             "what the file records of a plane as a whole, or of metadata that no event uses",
             PLANES)

#define MAX_SHOWN 256 /* bytes */

typedef struct {
  const char *stat, *key;
  uint8_t type;
  double factor;
} Fact;

/* Giga and tera are powers of ten here (openxla/xprof hardware_type_utils, UniToGiga). */
static const Fact facts[] = {
  { "peak_teraflops_per_second", NPROF_KEY_PEAK_FLOPS, NPROF_DOUBLE, 1e12 },
  { "peak_hbm_bw_gigabytes_per_second", NPROF_KEY_PEAK_BANDWIDTH, NPROF_DOUBLE, 1e9 },
  { "memory_bandwidth", NPROF_KEY_PEAK_BANDWIDTH, NPROF_DOUBLE, 1 },
  { "memory_size", NPROF_KEY_MEMORY_SIZE, NPROF_INT64, 1 },
  { "clock_rate", NPROF_KEY_CLOCK_RATE, NPROF_DOUBLE, 1e3 }, /* kHz */
  { "core_count", NPROF_KEY_CORE_COUNT, NPROF_INT64, 1 },
  { "device_type_string", NPROF_KEY_DEVICE_TYPE, NPROF_STRING, 1 },
  { "gpu_device_name", NPROF_KEY_DEVICE_TYPE, NPROF_STRING, 1 },
};

struct nprof_maybe_text
xp_some_text (const struct nprof_host *host, PbSpan span)
{
  const char *text = (const char *) span.p;
  size_t len = text ? xp_len (span) : 0;
  if (len == 0)
    return nprof_some_text (NULL);
  if (!g_utf8_validate_len (text, len, NULL)) {
    g_autofree char *valid = g_utf8_make_valid (text, (gssize) len);
    text = host->string (host, nprof_intern (host, valid), &len);
  }
  return nprof_text_of_len (text, len);
}

/* -- Facts -------------------------------------------------------------------------- */

static bool
fact_number (const XpValue *value, double *f)
{
  switch (value->kind) {
  case XP_VALUE_DOUBLE:
    *f = value->v.f;
    break;
  case XP_VALUE_INT:
    *f = (double) value->v.i;
    break;
  case XP_VALUE_UINT:
    *f = (double) value->v.u;
    break;
  default:
    return false;
  }
  return *f > 0 && *f - *f == 0; /* 0 is how profilers write unknown */
}

static nprof_status
fact_attr (Xplane *x, struct nprof_writer *w, const Fact *fact, const XpValue *value, double f,
           const char *text, gsize len)
{
  nprof_str key = nprof_intern (x->host, fact->key);
  if (fact->type == NPROF_STRING)
    return nprof_attr_str (w, key, x->host->intern (x->host, text, len));
  if (fact->type == NPROF_DOUBLE)
    return nprof_attr_double (w, key, f * fact->factor);
  return nprof_attr_int (w, key, value->kind == XP_VALUE_DOUBLE ? (int64_t) f : value->v.i);
}

static nprof_status
write_fact (Xplane *x, const XpGroup *group, const XpPlane *plane, const Fact *fact,
            const XpValue *value)
{
  double f = 0;
  gsize len = 0;
  g_autofree char *text = xp_value_text (plane->dict, value, &len);
  if (fact->type == NPROF_STRING ? len == 0 : !fact_number (value, &f))
    return NPROF_OK;
  if (fact->type == NPROF_INT64 && f >= 0x1p63)
    return NPROF_OK;
  struct nprof_writer *w = x->host->writer (x->host);
  if (!w)
    return NPROF_E_NOMEM;
  nprof_status status
      = nprof_row (w, NPROF_FACT, group->track, nprof_intern (x->host, fact->key), 0, 0);
  if (status)
    return status;
  g_autofree char *source = g_strdup_printf ("stat %s", fact->stat);
  nprof_set_category (w, nprof_intern (x->host, source));
  return fact_attr (x, w, fact, value, f, text, len);
}

static nprof_status
device_fact (Xplane *x, const XpGroup *group, const XpPlane *plane, const XpValue *value)
{
  bool device = group->kind == XP_OF_TPU || group->kind == XP_OF_GPU || group->kind == XP_OF_DEVICE;
  for (gsize i = 0; device && i < G_N_ELEMENTS (facts); i++)
    if (value->stat && xp_is (value->stat->name, facts[i].stat))
      return write_fact (x, group, plane, &facts[i], value);
  return NPROF_OK;
}

/* -- The table ------------------------------------------------------------------------ */

static nprof_status
write_stat (Xplane *x, const XpGroup *group, const XpPlane *plane, PbSpan event,
            const XpValue *value)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *unnamed = g_strdup_printf ("stat_%" G_GINT64_FORMAT, value->id);
  const char *type = "bytes";
  if (value->kind == XP_VALUE_BYTES && xp_len (value->span) > MAX_SHOWN)
    g_string_printf (text, "%" G_GSIZE_FORMAT " bytes", xp_len (value->span));
  else
    type = xp_value_print (plane->dict, value, text);
  const struct planes_row row = {
    .plane = nprof_any_str (xp_intern (x->host, group->name)),
    .event = xp_some_text (x->host, event),
    .stat = nprof_any_str (value->stat ? xp_stat_text (x->host, value->stat)
                                       : nprof_intern (x->host, unnamed)),
    .type = nprof_some_text (type),
    .value = nprof_text_of_len (text->str, text->len),
  };
  return x->host->row (x->host, &planes_table,
                       planes_cells (nprof_cell_str (x->input), &row).cells);
}

static guint
body_hash (gconstpointer key)
{
  const PbSpan *span = key;
  guint h = 5381;
  for (const uint8_t *p = span->p; p < span->end; p++)
    h = h * 33 + *p;
  return h;
}

static gboolean
body_equal (gconstpointer a, gconstpointer b)
{
  const PbSpan *x = a, *y = b;
  return xp_len (*x) == xp_len (*y) && memcmp (x->p, y->p, xp_len (*x)) == 0;
}

/* Writes the stats of a plane once; messages of one plane repeat them. */
static nprof_status
plane_stats (Xplane *x, const XpGroup *group, const XpPlane *plane, GHashTable *seen)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < plane->plane_stats->len && status == NPROF_OK; i++) {
    PbSpan *body = &g_array_index (plane->plane_stats, PbSpan, i);
    XpValue value;
    if ((seen && !g_hash_table_add (seen, body)) || !xp_value_read (plane->dict, *body, &value))
      continue;
    if (xp_is_neuron (group->kind) && value.stat && xp_starts (value.stat->name, "op_"))
      continue; /* neuron.c */
    status = device_fact (x, group, plane, &value);
    if (status == NPROF_OK)
      status = write_stat (x, group, plane, (PbSpan){ 0 }, &value);
  }
  return status;
}

/* -- Metadata without events ------------------------------------------------------------ */

static nprof_status
meta_stats (Xplane *x, const XpGroup *group, uint32_t number, const XpEntry *entry)
{
  const XpPlane *plane = xp_plane (x, number);
  PbSpan name, display_name, body = entry->body;
  xp_meta_names (body, &name, &display_name);
  nprof_status status = NPROF_OK;
  PbField f;
  while (status == NPROF_OK && body.p < body.end && pb_field (&body.p, body.end, &f)) {
    XpValue value;
    if (f.tag != PB_BYTES (5) || !xp_value_read (plane->dict, f.span, &value))
      continue;
    if (value.stat && value.stat->role == XP_ROLE_HLO_PROTO && value.kind == XP_VALUE_BYTES)
      g_array_append_val (x->protos, ((XpProto){ number, name, entry->id, value.span }));
    status = write_stat (x, group, plane, name, &value);
  }
  return status;
}

static bool
has_lines (Xplane *x, const XpGroup *group)
{
  for (guint i = 0; i < group->members->len; i++)
    if (xp_plane (x, g_array_index (group->members, uint32_t, i))->n_lines)
      return true;
  return false;
}

static nprof_status
unused_metadata (Xplane *x, const XpGroup *group, uint32_t number, GHashTable *seen)
{
  const XpPlane *plane = xp_plane (x, number);
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < plane->metas->len && status == NPROF_OK; i++) {
    XpEntry *entry = &g_array_index (plane->metas, XpEntry, i);
    if (!seen || g_hash_table_add (seen, &entry->body))
      status = meta_stats (x, group, number, entry);
  }
  return status;
}

static nprof_status
group_facts (Xplane *x, const XpGroup *group)
{
  bool several = group->members->len > 1, metadata = !has_lines (x, group);
  g_autoptr (GHashTable) stats = several ? g_hash_table_new (body_hash, body_equal) : NULL;
  g_autoptr (GHashTable) metas = several ? g_hash_table_new (body_hash, body_equal) : NULL;
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < group->members->len && status == NPROF_OK; i++) {
    uint32_t number = g_array_index (group->members, uint32_t, i);
    status = plane_stats (x, group, xp_plane (x, number), stats);
    if (status == NPROF_OK && metadata)
      status = unused_metadata (x, group, number, metas);
  }
  return status ? status : xp_capability (x, group);
}

nprof_status
xp_facts (Xplane *x)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < x->groups->len && status == NPROF_OK; i++)
    status = group_facts (x, xp_group (x, i));
  return status;
}
