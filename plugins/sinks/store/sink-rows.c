/* SPDX-License-Identifier: Apache-2.0 */
/* sink-rows.c - turns rows of batches into rows of the store. Each handle of the run (a name, a
 * key, a track) leads to its number of the store by an array, so that a row costs no search. */
#include "progress.h"

#include <string.h>

static gpointer
slot_of (GArray *array, guint index, gsize size)
{
  if (G_UNLIKELY (index >= array->len))
    g_array_set_size (array, MAX (index + 1, array->len * 2));
  return array->data + index * size;
}

/* The element of the array, which grows by zeros until it has it. */
#define SLOT(type, array, index) ((type *) slot_of (array, index, sizeof (type)))

/* Returns the elements, at least n. */
static gpointer
room_for (GArray *array, guint n)
{
  if (G_UNLIKELY (n > array->len))
    g_array_set_size (array, n);
  return array->data;
}

static guint32
new_string (struct store_sink *self, nprof_str str)
{
  size_t len;
  const char *text = self->host->string (self->host, str, &len);
  return str ? store_writer_string (self->writer, text, len) + 1 : 1;
}

guint32
store_string (struct store_sink *self, nprof_str str)
{
  guint32 *number = SLOT (guint32, self->strings, str);
  if (G_UNLIKELY (!*number))
    *number = new_string (self, str);
  return *number - 1;
}

guint32
store_text_string (struct store_sink *self, const char *text, gssize len)
{
  return text ? store_string (self, self->host->intern (self->host, text,
                                                        len < 0 ? strlen (text) : (gsize) len))
              : 0;
}

/* -- Values --------------------------------------------------------------------------- */

static guint64
value_of (struct store_sink *self, guint type, const nprof_value *value, const char *bytes)
{
  if (type == NPROF_STRING)
    return store_string (self, value->s);
  if (type == NPROF_TEXT || type == NPROF_JSON || type == NPROF_ID128)
    return store_writer_text (self->writer, bytes + value->bytes.at, value->bytes.len);
  return value->u;
}

/* Skips types of later releases, and counts them. */
static gboolean
is_known (struct store_sink *self, guint type)
{
  gboolean known = type != NPROF_NULL && type <= NPROF_ID128;
  self->unknown_values += !known;
  return known;
}

static inline void
note_source (struct store_sink *self, nprof_str key, guint type, const nprof_value *value)
{
  if (key == self->key_source && type == NPROF_STRING)
    store_source_seen (self, value->s, self->sources);
  else if (key == self->key_stack && type == NPROF_STRING)
    store_source_seen (self, value->s, self->stacks);
}

static guint32
set_of (struct store_sink *self, nprof_set set)
{
  guint32 *number = SLOT (guint32, self->sets, set);
  if (!set || *number)
    return set ? *number - 1 : 0;
  const struct nprof_attrs *attrs = self->host->attr_set (self->host, set);
  g_autofree struct nprof_store_value *values = g_new0 (struct nprof_store_value, attrs->n + 1);
  guint n = 0;
  for (guint k = 0; k < attrs->n; k++)
    if (is_known (self, attrs->type[k])) {
      note_source (self, attrs->key[k], attrs->type[k], attrs->value + k);
      values[n++] = (struct nprof_store_value){
        .key = store_string (self, attrs->key[k]),
        .type = attrs->type[k],
        .value = value_of (self, attrs->type[k], attrs->value + k, attrs->bytes),
      };
    }
  guint32 fresh = store_writer_set (self->writer, values, n);
  *SLOT (guint32, self->sets, set) = fresh + 1;
  return fresh;
}

/* Returns a key; equal keys of one row are told apart by `repeat`. */
static guint32
key_of (struct store_sink *self, nprof_str key, guint type)
{
  struct store_attr_key *numbers = SLOT (struct store_attr_key, self->keys, key);
  if (!numbers->by_type[type]) {
    guint32 fresh = store_writer_key (self->writer, store_string (self, key), type, 0);
    numbers->by_type[type] = fresh + 1;
  }
  guint32 number = numbers->by_type[type] - 1;
  for (guint repeat = 1; number != G_MAXUINT32; repeat++) {
    guint64 *seen = SLOT (guint64, self->seen, number);
    if (*seen != self->ordinal + 1) {
      *seen = self->ordinal + 1;
      return number;
    }
    number = store_writer_key (self->writer, store_string (self, key), type, repeat);
  }
  return number;
}

