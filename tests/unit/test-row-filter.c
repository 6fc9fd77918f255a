/* SPDX-License-Identifier: Apache-2.0 */
/* test-row-filter.c - which rows a run looks at, and what people type to say so. */

#include "base/parse-time.h"
#include "select/row-filter.h"

#include "base/error.h"

#include <nprof/keys.h>
#include <nprof/sdk.h>

typedef struct {
  NpStrings *strings;
  NpTracks *tracks;
  NpAttrSets *sets;
  NpPool *pool;
  nprof_track device, line, host; /* line is below device */
  NpBatch *batch;
} Fixture;

static nprof_str
str (Fixture *f, const char *text)
{
  return np_strings_intern (f->strings, text, strlen (text));
}

static void
set_up (Fixture *f, gconstpointer data)
{
  (void) data;
  f->strings = np_strings_new ();
  f->tracks = np_tracks_new ();
  f->sets = np_attrsets_new ();
  f->pool = np_pool_new (4096, 2);
  nprof_track root = np_tracks_root (f->tracks, 0, str (f, "a.json"));
  f->device = np_tracks_add (f->tracks, root, NPROF_TRACK_DEVICE, str (f, "0"),
                             str (f, "/device:TPU:0"), 0);
  f->line = np_tracks_add (f->tracks, f->device, NPROF_TRACK_THREAD, str (f, "1"),
                           str (f, "XLA Ops"), 0);
  f->host = np_tracks_add (f->tracks, root, NPROF_TRACK_THREAD, str (f, "main"), 0, 0);
  f->batch = np_pool_take (f->pool);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  (void) data;
  np_batch_unref (f->batch);
  np_pool_free (f->pool); /* fails if a batch was lost */
  np_attrsets_free (f->sets);
  np_tracks_free (f->tracks);
  np_strings_free (f->strings);
}

static struct nprof_writer *
row (Fixture *f, guint8 kind, nprof_track track, const char *name, gint64 start, gint64 duration)
{
  struct nprof_writer *w = &f->batch->writer;
  g_assert_cmpint (nprof_row (w, kind, track, str (f, name), start, duration), ==, 0);
  return w;
}

static GPtrArray *
list (const char *a, const char *b)
{
  GPtrArray *l = g_ptr_array_new ();
  g_ptr_array_add (l, (char *) a);
  if (b)
    g_ptr_array_add (l, (char *) b);
  return l;
}

/* The names of the selected rows, with `!` behind those marked as crossing. */
static char *
names (Fixture *f, const NpBatch *batch)
{
  GString *text = g_string_new (NULL);
  nprof_str edge = str (f, NPROF_KEY_CROSSES_EDGE);
  for (guint i = 0; batch && i < batch->view.n_rows; i++) {
    const struct nprof_batch *b = &batch->view;
    size_t len;
    g_string_append_printf (text, "%s%s", i ? " " : "",
                            np_strings_get (f->strings, b->name[i], &len));
    for (guint j = b->attr_at ? b->attr_at[i] : 0; b->attr_at && j < b->attr_at[i + 1]; j++)
      if (b->attr_key[j] == edge && b->attr_type[j] == NPROF_BOOL && b->attr_value[j].u == 1)
        g_string_append_c (text, '!');
  }
  return g_string_free (text, FALSE);
}

/* Applies the selection to the fixture's batch, and takes the selection. */
static void
check (Fixture *f, NpSelection *s, const char *expected)
{
  g_autoptr (GError) error = NULL;
  np_batch_seal (f->batch, 3);
  g_assert_false (np_selection_is_empty (s));
  g_assert_true (np_selection_check (s, &error));
  g_assert_no_error (error);
  NpRowFilter *select = np_row_filter_new (s, f->strings, f->tracks, f->sets, f->pool);
  np_selection_clear (s);
  NpBatch *batch = np_row_filter_apply (select, np_batch_ref (f->batch), NULL);
  g_autofree char *got = names (f, batch);
  g_assert_cmpstr (got, ==, expected);
  guint left = f->batch->view.n_rows - (batch ? batch->view.n_rows : 0);
  g_assert_cmpuint (np_row_filter_left_out (select), ==, left);
  if (batch)
    g_assert_cmpuint (batch->view.input, ==, 3);
  if (!left && !strchr (expected, '!'))
    g_assert_true (batch == f->batch);
  g_assert_false (np_row_filter_failed (select));
  np_batch_unref (batch);
  np_row_filter_free (select);
}

