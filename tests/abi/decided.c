/* SPDX-License-Identifier: Apache-2.0 */
/* decided.c - a third party's plugin with a component for each rule of the contract that decided.py
 * tries.  CONTRACT, LEAST and NEEDS are what the plugin as a whole says of itself. */

#include <nprof/sdk.h>

#ifndef CONTRACT
#define CONTRACT NPROF_CONTRACT
#endif
#ifndef LEAST
#define LEAST 0
#endif
#ifndef NEEDS
#define NEEDS NULL
#endif

/* -- A decoder that breaks one rule --------------------------------------------- */

enum { GOOD, KIND, NEGATIVE, OVER, COUNTER, TRACK, SWALLOWED, DAMAGED, STATUS, STOP, NAME, PLACE, SET,
       KEY, TRUTH, ID, CELL };

typedef struct {
  const struct nprof_host *host;
  int32_t breaks;
} Rows;

static int
probe (const void *head, size_t len, uint64_t size, const char *path)
{
  (void) size, (void) path;
  return len >= 4 && memcmp (head, "acme", 4) == 0 ? 100 : 0;
}

static nprof_status
rows_open (void *self, const struct nprof_host *host)
{
  ((Rows *) self)->host = host;
  return NPROF_OK;
}

static nprof_status
one_row (Rows *s, struct nprof_writer *w, nprof_track track)
{
  nprof_str name = nprof_intern (s->host, "work");
  int64_t start = s->breaks == OVER ? INT64_MAX - 5 : 10;
  int64_t duration = s->breaks == NEGATIVE ? -2 : 10;
  uint8_t kind = s->breaks == KIND ? 17 : s->breaks == COUNTER ? NPROF_COUNTER : NPROF_SPAN;
  nprof_status status
      = nprof_row (w, kind, s->breaks == PLACE ? 9999 : track,
                   s->breaks == NAME ? 987654321 : name, start, duration);
  if (!status && s->breaks == SET)
    nprof_set_shared (w, 987654321);
  if (!status && s->breaks == KEY)
    status = nprof_attr_int (w, 987654321, 1);
  if (!status && s->breaks == TRUTH)
    status = nprof_attr (w, name, NPROF_BOOL, (nprof_value){ .u = 5 });
  if (!status && s->breaks == ID)
    status = nprof_attr_bytes (w, name, NPROF_ID128, "abc", 3);
  return status ? status : nprof_attr_str (w, nprof_intern (s->host, NPROF_KEY_WORK), name);
}

static const struct nprof_table broken = {
  .size = sizeof broken,
  .name = "acme.broken",
  .title = "Broken",
  .note = "",
  .columns = NPROF_COLUMNS (NPROF_VALUE_COLUMN (NPROF_STRING, "text", "", "")),
};

static nprof_status
one_cell (const struct nprof_host *host)
{
  struct nprof_cell cells[] = { nprof_cell_str (0), nprof_cell_str (987654321) };
  return host->row (host, &broken, cells);
}

static nprof_status
rows_decode (void *self, const void *data, uint64_t len)
{
  Rows *s = self;
  const struct nprof_host *host = s->host;
  (void) data;
  struct nprof_writer *w = host->writer (host);
  nprof_str key = nprof_intern (host, "gpu");
  nprof_track track
      = host->track (host, 0, s->breaks == TRACK ? 99 : NPROF_TRACK_DEVICE, key, 0, 0);
  if (s->breaks == SWALLOWED)
    nprof_fail (host, NPROF_E_FORMAT, "byte 4: a bad record");
  if (s->breaks == DAMAGED)
    nprof_damage (host, 4, "a bad record");
  if (s->breaks == STATUS)
    return 17;
  while (s->breaks == STOP && !host->cancelled (host))
    ;
  nprof_status status = track ? one_row (s, w, track) : NPROF_OK;
  if (!status && s->breaks == CELL)
    status = one_cell (host);
  return status ? status : host->progress (host, 0, len);
}

