/* SPDX-License-Identifier: Apache-2.0 */
/* lines.c - components for tests of the core: a decoder of a line format in which any
 * stream of rows can be written down, an analyzer that answers what it sees, and sinks
 * that print each row as a line, in each of the orders.
 *
 *   #nprof-lines
 *   origin UNIX_NS            property KEY VALUE
 *   span TRACK NAME START DURATION [KEY=VALUE ...]      times in ps
 *   instant TRACK NAME START   counter TRACK NAME START VALUE   gap TRACK START DURATION
 *   flow TRACK FAMILY START ID PHASE                     fact TRACK KEY VALUE
 *   row A B     (table `pairs`)   skip WHAT   bad (a damaged record)   fail WHY
 *   TRACK - is none, as host->track gives it without memory
 *   late KEY VALUE            a property from a part, which is against the contract
 *   wait PATH                 what follows comes when somebody opens this FIFO for writing
 *
 * Values of attributes: 12 int64, 12u uint64, 1.5 double, true|false bool, {..} json,
 * 'text text, anything else string.  id= and parent= set those columns. */

#include <nprof/sdk.h>

#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_TOKENS 64
#define PART_BYTES 256

static const struct nprof_table pairs = {
  .size = sizeof (struct nprof_table),
  .name = "pairs",
  .title = "Pairs",
  .columns = NPROF_COLUMNS (NPROF_VALUE_COLUMN (NPROF_TEXT, "a", "", "first"),
                            NPROF_VALUE_COLUMN (NPROF_INT64, "b", "ps", "second, ? is unknown")),
};

typedef struct {
  const struct nprof_host *host;
  const char *data;
  uint64_t len;
  int64_t part_bytes;
  bool join_rows, late;
} Lines;

typedef struct {
  const struct nprof_host *host;
  struct nprof_writer *w;
  uint64_t at; /* of the line */
  unsigned n;
  char *token[MAX_TOKENS];
} Line;

/* -- Decoder --------------------------------------------------------------- */

static int
lines_probe (const void *head, size_t len, uint64_t size, const char *path)
{
  (void) size, (void) path;
  static const char magic[] = "#nprof-lines";
  return len >= sizeof magic - 1 && !memcmp (head, magic, sizeof magic - 1) ? 90 : 0;
}

static nprof_status
lines_open (void *self, const struct nprof_host *host)
{
  ((Lines *) self)->host = host;
  return NPROF_OK;
}

static uint64_t
line_end (const Lines *l, uint64_t at)
{
  const char *end = memchr (l->data + at, '\n', l->len - at);
  return end ? (uint64_t) (end - l->data) + 1 : l->len;
}

static void
split (Line *line, char *text)
{
  line->n = 0;
  for (char *save, *t = strtok_r (text, " \n", &save); t && line->n < MAX_TOKENS;
       t = strtok_r (NULL, " \n", &save))
    line->token[line->n++] = t;
}

static const char *
arg (const Line *line, unsigned i)
{
  return i < line->n ? line->token[i] : "";
}

static int64_t
number (const Line *line, unsigned i)
{
  return strtoll (arg (line, i), NULL, 10);
}

static nprof_track
track_of (const Line *line, unsigned i)
{
  nprof_str key = nprof_intern (line->host, arg (line, i));
  if (!strcmp (arg (line, i), "-"))
    return 0; /* as when there is no memory */
  return line->host->track (line->host, 0, NPROF_TRACK_THREAD, key, key, 0);
}

