/* SPDX-License-Identifier: Apache-2.0 */
/* broken.c - a decoder, an analyzer and a sink of which one call breaks the rule that NPROF_BREAK
 * names: `breaks` lists them all.  Without a name they keep every rule.  Each is small and whole,
 * so that it says how not to do it; bad.c has those that need another shape of the component.
 *
 * The format: `broken`, then anything; one span. */

#include <nprof/sdk.h>

#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What most breaks need: a place to write to. */
typedef struct {
  const struct nprof_host *host;
  struct nprof_writer *w;
  nprof_track track;
  nprof_str name;
} Row;

typedef struct {
  const struct nprof_host *host;
  Row row;                         /* that a call of before has had */
  const struct nprof_batch *batch; /* in consume */
  const int64_t *start;            /* of the batch before */
  struct nprof_output *out;
  char *kept;
  size_t n_kept;
  int64_t rows;
} Life;

static Row
row_of (const Life *life)
{
  const struct nprof_host *h = life->host;
  return (Row){ h, h->writer (h), h->track (h, 0, NPROF_TRACK_THREAD, nprof_intern (h, "t"), 0, 0),
                nprof_intern (h, "good") };
}

static nprof_status
span (const Row *r)
{
  return nprof_span (r->w, r->track, r->name, 5000, 7000);
}

static nprof_status
with (const Row *r, const char *key, uint8_t type, nprof_value value)
{
  nprof_status status = span (r);
  return status ? status : nprof_attr (r->w, nprof_intern (r->host, key), type, value);
}

static nprof_status
with_bytes (const Row *r, const char *key, uint8_t type, const char *data, uint32_t len)
{
  nprof_status status = span (r);
  return status ? status : nprof_attr_bytes (r->w, nprof_intern (r->host, key), type, data, len);
}

/* -- Rows ------------------------------------------------------------------ */

#define DECODES(name)                                                                              \
  static nprof_status name (Life *life, const Row *r)

DECODES (far_start)
{
  (void) life;
  return nprof_span (r->w, r->track, r->name, INT64_C (9200000000000000000), 5);
}

DECODES (overflow)
{
  (void) life;
  return nprof_span (r->w, r->track, r->name, INT64_C (9000000000000000000), INT64_MAX - 5);
}

DECODES (negative)
{
  (void) life;
  return nprof_span (r->w, r->track, r->name, 5000, -5);
}

/* Rows may come in any order. */
DECODES (unsorted)
{
  (void) life;
  return nprof_span (r->w, r->track, r->name, 500, 7000);
}

DECODES (long_instant)
{
  (void) life;
  return nprof_row (r->w, NPROF_INSTANT, r->track, r->name, 5000, 7000);
}

DECODES (unknown_track)
{
  (void) life;
  return nprof_span (r->w, 9999, r->name, 5000, 7000);
}

/* A number that happens to be a track, of another input. */
DECODES (other_track)
{
  (void) life;
  return nprof_span (r->w, 1, r->name, 5000, 7000);
}

DECODES (unknown_kind)
{
  (void) life;
  return nprof_row (r->w, 200, r->track, r->name, 5000, 7000);
}

DECODES (unknown_type)
{
  (void) life;
  return with (r, "k", 77, (nprof_value){ .u = 1 });
}

DECODES (other_type)
{
  (void) life;
  return with (r, "k", NPROF_DOUBLE, (nprof_value){ .f = 1 });
}

DECODES (bool_5)
{
  (void) life;
  return with (r, "b", NPROF_BOOL, (nprof_value){ .u = 5 });
}

DECODES (short_id)
{
  (void) life;
  return with_bytes (r, "id", NPROF_ID128, "abc", 3);
}

DECODES (invalid_text)
{
  (void) life;
  return with_bytes (r, "text", NPROF_TEXT, "a\xff\xfe\xc3", 4);
}

DECODES (text_beyond)
{
  (void) life;
  return with (r, "text", NPROF_TEXT, (nprof_value){ .bytes = { 4000000000u, 100 } });
}

