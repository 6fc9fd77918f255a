/* SPDX-License-Identifier: Apache-2.0 */
/* ask-event.c - answers route e: all that is known of one row; and routes rank and overlaps, for
 * what a click on a row of a large profile does not wait for. */

#include "ask.h"
#include "row-kin.h"
#include "stored/cells.h"
#include "system/type-name.h"

#include <nprof/keys.h>
#include <producers/source-place.h>
#include <string.h>

#define MOST 100           /* of each list; its total counts all */
#define RANKED_AT_ONCE 200 /* lists of 4,096 rows in which the name is */
#define BESIDE_AT_ONCE 256 /* lanes of other tracks that have rows at that time */

/* -- Attributes ------------------------------------------------------------------ */

/* Returns what its decoder or analyzer declares of a key and type; NULL: nothing. */
static const struct nprof_store_attribute *
declared (NpAsk *ask, const struct nprof_store_field *f)
{
  const struct nprof_store_attribute *a, *of_key = NULL;
  for (guint32 i = 0; (a = nprof_store_attribute_at (ask->store, i)); i++) {
    if (a->key == f->key && a->type == f->type)
      return a;
    if (a->key == f->key && !of_key)
      of_key = a;
  }
  return of_key;
}

static void
put_value (NpAsk *ask, const struct nprof_store_field *f)
{
  NpJson *j = &ask->json;
  struct nprof_buf hex = { 0 };
  switch (f->type) {
  case NPROF_INT64:
    np_json_i64 (j, "value", f->v.i);
    break;
  case NPROF_UINT64:
    np_json_u64 (j, "value", f->v.u);
    break;
  case NPROF_DOUBLE:
    np_json_double (j, "value", f->v.f);
    break;
  case NPROF_BOOL:
    np_json_bool (j, "value", f->v.u != 0);
    break;
  case NPROF_STRING:
    np_json_text (j, "value", np_ask_string (ask, f->v.s));
    break;
  case NPROF_ID128:
    if (f->len == 16)
      nprof_put_id128 (&hex, f->v.text);
    np_json_text_n (j, "value", hex.data ? hex.data : "", hex.len);
    nprof_buf_clear (&hex);
    break;
  default:
    np_json_text_n (j, "value", f->v.text, f->len);
  }
}