static const struct nprof_component rows = {
  .size = sizeof rows,
  .kind = NPROF_DECODER,
  .name = "acme.rows",
  .summary = "breaks the rule that an option names",
  .options = NPROF_OPTIONS (
      NPROF_CHOICE_OPTION (Rows, breaks, "breaks", "good",
                           "good|kind|negative|over|counter|track|swallowed|damaged|status|stop|"
                           "name|place|set|key|truth|id|cell",
                           "the rule")),
  .attributes = NPROF_ATTRIBUTES (NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_WORK, "", "what it is")),
  .tables = (const struct nprof_table *const[]){ &broken, NULL },
  .instance_size = sizeof (Rows),
  .probe = probe,
  .open = rows_open,
  .decode = rows_decode,
};

static int
probe_never (const void *head, size_t len, uint64_t size, const char *path)
{
  (void) head, (void) len, (void) size, (void) path;
  return 0;
}

/* -- A decoder of a file with columns that are called as if they said what rows mean ----------- */

static nprof_status
words_decode (void *self, const void *data, uint64_t len)
{
  const struct nprof_host *host = ((Rows *) self)->host;
  (void) data;
  nprof_track track
      = host->track (host, 0, NPROF_TRACK_DEVICE, nprof_intern (host, "gpu"), 0, 0);
  struct nprof_writer *w = host->writer (host);
  nprof_status status = nprof_span (w, track, nprof_intern (host, "copy"), 0, 10000);
  if (!status)
    status = nprof_attr_str (w, nprof_intern (host, "work"), nprof_intern (host, "by me"));
  if (!status)
    status = nprof_attr_int (w, nprof_intern (host, "step"), 7);
  if (!status)
    status = nprof_attr_uint (w, nprof_intern (host, "launch"), 3);
  if (!status)
    status = nprof_attr_str (w, nprof_intern (host, NPROF_KEY_WORK), nprof_intern (host, "copy"));
  return status ? status : host->progress (host, 0, len);
}

static const struct nprof_component words = {
  .size = sizeof words,
  .kind = NPROF_DECODER,
  .name = "acme.words",
  .summary = "a row that has columns work, step and launch",
  .attributes = NPROF_ATTRIBUTES (NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_WORK, "", "what it is"),
                                  NPROF_ATTRIBUTE (NPROF_STRING, "work", "", "of the file"),
                                  NPROF_ATTRIBUTE (NPROF_INT64, "step", "", "of the file"),
                                  NPROF_ATTRIBUTE (NPROF_UINT64, "launch", "", "of the file")),
  .instance_size = sizeof (Rows),
  .probe = probe_never,
  .open = rows_open,
  .decode = words_decode,
};

/* -- A decoder that says what its rows mean, and nothing by names --------------------- */

/* Times in us: two steps of a host of 100, in each a launch of 5 and a call of 60 that blocks until
 * the last work ends; on the device 30 of compute, 20 of copies, 10 of communication, 15 of a
 * wait. */
typedef struct {
  const char *on, *name, *work;
  int start, duration;
  unsigned launch;
  int blocks;
} Event;

static const Event events[] = {
  { "thread", "first", "step", 0, 100, 0, 0 },
  { "thread", "l", NULL, 5, 5, 1, 0 },
  { "queue", "gpu_memcpy", "compute", 20, 30, 1, 0 },
  { "queue", "b", "copy", 50, 20, 1, 0 },
  { "queue", "c", "wait", 80, 5, 0, 0 },
  { "queue", "d", "communication", 70, 10, 1, 0 },
  { "thread", "w", NULL, 30, 60, 1, 1 },
  { "thread", "second", "step", 100, 100, 0, 0 },
  { "thread", "l", NULL, 105, 5, 2, 0 },
  { "queue", "gpu_memcpy", "compute", 120, 30, 2, 0 },
  { "queue", "b", "copy", 150, 20, 2, 0 },
  { "queue", "c", "wait", 180, 5, 0, 0 },
  { "queue", "d", "communication", 170, 10, 2, 0 },
  { "thread", "w", NULL, 130, 60, 2, 1 },
};