static void
test_time (Fixture *f, gconstpointer data)
{
  (void) data;
  row (f, NPROF_SPAN, f->line, "before", 0, 99);
  row (f, NPROF_SPAN, f->line, "touches", 0, 100);
  row (f, NPROF_SPAN, f->line, "into", 50, 100);
  row (f, NPROF_SPAN, f->line, "inside", 100, 100);
  row (f, NPROF_SPAN, f->line, "over", 0, 1000);
  row (f, NPROF_SPAN, f->line, "out", 200, 1);
  row (f, NPROF_SPAN, f->line, "after", 201, 1);
  row (f, NPROF_SPAN, f->line, "open", -5, -1);
  row (f, NPROF_SPAN, f->line, "open-late", 201, -1);
  row (f, NPROF_SPAN, f->line, "endless", 150, G_MAXINT64);
  row (f, NPROF_INSTANT, f->line, "instant-99", 99, 0);
  row (f, NPROF_INSTANT, f->line, "instant-100", 100, 0);
  row (f, NPROF_INSTANT, f->line, "instant-odd", 50, 100);
  row (f, NPROF_COUNTER, f->line, "counter-200", 200, 0);
  row (f, NPROF_FLOW, f->line, "flow-201", 201, 0);
  row (f, NPROF_FACT, f->line, "fact", -1000, 0);
  row (f, NPROF_GAP, f->line, "gap", 190, 5);
  row (f, NPROF_GAP, f->line, "gap-late", 300, 5);
  row (f, NPROF_GAP, f->line, "gap-open", 300, -1);
  row (f, NPROF_GAP, np_tracks_get (f->tracks, f->device)->parent, "cut-off", 300, -1);
  check (f, &(NpSelection){ .has_from = TRUE, .from = 100, .has_to = TRUE, .to = 200 },
         "touches! into! inside over! out! open! endless! instant-100 counter-200 fact gap "
         "cut-off");
  check (f, &(NpSelection){ .has_from = TRUE, .from = 201 },
         "over! out! after open! open-late endless! flow-201 fact gap-late gap-open cut-off");
  check (f, &(NpSelection){ .has_to = TRUE, .to = -1 }, "open! fact cut-off");
}

static void
test_all (Fixture *f, gconstpointer data)
{
  (void) data;
  row (f, NPROF_SPAN, f->line, "a", 0, 10);
  row (f, NPROF_SPAN, f->line, "b", 5, 5);
  check (f, &(NpSelection){ .has_from = TRUE, .from = 0 }, "a b");
  check (f, &(NpSelection){ .has_from = TRUE, .from = 11 }, "");
}

/* The mark joins what the row has already, also when that has filled the room for it. */
static void
test_mark (Fixture *f, gconstpointer data)
{
  (void) data;
  struct nprof_writer *w = row (f, NPROF_SPAN, f->line, "a", 0, 10);
  guint room = w->max_attrs;
  nprof_attr_bytes (w, str (f, "text"), NPROF_TEXT, "hello", 5);
  row (f, NPROF_SPAN, f->line, "b", 5, 1);
  row (f, NPROF_SPAN, f->line, "full", 0, 10);
  for (guint i = 2; i < room; i++)
    nprof_attr_int (w, str (f, "n"), i);
  nprof_set_id (w, 77);
  np_batch_seal (f->batch, 3);
  NpSelection s = { .has_from = TRUE, .from = 5 };
  NpRowFilter *select = np_row_filter_new (&s, f->strings, f->tracks, f->sets, f->pool);
  NpBatch *batch = np_row_filter_apply (select, np_batch_ref (f->batch), NULL);
  const struct nprof_batch *b = &batch->view;
  g_assert_cmpuint (b->n_attrs, ==, f->batch->view.n_attrs + 2);
  g_assert_cmpuint (b->attr_at[1], ==, 2);
  g_assert_cmpmem (b->bytes + b->attr_value[0].bytes.at, b->attr_value[0].bytes.len, "hello", 5);
  g_assert_cmpuint (b->id[2], ==, 77);
  g_autofree char *got = names (f, batch);
  g_assert_cmpstr (got, ==, "a! b full!");
  np_batch_unref (batch);
  np_row_filter_free (select);
}

