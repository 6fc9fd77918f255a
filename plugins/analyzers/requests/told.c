/* SPDX-License-Identifier: Apache-2.0 */
/* told.c - sums up requests that a decoder found, and lists them. */
#include "told.h"
#include "devicekit/cells.h"

const char *const told_keys[] = { [TOLD_TTFT] = "ttft",
                                  [TOLD_QUEUE] = "queue_time",
                                  [TOLD_PREFILL] = "prefill_time",
                                  [TOLD_DECODE] = "decode_time",
                                  [TOLD_E2E] = "e2e",
                                  [TOLD_TPOT] = "tpot",
                                  [TOLD_PROMPT] = "prompt_tokens",
                                  [TOLD_OUTPUT] = "output_tokens",
                                  [TOLD_CACHED] = "cached_tokens",
                                  [TOLD_RID] = "rid",
                                  [TOLD_SERVER] = "server",
                                  [TOLD_ERROR] = "error",
                                  [TOLD_KEYS] = NULL };

nprof_status
told_init (ToldAll *t, const struct nprof_host *host)
{
  t->host = host;
  t->request = nprof_intern (host, "request");
  t->all = g_array_new (FALSE, FALSE, sizeof (Told));
  return nprof_reader_init (&t->pick, host, told_keys);
}

void
told_clear (ToldAll *t)
{
  g_clear_pointer (&t->all, g_array_unref);
  nprof_reader_clear (&t->pick);
}

bool
told_is (const ToldAll *t, const struct nprof_batch *batch, uint32_t i)
{
  return batch->category[i] == t->request && batch->name[i] == t->request
         && batch->kind[i] == NPROF_SPAN;
}

void
told_take (ToldAll *t, const struct nprof_batch *batch, uint32_t i)
{
  Told told = { .arrival = batch->start[i], .end = -1, .input = batch->input };
  int64_t value;
  nprof_reader_row (&t->pick, batch, i);
  if (batch->duration[i] >= 0)
    told.end = batch->start[i] + batch->duration[i];
  for (guint k = 0; k < TOLD_FIGURES; k++)
    told.figure[k] = nprof_reader_int (&t->pick, k, &value) && value >= 0 ? value : -1;
  told.rid = nprof_reader_str (&t->pick, TOLD_RID);
  told.server = nprof_reader_str (&t->pick, TOLD_SERVER);
  told.error = t->pick.field[TOLD_ERROR].type == NPROF_BOOL;
  g_array_append_val (t->all, told);
}

/* -- Sums -------------------------------------------------------------------------------------- */

static void
put_times (struct requests_row *row, Dist *times)
{
  static const guint milles[] = { 500, 990, 1000 };
  struct nprof_maybe_int *const to[TOLD_TIMES][3] = {
    [TOLD_QUEUE] = { &row->queue_p50, &row->queue_p99, &row->queue_max },
    [TOLD_PREFILL] = { &row->prefill_p50, &row->prefill_p99, &row->prefill_max },
    [TOLD_DECODE] = { &row->decode_p50, &row->decode_p99, &row->decode_max },
    [TOLD_E2E] = { &row->e2e_p50, &row->e2e_p99, &row->e2e_max },
    [TOLD_TPOT] = { &row->tpot_p50, &row->tpot_p99, &row->tpot_max },
  };
  for (guint k = TOLD_QUEUE; k < TOLD_TIMES; k++) {
    gint64 rank[3];
    if (!times[k].count)
      continue;
    dist_percentiles (&times[k], milles, 3, false, rank);
    for (guint i = 0; i < 3; i++)
      *to[k][i] = nprof_some_int (rank[i]);
  }
}

typedef struct {
  gint64 first, last, tokens[2];
  bool known[2];
} Sums;

static void
add_sums (Sums *s, const Told *told)
{
  s->first = MIN (s->first, told->arrival);
  if (told->end >= told->arrival)
    s->last = MAX (s->last, told->end);
  for (guint k = 0; k < 2; k++) {
    const gint64 n = told->figure[TOLD_PROMPT + k];
    s->known[k] |= n >= 0;
    if (n >= 0 && __builtin_add_overflow (s->tokens[k], n, &s->tokens[k]))
      s->tokens[k] = G_MAXINT64;
  }
}

