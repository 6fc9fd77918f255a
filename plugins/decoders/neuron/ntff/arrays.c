/* SPDX-License-Identifier: Apache-2.0 */
/* arrays.c - finds the arrays of records of a file: from the runs that scan.c finds to those that
 * belong to one session, and to the whole arrays that learned fields name. */
#include "ntff.h"

#define HOUR (3600 * NTFF_SECOND)

static int
by_place (gconstpointer a, gconstpointer b)
{
  uint64_t x = ((const NtffRun *) a)->at, y = ((const NtffRun *) b)->at;
  return x < y ? -1 : x > y;
}

static int
longest_first (gconstpointer a, gconstpointer b)
{
  const NtffRun *x = a, *y = b;
  return x->n != y->n ? (x->n > y->n ? -1 : 1) : by_place (a, b);
}

static int
arrays_by_place (gconstpointer a, gconstpointer b)
{
  uint64_t x = ((const NtffArray *) a)->at, y = ((const NtffArray *) b)->at;
  return x < y ? -1 : x > y;
}

static nprof_status
find_runs (const struct nprof_host *host, const NtffMessage *m, GArray *runs)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < m->fields->len && !status; i++) {
    const NtffField *f = ntff_field (m, i);
    if (f->kind == NTFF_BYTES)
      status = ntff_scan (host, m->data, f->from, f->to, runs);
  }
  if (!status && runs->len == 0)
    status = ntff_scan (host, m->data, NTFF_HEADER, m->end, runs);
  return status ? status : ntff_scan (host, m->data, m->end, m->len, runs);
}

/* -- One session ------------------------------------------------------------------------------- */

/* `taken` says which blocks of 16 bytes the chosen runs fill. */
static bool
is_free (const uint8_t *taken, const NtffRun *run)
{
  uint64_t end = (run->at + run->n * NTFF_RECORD) / NTFF_RECORD;
  for (uint64_t block = (run->at + NTFF_RECORD - 1) / NTFF_RECORD; block < end; block++)
    if (taken[block / 8] >> block % 8 & 1)
      return false;
  return true;
}

static void
mark (uint8_t *taken, const NtffRun *run)
{
  uint64_t end = (run->at + run->n * NTFF_RECORD) / NTFF_RECORD;
  for (uint64_t block = (run->at + NTFF_RECORD - 1) / NTFF_RECORD; block < end; block++)
    taken[block / 8] = (uint8_t) (taken[block / 8] | 1u << block % 8);
}

/* Returns the strong runs of the clock of the best one, and their time. */
static GArray *
strong_runs (const GArray *runs, NtffFound *found)
{
  GArray *strong = g_array_new (FALSE, FALSE, sizeof (NtffRun));
  const NtffRun *top = NULL;
  for (guint i = 0; i < runs->len; i++) {
    const NtffRun *run = &g_array_index (runs, NtffRun, i);
    if (!run->weak && (!top || run->pairs > top->pairs))
      top = run;
  }
  found->low = UINT64_MAX;
  for (guint i = 0; i < runs->len; i++) {
    const NtffRun *run = &g_array_index (runs, NtffRun, i);
    if (run->weak || (run->first < top->first && top->first - run->first > HOUR)
        || (run->last > top->last && run->last - top->last > HOUR))
      continue;
    g_array_append_val (strong, *run);
    found->low = MIN (found->low, run->first);
    found->high = MAX (found->high, run->last);
  }
  found->strong = strong->len;
  return strong;
}

static void
add_weak (const NtffMessage *m, GArray *runs, GArray *strong, uint64_t low, uint64_t high)
{
  g_autofree uint8_t *taken = g_malloc0 (m->len / NTFF_RECORD / 8 + 1);
  for (guint i = 0; i < strong->len; i++)
    mark (taken, &g_array_index (strong, NtffRun, i));
  g_array_sort (runs, longest_first);
  for (guint i = 0; i < runs->len; i++) {
    const NtffRun *run = &g_array_index (runs, NtffRun, i);
    if (!run->weak || run->first < low || run->last > high || !is_free (taken, run))
      continue;
    mark (taken, run);
    g_array_append_val (strong, *run);
  }
  g_array_sort (strong, by_place);
}