static nprof_status
one_event (Rows *s, struct nprof_writer *w, nprof_track track, const Event *e, int64_t step)
{
  const struct nprof_host *host = s->host;
  nprof_value yes = { .u = 1 };
  nprof_status status = nprof_span (w, track, nprof_intern (host, e->name),
                                    e->start * INT64_C (1000000), e->duration * INT64_C (1000000));
  if (!status && e->work)
    status = nprof_attr_str (w, nprof_intern (host, NPROF_KEY_WORK), nprof_intern (host, e->work));
  if (!status && e->launch)
    status = nprof_attr_uint (w, nprof_intern (host, NPROF_KEY_LAUNCH), e->launch);
  if (!status && e->work && strcmp (e->work, "step") == 0)
    status = nprof_attr_int (w, nprof_intern (host, NPROF_KEY_STEP), step);
  if (!status && e->work && strcmp (e->work, "compute") == 0)
    status = nprof_attr_str (w, nprof_intern (host, NPROF_KEY_OPERATOR),
                             nprof_intern (host, "model/attention"));
  if (!status && e->blocks)
    status = nprof_attr (w, nprof_intern (host, NPROF_KEY_BLOCKS), NPROF_BOOL, yes);
  return status;
}

static nprof_status
meaning_decode (void *self, const void *data, uint64_t len)
{
  Rows *s = self;
  const struct nprof_host *host = s->host;
  (void) data;
  struct nprof_writer *w = host->writer (host);
  nprof_track device
      = host->track (host, 0, NPROF_TRACK_DEVICE, nprof_intern (host, "device 0"), 0, 0);
  nprof_track process = host->track (host, 0, NPROF_TRACK_PROCESS, nprof_intern (host, "p"), 0, 0);
  nprof_track queue = host->track (host, device, NPROF_TRACK_QUEUE, nprof_intern (host, "q"), 0, 0);
  nprof_track thread
      = host->track (host, process, NPROF_TRACK_THREAD, nprof_intern (host, "t"), 0, 0);
  nprof_status status = NPROF_OK;
  for (size_t i = 0; !status && i < sizeof events / sizeof *events; i++)
    status = one_event (s, w, strcmp (events[i].on, "queue") == 0 ? queue : thread, &events[i],
                        events[i].start / 100);
  return status ? status : host->progress (host, 0, len);
}

static const struct nprof_component semantics = {
  .size = sizeof semantics,
  .kind = NPROF_DECODER,
  .name = "acme.meaning",
  .summary = "says what its rows mean",
  .attributes
  = NPROF_ATTRIBUTES (NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_WORK, "", "what it is"),
                      NPROF_ATTRIBUTE (NPROF_UINT64, NPROF_KEY_LAUNCH, "", "its launch"),
                      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_OPERATOR, "", "its operator"),
                      NPROF_ATTRIBUTE (NPROF_BOOL, NPROF_KEY_BLOCKS, "", "waits for work"),
                      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_STEP, "", "the step")),
  .instance_size = sizeof (Rows),
  .probe = probe_never,
  .open = rows_open,
  .decode = meaning_decode,
};

/* -- Tables that others read ------------------------------------------------------ */

typedef struct {
  const struct nprof_host *host;
  const char *path, *secret;
  int64_t duration;
  const char *const *list;
  int64_t seen;
} Reader;

static const struct nprof_table made = {
  .size = sizeof made,
  .name = "acme.made",
  .title = "Made",
  .note = "",
  .columns
  = NPROF_COLUMNS (NPROF_VALUE_COLUMN (NPROF_INT64, "gaps", "", "idle gaps, none of them a doubt"),
                   NPROF_DOUBT_COLUMN (NPROF_INT64, "lost", "", "events that are missing"),
                   NPROF_NOTE_COLUMN ("why", "why")),
};

static const struct nprof_table told = {
  .size = sizeof told,
  .name = "acme.told",
  .title = "Told",
  .note = "",
  .columns
  = NPROF_COLUMNS (NPROF_VALUE_COLUMN (NPROF_TEXT, "path", "", ""),
                   NPROF_VALUE_COLUMN (NPROF_INT64, "secret_length", "", ""),
                   NPROF_VALUE_COLUMN (NPROF_INT64, "duration_ps", "ps", ""),
                   NPROF_VALUE_COLUMN (NPROF_TEXT, "list", "", ""),
                   NPROF_VALUE_COLUMN (NPROF_INT64, "tables", "", "with rows that it was given")),
};