static void
put_attributes (NpAsk *ask, const struct nprof_store_field *fields, guint32 n)
{
  NpJson *j = &ask->json;
  np_json_array (j, "attributes");
  for (guint32 i = 0; i < n; i++) {
    const struct nprof_store_attribute *a = declared (ask, &fields[i]);
    const char *key = np_ask_string (ask, fields[i].key);
    np_json_object (j, NULL);
    np_json_text (j, "key", key);
    np_json_text (j, "name", a ? np_ask_string (ask, a->name) : key);
    put_value (ask, &fields[i]);
    np_json_text (j, "type", np_type_name (fields[i].type));
    np_json_text (j, "unit", a ? np_ask_string (ask, a->unit) : "");
    np_json_text (j, "help", a ? np_ask_string (ask, a->help) : "");
    np_json_text (j, "from", fields[i].shared ? "shared" : "row");
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

static const struct nprof_store_field *
find (NpAsk *ask, const struct nprof_store_field *fields, guint32 n, const char *key)
{
  for (guint32 i = n; i-- > 0;)
    if (!strcmp (np_ask_string (ask, fields[i].key), key))
      return &fields[i];
  return NULL;
}

/* Puts a member that is a number or a text of an attribute, as text. */
static void
put_known (NpAsk *ask, const char *member, const struct nprof_store_field *f)
{
  if (f && f->type == NPROF_INT64)
    np_json_i64 (&ask->json, member, f->v.i);
  else if (f && f->type == NPROF_UINT64)
    np_json_u64 (&ask->json, member, f->v.u);
  else if (f && f->type == NPROF_STRING)
    np_json_text (&ask->json, member, np_ask_string (ask, f->v.s));
  else
    np_json_null (&ask->json, member);
}

/* Puts a file and a line of it, 0 where none is named, with the number of the file in the table. */
static void
put_place (NpAsk *ask, const char *path, guint32 line)
{
  NpJson *j = &ask->json;
  guint32 index = np_source_index (ask, path);
  if (index != G_MAXUINT32)
    np_json_number (j, "index", index);
  else
    np_json_null (j, "index");
  np_json_text (j, "file", path);
  if (line)
    np_json_number (j, "line", line);
  else
    np_json_null (j, "line");
}

/* Puts the frames of a stack, one a line; such as name no line have no place. */
static void
put_stack (NpAsk *ask, const char *stack)
{
  NpJson *j = &ask->json;
  g_auto (GStrv) frames = g_strsplit (stack, "\n", -1);
  np_json_array (j, "stack");
  for (char **frame = frames; *frame; frame++) {
    guint32 line;
    g_autofree char *path = g_strndup (*frame, source_place (*frame, &line));
    if (!**frame)
      continue;
    np_json_object (j, NULL);
    np_json_text (j, "text", *frame);
    put_place (ask, path, line);
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

static void
put_source (NpAsk *ask, const struct nprof_store_field *source,
            const struct nprof_store_field *stack)
{
  NpJson *j = &ask->json;
  const char *text
      = source && source->type == NPROF_STRING ? np_ask_string (ask, source->v.s) : NULL;
  const char *frames = stack && stack->type == NPROF_STRING ? np_ask_string (ask, stack->v.s) : "";
  if (!text || !*text) {
    np_json_null (j, "source");
    return;
  }
  guint32 line;
  g_autofree char *path = g_strndup (text, source_file (text, &line));
  np_json_object (j, "source");
  put_place (ask, path, line);
  put_stack (ask, frames);
  np_json_end_object (j);
}

/* -- Parts ----------------------------------------------------------------------- */

/* Returns whether what overlaps the row on its track is under way beside it, and not in it. */
static gboolean
in_pipeline (const NpAsk *ask, const struct nprof_event *e)
{
  const char *category = np_label_category (ask, e->label);
  return category && meaning_is_pipelined (category);
}

static gboolean
put_times (NpAsk *ask, const struct nprof_event *e)
{
  NpJson *j = &ask->json;
  gboolean ended = e->duration >= 0, span = e->kind == NPROF_SPAN;
  np_json_i64 (j, "start", e->start);
  if (ended)
    np_json_i64 (j, "end", e->start + e->duration);
  else
    np_json_null (j, "end");
  np_json_duration (j, "duration", e);
  if (ended && span)
    np_json_i64 (j, "self", e->duration - (in_pipeline (ask, e) ? 0 : e->child));
  else
    np_json_null (j, "self");
  if (e->has_value)
    np_json_double (j, "value", e->value);
  else
    np_json_null (j, "value");
  return TRUE;
}

static void
put_id (NpJson *j, const char *key, guint64 id)
{
  if (id)
    np_json_u64 (j, key, id);
  else
    np_json_null (j, key);
}

static gboolean
put_path (NpAsk *ask, const struct nprof_event *e)
{
  const struct nprof_row *rows;
  struct nprof_event around;
  uint32_t n;
  if (!nprof_store_enclosing (ask->query, e, &rows, &n))
    return FALSE;
  g_autofree struct nprof_row *copy = g_memdup2 (rows, n * sizeof *rows);
  np_json_array (&ask->json, "path");
  for (guint32 i = 0; i < n; i++) {
    if (!nprof_store_event (ask->query, copy[i], &around))
      return FALSE;
    np_json_object (&ask->json, NULL);
    np_json_row (&ask->json, "row", copy[i].lane, copy[i].row);
    np_json_text (&ask->json, "name", np_label_name (ask, around.label));
    np_json_end_object (&ask->json);
  }
  np_json_end_array (&ask->json);
  return TRUE;
}

static gboolean
put_rank (NpAsk *ask, const struct nprof_event *e)
{
  uint64_t below, count;
  if (!nprof_store_rank (ask->query, e, &below, &count)) {
    np_json_null (&ask->json, "rank");
    return !*ask->query->error;
  }
  np_json_object (&ask->json, "rank");
  np_json_number (&ask->json, "below", below);
  np_json_number (&ask->json, "count", count);
  np_json_double (&ask->json, "percentile", count > 1 ? (double) below / (double) (count - 1) : 0);
  np_json_end_object (&ask->json);
  return TRUE;
}

/* A click waits for no scan of all rows of a frequent name: route rank has it. */
static gboolean
put_rank_of_click (NpAsk *ask, const struct nprof_event *e)
{
  const struct nprof_store_label *l = nprof_store_label_at (ask->store, e->label);
  if (!l || l->n_post <= RANKED_AT_ONCE)
    return put_rank (ask, e);
  np_json_null (&ask->json, "rank");
  np_json_text (&ask->json, "rank_unknown",
                "needs route rank, for rows all over the profile have this name");
  return TRUE;
}

/* Puts the members of a fusion, by table fusion_members. */
static void
put_members (NpAsk *ask, const char *name)
{
  g_auto (NpCells) cells = { 0 };
  NpJson *j = &ask->json;
  np_json_array (j, "members");
  np_ask_cells (ask, &cells, "fusion_members");
  for (guint64 i = 0; i < cells.rows; i++) {
    if (!np_cells_is (&cells, i, "fusion", name))
      continue;
    g_autofree char *member = np_cells_text (&cells, i, "member"),
                    *opcode = np_cells_text (&cells, i, "opcode"),
                    *op = np_cells_text (&cells, i, "framework_op");
    np_json_object (j, NULL);
    np_json_text (j, "name", member ? member : "");
    np_json_text (j, "opcode", opcode);
    np_json_text (j, "framework_op", op);
    np_json_bool (j, "seen", np_cells_is (&cells, i, "seen", "yes"));
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

/* Puts how a fusion came about, by table fusions. */
static void
put_how (NpAsk *ask, const char *name)
{
  g_auto (NpCells) cells = { 0 };
  g_autofree char *how = NULL;
  np_ask_cells (ask, &cells, "fusions");
  for (guint64 i = 0; i < cells.rows && !how; i++)
    if (np_cells_is (&cells, i, "fusion", name))
      how = np_cells_text (&cells, i, "how");
  np_json_text (&ask->json, "how", how);
}

static gboolean
put_link (NpAsk *ask, const struct nprof_event *e, const struct nprof_link *link)
{
  struct nprof_event other;
  gint64 wait;
  NpJson *j = &ask->json;
  if (!nprof_store_event (ask->query, link->row, &other))
    return FALSE;
  const struct nprof_event *first = link->depends ? &other : e,
                           *second = link->depends ? e : &other;
  np_json_object (j, NULL);
  np_json_hit (ask, &other);
  if (__builtin_sub_overflow (second->start, first->start + MAX (first->duration, 0), &wait))
    wait = second->start < first->start ? G_MININT64 : G_MAXINT64;
  np_json_i64 (j, "wait", wait);
  np_json_text (j, "family", np_link_family (link));
  np_json_text (j, "category", np_ask_string (ask, link->category));
  np_json_end_object (j);
  return TRUE;
}

/* The rows that e depends on, or those that need it. */
static gboolean
put_side (NpAsk *ask, const struct nprof_event *e, const struct nprof_link *links, uint32_t n,
          bool depends)
{
  np_json_array (&ask->json, depends ? "depends" : "needed");
  for (uint32_t i = 0; i < n; i++)
    if (links[i].depends == depends && !put_link (ask, e, &links[i]))
      return FALSE;
  np_json_end_array (&ask->json);
  return TRUE;
}

static gboolean
put_links (NpAsk *ask, const struct nprof_event *e)
{
  const struct nprof_link *links;
  uint32_t n;
  uint64_t totals[2];
  if (!nprof_store_links (ask->query, e, MOST, &links, &n, totals))
    return FALSE;
  g_autofree struct nprof_link *copy = g_memdup2 (links, n * sizeof *links);
  if (!put_side (ask, e, copy, n, true) || !put_side (ask, e, copy, n, false))
    return FALSE;
  np_json_number (&ask->json, "depends_total", totals[0]);
  np_json_number (&ask->json, "needed_total", totals[1]);
  return TRUE;
}

/* Returns the tracks (indices) whose rows run beside others, without those around them, such as
 * sections and modules, which repeat their time; transfer full. Empty: all are such. */
static GArray *
tracks_beside (NpAsk *ask)
{
  g_autoptr (NpKins) kins = np_kins_new (ask);
  GArray *tracks = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint32 i = 0; i < nprof_store_n (ask->store, NPROF_STORE_S_TRACKS); i++)
    if (!np_track_is_around (kins, i))
      g_array_append_val (tracks, i);
  return tracks;
}

static gboolean
put_overlaps (NpAsk *ask, const struct nprof_event *e)
{
  const struct nprof_overlap *overlaps;
  uint32_t n;
  uint64_t total;
  int64_t sum;
  NpJson *j = &ask->json;
  struct nprof_event other;
  g_autoptr (GArray) tracks = tracks_beside (ask);
  if (!nprof_store_overlaps (ask->query, e, (const guint32 *) (gpointer) tracks->data, tracks->len,
                             MOST, &overlaps, &n, &total, &sum))
    return FALSE;
  g_autofree struct nprof_overlap *copy = g_memdup2 (overlaps, n * sizeof *overlaps);
  np_json_object (j, "overlaps");
  np_json_number (j, "total", total);
  np_json_i64 (j, "sum", sum);
  np_json_array (j, "rows");
  for (guint32 i = 0; i < n; i++) {
    if (!nprof_store_event (ask->query, copy[i].row, &other))
      return FALSE;
    np_json_object (j, NULL);
    np_json_row (j, "row", copy[i].row.lane, copy[i].row.row);
    np_json_text (j, "name", np_label_name (ask, other.label));
    np_json_number (j, "track", np_track_number (ask, other.track));
    np_json_i64 (j, "overlap", copy[i].overlap);
    np_json_end_object (j);
  }
  np_json_end_array (j);
  np_json_end_object (j);
  return TRUE;
}

/* Counts the lanes of other tracks that may have rows at the time of this one. */
static guint64
lanes_beside (NpAsk *ask, const struct nprof_event *e)
{
  guint32 track = np_track_number (ask, e->track);
  const struct nprof_store_lane *l;
  guint64 n = 0;
  for (guint32 i = 0; (l = nprof_store_lane_at (ask->store, i)); i++)
    n += l->type == NPROF_STORE_LANE_SPAN && l->track != track
         && l->first <= e->start + MAX (e->duration, 0) && l->last >= e->start;
  return n;
}

/* A click does not wait until hundreds of lanes were looked at: route overlaps does that. */
static gboolean
put_overlaps_of_click (NpAsk *ask, const struct nprof_event *e)
{
  guint64 lanes = lanes_beside (ask, e);
  if (lanes <= BESIDE_AT_ONCE)
    return put_overlaps (ask, e);
  g_autofree char *why = g_strdup_printf ("needs route overlaps, for %" G_GUINT64_FORMAT
                                          " lanes of other tracks have rows at that time",
                                          lanes);
  np_json_null (&ask->json, "overlaps");
  np_json_text (&ask->json, "overlaps_unknown", why);
  return TRUE;
}

/* Answers with what put() puts of the row that is asked for. */
static gboolean
answer_of_row (NpAsk *ask, gboolean (*put) (NpAsk *ask, const struct nprof_event *e))
{
  struct nprof_event e;
  if (!np_ask_row (ask, "row", &e))
    return FALSE;
  np_json_object (&ask->json, NULL);
  if (!put (ask, &e))
    return FALSE;
  np_json_end_object (&ask->json);
  return TRUE;
}

gboolean
np_ask_rank (NpAsk *ask)
{
  return answer_of_row (ask, put_rank);
}

gboolean
np_ask_overlaps (NpAsk *ask)
{
  return answer_of_row (ask, put_overlaps);
}

static gboolean
put_children (NpAsk *ask, const struct nprof_event *e)
{
  const struct nprof_row *rows;
  uint32_t n;
  uint64_t total;
  NpJson *j = &ask->json;
  if (!nprof_store_children (ask->query, e, MOST, &rows, &n, &total))
    return FALSE;
  np_json_object (j, "children");
  np_json_number (j, "count", total);
  np_json_array (j, "rows");
  for (guint32 i = 0; i < n; i++)
    np_json_row (j, NULL, rows[i].lane, rows[i].row);
  np_json_end_array (j);
  np_json_end_object (j);
  return TRUE;
}

static gboolean
put_neighbours (NpAsk *ask, const struct nprof_event *e)
{
  static const char *const names[] = { "next", "previous" };
  struct nprof_row row;
  bool found;
  for (guint back = 0; back < 2; back++) {
    if (!nprof_store_step (ask->query, e->row, back, &row, &found))
      return FALSE;
    if (found)
      np_json_row (&ask->json, names[back], row.lane, row.row);
    else
      np_json_null (&ask->json, names[back]);
  }
  return TRUE;
}

/* -- All of it ------------------------------------------------------------------- */

static void
put_what (NpAsk *ask, const struct nprof_event *e)
{
  static const char *const kinds[]
      = { [NPROF_SPAN] = "span", [NPROF_INSTANT] = "instant", [NPROF_COUNTER] = "counter",
          [NPROF_FLOW] = "flow", [NPROF_FACT] = "fact",       [NPROF_GAP] = "gap" };
  const struct nprof_store_lane *lane = nprof_store_lane_at (ask->store, e->row.lane);
  const char *origin = lane ? nprof_store_origin (ask->store, lane->origin) : "";
  NpJson *j = &ask->json;
  np_json_row (j, "row", e->row.lane, e->row.row);
  np_json_number (j, "lane", e->row.lane);
  np_json_number (j, "track", np_track_number (ask, e->track));
  np_json_number (j, "depth", e->depth);
  np_json_text (j, "type",
                e->type == NPROF_STORE_LANE_UNCLOSED ? "unclosed"
                : e->kind < G_N_ELEMENTS (kinds)     ? kinds[e->kind]
                                                     : "");
  np_json_text (j, "kind", e->kind < G_N_ELEMENTS (kinds) ? kinds[e->kind] : "");
  np_json_text (j, "name", np_label_name (ask, e->label));
  np_json_text (j, "category", np_label_category (ask, e->label));
  put_times (ask, e);
  put_id (j, "id", e->id);
  put_id (j, "parent", e->parent);
  put_id (j, "flow", e->flow);
  np_json_null (j, "crosses");
  np_json_number (j, "input", e->input);
  np_json_number (j, "ordinal", e->ordinal);
  np_json_text (j, "origin", *origin ? origin : "decoder");
}

gboolean
np_ask_event (NpAsk *ask)
{
  const struct nprof_store_field *fields;
  struct nprof_event e;
  uint32_t n;
  if (!np_ask_row (ask, "row", &e) || !nprof_store_fields (ask->query, &e, true, &fields, &n))
    return FALSE;
  np_json_object (&ask->json, NULL);
  put_what (ask, &e);
  put_attributes (ask, fields,
                  n); /* what belongs to the query is used up before the next question */
  put_known (ask, "step", find (ask, fields, n, NPROF_KEY_STEP));
  put_known (ask, "layer", find (ask, fields, n, NPROF_KEY_LAYER));
  put_source (ask, find (ask, fields, n, NPROF_KEY_SOURCE),
              find (ask, fields, n, NPROF_KEY_SOURCE_STACK));
  put_members (ask, np_label_name (ask, e.label));
  put_how (ask, np_label_name (ask, e.label));
  if (!put_path (ask, &e) || !put_rank_of_click (ask, &e) || !put_links (ask, &e)
      || !put_overlaps_of_click (ask, &e) || !put_children (ask, &e) || !put_neighbours (ask, &e))
    return FALSE;
  np_json_end_object (&ask->json);
  return TRUE;
}
