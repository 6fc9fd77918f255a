/* SPDX-License-Identifier: Apache-2.0 */
/* profile.c - opens a store for SQL: numbers its blocks, and looks up once what rows have in
 * common. */
#include "sql/profile.h"

#include "base/error.h"

#include <string.h>

NpSqlText
np_sql_string (NpSqlProfile *p, guint32 string)
{
  NpSqlText t = { NULL, 0, string };
  if (string)
    t.text = nprof_store_string (p->store, string, &t.len);
  return t;
}

static NpSqlText
constant (const char *text)
{
  return (NpSqlText){ text, strlen (text), 0 };
}

/* Returns a text that is never unknown: string 0 is the empty text. */
static NpSqlText
text_of (NpSqlProfile *p, guint32 string)
{
  return string ? np_sql_string (p, string) : constant ("");
}

/* -- Lanes ----------------------------------------------------------------------------- */

static const struct nprof_store_track *
track_numbered (NpSqlProfile *p, guint32 number)
{
  guint32 index = number ? nprof_store_track_of (p->store, number) : UINT32_MAX;
  return index == UINT32_MAX ? NULL : nprof_store_track_at (p->store, index);
}

static NpSqlText
label_of (NpSqlProfile *p, const struct nprof_store_track *track)
{
  return text_of (p, track->label ? track->label : track->key);
}

/* Returns the nearest process or device, the track itself included. */
static NpSqlText
process_of (NpSqlProfile *p, const struct nprof_store_track *track)
{
  guint32 left = 64; /* a damaged store may have tracks in a circle */
  for (; track && left; track = track_numbered (p, track->parent), left--)
    if (track->kind == NPROF_TRACK_PROCESS || track->kind == NPROF_TRACK_DEVICE)
      return label_of (p, track);
  return (NpSqlText){ 0 };
}

static bool
load_lane (NpSqlProfile *p, guint32 number)
{
  static const char *const kinds[]
      = { "span", "span", "instant", "counter", "flow", "gap", "fact" };
  const struct nprof_store_lane *lane = nprof_store_lane_at (p->store, number);
  const struct nprof_store_track *track = lane ? track_numbered (p, lane->track) : NULL;
  const struct nprof_store_input *input
      = track ? nprof_store_input_at (p->store, track->input) : NULL;
  if (!input || lane->type >= NPROF_STORE_LANE_TYPES)
    return false;
  NpSqlLane *to = p->lanes + number;
  *to = (NpSqlLane){ .rows = lane->rows,
                     .first_block = p->n_blocks,
                     .track = lane->track,
                     .depth = lane->depth,
                     .type = lane->type,
                     .input = text_of (p, input->label),
                     .process = process_of (p, track),
                     .thread = label_of (p, track),
                     .kind = constant (kinds[lane->type]),
                     .timed = lane->type != NPROF_STORE_LANE_FACT,
                     .ended = lane->type != NPROF_STORE_LANE_UNCLOSED };
  to->kind.string
      = 1 + NPROF_STORE_LANE_TYPES + (lane->type ? lane->type : NPROF_STORE_LANE_UNCLOSED);
  p->n_blocks += (lane->rows + NP_SQL_ROWS - 1) / NP_SQL_ROWS;
  return true;
}

static bool
load_lanes (NpSqlProfile *p)
{
  p->n_lanes = (guint32) nprof_store_n (p->store, NPROF_STORE_S_LANES);
  p->lanes = g_new0 (NpSqlLane, p->n_lanes + 1);
  guint64 rows = 0;
  for (guint32 k = 0; k < p->n_lanes; k++) {
    if (!load_lane (p, k) || (rows += p->lanes[k].rows) > nprof_store_meta (p->store)->rows)
      return false;
  }
  p->blocks = g_new0 (const struct nprof_store_block *, p->n_blocks + 1);
  p->lane_of = g_new (guint32, p->n_blocks + 1);
  for (guint32 k = 0; k < p->n_lanes; k++)
    for (guint32 b = 0; b * NP_SQL_ROWS < p->lanes[k].rows; b++)
      p->lane_of[p->lanes[k].first_block + b] = k;
  return true;
}

static bool
load_labels (NpSqlProfile *p)
{
  p->n_labels = (guint32) nprof_store_n (p->store, NPROF_STORE_S_LABELS);
  p->names = g_new0 (NpSqlText, p->n_labels + 1);
  p->categories = g_new0 (NpSqlText, p->n_labels + 1);
  for (guint32 k = 0; k < p->n_labels; k++) {
    const struct nprof_store_label *label = nprof_store_label_at (p->store, k);
    if (!label)
      return false;
    p->names[k] = text_of (p, label->name);
    p->categories[k] = np_sql_string (p, label->category);
  }
  return true;
}

/* -- Columns ----------------------------------------------------------------------------- */