/* All rows are there, each hidden or not, and what crosses an edge is marked all the same. */
static void
test_context (Fixture *f, gconstpointer data)
{
  (void) data;
  for (guint i = 0; i < 20; i++) {
    row (f, NPROF_SPAN, f->line, i % 3 ? "out" : "in", i, 100);
    if (i % 3 == 0)
      nprof_attr_int (&f->batch->writer, str (f, "n"), i);
  }
  row (f, NPROF_FACT, f->line, "fact", 0, 0);
  np_batch_seal (f->batch, 3);
  NpSelection s = { .names = list ("in", NULL), .has_to = TRUE, .to = 101 };
  NpRowFilter *select = np_row_filter_new (&s, f->strings, f->tracks, f->sets, f->pool);
  np_selection_clear (&s);
  NpBatch *context = NULL;
  NpBatch *batch = np_row_filter_apply (select, np_batch_ref (f->batch), &context);
  g_assert_cmpuint (batch->view.n_rows, ==, 8);
  g_assert_null (batch->view.hidden);
  const struct nprof_batch *b = &context->view;
  g_assert_cmpuint (b->n_rows, ==, 21);
  for (guint i = 0; i < 21; i++) {
    g_assert_cmpuint (b->hidden[i >> 3] >> (i & 7) & 1, ==, i < 20 && i % 3);
    g_assert_cmpuint (b->kind[i], ==, i < 20 ? NPROF_SPAN : NPROF_FACT);
    g_assert_cmpint (b->start[i], ==, i < 20 ? i : 0);
  }
  g_autofree char *selected = names (f, batch), *all = names (f, context);
  g_assert_cmpstr (selected, ==, "in in! in! in! in! in! in! fact");
  g_assert_true (g_str_has_prefix (all, "in out out in! out out in! out"));
  np_batch_unref (batch);
  np_batch_unref (context);
  np_row_filter_free (select);
}

/* A selection of all rows makes no copy. */
static void
test_context_of_all (Fixture *f, gconstpointer data)
{
  (void) data;
  row (f, NPROF_SPAN, f->line, "in", 1, 100);
  np_batch_seal (f->batch, 3);
  NpSelection s = { .has_from = TRUE, .from = 0 };
  NpRowFilter *select = np_row_filter_new (&s, f->strings, f->tracks, f->sets, f->pool);
  NpBatch *context = NULL;
  NpBatch *batch = np_row_filter_apply (select, np_batch_ref (f->batch), &context);
  g_assert_true (batch == f->batch && context == batch);
  np_batch_unref (batch);
  np_batch_unref (context);
  np_row_filter_free (select);
}

static nprof_set
set_of_step (Fixture *f, gint64 step)
{
  nprof_str key = str (f, NPROF_KEY_STEP);
  guint8 type = NPROF_INT64;
  nprof_value value = { .i = step };
  return np_attrsets_add (f->sets, &(struct nprof_attrs){ sizeof (struct nprof_attrs), 1, &key,
                                                          &type, &value, NULL });
}

static void
test_step (Fixture *f, gconstpointer data)
{
  (void) data;
  nprof_str step = str (f, NPROF_KEY_STEP);
  row (f, NPROF_SPAN, f->line, "none", 0, 1);
  nprof_attr_int (row (f, NPROF_SPAN, f->line, "own-3", 0, 1), step, 3);
  nprof_set_shared (row (f, NPROF_SPAN, f->line, "set-3", 0, 1), set_of_step (f, 3));
  nprof_set_shared (row (f, NPROF_SPAN, f->line, "set-4", 0, 1), set_of_step (f, 4));
  struct nprof_writer *w = row (f, NPROF_SPAN, f->line, "own-9-set-3", 0, 1);
  nprof_set_shared (w, set_of_step (f, 3));
  nprof_attr_int (w, step, 9);
  nprof_attr_uint (row (f, NPROF_SPAN, f->line, "uint-4", 0, 1), step, 4);
  nprof_attr_uint (row (f, NPROF_SPAN, f->line, "huge", 0, 1), step, G_MAXUINT64);
  nprof_attr_double (row (f, NPROF_SPAN, f->line, "double-3.5", 0, 1), step, 3.5);
  nprof_attr_str (row (f, NPROF_SPAN, f->line, "text", 0, 1), step, str (f, "3"));
  row (f, NPROF_FACT, f->line, "fact", 0, 0);
  row (f, NPROF_GAP, f->line, "gap", 0, 0);
  check (f, &(NpSelection){ .has_step = TRUE, .step_first = 3, .step_last = 4 },
         "own-3 set-3 set-4 uint-4 double-3.5 fact gap");
  check (f, &(NpSelection){ .has_step = TRUE, .step_first = 4, .step_last = G_MAXINT64 },
         "set-4 own-9-set-3 uint-4 huge fact gap");
}

