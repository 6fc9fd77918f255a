/* SPDX-License-Identifier: Apache-2.0 */
/* core-tables.c - what the core knows at the end of a run, as tables: the inputs, their
 * tracks, the facts, and what decoders skipped. */

#include "pipeline/core-tables.h"
#include "rows/table-writer.h"
#include "rows/track-numbers.h"
#include "system/json-writer.h"

#include <nprof/format.h>
#include <nprof/keys.h>
#include <nprof/sdk.h>

static const struct nprof_table inputs_table = {
  .size = sizeof (struct nprof_table),
  .name = "inputs",
  .title = "Inputs",
  .columns = NPROF_COLUMNS (
      NPROF_VALUE_COLUMN (NPROF_TEXT, "decoder", "", "component that read it"),
      NPROF_VALUE_COLUMN (NPROF_TEXT, "version", "", "version that the file states"),
      NPROF_VALUE_COLUMN (NPROF_INT64, "origin_unix_ns", "", "Unix time of time 0, in ns"),
      NPROF_VALUE_COLUMN (NPROF_UINT64, "bytes", "byte", "size, inflated"),
      NPROF_VALUE_COLUMN (NPROF_UINT64, "rows", "", "rows delivered"),
      NPROF_VALUE_COLUMN (NPROF_INT64, "start_ns", "ps", "start of the first row"),
      NPROF_VALUE_COLUMN (NPROF_INT64, "end_ns", "ps", "end of the last row"),
      NPROF_VALUE_COLUMN (NPROF_JSON, "properties", "", "what else the file says of itself")),
};

static const struct nprof_table tracks_table = {
  .size = sizeof (struct nprof_table),
  .name = "tracks",
  .title = "Tracks",
  .columns = NPROF_COLUMNS (
      NPROF_KEY_COLUMN (NPROF_UINT64, "track", "", "number, in order of first delivery"),
      NPROF_VALUE_COLUMN (NPROF_UINT64, "parent", "", "number of the track above"),
      NPROF_VALUE_COLUMN (NPROF_TEXT, "kind", "", "input, host, process, thread, ..."),
      NPROF_VALUE_COLUMN (NPROF_STRING, "key", "", "what identifies it under its parent"),
      NPROF_VALUE_COLUMN (NPROF_STRING, "label", "", "name for people"),
      NPROF_VALUE_COLUMN (NPROF_STRING, "process", "", "label of the nearest process or device"),
      NPROF_VALUE_COLUMN (NPROF_STRING, "thread", "", "its own label"),
      NPROF_VALUE_COLUMN (NPROF_INT64, "sort", "", "order among its siblings"),
      NPROF_VALUE_COLUMN (NPROF_UINT64, "rows", "", "rows delivered")),
};

static const struct nprof_table skipped_table = {
  .size = sizeof (struct nprof_table),
  .name = "skipped",
  .title = "Skipped",
  .columns = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_TEXT, "what", "", "kind of record"),
                            NPROF_VALUE_COLUMN (NPROF_UINT64, "count", "", "how many"),
                            NPROF_VALUE_COLUMN (NPROF_UINT64, "first_byte", "",
                                                "where the first one stands"),
                            NPROF_VALUE_COLUMN (NPROF_TEXT, "reason", "", "why they have no rows")),
};

static const struct nprof_table facts_table = {
  .size = sizeof (struct nprof_table),
  .name = "facts",
  .title = "Facts",
  .columns
  = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_UINT64, "track", "",
                                     "true for the subtree of this track"),
                   NPROF_KEY_COLUMN (NPROF_STRING, "key", "", "a well-known key"),
                   NPROF_VALUE_COLUMN (NPROF_TEXT, "value", "", "as text"),
                   NPROF_VALUE_COLUMN (NPROF_TEXT, "unit", "", "of the value"),
                   NPROF_VALUE_COLUMN (NPROF_STRING, "source", "", "where the file says so")),
};

/* This table is written only when it is asked for, because it costs a look at every row. */
static const struct nprof_table input_steps_table = {
  .size = sizeof (struct nprof_table),
  .name = "input_steps",
  .title = "Steps",
  .columns = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_INT64, "first", "",
                                              "first number of some that follow each other"),
                            NPROF_VALUE_COLUMN (NPROF_INT64, "last", "", "last of them"),
                            NPROF_VALUE_COLUMN (NPROF_UINT64, "count", "", "how many they are")),
};

#define ALWAYS 4 /* of all_tables are announced */
static const struct nprof_table *const all_tables[]
    = { &inputs_table, &tracks_table, &skipped_table, &facts_table, &input_steps_table, NULL };

const struct nprof_table *const *
np_core_tables_list (void)
{
  return all_tables;
}

gboolean
np_core_table_named (const char *name)
{
  for (guint i = 0; all_tables[i]; i++)
    if (g_str_equal (all_tables[i]->name, name))
      return TRUE;
  return FALSE;
}

/* -- Rows on their way ------------------------------------------------------------------------- */

