/* SPDX-License-Identifier: Apache-2.0 */
/* facts.c - writes what the header and the compiler's statistics say of the whole model, as
 * properties of the input and as rows of kind fact.  Unknown values are left out. */
#include "neff.h"

#include <nprof/format.h>
#include <string.h>

/* -- Properties --------------------------------------------------------------------------- */

/* Sets a property unless the text is empty. */
static nprof_status
property (Neff *n, const char *key, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  return *valid ? n->host->property (n->host, key, valid) : NPROF_OK;
}

static nprof_status
number_property (Neff *n, const char *key, guint64 number)
{
  char text[NPROF_MAX_NUMBER];
  *nprof_format_u64 (text, number) = '\0';
  return n->host->property (n->host, key, text);
}

static char *
hex (const guint8 *bytes, gsize n)
{
  GString *text = g_string_new (NULL);
  for (gsize i = 0; i < n; i++)
    g_string_append_printf (text, "%02x", bytes[i]);
  return g_string_free (text, FALSE);
}

/* Returns "1,1": up to the last node that has cores. */
static char *
per_node (const NeffHeader *h)
{
  gsize len = NEFF_MAX_NODES;
  while (len && h->tpb_per_node[len - 1] == 0)
    len--;
  GString *text = g_string_new (NULL);
  for (gsize i = 0; i < len; i++)
    g_string_append_printf (text, "%s%u", i ? "," : "", h->tpb_per_node[i]);
  return g_string_free (text, FALSE);
}

static nprof_status
text_properties (Neff *n)
{
  const NeffHeader *h = &n->header;
  gboolean md5 = h->pkg_version == NEFF_MD5;
  g_autofree char *version
      = g_strdup_printf ("%" G_GUINT64_FORMAT ".%" G_GUINT64_FORMAT, h->major, h->minor);
  g_autofree char *hash = hex (h->hash, md5 ? 16 : sizeof h->hash);
  g_autofree char *uuid = hex (h->uuid, sizeof h->uuid), *nodes = per_node (h);
  g_autofree char *features = neff_features (h->feature_bits);
  g_autofree char *bits = g_strdup_printf ("0x%" G_GINT64_MODIFIER "x", h->feature_bits);
  const char *packing = n->packing == NEFF_GZIP ? "tar, gzip" : "tar";
  const char *const pairs[][2] = {
    { "name", h->name },
    { "neff_version", version },
    { "neff_build_version", h->build_version },
    { "uuid", uuid },
    { "hash", hash },
    { "tpb_per_node", nodes },
    { "feature_bits", bits },
    { "features", features },
    { "payload", packing },
  };
  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++) {
    nprof_status status = property (n, pairs[i][0], pairs[i][1]);
    if (status)
      return status;
  }
  return NPROF_OK;
}

nprof_status
neff_header_properties (Neff *n)
{
  const NeffHeader *h = &n->header;
  const struct {
    const char *key;
    guint64 number;
  } numbers[] = {
    { "pkg_version", h->pkg_version },
    { "header_size", h->header_size },
    { "data_size", h->data_size },
    { "num_tpb", h->num_tpb },
    { "requested_tpb_count", h->requested_tpb_count },
    { "lnc_size", h->lnc_size ? h->lnc_size : 1 }, /* files from before it hold 0 */
  };
  nprof_status status = text_properties (n);
  for (gsize i = 0; i < G_N_ELEMENTS (numbers) && status == NPROF_OK; i++)
    status = number_property (n, numbers[i].key, numbers[i].number);
  return status;
}

/* -- Rows --------------------------------------------------------------------------------- */

static nprof_status
begin_row (Neff *n, guint8 kind, const char *name, struct nprof_writer **w)
{
  g_autofree char *valid = g_utf8_make_valid (n->header.name, -1);
  nprof_track track
      = n->host->track (n->host, 0, NPROF_TRACK_DERIVED, nprof_intern (n->host, "neff"),
                        nprof_intern (n->host, valid), 0);
  *w = n->host->writer (n->host);
  return *w && track ? nprof_row (*w, kind, track, nprof_intern (n->host, name), 0, 0)
                     : NPROF_E_NOMEM;
}

static nprof_status
fact (Neff *n, const char *key, guint64 number, const char *source)
{
  struct nprof_writer *w;
  nprof_status status = begin_row (n, NPROF_FACT, key, &w);
  if (status)
    return status;
  nprof_set_category (w, nprof_intern (n->host, source));
  return nprof_attr_int (w, nprof_intern (n->host, key), (gint64) number);
}

nprof_status
neff_gap (Neff *n)
{
  struct nprof_writer *w;
  return begin_row (n, NPROF_GAP, "unreadable", &w);
}

/* -- Statistics of the compiler ----------------------------------------------------------- */

static nprof_status
compiler (Neff *n)
{
  g_autoptr (JsonNode) root = NULL;
  if (!neff_member (n, "info.json"))
    return NPROF_OK;
  nprof_status status = neff_json (n, "info.json", &root);
  const char *version = root ? neff_string (json_node_get_object (root), "tool_version") : NULL;
  return version ? property (n, "compiler_version", version) : status;
}

static nprof_status
intensity (Neff *n, JsonObject *stats)
{
  JsonNode *node = json_object_get_member (stats, "ArithmeticIntensity");
  char text[NPROF_MAX_NUMBER];
  GType type
      = node && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node) : G_TYPE_INVALID;
  if (type != G_TYPE_DOUBLE && type != G_TYPE_INT64)
    return NPROF_OK;
  double f = json_node_get_double (node);
  if (!(f >= 0 && f <= G_MAXDOUBLE))
    return NPROF_OK;
  *nprof_format_double (text, f) = '\0';
  return n->host->property (n->host, "arithmetic_intensity", text);
}

/* Writes model_flops, "2 * MAC_count from the HLO stats", as the vendor defines it. */
static nprof_status
stats_rows (Neff *n, const char *member, JsonObject *stats)
{
  guint64 macs, traffic;
  nprof_status status = NPROF_OK;
  bool counted = neff_member_number (stats, "HloMacCount", &macs)
                 || neff_member_number (stats, "mac_count", &macs);
  g_autofree char *flops_source = g_strdup_printf ("%s: 2 * MACs", member);
  g_autofree char *traffic_source = g_strdup_printf ("%s: Traffic", member);
  if (counted && macs <= G_MAXINT64 / 2)
    status = fact (n, NPROF_KEY_MODEL_FLOPS, 2 * macs, flops_source);
  if (status == NPROF_OK && neff_member_number (stats, "Traffic", &traffic))
    status = fact (n, NPROF_KEY_BYTES_ACCESSED, traffic, traffic_source);
  return status;
}

nprof_status
neff_facts (Neff *n)
{
  g_autoptr (JsonNode) root = NULL;
  const char *member = neff_member (n, "hlo_stats.json") ? "hlo_stats.json" : "hlo_metrics.json";
  nprof_status status = compiler (n);
  if (status || !neff_member (n, member))
    return status;
  status = neff_json (n, member, &root);
  if (!root)
    return status;
  JsonObject *stats = json_node_get_object (root);
  status = intensity (n, stats); /* properties come before rows */
  return status ? status : stats_rows (n, member, stats);
}
