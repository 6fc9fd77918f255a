/* SPDX-License-Identifier: Apache-2.0 */
/* tables.c - writes tables memory, memory_holders and memory_modules. */
#include "memory.h"

#include "devicekit/cells.h"

#include <math.h>
#include <string.h>

NPROF_TABLE (memory, "Memory by allocator",
             "peak: the largest use within the recording. before: held by what was "
             "allocated before it.",
             MEMORY)

NPROF_TABLE (memory_holders, "Who held the peak",
             "The rows of an allocator add up to its peak, where that is known.", MEMORY_HOLDERS)

NPROF_TABLE (memory_modules, "Memory by module",
             "Each allocation counts to the innermost module around it.", MEMORY_MODULES)

/* One holder holds this at the peak. */
typedef struct {
  guint holder; /* G_MAXUINT: before the recording */
  gint64 bytes, count, oldest;
} Held;

typedef struct {
  const Memory *m;
  const Allocator *a;
  GArray *held;        /* of Held, the largest first */
  gint64 known, asked; /* bytes; asked -1: not told of all */
  gint64 before;
} Peak;

static struct nprof_maybe_text
text (const Memory *m, nprof_str str)
{
  return nprof_text_if (str, nprof_text (m->host, str));
}

static struct nprof_cell
input_of (const Memory *m, const Allocator *a)
{
  return nprof_cell_str (m->host->input (m->host, a->input)->label);
}

/* Returns the label, with the process as well where several of one input have an allocator of that
 * name. */
static nprof_str
label_of (const Memory *m, const Allocator *a)
{
  if (g_array_index (m->named, guint, a->naming) == 1 || !a->process)
    return a->name;
  const struct nprof_track_info *process = m->host->track_info (m->host, a->process);
  g_autofree char *label
      = g_strdup_printf ("%s: %s", nprof_text (m->host, nprof_track_label (process)),
                         nprof_text (m->host, a->name));
  return nprof_intern (m->host, label);
}

/* -- Holders ----------------------------------------------------------------------------------- */

static int
compare_words (const Memory *m, guint a, guint b)
{
  if (a == b || a == G_MAXUINT || b == G_MAXUINT)
    return (a == G_MAXUINT) - (b == G_MAXUINT);
  for (guint i = 0; i < H_WORDS; i++) {
    int order = strcmp (nprof_text (m->host, an_key_table_key (&m->holders, a)[i]),
                        nprof_text (m->host, an_key_table_key (&m->holders, b)[i]));
    if (order)
      return order;
  }
  return 0;
}

static int
largest_first (gconstpointer a, gconstpointer b, gpointer user)
{
  const Held *x = a, *y = b;
  if (x->bytes != y->bytes)
    return x->bytes > y->bytes ? -1 : 1;
  return compare_words (user, x->holder, y->holder);
}

static void
add_block (Peak *p, GHashTable *at, const Block *b)
{
  gpointer found = g_hash_table_lookup (at, GUINT_TO_POINTER (b->holder + 1));
  if (!found) {
    const Held new_one = { .holder = b->holder, .oldest = b->at };
    g_array_append_val (p->held, new_one);
    found = GUINT_TO_POINTER (p->held->len);
    g_hash_table_insert (at, GUINT_TO_POINTER (b->holder + 1), found);
  }
  Held *h = &g_array_index (p->held, Held, GPOINTER_TO_UINT (found) - 1);
  h->bytes += b->bytes;
  h->count++;
  h->oldest = MIN (h->oldest, b->at);
  p->known += b->bytes;
  p->asked = b->asked < 0 || p->asked < 0 ? -1 : p->asked + b->asked;
}

/* Returns the peak.  Bytes that are in use and that no row has allocated were there before; they
 * are below 0 where rows of frees are missing. */
static Peak
peak_of (const Memory *m, const Allocator *a)
{
  Peak p = { .m = m, .a = a, .held = g_array_new (FALSE, FALSE, sizeof (Held)) };
  if (!a->has_peak || a->no_addresses)
    return p;
  g_autoptr (GArray) blocks = me_held (a);
  g_autoptr (GHashTable) at = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < blocks->len; i++)
    add_block (&p, at, &g_array_index (blocks, Block, i));
  p.before = a->no_totals ? 0 : a->peak - p.known;
  const Held before = { .holder = G_MAXUINT, .bytes = p.before };
  if (p.before)
    g_array_append_val (p.held, before);
  g_array_sort_with_data (p.held, largest_first, (gpointer) m);
  return p;
}

