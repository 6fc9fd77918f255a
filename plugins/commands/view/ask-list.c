/* SPDX-License-Identifier: Apache-2.0 */
/* ask-list.c - answers routes server, profiles, changes and p/ID: what there is. */

#include "ask.h"
#include "list-order.h"

#include <nprof/plugin.h>
#include <string.h>
#include <sys/statvfs.h>

/* -- server ------------------------------------------------------------------- */

static void
put_plugins (NpAsk *ask)
{
  static const char *const kinds[]
      = { [NPROF_DECODER] = "decoder", [NPROF_ANALYZER] = "analyzer", [NPROF_SINK] = "sink" };
  GPtrArray *all = np_registry_all (ask->view->modules);
  NpJson *j = &ask->json;
  np_json_array (j, "formats");
  for (guint i = 0; i < all->len; i++) {
    const NpRegistryEntry *m = all->pdata[i];
    if (m->kind != NPROF_DECODER || m->problem || !m->component)
      continue;
    np_json_object (j, NULL);
    np_json_text (j, "name", m->name);
    np_json_text (j, "summary", m->component->summary);
    np_json_text (j, "formats", m->component->formats ? m->component->formats : "");
    np_json_end_object (j);
  }
  np_json_end_array (j);
  np_json_array (j, "plugins");
  for (guint i = 0; i < all->len; i++) {
    const NpRegistryEntry *m = all->pdata[i];
    if (m->problem || m->kind >= G_N_ELEMENTS (kinds))
      continue;
    np_json_object (j, NULL);
    np_json_text (j, "kind", kinds[m->kind]);
    np_json_text (j, "name", m->name);
    np_json_text (j, "version", m->plugin && m->plugin->version ? m->plugin->version : "");
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

static guint64
used_bytes (GPtrArray *entries)
{
  guint64 bytes = 0;
  for (guint i = 0; i < entries->len; i++) {
    const NpEntry *e = entries->pdata[i];
    bytes += e->summary ? e->summary->size : 0;
  }
  return bytes;
}

gboolean
np_ask_server (NpAsk *ask)
{
  const NpViewConfig *c = ask->view->config;
  NpJson *j = &ask->json;
  struct statvfs fs = { 0 };
  statvfs (c->store, &fs);
  np_listing_look (ask->view->listing, TRUE);
  g_autoptr (GPtrArray) entries = np_listing_all (ask->view->listing);
  np_json_object (j, NULL);
  np_json_text (j, "version", NPROF_VERSION);
  np_json_number (j, "api", 1);
  np_json_text (j, "store_id", ask->view->store_id);
  np_json_text (j, "store", c->store);
  np_json_number (j, "free_bytes", (guint64) fs.f_bavail * fs.f_frsize);
  np_json_number (j, "used_bytes", used_bytes (entries));
  np_json_number (j, "store_max", c->store_max);
  put_plugins (ask);
  np_json_object (j, "limits");
  np_json_number (j, "upload_bytes", c->upload_max);
  np_json_number (j, "connections", 256);
  np_json_number (j, "tile_rects", NP_TILE_RECTS);
  np_json_end_object (j);
  np_json_bool (j, "sql", np_has_sql ());
  np_json_bool (j, "open_path", c->open_path);
  np_json_bool (j, "sources", c->reading && c->reading->sources);
  np_json_number (j, "profiles", entries->len);
  np_json_end_object (j);
  return TRUE;
}

/* -- A profile of the list ------------------------------------------------------ */

/* Says how sure nprof is of a format: compared with real files and the vendor's tools, or known by
 * its structure. */
static const char *
certainty_of (const NpSummary *s)
{
  for (guint i = 0; s && i < s->decoders->len; i++)
    if (!strcmp (s->decoders->pdata[i], "furiosa"))
      return "structure";
  return "checked";
}

#define NOT_READ "the profile is not read to its end"

/* Puts what the list shows of each profile; `s` is NULL while it is being read, or failed. */
static void
put_metrics (NpJson *j, const NpSummary *s)
{
  if (s && s->has_busy)
    np_json_metric (j, "busy", s->busy, "1",
                    s->of_logical
                        ? "busy_ns / span_ns of table logical_cores, the cores of each together"
                        : "busy_ns / span_ns of table devices, all devices together");
  else
    np_json_unknown (j, "busy", "1",
                     !s               ? NOT_READ
                     : s->busy_reason ? s->busy_reason
                     : s->has_device  ? "the file does not tell when its devices worked"
                                      : "no work of a device is in the profile");
  if (s && s->has_mfu)
    np_json_metric (j, "mfu", s->mfu, "1", s->mfu_source);
  else
    np_json_unknown (j, "mfu", "1",
                     !s              ? NOT_READ
                     : s->mfu_reason ? s->mfu_reason
                                     : "table devices does not tell it");
  if (s && s->has_exposed)
    np_json_metric (j, "exposed", s->exposed, "1",
                    s->of_logical
                        ? "exposed_ns / span_ns of table logical_cores, the cores of each together"
                        : "exposed_ns / span_ns of table devices, all devices together");
  else
    np_json_unknown (j, "exposed", "1", s ? "table devices does not tell it" : NOT_READ);
  if (s && s->has_step)
    np_json_metric_time (j, "step_median", s->step_median, s->step_source);
  else
    np_json_unknown (j, "step_median", "ps", s ? "no whole step is in the profile" : NOT_READ);
}

static void
put_kept_input (NpJson *j, const char *input)
{
  g_autofree char *label = g_path_get_basename (input);
  np_json_object (j, NULL);
  np_json_text (j, "label", label);
  np_json_text (j, "path", g_path_is_absolute (input) ? input : "");
  np_json_number (j, "bytes", 0);
  np_json_bool (j, "present", np_about_has_input (input));
  np_json_end_object (j);
}

/* Puts those that the store names; where it is of another version those that are kept beside it. */
static void
put_inputs (NpJson *j, const NpSummary *s, const NpAbout *about)
{
  np_json_array (j, "inputs");
  for (guint i = 0; !s && i < about->inputs->len; i++)
    put_kept_input (j, about->inputs->pdata[i]);
  for (guint i = 0; s && i < s->inputs->len; i++) {
    const NpSummaryInput *in = &g_array_index (s->inputs, NpSummaryInput, i);
    np_json_object (j, NULL);
    np_json_text (j, "label", in->label);
    np_json_text (j, "path", in->path ? in->path : "");
    np_json_number (j, "bytes", in->bytes);
    np_json_bool (j, "present", np_input_present (in));
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

static gboolean
is_source_present (const NpEntry *e)
{
  gboolean present = e->about->inputs->len > 0;
  if (e->summary)
    return np_source_present (e->summary);
  for (guint i = 0; i < e->about->inputs->len; i++)
    present &= np_about_has_input (e->about->inputs->pdata[i]);
  return present;
}

/* Returns what a profile is called that has no other name: its first input, as far as that is
 * kept. */
static char *
kept_label (const NpEntry *e)
{
  return e->about->inputs->len ? g_path_get_basename (e->about->inputs->pdata[0])
                               : g_strdup (e->id);
}

static void
put_devices (NpJson *j, const NpSummary *s)
{
  np_json_array (j, "devices");
  for (guint i = 0; s && i < s->devices->len; i++) {
    const NpDevices *d = &g_array_index (s->devices, NpDevices, i);
    np_json_object (j, NULL);
    np_json_text (j, "type", d->type);
    np_json_number (j, "count", d->count);
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

static void
put_error (NpJson *j, const NpEntry *e)
{
  if (!e->error) {
    np_json_null (j, "error");
    return;
  }
  np_json_object (j, "error");
  np_json_text (j, "text", e->error);
  np_json_text (j, "input", e->label ? e->label : "");
  const char *byte = strstr (e->error, "byte ");
  g_autofree char *digits = byte ? g_strndup (byte + 5, strspn (byte + 5, "0123456789")) : NULL;
  np_json_text (j, "byte", digits && *digits ? digits : NULL);
  np_json_text (j, "mend", e->mend ? e->mend : "");
  np_json_end_object (j);
}

/* Puts how far the one who reads is, and what the writer's file tells of rows; `tracks` only when
 * one profile is asked for. */
static void
put_progress (NpAsk *ask, const NpEntry *e, gboolean tracks)
{
  g_autofree char *text
      = e->status == NP_READING ? np_progress_read (ask->view->config->store, e->id, tracks) : NULL;
  if (text)
    np_json_raw (&ask->json, "progress", text, strlen (text));
  else
    np_json_null (&ask->json, "progress");
}

void
np_json_progress (NpAsk *ask, const NpEntry *e)
{
  put_progress (ask, e, FALSE);
}

void
np_json_profile (NpAsk *ask, const char *key, const NpEntry *e, gboolean tracks)
{
  static const char *const statuses[] = { "ready", "reading", "failed", "old", "damaged" };
  const NpSummary *s = e->summary;
  NpJson *j = &ask->json;
  gboolean timed = s && s->start <= s->end;
  g_autofree char *generation
      = s ? g_strdup_printf ("%016" G_GINT64_MODIFIER "x", s->generation) : NULL;
  g_autofree char *kept = kept_label (e);
  np_json_object (j, key);
  np_json_text (j, "bucket", e->id);
  np_json_text (j, "gen", generation);
  np_json_text (j, "name",
                e->about->name ? e->about->name
                : s            ? s->label
                : e->label     ? e->label
                               : kept);
  np_json_array (j, "tags");
  for (guint i = 0; i < e->about->tags->len; i++)
    np_json_text (j, NULL, e->about->tags->pdata[i]);
  np_json_end_array (j);
  np_json_bool (j, "star", e->about->star);
  np_json_text (j, "format", s && s->decoders->len ? s->decoders->pdata[0] : "");
  np_json_array (j, "decoders");
  for (guint i = 0; s && i < s->decoders->len; i++)
    np_json_text (j, NULL, s->decoders->pdata[i]);
  np_json_end_array (j);
  np_json_text (j, "certainty", certainty_of (s));
  if (s && s->origin_unix_ns != G_MININT64)
    np_json_i64 (j, "origin_unix_ns", s->origin_unix_ns);
  else
    np_json_null (j, "origin_unix_ns");
  gint64 added = e->about->added ? e->about->added : s ? s->made_unix_ms : 0;
  np_json_number (j, "added", (guint64) added);
  np_json_number (j, "opened", (guint64) e->opened);
  np_json_i64 (j, "start", timed ? s->start : 0);
  np_json_i64 (j, "end", timed ? s->end : 0);
  np_json_i64 (j, "length", timed ? s->end - s->start : 0);
  np_json_number (j, "rows", s ? s->rows : 0);
  put_devices (j, s);
  put_metrics (j, s);
  np_json_number (j, "size", s ? s->size : 0);
  put_inputs (j, s, e->about);
  np_json_bool (j, "source_present", is_source_present (e));
  np_json_text (j, "status", statuses[e->status]);
  put_progress (ask, e, tracks);
  put_error (j, e);
  np_json_end_object (j);
}

/* -- profiles ------------------------------------------------------------------- */

static gboolean
has_tag (const NpEntry *e, const char *tag)
{
  return g_ptr_array_find_with_equal_func (e->about->tags, tag, g_str_equal, NULL);
}

static gboolean
contains (const char *text, const char *word)
{
  g_autofree char *low = g_utf8_casefold (text, -1), *wanted = g_utf8_casefold (word, -1);
  return strstr (low, wanted) != NULL;
}

/* Returns whether the entry is within the limit of a number, as mfu<40: percent for shares. */
static gboolean
fits_limit (const NpEntry *e, const char *word, gboolean *is_limit)
{
  static const struct {
    const char *name;
    gsize len;
  } names[] = { { "mfu", 3 }, { "busy", 4 } };
  *is_limit = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    char sign = g_str_has_prefix (word, names[i].name) ? word[names[i].len] : '\0';
    if (sign != '<' && sign != '>')
      continue;
    const NpSummary *s = e->summary;
    double limit = g_ascii_strtod (word + names[i].len + 1, NULL) / 100, value = !s  ? 0
                                                                                 : i ? s->busy
                                                                                     : s->mfu;
    *is_limit = TRUE;
    return s && (i ? s->has_busy : s->has_mfu) && (sign == '<' ? value < limit : value > limit);
  }
  return FALSE;
}

static gboolean
fits_word (const NpEntry *e, const char *word)
{
  gboolean is_limit;
  gboolean fits = fits_limit (e, word, &is_limit);
  if (is_limit)
    return fits;
  if (g_str_has_prefix (word, "tag:"))
    return has_tag (e, word + 4);
  if (g_str_has_prefix (word, "format:"))
    return e->summary
           && g_ptr_array_find_with_equal_func (e->summary->decoders, word + 7, g_str_equal, NULL);
  return contains (np_entry_name (e), word) || g_str_has_prefix (e->id, word) || has_tag (e, word);
}

static gboolean
entry_fits (const NpEntry *e, char **words)
{
  for (char **word = words; *word; word++)
    if (**word && !fits_word (e, *word))
      return FALSE;
  return TRUE;
}

gboolean
np_ask_profiles (NpAsk *ask)
{
  guint32 offset, limit;
  if (!np_ask_u32 (ask, "offset", 0, G_MAXUINT32, &offset)
      || !np_ask_u32 (ask, "limit", 1000, 100000, &limit))
    return FALSE;
  const char *q = np_request_param (ask->request, "q"),
             *sort = np_request_param (ask->request, "sort");
  g_auto (GStrv) words = g_strsplit (q ? q : "", " ", -1);
  np_listing_look (ask->view->listing, TRUE);
  g_autoptr (GPtrArray) all = np_listing_all (ask->view->listing);
  for (guint i = all->len; i-- > 0;)
    if (!entry_fits (all->pdata[i], words))
      g_ptr_array_remove_index (all, i);
  if (!np_list_order (all, sort ? sort : "added"))
    return np_ask_wrong (ask, "sort", NP_LIST_ORDERS ", or one with - before it");
  NpJson *j = &ask->json;
  np_json_object (j, NULL);
  np_json_number (j, "seq", np_listing_seq (ask->view->listing));
  np_json_number (j, "total", all->len);
  np_json_array (j, "profiles");
  for (guint i = offset; i < all->len && i - offset < limit; i++)
    np_json_profile (ask, NULL, all->pdata[i], FALSE);
  np_json_end_array (j);
  np_json_end_object (j);
  return TRUE;
}

/* -- changes and p/ID ------------------------------------------------------------ */

static void
put_change (NpAsk *ask, const NpChange *c)
{
  g_autoptr (NpEntry) e
      = !strcmp (c->what, "progress") ? np_listing_get (ask->view->listing, c->id) : NULL;
  np_json_object (&ask->json, NULL);
  np_json_text (&ask->json, "profile", c->id);
  np_json_text (&ask->json, "what", c->what);
  if (e && e->status == NP_READING)
    put_progress (ask, e, FALSE);
  np_json_end_object (&ask->json);
}

gboolean
np_ask_changes (NpAsk *ask)
{
  gint64 since;
  guint64 seq;
  g_autoptr (GArray) changes = g_array_new (FALSE, FALSE, sizeof (NpChange));
  NpJson *j = &ask->json;
  if (!np_ask_i64 (ask, "since", 0, &since))
    return FALSE;
  np_listing_look (ask->view->listing, FALSE);
  gboolean known = np_listing_changes (ask->view->listing, (guint64) since, changes, &seq);
  np_json_object (j, NULL);
  np_json_number (j, "seq", seq);
  if (!known) {
    np_json_bool (j, "all", TRUE);
    np_json_end_object (j);
    return TRUE;
  }
  np_json_array (j, "events");
  for (guint i = 0; i < changes->len; i++)
    put_change (ask, &g_array_index (changes, NpChange, i));
  np_json_end_array (j);
  np_json_end_object (j);
  return TRUE;
}

gboolean
np_ask_head (NpAsk *ask)
{
  const char *id = np_request_segment (ask->request, 3);
  g_autoptr (NpEntry) e = np_listing_find (ask->view->listing, id);
  if (!e)
    return np_reply_fail (ask->reply, 404, "the list has those that are there",
                          "there is no profile %.50s here", id);
  if (e->status == NP_READY)
    np_kept_touch (ask->view->config->store, id);
  g_autofree char *generation
      = e->summary ? g_strdup_printf ("%016" G_GINT64_MODIFIER "x", e->summary->generation) : NULL;
  np_json_object (&ask->json, NULL);
  np_json_profile (ask, "profile", e, TRUE);
  np_json_text (&ask->json, "gen", generation);
  np_json_end_object (&ask->json);
  return TRUE;
}
