/* SPDX-License-Identifier: Apache-2.0 */
/* bad.c - a decoder, an analyzer and a sink that keep every rule of the contract, but for the
 * one that BAD names: each is built as a plugin of its own, for the tests of nprof check.
 *
 * The format: `bad`, then one span of 1 ns a byte; `!` is damage. */

#include <nprof/sdk.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum {
  NONE,
  CRASH,
  HANG,
  EXIT,
  PAST,
  READ_PAST,
  DESCRIPTOR,
  MEMORY,
  PROBE,
  SIZE,
  WRONG_THREAD,
  PRINTS,
  FOLDER,
  SIGNAL,
  CLOSE,
  DEAF,
  ENTRY,
  HELD,
  OPTION,
  SILENT,
  DISK,
  WRITES_BATCH,
  THREAD,
  PARTS,
  TRUNCATED,
  RECURSION,
  TABLE,
  ALLOCATION,
  LOSES,
  TABLES,
  UNIT,
  NAME,
  TWICE,
  EMPTY,
  CHANGES,
  SURE,
  ORDER,
  CUT,
  ROWS,
  WANTS,
  FORK
};

#define IS(what) (BAD == (what))

typedef struct {
  const struct nprof_host *host;
  const char *data;
  uint64_t len;
  int64_t level, any;
  int32_t *levels;
  uint32_t parts_done;
} Decoder;

static const struct nprof_table counts = {
  .size = sizeof (struct nprof_table),
  .name = "counts",
  .title = IS (TABLE) ? "" : "Counts",
  .columns
  = NPROF_COLUMNS (NPROF_VALUE_COLUMN (NPROF_INT64, "rows", IS (UNIT) ? NULL : "", "how many")),
};

/* -- Decoder --------------------------------------------------------------- */

static int
probe (const void *head, size_t len, uint64_t size, const char *path)
{
  (void) size, (void) path;
  static int sure;
  if (IS (PROBE))
    return ++sure % 50;
  if (IS (SURE))
    return 101;
  return len >= 3 && !memcmp (head, "bad", 3) ? 90 : 0;
}

static void *
sleep_for_ever (void *unused)
{
  for (;;)
    pause ();
  return unused;
}

static nprof_status
open_decoder (void *self, const struct nprof_host *host)
{
  Decoder *d = self;
  pthread_t thread;
  d->host = host;
  if (IS (DESCRIPTOR) && open ("/dev/null", O_RDONLY) < 0)
    return nprof_fail (host, NPROF_E_IO, "/dev/null cannot be opened");
  if (IS (FOLDER) && chdir ("/"))
    return nprof_fail (host, NPROF_E_IO, "/ cannot be entered");
  if (IS (SIGNAL))
    signal (SIGUSR1, SIG_IGN);
  if (IS (PRINTS))
    puts ("hello from the plugin");
  if (IS (THREAD) && !pthread_create (&thread, NULL, sleep_for_ever, NULL))
    pthread_detach (thread);
  if (!host->track (host, 0, NPROF_TRACK_DEVICE, nprof_intern (host, "device"), 0, 0))
    return nprof_fail (host, NPROF_E_NOMEM, "no memory for a track");
  d->levels = calloc (8, sizeof *d->levels);
  if (!d->levels)
    return nprof_fail (host, NPROF_E_NOMEM, "no memory for levels");
  if (IS (OPTION) && d->level == 8)
    abort ();
  return NPROF_OK;
}

static nprof_status
deep (volatile char *at, unsigned depth)
{
  volatile char frame[4096];
  frame[0] = at[0];
  return depth ? deep (frame, depth - 1) + frame[0] * 0 : NPROF_OK;
}

static nprof_status
misbehave (struct nprof_writer *w, const struct nprof_host *host, const Decoder *d, uint64_t at)
{
  static volatile int always = 1;
  if (IS (CRASH))
    *(volatile char *) (uintptr_t) at = 1;
  while (IS (HANG) && always)
    continue;
  if (IS (FORK))
    fork ();
  if (IS (EXIT))
    exit (3);
  if (IS (PAST))
    ((volatile int64_t *) w->start)[w->max_rows] = 1;
  if (IS (RECURSION))
    return deep ((volatile char *) w->bytes, 10000000);
  if (IS (SILENT) && d->data[at] == 'b')
    return NPROF_E_FORMAT;
  (void) host;
  return NPROF_OK;
}