static nprof_status
write_holder (const Peak *p, guint rank)
{
  const Memory *m = p->m;
  const Held *h = &g_array_index (p->held, Held, rank);
  static const guint32 none[H_WORDS] = { 0 };
  bool before = h->holder == G_MAXUINT;
  const guint32 *words = before ? none : an_key_table_key (&m->holders, h->holder);
  const struct memory_holders_row row = {
    .allocator = nprof_any_str (label_of (m, p->a)),
    .rank = nprof_some_int (rank + 1),
    .bytes = nprof_some_int (h->bytes),
    .count = nprof_int_if (!before && !p->a->by_use, h->count),
    .operator= text (m, words[H_OPERATOR]),
    .module = text (m, words[H_MODULE]),
    .source = text (m, words[H_SOURCE]),
    .shape = text (m, words[H_SHAPE]),
    .region = before ? nprof_some_text (h->bytes < 0 ? "(freed without a row)"
                                        : p->a->peak_reserved > 0 && p->a->last_peak
                                            ? "(reserved or earlier)"
                                            : "(before the recording)")
                     : text (m, words[H_REGION]),
    .age = nprof_int_if (!before && !p->a->by_use, p->a->peak_at - h->oldest),
  };
  return m->host->row (m->host, &memory_holders_table,
                       memory_holders_cells (input_of (m, p->a), &row).cells);
}

/* -- Allocators -------------------------------------------------------------------------------- */

static const char *
reason (const Allocator *a)
{
  if (a->no_totals && a->no_addresses)
    return "the file states neither totals nor addresses";
  if (a->no_totals)
    return "the file states no totals: what was in use before the recording is not known";
  if (a->no_addresses)
    return "the file states no addresses: who holds the peak is not known";
  return NULL;
}

static gint64
live_bytes (const Allocator *a)
{
  gint64 sum = 0;
  GHashTableIter iter;
  gpointer value;
  g_hash_table_iter_init (&iter, a->live);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    sum += ((const Block *) value)->bytes;
  return sum;
}

static nprof_status
write_allocator (const Peak *p)
{
  const Memory *m = p->m;
  const Allocator *a = p->a;
  bool totals = !a->no_totals && a->has_peak;
  gint64 before = a->last_peak ? p->before : a->start;
  double unused = totals && a->peak_reserved > 0 && !a->last_peak
                      ? 1 - (double) a->peak / (double) a->peak_reserved
                      : NAN;
  const char *why = reason (a);
  const struct memory_row row = {
    .allocator = nprof_any_str (label_of (m, a)),
    .events = nprof_some_int ((gint64) a->events),
    .peak_bytes = nprof_int_if (totals, a->peak),
    .peak_allocated_bytes = an_count (totals ? a->most_rounded : -1),
    .peak = nprof_int_if (totals, a->peak_at),
    .before_bytes = nprof_int_if (totals && !(a->last_peak && a->no_addresses), before),
    .rise_bytes = nprof_some_int (totals ? a->peak - a->base : a->most_rise),
    .peak_reserved_bytes = an_count (totals ? a->most_reserved : -1),
    .reserved_bytes = an_count (totals ? a->peak_reserved : -1),
    .unused_reserved = nprof_some_double (unused),
    .capacity_bytes = an_count (totals ? a->peak_capacity : -1),
    .fragmentation = nprof_some_double (totals ? a->peak_fragmentation : NAN),
    .waste_bytes = nprof_int_if (p->asked > 0, p->known - p->asked),
    .lifetime_peak_bytes = an_count (a->lifetime),
    .end_bytes = nprof_int_if (totals, a->used),
    .leaked_bytes = nprof_int_if (!a->no_addresses, live_bytes (a)),
    .gaps = nprof_int_if (!a->no_totals && !a->last_peak, (gint64) a->gaps),
    .reason = nprof_some_text (why),
  };
  return m->host->row (m->host, &memory_table, memory_cells (input_of (m, a), &row).cells);
}

/* -- Modules ----------------------------------------------------------------------------------- */