DECODES (unknown_name)
{
  (void) life;
  return nprof_span (r->w, r->track, 987654321, 5000, 7000);
}

DECODES (counter_without_value)
{
  (void) life;
  return nprof_row (r->w, NPROF_COUNTER, r->track, r->name, 5000, 0);
}

DECODES (fact_without_attribute)
{
  (void) life;
  return nprof_row (r->w, NPROF_FACT, r->track, nprof_intern (r->host, "peak_flops"), 0, 0);
}

DECODES (flow_without_flow)
{
  (void) life;
  return nprof_row (r->w, NPROF_FLOW, r->track, r->name, 5000, 0);
}

DECODES (attributes_backwards)
{
  (void) life;
  nprof_status status = with (r, "k", NPROF_INT64, (nprof_value){ .i = 4 });
  status = status ? status : span (r);
  r->w->attr_at[r->w->n_rows] = 0;
  return status;
}

DECODES (columns_unfilled)
{
  (void) life;
  r->w->n_rows += 10;
  return NPROF_OK;
}

DECODES (beyond_columns)
{
  (void) life;
  for (uint32_t i = 0; i < 6000; i++)
    ((volatile int64_t *) r->w->start)[r->w->n_rows++] = i;
  return NPROF_OK;
}

static nprof_status
linked (const Row *r, uint64_t id, uint64_t parent)
{
  nprof_status status = span (r);
  if (status)
    return status;
  nprof_set_id (r->w, id);
  nprof_set_parent (r->w, parent);
  return NPROF_OK;
}

DECODES (id_twice)
{
  (void) life;
  nprof_status status = linked (r, 7, 0);
  return status ? status : linked (r, 7, 0);
}

DECODES (parents_in_a_circle)
{
  (void) life;
  nprof_status status = linked (r, 7, 8);
  return status ? status : linked (r, 8, 7);
}

/* -- What is too much ------------------------------------------------------ */

DECODES (long_name)
{
  const uint32_t len = 100000000;
  life->kept = malloc (len);
  if (!life->kept)
    return nprof_fail (r->host, NPROF_E_NOMEM, "no memory for a name");
  memset (life->kept, 'y', len);
  return nprof_span (r->w, r->track, r->host->intern (r->host, life->kept, len), 5000, 7000);
}

DECODES (long_text)
{
  const uint32_t len = 900000000;
  life->kept = calloc (1, len);
  if (!life->kept)
    return nprof_fail (r->host, NPROF_E_NOMEM, "no memory for a text");
  return with_bytes (r, "text", NPROF_TEXT, life->kept, len);
}

DECODES (million_tracks)
{
  nprof_status status = NPROF_OK;
  (void) life;
  for (uint32_t i = 0; !status && i < 1000000; i++) {
    char name[32];
    snprintf (name, sizeof name, "t%u", i);
    nprof_track t
        = r->host->track (r->host, 0, NPROF_TRACK_THREAD, nprof_intern (r->host, name), 0, i);
    status = t ? nprof_span (r->w, t, r->name, i, 1)
               : nprof_fail (r->host, NPROF_E_NOMEM, "no memory for a track");
    if (!status && i % 65536 == 0)
      status = r->host->progress (r->host, 0, 0);
  }
  return status;
}

DECODES (no_progress)
{
  nprof_status status = NPROF_OK;
  (void) life;
  for (int64_t i = 0; !status && i < 3000000; i++)
    status = nprof_span (r->w, r->track, r->name, i * 1000, 500);
  return status;
}

DECODES (flood)
{
  (void) life;
  for (int i = 0; i < 200000; i++)
    nprof_log (r->host, NPROF_WARNING, "record %d is odd", i);
  return NPROF_OK;
}

DECODES (endless)
{
  (void) life, (void) r;
  static volatile int always = 1;
  while (always)
    continue;
  return NPROF_OK;
}

/* -- Statuses and calls ---------------------------------------------------- */

