/* SPDX-License-Identifier: Apache-2.0 */
/* core-tables.c - what the core knows at the end of a run, as tables: the inputs, their
 * tracks, the facts, and what decoders skipped. */

#include "pipeline/core-tables.h"
#include "rows/table-writer.h"
#include "rows/track-numbers.h"
#include "system/json-writer.h"

#include <nprof/format.h>
#include <nprof/keys.h>
#include <nprof/table.h>

/* clang-format off */ /* tables */
#define INPUTS(C) \
  C (TEXT, decoder, "component that read it") \
  C (TEXT, version, "version that the file states") \
  C (COUNT, origin_unix_ns, "Unix time of time 0, in ns") \
  C (UINT_BYTES, bytes, "size, inflated") \
  C (UINT, rows, "rows delivered") \
  C (PS, start, "start of the first row") \
  C (PS, end, "end of the last row") \
  C (JSON, properties, "what else the file says of itself")
NPROF_TABLE_ROW (inputs, INPUTS)
NPROF_TABLE (inputs, "Inputs", NULL, INPUTS)

#define TRACKS(C) \
  C (UINT_KEY, track, "number, in order of first delivery") \
  C (UINT, parent, "number of the track above") \
  C (TEXT, kind, "input, host, process, thread, ...") \
  C (STRING, key, "what identifies it under its parent") \
  C (STRING, label, "name for people") \
  C (STRING, process, "label of the nearest process or device") \
  C (STRING, thread, "its own label") \
  C (COUNT, sort, "order among its siblings") \
  C (UINT, rows, "rows delivered")
NPROF_TABLE_ROW (tracks, TRACKS)
NPROF_TABLE (tracks, "Tracks", NULL, TRACKS)

#define SKIPPED(C) \
  C (TEXT_KEY, what, "kind of record") \
  C (UINT, count, "how many") \
  C (UINT, first_byte, "where the first one stands") \
  C (TEXT, reason, "why they have no rows")
NPROF_TABLE_ROW (skipped, SKIPPED)
NPROF_TABLE (skipped, "Skipped", NULL, SKIPPED)

#define FACTS(C) \
  C (UINT_KEY, track, "true for the subtree of this track") \
  C (KEY, key, "a well-known key") \
  C (TEXT, value, "as text") \
  C (TEXT, unit, "of the value") \
  C (STRING, source, "where the file says so")
NPROF_TABLE_ROW (facts, FACTS)
NPROF_TABLE (facts, "Facts", NULL, FACTS)

/* This table is written only when it is asked for, because it costs a look at every row. */
#define INPUT_STEPS(C) \
  C (INT_KEY, first, "first number of some that follow each other") \
  C (COUNT, last, "last of them") \
  C (UINT, count, "how many they are")
NPROF_TABLE_ROW (input_steps, INPUT_STEPS)
NPROF_TABLE (input_steps, "Steps", NULL, INPUT_STEPS)
/* clang-format on */

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
    np_error_set (out->error, NP_EXIT_ROOM, "table %s: no memory for its rows", table->name);
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

/* Adds a row of the table of that name, of the input of that number. */
#define ADD(out, name, number, ...)                                                                \
  add (out, &name##_table,                                                                         \
       name##_cells (nprof_cell_str (np_run_input ((out)->run, number)->info.label),               \
                     &(struct name##_row){ __VA_ARGS__ })                                          \
           .cells)

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
    ADD (out, inputs, i, .decoder = nprof_some_text (input->info.decoder),
         .version = nprof_some_text (version),
         .origin_unix_ns = nprof_int_if (input->origin != NPROF_NO_EPOCH, input->origin),
         .bytes = nprof_some_uint (input->bytes), .rows = nprof_some_uint (input->rows),
         .start = nprof_int_if (timed, input->first), .end = nprof_int_if (timed, input->last),
         .properties = nprof_some_json (rest));
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

static void
add_track (Out *out, nprof_track track)
{
  NpTracks *tracks = out->run->tracks;
  const struct nprof_track_info *info = np_tracks_get (tracks, track);
  const struct nprof_track_info *parent = np_tracks_get (tracks, info->parent);
  const struct nprof_track_info *process = np_tracks_get (tracks, info->process);
  ADD (out, tracks, info->input, .track = nprof_some_uint (info->number),
       .parent = nprof_uint_if (parent != NULL, parent ? parent->number : 0),
       .kind = nprof_some_text (kind_name (info->kind)), .key = nprof_any_str (info->key),
       .label = nprof_some_str (info->label),
       .process = nprof_str_if (process != NULL, process ? nprof_track_label (process) : 0),
       .thread = nprof_any_str (nprof_track_label (info)), .sort = nprof_some_int (info->sort),
       .rows = nprof_some_uint (np_tracks_rows (tracks, track)));
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
    ADD (out, skipped, skip->input, .what = nprof_some_text (skip->what),
         .count = nprof_some_uint (skip->count), .first_byte = nprof_some_uint (skip->first_byte),
         .reason = nprof_some_text (skip->reason));
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
    ADD (out, facts, track->input, .track = nprof_some_uint (track->number),
         .key = nprof_any_str (fact->key), .value = nprof_some_text (value),
         .unit = nprof_some_text (fact_unit (out->run, fact->key)),
         .source = nprof_some_str (fact->source));
  }
  flush (out);
}

/* -- input_steps ----------------------------------------------------------- */

static void
add_steps_of (Out *out, guint input, const GArray *steps)
{
  for (guint i = 0, n; i < steps->len; i += n) {
    n = np_steps_run (steps, i);
    ADD (out, input_steps, input, .first = nprof_some_int (g_array_index (steps, gint64, i)),
         .last = nprof_some_int (g_array_index (steps, gint64, i + n - 1)),
         .count = nprof_some_uint (n));
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
