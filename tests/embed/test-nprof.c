/* SPDX-License-Identifier: Apache-2.0 */
/* test-nprof.c - libnprof as a program meets it: rows and tables one by one, failures, an early
 * end, and the Arrow stream by its own rules.  SAMPLES is share/samples. */

#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <nprof/nprof.h>
#include <string.h>
#include <unistd.h>

#define TRACE_ROWS 242 /* of synthetic_tpu.xplane.pb, as `nprof info` tells */

static char *
sample (void)
{
  return g_build_filename (g_getenv ("SAMPLES"), "synthetic_tpu.xplane.pb", NULL);
}

/* The inputs must live until open returns. */
static nprof_run *
open_run (const char *path, struct nprof_request request)
{
  const char *inputs[] = { path, NULL };
  request.size = sizeof request;
  request.inputs = inputs;
  request.log_level = NPROF_WARNING;
  nprof_run *run = nprof_run_open (&request);
  g_assert_nonnull (run);
  return run;
}

static nprof_run *
open_sample (struct nprof_request request)
{
  g_autofree char *path = sample ();
  return open_run (path, request);
}

/* -- Rows and tables ------------------------------------------------------- */

static void
test_rows_and_tables (void)
{
  nprof_run *run = open_sample ((struct nprof_request){ .jobs = 2 });
  struct nprof_run_item item = { .size = sizeof item };
  guint rows = 0, tracks = 0;
  gboolean fusion = FALSE;
  int more;
  while ((more = nprof_run_next (run, &item)) > 0) {
    g_assert_true ((item.batch != NULL) != (item.table != NULL));
    for (guint i = 0; item.batch && i < item.batch->n_rows; i++, rows++) {
      g_assert_nonnull (nprof_run_track (run, item.batch->track[i]));
      fusion |= g_str_equal (nprof_run_string (run, item.batch->name[i], NULL), "fusion.11");
    }
    if (item.table && g_str_equal (item.table->name, "tracks"))
      tracks += item.n_rows;
  }
  g_assert_cmpint (more, ==, 0);
  g_assert_cmpint (nprof_run_next (run, &item), ==, 0); /* and again */
  g_assert_cmpuint (rows, ==, TRACE_ROWS);
  g_assert_cmpuint (tracks, ==, 14);
  g_assert_true (fusion);
  size_t len;
  const struct nprof_input_info *input = nprof_run_input (run, 0);
  g_assert_cmpstr (nprof_run_string (run, input->label, &len), ==, "synthetic_tpu.xplane.pb");
  g_assert_cmpuint (len, ==, strlen ("synthetic_tpu.xplane.pb"));
  g_assert_null (nprof_run_input (run, 1));
  g_assert_null (nprof_run_track (run, 9999));
  g_assert_cmpuint (nprof_run_attrs (run, 0)->n, ==, 0);
  g_assert_cmpstr (nprof_version (), ==, NPROF_VERSION);
  g_assert_cmpuint (nprof_run_about (run)->n_inputs, ==, 1);
  g_assert_nonnull (nprof_run_columns (run)[0]);
  g_assert_cmpstr (nprof_run_messages (run), ==, "");
  g_assert_cmpint (nprof_run_close (run), ==, 0);
}

/* NPROF_BATCH_ROWS makes batches small for tests of a program as it does for those of nprof. */
static void
test_small_batches (void)
{
  g_setenv ("NPROF_BATCH_ROWS", "3", TRUE);
  nprof_run *run = open_sample ((struct nprof_request){ .jobs = 2 });
  struct nprof_run_item item = { .size = sizeof item };
  guint rows = 0;
  while (nprof_run_next (run, &item) > 0)
    if (item.batch) {
      g_assert_cmpuint (item.batch->n_rows, <=, 3);
      rows += item.batch->n_rows;
    }
  g_assert_cmpuint (rows, ==, TRACE_ROWS);
  g_assert_cmpint (nprof_run_close (run), ==, 0);
  g_setenv ("NPROF_BATCH_ROWS", "many", TRUE);
  run = open_sample ((struct nprof_request){ .jobs = 1 });
  g_assert_cmpint (nprof_run_next (run, &item), ==, -1);
  g_assert_nonnull (strstr (nprof_run_messages (run), "NPROF_BATCH_ROWS=many: expected 1 to 4096"));
  g_assert_cmpint (nprof_run_close (run), ==, 1);
  g_unsetenv ("NPROF_BATCH_ROWS");
}

