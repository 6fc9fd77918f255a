/* SPDX-License-Identifier: Apache-2.0 */
/* origin.c - finds time 0 of a trace.  It does not depend on one event: when the first one is far
 * from most, which is damage, time 0 is that of the first of those that are together. */
#include "trace-event/trace-event.h"

#define UNIX_US G_GINT64_CONSTANT (1000000000000000) /* later than this (2001): Unix time  */
#define NEAR_US G_GINT64_CONSTANT (4000000000000)    /* 46 days: times this small stay     */
#define SPOTS 32u                                    /* places of the file that are looked at */
#define SPOT_BYTES (8u << 10)

/* -- Most events ------------------------------------------------------------------------- */

/* Returns whether a time is within 106 days of time 0, which is what rows hold. */
static bool
are_together (int64_t us, int64_t zero)
{
  int64_t apart;
  return !__builtin_sub_overflow (us, zero, &apart) && apart <= 2 * NEAR_US
         && apart >= -2 * NEAR_US;
}

/* Appends the times of the events that begin from p to `to`: of TeTime. */
static void
add_times (const Chrome *c, TeScan *scan, const char *p, const char *to, GArray *times)
{
  TeEvent event;
  while ((p = te_space (p, to)) < to) {
    const char *next = *p == ',' ? p + 1 : scan->with->event (scan, p, &event);
    if (!next)
      next = ch_resync (scan, p + 1, c->events_end);
    else if (*p != ',' && event.ph != 'M' && te_has (&event, TE_TS) && event.ts.state <= TE_ROUNDED)
      g_array_append_val (times, event.ts);
    p = next;
  }
}

/* Takes samples in the order of the file, from all over it. */
static GArray *
sample (const Chrome *c, TeScan *scan)
{
  GArray *times = g_array_new (FALSE, FALSE, sizeof (TeTime));
  size_t all = (size_t) (c->events_end - c->events), stride = MAX (all / SPOTS, SPOT_BYTES);
  scan->end = c->events_end;
  for (size_t at = 0; at < all; at += stride) {
    const char *p = c->events + at, *to = p + MIN (SPOT_BYTES, all - at);
    add_times (c, scan, at ? ch_resync (scan, p, to) : p, to, times);
  }
  scan->end = c->end;
  return times;
}

static int
by_time (gconstpointer a, gconstpointer b)
{
  const TeTime *x = a, *y = b;
  return x->us < y->us ? -1 : x->us > y->us;
}

static guint
count_together (const GArray *times, int64_t us)
{
  guint n = 0;
  for (guint i = 0; i < times->len; i++)
    n += are_together (g_array_index (times, TeTime, i).us, us);
  return n;
}

static int64_t
median (const GArray *times)
{
  g_autoptr (GArray) sorted = g_array_new (FALSE, FALSE, sizeof (TeTime));
  g_array_append_vals (sorted, times->data, times->len);
  g_array_sort (sorted, by_time);
  return g_array_index (sorted, TeTime, sorted->len / 2).us;
}

/* Chooses time 0: that of the first event, unless more than half of the samples are far from it. */
static void
choose_first (Chrome *c, TeScan *scan)
{
  g_autoptr (GArray) times = sample (c, scan);
  if (count_together (times, c->first.us) >= times->len / 2)
    return;
  int64_t middle = median (times);
  for (guint i = 0; i < times->len; i++) {
    const TeTime *time = &g_array_index (times, TeTime, i);
    if (are_together (time->us, middle)) {
      c->first = *time;
      return;
    }
  }
}

/* -- Time 0 ------------------------------------------------------------------------------- */

static int64_t
floor_second (int64_t us)
{
  int64_t rest = us % CH_US_PER_S;
  return us - (rest < 0 ? rest + CH_US_PER_S : rest);
}

/* Sets the origin: times count from the second of the first event where they are absolute, or too
 * far from 0; small ones stay as they are. */
static nprof_status
set_origin (Chrome *c)
{
  int64_t first = c->has_first ? c->first.us : 0, ns;
  if (c->own.is)
    return c->host->origin (c->host, c->own.origin_ns);
  bool epoch = c->has_base || first >= UNIX_US;
  if (epoch || first > NEAR_US || first < -NEAR_US)
    c->zero = first < INT64_MIN + CH_US_PER_S ? first : floor_second (first);
  if (c->zero && !epoch) {
    g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, c->zero);
    nprof_status status = c->host->property (c->host, "time_zero_us", text);
    return status ? status : c->host->origin (c->host, NPROF_NO_EPOCH);
  }
  if (!epoch)
    return c->host->origin (c->host, NPROF_NO_EPOCH);
  if (__builtin_mul_overflow (c->zero, (int64_t) 1000, &ns)
      || __builtin_add_overflow (ns, c->has_base ? c->base : 0, &ns))
    return nprof_fail (
        c->host, NPROF_E_FORMAT,
        "the first event's ts and baseTimeNanoseconds together are beyond the year 2262");
  return c->host->origin (c->host, ns);
}

nprof_status
ch_origin (Chrome *c, TeScan *scan)
{
  if (c->has_first && !c->own.is)
    choose_first (c, scan);
  return set_origin (c);
}