static void
test_globs (Fixture *f, gconstpointer data)
{
  (void) data;
  row (f, NPROF_SPAN, f->line, "fusion.1", 0, 1);
  row (f, NPROF_SPAN, f->device, "copy", 0, 1);
  row (f, NPROF_SPAN, f->host, "Fusion.2", 0, 1);
  row (f, NPROF_SPAN, 99, "stray", 0, 1);
  row (f, NPROF_FACT, f->host, "fact", 0, 0);
  row (f, NPROF_GAP, f->host, "gap", 0, 1);
  check (f, &(NpSelection){ .tracks = list ("/device:TPU:0*", NULL) }, "fusion.1 copy fact gap");
  check (f, &(NpSelection){ .tracks = list ("XLA ?ps", NULL) }, "fusion.1 fact gap");
  check (f, &(NpSelection){ .tracks = list ("XLA Ops", "main") }, "fusion.1 Fusion.2 fact gap");
  check (f, &(NpSelection){ .tracks = list ("a.json", NULL) }, "fusion.1 copy Fusion.2 fact gap");
  check (f, &(NpSelection){ .tracks = list ("TPU", NULL) }, "fusion.1 copy fact gap");
  check (f, &(NpSelection){ .tracks = list ("A Op", NULL) }, "fusion.1 fact gap");
  check (f, &(NpSelection){ .tracks = list ("json", NULL) }, "fact gap");
  check (f, &(NpSelection){ .tracks = list ("*json", NULL) }, "fusion.1 copy Fusion.2 fact gap");
  check (f, &(NpSelection){ .names = list ("usion", NULL) }, "fusion.1 Fusion.2 fact gap");
  check (f, &(NpSelection){ .names = list ("[c-f]usion.", NULL) }, "fusion.1 fact gap");
  check (f, &(NpSelection){ .names = list ("usion*", NULL) }, "fact gap");
  check (f, &(NpSelection){ .names = list ("fusion*", NULL) }, "fusion.1 fact gap");
  check (f, &(NpSelection){ .names = list ("?usion*", "st*") }, "fusion.1 Fusion.2 stray fact gap");
  check (f, &(NpSelection){ .names = list ("fusion*", NULL), .tracks = list ("main", NULL) },
         "fact gap");
}

/* What joins conditions is that of tests/conditions.json; here it is asked of rows. */
static void
test_joined (Fixture *f, gconstpointer data)
{
  (void) data;
  nprof_str n = str (f, "External id");
  struct nprof_writer *w = row (f, NPROF_SPAN, f->line, "gemm_bf16", 0, 2000000);
  nprof_attr_int (w, n, 7);
  w = row (f, NPROF_SPAN, f->line, "gemm and copy", 5, 10);
  nprof_attr_str (w, n, str (f, "seven"));
  w = row (f, NPROF_SPAN, f->host, "Flash_fwd", 9, 3000000);
  nprof_attr_bytes (w, str (f, "args"), NPROF_JSON, "{\"k\": \"v\", \"n\": 12}", 19);
  row (f, NPROF_INSTANT, f->host, "mark", 9, 0);
  static const char *const cases[][2] = {
    { "name~GEMM and duration>1us", "gemm_bf16" },
    { "name~GEMM or dur>1us", "gemm_bf16 gemm and copy Flash_fwd" },
    { "not name~gemm", "Flash_fwd mark" },
    { "name=gemm and copy", "gemm and copy" },
    { "name=gemm and copy|mark", "gemm and copy mark" },
    { "name~/^(gemm|flash)_/", "gemm_bf16 Flash_fwd" },
    { "External id=7", "gemm_bf16" },
    { "\"External id\"~7|EVEN", "gemm_bf16 gemm and copy" },
    { "not External id=7", "gemm and copy" }, /* others have none */
    { "External id= and kind=span", "Flash_fwd" },
    { "track~ops and (kind~inst or not name=mark)", "gemm_bf16 gemm and copy" },
    { "kind=instant|counter", "mark" },
    { "args.k=v", "Flash_fwd" },
    { "args.n>11.5", "Flash_fwd" },
    { "args.n>12 or args.m=1", "" },
    { "duration=2us|3us", "gemm_bf16 Flash_fwd" },
    { "not (duration=2us or duration<1us)", "Flash_fwd" }, /* an instant has none */
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_test_message ("%s", cases[i][0]);
    check (f, &(NpSelection){ .where = list (cases[i][0], NULL) }, cases[i][1]);
  }
}

