/* SPDX-License-Identifier: Apache-2.0 */
/* lists.c - counts how often and how long each label occurs within 4,096 and 262,144 rows, and
 * which lists a label is in, and in which of the list's blocks of rows. */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

#define PASS (8u << 20) /* words of postings that are sorted at a time */

/* -- Counting ------------------------------------------------------------------- */

static struct store_slot *
tally_slot (const struct store_tally *t, uint32_t label)
{
  uint32_t i = (label * 2654435761u >> 7) & (t->max - 1);
  while (t->slots[i].sum.count && t->slots[i].sum.label != label)
    i = (i + 1) & (t->max - 1);
  return t->slots + i;
}

static bool
tally_grow (struct store_tally *t, struct store_fault *fault)
{
  struct store_tally old = *t;
  t->max = old.max ? old.max * 2 : 8;
  t->slots = calloc (t->max, sizeof *t->slots);
  if (!t->slots) {
    *t = old;
    return store_fail (fault, NPROF_E_NOMEM, "no memory to sum up %u names", old.max * 2);
  }
  for (uint32_t i = 0; i < old.max; i++)
    if (old.slots[i].sum.count)
      *tally_slot (t, old.slots[i].sum.label) = old.slots[i];
  free (old.slots);
  return true;
}

bool
store_tally_add (struct store_tally *t, const struct store_slot *add, struct store_fault *fault)
{
  if (t->n * 2 >= t->max && !tally_grow (t, fault))
    return false;
  struct store_slot *s = tally_slot (t, add->sum.label);
  if (!s->sum.count) {
    *s = *add;
    t->n++;
    return true;
  }
  s->sum.count += add->sum.count;
  s->sum.sum += add->sum.sum;
  s->sum.self += add->sum.self;
  s->blocks |= add->blocks;
  return true;
}

void
store_tally_empty (struct store_tally *t)
{
  if (t->n)
    memset (t->slots, 0, t->max * sizeof *t->slots);
  t->n = 0;
}

/* Puts the sums of a tally, then its bytes `blocks`. */
static bool
put_tally (struct store_out *out, const struct store_tally *tally, struct store_fault *fault)
{
  for (uint32_t i = 0; i < tally->max; i++)
    if (tally->slots[i].sum.count
        && !store_out_put (out, &tally->slots[i].sum, sizeof tally->slots[i].sum, fault))
      return false;
  for (uint32_t i = 0; i < tally->max; i++)
    if (tally->slots[i].sum.count && !store_out_put (out, &tally->slots[i].blocks, 1, fault))
      return false;
  return true;
}

bool
store_list_put (struct store_writer *w, const struct store_tally *tally, uint32_t serial,
                uint32_t index, uint32_t level, uint32_t rows, uint32_t *number)
{
  struct store_lists *lists = &w->lists;
  if (!store_room (&w->fault, &lists->dir, &lists->max, lists->n + 1, sizeof *lists->dir))
    return false;
  lists->dir[lists->n].at = lists->temp.at;
  lists->dir[lists->n].n = tally->n;
  lists->dir[lists->n].lane = serial;
  lists->dir[lists->n].index = index;
  lists->dir[lists->n].level = level;
  lists->dir[lists->n].rows = rows;
  *number = (uint32_t) lists->n++;
  return put_tally (&lists->temp, tally, &w->fault);
}

/* -- Settling ------------------------------------------------------------------- */

/* Reads the sums of list i; behind them lie the bytes `blocks`. */
static const struct nprof_store_sum *
read_list (struct store_writer *w, size_t i, struct nprof_store_sum **buffer, size_t *max)
{
  struct store_lists *lists = &w->lists;
  size_t n = lists->dir[i].n, size = sizeof **buffer;
  if (!store_room (&w->fault, buffer, max, n + n / size + 1, size)
      || !store_out_read (&lists->temp, lists->dir[i].at, *buffer, n * (size + 1), &w->fault))
    return NULL;
  return *buffer;
}

/* Counts labels; lists of the level of postings count every row once, so totals come from them. */
static void
count_labels (struct store_writer *w, const struct nprof_store_lane *lane,
              const struct nprof_store_sum *sums, uint32_t n)
{
  bool unclosed = lane->type == NPROF_STORE_LANE_UNCLOSED;
  for (uint32_t i = 0; i < n; i++) {
    struct nprof_store_label *label = w->names.labels + sums[i].label;
    label->n_post++;
    label->count += sums[i].count;
    label->unclosed += unclosed ? sums[i].count : 0;
    label->sum += sums[i].sum;
    label->self += sums[i].self;
  }
}