static nprof_status
add_attr (const Line *line, const char *key, const char *value)
{
  nprof_str k = nprof_intern (line->host, key);
  size_t len = strlen (value);
  char *end;
  if (!strcmp (key, "id") || !strcmp (key, "parent")) {
    (key[0] == 'i' ? nprof_set_id : nprof_set_parent) (line->w, strtoull (value, NULL, 10));
    return NPROF_OK;
  }
  if (!strcmp (value, "true") || !strcmp (value, "false"))
    return nprof_attr (line->w, k, NPROF_BOOL, (nprof_value){ .u = value[0] == 't' });
  if (value[0] == '{')
    return nprof_attr_bytes (line->w, k, NPROF_JSON, value, (uint32_t) len);
  if (value[0] == '\'')
    return nprof_attr_bytes (line->w, k, NPROF_TEXT, value + 1, (uint32_t) len - 1);
  int64_t i = strtoll (value, &end, 10);
  if (len && !*end)
    return nprof_attr_int (line->w, k, i);
  if (len > 1 && end[0] == 'u' && !end[1])
    return nprof_attr_uint (line->w, k, strtoull (value, NULL, 10));
  double f = strtod (value, &end);
  if (len && !*end)
    return nprof_attr_double (line->w, k, f);
  return nprof_attr_str (line->w, k, nprof_intern (line->host, value));
}

static nprof_status
add_attrs (const Line *line, unsigned from)
{
  for (unsigned i = from; i < line->n; i++) {
    char *equals = strchr (line->token[i], '=');
    if (!equals)
      continue;
    *equals = 0;
    nprof_status status = add_attr (line, line->token[i], equals + 1);
    if (status)
      return status;
  }
  return NPROF_OK;
}

static nprof_status
add_flow (const Line *line)
{
  nprof_str family = nprof_intern (line->host, arg (line, 2));
  nprof_status status
      = nprof_row (line->w, NPROF_FLOW, track_of (line, 1), family, number (line, 3), 0);
  if (status)
    return status;
  nprof_set_category (line->w, family);
  nprof_set_flow (line->w, strtoull (arg (line, 4), NULL, 10));
  return nprof_attr_str (line->w, nprof_intern (line->host, "flow_phase"),
                         nprof_intern (line->host, arg (line, 5)));
}

static nprof_status
add_pair (const Line *line)
{
  struct nprof_cell b
      = *arg (line, 2) == '?' ? nprof_cell_null () : nprof_cell_int (number (line, 2));
  return line->host->row (line->host, &pairs,
                          (struct nprof_cell[]){ nprof_cell_own_input (line->host),
                                                 nprof_cell_text (arg (line, 1)), b });
}

static void
wait_for (const char *path)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  if (fd >= 0)
    close (fd);
}

static nprof_status
decode_line (const Line *line)
{
  const char *what = arg (line, 0);
  nprof_status status = NPROF_OK;
  nprof_str name = nprof_intern (line->host, arg (line, 2));
  if (!strcmp (what, "span"))
    status = nprof_span (line->w, track_of (line, 1), name, number (line, 3), number (line, 4));
  else if (!strcmp (what, "instant"))
    status = nprof_instant (line->w, track_of (line, 1), name, number (line, 3));
  else if (!strcmp (what, "counter"))
    status
        = nprof_counter (line->w, track_of (line, 1), name, number (line, 3), atof (arg (line, 4)));
  else if (!strcmp (what, "gap"))
    status = nprof_row (line->w, NPROF_GAP, track_of (line, 1), nprof_intern (line->host, "gap"),
                        number (line, 2), number (line, 3));
  else if (!strcmp (what, "flow"))
    return add_flow (line);
  else if (!strcmp (what, "fact")) {
    status = nprof_row (line->w, NPROF_FACT, track_of (line, 1), name, 0, 0);
    return status ? status : add_attr (line, arg (line, 2), arg (line, 3));
  } else if (!strcmp (what, "row"))
    return add_pair (line);
  else if (!strcmp (what, "skip"))
    line->host->skip (line->host, arg (line, 1), line->at, "as the file asks");
  else if (!strcmp (what, "late"))
    return line->host->property (line->host, arg (line, 1), arg (line, 2));
  else if (!strcmp (what, "wait"))
    wait_for (arg (line, 1));
  else if (!strcmp (what, "bad"))
    return nprof_damage (line->host, line->at, "a bad line: expected a good one");
  else if (!strcmp (what, "fail"))
    return nprof_fail (line->host, NPROF_E_FORMAT, "byte %llu: told to fail: %s",
                       (unsigned long long) line->at, arg (line, 1));
  return status ? status : add_attrs (line, 3);
}

