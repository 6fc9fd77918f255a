/* SPDX-License-Identifier: Apache-2.0 */
/* test-testhost.c - does testhost see what a component does, and each rule that it breaks? */

#include "testhost.h"

#include <nprof/draft/digest.h>

/* -- A decoder: lines "name start duration"; each line is a part of its own ----- */

typedef struct {
  const struct nprof_host *host;
  int64_t limit;
  const char *data;
  guint64 len;
} Lines;

static const struct nprof_table lines_table = {
  .size = sizeof lines_table,
  .name = "lines",
  .columns = NPROF_COLUMNS (NPROF_VALUE_COLUMN (NPROF_INT64, "at", "byte", ""),
                            NPROF_VALUE_COLUMN (NPROF_TEXT, "text", "", "")),
};

static nprof_status
lines_open (void *self, const struct nprof_host *host)
{
  Lines *lines = self;
  lines->host = host;
  nprof_log (host, NPROF_INFO, "limit %d", (int) lines->limit);
  host->property (host, "version", "1");
  return host->origin (host, 1000);
}

static nprof_status
add_line (const struct nprof_host *host, const char *line, guint64 at)
{
  char name[32];
  long long start, duration;
  if (sscanf (line, "%31s %lld %lld", name, &start, &duration) != 3) {
    host->skip (host, "line", at, "not three words");
    return NPROF_OK;
  }
  if (duration < 0)
    return nprof_damage (host, at, "duration %lld of \"%s\"", duration, name);
  struct nprof_writer *w = host->writer (host);
  nprof_track track = host->track (host, 0, NPROF_TRACK_DEVICE, nprof_intern (host, "d"), 0, 0);
  track = track ? host->track (host, track, NPROF_TRACK_QUEUE, nprof_intern (host, "q"),
                               nprof_intern (host, "Queue"), 0)
                : 0;
  if (!w || !track)
    return nprof_fail (host, NPROF_E_NOMEM, "no memory");
  nprof_status status = nprof_span (w, track, nprof_intern (host, name), start, duration);
  if (!status && host->wanted (host, "half"))
    status = nprof_attr_double (w, nprof_intern (host, "half"), (double) duration / 2);
  if (!status)
    status = nprof_attr_bytes (w, nprof_intern (host, "raw"), NPROF_JSON, "[1]", 3);
  if (status)
    return status;
  const struct nprof_cell cells[] = { nprof_cell_str (host->input (host, 0)->label),
                                      nprof_cell_int ((int64_t) at), nprof_cell_text (name) };
  return host->row (host, &lines_table, cells);
}

/* The lines from..to (numbers), each copied so that it ends. */
static nprof_status
add_lines (const Lines *lines, const struct nprof_host *host, guint from, guint to)
{
  const char *end = lines->data + lines->len;
  guint number = 0;
  for (const char *p = lines->data, *next; p < end; p = next, number++) {
    const char *newline = memchr (p, '\n', (gsize) (end - p));
    next = newline ? newline + 1 : end;
    g_autofree char *line = g_strndup (p, (gsize) (next - p));
    guint64 at = (guint64) (p - lines->data);
    nprof_status status = number < from || number >= to ? 0 : add_line (host, line, at);
    if (status)
      return status;
    if (number >= from && number < to
        && (status = host->progress (host, at, (guint64) (next - lines->data))))
      return status;
  }
  return NPROF_OK;
}

static nprof_status
lines_decode (void *self, const void *data, uint64_t len)
{
  Lines *lines = self;
  lines->data = data;
  lines->len = len;
  return add_lines (lines, lines->host, 0, G_MAXUINT);
}

static nprof_status
lines_plan (void *self, const void *data, uint64_t len, uint32_t *n_parts)
{
  Lines *lines = self;
  lines->data = data;
  lines->len = len;
  for (guint64 i = 0; i < len; i++)
    *n_parts += lines->data[i] == '\n';
  return NPROF_OK;
}

