/* SPDX-License-Identifier: Apache-2.0 */
/* index.c - finds where events start and which of them are metadata, by quotes and brackets alone;
 * scan.c reads what is in an event.  Compiled once for each instruction set. */
#include "json/block.h"
#include "json/variant.h"

#define AHEAD 2048 /* bytes fetched ahead, since the processor's own prefetching ends with a page */

/* Returns whether the M at p is the value of an event's key ph. */
static bool
is_phase (const char *p, const char *end)
{
  if (end - p < 2 || p[-1] != '"' || p[1] != '"')
    return false;
  p -= 2; /* an event has begun before, so none of these steps leaves the input */
  while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')
    p--;
  if (*p-- != ':')
    return false;
  while (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')
    p--;
  return p[0] == '"' && p[-1] == 'h' && p[-2] == 'p' && p[-3] == '"';
}

/* Puts the index behind the byte `to`, outside of strings. */
static int
stop_behind (TeIndex *x, int what, const char *to, int64_t depth)
{
  x->at = to;
  x->depth = depth;
  x->in_string = x->escaped = 0;
  return what;
}

/* Looks at the brackets and Ms of one block, one after the other; -1: nothing to stop for. */
static int
look_at_block (TeIndex *x, const char *cut, uint64_t open, uint64_t close, uint64_t metas)
{
  int64_t depth = x->depth;
  for (uint64_t bits = open | close | metas; bits; bits &= bits - 1) {
    uint64_t bit = bits & -bits;
    const char *p = x->at + __builtin_ctzll (bits);
    if (bit & metas) {
      if (depth == 1 && is_phase (p, x->end))
        return stop_behind (x, TE_INDEX_META, p + 2, depth);
    } else if (bit & open) {
      if (depth == 0 && p >= cut && *p == '{')
        return stop_behind (x, TE_INDEX_CUT, p, 0);
      depth++;
    } else if (--depth < 0) {
      return stop_behind (x, TE_INDEX_CLOSE, p, 0);
    }
  }
  return -1;
}

/* Looks for structure until `pause`. Its own variables carry the state from block to block, because
 * through x each block would wait for what the one before has stored. */
int
TE_VARIANT_NAME (te_index) (TeIndex *x, const char *cut, const char *pause)
{
  char copy[TE_BLOCK];
  const char *p = x->at, *end = x->end;
  int64_t depth = x->depth;
  uint64_t in_string = x->in_string, escaped = x->escaped;
  while (p < pause) {
    __builtin_prefetch (p + AHEAD);
    TeMasks m = te_masks (te_block (p, end, copy), TE_OF_INDEX);
    uint64_t escaped_before = escaped;
    uint64_t quote = m.quote & ~te_escaped (m.backslash, &escaped);
    uint64_t string = te_inside (quote) ^ in_string;
    uint64_t open = m.open & ~string, close = m.close & ~string;
    uint64_t metas = m.capital_m & (quote << 1 | 1) & (quote >> 1 | UINT64_C (1) << 63);
    int n_open = te_count (open), n_close = te_count (close);
    bool cuts = open && p + TE_BLOCK > cut;
    if (TE_UNLIKELY (metas || cuts || n_close > depth)) {
      *x = (TeIndex){ p, end, depth, in_string, escaped_before };
      int what = look_at_block (x, cut, open, close, metas);
      if (what >= 0)
        return what;
    }
    depth += n_open - n_close;
    in_string = (uint64_t) ((int64_t) string >> 63);
    p = end - p > TE_BLOCK ? p + TE_BLOCK : end;
  }
  *x = (TeIndex){ p, end, depth, in_string, escaped };
  return p == end ? TE_INDEX_EOF : TE_INDEX_MORE;
}