static nprof_status
head_line (const Lines *l, const Line *line)
{
  if (!strcmp (arg (line, 0), "origin"))
    return l->host->origin (l->host, number (line, 1));
  if (!strcmp (arg (line, 0), "property"))
    return l->host->property (l->host, arg (line, 1), arg (line, 2));
  if (line->n > 1 && strcmp (arg (line, 0), "row") && strcmp (arg (line, 0), "skip")
      && strcmp (arg (line, 0), "fail") && strcmp (arg (line, 0), "wait"))
    track_of (line, 1); /* handles are made in plan, so that they do not race */
  return NPROF_OK;
}

/* Calls fn for the lines that begin within from..to. */
static nprof_status
each_line (const Lines *l, const struct nprof_host *host, uint64_t from, uint64_t to, bool head)
{
  Line line = { .host = host, .w = head ? NULL : host->writer (host) };
  nprof_status status = NPROF_OK;
  for (uint64_t at = from; !status && at < to;) {
    uint64_t end = line_end (l, at);
    char *text = calloc (1, end - at + 1);
    if (!text)
      return NPROF_E_NOMEM;
    memcpy (text, l->data + at, end - at);
    line.at = at;
    split (&line, text);
    status = head ? head_line (l, &line) : decode_line (&line);
    free (text);
    at = end;
  }
  return status ? status : host->progress (host, from, to);
}

/* Returns where the part that holds byte `at` begins: at the first line that starts at or after
 * it. */
static uint64_t
part_start (const Lines *l, uint64_t at)
{
  return at == 0 || at >= l->len ? (at ? l->len : 0) : line_end (l, at - 1);
}

static nprof_status
lines_plan (void *self, const void *data, uint64_t len, uint32_t *n_parts)
{
  Lines *l = self;
  l->data = data;
  l->len = len;
  *n_parts = (uint32_t) ((len + (uint64_t) l->part_bytes - 1) / (uint64_t) l->part_bytes);
  return each_line (l, l->host, 0, len, true);
}

static nprof_status
lines_decode_part (void *self, uint32_t number_, void *part, const struct nprof_host *host)
{
  Lines *l = self;
  uint64_t bytes = (uint64_t) l->part_bytes;
  *(uint32_t *) part = number_ + 1;
  return each_line (l, host, part_start (l, number_ * bytes), part_start (l, (number_ + 1) * bytes),
                    false);
}

static nprof_status
lines_join (void *self, uint32_t number_, void *part, int failed)
{
  Lines *l = self;
  if (!failed && l->late)
    return l->host->property (l->host, "late", "yes");
  if (failed || !l->join_rows)
    return NPROF_OK;
  if (*(uint32_t *) part != number_ + 1)
    return nprof_fail (l->host, NPROF_E_CONTRACT, "part %u got the state of another", number_);
  nprof_str key = nprof_intern (l->host, "joins");
  char name[32];
  snprintf (name, sizeof name, "join-%u", number_);
  return nprof_instant (l->host->writer (l->host),
                        l->host->track (l->host, 0, NPROF_TRACK_THREAD, key, key, 0),
                        nprof_intern (l->host, name), number_);
}

static const struct nprof_component lines_decoder = {
  .size = sizeof (struct nprof_component),
  .kind = NPROF_DECODER,
  .name = "lines",
  .summary = "rows written down as lines, for tests",
  .instance_size = sizeof (Lines),
  .part_size = sizeof (uint32_t),
  .options = NPROF_OPTIONS (
      NPROF_INT_OPTION (Lines, part_bytes, "part", "256", "1..1048576", "bytes a part"),
      NPROF_BOOL_OPTION (Lines, join_rows, "joins", "no", "an instant behind each part"),
      NPROF_BOOL_OPTION (Lines, late, "late", "no", "a property behind each part")),
  .attributes = NPROF_ATTRIBUTES (NPROF_ATTRIBUTE (NPROF_INT64, "n", "", "a declared number"),
                                  NPROF_ATTRIBUTE (NPROF_STRING, "s", "", "a declared string"),
                                  NPROF_ATTRIBUTE (NPROF_DOUBLE, "peak_flops", "flop/s", "a fact"),
                                  NPROF_ATTRIBUTE (NPROF_STRING, "flow_phase", "", "begin, end")),
  .tables = (const struct nprof_table *const[]){ &pairs, NULL },
  .probe = lines_probe,
  .open = lines_open,
  .plan = lines_plan,
  .decode_part = lines_decode_part,
  .join = lines_join,
};