static nprof_status
lines_part (void *self, uint32_t number, void *part, const struct nprof_host *host)
{
  *(char **) part = g_strdup ("state of a part");
  return add_lines (self, host, number, number + 1);
}

static nprof_status
lines_join (void *self, uint32_t number, void *part, int failed)
{
  (void) self;
  (void) number;
  (void) failed;
  g_free (*(char **) part);
  return NPROF_OK;
}

static int
lines_probe (const void *head, size_t len, uint64_t size, const char *path)
{
  (void) size;
  (void) path;
  return len && memchr (head, ' ', len) ? 60 : 0;
}

static const struct nprof_component whole = {
  .size = sizeof whole,
  .kind = NPROF_DECODER,
  .name = "lines",
  .options = NPROF_OPTIONS (NPROF_INT_OPTION (Lines, limit, "limit", "5", "1..10", "")),
  .attributes = NPROF_ATTRIBUTES (NPROF_ATTRIBUTE (NPROF_DOUBLE, "half", "", "")),
  .tables = (const struct nprof_table *const[]){ &lines_table, NULL },
  .instance_size = sizeof (Lines),
  .probe = lines_probe,
  .open = lines_open,
  .decode = lines_decode,
};

/* The same, in parts. */
static struct nprof_component
in_parts (void)
{
  struct nprof_component component = whole;
  component.part_size = sizeof (char *);
  component.plan = lines_plan;
  component.decode_part = lines_part;
  component.join = lines_join;
  return component;
}

#define GOOD "a 10 4\nb 20 5\nwhat\nc 30 6\n"
#define BAD "a 10 4\nb 20 -5\nc 30 6\n"

static void
test_decode (void)
{
  g_autoptr (NprofTestRun) run = nprof_test_decode (&whole, "limit=3", GOOD, strlen (GOOD), NULL);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (run->n_rows, ==, 3);
  const NprofTestRow *row = nprof_test_row (run, "b");
  g_assert_cmpint (row->start, ==, 20);
  g_assert_cmpint (row->duration, ==, 5);
  g_assert_cmpstr (row->path, ==, "d/Queue");
  g_assert_cmpstr (nprof_test_label (run, row->track), ==, "Queue");
  g_assert_cmpstr (row->category, ==, "");
  g_assert_cmpstr (nprof_test_attr (row, "half"), ==, "2.5");
  g_assert_cmpstr (nprof_test_attr (row, "raw"), ==, "[1]");
  g_assert_null (nprof_test_attr (row, "other"));
  g_assert_null (nprof_test_row (run, "z"));
  g_assert_cmpuint (nprof_test_count (run, NPROF_SPAN), ==, 3);
  g_assert_cmpuint (nprof_test_table (run, "lines")->n_rows, ==, 3);
  g_assert_cmpstr (nprof_test_cell (run, "lines", 1, "input"), ==, "input");
  g_assert_cmpstr (nprof_test_cell (run, "lines", 1, "at"), ==, "7");
  g_assert_cmpstr (nprof_test_cell (run, "lines", 2, "text"), ==, "c");
  g_assert_cmpuint (nprof_test_skips (run, "line"), ==, 1);
  g_assert_cmpuint (run->skipped[0].at, ==, 14);
  g_assert_cmpint (run->origin, ==, 1000);
  g_assert_cmpuint (run->progress, ==, strlen (GOOD));
  g_assert_cmpstr (nprof_test_property (run, "version"), ==, "1");
  g_assert_true (nprof_test_logged (run, "info: limit 3"));
  g_assert_cmpint (nprof_test_probe (&whole, GOOD, strlen (GOOD), "x"), ==, 60);
  g_assert_cmpint (nprof_test_probe (&whole, "", 0, "x"), ==, 0);
}

