/* SPDX-License-Identifier: Apache-2.0 */
/* map.c - assembles keys or values of the map: entries of each row's set, then its own, row by row.
 * An entry of a set is looked up when the first row has it; from then on its number is copied.
 * Values are numbered by what they are (a number's bits, a string's handle) and made text once for
 * each distinct one. */
#include "assemble.h"

#define UNSEEN UINT32_MAX
#define AHEAD 8 /* entries: a large dictionary is slow to reach */

/* Returns the place of an entry: those of the rows come first, then those of the sets. */
static inline const struct pq_entry *
entry_at (const struct pq_rows *rows, uint64_t at)
{
  uint64_t n = rows->entries.len / sizeof (struct pq_entry);
  return at < n ? (const struct pq_entry *) rows->entries.data + at
                : (const struct pq_entry *) rows->set_entries.data + (at - n);
}

/* Returns the key of a value that is no text of its own. */
static inline uint64_t
key_of (const struct pq_entry *entry)
{
  return entry->value ^ (uint64_t) entry->how << 59;
}

/* Takes an entry: returns a number, or PQ_DICT_FULL to stop. */
typedef uint32_t (*taker) (struct pq_assembled *w, struct pq_dict *dict, const struct pq_rows *rows,
                           const struct pq_entry *entry, uint64_t at);

static inline bool
take_set (struct pq_assembled *w, struct pq_dict *dict, const struct pq_rows *rows, uint32_t set,
          uint32_t *to, size_t *n, taker take)
{
  const struct pq_entry *entries = (const void *) rows->set_entries.data;
  uint32_t *of_set = (void *) w->of_set.data;
  uint64_t n_own = rows->entries.len / sizeof *entries;
  uint32_t at = set ? pq_rows_set (rows, set - 1)->ends : 0, end = pq_rows_set (rows, set)->ends;
  for (; at < end; at++) {
    if (of_set[at] == UNSEEN)
      of_set[at] = take (w, dict, rows, entries + at, n_own + at);
    if (of_set[at] == PQ_DICT_FULL)
      return false;
    to[(*n)++] = of_set[at];
  }
  return true;
}

/* It is inlined for each `take`. */
__attribute__ ((always_inline)) static inline bool
walk (struct pq_assembled *w, struct pq_dict *dict, const struct pq_rows *rows, size_t n_rows,
      uint32_t *to, taker take)
{
  const struct pq_entry *own = (const void *) rows->entries.data;
  const struct pq_list *from = (const void *) rows->lists.data;
  size_t n_from = rows->lists.len / sizeof *from;
  const uint32_t *of_row = (const void *) rows->of_row.data;
  size_t n_own = rows->entries.len / sizeof *own;
  struct pq_list *lists = (void *) w->lists.data, *list = lists;
  size_t n = 0, k = 0;
  memset (w->of_set.data, 0xff, rows->set_entries.len / sizeof *own * sizeof (uint32_t));
  for (size_t row = 0; row < n_rows; row++) {
    size_t before = n;
    if (of_row[row] && !take_set (w, dict, rows, of_row[row] - 1, to, &n, take))
      return false;
    if (n_from && from->row == row) {
      for (uint32_t i = 0; i < from->n; i++, k++) {
        if (dict && k + AHEAD < n_own)
          pq_dict_prefetch (dict, key_of (own + k + AHEAD));
        to[n] = take (w, dict, rows, own + k, k);
        if (to[n++] == PQ_DICT_FULL)
          return false;
      }
      from++;
      n_from--;
    }
    if (n > before)
      *list++ = (struct pq_list){ (uint32_t) row, (uint32_t) (n - before) };
    if (dict && before < PQ_EARLY && n >= PQ_EARLY && dict->n > PQ_EARLY / 4 * 3)
      return false;
  }
  w->lists.len = (size_t) (list - lists) * sizeof *list;
  w->v.n = n;
  return true;
}

/* -- Keys ------------------------------------------------------------------ */

static inline uint32_t
number_key (struct pq_assembled *w, struct pq_dict *dict, const struct pq_rows *rows,
            const struct pq_entry *entry, uint64_t at)
{
  (void) w, (void) rows, (void) at;
  return pq_dict_add (dict, entry->key, entry->key, NULL, NULL);
}

static inline uint32_t
copy_key (struct pq_assembled *w, struct pq_dict *dict, const struct pq_rows *rows,
          const struct pq_entry *entry, uint64_t at)
{
  (void) w, (void) dict, (void) rows, (void) at;
  return entry->key;
}

/* -- Values ---------------------------------------------------------------- */

