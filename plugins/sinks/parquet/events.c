/* SPDX-License-Identifier: Apache-2.0 */
/* events.c - rows as columns: base columns a batch at a time, attributes a row at a time. */
#include "events.h"

#include <nprof/rest.h>

enum { INPUT, START, DURATION, TIME, TRACK, PROCESS, THREAD, KIND, CATEGORY, NAME, VALUE, ID };
enum { PARENT = ID + 1, FLOW, N_BASE };

#define NO_LEAF G_MAXUINT

static const struct {
  const char *name;
  enum pq_kind kind;
  const char *unit, *help;
} base[N_BASE] = {
  [INPUT] = { "input", PQ_TEXT, "", "label of the input" },
  [START] = { "start_ps", PQ_INT64, "ps", "from the origin of the run" },
  [DURATION] = { "duration_ps", PQ_INT64, "ps", "null: no end in the file" },
  [TIME] = { "time", PQ_TIMESTAMP_NS, "ns", "start, absolute; rounded down to ns" },
  [TRACK] = { "track", PQ_UINT32, "", "number of the track, see table tracks" },
  [PROCESS] = { "process", PQ_TEXT, "", "label of its process or device" },
  [THREAD] = { "thread", PQ_TEXT, "", "label of the track" },
  [KIND] = { "kind", PQ_TEXT, "", "span, instant, counter, flow, fact, gap" },
  [CATEGORY] = { "category", PQ_TEXT, "", "" },
  [NAME] = { "name", PQ_TEXT, "", "" },
  [VALUE] = { "value", PQ_DOUBLE, "", "of a counter" },
  [ID] = { "id", PQ_UINT64, "", "unique within the input" },
  [PARENT] = { "parent", PQ_UINT64, "", "id of the row that it belongs to" },
  [FLOW] = { "flow", PQ_UINT64, "", "joins the ends of an arrow" },
};

static const char *const kinds[] = { "span", "instant", "counter", "flow", "fact", "gap" };

/* What all rows of a track share; number 0: not looked up yet. */
struct events_track {
  guint32 number;
  gboolean in_process;
  nprof_str process, thread;
};

/* -- Columns --------------------------------------------------------------- */

static void
add_columns (struct events *e)
{
  e->columns = sheet_columns_new ();
  for (guint c = 0; c < N_BASE; c++)
    e->first_base[c] = c == TIME && e->origin_ns == NPROF_NO_EPOCH
                           ? NO_LEAF
                           : sheet_columns_add_kind (e->columns, base[c].name, base[c].kind,
                                                     base[c].unit, base[c].help);
  e->attrs = e->columns->len;
  for (guint c = 0; c < e->spread.n_columns; c++) {
    const struct nprof_column *column = e->spread.columns[c];
    sheet_columns_add (e->columns, column->name, column->type, column->unit, column->help);
  }
  e->map = sheet_columns_add_kind (e->columns, "attributes", PQ_MAP_KEY, "",
                                   "what has no column; values are JSON");
  const char *name = g_array_index (e->columns, struct sheet_column, e->map).name;
  sheet_columns_add_kind (e->columns, name, PQ_MAP_VALUE, "", "");
}

/* The epoch is known from the first row on. */
static void
begin (struct events *e)
{
  if (e->columns)
    return;
  e->origin_ns = e->host->run (e->host)->origin_unix_ns;
  add_columns (e);
  e->sorting[0] = (struct pq_sorting){ e->first_base[e->by_track ? TRACK : START], false };
  e->sorting[1] = (struct pq_sorting){ e->first_base[START], false };
  e->sorting[2] = (struct pq_sorting){ e->first_base[DURATION], true };
  e->partition.columns = e->columns;
  e->partition.sorting = e->sorting;
}

nprof_status
events_open (struct events *e)
{
  partition_init (&e->partition);
  e->tracks = g_array_new (FALSE, TRUE, sizeof (struct events_track));
  for (guint k = 0; k < G_N_ELEMENTS (e->kinds); k++)
    e->kinds[k] = nprof_intern (e->host, k < G_N_ELEMENTS (kinds) ? kinds[k] : "unknown");
  if (nprof_spread_init (&e->spread, e->host, e->host->columns (e->host)))
    return nprof_fail (e->host, NPROF_E_NOMEM, "events.parquet: no memory for its columns");
  return NPROF_OK;
}

void
events_clear (struct events *e)
{
  partition_clear (&e->partition);
  nprof_spread_clear (&e->spread);
  nprof_buf_clear (&e->json);
  g_clear_pointer (&e->columns, g_array_unref);
  g_clear_pointer (&e->tracks, g_array_unref);
}

static const struct events_track *
look_up_track (struct events *e, nprof_track handle)
{
  const struct nprof_host *host = e->host;
  if (handle >= e->tracks->len)
    g_array_set_size (e->tracks, MAX (handle + 1, e->tracks->len * 2));
  struct events_track *track = &g_array_index (e->tracks, struct events_track, handle);
  const struct nprof_track_info *info = track->number ? NULL : host->track_info (host, handle);
  if (!info)
    return track;
  track->number = info->number;
  track->thread = nprof_track_label (info);
  track->in_process = info->process != 0;
  if (info->process)
    track->process = nprof_track_label (host->track_info (host, info->process));
  return track;
}