/* -- Analyzer: a span over each track, a row a track, and a count of what it was told - */

#define MAX_TRACKS 64

#define EXTENTS(name_)                                                                             \
  {                                                                                                \
    .size = sizeof (struct nprof_table), .name = name_, .title = "Extents",                        \
    .columns                                                                                       \
        = NPROF_COLUMNS (NPROF_KEY_COLUMN (NPROF_STRING, "thread", "", "track"),                   \
                         NPROF_VALUE_COLUMN (NPROF_INT64, "rows", "", "how many"),                 \
                         NPROF_VALUE_COLUMN (NPROF_INT64, "tables", "", "rows of tables seen"))    \
  }

static const struct nprof_table extents = EXTENTS ("extents");
static const struct nprof_table spreads = EXTENTS ("spreads");
static const struct nprof_table spreads2 = EXTENTS ("spreads2");

typedef struct {
  const struct nprof_host *host;
  const struct nprof_table *own;
  unsigned n;
  int64_t table_rows;
  struct {
    nprof_track track;
    int64_t rows, first, last;
  } of[MAX_TRACKS];
} Extent;

static nprof_status
open_with (void *self, const struct nprof_host *host, const struct nprof_table *table)
{
  Extent *e = self;
  e->host = host;
  e->own = table;
  return host->table (host, table);
}

static nprof_status
extent_open (void *self, const struct nprof_host *host)
{
  return open_with (self, host, &extents);
}

static nprof_status
spread_open (void *self, const struct nprof_host *host)
{
  return open_with (self, host, &spreads);
}

static nprof_status
spread2_open (void *self, const struct nprof_host *host)
{
  return open_with (self, host, &spreads2);
}

static void
extent_see (Extent *e, nprof_track track, int64_t start, int64_t end)
{
  unsigned i = 0;
  while (i < e->n && e->of[i].track != track)
    i++;
  if (i == MAX_TRACKS)
    return;
  if (i == e->n) {
    e->of[e->n++].track = track;
    e->of[i].first = start;
    e->of[i].last = end;
  }
  e->of[i].rows++;
  e->of[i].first = start < e->of[i].first ? start : e->of[i].first;
  e->of[i].last = end > e->of[i].last ? end : e->of[i].last;
}

static nprof_status
extent_consume (void *self, const struct nprof_batch *b)
{
  for (uint32_t i = 0; i < b->n_rows; i++)
    if (b->kind[i] != NPROF_FACT)
      extent_see (self, b->track[i], b->start[i],
                  b->start[i] + (b->duration[i] > 0 ? b->duration[i] : 0));
  return NPROF_OK;
}

static nprof_status
extent_table (void *self, const struct nprof_table *table, const struct nprof_cell *cells,
              uint32_t n)
{
  (void) table, (void) cells;
  ((Extent *) self)->table_rows += n;
  return NPROF_OK;
}

static nprof_status
extent_finish (void *self)
{
  Extent *e = self;
  const struct nprof_host *host = e->host;
  for (unsigned i = 0; i < e->n; i++) {
    const struct nprof_track_info *info = host->track_info (host, e->of[i].track);
    nprof_track own = host->track (host, e->of[i].track, NPROF_TRACK_DERIVED,
                                   nprof_intern (host, "extent"), 0, 0);
    nprof_status status = nprof_span (host->writer (host), own, nprof_track_label (info),
                                      e->of[i].first, e->of[i].last - e->of[i].first);
    if (!status)
      status = host->row (host, e->own,
                          (struct nprof_cell[]){
                              nprof_cell_str (host->input (host, info->input)->label),
                              nprof_cell_str (nprof_track_label (info)),
                              nprof_cell_int (e->of[i].rows), nprof_cell_int (e->table_rows) });
    if (status)
      return status;
  }
  return NPROF_OK;
}

