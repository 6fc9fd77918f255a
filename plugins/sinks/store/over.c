/* SPDX-License-Identifier: Apache-2.0 */
/* over.c - writes the whole profile as rectangles, asked once at the end: the first paint is one
 * read. */
#include "part.h"
#include "parts.h"

#include <stdlib.h>
#include <string.h>

#define PIXELS 2048

static bool
put_rects (struct store_writer *w, const struct nprof_rects *r, struct nprof_store_span *span)
{
  struct store_out *out = &w->out[NPROF_STORE_F_OVER];
  const uint32_t *columns[] = { r->x0, r->x1, r->row, r->label, r->count, r->low, r->high };
  static const char zeros[4];
  *span = (struct nprof_store_span){ .from = out->at, .n = r->n };
  for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
    if (!store_out_put (out, columns[c], r->n * sizeof (uint32_t), &w->fault))
      return false;
  return store_out_put (out, r->fill, r->n, &w->fault)
         && store_out_put (out, zeros, (4 - r->n % 4) % 4, &w->fault);
}

/* Reports the reader's failure; it tells of memory in words only. */
static bool
reader_failed (struct store_writer *w, const char *error)
{
  return store_fail (&w->fault, strstr (error, "no memory") ? NPROF_E_NOMEM : NPROF_E_IO, "%s",
                     error);
}

static bool
ask (struct store_writer *w, struct nprof_query *query, struct nprof_store_span *spans)
{
  struct nprof_rects rects = { 0 };
  bool ok = true;
  for (uint32_t lane = 0; ok && lane < w->n_index; lane++) {
    rects.n = 0;
    ok = nprof_store_viewport (query, lane, w->meta.over_t0, PIXELS, w->meta.over_p, &rects)
             ? put_rects (w, &rects, spans + lane)
             : reader_failed (w, query->error);
  }
  nprof_rects_clear (&rects);
  return ok;
}

/* Sets the scale: the least power of two of which 2048 hold the whole. */
static void
set_scale (struct nprof_store_meta *meta)
{
  uint64_t length = meta->first > meta->last ? 0 : (uint64_t) meta->last - (uint64_t) meta->first;
  meta->over_t0 = meta->first > meta->last ? 0 : meta->first;
  meta->over_p = 1;
  while ((uint64_t) meta->over_p <= length / PIXELS)
    meta->over_p *= 2;
}

bool
store_over (struct store_writer *w)
{
  char error[600];
  set_scale (&w->meta);
  struct nprof_store *store
      = nprof_store_open_part (w->folder, &w->meta, w->index, w->n_index, error, sizeof error);
  struct nprof_store_span *spans = calloc (w->n_index + 1, sizeof *spans);
  struct nprof_query query;
  bool ok = store && spans ? nprof_query_init (&query, store)
                           : reader_failed (w, store ? "no memory" : error);
  if (ok) {
    ok = ask (w, &query, spans);
    nprof_query_clear (&query);
  } else if (store && spans)
    reader_failed (w, "no memory for the picture");
  nprof_store_close (store);
  ok = ok && store_index_over (w, spans, w->n_index);
  free (spans);
  return ok;
}
