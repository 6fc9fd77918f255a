/* SPDX-License-Identifier: Apache-2.0 */
/* store-gen.c - a large profile straight into a store, for what nprof view does with it: store-gen
 * ROWS FOLDER. 1000 tracks: 10 have 30 % of the rows, 90 have 27 %, the others the rest; spans nest
 * four deep in bursts with gaps, every tenth track has overlaps of 24 at once, every twentieth
 * counters, every tenth span ends a flow; 20,000 names. */
#include "writer.h"

#include <glib.h>
#include <nprof/plugin.h>
#include <stdio.h>
#include <stdlib.h>

enum { TRACKS = 1000, NAMES = 20000, FLOWS = 780000 };

typedef struct {
  struct store_writer *w;
  struct store_line *line;
  guint64 state, ordinal, left;
  guint32 *labels, *counters;
  gint64 now;
  guint track;
} Maker;

/* splitmix64 */
static guint64
next (Maker *m)
{
  guint64 z = m->state += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

static guint
pick (Maker *m, guint n)
{
  return (guint) (next (m) % n);
}

static void
put (Maker *m, guint32 kind, guint32 label, gint64 start, gint64 duration, guint64 flow)
{
  const struct store_row row = { .start = start,
                                 .duration = duration,
                                 .kind = kind,
                                 .label = label,
                                 .ordinal = m->ordinal++,
                                 .flow = flow,
                                 .has_value = kind == NPROF_COUNTER,
                                 .value = kind == NPROF_COUNTER ? pick (m, 1000) : 0 };
  if (!store_writer_row (m->w, m->line, &row))
    g_error ("%s", store_writer_fault (m->w)->text);
  m->left -= m->left > 0;
}

/* Few names are frequent. */
static guint32
name_of (Maker *m)
{
  guint n = pick (m, 4) ? 200 : NAMES;
  return m->labels[pick (m, n)];
}

/* A span with others in it, down to `depth`. */
static void
put_nested (Maker *m, guint depth, gint64 start, gint64 duration)
{
  put (m, NPROF_SPAN, name_of (m), start, duration, pick (m, 64) ? 0 : 1 + pick (m, FLOWS));
  if (!depth || !m->left)
    return;
  guint n = 1 + pick (m, 4);
  for (guint i = 0; i < n && m->left; i++)
    put_nested (m, depth - 1, start + duration / n * i, duration / n - 1000);
}

static void
put_burst (Maker *m)
{
  guint spans = 1 + pick (m, 40);
  for (guint i = 0; i < spans && m->left; i++) {
    gint64 duration = 1000 * (gint64) (200 + pick (m, 20000));
    put_nested (m, 3, m->now, duration);
    m->now += duration + 1000 * (gint64) pick (m, 500);
  }
  m->now += 1000 * (gint64) pick (m, 3000000);
}

static void
put_overlaps (Maker *m)
{
  put (m, NPROF_SPAN, name_of (m), m->now, 1000 * (gint64) (1 + pick (m, 48000)), 0);
  m->now += 1000 * (gint64) pick (m, 2000);
}

static void
put_value (Maker *m)
{
  put (m, NPROF_COUNTER, m->counters[pick (m, 3)], m->now, 0, 0);
  m->now += 1000 * (gint64) pick (m, 30000);
}

static void
fill_track (Maker *m, guint64 rows)
{
  gboolean overlaps = m->track % 10 == 9, values = m->track % 20 == 5;
  m->line = store_writer_line (m->w, m->track + 1, 0, 0, !overlaps);
  m->left = rows;
  m->now = 1000 * (gint64) pick (m, 100000);
  while (m->left)
    if (overlaps)
      put_overlaps (m);
    else if (values)
      put_value (m);
    else
      put_burst (m);
}

static guint32
text (Maker *m, const char *format, guint i)
{
  g_autofree char *s = g_strdup_printf (format, i);
  return store_writer_string (m->w, s, strlen (s));
}

static void
make_names (Maker *m)
{
  m->labels = g_new (guint32, NAMES);
  m->counters = g_new (guint32, 3);
  guint32 category = text (m, "category", 0);
  for (guint i = 0; i < NAMES; i++)
    m->labels[i]
        = store_writer_label (m->w,
                              text (m, i % 7 ? "void kernel_%u<float, 4>" : "all_reduce.%u", i),
                              category);
  for (guint i = 0; i < 3; i++)
    m->counters[i] = store_writer_label (m->w, text (m, "counter %u", i), category);
}

static void
finish (Maker *m)
{
  g_autofree struct nprof_store_track *tracks = g_new0 (struct nprof_store_track, TRACKS);
  struct nprof_store_input input = { .label = text (m, "store-gen", 0),
                                     .decoder = text (m, "none", 0),
                                     .origin_unix_ns = INT64_MIN,
                                     .flags = NPROF_STORE_NO_PATH };
  const struct store_facts facts
      = { .generation = 1, .origin_unix_ns = INT64_MIN, .flags = NPROF_STORE_SOURCELESS };
  guint32 zero = 0;
  char *path = NULL;
  for (guint t = 0; t < TRACKS; t++)
    tracks[t]
        = (struct nprof_store_track){ .number = t + 1,
                                      .kind = t % 10 == 9 ? NPROF_TRACK_ASYNC : NPROF_TRACK_THREAD,
                                      .key = text (m, "track %04u", t) };
  if (!store_writer_section (m->w, NPROF_STORE_S_TRACKS, tracks, TRACKS)
      || !store_writer_section (m->w, NPROF_STORE_S_INPUTS, &input, 1)
      || !store_writer_section (m->w, NPROF_STORE_S_ORIGINS, &zero, 1)
      || !store_writer_finish (m->w, &facts) || !store_writer_commit (m->w, &path))
    g_error ("%s", store_writer_fault (m->w)->text);
  free (path);
}

int
main (int argc, char **argv)
{
  struct store_fault fault = { 0 };
  guint64 rows = argc > 2 ? g_ascii_strtoull (argv[1], NULL, 10) : 0;
  if (!rows) {
    fprintf (stderr, "usage: store-gen ROWS FOLDER\n");
    return 1;
  }
  Maker m
      = { .state = 1,
          .w = store_writer_new (argv[2], "n_0000000000000000000000000000000000000001", &fault) };
  if (!m.w)
    g_error ("%s", fault.text);
  make_names (&m);
  for (m.track = 0; m.track < TRACKS; m.track++)
    fill_track (&m, m.track < 10    ? rows * 3 / 100
                    : m.track < 100 ? rows * 3 / 1000
                                    : rows * 43 / 90000);
  finish (&m);
  printf ("%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT "\n", store_writer_rows (m.w),
          store_writer_bytes (m.w));
  store_writer_free (m.w);
  g_free (m.labels);
  g_free (m.counters);
  return 0;
}