static void
test_wanted (void)
{
  static const char *const none[] = { NULL };
  NprofTestConfig config = { .wanted = none, .label = "x.txt" };
  g_autoptr (NprofTestRun) run = nprof_test_decode (&whole, NULL, GOOD, strlen (GOOD), &config);
  nprof_test_assert_ok (run);
  g_assert_null (nprof_test_attr (&run->rows[0], "half"));
  g_assert_cmpstr (nprof_test_cell (run, "lines", 0, "input"), ==, "x.txt");
}

static void
test_options (void)
{
  g_autoptr (NprofTestRun) run = nprof_test_decode (&whole, "limit=11", GOOD, strlen (GOOD), NULL);
  nprof_test_assert_fails (run, NPROF_E_OPTION, "1..10");
  g_assert_cmpuint (run->n_rows, ==, 0);
}

static void
test_damage (void)
{
  g_autoptr (NprofTestRun) run = nprof_test_decode (&whole, NULL, BAD, strlen (BAD), NULL);
  nprof_test_assert_fails (run, NPROF_E_FORMAT, "byte 7: duration -5 of \"b\"");
  NprofTestConfig config = { .keep_going = TRUE };
  g_autoptr (NprofTestRun) on = nprof_test_decode (&whole, NULL, BAD, strlen (BAD), &config);
  nprof_test_assert_ok (on);
  g_assert_cmpuint (on->n_rows, ==, 2);
  g_assert_cmpuint (on->n_damage, ==, 1);
  g_assert_cmpuint (on->damage[0].at, ==, 7);
}

static void
test_parts (void)
{
  struct nprof_component parts = in_parts ();
  g_autoptr (NprofTestRun) expected = nprof_test_decode (&whole, NULL, GOOD, strlen (GOOD), NULL);
  g_autofree char *expected_dump = nprof_test_dump (expected);
  for (guint threads = 0; threads <= 4; threads++) {
    NprofTestConfig config = { .threads = threads };
    g_autoptr (NprofTestRun) run = nprof_test_decode (&parts, NULL, GOOD, strlen (GOOD), &config);
    nprof_test_assert_ok (run);
    g_autofree char *dump = nprof_test_dump (run);
    g_assert_cmpstr (dump, ==, expected_dump);
    g_autoptr (NprofTestRun) bad = nprof_test_decode (&parts, NULL, BAD, strlen (BAD), &config);
    nprof_test_assert_fails (bad, NPROF_E_FORMAT, "byte 7");
  }
}

static void
test_torture (void)
{
  struct nprof_component parts = in_parts ();
  nprof_test_torture (&whole, NULL, GOOD, strlen (GOOD));
  nprof_test_torture (&whole, NULL, BAD, strlen (BAD));
  nprof_test_torture (&whole, NULL, "", 0);
  nprof_test_torture (&parts, NULL, GOOD, strlen (GOOD));
  nprof_test_torture (&parts, NULL, BAD, strlen (BAD));
}

/* -- A decoder that breaks one rule at a time ------------------------------ */

enum {
  SILENT,
  DEAF,
  POSITIVE,
  NOBODY,
  TRACK,
  NAME,
  KIND,
  SHORT,
  ENDLESS,
  INSTANT,
  COUNTER,
  FACT,
  FLOW,
  ATTR_TYPE,
  ATTR_KEY,
  ATTR_BYTES,
  TEXT,
  BOOL,
  PRESENT,
  COUNTS,
  SET,
  ORIGIN,
  TABLE,
  CELL,
  PROGRESS,
  PARENT
};

typedef struct {
  const struct nprof_host *host;
  int64_t rule;
} Breaker;