/* A double holds 53 bits. */
static void
test_where_beyond_doubles (Fixture *f, gconstpointer data)
{
  (void) data;
  nprof_str n = str (f, "n");
  struct nprof_writer *w = row (f, NPROF_SPAN, f->line, "down", 0, 1);
  nprof_attr_int (w, n, -9007199254740993);
  row (f, NPROF_SPAN, f->line, "even", 0, 1);
  nprof_attr_int (w, n, 9007199254740994);
  row (f, NPROF_SPAN, f->line, "text", 0, 1);
  nprof_attr_bytes (w, n, NPROF_TEXT, "9007199254740994", 16);
  row (f, NPROF_SPAN, f->line, "string", 0, 1);
  nprof_attr_str (w, n, str (f, "9007199254740994"));
  row (f, NPROF_SPAN, f->line, "most", 0, 1);
  nprof_attr_uint (w, n, G_MAXUINT64);
  check (f, &(NpSelection){ .where = list ("n>9007199254740993.5", NULL) },
         "even text string most");
  check (f, &(NpSelection){ .where = list ("n<=9007199254740993.5", NULL) }, "down");
  check (f, &(NpSelection){ .where = list ("n>=-9007199254740993", NULL) },
         "down even text string most");
  check (f, &(NpSelection){ .where = list ("n>-9007199254740993.5", "n<0") }, "down");
  check (f, &(NpSelection){ .where = list ("n<-9007199254740992.5", NULL) }, "down");
  check (f, &(NpSelection){ .where = list ("n<=-9007199254740993B", NULL) }, "down");
  check (f, &(NpSelection){ .where = list ("n<-9007199254740993B", NULL) }, "");
  check (f, &(NpSelection){ .where = list ("n>18446744073709551614.5", NULL) }, "most");
  check (f, &(NpSelection){ .where = list ("n>18446744073709551615.5", NULL) }, "");
  check (f, &(NpSelection){ .where = list ("n>1.8446744073709551615e19", NULL) }, "");
  check (f, &(NpSelection){ .where = list ("n>=18446744073709551616", NULL) }, "");
}

static void
test_where_columns (Fixture *f, gconstpointer data)
{
  (void) data;
  nprof_set_category (row (f, NPROF_SPAN, f->line, "a", 0, 1), str (f, "compute"));
  nprof_set_value (row (f, NPROF_COUNTER, f->line, "b", 0, 0), 0.1);
  nprof_set_value (row (f, NPROF_COUNTER, f->host, "c", 0, 0), 3);
  nprof_attr_bytes (row (f, NPROF_COUNTER, f->host, "d", 0, 0), str (f, "value"), NPROF_JSON,
                    "18446744073709551617", 20);
  check (f, &(NpSelection){ .where = list ("name=b", NULL) }, "b");
  check (f, &(NpSelection){ .where = list ("category=compute", NULL) }, "a");
  check (f, &(NpSelection){ .where = list ("category=", NULL) }, "b c d");
  check (f, &(NpSelection){ .where = list ("kind=counter", NULL) }, "b c d");
  check (f, &(NpSelection){ .where = list ("kind=other", NULL) }, "");
  check (f, &(NpSelection){ .where = list ("process=/device:TPU:0", NULL) }, "a b");
  check (f, &(NpSelection){ .where = list ("process=", NULL) }, "c d");
  check (f, &(NpSelection){ .where = list ("thread=main", NULL) }, "c d");
  check (f, &(NpSelection){ .where = list ("value=0.1", NULL) }, "b");
  check (f, &(NpSelection){ .where = list ("value=3", "thread=main") }, "c");
  check (f, &(NpSelection){ .where = list ("value=0", NULL) }, "");
  check (f, &(NpSelection){ .where = list ("value=18446744073709551617", NULL) }, "d");
}

