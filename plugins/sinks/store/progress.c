/* SPDX-License-Identifier: Apache-2.0 */
/* progress.c - draws a strip of each track while rows come.  All strips have the same 512 buckets;
 * when a row lies beyond them, they become twice as wide, to the side where it lies. */
#include "progress.h"

#include "system/json-writer.h"

#define BUCKETS 512
#define TRACKS 1000 /* further ones are not shown until the profile is there */
#define FIGURES 64  /* rows of tables; further ones come with the profile */
#define PERIOD_US (G_USEC_PER_SEC / 4)
#define SHARE 20 /* telling takes at most one part in so many: 1,000 tracks are megabytes */

struct strip {
  guint64 rows;
  double busy[BUCKETS]; /* ps */
  guint32 count[BUCKETS];
};

struct store_progress {
  gint64 t0, width; /* of the buckets; width 0: no row yet */
  guint64 rows;
  GPtrArray *strips; /* by track handle; NULL: none */
  guint n_strips;
  struct nprof_buf figures; /* what json_of_figures has written: objects, apart by commas */
  NpJson json_of_figures;
  guint n_figures;
  gint64 told, cost;   /* when, and how long it took; us */
  gboolean shows_rows; /* what was told last has some */
};

struct store_progress *
store_progress_new (void)
{
  struct store_progress *p = g_new0 (struct store_progress, 1);
  p->strips = g_ptr_array_new_with_free_func (g_free);
  p->json_of_figures.buf = &p->figures;
  p->told = g_get_monotonic_time ();
  return p;
}

void
store_progress_free (struct store_progress *p)
{
  if (!p)
    return;
  g_ptr_array_unref (p->strips);
  nprof_buf_clear (&p->figures);
  g_free (p);
}

/* Makes one of each pair of buckets, in the left half or the right. */
static void
halve (struct strip *s, gboolean right)
{
  struct strip old = *s;
  memset (s->busy, 0, sizeof s->busy);
  memset (s->count, 0, sizeof s->count);
  for (guint i = 0; i < BUCKETS; i++) {
    guint to = i / 2 + (right ? BUCKETS / 2 : 0);
    s->busy[to] += old.busy[i];
    s->count[to] += old.count[i];
  }
}

static void
widen (struct store_progress *p, gboolean right)
{
  for (guint i = 0; i < p->strips->len; i++)
    if (p->strips->pdata[i])
      halve (p->strips->pdata[i], right);
  if (right)
    p->t0 -= p->width * BUCKETS;
  p->width *= 2;
}

/* Covers a range; the widest buckets still hold all times that an int64 can. */
static void
cover_range (struct store_progress *p, gint64 from, gint64 to)
{
  if (!p->width) {
    p->width = 1000;
    p->t0 = from;
  }
  while (p->width < G_MAXINT64 / (4 * BUCKETS) && from < p->t0
         && p->t0 > G_MININT64 + p->width * BUCKETS)
    widen (p, TRUE);
  while (p->width < G_MAXINT64 / (4 * BUCKETS) && to >= p->t0
         && (guint64) to - (guint64) p->t0 >= (guint64) p->width * BUCKETS)
    widen (p, FALSE);
}

static struct strip *
strip_of (struct store_progress *p, nprof_track track)
{
  while (p->strips->len <= track)
    g_ptr_array_add (p->strips, NULL);
  if (!p->strips->pdata[track] && p->n_strips < TRACKS) {
    p->strips->pdata[track] = g_new0 (struct strip, 1);
    p->n_strips++;
  }
  return p->strips->pdata[track];
}

void
store_progress_row (struct store_progress *p, nprof_track track, gint64 start, gint64 duration)
{
  gint64 end = duration > 0 && start < G_MAXINT64 - duration ? start + duration : start;
  struct strip *s = strip_of (p, track);
  p->rows++;
  cover_range (p, start, end);
  if (!s || start < p->t0)
    return;
  s->rows++;
  guint64 i = ((guint64) start - (guint64) p->t0) / (guint64) p->width;
  if (i < BUCKETS)
    s->count[i]++;
  for (gint64 at = start; at < end && i < BUCKETS; i++) {
    gint64 to;
    if (__builtin_add_overflow (p->t0, (gint64) (i + 1) * p->width, &to) || to > end)
      to = end;
    s->busy[i] += (double) (to - at);
    at = to;
  }
}

/* -- Figures ------------------------------------------------------------------------------ */

