/* SPDX-License-Identifier: Apache-2.0 */
/* lost.c - finds spans that the producer lost, in the CSV by the ids of those that are there: its
 * channel to the writer drops spans when it is full.  Rows end before their parents do, so few ids
 * wait at a time; those that still wait at the end are looked for once more in the whole file. */
#include "furiosa.h"

const char fu_orphan[] = "orphan span", fu_childless[] = "execution without operators",
           fu_stray[] = "operator without execution";

typedef struct {
  uint64_t id; /* of the parent                                                    */
  guint64 n, n_operators;
  uint64_t first, first_operator;
} FuWait;

typedef struct {
  uint64_t id, at;
} FuChildless;

void
fu_lost_init (FuLost *lost)
{
  lost->waiting = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  lost->childless = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
}

void
fu_lost_clear (FuLost *lost)
{
  g_clear_pointer (&lost->waiting, g_hash_table_unref);
  g_clear_pointer (&lost->childless, g_hash_table_unref);
}

static void
add_strays (FuLost *lost, const FuWait *wait)
{
  if (!wait->n_operators)
    return;
  lost->first_stray
      = lost->strays ? MIN (lost->first_stray, wait->first_operator) : wait->first_operator;
  lost->strays += wait->n_operators;
}

/* Takes a span that some waited for.  Returns whether it has operators. */
static bool
arrived (FuLost *lost, const FuRef *ref)
{
  const FuWait *wait = g_hash_table_lookup (lost->waiting, &ref->id);
  bool has_operators = wait && wait->n_operators;
  if (wait && !ref->execution)
    add_strays (lost, wait);
  if (wait)
    g_hash_table_remove (lost->waiting, &ref->id);
  return has_operators;
}

static void
wait_for_parent (FuLost *lost, const FuRef *ref)
{
  FuWait *wait = g_hash_table_lookup (lost->waiting, &ref->parent);
  if (!wait) {
    wait = g_new0 (FuWait, 1);
    wait->id = ref->parent;
    wait->first = ref->at;
    g_hash_table_insert (lost->waiting, &wait->id, wait);
  }
  if (ref->operator_ && wait->n_operators++ == 0)
    wait->first_operator = ref->at;
  wait->n++;
}

/* Notes an operator that names no parent, and so has no execution. */
static void
no_parent (FuLost *lost, const FuRef *ref)
{
  FuWait wait = { .n_operators = ref->operator_, .first_operator = ref->at };
  add_strays (lost, &wait);
}

void
fu_lost_add (FuLost *lost, const FuRef *ref)
{
  bool has_operators = ref->id && arrived (lost, ref);
  if (ref->execution && !has_operators && ref->id) {
    FuChildless *childless = g_new (FuChildless, 1);
    *childless = (FuChildless){ ref->id, ref->at };
    g_hash_table_replace (lost->childless, &childless->id, childless);
  }
  if (ref->parent)
    wait_for_parent (lost, ref);
  else
    no_parent (lost, ref);
}

/* -- At the end ------------------------------------------------------------------------- */

/* Looks for the parents of children that came behind them. */
static nprof_status
look_again (Furiosa *f)
{
  const char *p = g_array_index (f->cuts, FuCut, 0).at, *reported = p, *end = f->chrome.end;
  CsvRecord record;
  FuRef ref;
  while (p < end) {
    p = csv_record (&record, p, end);
    if (record.why || record.n != f->n_columns)
      continue;
    fu_ref (f, &record, &ref);
    if (ref.id)
      arrived (&f->lost, &ref);
    if (ref.operator_ && ref.parent)
      g_hash_table_remove (f->lost.childless, &ref.parent);
    if (p - reported >= FU_REPORT) {
      nprof_status status
          = f->chrome.host->progress (f->chrome.host, fu_byte (f, reported), fu_byte (f, p));
      if (status)
        return status;
      reported = p;
    }
  }
  return NPROF_OK;
}

void
fu_skip_many (Furiosa *f, guint64 n, uint64_t at, const char *what, const char *reason)
{
  for (; n; n--)
    f->chrome.host->skip (f->chrome.host, what, at, reason);
}

void
fu_say_lost (Furiosa *f, guint64 orphans, guint64 childless, guint64 strays)
{
  if (orphans || childless || strays)
    nprof_log (f->chrome.host, NPROF_WARNING,
               "the profiler seems to have lost spans: %" G_GUINT64_FORMAT
               " spans name a parent that is not in the file, %" G_GUINT64_FORMAT
               " executions have no operators, %" G_GUINT64_FORMAT
               " operators have no execution; all rows are kept, see table skipped",
               orphans, childless, strays);
}

nprof_status
fu_lost_report (Furiosa *f)
{
  FuLost *lost = &f->lost;
  GHashTableIter iter;
  gpointer value;
  bool any = g_hash_table_size (lost->waiting) || g_hash_table_size (lost->childless);
  nprof_status status = any ? look_again (f) : NPROF_OK;
  if (status)
    return status;
  lost->first_orphan = UINT64_MAX;
  for (g_hash_table_iter_init (&iter, lost->waiting);
       g_hash_table_iter_next (&iter, NULL, &value);) {
    const FuWait *wait = value;
    lost->orphans += wait->n;
    lost->first_orphan = MIN (lost->first_orphan, wait->first);
    add_strays (lost, wait);
  }
  uint64_t first = UINT64_MAX;
  for (g_hash_table_iter_init (&iter, lost->childless);
       g_hash_table_iter_next (&iter, NULL, &value);)
    first = MIN (first, ((const FuChildless *) value)->at);
  guint64 childless = g_hash_table_size (lost->childless);
  fu_skip_many (f, lost->orphans, lost->first_orphan, fu_orphan,
                "kept as a row; its parent_span_id is not in the file");
  fu_skip_many (f, childless, first, fu_childless,
                "kept as a row; no operator names it as its parent");
  fu_skip_many (f, lost->strays, lost->first_stray, fu_stray,
                "kept as a row; its execution is not in the file");
  fu_say_lost (f, lost->orphans, childless, lost->strays);
  return NPROF_OK;
}