#define EXTENT(order_, name_, table_, open_)                                                       \
  {                                                                                                \
    .size = sizeof (struct nprof_component), .kind = NPROF_ANALYZER, .name = name_,                \
    .summary = "a span over each track, for tests", .order = order_,                               \
    .flags = NPROF_ANALYZER_NO_LINKS, .instance_size = sizeof (Extent),                            \
    .tables = (const struct nprof_table *const[]){ &table_, NULL }, .open = open_,                 \
    .consume = extent_consume, .table = extent_table, .finish = extent_finish                      \
  }

static const struct nprof_component extent_analyzer
    = EXTENT (NPROF_ORDER_INPUT, "extent", extents, extent_open);
static const struct nprof_component extent_by_track
    = EXTENT (NPROF_ORDER_TRACK, "extent-track", extents, extent_open);
static const struct nprof_component spread_analyzer
    = EXTENT (NPROF_ORDER_TRACK, "spread", spreads, spread_open);
static const struct nprof_component spread2_analyzer
    = EXTENT (NPROF_ORDER_TIME, "spread2", spreads2, spread2_open);

/* -- Analyzers that add no rows, as they declare, and so may end at the same time ---- */

typedef struct {
  const struct nprof_host *host;
  const struct nprof_table *own;
  int64_t rows, table_rows, yields;
  bool fails, writes;
} Tally;

#define TALLIES(name_)                                                                             \
  {                                                                                                \
    .size = sizeof (struct nprof_table), .name = name_, .title = "Tally",                          \
    .columns = NPROF_COLUMNS (NPROF_VALUE_COLUMN (NPROF_INT64, "rows", "", "seen"),                \
                              NPROF_VALUE_COLUMN (NPROF_INT64, "tables", "", "rows of the first")) \
  }

static const struct nprof_table tallies[]
    = { TALLIES ("tally1"), TALLIES ("tally2"), TALLIES ("tally3") };

static nprof_status
tally_open (Tally *t, const struct nprof_host *host, const struct nprof_table *table)
{
  t->host = host;
  t->own = table;
  return host->table (host, table);
}

static nprof_status
tally1_open (void *self, const struct nprof_host *host)
{
  return tally_open (self, host, &tallies[0]);
}

static nprof_status
tally2_open (void *self, const struct nprof_host *host)
{
  return tally_open (self, host, &tallies[1]);
}

static nprof_status
tally3_open (void *self, const struct nprof_host *host)
{
  return tally_open (self, host, &tallies[2]);
}

static nprof_status
tally_consume (void *self, const struct nprof_batch *b)
{
  ((Tally *) self)->rows += b->n_rows;
  return NPROF_OK;
}

static nprof_status
tally_table (void *self, const struct nprof_table *table, const struct nprof_cell *cells,
             uint32_t n)
{
  Tally *t = self;
  (void) cells;
  t->table_rows += n;
  return strcmp (table->name, "tally1")
             ? nprof_fail (t->host, NPROF_E_CONTRACT, "it was given %s", table->name)
             : NPROF_OK;
}

/* It skips what the host says of the writer, so that the core alone can notice. */
static void
write_row (const Tally *t)
{
  struct nprof_writer *w = t->host->writer (t->host);
  if (w)
    nprof_span (w, t->host->input (t->host, 0)->root, nprof_intern (t->host, "row"), 0, 0);
}

/* More rows than the core holds for an analyzer whose turn has not come. */
static nprof_status
tally_finish (void *self)
{
  Tally *t = self;
  for (int64_t i = 0; i < t->yields; i++)
    sched_yield ();
  nprof_log (t->host, NPROF_WARNING, "ends");
  if (t->fails)
    return nprof_fail (t->host, NPROF_E_FORMAT, "told to fail");
  if (t->writes)
    write_row (t);
  nprof_status status = NPROF_OK;
  for (int i = 0; i < 40000 && !status; i++)
    status = t->host->row (t->host, t->own,
                           (struct nprof_cell[]){
                               nprof_cell_str (t->host->input (t->host, 0)->label),
                               nprof_cell_int (t->rows + i), nprof_cell_int (t->table_rows) });
  return status;
}

