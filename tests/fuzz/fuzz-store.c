/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-store.c - the reader of profile stores on stores whose bytes were changed: what follows the
 * first byte is a list of (file, place, new bytes). An odd first byte mends the checksums
 * afterwards, so that only the rules of the structure stand between the change and the reader.
 * Every question is asked; it answers or says what is wrong. */
#include "make-store.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

enum { META = NPROF_STORE_FILES, N_FILES };
#define ROWS 600 /* of the store that is changed */

static const char *const names[] = { "rows", "p1",    "p2",    "p3",   "cells", "index", "strings",
                                     "text", "links", "lists", "post", "over",  "sums",  "meta" };

/* Files are bits in `touched`: those whose bytes differ now, and on the disk. To write and to sum
 * all of them each time would take most of the time. */
typedef struct {
  Made *made;
  GByteArray *files[N_FILES], *changed[N_FILES];
  guint touched, on_disk;
} World;

static World *w_kept;

static void
end (void)
{
  made_free (w_kept->made);
}

static World *
test (void)
{
  World *w = w_kept;
  if (w)
    return w;
  w = w_kept = g_new0 (World, 1);
  w->made = make_store (3, ROWS);
  for (guint f = 0; f < N_FILES; f++) {
    g_autofree char *path = g_build_filename (w->made->path, names[f], NULL);
    char *bytes;
    gsize len;
    g_assert_true (g_file_get_contents (path, &bytes, &len, NULL));
    w->files[f] = g_byte_array_new_take ((guint8 *) bytes, len);
    w->changed[f] = g_byte_array_new ();
    g_byte_array_append (w->changed[f], w->files[f]->data, w->files[f]->len);
  }
  atexit (end);
  return w;
}

/* -- Changes ------------------------------------------------------------------------ */

/* file, 3 bytes of place, length 1..8, bytes; what is incomplete is left out. */
static void
apply (World *w, const uint8_t *data, size_t size)
{
  while (size >= 6) {
    guint file = data[0] % N_FILES, n = data[4] % 8 + 1;
    guint64 at = data[1] | (guint) data[2] << 8 | (guint) data[3] << 16;
    GByteArray *to = w->changed[file];
    if (size < 5 + n)
      return;
    w->touched |= to->len ? 1u << file : 0;
    for (guint k = 0; k < n && to->len; k++)
      to->data[(at + k) % to->len] = data[5 + k];
    data += 5 + n;
    size -= 5 + n;
  }
}

static void
mend_blocks (GByteArray *file)
{
  for (gsize at = 0; at + sizeof (struct nprof_store_block) <= file->len; at += 64) {
    struct nprof_store_block *b = (struct nprof_store_block *) (file->data + at);
    if (b->magic == NPROF_STORE_BLOCK && b->bytes >= sizeof *b && b->bytes <= file->len - at)
      b->hash = nprof_store_block_hash (b);
  }
}

static void
mend_sums (World *w)
{
  const GByteArray *sums = w->changed[NPROF_STORE_F_SUMS];
  memcpy (sums->data, w->files[NPROF_STORE_F_SUMS]->data, sums->len);
  gsize page = 0;
  for (guint f = NPROF_STORE_F_INDEX; f < NPROF_STORE_F_SUMS; f++)
    for (gsize at = 0; at < w->changed[f]->len; at += NPROF_STORE_PAGE, page++) {
      if (!(w->touched & 1u << f))
        continue;
      guint32 sum = (guint32) nprof_store_hash (w->changed[f]->data + at,
                                                MIN (w->changed[f]->len - at, NPROF_STORE_PAGE));
      memcpy (sums->data + page * sizeof sum, &sum, sizeof sum);
    }
}

static void
mend (World *w)
{
  const GByteArray *sums = w->changed[NPROF_STORE_F_SUMS];
  struct nprof_store_meta *meta = (struct nprof_store_meta *) w->changed[META]->data;
  for (guint f = 0; f < NPROF_STORE_F_INDEX; f++)
    if (w->touched & 1u << f)
      mend_blocks (w->changed[f]);
  mend_sums (w);
  w->touched |= 1u << META | 1u << NPROF_STORE_F_SUMS;
  memcpy (meta->magic, NPROF_STORE_MAGIC, 8);
  meta->sums_hash = nprof_store_hash (sums->data ? (const void *) sums->data : "", sums->len);
  meta->hash = 0;
  meta->hash = nprof_store_hash (meta, sizeof *meta);
}

/* -- Questions ------------------------------------------------------------------------ */

static int
never (void *user, const struct nprof_event *event)
{
  (void) event;
  return ++*(guint *) user > 2 * ROWS;
}

static void
ask_event (struct nprof_query *q, struct nprof_row row)
{
  struct nprof_event e;
  const struct nprof_store_field *fields;
  const struct nprof_row *rows;
  const struct nprof_link *links;
  const struct nprof_overlap *overlaps;
  struct nprof_row other;
  guint32 n;
  guint64 total, below, totals[2];
  int64_t sum;
  bool found;
  if (!nprof_store_event (q, row, &e))
    return;
  nprof_store_fields (q, &e, true, &fields, &n);
  nprof_store_enclosing (q, &e, &rows, &n);
  nprof_store_children (q, &e, 10, &rows, &n, &total);
  nprof_store_links (q, &e, 10, &links, &n, totals);
  nprof_store_overlaps (q, &e, NULL, 0, 10, &overlaps, &n, &total, &sum);
  nprof_store_step (q, row, false, &other, &found);
  nprof_store_step (q, row, true, &other, &found);
  nprof_store_rank (q, &e, &below, &total);
}