static void
test_where_attributes (Fixture *f, gconstpointer data)
{
  (void) data;
  nprof_str k = str (f, "k");
  nprof_attr_int (row (f, NPROF_SPAN, f->line, "int", 0, 1), k, -7);
  nprof_attr_uint (row (f, NPROF_SPAN, f->line, "uint", 0, 1), k, G_MAXUINT64);
  nprof_attr_double (row (f, NPROF_SPAN, f->line, "double", 0, 1), k, 1e22);
  nprof_attr (row (f, NPROF_SPAN, f->line, "bool", 0, 1), k, NPROF_BOOL, (nprof_value){ .u = 1 });
  nprof_attr_str (row (f, NPROF_SPAN, f->line, "string", 0, 1), k, str (f, "x=y"));
  nprof_attr_bytes (row (f, NPROF_SPAN, f->line, "text", 0, 1), k, NPROF_TEXT, "x=y", 3);
  nprof_attr_bytes (row (f, NPROF_SPAN, f->line, "empty", 0, 1), k, NPROF_TEXT, NULL, 0);
  nprof_attr_bytes (row (f, NPROF_SPAN, f->line, "id", 0, 1), k, NPROF_ID128,
                    "\1\2\3\4\5\6\7\x8\x9\xa\xb\xc\xd\xe\xf\xff", 16);
  nprof_set_shared (row (f, NPROF_SPAN, f->line, "shared", 0, 1), set_of_step (f, -7));
  row (f, NPROF_SPAN, f->line, "none", 0, 1);
  check (f, &(NpSelection){ .where = list ("k=-7", NULL) }, "int");
  check (f, &(NpSelection){ .where = list ("k=-07", NULL) }, "");
  check (f, &(NpSelection){ .where = list ("k=18446744073709551615", NULL) }, "uint");
  check (f, &(NpSelection){ .where = list ("k=018446744073709551615", NULL) }, "");
  check (f, &(NpSelection){ .where = list ("k=1e22", NULL) }, "double");
  check (f, &(NpSelection){ .where = list ("k=1e+22", NULL) }, "double");
  check (f, &(NpSelection){ .where = list ("k=true", NULL) }, "bool");
  check (f, &(NpSelection){ .where = list ("k=x=y", NULL) }, "string text");
  check (f, &(NpSelection){ .where = list ("k=", NULL) }, "empty shared none");
  check (f, &(NpSelection){ .where = list ("step=", NULL) },
         "int uint double bool string text empty id none");
  check (f, &(NpSelection){ .where = list ("k=0102030405060708090a0b0c0d0e0fff", NULL) }, "id");
  check (f, &(NpSelection){ .where = list ("step=-7", NULL) }, "shared");
  check (f, &(NpSelection){ .where = list ("nothing=1", NULL) }, "");
}

