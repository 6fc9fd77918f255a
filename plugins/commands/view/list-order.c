/* SPDX-License-Identifier: Apache-2.0 */
/* list-order.c - puts profiles in the order of a column of the list. */

#include "list-order.h"

#include <string.h>

typedef struct { /* what an entry is sorted by: a column sets one of the three */
  NpEntry *entry;
  gboolean known;
  gint64 number;
  double share;
  char *text;
} Key;

const char *
np_entry_name (const NpEntry *e)
{
  return e->about->name ? e->about->name
         : e->summary   ? e->summary->label
         : e->label     ? e->label
                        : e->id;
}

static gint64
added_of (const NpEntry *e)
{
  return e->about->added ? e->about->added : e->summary ? e->summary->made_unix_ms : G_MAXINT64;
}

/* -- Columns ------------------------------------------------------------------- */

static void
set_number (Key *k, gboolean known, gint64 number)
{
  k->known = known;
  k->number = known ? number : 0;
}

static void
set_share (Key *k, gboolean known, double share)
{
  k->known = known;
  k->share = known ? share : 0;
}

static void
set_text (Key *k, char *text)
{
  k->known = *text != '\0';
  k->text = text;
}

static void
by_opened (Key *k, const NpEntry *e)
{
  set_number (k, e->opened > 0, e->opened);
}

static void
by_name (Key *k, const NpEntry *e)
{
  set_text (k, g_strdup (np_entry_name (e)));
}

static char *
joined (GPtrArray *texts)
{
  g_autoptr (GString) all = g_string_new (NULL);
  for (guint i = 0; texts && i < texts->len; i++)
    g_string_append_printf (all, "%s%s", i ? " " : "", (const char *) texts->pdata[i]);
  return g_strdup (all->str);
}

static void
by_format (Key *k, const NpEntry *e)
{
  set_text (k, joined (e->summary ? e->summary->decoders : NULL));
}

static void
by_recorded (Key *k, const NpEntry *e)
{
  gint64 origin = e->summary ? e->summary->origin_unix_ns : G_MININT64;
  set_number (k, origin != G_MININT64, origin);
}

static void
by_length (Key *k, const NpEntry *e)
{
  const NpSummary *s = e->summary;
  set_number (k, s != NULL, s && s->start <= s->end ? s->end - s->start : 0);
}

static void
by_rows (Key *k, const NpEntry *e)
{
  set_number (k, e->summary != NULL, e->summary ? (gint64) e->summary->rows : 0);
}

static void
by_devices (Key *k, const NpEntry *e)
{
  g_autoptr (GString) all = g_string_new (NULL);
  for (guint i = 0; e->summary && i < e->summary->devices->len; i++) {
    const NpDevices *d = &g_array_index (e->summary->devices, NpDevices, i);
    g_string_append_printf (all, "%s %09u ", *d->type ? d->type : "device", d->count);
  }
  set_text (k, g_strdup (all->str));
}

static void
by_busy (Key *k, const NpEntry *e)
{
  set_share (k, e->summary && e->summary->has_busy, e->summary ? e->summary->busy : 0);
}

static void
by_mfu (Key *k, const NpEntry *e)
{
  set_share (k, e->summary && e->summary->has_mfu, e->summary ? e->summary->mfu : 0);
}

static void
by_step (Key *k, const NpEntry *e)
{
  set_number (k, e->summary && e->summary->has_step, e->summary ? e->summary->step_median : 0);
}

static void
by_tags (Key *k, const NpEntry *e)
{
  set_text (k, joined (e->about->tags));
}

static void
by_size (Key *k, const NpEntry *e)
{
  set_number (k, e->summary != NULL, e->summary ? (gint64) e->summary->size : 0);
}

static void
by_status (Key *k, const NpEntry *e)
{
  static const char *const words[] = { [NP_READY] = "ready",
                                       [NP_READING] = "reading",
                                       [NP_FAILED] = "failed",
                                       [NP_OLD] = "to be read again",
                                       [NP_DAMAGED] = "damaged" };
  set_text (k, g_strdup (words[e->status]));
}