/* -- Base columns ---------------------------------------------------------- */

/* Some rows of a batch, which follow each other in a row group. */
struct slice {
  struct events *e;
  struct sheet *sheet;
  const struct nprof_batch *b;
  guint from, n;
  guint64 group;
};

static void *
all_rows (const struct slice *s, guint leaf)
{
  return pq_values_add_all (sheet_leaf (s->sheet, leaf), s->sheet->writer.n_rows, s->n);
}

static void *
one_row (const struct slice *s, guint leaf, guint i)
{
  return pq_values_add (sheet_leaf (s->sheet, leaf), s->sheet->writer.n_rows + (i - s->from));
}

static void
put_input (const struct slice *s)
{
  nprof_str *to = all_rows (s, s->e->first_base[INPUT]);
  nprof_str label = s->e->host->input (s->e->host, s->b->input)->label;
  for (guint k = 0; to && k < s->n; k++)
    to[k] = label;
}

/* Rounded down; what lies beyond the type's range (year 2262) has no time. */
static void
put_time (const struct slice *s, guint i)
{
  gint64 start = s->b->start[i], ns = start / 1000 - (start % 1000 < 0), sum;
  if (__builtin_add_overflow (s->e->origin_ns, ns, &sum))
    return;
  gint64 *to = one_row (s, s->e->first_base[TIME], i);
  if (to)
    *to = sum;
}

/* Times of a fact mean nothing. */
static void
put_times (const struct slice *s)
{
  for (guint i = s->from; i < s->from + s->n; i++) {
    if (s->b->kind[i] == NPROF_FACT)
      continue;
    gint64 *start = one_row (s, s->e->first_base[START], i);
    gint64 *duration = s->b->duration[i] >= 0 ? one_row (s, s->e->first_base[DURATION], i) : NULL;
    if (start)
      *start = s->b->start[i];
    if (duration)
      *duration = s->b->duration[i];
    if (s->e->first_base[TIME] != NO_LEAF)
      put_time (s, i);
  }
}

static void
put_tracks (const struct slice *s)
{
  guint32 *number = all_rows (s, s->e->first_base[TRACK]);
  nprof_str *thread = all_rows (s, s->e->first_base[THREAD]);
  for (guint k = 0; number && thread && k < s->n; k++) {
    const struct events_track *track = look_up_track (s->e, s->b->track[s->from + k]);
    number[k] = track->number;
    thread[k] = track->thread;
    nprof_str *process
        = track->in_process ? one_row (s, s->e->first_base[PROCESS], s->from + k) : NULL;
    if (process)
      *process = track->process;
  }
}

static void
put_names (const struct slice *s)
{
  nprof_str *name = all_rows (s, s->e->first_base[NAME]);
  nprof_str *kind = all_rows (s, s->e->first_base[KIND]);
  for (guint k = 0; name && kind && k < s->n; k++) {
    guint i = s->from + k;
    name[k] = s->b->name[i];
    kind[k] = s->e->kinds[MIN (s->b->kind[i], G_N_ELEMENTS (kinds))];
    nprof_str *category = s->b->category[i] ? one_row (s, s->e->first_base[CATEGORY], i) : NULL;
    if (category)
      *category = s->b->category[i];
  }
}

static void
put_numbers (const struct slice *s, const guint64 *from, guint leaf)
{
  for (guint i = s->from; from && i < s->from + s->n; i++) {
    guint64 *to = from[i] ? one_row (s, leaf, i) : NULL;
    if (to)
      *to = from[i];
  }
}

static void
put_values (const struct slice *s)
{
  for (guint i = s->from; s->b->value && i < s->from + s->n; i++) {
    gboolean valid = s->b->value_valid[i >> 3] >> (i & 7) & 1;
    double *to = valid ? one_row (s, s->e->first_base[VALUE], i) : NULL;
    if (to)
      *to = s->b->value[i];
  }
}

/* -- Attributes ------------------------------------------------------------ */

static void
put_field (struct sheet *sheet, guint leaf, const struct nprof_field *f)
{
  const nprof_value *v = &f->value;
  enum pq_kind kind = sheet_leaf (sheet, leaf)->kind;
  switch (f->type) {
  case NPROF_INT64:
  case NPROF_UINT64:
  case NPROF_DOUBLE:
    sheet_put_64 (sheet, leaf, v->u);
    break;
  case NPROF_BOOL:
    sheet_put_bool (sheet, leaf, v->u != 0);
    break;
  case NPROF_STRING:
    sheet_put_str (sheet, leaf, v->s);
    break;
  case NPROF_TEXT:
  case NPROF_JSON:
    sheet_put_text (sheet, leaf, f->bytes + v->bytes.at, v->bytes.len);
    break;
  case NPROF_ID128:
    if (kind == PQ_UUID)
      sheet_put_uuid (sheet, leaf, f->bytes + v->bytes.at);
    break;
  }
}