/* Parts rows by their labels. */
static uint32_t
parity_of (void *user, const struct nprof_store_block *b, uint32_t i)
{
  (void) user;
  return nprof_store_get (b, nprof_store_column (b, NPROF_STORE_C_LABEL), i) & 1;
}

static void
ask_lanes (struct nprof_query *q)
{
  const struct nprof_store_groups groups = { 2, parity_of, NULL };
  struct nprof_rects rects = { 0 }, parts[2] = { { 0 } }, over;
  guint64 n;
  gint64 busy;
  for (guint32 lane = 0; lane < nprof_store_n (q->store, NPROF_STORE_S_LANES) && lane < 200;
       lane++) {
    const struct nprof_store_lane *l = nprof_store_lane_at (q->store, lane);
    for (gint64 p = 1; p < 1 << 24; p *= 4096) {
      rects.n = 0;
      nprof_store_viewport (q, lane, l ? l->first : 0, 100, p, &rects);
      parts[0].n = parts[1].n = 0;
      nprof_store_viewport_by (q, lane, l ? l->first : 0, 100, p, &groups, parts);
      nprof_store_touching (q, lane, 0, p * 1000, &n);
      nprof_store_busy (q, lane, 0, p * 1000, &busy);
    }
    if (nprof_store_over (q, lane, &over))
      for (guint32 k = 0; k < over.n; k++)
        n += over.x0[k] + over.fill[k];
    for (guint32 k = 0; l && k < l->rows && k < 600; k += 67)
      ask_event (q, (struct nprof_row){ lane, k });
  }
  nprof_rects_clear (&rects);
  nprof_rects_clear (&parts[0]);
  nprof_rects_clear (&parts[1]);
}

/* Reads each of its cells, as all do who hold that there are so many. */
static void
ask_cells (struct nprof_query *q, const struct nprof_store_table *t, guint64 row)
{
  struct nprof_store_cell cell;
  volatile guint64 seen = 0;
  for (guint32 c = 0; c < t->n_columns && nprof_store_cell (q, t, row, c, &cell); c++)
    seen += cell.value;
  (void) seen;
}

static void
ask_all (struct nprof_query *q)
{
  static const char *const texts[]
      = { "op1", "key0>3 kind=span", "key3.b.c=x3", "value1~text dur>1ns" };
  const struct nprof_total *totals;
  const struct nprof_store_table *t;
  struct nprof_row hits[50];
  guint32 n, at;
  guint seen = 0;
  gint64 busy;
  bool more;
  for (guint by = 0; by < 4; by++)
    nprof_store_summary (q, NULL, 0, by * 1000, 1 << 20, by, UINT32_MAX, &totals, &n);
  nprof_store_track_busy (q, 1, 0, 1 << 20, &busy);
  for (guint k = 0; k < G_N_ELEMENTS (texts); k++) {
    struct nprof_search *search = nprof_search_new (q, texts[k], &at);
    if (search)
      nprof_search_hits (q, search, NULL, NULL, 0, INT64_MIN, INT64_MAX, hits, 50, &n, &more);
    nprof_search_free (search);
  }
  nprof_store_each (q, 0, 0, never, &seen);
  for (guint32 k = 0; (t = nprof_store_table_at (q->store, k)) && k < 10; k++)
    for (guint64 row = 0; row < t->rows; row++)
      ask_cells (q, t, row);
}

static void
ask (const char *path)
{
  char error[600];
  struct nprof_query q;
  struct nprof_store *store = nprof_store_open (path, error, sizeof error);
  if (!store)
    return;
  g_assert_true (nprof_query_init (&q, store));
  ask_lanes (&q);
  ask_all (&q);
  nprof_query_clear (&q);
  nprof_store_close (store);
}

/* All files as they were written. */
static void
restore (World *w)
{
  for (guint f = 0; f < N_FILES; f++)
    if (w->touched & 1u << f)
      memcpy (w->changed[f]->data, w->files[f]->data, w->files[f]->len);
  w->touched = 0;
}

/* Over what is there, since no change makes a file longer or shorter: file systems write out at
 * once what was truncated before. */
static void
put_file (const World *w, guint f)
{
  g_autofree char *path = g_build_filename (w->made->path, names[f], NULL);
  const GByteArray *bytes = w->changed[f];
  FILE *file = fopen (path, "r+b");
  g_assert_nonnull (file);
  g_assert_true (!bytes->len || fwrite (bytes->data, 1, bytes->len, file) == bytes->len);
  fclose (file);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  World *w = test ();
  if (!size)
    return 0;
  restore (w);
  apply (w, data + 1, size - 1);
  if (data[0] & 1)
    mend (w);
  for (guint f = 0; f < N_FILES; f++)
    if ((w->touched | w->on_disk) & 1u << f)
      put_file (w, f);
  w->on_disk = w->touched;
  ask (w->made->path);
  return 0;
}