/* -- Whole arrays ------------------------------------------------------------------------------ */

/* Returns whether a pointer is believed: it must point to records of this session. */
static bool
believable (const NtffMessage *m, const NtffFound *found, const NtffArray *array)
{
  uint64_t step = MAX (1, array->n / 4096), all = 0, timely = 0, known = 0;
  for (uint64_t i = 0; i < array->n; i += step) {
    NtffRecord r = ntff_record (m->data + array->at + i * NTFF_RECORD);
    if (r.meta == 0 && r.time == 0)
      continue; /* the unused end of a ring */
    all++;
    timely += ntff_in_session (found, r.time);
    known += NTFF_KNOWN_TYPES >> ntff_type (&r) & 1;
  }
  return all && timely * 4 >= all * 3 && known * 4 >= all;
}

/* Returns whether one of the first n arrays, which are in order of place, overlaps with the run. */
static bool
in_arrays (const GArray *arrays, guint n, const NtffRun *run)
{
  guint low = 0, high = n;
  while (low < high) {
    guint mid = (low + high) / 2;
    const NtffArray *a = &g_array_index (arrays, NtffArray, mid);
    if (a->at + a->n * NTFF_RECORD <= run->at)
      low = mid + 1;
    else
      high = mid;
  }
  return low < n && g_array_index (arrays, NtffArray, low).at < run->at + run->n * NTFF_RECORD;
}

static void
keep_believable (const NtffMessage *m, NtffFound *found)
{
  guint n = 0;
  for (guint i = 0; i < found->arrays->len; i++) {
    NtffArray *array = &g_array_index (found->arrays, NtffArray, i);
    if (believable (m, found, array))
      g_array_index (found->arrays, NtffArray, n++) = *array;
  }
  g_array_set_size (found->arrays, n);
}

/* Adds runs that no learned array holds; weak ones only when nothing was learned. */
static void
add_runs (const GArray *runs, NtffFound *found)
{
  guint n = found->arrays->len;
  for (guint i = 0; i < runs->len; i++) {
    const NtffRun *run = &g_array_index (runs, NtffRun, i);
    if ((run->weak && n) || in_arrays (found->arrays, n, run))
      continue;
    NtffArray array = { .at = run->at, .n = run->n, .node = NTFF_NONE, .cc_core = -1 };
    g_array_append_val (found->arrays, array);
  }
  g_array_sort (found->arrays, arrays_by_place);
}

nprof_status
ntff_find_arrays (const struct nprof_host *host, const NtffMessage *m, NtffFound *found)
{
  g_autoptr (GArray) runs = g_array_new (FALSE, FALSE, sizeof (NtffRun));
  nprof_status status = find_runs (host, m, runs);
  if (status)
    return status;
  found->arrays = g_array_new (FALSE, FALSE, sizeof (NtffArray));
  g_autoptr (GArray) taken = strong_runs (runs, found);
  if (taken->len == 0)
    return NPROF_OK;
  uint64_t low = found->low - MIN (found->low, NTFF_SECOND), high = found->high + NTFF_SECOND;
  high = high < found->high ? UINT64_MAX : high;
  add_weak (m, runs, taken, low, high);
  found->low = low - MIN (low, 10 * NTFF_SECOND);
  found->high = high + MIN (UINT64_MAX - high, 10 * NTFF_SECOND);
  found->learned = ntff_learn (m, taken, found->arrays, found);
  if (found->learned)
    keep_believable (m, found);
  add_runs (taken, found);
  return NPROF_OK;
}

void
ntff_found_clear (NtffFound *found)
{
  g_clear_pointer (&found->arrays, g_array_unref);
}