/* Adds what each module of the allocator held at the peak. */
static void
add_held (Memory *m, const Peak *p)
{
  for (guint i = 0; i < p->held->len; i++) {
    const Held *h = &g_array_index (p->held, Held, i);
    if (h->holder == G_MAXUINT)
      continue;
    const guint32 key[] = { p->a->number, an_key_table_key (&m->holders, h->holder)[H_PATH] };
    guint number;
    if (an_key_table_find (&m->modules, key, &number))
      g_array_index (m->held, gint64, number) += h->bytes;
  }
}

static int
by_allocated (gconstpointer a, gconstpointer b, gpointer user)
{
  const Memory *m = user;
  guint i = *(const guint *) a, j = *(const guint *) b;
  gint64 x = g_array_index (m->allocated, gint64, i), y = g_array_index (m->allocated, gint64, j);
  if (x != y)
    return x > y ? -1 : 1;
  return strcmp (nprof_text (m->host, an_key_table_key (&m->modules, i)[1]),
                 nprof_text (m->host, an_key_table_key (&m->modules, j)[1]));
}

static nprof_status
write_modules (Memory *m, const Peak *p)
{
  GArray *rows = p->a->modules;
  bool any = false;
  for (guint i = 0; i < rows->len; i++)
    any |= an_key_table_key (&m->modules, g_array_index (rows, guint, i))[1] != 0;
  if (!any)
    return NPROF_OK;
  add_held (m, p);
  g_array_sort_with_data (rows, by_allocated, m);
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < rows->len && status == NPROF_OK; i++) {
    guint number = g_array_index (rows, guint, i);
    nprof_str path = an_key_table_key (&m->modules, number)[1];
    const struct memory_modules_row row = {
      .allocator = nprof_any_str (label_of (m, p->a)),
      .module = text (m, path),
      .allocated_bytes = nprof_some_int (g_array_index (m->allocated, gint64, number)),
      .peak_live_bytes
      = nprof_int_if (!p->a->no_addresses,
                      p->a->no_addresses ? 0 : g_array_index (m->held, gint64, number)),
    };
    status = m->host->row (m->host, &memory_modules_table,
                           memory_modules_cells (input_of (m, p->a), &row).cells);
  }
  return status;
}

/* -- All --------------------------------------------------------------------------------------- */

/* Sorts by input, then devices before hosts' memory as the most bytes come first; nothing depends
 * on handles. */
static int
by_peak (gconstpointer a, gconstpointer b, gpointer user)
{
  const Memory *m = user;
  const Allocator *x = g_ptr_array_index (m->allocators, *(const guint *) a);
  const Allocator *y = g_ptr_array_index (m->allocators, *(const guint *) b);
  if (x->input != y->input)
    return x->input < y->input ? -1 : 1;
  gint64 p = x->no_totals ? x->most_rise : x->peak, q = y->no_totals ? y->most_rise : y->peak;
  if (p != q)
    return p > q ? -1 : 1;
  return strcmp (nprof_text (m->host, label_of (m, x)), nprof_text (m->host, label_of (m, y)));
}

static nprof_status
write_one (Memory *m, guint number)
{
  Peak p = peak_of (m, g_ptr_array_index (m->allocators, number));
  nprof_status status
      = p.a->events || (p.a->entered && p.a->rows) ? write_allocator (&p) : NPROF_OK;
  for (guint i = 0; i < p.held->len && status == NPROF_OK; i++)
    status = write_holder (&p, i);
  if (status == NPROF_OK)
    status = write_modules (m, &p);
  g_array_unref (p.held);
  return status;
}

nprof_status
me_write (Memory *m)
{
  const struct nprof_table *const tables[]
      = { &memory_table, &memory_holders_table, &memory_modules_table };
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < G_N_ELEMENTS (tables) && status == NPROF_OK; i++)
    status = m->host->table (m->host, tables[i]);
  guint n = m->allocators->len;
  g_autofree guint *order = g_new (guint, n + 1);
  for (guint i = 0; i < n; i++)
    order[i] = i;
  g_qsort_with_data (order, (gint) n, sizeof *order, by_peak, m);
  for (guint i = 0; i < n && status == NPROF_OK; i++)
    status = write_one (m, order[i]);
  return status;
}