static const struct {
  const char *name;
  void (*set) (Key *k, const NpEntry *e);
} columns[] = {
  { "opened", by_opened },     { "name", by_name },     { "format", by_format },
  { "recorded", by_recorded }, { "length", by_length }, { "rows", by_rows },
  { "devices", by_devices },   { "busy", by_busy },     { "mfu", by_mfu },
  { "step", by_step },         { "tags", by_tags },     { "size", by_size },
  { "status", by_status },
};

/* -- Order --------------------------------------------------------------------- */

static int
compare_numbers (gint64 a, gint64 b)
{
  return (a > b) - (a < b);
}

static int
compare_added (const NpEntry *x, const NpEntry *y)
{
  int order = compare_numbers (added_of (y), added_of (x));
  return order ? order : strcmp (x->id, y->id);
}

/* Numbers fall, texts rise; `turn` -1: the other way. */
static int
compare_keys (gconstpointer a, gconstpointer b, gpointer turn)
{
  const Key *x = a, *y = b;
  if (x->known != y->known)
    return x->known ? -1 : 1;
  int order = x->known && x->text    ? g_utf8_collate (x->text, y->text)
              : x->share != y->share ? (x->share < y->share) - (x->share > y->share)
                                     : compare_numbers (y->number, x->number);
  return order ? order * GPOINTER_TO_INT (turn) : compare_added (x->entry, y->entry);
}

static void
order_by (GPtrArray *entries, void (*set) (Key *k, const NpEntry *e), int turn)
{
  g_autoptr (GArray) keys = g_array_sized_new (FALSE, TRUE, sizeof (Key), entries->len);
  g_array_set_size (keys, entries->len);
  for (guint i = 0; i < entries->len; i++) {
    Key *k = &g_array_index (keys, Key, i);
    k->entry = entries->pdata[i];
    set (k, k->entry);
  }
  g_array_sort_with_data (keys, compare_keys, GINT_TO_POINTER (turn));
  for (guint i = 0; i < entries->len; i++) {
    entries->pdata[i] = g_array_index (keys, Key, i).entry;
    g_free (g_array_index (keys, Key, i).text);
  }
}

/* Runs of TensorBoard are called by their time, 2024_01_02_03_04_05...: its digits, else 0. */
static gint64
run_time (const NpEntry *e)
{
  const char *name = np_entry_name (e);
  gint64 time = 0;
  for (guint i = 0; i < strlen ("2024_01_02_03_04_05"); i++)
    if (g_ascii_isdigit (name[i]))
      time = time * 10 + g_ascii_digit_value (name[i]);
    else if (name[i] != '_' || !i)
      return 0;
  return time;
}

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  return compare_added (*(NpEntry *const *) a, *(NpEntry *const *) b);
}

static int
compare_runs (gconstpointer a, gconstpointer b, gpointer unused)
{
  const NpEntry *x = *(NpEntry *const *) a, *y = *(NpEntry *const *) b;
  (void) unused;
  int order = compare_numbers (run_time (y), run_time (x));
  return order ? order : compare_added (x, y);
}

/* Puts the newest run first of those that were added together: a command reads one after
 * another. */
static void
sort_runs (GPtrArray *entries)
{
  const gint64 together = 60 * 1000; /* ms from one to the next */
  for (guint first = 0, next; first < entries->len; first = next) {
    for (next = first + 1; next < entries->len; next++)
      if (added_of (entries->pdata[next - 1]) - added_of (entries->pdata[next]) > together)
        break;
    g_qsort_with_data (entries->pdata + first, (int) (next - first), sizeof (gpointer),
                       compare_runs, NULL);
  }
}

static void
turn_around (GPtrArray *entries)
{
  for (guint i = 0; i < entries->len / 2; i++) {
    gpointer *a = &entries->pdata[i], *b = &entries->pdata[entries->len - 1 - i], one = *a;
    *a = *b;
    *b = one;
  }
}

gboolean
np_list_order (GPtrArray *entries, const char *order)
{
  int turn = *order == '-' ? -1 : 1;
  const char *name = order + (turn < 0);
  if (!strcmp (name, "added")) {
    g_ptr_array_sort (entries, compare_entries);
    sort_runs (entries);
    if (turn < 0)
      turn_around (entries);
    return TRUE;
  }
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    if (!strcmp (name, columns[i].name)) {
      order_by (entries, columns[i].set, turn);
      return TRUE;
    }
  return FALSE;
}
