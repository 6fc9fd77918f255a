/* SPDX-License-Identifier: Apache-2.0 */
/* saved-state.c - writes integers, texts and distributions as bytes, and reads them with every
 * length checked. */
#include "devicekit/saved-state.h"

#include <stdlib.h>
#include <string.h>

enum { EXACT, HISTOGRAM };

/* -- Errors ------------------------------------------------------------------------------------ */

nprof_status
an_fail_foreign (const struct nprof_host *host, const char *name, const char *magic)
{
  return nprof_fail (host, NPROF_E_FORMAT,
                     "this is not a saved state of %s; it begins with \"%.*s\"", name,
                     (int) strlen (magic) - 1, magic);
}

nprof_status
an_fail_damaged (const struct nprof_host *host, const char *name, gsize at)
{
  return nprof_fail (host, NPROF_E_FORMAT,
                     "the saved state of %s is damaged at byte %" G_GSIZE_FORMAT ": save it again",
                     name, at);
}

/* -- Saving ------------------------------------------------------------------------------------ */

void
an_put (GByteArray *to, guint64 value)
{
  guint64 le = GUINT64_TO_LE (value);
  g_byte_array_append (to, (const guint8 *) &le, sizeof le);
}

void
an_put_text (const struct nprof_host *host, GByteArray *to, nprof_str str)
{
  size_t len;
  const char *text = host->string (host, str, &len);
  an_put (to, len);
  g_byte_array_append (to, (const guint8 *) text, (guint) len);
}

static void
put_buckets (GByteArray *to, const Dist *d)
{
  guint64 n;
  for (guint b = dist_next_bucket (d, 0, &n); b < DIST_BUCKETS;
       b = dist_next_bucket (d, b + 1, &n)) {
    an_put (to, b);
    an_put (to, n);
  }
  an_put (to, G_MAXUINT64);
}

static int
compare_durations (gconstpointer pa, gconstpointer pb)
{
  gint64 a = *(const gint64 *) pa, b = *(const gint64 *) pb;
  return a < b ? -1 : a > b;
}

static void
put_durations (GByteArray *to, const Dist *d)
{
  gint64 *values = dist_values (d);
  qsort (values, d->count, sizeof *values, compare_durations);
  for (guint64 i = 0; i < d->count; i++)
    an_put (to, (guint64) values[i]);
  dist_values_free (d, values);
}

void
an_put_dist (GByteArray *to, const Dist *d)
{
  an_put (to, d->octave ? HISTOGRAM : EXACT);
  an_put (to, d->count);
  if (!d->octave) {
    put_durations (to, d);
    return;
  }
  an_put (to, (guint64) d->total);
  an_put (to, (guint64) (d->total >> 64));
  an_put (to, (guint64) d->min);
  an_put (to, (guint64) d->max);
  put_buckets (to, d);
}

/* -- Merging ----------------------------------------------------------------------------------- */

guint64
an_get (AnSaved *in)
{
  guint64 le;
  if (in->damaged || (gsize) (in->end - in->at) < sizeof le) {
    in->damaged = true;
    return 0;
  }
  memcpy (&le, in->at, sizeof le);
  in->at += sizeof le;
  return GUINT64_FROM_LE (le);
}

nprof_str
an_get_text (AnSaved *in)
{
  guint64 len = an_get (in);
  if (len > (guint64) (in->end - in->at)) {
    in->damaged = true;
    return 0;
  }
  nprof_str str = in->host->intern (in->host, (const char *) in->at, len);
  in->at += len;
  return str;
}

static void
get_histogram (AnSaved *in, Dist *d, guint64 count)
{
  guint64 low = an_get (in), high = an_get (in), sum = 0;
  d->total = (DistSum) ((unsigned __int128) high << 64 | low);
  d->min = (gint64) an_get (in);
  d->max = (gint64) an_get (in);
  dist_make_histogram (d);
  for (guint64 bucket; !in->damaged && (bucket = an_get (in)) != G_MAXUINT64;) {
    guint64 n = an_get (in);
    if (bucket >= DIST_BUCKETS || n > count - sum)
      in->damaged = true;
    else
      dist_add_bucket (d, (guint) bucket, n);
    sum += n;
  }
  in->damaged |= sum != count || d->min < 0 || d->max < d->min;
  d->count = count;
}

bool
an_get_dist (AnSaved *in, Dist *dist, void (*exact) (gpointer user, gint64 value), gpointer user)
{
  guint64 kind = an_get (in), count = an_get (in);
  in->damaged |= kind > HISTOGRAM || !count;
  if (in->damaged || kind == HISTOGRAM) {
    if (!in->damaged)
      get_histogram (in, dist, count);
    return true;
  }
  for (guint64 i = 0; i < count && !in->damaged; i++) {
    gint64 value = (gint64) an_get (in);
    in->damaged |= value < 0;
    if (!in->damaged)
      exact (user, value);
  }
  return false;
}