static guint
count_rows (struct nprof_request request)
{
  nprof_run *run = open_sample (request);
  struct nprof_run_item item = { .size = sizeof item };
  guint rows = 0;
  while (nprof_run_next (run, &item) > 0)
    rows += item.batch ? item.batch->n_rows : 0;
  g_assert_cmpint (nprof_run_close (run), ==, 0);
  return rows;
}

static void
test_selection (void)
{
  const char *const names[] = { "fusion.11", NULL }, *const tracks[] = { "/device:TPU:1", NULL };
  guint both = count_rows ((struct nprof_request){ .names = names });
  guint one = count_rows ((struct nprof_request){ .names = names, .tracks = tracks });
  g_assert_cmpuint (both, <, TRACE_ROWS);
  g_assert_cmpuint (one, <, both);
  g_assert_cmpuint (one, >, 0);
  g_assert_cmpuint (count_rows ((struct nprof_request){ .from = "5ms", .to = "6ms" }), <,
                    TRACE_ROWS);
  g_assert_cmpuint (count_rows ((struct nprof_request){ .decoder = "xplane" }), ==, TRACE_ROWS);
}

/* An older program knows fewer members. */
static void
test_older_program (void)
{
  g_autofree char *path = sample ();
  const char *inputs[] = { path, NULL };
  struct nprof_request request = { .size = offsetof (struct nprof_request, decoder),
                                   .inputs = inputs,
                                   .decoder = "not read" };
  nprof_run *run = nprof_run_open (&request);
  struct nprof_run_item item = { .size = offsetof (struct nprof_run_item, table) };
  item.table = (const struct nprof_table *) &item;
  g_assert_cmpint (nprof_run_next (run, &item), ==, 1);
  g_assert_true (item.table == (const struct nprof_table *) &item); /* untouched */
  nprof_run_close (run);
}

/* -- Failures -------------------------------------------------------------- */

/* A failed run knows no handles; asking is no crash. */
static void
assert_no_handles (nprof_run *run)
{
  size_t len = 1;
  g_assert_null (nprof_run_string (run, 1, &len));
  g_assert_cmpuint (len, ==, 0);
  g_assert_null (nprof_run_string (run, 1, NULL));
  g_assert_null (nprof_run_track (run, 1));
  g_assert_null (nprof_run_input (run, 0));
  g_assert_null (nprof_run_attrs (run, 0));
  g_assert_null (nprof_run_about (run));
  g_assert_null (nprof_run_columns (run));
}

static void
assert_fails (nprof_run *run, int status, const char *part)
{
  struct nprof_run_item item = { .size = sizeof item };
  int more;
  while ((more = nprof_run_next (run, &item)) > 0)
    ;
  g_assert_cmpint (more, ==, -1);
  g_assert_cmpint (nprof_run_next (run, &item), ==, -1);
  assert_no_handles (run);
  if (!strstr (nprof_run_messages (run), part))
    g_error ("\"%s\" is not in: %s", part, nprof_run_messages (run));
  g_assert_cmpint (nprof_run_close (run), ==, status);
}

static void
test_failures (void)
{
  const char *const analyzers[] = { "no-such", NULL };
  assert_fails (open_run ("/no/such/file", (struct nprof_request){ 0 }), 2,
                "nprof: error: /no/such/file: ");
  assert_fails (open_sample ((struct nprof_request){ .from = "soon" }), 1, "soon");
  assert_fails (open_sample ((struct nprof_request){ .from = "2ms", .to = "1ms" }), 1, "--from");
  assert_fails (open_sample ((struct nprof_request){ .decoder = "xplain" }), 1, "xplane");
  assert_fails (open_sample ((struct nprof_request){ .analyzers = analyzers }), 1, "no-such");
}