DECODES (status_42)
{
  (void) life, (void) r;
  return 42;
}

DECODES (silent_failure)
{
  (void) life, (void) r;
  return NPROF_E_FORMAT;
}

DECODES (swallowed_damage)
{
  (void) life;
  (void) nprof_damage (r->host, 4, "something is wrong here");
  return NPROF_OK;
}

DECODES (late_property)
{
  (void) life;
  nprof_status status = span (r);
  status = status ? status : r->w->flush (r->w);
  return status ? status : r->host->property (r->host, "late", "yes");
}

/* Tries its luck again where a flush has failed. */
DECODES (flush_again)
{
  (void) life;
  nprof_status status = span (r);
  status = status ? status : r->w->flush (r->w);
  return status && r->w->flush (r->w) ? status : status;
}

DECODES (unknown_track_kind)
{
  (void) life;
  nprof_track t = r->host->track (r->host, 0, 99, nprof_intern (r->host, "x"), 0, 0);
  return t ? nprof_span (r->w, t, r->name, 5000, 7000) : nprof_fail (r->host, NPROF_E_NOMEM, "x");
}

static void *
write_spans (void *user)
{
  const Row *r = user;
  for (int i = 0; i < 200; i++)
    if (nprof_span (r->w, r->track, r->name, i * 1000, 500))
      break;
  return NULL;
}

DECODES (two_threads)
{
  pthread_t threads[2];
  (void) life;
  for (int i = 0; i < 2; i++)
    if (pthread_create (&threads[i], NULL, write_spans, (void *) r))
      return nprof_fail (r->host, NPROF_E_NOMEM, "no thread");
  for (int i = 0; i < 2; i++)
    pthread_join (threads[i], NULL);
  return NPROF_OK;
}

static void *
fail_here (void *host)
{
  nprof_fail (host, NPROF_E_FORMAT, "from another thread");
  return NULL;
}

DECODES (wrong_thread)
{
  pthread_t thread;
  (void) life;
  if (!pthread_create (&thread, NULL, fail_here, (void *) r->host))
    pthread_join (thread, NULL);
  return NPROF_OK;
}

DECODES (unequal)
{
  static int64_t lives;
  (void) life;
  return nprof_span (r->w, r->track, r->name, 5000, 7000 + ++lives);
}

/* -- The process ----------------------------------------------------------- */

DECODES (crash)
{
  (void) life, (void) r;
  static int *volatile nowhere;
  *nowhere = 1;
  return NPROF_OK;
}

static nprof_status
deep (volatile char *at, unsigned depth)
{
  volatile char frame[4096];
  frame[0] = at[0];
  return depth ? deep (frame, depth - 1) + frame[0] * 0 : NPROF_OK;
}

DECODES (overflow_stack)
{
  (void) life;
  return deep ((volatile char *) r->w->bytes, 10000000);
}

DECODES (calls_exit)
{
  (void) life, (void) r;
  exit (0);
}

DECODES (calls_exit_at_once)
{
  (void) life, (void) r;
  _exit (0);
}

DECODES (calls_abort)
{
  (void) life, (void) r;
  abort ();
}

DECODES (calls_exec)
{
  (void) life;
  execl ("/bin/true", "true", (char *) NULL);
  return nprof_fail (r->host, NPROF_E_IO, "/bin/true cannot be started");
}

DECODES (calls_fork)
{
  (void) life, (void) r;
  return fork () >= 0 ? NPROF_OK : NPROF_E_NOMEM;
}

/* Forks as long as it can, and all copies do. */
DECODES (fork_bomb)
{
  (void) life, (void) r;
  for (int i = 0; i < 100; i++)
    (void) syscall (SYS_clone, SIGCHLD, 0, 0, 0, 0);
  for (;;)
    pause ();
  return NPROF_OK;
}