static bool
is_same (const void *user, uint64_t a, uint64_t b)
{
  const struct pq_rows *rows = user;
  const struct pq_entry *x = entry_at (rows, a), *y = entry_at (rows, b);
  if (x->how != y->how)
    return false;
  if (x->value == y->value || x->how != PQ_ENTRY_OWN)
    return x->value == y->value;
  struct pq_text s = pq_rows_text (rows, x->value), t = pq_rows_text (rows, y->value);
  return s.len == t.len && (!s.len || memcmp (s.data, t.data, s.len) == 0);
}

static inline uint32_t
number_value (struct pq_assembled *w, struct pq_dict *dict, const struct pq_rows *rows,
              const struct pq_entry *entry, uint64_t at)
{
  uint64_t key = key_of (entry);
  (void) w;
  if (entry->how == PQ_ENTRY_OWN) {
    struct pq_text text = pq_rows_text (rows, entry->value);
    key = pq_hash_bytes (text.data, text.len);
  }
  return pq_dict_add (dict, key, at, is_same, rows);
}

/* Returns a text that was made; its ref lies below PQ_OWN_TEXT. */
static struct pq_text
made_text (const void *user, uint32_t ref)
{
  const struct pq_assembled *w = user;
  const struct pq_span *span = (const struct pq_span *) w->made_spans.data + ref;
  return (struct pq_text){ span->len ? w->made.data + span->at : "", span->len };
}

static inline uint32_t
make_value (struct pq_assembled *w, struct pq_dict *dict, const struct pq_rows *rows,
            const struct pq_entry *entry, uint64_t at)
{
  (void) dict, (void) rows, (void) at;
  if (entry->how == PQ_ENTRY_OWN)
    return PQ_OWN_TEXT + (uint32_t) entry->value;
  struct pq_span span = { w->made.len, 0 };
  w->texts.put (w->texts.user, &w->made, entry->how, entry->value);
  span.len = (uint32_t) (w->made.len - span.at);
  nprof_put (&w->made_spans, &span, sizeof span);
  return (uint32_t) (w->made_spans.len / sizeof span - 1);
}

static void
make_entries (struct pq_assembled *w, struct pq_dict *dict, const struct pq_rows *rows)
{
  for (uint32_t k = 0; k < dict->n; k++)
    dict->refs[k] = make_value (w, dict, rows, entry_at (rows, dict->refs[k]), 0);
}

/* -- Both ------------------------------------------------------------------ */

static bool
reserve (struct pq_assembled *w, const struct pq_rows *rows, size_t n_rows, size_t n)
{
  w->ids.len = w->lists.len = w->data.len = w->of_set.len = w->made.len = w->made_spans.len = 0;
  return nprof_buf_need (&w->ids, (n + 1) * sizeof (uint32_t))
         && nprof_buf_need (&w->lists, n_rows * sizeof (struct pq_list))
         && nprof_buf_need (&w->of_set, rows->set_entries.len + 1);
}

static bool
number_all (struct pq_assembled *w, struct pq_dict *dict, const struct pq_rows *rows, size_t n_rows,
            size_t n)
{
  uint32_t *ids = (void *) w->ids.data;
  if (w->unnumbered || !pq_number_begin (dict, n, w->expected))
    return false;
  return w->v.kind == PQ_MAP_KEY ? walk (w, dict, rows, n_rows, ids, number_key)
                                 : walk (w, dict, rows, n_rows, ids, number_value);
}

static void
copy_all (struct pq_assembled *w, const struct pq_rows *rows, size_t n_rows)
{
  uint32_t *refs = (void *) w->data.data;
  if (w->v.kind == PQ_MAP_KEY)
    walk (w, NULL, rows, n_rows, refs, copy_key);
  else
    walk (w, NULL, rows, n_rows, refs, make_value);
  w->v.data = w->data;
}

bool
pq_assemble_map (struct pq_assembled *w, struct pq_dict *dict, const struct pq_rows *rows,
                 size_t n_rows)
{
  size_t n = rows->entries.len / sizeof (struct pq_entry) + rows->n_shared;
  bool value = w->v.kind == PQ_MAP_VALUE;
  if (!reserve (w, rows, n_rows, n))
    return false;
  w->v.own = rows->own;
  w->v.spans = rows->spans;
  w->numbered = number_all (w, dict, rows, n_rows, n);
  w->filled = !w->numbered;
  if (!w->numbered && !nprof_buf_need (&w->data, (n + 1) * sizeof (uint32_t)))
    return false;
  if (!w->numbered)
    copy_all (w, rows, n_rows);
  else if (value)
    make_entries (w, dict, rows);
  if (value)
    w->texts = (struct pq_texts){ made_text, w, NULL };
  return !w->made.failed && !w->made_spans.failed;
}
