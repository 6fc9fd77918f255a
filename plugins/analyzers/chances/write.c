/* SPDX-License-Identifier: Apache-2.0 */
/* write.c - writes the tables of analyzer chances, most time first. */
#include "chances.h"

#include <string.h>

NPROF_TABLE (overlap_chances, "Communication that could run beside compute",
             "50 us or more of it that nothing covers, next to compute of another stream; the host "
             "launched the second when the first had ended, and made nothing wait in between.",
             OVERLAP_CHANCES)
NPROF_TABLE (fusion_patterns, "Kernels in a row that could be one",
             "Three or more that follow each other on a stream and need few flops for a byte.",
             FUSION_PATTERNS)

#define MOST_NAMES 8u /* that a cell lists */

static const Device *
device_at (const Chances *c, guint number)
{
  return g_ptr_array_index (c->devices, number);
}

static struct nprof_cell
input_cell (const Chances *c, const Device *d)
{
  return nprof_cell_str (c->host->input (c->host, d->input)->label);
}

static struct nprof_maybe_double
share_of (const Device *d, gint64 time)
{
  return nprof_double_if (d->work, (double) time / (double) d->work);
}

static int
by_device (const Chances *c, guint32 a, guint32 b)
{
  return a == b ? 0
                : an_place_compare (c->host, device_at (c, a)->track, device_at (c, b)->track);
}

/* -- Overlap ----------------------------------------------------------------------------------- */

static int
by_gain (gconstpointer a, gconstpointer b, gpointer user)
{
  const Chances *c = user;
  const guint i = *(const guint *) a, j = *(const guint *) b;
  const guint32 *x = an_key_table_key (&c->pair_keys, i), *y = an_key_table_key (&c->pair_keys, j);
  const Pair *m = &g_array_index (c->pairs, Pair, i), *n = &g_array_index (c->pairs, Pair, j);
  int order = by_device (c, x[PAIR_DEVICE], y[PAIR_DEVICE]);
  if (order)
    return order;
  if (m->gain != n->gain)
    return m->gain > n->gain ? -1 : 1;
  for (guint word = PAIR_COMMUNICATION; word <= PAIR_COMPUTE && !order; word++)
    order = strcmp (nprof_text (c->host, x[word]), nprof_text (c->host, y[word]));
  return order ? order : (int) x[PAIR_AFTER] - (int) y[PAIR_AFTER];
}

static nprof_status
write_pair (const Chances *c, guint number)
{
  const struct nprof_host *h = c->host;
  const guint32 *key = an_key_table_key (&c->pair_keys, number);
  const Pair *pair = &g_array_index (c->pairs, Pair, number);
  const Device *d = device_at (c, key[PAIR_DEVICE]);
  const struct overlap_chances_row row = {
    .device = nprof_any_str (d->label),
    .communication = nprof_any_str (key[PAIR_COMMUNICATION]),
    .compute = nprof_any_str (key[PAIR_COMPUTE]),
    .place = nprof_any_str (nprof_intern (h, key[PAIR_AFTER] ? "after" : "before")),
    .times = nprof_some_int ((gint64) pair->times),
    .exposed = nprof_some_int (pair->exposed),
    .gain = nprof_some_int (pair->gain),
    .share = share_of (d, pair->gain),
  };
  return h->row (h, &overlap_chances_table, overlap_chances_cells (input_cell (c, d), &row).cells);
}

static nprof_status
write_pairs (Chances *c)
{
  nprof_status status = c->host->table (c->host, &overlap_chances_table);
  g_autofree guint *order = g_new (guint, c->pairs->len + 1);
  for (guint i = 0; i < c->pairs->len; i++)
    order[i] = i;
  g_qsort_with_data (order, (gint) c->pairs->len, sizeof *order, by_gain, c);
  for (guint i = 0; i < c->pairs->len && !status; i++)
    status = write_pair (c, order[i]);
  return status;
}

/* -- Patterns ---------------------------------------------------------------------------------- */

static int
by_total (gconstpointer a, gconstpointer b, gpointer user)
{
  const Pattern *x = *(const Pattern *const *) a, *y = *(const Pattern *const *) b;
  int order = by_device (user, x->device, y->device);
  if (order)
    return order;
  if (x->total != y->total)
    return x->total > y->total ? -1 : 1;
  order = strcmp (x->families, y->families);
  return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* Returns "a, b, a and 4 more"; transfer full. */
static char *
list_of (const Chances *c, const nprof_str *names, guint n)
{
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < MIN (n, MOST_NAMES); i++)
    g_string_append_printf (text, "%s%s", text->len ? ", " : "",
                            names[i] ? nprof_text (c->host, names[i]) : "-");
  if (n > MOST_NAMES)
    g_string_append_printf (text, " and %u more", n - MOST_NAMES);
  return g_string_free (text, FALSE);
}

static bool
any_of (const nprof_str *names, guint n)
{
  for (guint i = 0; i < n; i++)
    if (names[i])
      return true;
  return false;
}

static nprof_status
write_pattern (const Chances *c, const Pattern *p)
{
  const struct nprof_host *h = c->host;
  const Device *d = device_at (c, p->device);
  g_autofree char *operators = list_of (c, p->operators, p->n);
  g_autofree char *names = list_of (c, p->kernels, p->n);
  const bool any = p->unknown < p->times * (p->n - 1);
  const struct fusion_patterns_row row = {
    .device = nprof_any_str (d->label),
    .pattern = nprof_some_text (p->families),
    .number = nprof_some_int (p->number),
    .kernels = nprof_some_int (p->n),
    .times = nprof_some_int ((gint64) p->times),
    .total = nprof_some_int (p->total),
    .start = nprof_some_int (p->start),
    .longest = nprof_some_int (p->longest),
    .share = share_of (d, p->total),
    .passed_bytes = nprof_int_if (any, p->passed),
    .unknown = nprof_some_int ((gint64) p->unknown),
    .operators = nprof_text_if (any_of (p->operators, p->n), operators),
    .names = nprof_some_text (names),
  };
  return h->row (h, &fusion_patterns_table, fusion_patterns_cells (input_cell (c, d), &row).cells);
}

static nprof_status
write_patterns (Chances *c)
{
  nprof_status status = c->host->table (c->host, &fusion_patterns_table);
  g_autoptr (GPtrArray) patterns = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer pattern;
  g_hash_table_iter_init (&iter, c->patterns);
  while (g_hash_table_iter_next (&iter, NULL, &pattern))
    g_ptr_array_add (patterns, pattern);
  g_ptr_array_sort_with_data (patterns, by_total, c);
  for (guint i = 0; i < patterns->len && !status; i++)
    status = write_pattern (c, g_ptr_array_index (patterns, i));
  return status;
}

nprof_status
chances_write (Chances *c)
{
  nprof_status status = write_pairs (c);
  return status ? status : write_patterns (c);
}