/* Its copy leaves the group, and stays. */
DECODES (daemon_left)
{
  (void) life, (void) r;
  if (syscall (SYS_clone, SIGCHLD, 0, 0, 0, 0) == 0) {
    setsid ();
    for (;;)
      pause ();
  }
  return NPROF_OK;
}

DECODES (handles_signals)
{
  (void) life, (void) r;
  signal (SIGUSR1, SIG_IGN);
  return NPROF_OK;
}

DECODES (sets_locale)
{
  (void) life, (void) r;
  setlocale (LC_ALL, "C.UTF-8");
  return NPROF_OK;
}

DECODES (changes_folder)
{
  (void) life;
  return chdir ("/") ? nprof_fail (r->host, NPROF_E_IO, "/ cannot be entered") : NPROF_OK;
}

DECODES (sets_umask)
{
  (void) life, (void) r;
  umask (0123);
  return NPROF_OK;
}

DECODES (sets_environment)
{
  (void) life, (void) r;
  setenv ("TZ", "Mars", 1);
  return NPROF_OK;
}

DECODES (sets_limit)
{
  const struct rlimit less = { 400, 400 };
  (void) life, (void) r;
  setrlimit (RLIMIT_NOFILE, &less);
  return NPROF_OK;
}

DECODES (rounds_up)
{
  (void) life, (void) r;
  fesetround (FE_UPWARD);
  return NPROF_OK;
}

DECODES (closes_descriptors)
{
  (void) life, (void) r;
  for (int fd = 3; fd < 64; fd++)
    close (fd);
  return NPROF_OK;
}

DECODES (prints)
{
  (void) life, (void) r;
  puts ("hello from the plugin");
  return NPROF_OK;
}

static void *
sleep_for_ever (void *unused)
{
  for (;;)
    pause ();
  return unused;
}

DECODES (leaves_thread)
{
  pthread_t thread;
  (void) life, (void) r;
  if (!pthread_create (&thread, NULL, sleep_for_ever, NULL))
    pthread_detach (thread);
  return NPROF_OK;
}

DECODES (leaves_descriptor)
{
  (void) life, (void) r;
  return open ("/dev/null", O_RDONLY) < 0 ? NPROF_OK : NPROF_OK;
}

DECODES (leaves_memory)
{
  (void) life, (void) r;
  volatile char *lost = malloc (1000);
  if (lost)
    lost[0] = 1;
  return NPROF_OK;
}

/* -- close ----------------------------------------------------------------- */

static void
rows_from_close (Life *life)
{
  const struct nprof_host *h = life->host;
  struct nprof_writer *w = h->writer (h);
  nprof_track track = h->track (h, 0, NPROF_TRACK_THREAD, nprof_intern (h, "t"), 0, 0);
  if (w && !nprof_span (w, track, 0, 0, 1))
    (void) w->flush (w);
}

DECODES (keep_writer)
{
  life->row = *r;
  return NPROF_OK;
}

static void
write_at_last (Life *life)
{
  if (life->row.w)
    (void) (nprof_span (life->row.w, life->row.track, 0, 9000, 1)
            || life->row.w->flush (life->row.w));
}

/* -- consume --------------------------------------------------------------- */

#define CONSUMES(name) static nprof_status name (Life *life)

CONSUMES (writes_column)
{
  ((volatile int64_t *) life->batch->duration)[0] = 7;
  return NPROF_OK;
}

CONSUMES (keeps_column)
{
  life->rows += life->start && ((volatile const int64_t *) life->start)[0] == 12345;
  life->start = life->batch->start;
  return NPROF_OK;
}

CONSUMES (null_column)
{
  for (uint32_t i = 0; i < life->batch->n_rows; i++)
    life->rows += ((volatile const double *) life->batch->value)[i] > 0;
  return NPROF_OK;
}

CONSUMES (keeps_batch)
{
  life->host->batch_ref (life->host, life->batch);
  return NPROF_OK;
}

CONSUMES (lets_go_twice)
{
  const struct nprof_batch *batch = life->host->batch_ref (life->host, life->batch);
  life->host->batch_unref (life->host, batch);
  life->host->batch_unref (life->host, batch);
  return NPROF_OK;
}