static gboolean
take_attributes (struct store_sink *self, const struct nprof_batch *b, guint i,
                 struct store_row *row)
{
  guint from = b->attr_at ? b->attr_at[i] : 0, to = b->attr_at ? b->attr_at[i + 1] : 0;
  row->set = b->shared ? set_of (self, b->shared[i]) : 0;
  if (from == to)
    return TRUE;
  guint16 *keys = room_for (self->row_keys, to - from);
  guint64 *values = room_for (self->row_values, to - from);
  guint n = 0;
  for (guint k = from; k < to; k++) {
    guint type = b->attr_type[k];
    if (!is_known (self, type))
      continue;
    guint32 key = key_of (self, b->attr_key[k], type);
    if (key == G_MAXUINT32)
      return FALSE;
    note_source (self, b->attr_key[k], type, b->attr_value + k);
    keys[n] = (guint16) key;
    values[n++] = value_of (self, type, b->attr_value + k, b->bytes);
  }
  row->shape = store_writer_shape (self->writer, keys, n);
  row->attrs = values;
  return TRUE;
}

/* -- Where it belongs ------------------------------------------------------------------- */

static struct store_line *
new_line (struct store_sink *self, nprof_track track, guint32 origin)
{
  const struct nprof_track_info *info = self->host->track_info (self->host, track);
  return store_writer_line (self->writer, info->number, info->input, origin,
                            info->kind != NPROF_TRACK_ASYNC && info->kind != NPROF_TRACK_QUEUE);
}

static struct store_line *
line_of (struct store_sink *self, nprof_track track, guint32 origin)
{
  if (!origin) {
    struct store_line **line = SLOT (struct store_line *, self->lines, track);
    if (!*line)
      *line = new_line (self, track, 0);
    return *line;
  }
  guint64 key = (guint64) track << 32 | origin;
  struct store_line *line = g_hash_table_lookup (self->derived, &key);
  if (!line && (line = new_line (self, track, origin)))
    g_hash_table_insert (self->derived, g_memdup2 (&key, sizeof key), line);
  return line;
}

/* A name has one category most often: the last one is kept with the name. */
static guint32
label_of (struct store_sink *self, nprof_str name, nprof_str category)
{
  struct store_name_label *last = SLOT (struct store_name_label, self->labels, name);
  if (G_UNLIKELY (!last->label || last->category != category)) {
    guint32 n = store_string (self, name), c = category ? store_string (self, category) : 0;
    last->label = store_writer_label (self->writer, n, c) + 1;
    last->category = category;
  }
  return last->label - 1;
}

static gboolean
has_value (const struct nprof_batch *b, guint i)
{
  return b->value && b->value_valid[i >> 3] >> (i & 7) & 1;
}

nprof_status
store_rows_consume (struct store_sink *self, const struct nprof_batch *b)
{
  guint32 origin = NPROF_KNOWS (b, origin) ? b->origin : 0;
  for (guint i = 0; i < b->n_rows; i++) {
    if (b->kind[i] > NPROF_GAP) { /* of a later release */
      self->unknown_rows++;
      continue;
    }
    struct store_line *line = line_of (self, b->track[i], origin);
    gboolean timed = b->kind[i] != NPROF_FACT, valued = has_value (b, i);
    struct store_row row = {
      .start = timed ? b->start[i] : 0,
      .duration = timed ? b->duration[i] : 0,
      .kind = b->kind[i],
      .label = label_of (self, b->name[i], b->category[i]),
      .ordinal = self->ordinal,
      .id = b->id ? b->id[i] : 0,
      .parent = b->parent ? b->parent[i] : 0,
      .flow = b->flow ? b->flow[i] : 0,
      .value = valued ? b->value[i] : 0,
      .has_value = valued,
    };
    if (!line || !take_attributes (self, b, i, &row)
        || !store_writer_row (self->writer, line, &row))
      return store_failed (self);
    if (self->strips && timed)
      store_progress_row (self->strips, b->track[i], row.start, row.duration);
    self->ordinal++;
  }
  return !self->strips || store_progress_tell (self->strips, self) ? NPROF_OK : store_failed (self);
}