static void
test_where_numbers (Fixture *f, gconstpointer data)
{
  (void) data;
  nprof_str k = str (f, "k"), ns = str (f, "wait_ns"), dev = str (f, "device_duration");
  nprof_attr_int (row (f, NPROF_SPAN, f->line, "a", 0, 1000000), k, 5);
  nprof_attr_uint (row (f, NPROF_SPAN, f->line, "b", 1000, 1000001), k, G_MAXUINT64);
  nprof_attr_double (row (f, NPROF_SPAN, f->line, "c", -1000, 2000), k, 5.5);
  nprof_attr_str (row (f, NPROF_SPAN, f->line, "d", 0, -1), k, str (f, "2000"));
  nprof_attr_bytes (row (f, NPROF_INSTANT, f->line, "e", 3000, 0), k, NPROF_JSON,
                    "18446744073709551615", 20);
  nprof_attr_int (row (f, NPROF_INSTANT, f->line, "f", 0, 0), ns, 1500);
  nprof_attr_int (row (f, NPROF_INSTANT, f->line, "g", 0, 0), dev, 1500);
  nprof_set_value (row (f, NPROF_COUNTER, f->line, "h", 0, 0), 0.5);
  nprof_attr_str (row (f, NPROF_INSTANT, f->line, "i", 0, 0), k, str (f, "many"));
  nprof_set_shared (row (f, NPROF_SPAN, f->line, "j", 0, 1), set_of_step (f, -7));
  static const char *const cases[][2] = {
    { "duration>1us", "b" },
    { "duration >= 1us", "a b" },
    { "duration<1us", "c j" },
    { "duration=1us", "a" },
    { "duration!=1us", "b c j" },
    { "start>0", "b e" },
    { "start>=1ns", "b e" },
    { "start<=-1ns", "c" },
    { "end>=1001001ps", "b" },
    { "end=1ns", "c" },
    { "k>5", "b c d e" },
    { "k>=5", "a b c d e" },
    { "k<6", "a c" },
    { "k>18446744073709551614", "b e" },
    { "k>=18446744073709551616", "" },
    { "k=2kB", "d" },
    { "k!=2kB", "a b c e i" },
    { "k<2KiB", "a c d" },
    { "k!=5", "b c d e i" },
    { "k != many", "a b c d e" },
    { "k==many", "i" },
    { "wait_ns>1us", "f" },
    { "wait_ns>1.5us", "" },
    { "wait_ns=1.5us", "f" },
    { "wait_ns>=1500", "f" },
    { "device_duration>1ns", "g" },
    { "value>0.25", "h" },
    { "value<=0.25", "" },
    { "name!=a", "b c d e f g h i j" },
    { "kind!=span", "e f g h i" },
    { "step<0", "j" },
    { "step<-7", "" },
    { "thread!=XLA Ops", "" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check (f, &(NpSelection){ .where = list (cases[i][0], NULL) }, cases[i][1]);
}

static void
test_where_wrong (void)
{
  static const char *const cases[][2] = {
    { "duration>600", "\"600\": a time needs its unit: write 600ns, *" },
    { "duration=600", "\"600\": a time needs its unit: *" },
    { "duration>long", "\"long\": expected a time: *" },
    { "name>b", "name is a text: compare it with =, != or ~" },
    { "kind<span", "kind is a text: *" },
    { "k>many", "expected a number after the operator, not \"many\"" },
    { "k>", "at character 3: expected a value" },
    { "k>1ms", "\"ms\" is no unit of k: give a bare number, *" },
    { "k>5x", "\"x\" is no unit of k: *" },
    { ">5", "at character 1: expected FIELD OP VALUE, *" },
    { "duration", "at character 1: expected FIELD OP VALUE, *" },
    { "duration~1ms", "duration is a time: *" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    NpSelection s = { .where = list (cases[i][0], NULL) };
    g_autofree char *glob = g_strdup_printf ("--where %s: %s", cases[i][0], cases[i][1]);
    g_assert_false (np_selection_check (&s, &error));
    g_assert_error (error, NP_ERROR, NP_EXIT_USAGE);
    if (!g_pattern_match_simple (glob, error->message))
      g_error ("expected \"%s\", got \"%s\"", glob, error->message);
    np_selection_clear (&s);
  }
}

static void
test_check (void)
{
  g_autoptr (GError) error = NULL;
  NpSelection s = { .where = list ("novalue", NULL) };
  g_assert_false (np_selection_check (&s, &error));
  g_assert_error (error, NP_ERROR, NP_EXIT_USAGE);
  g_assert_cmpstr (error->message, ==,
                   "--where novalue: at character 1: expected FIELD OP VALUE, such as "
                   "category=compute, duration>1ms or name~gemm*");
  g_clear_error (&error);
  np_selection_clear (&s);
  g_assert_true (np_selection_is_empty (&s));
  s = (NpSelection){ .where = list ("=x", NULL) };
  g_assert_false (np_selection_check (&s, NULL));
  np_selection_clear (&s);
  s = (NpSelection){ .has_from = TRUE, .from = 2, .has_to = TRUE, .to = 1 };
  g_assert_false (np_selection_check (&s, &error));
  g_assert_cmpstr (error->message, ==,
                   "--from is after --to: no row can be selected; exchange them");
}

#define NO_TIME "expected a time: a decimal number and ps, ns, us, ms, s or min, such as 1.5ms"
#define NO_UNIT(x)                                                                                 \
  "a time needs its unit: write " x "ns, " x "us, " x "ms or " x "s (ps and min are known as "     \
  "well)"
#define TOO_FINE "finer than a picosecond: give fewer decimals"
#define TOO_LARGE "too large: times reach to 106 days from the origin"

static void
test_parse_time (void)
{
  static const struct {
    const char *text;
    gint64 ps;
    const char *problem;
  } cases[] = {
    { "0", 0, NULL },
    { "-0.00000000000000000", 0, NULL },
    { "100ns", 100000, NULL },
    { "1.5ms", 1500000000, NULL },
    { "-20us", -20000000, NULL },
    { "3s", 3000000000000, NULL },
    { "7ps", 7, NULL },
    { "0.001ns", 1, NULL },
    { ".5ns", 500, NULL },
    { "5.ns", 5000, NULL },
    { "0.5min", 30000000000000, NULL },
    { "0.00000000000005min", 3, NULL },
    { "1.000000000001s", 1000000000001, NULL },
    { "1.00000000000000000000000000000ps", 1, NULL },
    { "10.0200ns", 10020, NULL },
    { "9223372036854775807ps", G_MAXINT64, NULL },
    { "-9223372036854775807ps", -G_MAXINT64, NULL },
    { "9223372.036854775807s", G_MAXINT64, NULL },
    { "0000000000000000000000000000000000000000000000001ns", 1000, NULL },
    { "9223372036854775808ps", 0, TOO_LARGE },
    { "9223372.036854775808s", 0, TOO_LARGE },
    { "99999999999999999999999999999999999999999999999s", 0, TOO_LARGE },
    { "340282366920938463463374607431768211457ps", 0, TOO_LARGE },
    { "0.5ps", 0, TOO_FINE },
    { "1.0000000000001s", 0, TOO_FINE },
    { "1000000.00000000000001s", 0, TOO_FINE },
    { "0.0001ns", 0, TOO_FINE },
    { "0.00000000000001min", 0, TOO_FINE },
    { "0.000000000000005min", 0, TOO_FINE },
    { "600", 0, NO_UNIT ("600") },
    { "-1.5", 0, NO_UNIT ("-1.5") },
    { "", 0, NO_TIME },
    { "-", 0, NO_TIME },
    { ".", 0, NO_TIME },
    { "ms", 0, NO_TIME },
    { "1.2.3ms", 0, NO_TIME },
    { "1e3", 0, NO_TIME },
    { "1 ms", 0, NO_TIME },
    { "--1", 0, NO_TIME },
    { "1MS", 0, NO_TIME },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;
    gint64 ps = 0;
    gboolean ok = np_parse_time (cases[i].text, &ps, &error);
    if (!cases[i].problem) {
      g_assert_no_error (error);
      g_assert_true (ok);
      g_assert_cmpint (ps, ==, cases[i].ps);
      continue;
    }
    g_autofree char *message = g_strdup_printf ("\"%s\": %s", cases[i].text, cases[i].problem);
    g_assert_false (ok);
    g_assert_error (error, NP_ERROR, NP_EXIT_USAGE);
    g_assert_cmpstr (error->message, ==, message);
  }
}

static void
test_parse_steps (void)
{
  static const struct {
    const char *text;
    gint64 first, last, first_nth, last_nth;
  } good[] = { { "3..7", 3, 7, 0, 0 },
               { "3..", 3, G_MAXINT64, 0, 0 },
               { "..7", G_MININT64, 7, 0, 0 },
               { "5", 5, 5, 0, 0 },
               { "-3..-1", -3, -1, 0, 0 },
               { "0..0", 0, 0, 0, 0 },
               { "last", G_MININT64, G_MAXINT64, -1, -1 },
               { "2nd", G_MININT64, G_MAXINT64, 2, 2 },
               { "1st..last", G_MININT64, G_MAXINT64, 1, -1 },
               { "7..12th", 7, G_MAXINT64, 0, 12 } };
  static const char *const bad[]
      = { "",  "..", "a..b", "1...3", "3 ..4", " 3",    "99999999999999999999", "1..2..3",
          "-", "+3", "0th",  "-1st",  "2nt",   "lasts", "99999999999th" };
  for (guint i = 0; i < G_N_ELEMENTS (good); i++) {
    NpSelection s = { 0 };
    g_assert_true (np_parse_steps (good[i].text, &s, NULL));
    g_assert_true (s.has_step);
    g_assert_cmpint (s.step_first, ==, good[i].first);
    g_assert_cmpint (s.step_last, ==, good[i].last);
    g_assert_cmpint (s.step_first_nth, ==, good[i].first_nth);
    g_assert_cmpint (s.step_last_nth, ==, good[i].last_nth);
  }
  NpSelection s = { 0 };
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_autoptr (GError) error = NULL;
    g_assert_false (np_parse_steps (bad[i], &s, &error));
    g_assert_error (error, NP_ERROR, NP_EXIT_USAGE);
    g_assert_true (
        g_str_has_suffix (error->message, "\": expected steps: 5, 3..7, 3.., ..7, last or 2nd"));
  }
  g_autoptr (GError) error = NULL;
  g_assert_false (np_parse_steps ("7..3", &s, &error));
  g_assert_cmpstr (error->message, ==,
                   "\"7..3\": the first step is behind the last: write the smaller one first");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/select/time", Fixture, NULL, set_up, test_time, tear_down);
  g_test_add ("/select/context", Fixture, NULL, set_up, test_context, tear_down);
  g_test_add ("/select/context-of-all", Fixture, NULL, set_up, test_context_of_all, tear_down);
  g_test_add ("/select/all", Fixture, NULL, set_up, test_all, tear_down);
  g_test_add ("/select/mark", Fixture, NULL, set_up, test_mark, tear_down);
  g_test_add ("/select/step", Fixture, NULL, set_up, test_step, tear_down);
  g_test_add ("/select/globs", Fixture, NULL, set_up, test_globs, tear_down);
  g_test_add ("/select/where/columns", Fixture, NULL, set_up, test_where_columns, tear_down);
  g_test_add ("/select/where/joined", Fixture, NULL, set_up, test_joined, tear_down);
  g_test_add ("/select/where/where-beyond-doubles", Fixture, NULL, set_up,
              test_where_beyond_doubles, tear_down);
  g_test_add ("/select/where/attributes", Fixture, NULL, set_up, test_where_attributes, tear_down);
  g_test_add ("/select/where/numbers", Fixture, NULL, set_up, test_where_numbers, tear_down);
  g_test_add_func ("/select/where/wrong", test_where_wrong);
  g_test_add_func ("/select/check", test_check);
  g_test_add_func ("/select/parse-time", test_parse_time);
  g_test_add_func ("/select/parse-steps", test_parse_steps);
  return g_test_run ();
}