/* One row too many. */
CONSUMES (reads_past_rows)
{
  for (uint32_t i = 0; i <= life->batch->n_rows; i++)
    life->rows += ((volatile const int64_t *) life->batch->start)[i] == 12345;
  return NPROF_OK;
}

CONSUMES (counts_batches)
{
  life->rows += 1000;
  return NPROF_OK;
}

/* Keeps the square of what it is given. */
CONSUMES (grows)
{
  life->rows += life->batch->n_rows;
  size_t more = (size_t) (life->rows / 4) * (size_t) life->batch->n_rows;
  char *kept = realloc (life->kept, life->n_kept + more + 1);
  if (!kept)
    return nprof_fail (life->host, NPROF_E_NOMEM, "no memory for %zu bytes", more);
  life->kept = kept;
  life->n_kept += more;
  return NPROF_OK;
}

CONSUMES (slow)
{
  (void) life;
  return poll (NULL, 0, 30) ? NPROF_OK : NPROF_OK;
}

CONSUMES (crashes_in_consume)
{
  (void) life;
  volatile int *nothing = NULL;
  return *nothing;
}

CONSUMES (exits_in_consume)
{
  (void) life;
  exit (0);
}

/* Once. */
CONSUMES (hides_a_full_disk)
{
  if (!life->rows++)
    (void) life->out->write (life->out, "x", 1);
  return NPROF_OK;
}

/* -- finish ---------------------------------------------------------------- */

static const struct nprof_table undeclared;

#define FINISHES(name) static nprof_status name (Life *life, struct nprof_cell *cells)

FINISHES (cell_of_other_type)
{
  (void) life;
  cells[1] = nprof_cell_double (1.5);
  return NPROF_OK;
}

FINISHES (unknown_string)
{
  (void) life;
  cells[2] = nprof_cell_str (987654321);
  return NPROF_OK;
}

FINISHES (ratio_of_50)
{
  (void) life;
  cells[3] = nprof_cell_double (50);
  return NPROF_OK;
}

FINISHES (ratio_of_nothing)
{
  static volatile double nothing;
  (void) life;
  cells[3] = nprof_cell_double (nothing / nothing);
  return NPROF_OK;
}

FINISHES (bool_in_cell)
{
  (void) life;
  cells[4] = (struct nprof_cell){ .type = NPROF_BOOL, .v.u = 5 };
  return NPROF_OK;
}

FINISHES (invalid_cell)
{
  (void) life;
  cells[5] = (struct nprof_cell){ .type = NPROF_TEXT, .len = 3, .v.text = "a\xff\xfe" };
  return NPROF_OK;
}

FINISHES (undeclared_table)
{
  return life->host->row (life->host, &undeclared, cells);
}

FINISHES (rows_of_none)
{
  (void) cells;
  struct nprof_writer *w = life->host->writer (life->host);
  return w ? nprof_span (w, life->host->input (life->host, 0)->root, 0, 1, 1) : NPROF_OK;
}

static nprof_status finish_analyzer (void *self);
static nprof_status (*volatile finish_again) (void *) = finish_analyzer;

FINISHES (finishes_twice)
{
  (void) cells;
  if (life->rows < 0)
    return NPROF_OK;
  life->rows = -1;
  return finish_again (life);
}

/* -- What is declared ------------------------------------------------------ */

static struct nprof_component decoder, analyzer, sink;
static struct nprof_plugin plugin;
static struct nprof_table own_counts;

static nprof_status
open_fails (Life *life)
{
  return nprof_fail (life->host, NPROF_E_IO, "it never opens");
}

static void
contract_99 (void)
{
  plugin.contract = plugin.least = 99;
}

static void
unknown_flag (void)
{
  sink.flags |= 1u << 20;
}

static void
needs_the_impossible (void)
{
  static const char *const needs[] = { "vendor.nothing", NULL };
  plugin.needs = needs;
}