#define TALLY(number_, ...)                                                                        \
  {                                                                                                \
    .size = sizeof (struct nprof_component), .kind = NPROF_ANALYZER, .name = "tally" #number_,     \
    .summary = "counts rows and adds none, for tests", .flags = NPROF_ANALYZER_NO_ROWS,            \
    .instance_size = sizeof (Tally),                                                               \
    .options = NPROF_OPTIONS (NPROF_INT_OPTION (Tally, yields, "yields", "0", NULL, "to be late"), \
                              NPROF_BOOL_OPTION (Tally, fails, "fails", "no", "at its end"),       \
                              NPROF_BOOL_OPTION (Tally, writes, "writes", "no", "a row")),         \
    .tables = (const struct nprof_table *const[]){ &tallies[number_ - 1], NULL },                  \
    .open = tally##number_##_open, .consume = tally_consume, .finish = tally_finish, __VA_ARGS__   \
  }

static const struct nprof_component tally1 = TALLY (1, .table = NULL);
static const struct nprof_component tally2 = TALLY (2, .table = NULL);
static const struct nprof_component tally3
    = TALLY (3, .table = tally_table, .table_wants = (const char *const[]){ "tally1", NULL });

/* -- An analyzer of tables alone, which fails at the one that it is told --------------- */

typedef struct {
  const struct nprof_host *host;
  const char *at;
  bool empty;
} Judge;

static nprof_status
judge_open (void *self, const struct nprof_host *host)
{
  ((Judge *) self)->host = host;
  return NPROF_OK;
}

static nprof_status
judge_table (void *self, const struct nprof_table *table, const struct nprof_cell *cells,
             uint32_t n)
{
  const Judge *j = self;
  (void) cells;
  return !strcmp (table->name, j->at) && !n == j->empty
             ? nprof_fail (j->host, NPROF_E_FORMAT, "told to fail at %s", table->name)
             : NPROF_OK;
}

static const struct nprof_component judge_analyzer
    = { .size = sizeof judge_analyzer,
        .kind = NPROF_ANALYZER,
        .name = "judge",
        .summary = "fails at a table, for tests",
        .flags = NPROF_ANALYZER_ANSWERS,
        .instance_size = sizeof (Judge),
        .options = NPROF_OPTIONS (NPROF_STRING_OPTION (Judge, at, "at", "", "this one"),
                                  NPROF_BOOL_OPTION (Judge, empty, "empty", "no",
                                                     "when it is announced, without rows")),
        .open = judge_open,
        .table = judge_table };

/* -- An analyzer that sees what a selection leaves out ------------------------- */

typedef struct {
  const struct nprof_host *host;
  int32_t order;
  int64_t rows, hidden, start_of_hidden; /* the last is a sum */
} Context;

static const struct nprof_table contexts = {
  .size = sizeof (struct nprof_table),
  .name = "contexts",
  .title = "Context",
  .columns
  = NPROF_COLUMNS (NPROF_VALUE_COLUMN (NPROF_INT64, "rows", "", "that are no facts"),
                   NPROF_VALUE_COLUMN (NPROF_INT64, "hidden", "", "of them"),
                   NPROF_VALUE_COLUMN (NPROF_INT64, "hidden_starts", "", "sum of their starts")),
};

static nprof_status
context_open (void *self, const struct nprof_host *host)
{
  ((Context *) self)->host = host;
  return host->table (host, &contexts);
}

static nprof_status
context_consume (void *self, const struct nprof_batch *b)
{
  Context *c = self;
  for (uint32_t i = 0; i < b->n_rows; i++) {
    bool hidden = b->hidden && b->hidden[i >> 3] >> (i & 7) & 1;
    if (b->kind[i] > NPROF_GAP)
      return nprof_fail (c->host, NPROF_E_CONTRACT, "a row has the kind %u", b->kind[i]);
    if (b->kind[i] == NPROF_FACT)
      continue;
    c->rows++;
    c->hidden += hidden;
    c->start_of_hidden += hidden ? b->start[i] : 0;
  }
  return NPROF_OK;
}