/* A column of text takes values of any type. */
static void
put_as_text (struct events *e, struct sheet *sheet, guint leaf, const struct nprof_field *f)
{
  e->json.len = 0;
  rest_put_plain (&e->json, f);
  sheet_put_text (sheet, leaf, e->json.data, e->json.len);
}

static gboolean
is_text (guint type)
{
  return type == NPROF_STRING || type == NPROF_TEXT || type == NPROF_JSON;
}

static void
put_attributes (struct events *e, struct sheet *sheet)
{
  for (guint k = 0; k < e->spread.n_used; k++) {
    guint c = e->spread.used[k];
    const struct nprof_field *f = e->spread.field + c;
    if (f->type == NPROF_NULL)
      continue;
    if (sheet_leaf (sheet, e->attrs + c)->kind == PQ_TEXT && !is_text (f->type))
      put_as_text (e, sheet, e->attrs + c, f);
    else
      put_field (sheet, e->attrs + c, f);
  }
}

/* A ref for the value's JSON, of the map's column of values. */
static guint32
rest_text (struct events *e, const struct slice *s, const struct nprof_field *f)
{
  struct rest_known *known = rest_look (&e->memo, f, s->b->bytes, s->group);
  if (known && known->group) {
    pq_values_again (sheet_leaf (s->sheet, e->map + 1), known->ref);
    return known->ref;
  }
  e->json.len = 0;
  nprof_put_json_field (&e->json, e->host, f, 0);
  guint32 ref = sheet_own_text (s->sheet, e->map + 1, e->json.data, e->json.len);
  if (known) {
    known->group = s->group;
    known->ref = ref;
  }
  return ref;
}

static void
put_rest (struct events *e, const struct slice *s)
{
  gsize row = s->sheet->writer.n_rows;
  for (guint k = 0; k < e->spread.n_rest; k++) {
    const struct nprof_field *f = e->spread.rest + k;
    if (f->type == NPROF_NULL)
      continue;
    guint32 text = rest_text (e, s, f);
    guint32 *key = pq_values_add_entry (sheet_leaf (s->sheet, e->map), row);
    guint32 *value = pq_values_add_entry (sheet_leaf (s->sheet, e->map + 1), row);
    if (!key || !value)
      return;
    *key = f->key;
    *value = text;
  }
}

/* -- Rows ------------------------------------------------------------------ */

/* How many of the columns that the file may be sorted by the rows keep to. */
static void
check_order (struct events *e, struct part *part, const struct slice *s)
{
  guint32 *n_sorting = &part->sheet.writer.n_sorting, all = e->by_track ? 3 : 1;
  if (*n_sorting == G_MAXUINT32) {
    *n_sorting = all;
    part->start = part->duration = G_MININT64;
    part->track = 0;
  }
  for (guint i = s->from; *n_sorting && i < s->from + s->n; i++) {
    gint64 start = s->b->start[i], duration = s->b->duration[i];
    guint32 track = e->by_track ? look_up_track (e, s->b->track[i])->number : 0;
    gboolean later = track > part->track || start > part->start;
    gboolean same = track == part->track && start == part->start
                    && (!e->by_track || duration <= part->duration);
    if (s->b->kind[i] == NPROF_FACT || track < part->track
        || (track == part->track && start < part->start) || !(later || same))
      *n_sorting = 0;
    part->track = track;
    part->start = start;
    part->duration = duration;
  }
}

static nprof_status
put_slice (struct events *e, struct part *part, const struct slice *s)
{
  check_order (e, part, s);
  put_input (s);
  put_times (s);
  put_tracks (s);
  put_names (s);
  put_values (s);
  put_numbers (s, s->b->id, e->first_base[ID]);
  put_numbers (s, s->b->parent, e->first_base[PARENT]);
  put_numbers (s, s->b->flow, e->first_base[FLOW]);
  for (guint i = s->from; i < s->from + s->n; i++) {
    if (nprof_spread_row (&e->spread, s->b, i) != NPROF_OK || e->json.failed)
      return nprof_fail (e->host, NPROF_E_NOMEM,
                         "events.parquet: no memory for the attributes of a row");
    put_attributes (e, s->sheet);
    put_rest (e, s);
    s->sheet->writer.n_rows++;
  }
  return s->sheet->writer.n_rows % SHEET_ROWS ? NPROF_OK : partition_look (&e->partition, part);
}

nprof_status
events_consume (struct events *e, const struct nprof_batch *b)
{
  struct part *part;
  begin (e);
  nprof_status status = partition_of (&e->partition, b->input, &part);
  for (guint i = 0; i < b->n_rows && status == NPROF_OK;) {
    guint room = SHEET_ROWS - part->sheet.writer.n_rows % SHEET_ROWS;
    if (!part->sheet.writer.n_rows)
      part->group = ++e->n_groups;
    struct slice s = { e, &part->sheet, b, i, MIN (room, b->n_rows - i), part->group };
    status = put_slice (e, part, &s);
    i += s.n;
  }
  return status;
}

nprof_status
events_finish (struct events *e)
{
  begin (e);
  nprof_spread_tell (&e->spread, "events.parquet");
  return partition_end (&e->partition);
}