static void
takes_a_table (void)
{
  own_counts.name = "devices";
}

static void
takes_a_name (void)
{
  analyzer.name = "critical";
}

/* -- All of them ----------------------------------------------------------- */

typedef struct {
  const char *name;
  nprof_status (*decode) (Life *life, const Row *row);
  nprof_status (*consume) (Life *life);                          /* of the analyzer */
  nprof_status (*finish) (Life *life, struct nprof_cell *cells); /* of the analyzer */
  nprof_status (*sink) (Life *life);                             /* its consume     */
  nprof_status (*open) (Life *life);                             /* of the sink     */
  void (*close) (Life *life);                                    /* of the decoder  */
  void (*declare) (void);
  int bid; /* of the probe; 0: the usual */
} Break;

static const Break breaks[] = {
  { "far-start", .decode = far_start },
  { "overflow", .decode = overflow },
  { "negative", .decode = negative },
  { "unsorted", .decode = unsorted },
  { "long-instant", .decode = long_instant },
  { "unknown-track", .decode = unknown_track },
  { "other-track", .decode = other_track },
  { "unknown-kind", .decode = unknown_kind },
  { "unknown-type", .decode = unknown_type },
  { "other-type", .decode = other_type },
  { "bool-5", .decode = bool_5 },
  { "short-id", .decode = short_id },
  { "invalid-text", .decode = invalid_text },
  { "text-beyond", .decode = text_beyond },
  { "unknown-name", .decode = unknown_name },
  { "counter-without-value", .decode = counter_without_value },
  { "fact-without-attribute", .decode = fact_without_attribute },
  { "flow-without-flow", .decode = flow_without_flow },
  { "attributes-backwards", .decode = attributes_backwards },
  { "columns-unfilled", .decode = columns_unfilled },
  { "beyond-columns", .decode = beyond_columns },
  { "id-twice", .decode = id_twice },
  { "parents-in-a-circle", .decode = parents_in_a_circle },
  { "long-name", .decode = long_name },
  { "long-text", .decode = long_text },
  { "million-tracks", .decode = million_tracks },
  { "no-progress", .decode = no_progress },
  { "flood", .decode = flood },
  { "endless", .decode = endless },
  { "status-42", .decode = status_42 },
  { "silent-failure", .decode = silent_failure },
  { "swallowed-damage", .decode = swallowed_damage },
  { "late-property", .decode = late_property },
  { "flush-again", .decode = flush_again },
  { "unknown-track-kind", .decode = unknown_track_kind },
  { "two-threads", .decode = two_threads },
  { "wrong-thread", .decode = wrong_thread },
  { "unequal", .decode = unequal },
  { "crash", .decode = crash },
  { "overflow-stack", .decode = overflow_stack },
  { "exit", .decode = calls_exit },
  { "exit-at-once", .decode = calls_exit_at_once },
  { "abort", .decode = calls_abort },
  { "exec", .decode = calls_exec },
  { "fork", .decode = calls_fork },
  { "fork-bomb", .decode = fork_bomb },
  { "daemon-left", .decode = daemon_left },
  { "signals", .decode = handles_signals },
  { "locale", .decode = sets_locale },
  { "folder", .decode = changes_folder },
  { "umask", .decode = sets_umask },
  { "environment", .decode = sets_environment },
  { "limit", .decode = sets_limit },
  { "rounding", .decode = rounds_up },
  { "closes-descriptors", .decode = closes_descriptors },
  { "prints", .decode = prints },
  { "leaves-thread", .decode = leaves_thread },
  { "leaves-descriptor", .decode = leaves_descriptor },
  { "leaves-memory", .decode = leaves_memory },
  { "rows-from-close", .close = rows_from_close },
  { "writer-of-before", .decode = keep_writer, .close = write_at_last },
  { "sure-1000", .bid = 1000 },
  { "writes-column", .consume = writes_column },
  { "keeps-column", .consume = keeps_column },
  { "null-column", .consume = null_column },
  { "keeps-batch", .consume = keeps_batch },
  { "lets-go-twice", .consume = lets_go_twice },
  { "reads-past-rows", .consume = reads_past_rows },
  { "counts-batches", .consume = counts_batches },
  { "grows", .consume = grows },
  { "slow", .consume = slow },
  { "exits-in-consume", .sink = exits_in_consume },
  { "hides-a-full-disk", .sink = hides_a_full_disk },
  { "exit-in-consume", .consume = exits_in_consume },
  { "crash-in-consume", .consume = crashes_in_consume },
  { "cell-of-other-type", .finish = cell_of_other_type },
  { "unknown-string", .finish = unknown_string },
  { "ratio-of-50", .finish = ratio_of_50 },
  { "ratio-of-nothing", .finish = ratio_of_nothing },
  { "bool-in-cell", .finish = bool_in_cell },
  { "invalid-cell", .finish = invalid_cell },
  { "undeclared-table", .finish = undeclared_table },
  { "rows-of-none", .finish = rows_of_none },
  { "finishes-twice", .finish = finishes_twice },
  { "open-fails", .open = open_fails },
  { "contract-99", .declare = contract_99 },
  { "unknown-flag", .declare = unknown_flag },
  { "needs-the-impossible", .declare = needs_the_impossible },
  { "takes-a-table", .declare = takes_a_table },
  { "takes-a-name", .declare = takes_a_name },
};