/* Settles the lists; nodes know them by number already, so those of dead lanes leave a gap. */
static bool
settle_lists (struct store_writer *w, struct nprof_store_list *final)
{
  struct store_lists *lists = &w->lists;
  struct store_out *out = &w->out[NPROF_STORE_F_LISTS];
  struct nprof_store_sum *buffer = NULL;
  size_t max = 0;
  bool ok = true;
  for (size_t i = 0; i < lists->n && ok; i++) {
    uint32_t lane = w->lane_of[lists->dir[i].lane], k = lists->dir[i].n;
    final[i] = (struct nprof_store_list){ .at = NPROF_STORE_NONE, .lane = UINT32_MAX };
    if (lane == UINT32_MAX)
      continue;
    const struct nprof_store_sum *sums = read_list (w, i, &buffer, &max);
    bool keep = k <= 8 || k <= lists->dir[i].rows / 8;
    final[i] = (struct nprof_store_list){
      .at = keep ? out->at / sizeof *sums : NPROF_STORE_NONE,
      .n = k,
      .lane = lane,
      .index = lists->dir[i].index,
      .level = lists->dir[i].level,
    };
    ok = sums && (!keep || store_out_put (out, sums, k * sizeof *sums, &w->fault));
    if (ok && lists->dir[i].level != NPROF_STORE_LIST_HIGH)
      count_labels (w, w->index + lane, sums, k);
  }
  free (buffer);
  return ok;
}

/* Returns how many words of `post` a label takes: numbers of lists, then a byte for each,
 * padded. */
static uint64_t
words_of (const struct nprof_store_label *label)
{
  return label->n_post + (label->n_post + 3ull) / 4;
}

/* Fills the postings of the labels from..to; next counts those that a label has so far. */
static bool
post_pass (struct store_writer *w, size_t from, size_t to, uint32_t *posts, uint32_t *next)
{
  struct store_lists *lists = &w->lists;
  struct nprof_store_sum *buffer = NULL;
  size_t max = 0;
  bool ok = true;
  for (size_t i = 0; i < lists->n && ok; i++) {
    if (w->lane_of[lists->dir[i].lane] == UINT32_MAX
        || lists->dir[i].level == NPROF_STORE_LIST_HIGH)
      continue;
    const struct nprof_store_sum *sums = read_list (w, i, &buffer, &max);
    const uint8_t *blocks = sums ? (const uint8_t *) (sums + lists->dir[i].n) : NULL;
    ok = sums != NULL;
    for (uint32_t k = 0; ok && k < lists->dir[i].n; k++) {
      if (sums[k].label < from || sums[k].label >= to)
        continue;
      const struct nprof_store_label *label = w->names.labels + sums[k].label;
      uint32_t *own = posts + (label->post - w->names.labels[from].post),
               at = next[sums[k].label - from]++;
      own[at] = (uint32_t) i;
      ((uint8_t *) (own + label->n_post))[at] = blocks[k];
    }
  }
  free (buffer);
  return ok;
}

static bool
write_posts (struct store_writer *w)
{
  struct store_names *names = &w->names;
  uint64_t at = 0;
  for (size_t k = 0; k < names->n_labels; k++) {
    names->labels[k].post = at;
    at += words_of (names->labels + k);
  }
  for (size_t from = 0, to; from < names->n_labels; from = to) {
    uint64_t n = words_of (names->labels + from);
    for (to = from + 1; to < names->n_labels && n + words_of (names->labels + to) <= PASS; to++)
      n += words_of (names->labels + to);
    uint32_t *posts = calloc (n + 1, sizeof *posts);
    uint32_t *next = calloc (to - from, sizeof *next);
    bool ok = posts && next && post_pass (w, from, to, posts, next)
              && store_out_put (&w->out[NPROF_STORE_F_POST], posts, n * sizeof *posts, &w->fault);
    if (!posts || !next)
      store_fail (&w->fault, NPROF_E_NOMEM, "no memory for %llu postings", (unsigned long long) n);
    free (posts);
    free (next);
    if (!ok)
      return false;
  }
  return true;
}

bool
store_lists_finish (struct store_writer *w)
{
  struct store_lists *lists = &w->lists;
  struct nprof_store_list *final = malloc ((lists->n + 1) * sizeof *final);
  bool ok = final ? settle_lists (w, final) && write_posts (w)
                  : store_fail (&w->fault, NPROF_E_NOMEM, "no memory for %zu lists", lists->n);
  ok = ok && store_writer_section (w, NPROF_STORE_S_LISTS, final, lists->n);
  free (final);
  return ok;
}