gint64
told_sum (const ToldAll *t, guint32 input, Dist *ttft, struct requests_row *row)
{
  Dist times[TOLD_TIMES] = { 0 };
  Sums s = { .first = G_MAXINT64, .last = G_MININT64 };
  gint64 n = 0, errors = 0;
  for (guint i = 0; i < t->all->len; i++) {
    const Told *told = &g_array_index (t->all, Told, i);
    if (told->input != input)
      continue;
    n++;
    errors += told->error;
    add_sums (&s, told);
    row->server = nprof_some_str (told->server);
    for (guint k = 0; k < TOLD_TIMES && !told->error; k++)
      if (told->figure[k] >= 0)
        dist_add (k == TOLD_TTFT ? ttft : &times[k], told->figure[k]);
  }
  row->errors = nprof_int_if (n > 0, errors);
  row->prompt_tokens = nprof_int_if (s.known[0], s.tokens[0]);
  row->output_tokens = nprof_int_if (s.known[1], s.tokens[1]);
  if (s.known[1] && s.last > s.first)
    row->tokens_per_s
        = nprof_some_double ((double) s.tokens[1] * 1e12 / (double) (s.last - s.first));
  put_times (row, times);
  for (guint k = 0; k < TOLD_TIMES; k++)
    dist_clear (&times[k]);
  return n;
}

void
told_first_tokens (const ToldAll *t, guint32 input, GArray *first)
{
  for (guint i = 0; i < t->all->len; i++) {
    const Told *told = &g_array_index (t->all, Told, i);
    gint64 at;
    if (told->input == input && !told->error && told->figure[TOLD_TTFT] > 0
        && !__builtin_add_overflow (told->arrival, told->figure[TOLD_TTFT], &at))
      g_array_append_val (first, at);
  }
}

/* -- Beside the device ------------------------------------------------------------------------- */

/* Adds what the device did meanwhile.  A first token ends the prefill and begins the decode. */
static void
put_served (struct request_list_row *row, const Told *told, const Traces *traces)
{
  const gint64 *f = told->figure, ahead = join_ahead (&traces->join);
  gint64 first, begin, last;
  if (f[TOLD_TTFT] < 0 || __builtin_add_overflow (told->arrival, f[TOLD_TTFT], &first))
    return;
  const ServedDevice *by = traces_device (traces, first);
  if (!by || __builtin_add_overflow (first, ahead, &first))
    return;
  const bool prefill
      = f[TOLD_PREFILL] >= 0 && !__builtin_sub_overflow (first, f[TOLD_PREFILL], &begin),
      decode = by->decodes && f[TOLD_DECODE] >= 0
               && !__builtin_add_overflow (first, f[TOLD_DECODE], &last);
  row->served_by = nprof_any_str (by->label);
  if (prefill)
    row->prefill_busy = nprof_some_int (served_part (by, begin, first).busy);
  if (decode)
    row->decode_busy = nprof_some_int (served_part (by, first, last).busy);
  if (!prefill || !decode)
    return;
  const ServedPart all = served_part (by, begin, last);
  row->steps = nprof_some_int (all.steps);
  row->batch = nprof_double_if (all.counted, (double) all.requests / (double) all.counted);
}

/* -- The list ---------------------------------------------------------------------------------- */

static gint
by_arrival (gconstpointer a, gconstpointer b, gpointer user)
{
  const ToldAll *t = user;
  const Told *x = a, *y = b;
  if (x->input != y->input)
    return x->input < y->input ? -1 : 1;
  if (x->arrival != y->arrival)
    return x->arrival < y->arrival ? -1 : 1;
  return g_strcmp0 (nprof_text (t->host, x->rid), nprof_text (t->host, y->rid));
}

nprof_status
told_list (ToldAll *t, const struct nprof_table *table, const Traces *traces)
{
  nprof_status status = NPROF_OK;
  g_array_sort_with_data (t->all, by_arrival, t);
  for (guint i = 0; i < t->all->len && !status; i++) {
    const Told *told = &g_array_index (t->all, Told, i);
    const gint64 *f = told->figure;
    struct request_list_row row = {
      .arrival = nprof_some_int (told->arrival),
      .rid = nprof_some_str (told->rid),
      .server = nprof_some_str (told->server),
      .error = nprof_some_bool (told->error),
      .ttft = an_count (f[TOLD_TTFT]),
      .queue = an_count (f[TOLD_QUEUE]),
      .prefill = an_count (f[TOLD_PREFILL]),
      .decode = an_count (f[TOLD_DECODE]),
      .e2e = an_count (f[TOLD_E2E]),
      .tpot = an_count (f[TOLD_TPOT]),
      .prompt_tokens = an_count (f[TOLD_PROMPT]),
      .output_tokens = an_count (f[TOLD_OUTPUT]),
      .cached_tokens = an_count (f[TOLD_CACHED]),
    };
    if (!told->error)
      put_served (&row, told, &traces[told->input]);
    status = t->host->row (
        t->host, table,
        request_list_cells (nprof_cell_str (t->host->input (t->host, told->input)->label), &row)
            .cells);
  }
  return status;
}