static const Break *broken; /* set by the first call of the entry */

/* -- The components -------------------------------------------------------- */

static int
probe (const void *head, size_t len, uint64_t size, const char *path)
{
  (void) size, (void) path;
  return len < 6 || memcmp (head, "broken", 6) != 0 ? 0 : broken->bid ? broken->bid : 90;
}

static nprof_status
open_life (void *self, const struct nprof_host *host)
{
  ((Life *) self)->host = host;
  return NPROF_OK;
}

static nprof_status
decode (void *self, const void *data, uint64_t len)
{
  Life *life = self;
  if (!probe (data, len, len, NULL))
    return nprof_fail (life->host, NPROF_E_FORMAT, "byte 0: expected `broken`");
  const Row row = row_of (life);
  if (!row.w || !row.track)
    return nprof_fail (life->host, NPROF_E_NOMEM, "no memory for a track or its rows");
  nprof_status status = nprof_span (row.w, row.track, row.name, 1000, 2000);
  if (!status && broken->decode)
    status = broken->decode (life, &row);
  return status ? status : life->host->progress (life->host, 0, len);
}

static void
close_life (void *self)
{
  free (((Life *) self)->kept);
}

static void
close_decoder (void *self)
{
  if (broken->close)
    broken->close (self);
  close_life (self);
}

static const struct nprof_table undeclared = {
  .size = sizeof undeclared,
  .name = "undeclared",
  .title = "Undeclared",
  .columns = NPROF_COLUMNS (NPROF_VALUE_COLUMN (NPROF_INT64, "rows", "", "how many")),
};

static struct nprof_table own_counts = {
  .size = sizeof own_counts,
  .name = "vendor.counts",
  .title = "Counts",
  .columns = NPROF_COLUMNS (NPROF_VALUE_COLUMN (NPROF_INT64, "rows", "", "how many"),
                            NPROF_VALUE_COLUMN (NPROF_STRING, "name", "", "a name"),
                            NPROF_VALUE_COLUMN (NPROF_DOUBLE, "share", "1", "of all rows"),
                            NPROF_VALUE_COLUMN (NPROF_BOOL, "any", "", "whether there are some"),
                            NPROF_VALUE_COLUMN (NPROF_TEXT, "text", "", "a text")),
};

static nprof_status
open_analyzer (void *self, const struct nprof_host *host)
{
  ((Life *) self)->host = host;
  nprof_status status = host->table (host, &own_counts);
  return status || !broken->open ? status : broken->open (self);
}