/* A file that is cut off: rows come, then the failure; kept going, the losses are told. */
static void
test_damage (void)
{
  g_autofree char *path = sample (), *data = NULL, *cut = NULL;
  g_assert_true (g_file_get_contents (path, &data, NULL, NULL));
  int fd = g_file_open_tmp ("nprof-embed-XXXXXX.pb", &cut, NULL);
  close (fd);
  g_assert_true (g_file_set_contents (cut, data, 15000, NULL));
  assert_fails (open_run (cut, (struct nprof_request){ 0 }), 2, "byte ");
  nprof_run *run = open_run (cut, (struct nprof_request){ .keep_going = 1 });
  struct nprof_run_item item = { .size = sizeof item };
  int more;
  while ((more = nprof_run_next (run, &item)) > 0)
    ;
  g_assert_cmpint (more, ==, 0);
  g_assert_nonnull (strstr (nprof_run_messages (run), "warning"));
  g_assert_cmpint (nprof_run_close (run), ==, 3);
  g_unlink (cut);
}

static void
test_early_end (void)
{
  struct nprof_run_item item = { .size = sizeof item };
  for (int taken = 0; taken < 3; taken++) {
    nprof_run *run = open_sample ((struct nprof_request){ 0 });
    for (int i = 0; i < taken; i++)
      g_assert_cmpint (nprof_run_next (run, &item), ==, 1);
    int status = nprof_run_close (run);
    g_assert_true (status == 130 || status == 0); /* 0: it had all been read ahead */
  }
  g_assert_cmpint (nprof_run_close (NULL), ==, 0);
}

static void
test_two_runs (void)
{
  nprof_run *a = open_sample ((struct nprof_request){ 0 });
  nprof_run *b = open_sample ((struct nprof_request){ 0 });
  struct nprof_run_item item = { .size = sizeof item };
  int more_a = 1, more_b = 1;
  while (more_a > 0 || more_b > 0) {
    if (more_a > 0)
      more_a = nprof_run_next (a, &item);
    if (more_b > 0)
      more_b = nprof_run_next (b, &item);
  }
  g_assert_cmpint (more_a + more_b, ==, 0);
  g_assert_cmpint (nprof_run_close (a), ==, 0);
  g_assert_cmpint (nprof_run_close (b), ==, 0);
}

/* -- Arrow ----------------------------------------------------------------- */

static gint64
child_of (const struct ArrowSchema *schema, const char *name)
{
  for (gint64 i = 0; i < schema->n_children; i++)
    if (g_str_equal (schema->children[i]->name, name))
      return i;
  g_error ("no column %s", name);
}

static void
test_arrow (void)
{
  struct ArrowArrayStream stream;
  struct ArrowSchema schema;
  struct ArrowArray array, first = { 0 };
  nprof_run_arrow (open_sample ((struct nprof_request){ 0 }), &stream);
  g_assert_cmpint (stream.get_schema (&stream, &schema), ==, 0);
  g_assert_cmpstr (schema.format, ==, "+s");
  gint64 name = child_of (&schema, "name"), duration = child_of (&schema, "duration_ps");
  g_assert_cmpstr (schema.children[name]->dictionary->format, ==, "u");
  g_assert_cmpstr (schema.children[child_of (&schema, "flops")]->format, ==, "l");
  g_assert_cmpstr (schema.children[schema.n_children - 1]->name, ==, "attributes");
  gint64 rows = 0;
  for (;;) {
    g_assert_cmpint (stream.get_next (&stream, &array), ==, 0);
    if (!array.release)
      break;
    g_assert_cmpint (array.n_children, ==, schema.n_children);
    for (gint64 i = 0; i < array.n_children; i++)
      g_assert_cmpint (array.children[i]->length, ==, array.length);
    rows += array.length;
    if (first.release)
      array.release (&array);
    else
      first = array;
  }
  g_assert_cmpint (rows, ==, TRACE_ROWS);
  stream.release (&stream);
  g_assert_null (stream.release);
  /* arrays outlive the run: the first rows are facts, which have no time */
  g_assert_cmpint (first.children[duration]->null_count, >, 0);
  const gint32 *index = first.children[name]->buffers[1];
  const struct ArrowArray *texts = first.children[name]->dictionary;
  const gint32 *ends = texts->buffers[1];
  g_assert_cmpmem ((const char *) texts->buffers[2] + ends[index[0]],
                   (gsize) (ends[index[0] + 1] - ends[index[0]]), "device_type", 11);
  first.release (&first);
  schema.release (&schema);
}