typedef struct {
  NpRun *run;
  NpChunkFn fn;
  gpointer user;
  NpTableWriter writer;
  gboolean ok;
  GError **error; /* set when memory is out */
} Out;

static nprof_status
take_chunk (gpointer user, NpChunk *chunk)
{
  Out *out = user;
  out->ok = out->fn (chunk, out->user);
  return out->ok ? NPROF_OK : NPROF_CANCELLED;
}

static void
no_memory (Out *out, const struct nprof_table *table)
{
  if (out->ok)
    g_set_error (out->error, NP_ERROR, NP_EXIT_ROOM, "table %s: no memory for its rows",
                 table->name);
  out->ok = FALSE;
}

static void
add (Out *out, const struct nprof_table *table, const struct nprof_cell *cells)
{
  g_autofree char *problem = NULL;
  if (!out->ok)
    return;
  if (np_table_writer_add (&out->writer, table, cells, &problem) != NPROF_E_NOMEM) {
    g_assert (!problem); /* the columns are those above */
    return;
  }
  no_memory (out, table);
}

static void
flush (Out *out)
{
  if (out->ok)
    np_table_writer_flush (&out->writer);
}

static struct nprof_cell
json_cell (const char *text)
{
  struct nprof_cell cell = nprof_cell_text (text);
  if (cell.type)
    cell.type = NPROF_JSON;
  return cell;
}

static struct nprof_cell
input_cell (Out *out, guint number)
{
  NpRunInput *input = np_run_input (out->run, number);
  return nprof_cell_str (input->info.label);
}

/* -- inputs ---------------------------------------------------------------- */

/* Returns whether the property is said again later: that value counts. */
static gboolean
is_said_again (const GPtrArray *properties, guint i)
{
  for (guint later = i + 2; later + 1 < properties->len; later += 2)
    if (g_str_equal (properties->pdata[i], properties->pdata[later]))
      return TRUE;
  return FALSE;
}

/* Returns the properties as one JSON object, or NULL; `version` has a column of its own. */
static char *
properties (Out *out, const NpRunInput *input, const char **version)
{
  struct nprof_buf buf = { 0 };
  NpJson json = { .buf = &buf };
  np_json_object (&json, NULL);
  for (guint i = 0; i + 1 < input->properties->len; i += 2) {
    const char *key = g_ptr_array_index (input->properties, i);
    const char *value = g_ptr_array_index (input->properties, i + 1);
    if (g_str_equal (key, "version"))
      *version = value;
    if (g_str_equal (key, "version") || is_said_again (input->properties, i))
      continue;
    np_json_text (&json, key, value);
  }
  np_json_end_object (&json);
  g_autofree char *text = np_json_take (&buf);
  if (!text)
    no_memory (out, &inputs_table);
  return text && g_str_equal (text, "{}") ? NULL : g_steal_pointer (&text);
}

static void
add_inputs (Out *out)
{
  NpRunInput *input;
  for (guint i = 0; (input = np_run_input (out->run, i)); i++) {
    const char *version = NULL;
    g_autofree char *rest = properties (out, input, &version);
    gboolean timed = input->first <= input->last;
    struct nprof_cell null = nprof_cell_null ();
    add (out, &inputs_table,
         (struct nprof_cell[]){ nprof_cell_str (input->info.label),
                                nprof_cell_text (input->info.decoder), nprof_cell_text (version),
                                input->origin == NPROF_NO_EPOCH ? null
                                                                : nprof_cell_int (input->origin),
                                nprof_cell_uint (input->bytes), nprof_cell_uint (input->rows),
                                timed ? nprof_cell_int (input->first) : null,
                                timed ? nprof_cell_int (input->last) : null, json_cell (rest) });
  }
  flush (out);
}

/* -- tracks ---------------------------------------------------------------- */

static const char *
kind_name (guint kind)
{
  static const char *const names[] = { "input",  "host",  "process", "thread",  "device", "core",
                                       "engine", "queue", "async",   "counter", "derived" };
  return kind < G_N_ELEMENTS (names) ? names[kind] : "unknown";
}

static struct nprof_cell
label_cell (NpRun *run, nprof_track track)
{
  const struct nprof_track_info *info = np_tracks_get (run->tracks, track);
  return info ? nprof_cell_str (nprof_track_label (info)) : nprof_cell_null ();
}

static void
add_track (Out *out, nprof_track track)
{
  NpTracks *tracks = out->run->tracks;
  const struct nprof_track_info *info = np_tracks_get (tracks, track);
  const struct nprof_track_info *parent = np_tracks_get (tracks, info->parent);
  add (out, &tracks_table,
       (struct nprof_cell[]){ input_cell (out, info->input), nprof_cell_uint (info->number),
                              parent ? nprof_cell_uint (parent->number) : nprof_cell_null (),
                              nprof_cell_text (kind_name (info->kind)), nprof_cell_str (info->key),
                              info->label ? nprof_cell_str (info->label) : nprof_cell_null (),
                              label_cell (out->run, info->process), label_cell (out->run, track),
                              nprof_cell_int (info->sort),
                              nprof_cell_uint (np_tracks_rows (tracks, track)) });
}