static nprof_status
consume (void *self, const struct nprof_batch *batch)
{
  Life *life = self;
  life->batch = batch;
  if (broken->consume)
    return broken->consume (life);
  life->rows += batch->n_rows;
  return NPROF_OK;
}

static nprof_status
finish_analyzer (void *self)
{
  Life *life = self;
  struct nprof_cell cells[] = {
    nprof_cell_str (life->host->input (life->host, 0)->label),
    nprof_cell_int (life->rows),
    nprof_cell_str (nprof_intern (life->host, "x")),
    nprof_cell_double (0.5),
    { .type = NPROF_BOOL, .v.u = life->rows > 0 },
    nprof_cell_text ("text"),
  };
  nprof_status status = broken->finish ? broken->finish (life, cells) : NPROF_OK;
  return status ? status : life->host->row (life->host, &own_counts, cells);
}

static nprof_status
open_sink (void *self, const struct nprof_host *host)
{
  Life *life = self;
  life->host = host;
  if (broken->open)
    return broken->open (life);
  life->out = host->output (host, NULL);
  return life->out ? NPROF_OK : NPROF_E_IO;
}

static nprof_status
write_names (void *self, const struct nprof_batch *batch)
{
  Life *life = self;
  nprof_status status = NPROF_OK;
  if (broken->sink)
    return broken->sink (life);
  for (uint32_t i = 0; !status && i < batch->n_rows; i++) {
    size_t len;
    const char *text = life->host->string (life->host, batch->name[i], &len);
    status = life->out->write (life->out, text, len);
  }
  return status;
}

static struct nprof_component decoder = {
  .size = sizeof decoder,
  .kind = NPROF_DECODER,
  .name = "vendor.broken",
  .summary = "one span, and what breaks a rule",
  .formats = "text that begins with broken",
  .attributes = NPROF_ATTRIBUTES (NPROF_ATTRIBUTE (NPROF_INT64, "k", "", "a number"),
                                  NPROF_ATTRIBUTE (NPROF_BOOL, "b", "", "a truth"),
                                  NPROF_ATTRIBUTE (NPROF_ID128, "id", "", "an id"),
                                  NPROF_ATTRIBUTE (NPROF_TEXT, "text", "", "a text")),
  .instance_size = sizeof (Life),
  .probe = probe,
  .open = open_life,
  .decode = decode,
  .close = close_decoder,
};

static struct nprof_component analyzer = {
  .size = sizeof analyzer,
  .kind = NPROF_ANALYZER,
  .name = "vendor.broken",
  .summary = "counts rows, and breaks a rule",
  .flags = NPROF_ANALYZER_NO_ROWS,
  .tables = (const struct nprof_table *const[]){ &own_counts, NULL },
  .instance_size = sizeof (Life),
  .open = open_analyzer,
  .consume = consume,
  .finish = finish_analyzer,
  .close = close_life,
};

static struct nprof_component sink = {
  .size = sizeof sink,
  .kind = NPROF_SINK,
  .name = "vendor.broken",
  .summary = "writes names, and breaks a rule",
  .flags = NPROF_SINK_FILE,
  .default_name = "names.txt",
  .instance_size = sizeof (Life),
  .open = open_sink,
  .consume = write_names,
};

static struct nprof_plugin plugin = {
  .size = sizeof plugin,
  .contract = NPROF_CONTRACT,
  .name = "broken",
  .version = "1",
  .components = (const struct nprof_component *const[]){ &decoder, &analyzer, &sink, NULL },
};

const struct nprof_plugin *
nprof_plugin_v1 (void)
{
  static const Break none;
  const char *name = getenv ("NPROF_BREAK");
  if (broken)
    return &plugin;
  broken = &none;
  for (size_t i = 0; name && i < sizeof breaks / sizeof *breaks; i++)
    if (strcmp (breaks[i].name, name) == 0)
      broken = &breaks[i];
  if (broken->declare)
    broken->declare ();
  return &plugin;
}