/* All but instants. */
static nprof_status
context_choose (void *self, const struct nprof_batch *b, uint8_t *rows)
{
  (void) self;
  for (uint32_t i = 0; i < b->n_rows; i++)
    if (b->kind[i] != NPROF_INSTANT)
      rows[i >> 3] = (uint8_t) (rows[i >> 3] | 1u << (i & 7));
  return NPROF_OK;
}

static nprof_status
context_finish (void *self)
{
  Context *c = self;
  return c->host->row (c->host, &contexts,
                       (struct nprof_cell[]){ nprof_cell_str (c->host->input (c->host, 0)->label),
                                              nprof_cell_int (c->rows), nprof_cell_int (c->hidden),
                                              nprof_cell_int (c->start_of_hidden) });
}

static const struct nprof_component context_analyzer
    = { .size = sizeof context_analyzer,
        .kind = NPROF_ANALYZER,
        .name = "context",
        .summary = "counts hidden rows, for tests",
        .flags = NPROF_ANALYZER_CONTEXT,
        .instance_size = sizeof (Context),
        .tables = (const struct nprof_table *const[]){ &contexts, NULL },
        .options = NPROF_OPTIONS (NPROF_CHOICE_OPTION (Context, order, "order", "input",
                                                       "input|time|device", "in which rows come")),
        .order_option = "order",
        .open = context_open,
        .consume = context_consume,
        .choose = context_choose,
        .finish = context_finish };

/* -- Sinks: each row as a line --------------------------------------------- */

typedef struct {
  const struct nprof_host *host;
  struct nprof_output *out;
  int64_t fail_after, rows;
  nprof_status status; /* of writing */
} Rows;

static nprof_status
rows_open (void *self, const struct nprof_host *host)
{
  Rows *r = self;
  r->host = host;
  r->out = host->output (host, NULL);
  return r->out ? NPROF_OK : NPROF_E_IO;
}

/* The first failure stays. */
static void
put (Rows *r, const char *text, size_t len)
{
  if (!r->status)
    r->status = r->out->write (r->out, text, len);
}

__attribute__ ((format (printf, 2, 3))) static void
print (Rows *r, const char *format, ...)
{
  char text[200]; /* of numbers */
  va_list args;
  va_start (args, format);
  int n = vsnprintf (text, sizeof text, format, args);
  va_end (args);
  put (r, text, (size_t) n);
}

static void
print_str (Rows *r, nprof_str str)
{
  size_t len;
  const char *text = r->host->string (r->host, str, &len);
  put (r, text, len);
}

static void
print_attr (Rows *r, const struct nprof_batch *b, uint32_t j)
{
  const nprof_value *v = &b->attr_value[j];
  put (r, " ", 1);
  print_str (r, b->attr_key[j]);
  put (r, "=", 1);
  switch (b->attr_type[j]) {
  case NPROF_INT64:
    print (r, "%lld", (long long) v->i);
    return;
  case NPROF_UINT64:
    print (r, "%lluu", (unsigned long long) v->u);
    return;
  case NPROF_DOUBLE:
    print (r, "%.17g", v->f);
    return;
  case NPROF_BOOL:
    print (r, "%s", v->u ? "true" : "false");
    return;
  case NPROF_STRING:
    print_str (r, v->s);
    return;
  default:
    put (r, b->bytes + v->bytes.at, v->bytes.len);
  }
}

