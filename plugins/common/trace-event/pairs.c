/* SPDX-License-Identifier: Apache-2.0 */
/* pairs.c - joins begins and ends to spans, when the last part is joined: per thread (or async id)
 * sorted by time, then by place in the file; an end closes the last open begin, whatever its name.
 * Threads' events may be far out of order, so nothing is matched before. */
#include "trace-event/trace-event.h"

typedef struct {
  uint64_t begin, end; /* bytes in the input; end 0: none */
  int64_t start, duration;
} Span;

static int
compare_halves (const void *pa, const void *pb)
{
  const ChHalf *a = pa, *b = pb;
  if (a->key != b->key)
    return a->key < b->key ? -1 : 1;
  if (a->start != b->start)
    return a->start < b->start ? -1 : 1;
  return a->at < b->at ? -1 : a->at > b->at;
}

static int
compare_spans (const void *pa, const void *pb)
{
  const Span *a = pa, *b = pb;
  return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/* Matches the halves of one key, in order.  Returns how many ends had no begin, the first at
 * *lost. */
static guint64
match (const ChHalf *halves, gsize n, GArray *open, GArray *spans, uint64_t *lost)
{
  guint64 n_lost = 0;
  for (gsize i = 0; i < n; i++) {
    if (!(halves[i].at & 1)) {
      Span span = { halves[i].at / 2, 0, halves[i].start, -1 };
      g_array_append_val (spans, span);
      guint index = spans->len - 1;
      g_array_append_val (open, index);
    } else if (open->len) {
      Span *span = &g_array_index (spans, Span, g_array_index (open, guint, open->len - 1));
      span->end = halves[i].at / 2;
      span->duration = halves[i].start - span->start;
      g_array_set_size (open, open->len - 1);
    } else {
      *lost = MIN (*lost, halves[i].at / 2);
      n_lost++;
    }
  }
  g_array_set_size (open, 0);
  return n_lost;
}

static GArray *
match_all (GArray *halves, const struct nprof_host *host, const char *what)
{
  GArray *spans = g_array_new (FALSE, FALSE, sizeof (Span));
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (guint));
  uint64_t lost = UINT64_MAX;
  guint64 n_lost = 0;
  if (halves->len)
    qsort (halves->data, halves->len, sizeof (ChHalf), compare_halves);
  const ChHalf *all = (const void *) halves->data;
  for (gsize from = 0, to; from < halves->len; from = to) {
    for (to = from + 1; to < halves->len && all[to].key == all[from].key;)
      to++;
    n_lost += match (all + from, to - from, open, spans, &lost);
  }
  for (; n_lost; n_lost--)
    host->skip (host, what, lost, "no begin is open there");
  if (spans->len)
    qsort (spans->data, spans->len, sizeof (Span), compare_spans);
  return spans;
}

/* -- Rows ----------------------------------------------------------------------------- */

/* Reads an event again, which succeeds because it was read before. */
static bool
read_again (ChPart *part, uint64_t at, TeEvent *event)
{
  return part->scan.with->event (&part->scan, part->c->data + at, event) != NULL;
}

static nprof_status
write_span (ChPart *part, const Span *span, bool async)
{
  TeEvent begin, end;
  if (!read_again (part, span->begin, &begin))
    return NPROF_E_FORMAT;
  bool has_end = span->end && part->c->want_end_args && read_again (part, span->end, &end);
  nprof_track track = 0;
  int64_t duration = span->duration;
  if (part->c->own.is)
    ch_own_duration (part->c, &begin, span->start, &duration);
  if (async && !part->c->own.is) /* nprof writes the tracks of asynchronous spans as threads */
    track = ch_async_track (part, &begin, ch_category (part, &begin));
  else {
    const ChThread *thread = ch_thread (part, &begin);
    track = thread ? thread->thread : 0;
  }
  if (!track)
    return NPROF_E_NOMEM;
  nprof_status status = ch_part_progress (part, part->reported);
  return status ? status
                : ch_begin_row (part, NPROF_SPAN, track, ch_text (part, &begin, TE_NAME),
                                span->start, duration, &begin, has_end ? &end : NULL);
}

static nprof_status
write_spans (Chrome *c, ChPart *part, GArray *halves, bool async)
{
  g_autoptr (GArray) spans
      = match_all (halves, c->host, async ? "async end without begin" : "phase E without B");
  g_array_set_size (halves, 0);
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < spans->len && !status; i++)
    status = write_span (part, &g_array_index (spans, Span, i), async);
  return status;
}

nprof_status
ch_pairs (Chrome *c)
{
  if (c->slices->len == 0 && c->asyncs->len == 0)
    return NPROF_OK;
  ChPart part = { 0 };
  ChWorker worker = { 0 };
  nprof_status status = ch_part_init (&part, c, c->host, &worker);
  part.reported = c->data;
  if (!status)
    status = write_spans (c, &part, c->slices, false);
  if (!status)
    status = write_spans (c, &part, c->asyncs, true);
  ch_part_clear (&part);
  ch_worker_close (c, &worker);
  return status;
}