/* The names of the columns of a stream over the sample, a space behind each. */
static char *
column_names (struct ArrowArrayStream *stream)
{
  struct ArrowSchema schema;
  GString *names = g_string_new (NULL);
  g_assert_cmpint (stream->get_schema (stream, &schema), ==, 0);
  for (gint64 i = 0; i < schema.n_children; i++)
    g_string_append_printf (names, "%s ", schema.children[i]->name);
  schema.release (&schema);
  return g_string_free (names, FALSE);
}

static void
test_arrow_columns (void)
{
  const char *const columns[] = { "flops", "category", "start_ps", NULL };
  struct ArrowArrayStream stream;
  struct ArrowArray array;
  nprof_run_arrow (open_sample ((struct nprof_request){ .columns = columns, .array_rows = 100 }),
                   &stream);
  g_autofree char *names = column_names (&stream);
  g_assert_cmpstr (names, ==, "flops category start_ps ");
  gint64 rows = 0, nulls = 0;
  while (stream.get_next (&stream, &array) == 0 && array.release) {
    g_assert_true (array.length >= 100 || rows + array.length == TRACE_ROWS);
    const gint32 *indices = array.children[1]->buffers[1];
    for (gint64 i = 0; i < array.length; i++)
      nulls += indices[i] == -1;
    nulls -= array.children[1]->null_count;
    rows += array.length;
    array.release (&array);
  }
  g_assert_cmpint (rows, ==, TRACE_ROWS);
  g_assert_cmpint (nulls, ==, 0);
  stream.release (&stream);
}

static void
test_arrow_whole (void)
{
  struct ArrowArrayStream stream;
  struct ArrowArray array;
  nprof_run_arrow (open_sample ((struct nprof_request){ .array_rows = G_MAXUINT32 }), &stream);
  g_assert_cmpint (stream.get_next (&stream, &array), ==, 0);
  g_assert_cmpint (array.length, ==, TRACE_ROWS);
  array.release (&array);
  g_assert_cmpint (stream.get_next (&stream, &array), ==, 0);
  g_assert_null (array.release);
  stream.release (&stream);
}

static void
test_arrow_failure (void)
{
  struct ArrowArrayStream stream;
  struct ArrowSchema schema;
  struct ArrowArray array;
  nprof_run_arrow (open_run ("/no/such/file", (struct nprof_request){ 0 }), &stream);
  g_assert_cmpint (stream.get_schema (&stream, &schema), !=, 0);
  g_assert_nonnull (strstr (stream.get_last_error (&stream), "/no/such/file"));
  g_assert_cmpint (stream.get_next (&stream, &array), !=, 0);
  stream.release (&stream);
  nprof_run_arrow (open_sample ((struct nprof_request){ 0 }), &stream);
  stream.release (&stream); /* nobody asked for anything */
  const char *const columns[] = { "name", "floops", NULL };
  nprof_run_arrow (open_sample ((struct nprof_request){ .columns = columns }), &stream);
  g_assert_cmpint (stream.get_next (&stream, &array), !=, 0);
  g_assert_nonnull (strstr (stream.get_last_error (&stream), "floops"));
  stream.release (&stream);
}

/* -- Tables as Arrow ------------------------------------------------------- */

static guint
count_tables (nprof_run *run)
{
  const struct nprof_table *const *tables = nprof_run_tables (run);
  guint n = 0;
  while (tables && tables[n])
    n++;
  return n;
}

static gint64
count_stream (struct ArrowArrayStream *stream, gint64 n_columns)
{
  struct ArrowArray array;
  gint64 rows = 0;
  while (stream->get_next (stream, &array) == 0 && array.release) {
    g_assert_cmpint (array.n_children, ==, n_columns);
    for (gint64 c = 0; c < n_columns; c++)
      g_assert_cmpint (array.children[c]->length, ==, array.length);
    rows += array.length;
    array.release (&array);
  }
  return rows;
}