static nprof_status
decode_range (const Decoder *d, const struct nprof_host *host, uint64_t from, uint64_t to)
{
  struct nprof_writer *w = host->writer (host);
  nprof_track track
      = host->track (host, 0, NPROF_TRACK_DEVICE, nprof_intern (host, "device"), 0, 0);
  if (!w || !track)
    return nprof_fail (host, NPROF_E_NOMEM, "no memory");
  for (uint64_t i = from; i < to + IS (READ_PAST); i++) {
    nprof_status status = NPROF_OK;
    char c = ((const volatile char *) d->data)[i];
    if (c == '!')
      status = nprof_damage (host, i, "a `!`");
    if (!status)
      status = misbehave (w, host, d, i);
    if (!status)
      status = nprof_span (w, track, host->intern (host, &c, 1), (int64_t) i * 1000,
                           IS (PARTS) ? d->parts_done : 1000);
    if (status && !(IS (DEAF) && status == NPROF_CANCELLED))
      return status;
    if (status) /* the row has no place, which DEAF does not mind */
      w->n_rows = 0, w->attr_at[0] = 0;
  }
  nprof_status status = host->progress (host, from, to);
  return IS (DEAF) ? NPROF_OK : status;
}

static void *
fail_here (void *host)
{
  nprof_fail (host, NPROF_E_FORMAT, "from another thread");
  return NULL;
}

/* A copy of the part, which ALLOCATION takes to be there, and LOSES to be no matter. */
static nprof_status
copy_range (const Decoder *d, const struct nprof_host *host, uint64_t from, uint64_t to)
{
  char *copy = malloc (to - from);
  if (!copy && IS (LOSES))
    return NPROF_OK;
  if (!copy && !IS (ALLOCATION))
    return nprof_fail (host, NPROF_E_NOMEM, "no memory for a copy");
  *(volatile char *) copy = d->data[from];
  free (copy);
  return decode_range (d, host, from, to);
}

/* Four bytes a part. */
static nprof_status
plan (void *self, const void *data, uint64_t len, uint32_t *n_parts)
{
  Decoder *d = self;
  d->data = data;
  d->len = len;
  *n_parts = (uint32_t) ((len + 3) / 4);
  pthread_t thread;
  if (IS (WRONG_THREAD) && !pthread_create (&thread, NULL, fail_here, (void *) d->host))
    pthread_join (thread, NULL);
  if (len < 3 || memcmp (data, "bad", 3))
    return nprof_fail (d->host, NPROF_E_FORMAT, "byte 0: expected `bad`");
  if (IS (TRUNCATED) && len < 10)
    return ((const volatile char *) data)[9] ? NPROF_OK : NPROF_OK;
  return d->host->cancelled (d->host) ? NPROF_CANCELLED : NPROF_OK;
}

static nprof_status
decode_part (void *self, uint32_t number, void *part, const struct nprof_host *host)
{
  Decoder *d = self;
  uint64_t from = (uint64_t) number * 4;
  *(char *) part = 1;
  nprof_status status = copy_range (d, host, from, from + 4 < d->len ? from + 4 : d->len);
  if (IS (PARTS))
    d->parts_done++;
  return status;
}

static nprof_status
join (void *self, uint32_t number, void *part, int failed)
{
  (void) self, (void) number, (void) part, (void) failed;
  return NPROF_OK;
}

static void
close_decoder (void *self)
{
  Decoder *d = self;
  if (IS (CLOSE))
    *(volatile int32_t *) d->levels = 0;
  if (!IS (MEMORY))
    free (d->levels);
}

static const struct nprof_component decoder = {
  .size = IS (SIZE) ? 8 : sizeof decoder,
  .kind = NPROF_DECODER,
  .name = "bad",
  .summary = "one span a byte, for tests",
  .formats = "text that begins with bad",
  .options
  = NPROF_OPTIONS (NPROF_INT_OPTION (Decoder, level, "level", "3", "1..8", "how hard"),
                   NPROF_INT_OPTION (Decoder, any, "any", "0",
                                     "-9223372036854775808..9223372036854775807",
                                     "every number; beyond its bounds there is none to try")),
  .instance_size = sizeof (Decoder),
  .part_size = 1,
  .probe = probe,
  .open = open_decoder,
  .plan = plan,
  .decode_part = decode_part,
  .join = join,
  .close = close_decoder,
};

/* -- Analyzer -------------------------------------------------------------- */

typedef struct {
  const struct nprof_host *host;
  int64_t rows;
} Analyzer;

static nprof_status
open_analyzer (void *self, const struct nprof_host *host)
{
  ((Analyzer *) self)->host = host;
  return host->table (host, &counts);
}

static nprof_status
count (void *self, const struct nprof_batch *batch)
{
  Analyzer *a = self;
  a->rows += batch->n_rows;
  if (IS (HELD))
    a->host->batch_ref (a->host, batch);
  if (IS (WRITES_BATCH))
    ((volatile int64_t *) batch->start)[0] = 0;
  return NPROF_OK;
}

