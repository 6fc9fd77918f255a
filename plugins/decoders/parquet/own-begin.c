/* SPDX-License-Identifier: Apache-2.0 */
/* own-begin.c - what the files of nprof's own say before the first row: properties of the input,
 * its origin, its tracks. */
#include "own.h"

#include <nprof/sdk.h>

static void
set_properties (Parquet *p, const Source *s, guint profile)
{
  g_autoptr (JsonNode) list = own_list (s, "nprof.inputs");
  JsonArray *inputs = list ? json_node_get_array (list) : NULL;
  JsonNode *properties
      = inputs && profile < json_array_get_length (inputs)
            ? json_object_get_member (json_array_get_object_element (inputs, profile), "properties")
            : NULL;
  if (!properties || !JSON_NODE_HOLDS_OBJECT (properties))
    return;
  JsonObjectIter iter;
  const char *name;
  json_object_iter_init_ordered (&iter, json_node_get_object (properties));
  while (json_object_iter_next_ordered (&iter, &name, NULL)) {
    const char *value = own_member (json_node_get_object (properties), name);
    if (value)
      p->host->property (p->host, name, value);
  }
}

typedef struct {
  Parquet *p;
  const Source *s;
  gint64 origin;
  nprof_status status;
} Reading;

static nprof_str
string_of (const Reading *r, const Value *v)
{
  return r->p->host->intern (r->p->host, v->text.data, v->text.len);
}

static gboolean
is_ours (const Reading *r, const Value *label, gboolean has)
{
  return !r->p->label || (has && string_of (r, label) == r->p->label);
}

static gboolean
take_origin (void *user, const Value *values, const gboolean *has)
{
  Reading *r = user;
  if (!is_ours (r, &values[0], has[0]))
    return TRUE;
  r->origin = has[1] ? (gint64) values[1].bits : NPROF_NO_EPOCH;
  return FALSE;
}

static guint
track_kind (const PqText *text)
{
  static const char *const names[] = { "input",  "host",  "process", "thread",  "device", "core",
                                       "engine", "queue", "async",   "counter", "derived" };
  for (guint k = 0; k < G_N_ELEMENTS (names); k++)
    if (text->len == strlen (names[k]) && !memcmp (text->data, names[k], text->len))
      return k;
  return NPROF_TRACK_THREAD;
}

/* The columns are input, track, parent, kind, key, label, sort.  Parents come before their
 * children. */
static gboolean
take_track (void *user, const Value *v, const gboolean *has)
{
  Reading *r = user;
  const struct nprof_host *h = r->p->host;
  nprof_track track, above = 0;
  if (!is_ours (r, &v[0], has[0]) || !has[1] || !has[3])
    return TRUE;
  guint kind = track_kind (&v[3].text);
  if (has[2])
    above = GPOINTER_TO_UINT (g_hash_table_lookup (r->p->numbers, &v[2].bits));
  if (kind == NPROF_TRACK_INPUT)
    track = h->input (h, h->own_input)->root;
  else
    track = h->track (h, above, kind, has[4] ? string_of (r, &v[4]) : 0,
                      has[5] ? string_of (r, &v[5]) : 0, has[6] ? (gint64) v[6].bits : 0);
  if (!track)
    r->status = nprof_fail (h, NPROF_E_NOMEM, "no memory for a track");
  g_hash_table_insert (r->p->numbers, g_memdup2 (&v[1].bits, sizeof v[1].bits),
                       GUINT_TO_POINTER (track));
  return !r->status;
}

static nprof_status
read_tracks (Parquet *p, const Source *main)
{
  static const char *const columns[]
      = { "input", "track", "parent", "kind", "key", "label", "sort", NULL };
  static const int types[] = { PQ_BYTE_ARRAY, PQ_INT64,      PQ_INT64, PQ_BYTE_ARRAY,
                               PQ_BYTE_ARRAY, PQ_BYTE_ARRAY, PQ_INT64 };
  g_autoptr (Source) s = own_open_table (p, main, "tracks", columns, types);
  Reading r = { p, s, 0, NPROF_OK };
  if (!s) {
    nprof_log (
        p->host, NPROF_WARNING,
        "tracks.parquet of the same run is not beside it: tracks are made of the labels that "
        "the rows have, and kinds of tracks are not known");
    return NPROF_OK;
  }
  p->numbers = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  nprof_status status = table_each (p, s, take_track, &r);
  return status ? status : r.status;
}

/* Reads the origin: times of the file count from the origin of the run; each input had its own. */
static nprof_status
read_origin (Parquet *p, const Source *main)
{
  static const char *const columns[] = { "input", "origin_unix_ns", NULL };
  static const int types[] = { PQ_BYTE_ARRAY, PQ_INT64 };
  const char *text = pq_pair (main->footer, "nprof.origin_unix_ns");
  gint64 of_run = NPROF_NO_EPOCH;
  if (text && g_ascii_string_to_signed (text, 10, G_MININT64 + 1, G_MAXINT64, &of_run, NULL))
    p->origin = of_run;
  g_autoptr (Source) s = own_open_table (p, main, "inputs", columns, types);
  Reading r = { p, s, of_run, NPROF_OK };
  nprof_status status = s ? table_each (p, s, take_origin, &r) : NPROF_OK;
  if (status || r.origin == NPROF_NO_EPOCH || of_run == NPROF_NO_EPOCH)
    p->origin = status || s ? r.origin : of_run;
  else {
    p->base = ((__int128) r.origin - of_run) * 1000;
    p->origin = r.origin;
  }
  return status;
}

nprof_status
own_begin (Parquet *p)
{
  const struct nprof_input_info *input = p->host->input (p->host, p->host->own_input);
  const Source *s = p->sources->len ? p->sources->pdata[0] : p->tables->pdata[0];
  guint profile = input->profile, n = p->profiles->len - 1;
  if (n > 1 && profile < n) {
    const struct nprof_profile *own = p->profiles->pdata[profile];
    p->label = own->label ? nprof_intern (p->host, own->label) : 0;
  }
  set_properties (p, p->inputs ? p->inputs : s, profile);
  if (!p->sources->len)
    return NPROF_OK;
  nprof_status status = read_origin (p, s);
  if (!status)
    status = p->host->origin (p->host, p->origin);
  return status ? status : read_tracks (p, s);
}