static bool
load_columns (NpSqlProfile *p)
{
  guint64 n = nprof_store_n (p->store, NPROF_STORE_S_ATTRIBUTES);
  p->columns = g_array_new (FALSE, TRUE, sizeof (NpSqlColumn));
  p->by_key = g_hash_table_new (NULL, NULL);
  for (guint32 k = 0; k < n; k++) {
    const struct nprof_store_attribute *a = nprof_store_attribute_at (p->store, k);
    if (!a)
      return false;
    if (g_hash_table_contains (p->by_key, GUINT_TO_POINTER (a->key)))
      continue;
    NpSqlColumn column
        = { .name = g_strdup (text_of (p, a->name).text), .key = a->key, .type = a->type };
    g_array_append_val (p->columns, column);
    g_hash_table_insert (p->by_key, GUINT_TO_POINTER (a->key), GUINT_TO_POINTER (p->columns->len));
  }
  return true;
}

static void
mark (NpSqlProfile *p, guint32 key)
{
  guint column = GPOINTER_TO_UINT (g_hash_table_lookup (p->by_key, GUINT_TO_POINTER (key)));
  if (column)
    g_array_index (p->columns, NpSqlColumn, column - 1).any = true;
}

/* Notes which columns have a value somewhere. */
static bool
load_keys (NpSqlProfile *p)
{
  for (guint32 k = 0; k < nprof_store_n (p->store, NPROF_STORE_S_KEYS); k++) {
    const struct nprof_store_key *key = nprof_store_key_at (p->store, k);
    if (!key)
      return false;
    mark (p, key->key);
  }
  for (guint32 k = 0; k < nprof_store_n (p->store, NPROF_STORE_S_SETS); k++) {
    const struct nprof_store_value *values;
    guint32 n;
    if (!nprof_store_set (&p->query, k, &values, &n))
      return false;
    for (guint32 i = 0; i < n; i++)
      mark (p, values[i].key);
  }
  p->shapes = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_set_size (p->shapes, (int) nprof_store_n (p->store, NPROF_STORE_S_SHAPES));
  return true;
}

/* -- Life --------------------------------------------------------------------------------- */

NpSqlProfile *
np_sql_profile_open (struct nprof_store *store, NpSqlSay say, gpointer user, GError **error)
{
  char why[700];
  NpSqlProfile *p = g_new0 (NpSqlProfile, 1);
  p->store = store;
  p->say = say;
  p->user = user;
  p->origin_ns = nprof_store_meta (store)->origin_unix_ns;
  if (nprof_query_init (&p->query, store) && load_lanes (p) && load_labels (p) && load_columns (p)
      && load_keys (p) && !nprof_store_damage (store, why, sizeof why))
    return p;
  if (nprof_store_damage (store, why, sizeof why))
    np_error_set (error, NP_EXIT_INPUT, "%s", why);
  else
    np_error_set (
        error, NP_EXIT_INPUT, "%s",
        *p->query.error
            ? p->query.error
            : "the index of the store is damaged: read the profile again from its source");
  np_sql_profile_free (p);
  return NULL;
}

void
np_sql_profile_free (NpSqlProfile *p)
{
  if (!p)
    return;
  for (guint k = 0; p->columns && k < p->columns->len; k++)
    g_free (g_array_index (p->columns, NpSqlColumn, k).name);
  g_clear_pointer (&p->columns, g_array_unref);
  if (p->empty)
    g_string_free (p->empty, TRUE);
  g_clear_pointer (&p->by_key, g_hash_table_unref);
  g_clear_pointer (&p->shapes, g_ptr_array_unref);
  nprof_query_clear (&p->query);
  g_free (p->lanes);
  g_free (p->blocks);
  g_free (p->lane_of);
  g_free (p->names);
  g_free (p->categories);
  g_free (p);
}

/* -- Rows ---------------------------------------------------------------------------------- */

const struct nprof_store_block *
np_sql_block (NpSqlProfile *p, guint32 number)
{
  const struct nprof_store_block *block = p->blocks[number];
  if (block)
    return block;
  guint32 lane = p->lane_of[number];
  block = nprof_store_rows (&p->query, lane, number - p->lanes[lane].first_block);
  return p->blocks[number] = block;
}

bool
np_sql_row (NpSqlProfile *p, gint64 rowid, NpSqlRow *row)
{
  if (rowid < 0 || (guint64) rowid / NP_SQL_ROWS >= p->n_blocks)
    return false;
  guint32 number = (guint32) ((guint64) rowid / NP_SQL_ROWS);
  *row
      = (NpSqlRow){ np_sql_block (p, number), p->lane_of[number], (guint32) (rowid % NP_SQL_ROWS) };
  return row->block && row->i < row->block->n;
}

gint64
np_sql_rowid (const NpSqlProfile *p, struct nprof_row row)
{
  return (gint64) p->lanes[row.lane].first_block * NP_SQL_ROWS + row.row;
}

bool
np_sql_event (NpSqlProfile *p, const NpSqlRow *row, struct nprof_event *event)
{
  return nprof_store_event (&p->query, (struct nprof_row){ row->lane, row->block->first + row->i },
                            event);
}