static nprof_status
print_row (Rows *r, const struct nprof_batch *b, uint32_t i)
{
  static const char *const kinds[] = { "span", "instant", "counter", "flow", "fact", "gap" };
  const struct nprof_track_info *t = r->host->track_info (r->host, b->track[i]);
  print (r, "%u %s #%u:", b->input, kinds[b->kind[i]], t->number);
  print_str (r, nprof_track_label (t));
  put (r, " ", 1);
  print_str (r, b->name[i]);
  print (r, " %lld %lld", (long long) b->start[i], (long long) b->duration[i]);
  if (b->value && b->value_valid[i >> 3] >> (i & 7) & 1)
    print (r, " value %.17g", b->value[i]);
  if (b->id && b->id[i])
    print (r, " id %llu", (unsigned long long) b->id[i]);
  if (b->flow && b->flow[i])
    print (r, " flow %llu", (unsigned long long) b->flow[i]);
  for (uint32_t j = b->attr_at ? b->attr_at[i] : 0; b->attr_at && j < b->attr_at[i + 1]; j++)
    print_attr (r, b, j);
  put (r, "\n", 1);
  return r->status;
}

static nprof_status
rows_consume (void *self, const struct nprof_batch *b)
{
  Rows *r = self;
  for (uint32_t i = 0; i < b->n_rows; i++) {
    if (r->fail_after >= 0 && r->rows++ >= r->fail_after)
      return nprof_fail (r->host, NPROF_E_IO, "told to fail after %lld rows",
                         (long long) r->fail_after);
    nprof_status status = print_row (r, b, i);
    if (status)
      return status;
  }
  return NPROF_OK;
}

static nprof_status
rows_table (void *self, const struct nprof_table *table, const struct nprof_cell *cells, uint32_t n)
{
  (void) cells;
  Rows *r = self;
  char text[256];
  int len = snprintf (text, sizeof text, "table %s %u\n", table->name, n);
  return r->out->write (r->out, text, (size_t) len);
}

#define ROWS(order_, name_)                                                                        \
  {                                                                                                \
    .size = sizeof (struct nprof_component), .kind = NPROF_SINK, .name = name_,                    \
    .summary = "rows as lines, for tests", .order = order_,                                        \
    .flags = NPROF_SINK_FILE | NPROF_SINK_STDOUT, .default_name = name_ ".txt",                    \
    .wants = (const char *const[]){ "*", NULL }, .instance_size = sizeof (Rows),                   \
    .options = NPROF_OPTIONS (                                                                     \
        NPROF_INT_OPTION (Rows, fail_after, "fail", "-1", NULL, "fail after n rows")),             \
    .open = rows_open, .consume = rows_consume, .table = rows_table                                \
  }

static const struct nprof_component rows_input = ROWS (NPROF_ORDER_INPUT, "rows");
static const struct nprof_component rows_track = ROWS (NPROF_ORDER_TRACK, "rows-track");
static const struct nprof_component rows_time = ROWS (NPROF_ORDER_TIME, "rows-time");
static const struct nprof_component rows_device = ROWS (NPROF_ORDER_DEVICE, "rows-device");

/* -- Sink: which inputs it is told of with each batch, and their bytes and properties ------ */

static nprof_status
inputs_consume (void *self, const struct nprof_batch *b)
{
  Rows *r = self;
  const struct nprof_host *h = r->host;
  const struct nprof_input_info *input;
  print (r, "%u of %u:", b->input, h->run (h)->n_inputs);
  for (uint32_t n = 0; (input = h->input (h, n)); n++)
    print (r, " %llu/%s", (unsigned long long) input->bytes,
           input->properties[0] ? input->properties[1] : "-");
  put (r, "\n", 1);
  return r->status;
}

static const struct nprof_component inputs_sink = {
  .size = sizeof (struct nprof_component),
  .kind = NPROF_SINK,
  .name = "sees",
  .summary = "what it is told of inputs, for tests",
  .flags = NPROF_SINK_FILE | NPROF_SINK_STDOUT,
  .default_name = "sees.txt",
  .instance_size = sizeof (Rows),
  .open = rows_open,
  .consume = inputs_consume,
};

NPROF_PLUGIN ("lines", NPROF_VERSION, "Apache-2.0", &lines_decoder, &extent_analyzer,
              &extent_by_track, &spread_analyzer, &spread2_analyzer, &tally1, &tally2, &tally3,
              &judge_analyzer, &context_analyzer, &rows_input, &rows_track, &rows_time,
              &rows_device, &inputs_sink)