static nprof_status
finish_analyzer (void *self)
{
  Analyzer *a = self;
  struct nprof_writer *w = IS (ROWS) ? a->host->writer (a->host) : NULL;
  if (w)
    nprof_span (w, a->host->input (a->host, 0)->root, nprof_intern (a->host, "row"), 0, 0);
  struct nprof_cell cells[]
      = { nprof_cell_str (a->host->input (a->host, 0)->label), nprof_cell_int (a->rows) };
  return a->host->row (a->host, &counts, cells);
}

/* The state: a version, then how many rows, little-endian. */
static nprof_status
save_analyzer (void *self, struct nprof_output *out)
{
  Analyzer *a = self;
  unsigned char state[9] = { 1 };
  for (int i = 0; i < 8; i++)
    state[1 + i] = (unsigned char) ((uint64_t) a->rows >> 8 * i);
  return out->write (out, state, sizeof state);
}

static nprof_status
merge_analyzer (void *self, const void *data, size_t len)
{
  Analyzer *a = self;
  const unsigned char *state = data;
  uint64_t rows = 0;
  if (len < 9 && IS (CUT))
    return NPROF_OK;
  if (len != 9 || state[0] != 1)
    return nprof_fail (a->host, NPROF_E_FORMAT,
                       "byte %zu of a state: expected are 9 bytes of version 1", len);
  for (int i = 0; i < 8; i++)
    rows |= (uint64_t) state[1 + i] << 8 * i;
  a->rows = (int64_t) (IS (ORDER) ? 2 * (uint64_t) a->rows + rows : (uint64_t) a->rows + rows);
  return NPROF_OK;
}

static const struct nprof_component analyzer = {
  .size = sizeof analyzer,
  .kind = NPROF_ANALYZER,
  .name = IS (NAME) ? "Bad!" : "bad",
  .summary = "counts rows, for tests",
  .flags = NPROF_ANALYZER_NO_ROWS,
  .tables = (const struct nprof_table *const[]){ &counts, IS (TABLES) ? &counts : NULL, NULL },
  .instance_size = sizeof (Analyzer),
  .open = open_analyzer,
  .consume = count,
  .finish = finish_analyzer,
  .save = save_analyzer,
  .merge = merge_analyzer,
  .table_wants = IS (WANTS) ? (const char *const[]){ "counts", NULL } : NULL,
};

/* -- Sink ------------------------------------------------------------------ */

typedef struct {
  const struct nprof_host *host;
  struct nprof_output *out;
} Sink;

static nprof_status
open_sink (void *self, const struct nprof_host *host)
{
  Sink *s = self;
  s->host = host;
  s->out = host->output (host, NULL);
  return s->out ? NPROF_OK : NPROF_E_IO;
}

static nprof_status
write_names (void *self, const struct nprof_batch *batch)
{
  Sink *s = self;
  nprof_status status = NPROF_OK;
  for (uint32_t i = 0; !status && i < batch->n_rows; i++) {
    size_t len;
    const char *text = s->host->string (s->host, batch->name[i], &len);
    status = s->out->write (s->out, text, len);
    if (IS (DISK))
      status = NPROF_OK;
  }
  return status;
}

static const struct nprof_component sink = {
  .size = sizeof sink,
  .kind = NPROF_SINK,
  .name = "bad",
  .summary = "writes names, for tests",
  .flags = NPROF_SINK_FILE,
  .default_name = "names.txt",
  .instance_size = sizeof (Sink),
  .open = open_sink,
  .consume = write_names,
};

/* -- Entry ----------------------------------------------------------------- */

#define PLUGIN(name_)                                                                              \
  {                                                                                                \
    .size = sizeof (struct nprof_plugin), .contract = NPROF_CONTRACT, .name = name_,               \
    .version = "1", .components = (const struct nprof_component *const[])                          \
    {                                                                                              \
      IS (EMPTY) ? NULL : &decoder, IS (TWICE) ? &decoder : &analyzer, &sink, NULL                 \
    }                                                                                              \
  }

static const struct nprof_plugin plugins[2] = { PLUGIN ("bad"), PLUGIN ("other") };

const struct nprof_plugin *
nprof_plugin_v1 (void)
{
  static int calls;
  static struct nprof_plugin changing;
  if (IS (CHANGES)) {
    changing = plugins[0];
    changing.version = calls++ ? "2" : "1";
    return &changing;
  }
  return &plugins[IS (ENTRY) ? calls++ % 2 : 0];
}