static void
put_cell (NpJson *j, const char *key, struct store_sink *self, const struct nprof_cell *cell)
{
  size_t len = cell->len;
  const char *text = cell->type == NPROF_STRING ? self->host->string (self->host, cell->v.s, &len)
                                                : cell->v.text;
  if (cell->type == NPROF_STRING || cell->type == NPROF_TEXT)
    np_json_text_n (j, key, text, len);
  else if (cell->type == NPROF_DOUBLE)
    np_json_double (j, key, cell->v.f);
  else if (cell->type == NPROF_INT64)
    np_json_i64 (j, key, cell->v.i);
  else
    np_json_null (j, key);
}

static void
put_figure (struct store_progress *p, struct store_sink *self, const struct nprof_table *table,
            const struct nprof_cell *row)
{
  NpJson *j = &p->json_of_figures;
  p->n_figures++;
  np_json_object (j, NULL);
  np_json_text (j, "table", table->name);
  for (guint c = 0; table->columns[c]; c++)
    put_cell (j, table->columns[c]->name, self, row + c);
  np_json_end_object (j);
}

void
store_progress_table (struct store_progress *p, struct store_sink *self,
                      const struct nprof_table *table, const struct nprof_cell *cells,
                      guint32 n_rows)
{
  guint n = 0, before = p->n_figures;
  if (strcmp (table->name, "devices") && strcmp (table->name, "step_times"))
    return;
  while (table->columns[n])
    n++;
  for (guint32 r = 0; r < n_rows && p->n_figures < FIGURES; r++)
    put_figure (p, self, table, cells + (gsize) r * n);
  if (p->n_figures > before)
    p->told = 0; /* they are told at once */
}

/* -- The file ---------------------------------------------------------------------------- */

static void
put_strip (const struct store_progress *p, NpJson *j, const struct strip *s)
{
  double most = 1;
  for (guint i = 0; i < BUCKETS; i++)
    most = MAX (most, s->count[i]);
  np_json_array (j, "busy");
  for (guint i = 0; i < BUCKETS; i++)
    np_json_number (j, NULL, (guint64) (MIN (s->busy[i] / (double) p->width, 1) * 255 + 0.5));
  np_json_end_array (j);
  np_json_array (j, "count");
  for (guint i = 0; i < BUCKETS; i++)
    np_json_number (j, NULL, (guint64) (s->count[i] / most * 255 + 0.5));
  np_json_end_array (j);
}

static void
put_track (struct store_progress *p, NpJson *j, struct store_sink *self, nprof_track track)
{
  static const char *const kinds[] = { "input",  "host",  "process", "thread",  "device", "core",
                                       "engine", "queue", "async",   "counter", "derived" };
  const struct nprof_track_info *info = self->host->track_info (self->host, track);
  const struct strip *s = p->strips->pdata[track];
  size_t len;
  np_json_object (j, NULL);
  np_json_number (j, "track", info->number);
  np_json_text (j, "label",
                self->host->string (self->host, info->label ? info->label : info->key, &len));
  np_json_text (j, "kind", info->kind < G_N_ELEMENTS (kinds) ? kinds[info->kind] : "thread");
  np_json_number (j, "rows", s->rows);
  put_strip (p, j, s);
  np_json_end_object (j);
}

static void
put_all (struct store_progress *p, struct nprof_buf *b, struct store_sink *self)
{
  NpJson j = { .buf = b };
  np_json_object (&j, NULL);
  np_json_number (&j, "rows", p->rows);
  np_json_i64 (&j, "start", p->width ? p->t0 : 0);
  np_json_i64 (&j, "end", p->width ? p->t0 + p->width * BUCKETS : 0);
  np_json_array (&j, "figures");
  nprof_put (b, p->figures.data, p->figures.len);
  np_json_end_array (&j);
  np_json_array (&j, "tracks");
  for (guint i = 0; i < p->strips->len; i++)
    if (p->strips->pdata[i])
      put_track (p, &j, self, i);
  np_json_end_array (&j);
  np_json_end_object (&j);
}

gboolean
store_progress_tell (struct store_progress *p, struct store_sink *self)
{
  struct nprof_buf b = { 0 };
  gboolean first = p->rows && !p->shows_rows; /* they are waited for */
  gint64 now = g_get_monotonic_time ();
  if (!first && now - p->told < MAX (PERIOD_US, SHARE * p->cost))
    return TRUE;
  put_all (p, &b, self);
  gboolean good = b.failed || store_writer_progress (self->writer, b.data, b.len);
  nprof_buf_clear (&b);
  p->told = g_get_monotonic_time ();
  p->cost = p->told - now;
  p->shows_rows = p->rows > 0;
  return good;
}