static nprof_status
break_row (const struct nprof_host *h, int64_t rule, struct nprof_writer *w, nprof_track t)
{
  nprof_str key = nprof_intern (h, "half"), other = nprof_intern (h, "other");
  nprof_value far = { .bytes = { 4000, 4000 } }, two = { .u = 2 };
  switch (rule) {
  case TRACK:
    return nprof_span (w, 99, key, 0, 1);
  case NAME:
    return nprof_span (w, t, 99, 0, 1);
  case KIND:
    return nprof_row (w, 17, t, key, 0, 1);
  case SHORT:
    return nprof_span (w, t, key, 0, -2);
  case ENDLESS:
    return nprof_span (w, t, key, INT64_MAX, 1);
  case INSTANT:
    return nprof_row (w, NPROF_INSTANT, t, key, 0, 1);
  case COUNTER:
    return nprof_row (w, NPROF_COUNTER, t, key, 0, 0);
  case FACT:
    return nprof_row (w, NPROF_FACT, t, key, 0, 0);
  case FLOW:
    nprof_row (w, NPROF_FLOW, t, key, 0, 0);
    nprof_set_category (w, other);
    nprof_set_flow (w, 1);
    return nprof_attr_str (w, nprof_intern (h, "flow_phase"), nprof_intern (h, "middle"));
  default:
    break;
  }
  nprof_span (w, t, key, 0, 1);
  switch (rule) {
  case ATTR_TYPE:
    return nprof_attr_int (w, key, 1);
  case ATTR_KEY:
    return nprof_attr_int (w, 0, 1);
  case ATTR_BYTES:
    return nprof_attr (w, other, NPROF_TEXT, far);
  case TEXT:
    return nprof_attr_bytes (w, other, NPROF_TEXT, "\xff", 1);
  case BOOL:
    return nprof_attr (w, other, NPROF_BOOL, two);
  case PRESENT:
    w->id[0] = 1;
    break;
  case COUNTS:
    w->attr_at[1] = 5;
    break;
  case SET:
    nprof_set_shared (w, 5);
    break;
  case ORIGIN:
    return h->origin (h, 0);
  default:
    break;
  }
  return NPROF_OK;
}

static const struct nprof_table stray_table = {
  .size = sizeof stray_table,
  .name = "stray",
  .columns = NPROF_COLUMNS (NPROF_VALUE_COLUMN (NPROF_INT64, "n", "", "")),
};

static nprof_status
break_decode (void *self, const void *data, uint64_t len)
{
  (void) data;
  const Breaker *b = self;
  const struct nprof_host *h = b->host;
  const struct nprof_cell cells[]
      = { nprof_cell_null (), nprof_cell_text ("x"), nprof_cell_null () };
  switch (b->rule) {
  case SILENT:
    return NPROF_E_FORMAT;
  case DEAF:
    h->damage (h, 0, "deaf");
    return NPROF_OK;
  case POSITIVE:
    return 3;
  case NOBODY:
    return NPROF_CANCELLED;
  case TABLE:
    return h->table (h, &stray_table);
  case CELL:
    return h->row (h, &lines_table, cells);
  case PROGRESS:
    return h->progress (h, 0, len + 1);
  case PARENT:
    if (!h->track (h, 77, NPROF_TRACK_THREAD, 0, 0, 0))
      return nprof_fail (h, NPROF_E_CONTRACT, "no track");
    return NPROF_OK;
  default:
    break;
  }
  nprof_track t = h->track (h, 0, NPROF_TRACK_THREAD, nprof_intern (h, "t"), 0, 0);
  return break_row (h, b->rule, h->writer (h), t);
}

static nprof_status
break_open (void *self, const struct nprof_host *host)
{
  ((Breaker *) self)->host = host;
  return NPROF_OK;
}

static const struct nprof_component breaker = {
  .size = sizeof breaker,
  .kind = NPROF_DECODER,
  .name = "breaker",
  .options = NPROF_OPTIONS (NPROF_INT_OPTION (Breaker, rule, "rule", "0", NULL, "")),
  .attributes = NPROF_ATTRIBUTES (NPROF_ATTRIBUTE (NPROF_DOUBLE, "half", "", "")),
  .tables = (const struct nprof_table *const[]){ &lines_table, NULL },
  .instance_size = sizeof (Breaker),
  .open = break_open,
  .decode = break_decode,
};