static void
test_tables (void)
{
  const char *const analyzers[] = { "operators", NULL };
  nprof_run *run = open_sample ((struct nprof_request){ .analyzers = analyzers, .keep_tables = 1 });
  struct nprof_run_item item = { .size = sizeof item };
  struct ArrowArrayStream tracks, operators;
  struct ArrowSchema schema;
  gint64 rows = 0;
  g_assert_null (nprof_run_tables (run)); /* not yet */
  g_assert_cmpint (nprof_run_table_arrow (run, "tracks", &tracks), ==, ENOENT);
  while (nprof_run_next (run, &item) > 0)
    rows += item.table && g_str_equal (item.table->name, "operators") ? item.n_rows : 0;
  g_assert_cmpstr (nprof_run_tables (run)[0]->name, ==, "inputs");
  g_assert_cmpuint (count_tables (run), >, 4); /* the core's and the analyzer's */
  g_assert_cmpint (nprof_run_table_arrow (run, "trucks", &tracks), ==, ENOENT);
  g_assert_cmpint (nprof_run_table_arrow (run, "tracks", &tracks), ==, 0);
  g_assert_cmpint (nprof_run_table_arrow (run, "operators", &operators), ==, 0);
  g_assert_cmpint (nprof_run_close (run), ==, 0); /* before the streams */
  g_assert_cmpint (tracks.get_schema (&tracks, &schema), ==, 0);
  g_assert_cmpstr (schema.children[0]->name, ==, "input");
  g_assert_cmpint (count_stream (&tracks, schema.n_children), ==, 14);
  schema.release (&schema);
  g_assert_cmpint (operators.get_schema (&operators, &schema), ==, 0);
  g_assert_cmpstr (schema.children[child_of (&schema, "total_ps")]->format, ==, "l");
  g_assert_cmpint (rows, >, 0);
  operators.release (&operators); /* unread */
  tracks.release (&tracks);
  schema.release (&schema);
}

/* Behind the stream of the rows; nobody keeps what nobody asked for. */
static void
test_tables_behind_rows (void)
{
  for (guint keep = 0; keep < 2; keep++) {
    struct ArrowArrayStream rows, table;
    struct ArrowSchema schema;
    nprof_run *run = open_sample ((struct nprof_request){ .keep_tables = keep });
    nprof_run_arrow (run, &rows);
    g_assert_cmpint (rows.get_schema (&rows, &schema), ==, 0);
    g_assert_cmpint (count_stream (&rows, schema.n_children), ==, TRACE_ROWS);
    schema.release (&schema);
    g_assert_cmpint (nprof_run_table_arrow (run, "facts", &table), ==, keep ? 0 : ENOENT);
    rows.release (&rows);
    if (!keep)
      continue;
    g_assert_cmpint (table.get_schema (&table, &schema), ==, 0);
    g_assert_cmpint (count_stream (&table, schema.n_children), ==, 6);
    schema.release (&schema);
    table.release (&table);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/nprof/rows-and-tables", test_rows_and_tables);
  g_test_add_func ("/nprof/small-batches", test_small_batches);
  g_test_add_func ("/nprof/selection", test_selection);
  g_test_add_func ("/nprof/older-program", test_older_program);
  g_test_add_func ("/nprof/failures", test_failures);
  g_test_add_func ("/nprof/damage", test_damage);
  g_test_add_func ("/nprof/early-end", test_early_end);
  g_test_add_func ("/nprof/two-runs", test_two_runs);
  g_test_add_func ("/nprof/arrow", test_arrow);
  g_test_add_func ("/nprof/arrow/columns", test_arrow_columns);
  g_test_add_func ("/nprof/arrow/whole", test_arrow_whole);
  g_test_add_func ("/nprof/arrow/failure", test_arrow_failure);
  g_test_add_func ("/nprof/tables", test_tables);
  g_test_add_func ("/nprof/tables/behind-rows", test_tables_behind_rows);
  return g_test_run ();
}