static void
add_tracks (Out *out)
{
  np_track_numbers_complete (out->run->tracks, out->run->strings);
  guint n = np_tracks_count (out->run->tracks);
  g_autofree nprof_track *by_number = g_new0 (nprof_track, n + 1);
  for (nprof_track t = 1; t <= n; t++)
    by_number[np_tracks_get (out->run->tracks, t)->number] = t;
  for (guint i = 1; i <= n; i++)
    add_track (out, by_number[i]);
  flush (out);
}

/* -- skipped, facts -------------------------------------------------------- */

static void
add_skipped (Out *out)
{
  g_autoptr (GPtrArray) list = np_skipped_sorted (out->run->skipped);
  for (guint i = 0; i < list->len; i++) {
    const NpSkip *skip = g_ptr_array_index (list, i);
    add (out, &skipped_table,
         (struct nprof_cell[]){ input_cell (out, skip->input), nprof_cell_text (skip->what),
                                nprof_cell_uint (skip->count), nprof_cell_uint (skip->first_byte),
                                nprof_cell_text (skip->reason) });
  }
  flush (out);
}

static char *
fact_text (NpRun *run, const struct nprof_fact *fact)
{
  char buffer[NPROF_MAX_NUMBER];
  switch (fact->type) {
  case NPROF_INT64:
    return g_strdup_printf ("%" G_GINT64_FORMAT, fact->value.i);
  case NPROF_UINT64:
    return g_strdup_printf ("%" G_GUINT64_FORMAT, fact->value.u);
  case NPROF_BOOL:
    return g_strdup (fact->value.u ? "true" : "false");
  case NPROF_DOUBLE:
    return g_strndup (buffer, (gsize) (nprof_format_double (buffer, fact->value.f) - buffer));
  default:
    return g_strdup (np_strings_get (run->strings, fact->value.s, NULL));
  }
}

/* Returns the unit that the decoder declares for its column; a key of facts alone has that of
 * keys.h. */
static const char *
fact_unit (NpRun *run, nprof_str key)
{
  static const struct {
    const char *key, *unit;
  } known[] = { { NPROF_KEY_MEMORY_SIZE, "byte" },
                { NPROF_KEY_CLOCK_RATE, "Hz" },
                { NPROF_KEY_PEAK_FLOPS, "flop/s" },
                { NPROF_KEY_PEAK_BANDWIDTH, "byte/s" } };
  for (const struct nprof_column *const *c = np_columns_list (run->columns); *c; c++)
    if ((*c)->key == key)
      return (*c)->unit;
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    if (strcmp (np_strings_get (run->strings, key, NULL), known[i].key) == 0)
      return known[i].unit;
  return NULL;
}

static void
add_facts (Out *out)
{
  for (guint i = 0; i < np_facts_count (out->run->facts); i++) {
    const struct nprof_fact *fact = np_facts_get (out->run->facts, i);
    const struct nprof_track_info *track = np_tracks_get (out->run->tracks, fact->track);
    g_autofree char *value = fact_text (out->run, fact);
    add (out, &facts_table,
         (struct nprof_cell[]){ input_cell (out, track->input), nprof_cell_uint (track->number),
                                nprof_cell_str (fact->key), nprof_cell_text (value),
                                nprof_cell_text (fact_unit (out->run, fact->key)),
                                fact->source ? nprof_cell_str (fact->source)
                                             : nprof_cell_null () });
  }
  flush (out);
}

/* -- input_steps ----------------------------------------------------------- */

static void
add_steps_of (Out *out, guint input, const GArray *steps)
{
  for (guint i = 0, n; i < steps->len; i += n) {
    n = np_steps_run (steps, i);
    add (out, &input_steps_table,
         (struct nprof_cell[]){
             input_cell (out, input), nprof_cell_int (g_array_index (steps, gint64, i)),
             nprof_cell_int (g_array_index (steps, gint64, i + n - 1)), nprof_cell_uint (n) });
  }
}

static void
add_input_steps (Out *out)
{
  for (guint i = 0; np_run_input (out->run, i); i++) {
    g_autoptr (GArray) steps = np_steps_of_input (out->run->steps, i);
    add_steps_of (out, i, steps);
  }
  flush (out);
}

gboolean
np_core_tables_announce (NpChunkFn fn, gpointer user)
{
  gboolean ok = TRUE;
  for (guint i = 0; ok && i < ALWAYS; i++) {
    NpChunk *chunk = np_chunk_new (all_tables[i]);
    np_chunk_seal (chunk);
    ok = fn (chunk, user);
  }
  return ok;
}

gboolean
np_core_tables (NpRun *run, NpChunkFn fn, gpointer user, GError **error)
{
  Out out = { .run = run, .fn = fn, .user = user, .ok = TRUE, .error = error };
  np_table_writer_init (&out.writer, take_chunk, &out);
  add_inputs (&out);
  add_tracks (&out);
  add_skipped (&out);
  add_facts (&out);
  if (run->config->inspect && run->steps)
    add_input_steps (&out);
  np_table_writer_clear (&out.writer);
  return out.ok;
}