static void
test_rules (void)
{
  static const struct {
    gint rule;
    const char *broken;
  } cases[] = {
    { SILENT, "did not say why" },
    { DEAF, "decode returned NPROF_OK although" },
    { POSITIVE, "returned 3, which is no status" },
    { NOBODY, "nobody cancelled" },
    { TRACK, "row \"half\": track 99 is unknown" },
    { NAME, "name 99" },
    { KIND, "17 is no kind" },
    { SHORT, "duration -2" },
    { ENDLESS, "do not fit int64" },
    { INSTANT, "an instant has a duration" },
    { COUNTER, "a counter has no value" },
    { FACT, "exactly one attribute" },
    { FLOW, "no flow_phase" },
    { ATTR_TYPE, "has type 1, declared is 3" },
    { ATTR_KEY, "attribute key 0" },
    { ATTR_BYTES, "points beyond the bytes" },
    { TEXT, "\"other\" is no UTF-8" },
    { BOOL, "neither 0 nor 1" },
    { PRESENT, "`present` does not say so" },
    { COUNTS, "the counts of the writer do not hold" },
    { SET, "shared set 5 is unknown" },
    { ORIGIN, "origin was called after the first row" },
    { TABLE, "table \"stray\" is not in `tables`" },
    { CELL, "a cell of column \"at\" is text, declared is int64" },
    { PROGRESS, "progress 0..4 of an input of 3 bytes" },
    { PARENT, "the parent 77 is no track" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *options = g_strdup_printf ("rule=%d", cases[i].rule);
    g_autoptr (NprofTestRun) run = nprof_test_decode (&breaker, options, "abc", 3, NULL);
    if (run->n_broken == 0 || !strstr (run->broken[0], cases[i].broken))
      g_error ("expected \"%s\", got \"%s\"", cases[i].broken,
               run->n_broken ? run->broken[0] : "nothing");
  }
}

/* A broken rule must fail the test that looks at the run. */
static void
test_assert (void)
{
  if (g_test_subprocess ()) {
    NprofTestRun *run = nprof_test_decode (&breaker, "rule=4", "abc", 3, NULL);
    nprof_test_assert_fails (run, NPROF_OK, NULL);
    return;
  }
  g_test_trap_subprocess (NULL, 0, (GTestSubprocessFlags) 0);
  g_test_trap_assert_failed ();
}

/* -- An analyzer and a sink ------------------------------------------------ */

typedef struct {
  const struct nprof_host *host;
  int64_t last;
  struct nprof_output *out;
} Consumer;

static const struct nprof_table sum_table = {
  .size = sizeof sum_table,
  .name = "sum",
  .columns = NPROF_COLUMNS (NPROF_VALUE_COLUMN (NPROF_INT64, "last", "ps", "")),
};

static nprof_status
consumer_open (void *self, const struct nprof_host *host)
{
  ((Consumer *) self)->host = host;
  return NPROF_OK;
}

/* Adds a row of its own for each row, and sees that they come in order of time. */
static nprof_status
analyzer_consume (void *self, const struct nprof_batch *batch)
{
  Consumer *a = self;
  struct nprof_writer *w = a->host->writer (a->host);
  for (guint i = 0; i < batch->n_rows; i++) {
    if (batch->start[i] < a->last)
      return nprof_fail (a->host, NPROF_E_CONTRACT, "out of order");
    a->last = batch->start[i];
    nprof_status status = nprof_span (w, batch->track[i], batch->name[i], a->last, 0);
    if (status)
      return status;
  }
  return NPROF_OK;
}

static nprof_status
analyzer_finish (void *self)
{
  Consumer *a = self;
  const struct nprof_run_info *info = a->host->run (a->host);
  const struct nprof_cell cells[] = { nprof_cell_null (), nprof_cell_int (info->last) };
  return a->host->row (a->host, &sum_table, cells);
}

static const struct nprof_component analyzer = {
  .size = sizeof analyzer,
  .kind = NPROF_ANALYZER,
  .name = "sum",
  .order = NPROF_ORDER_TIME,
  .tables = (const struct nprof_table *const[]){ &sum_table, NULL },
  .instance_size = sizeof (Consumer),
  .open = consumer_open,
  .consume = analyzer_consume,
  .finish = analyzer_finish,
};

static nprof_status
sink_consume (void *self, const struct nprof_batch *batch)
{
  Consumer *s = self;
  if (!s->out && !(s->out = s->host->output (s->host, "out.txt")))
    return NPROF_E_IO;
  for (guint i = 0; i < batch->n_rows; i++) {
    const char *name = nprof_text (s->host, batch->name[i]);
    nprof_status status = s->out->write (s->out, name, strlen (name));
    if (status)
      return status;
  }
  return NPROF_OK;
}

static nprof_status
sink_table (void *self, const struct nprof_table *table, const struct nprof_cell *cells,
            uint32_t n_rows)
{
  (void) cells;
  Consumer *s = self;
  nprof_log (s->host, NPROF_INFO, "%s %u", table->name, n_rows);
  return NPROF_OK;
}

static void
sink_abort (void *self)
{
  Consumer *s = self;
  nprof_log (s->host, NPROF_INFO, "aborted");
}

static const struct nprof_component sink = {
  .size = sizeof sink,
  .kind = NPROF_SINK,
  .name = "names",
  .flags = NPROF_SINK_FOLDER,
  .instance_size = sizeof (Consumer),
  .open = consumer_open,
  .consume = sink_consume,
  .table = sink_table,
  .abort = sink_abort,
};

static void
feed (NprofTestRun *run, int64_t start, const char *name)
{
  const struct nprof_host *h = nprof_test_host (run);
  nprof_track t = h->track (h, 0, NPROF_TRACK_THREAD, nprof_intern (h, "t"), 0, 0);
  g_assert_cmpint (nprof_span (h->writer (h), t, nprof_intern (h, name), start, 1), ==, NPROF_OK);
}

static void
test_analyzer (void)
{
  NprofTestConfig config = { .rows = 2 };
  g_autoptr (NprofTestRun) run = nprof_test_open (&analyzer, NULL, &config);
  feed (run, 30, "c");
  feed (run, 10, "a");
  feed (run, 20, "b");
  g_assert_cmpint (nprof_test_finish (run), ==, NPROF_OK);
  nprof_test_assert_ok (run);
  g_assert_cmpuint (run->n_rows, ==, 3);
  g_assert_cmpstr (run->rows[0].name, ==, "a");
  g_assert_cmpstr (run->rows[2].name, ==, "c");
  g_assert_cmpstr (nprof_test_cell (run, "sum", 0, "last"), ==, "31");
  g_assert_null (nprof_test_cell (run, "sum", 0, "input"));
}

static void
test_sink (void)
{
  g_autoptr (NprofTestRun) run = nprof_test_open (&sink, NULL, NULL);
  feed (run, 30, "c");
  feed (run, 10, "a");
  nprof_test_host (run)->table (nprof_test_host (run), &sum_table);
  nprof_test_finish (run);
  nprof_test_assert_ok (run);
  g_assert_cmpstr (nprof_test_output (run, "out.txt"), ==, "ca");
  g_assert_cmpuint (nprof_test_output_size (run, "out.txt"), ==, 2);
  g_assert_null (nprof_test_output (run, "other"));
  g_assert_true (nprof_test_logged (run, "sum 0"));
  g_assert_false (nprof_test_logged (run, "aborted"));
}

static void
test_sink_full_disk (void)
{
  NprofTestConfig config = { .write_limit = 1 };
  g_autoptr (NprofTestRun) run = nprof_test_open (&sink, NULL, &config);
  feed (run, 30, "c");
  feed (run, 10, "a");
  nprof_test_finish (run);
  nprof_test_assert_fails (run, NPROF_E_IO, "full");
  g_assert_true (nprof_test_logged (run, "aborted"));
}

static nprof_status
digest_open (void *self, const struct nprof_host *host)
{
  char hex[41];
  const struct nprof_digest *digest = host->extension (host, NPROF_DIGEST);
  consumer_open (self, host);
  g_assert_cmpint (digest->of (host, 0, hex), ==, NPROF_OK);
  g_assert_cmpuint (strlen (hex), ==, 40);
  g_assert_cmpint (digest->of (host, 1, hex), ==, NPROF_E_CONTRACT);
  return NPROF_OK;
}

static nprof_status
digest_finish (void *self)
{
  char hex[41];
  Consumer *s = self;
  const struct nprof_digest *digest = s->host->extension (s->host, NPROF_DIGEST);
  return digest->of (s->host, 0, hex);
}

/* The digest of the one input can be had while the sink is opened. */
static void
test_digest (void)
{
  const struct nprof_component late = {
    .size = sizeof late,
    .kind = NPROF_SINK,
    .name = "late",
    .instance_size = sizeof (Consumer),
    .open = digest_open,
    .finish = digest_finish,
  };
  g_autoptr (NprofTestRun) run = nprof_test_open (&late, NULL, NULL);
  g_assert_cmpuint (run->n_broken, ==, 0);
  g_assert_cmpint (nprof_test_finish (run), ==, NPROF_E_CONTRACT);
  g_assert_cmpuint (run->n_broken, ==, 1);
  g_assert_nonnull (strstr (run->broken[0], "digest was called"));
}

/* A decoder's rows and tables into a sink, which shares its strings and tracks. */
static void
test_into (void)
{
  g_autoptr (NprofTestRun) names = nprof_test_open (&sink, NULL, NULL);
  NprofTestConfig config = { .into = names };
  g_autoptr (NprofTestRun) run = nprof_test_decode (&whole, NULL, GOOD, strlen (GOOD), &config);
  nprof_test_assert_ok (run);
  nprof_test_finish (names);
  nprof_test_assert_ok (names);
  g_assert_cmpstr (nprof_test_output (names, "out.txt"), ==, "abc");
  g_assert_true (nprof_test_logged (names, "lines 3"));
}

static void
test_siblings (void)
{
  static const NprofTestFile files[]
      = { { "a.neff", "neff", 4 }, { "b", "", 0 }, { NULL, NULL, 0 } };
  NprofTestConfig config = { .siblings = files };
  g_autoptr (NprofTestRun) run = nprof_test_open (&analyzer, NULL, &config);
  const struct nprof_host *h = nprof_test_host (run);
  uint64_t len;
  const void *data = h->sibling (h, "a.neff", &len);
  g_assert_cmpmem (data, len, "neff", 4);
  g_assert_null (h->sibling (h, "c", &len));
  g_assert_cmpstr (run->failure, ==, "c: no such sibling");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/testhost/decode", test_decode);
  g_test_add_func ("/testhost/wanted", test_wanted);
  g_test_add_func ("/testhost/options", test_options);
  g_test_add_func ("/testhost/damage", test_damage);
  g_test_add_func ("/testhost/parts", test_parts);
  g_test_add_func ("/testhost/torture", test_torture);
  g_test_add_func ("/testhost/rules", test_rules);
  g_test_add_func ("/testhost/assert", test_assert);
  g_test_add_func ("/testhost/analyzer", test_analyzer);
  g_test_add_func ("/testhost/sink", test_sink);
  g_test_add_func ("/testhost/sink-full-disk", test_sink_full_disk);
  g_test_add_func ("/testhost/digest", test_digest);
  g_test_add_func ("/testhost/into", test_into);
  g_test_add_func ("/testhost/siblings", test_siblings);
  return g_test_run ();
}
