/* SPDX-License-Identifier: Apache-2.0 */
/* links.c - leads from ids and flows to rows: 256 buckets by key, each sorted in memory at the
 * end. */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

static uint32_t
bucket_of (uint64_t key)
{
  return (uint32_t) (key >> 56);
}

static bool
spill (struct store_writer *w, uint32_t bucket)
{
  struct store_links *links = &w->links;
  if (!links->n[bucket])
    return true;
  if (!store_room (&w->fault, &links->chunks, &links->max_chunks, links->n_chunks + 1,
                   sizeof *links->chunks))
    return false;
  links->chunks[links->n_chunks].at = links->temp.at;
  links->chunks[links->n_chunks].bucket = bucket;
  links->chunks[links->n_chunks++].n = links->n[bucket];
  uint32_t n = links->n[bucket];
  links->n[bucket] = 0;
  return store_out_put (&links->temp, links->buffer + (size_t) bucket * STORE_LINK_BUFFER,
                        n * sizeof *links->buffer, &w->fault);
}

bool
store_link_put (struct store_writer *w, uint64_t key, uint32_t serial, uint32_t row)
{
  struct store_links *links = &w->links;
  uint32_t bucket = bucket_of (key);
  if (!links->buffer) {
    links->buffer = malloc ((size_t) STORE_BUCKETS * STORE_LINK_BUFFER * sizeof *links->buffer);
    if (!links->buffer)
      return store_fail (&w->fault, NPROF_E_NOMEM, "no memory for the links of rows");
  }
  links->buffer[(size_t) bucket * STORE_LINK_BUFFER + links->n[bucket]++]
      = (struct nprof_store_link){ .key = key, .lane = serial, .row = row };
  return links->n[bucket] < STORE_LINK_BUFFER || spill (w, bucket);
}

/* -- The end -------------------------------------------------------------------- */

static int
by_row (const void *a, const void *b)
{
  const struct nprof_store_link *x = a, *y = b;
  if (x->lane != y->lane)
    return x->lane < y->lane ? -1 : 1;
  return (x->row > y->row) - (x->row < y->row);
}

/* Sorts by key, and rows of one key by lane and row.  The result is in `from`. */
static void
sort_links (struct nprof_store_link *from, struct nprof_store_link *to, size_t n)
{
  struct nprof_store_link *a = from, *b = to;
  for (unsigned shift = 0; shift < 56; shift += 8) { /* the first byte is the bucket's */
    size_t at[257] = { 0 };
    for (size_t i = 0; i < n; i++)
      at[((a[i].key >> shift) & 255) + 1]++;
    for (unsigned i = 0; i < 256; i++)
      at[i + 1] += at[i];
    for (size_t i = 0; i < n; i++)
      b[at[(a[i].key >> shift) & 255]++] = a[i];
    struct nprof_store_link *other = a;
    a = b;
    b = other;
  }
  if (a != from)
    memcpy (from, a, n * sizeof *a);
  for (size_t i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && from[end].key == from[i].key;)
      end++;
    if (end - i > 1)
      qsort (from + i, end - i, sizeof *from, by_row);
  }
}

/* Drops links that lead nowhere: ids that no row names as its parent, parents that are no row's id,
 * and flows with one end. */
static size_t
drop_lonely (struct nprof_store_link *v, size_t n)
{
  size_t kept = 0;
  for (size_t i = 0, end; i < n; i = end) {
    bool id = false, parent = false;
    for (end = i; end < n && (v[end].key & ~3ull) == (v[i].key & ~3ull); end++) {
      id |= (v[end].key & 3) == NPROF_STORE_LINK_ID;
      parent |= (v[end].key & 3) == NPROF_STORE_LINK_PARENT;
    }
    bool flow = (v[i].key & 3) == NPROF_STORE_LINK_FLOW;
    if (flow ? end - i > 1 : id && parent)
      for (size_t k = i; k < end; k++)
        v[kept++] = v[k];
  }
  return kept;
}

static bool
read_bucket (struct store_writer *w, uint32_t bucket, struct nprof_store_link *v)
{
  struct store_links *links = &w->links;
  for (size_t i = 0; i < links->n_chunks; i++) {
    if (links->chunks[i].bucket != bucket)
      continue;
    if (!store_out_read (&links->temp, links->chunks[i].at, v, links->chunks[i].n * sizeof *v,
                         &w->fault))
      return false;
    v += links->chunks[i].n;
  }
  return true;
}

static bool
finish_bucket (struct store_writer *w, uint32_t bucket, size_t n)
{
  struct nprof_store_link *v = malloc (n * sizeof *v), *other = malloc (n * sizeof *v);
  bool ok = v && other ? read_bucket (w, bucket, v)
                       : store_fail (&w->fault, NPROF_E_NOMEM, "no memory to sort %zu links", n);
  if (ok) {
    size_t live = 0;
    for (size_t i = 0; i < n; i++) {
      uint32_t lane = w->lane_of[v[i].lane];
      v[live] = v[i];
      v[live].lane = lane;
      live += lane != UINT32_MAX;
    }
    sort_links (v, other, live);
    live = drop_lonely (v, live);
    ok = store_out_put (&w->out[NPROF_STORE_F_LINKS], v, live * sizeof *v, &w->fault);
  }
  free (v);
  free (other);
  return ok;
}

bool
store_links_finish (struct store_writer *w)
{
  struct store_links *links = &w->links;
  uint64_t fences[STORE_BUCKETS + 1];
  size_t count[STORE_BUCKETS] = { 0 };
  for (uint32_t b = 0; b < STORE_BUCKETS; b++)
    if (!spill (w, b))
      return false;
  for (size_t i = 0; i < links->n_chunks; i++)
    count[links->chunks[i].bucket] += links->chunks[i].n;
  for (uint32_t b = 0; b < STORE_BUCKETS; b++) {
    fences[b] = w->out[NPROF_STORE_F_LINKS].at / sizeof (struct nprof_store_link);
    if (count[b] && !finish_bucket (w, b, count[b]))
      return false;
  }
  fences[STORE_BUCKETS] = w->out[NPROF_STORE_F_LINKS].at / sizeof (struct nprof_store_link);
  return store_writer_section (w, NPROF_STORE_S_FENCES, fences, STORE_BUCKETS + 1);
}

void
store_links_clear (struct store_links *links)
{
  store_out_clear (&links->temp);
  free (links->buffer);
  free (links->chunks);
}