static nprof_status
reader_open (void *self, const struct nprof_host *host)
{
  ((Reader *) self)->host = host;
  return NPROF_OK;
}

static nprof_status
pass (void *self, const struct nprof_batch *batch)
{
  (void) self, (void) batch;
  return NPROF_OK;
}

static nprof_status
make (void *self)
{
  const struct nprof_host *host = ((Reader *) self)->host;
  struct nprof_cell cells[] = { nprof_cell_str (host->input (host, 0)->label), nprof_cell_int (7),
                                nprof_cell_int (0), nprof_cell_text ("because") };
  return host->row (host, &made, cells);
}

static nprof_status
count (void *self, const struct nprof_table *table, const struct nprof_cell *cells, uint32_t n_rows)
{
  (void) table, (void) cells;
  ((Reader *) self)->seen += n_rows > 0;
  return NPROF_OK;
}

static nprof_status
tell (void *self)
{
  Reader *s = self;
  const struct nprof_host *host = s->host;
  char text[200] = "";
  for (size_t i = 0; s->list && s->list[i]; i++)
    snprintf (text + strlen (text), sizeof text - strlen (text), "<%s>", s->list[i]);
  struct nprof_cell cells[] = { nprof_cell_str (host->input (host, 0)->label),
                                nprof_cell_text (s->path),
                                nprof_cell_int (s->secret ? (int64_t) strlen (s->secret) : -1),
                                nprof_cell_int (s->duration),
                                nprof_cell_text (text),
                                nprof_cell_int (s->seen) };
  return host->row (host, &told, cells);
}

static const struct nprof_component maker = {
  .size = sizeof maker,
  .kind = NPROF_ANALYZER,
  .name = "acme.maker",
  .summary = "makes a table",
  .tables = (const struct nprof_table *const[]){ &made, NULL },
  .instance_size = sizeof (Reader),
  .open = reader_open,
  .consume = pass,
  .finish = make,
};

#define READER(name_, ...)                                                                         \
  {                                                                                                \
    .size = sizeof (struct nprof_component), .kind = NPROF_ANALYZER, .name = name_,                \
    .summary = "reads tables", .tables = (const struct nprof_table *const[]){ &told, NULL },       \
    .instance_size = sizeof (Reader), .open = reader_open, .table = count, .finish = tell,         \
    __VA_ARGS__                                                                                    \
  }
#define WANTS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const struct nprof_component reader
    = READER ("acme.reader", .consume = pass, .table_wants = WANTS ("acme.made"));
static const struct nprof_component lost
    = READER ("acme.lost", .consume = pass, .table_wants = WANTS ("acme.nowhere"));
static const struct nprof_component modest
    = READER ("acme.modest", .consume = pass, .table_wants = WANTS ("acme.made?", "acme.nowhere?"));
static const struct nprof_component answers
    = READER ("acme.answers", .flags = NPROF_ANALYZER_ANSWERS,
              .table_wants = WANTS ("inputs", "acme.made?"));
static const struct nprof_component options
    = READER ("acme.options", .consume = pass, .table_wants = WANTS ("acme.made?"),
              .options = NPROF_OPTIONS (
                  NPROF_PATH_OPTION (Reader, path, "path", "/dev/null", "a file"),
                  NPROF_SECRET_OPTION (Reader, secret, "secret", "unspeakable", "a secret"),
                  NPROF_DURATION_OPTION (Reader, duration, "duration", "10us", "1ns..1s", "a time"),
                  NPROF_LIST_OPTION (Reader, list, "list", "a+b", "words")));

static const struct nprof_component *const components[]
    = { &rows, &words, &semantics, &maker, &reader, &lost, &modest, &answers, &options, NULL };

static const struct nprof_plugin plugin = { .size = sizeof plugin,
                                            .contract = CONTRACT,
                                            .name = "acme",
                                            .version = "1",
                                            .license = "Apache-2.0",
                                            .homepage = "",
                                            .components = components,
                                            .least = LEAST,
                                            .needs = NEEDS };

const struct nprof_plugin *
nprof_plugin_v1 (void)
{
  return &plugin;
}
