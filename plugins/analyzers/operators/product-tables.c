/* SPDX-License-Identifier: Apache-2.0 */
/* product-tables.c - sums products by operator, precision and shape, and by step: tables
 * operator_flops and step_flops. */
#include "operators.h"

#include <math.h>

static const AnProductWork *
work_of (const Operators *self, const guint32 *key)
{
  return &g_array_index (self->products.works, AnProductWork, key[PRODUCT_WHAT]);
}

static const guint32 *
what_of (const Operators *self, const guint32 *key)
{
  return an_key_table_key (&self->products.whats, key[PRODUCT_WHAT]);
}

/* -- Totals of an operator -------------------------------------------------------------------- */

static void
add (Operators *self, const guint32 *key, const ProductSum *sum, ProductTotal *total)
{
  const AnProductWork *work = work_of (self, key);
  if (!work->knows_flops) {
    total->unknown += sum->calls;
    return;
  }
  Wide flops = (Wide) sum->calls * work->flops - sum->flops_outside;
  total->calls += sum->calls;
  total->flops += flops;
  total->time += sum->time;
  total->knows_bytes &= work->knows_bytes;
  total->bytes += (Wide) sum->calls * work->bytes - sum->bytes_outside;
  total->cut |= sum->flops_outside != 0;
  if (flops)
    total->could += (double) flops
                    / an_peak_of_precision (self->peaks, key[PRODUCT_DEVICE],
                                            nprof_text (self->host, key[PRODUCT_PRECISION]));
}

bool
products_total (Operators *self, nprof_track track, bool is_host, nprof_str name,
                ProductTotal *total)
{
  const Products *p = &self->products;
  bool found = false;
  *total = (ProductTotal){ .knows_bytes = true };
  for (guint i = 0; i < p->sums->len; i++) {
    const guint32 *key = an_key_table_key (&p->keys, i);
    if (key[is_host ? PRODUCT_PROCESS : PRODUCT_DEVICE] != track
        || what_of (self, key)[WHAT_NAME] != name)
      continue;
    found = true;
    add (self, key, &g_array_index (p->sums, ProductSum, i), total);
  }
  return found;
}

/* -- Tables ------------------------------------------------------------------------------------ */

static struct nprof_maybe_str
label_of_device (const Operators *self, nprof_track device)
{
  return nprof_str_if (device, device ? an_place (self->places, device)->label : 0);
}

static nprof_status
write_product (Operators *self, guint number)
{
  const struct nprof_host *h = self->host;
  const guint32 *key = an_key_table_key (&self->products.keys, number), *what = what_of (self, key);
  const ProductSum *sum = &g_array_index (self->products.sums, ProductSum, number);
  const AnProductWork *work = work_of (self, key);
  Wide calls = sum->calls;
  const struct operator_flops_row row = {
    .device = label_of_device (self, key[PRODUCT_DEVICE]),
    .operator= nprof_any_str (what[WHAT_NAME]),
    .precision = nprof_some_str (key[PRODUCT_PRECISION]),
    .shape = nprof_some_str (what[WHAT_SHAPE]),
    .gradients = nprof_some_int ((gint64) (what[WHAT_INPUTS] + what[WHAT_WEIGHTS])),
    .process = nprof_any_str (nprof_track_label (h->track_info (h, key[PRODUCT_PROCESS]))),
    .calls = nprof_some_int ((gint64) sum->calls),
    .flops = wide_if (work->knows_flops, calls * work->flops - sum->flops_outside),
    .bytes = wide_if (work->knows_bytes, calls * work->bytes - sum->bytes_outside),
    .device_time = wide_if (key[PRODUCT_DEVICE], sum->time),
  };
  return an_rows_add (&self->rows, &operator_flops_table,
                      operator_flops_cells (
                          nprof_cell_str (
                              h->input (h, h->track_info (h, key[PRODUCT_PROCESS])->input)->label),
                          &row)
                          .cells);
}

static int
compare_text (const Operators *self, nprof_str a, nprof_str b)
{
  return a == b ? 0 : strcmp (nprof_text (self->host, a), nprof_text (self->host, b));
}

static int
compare_place (const Operators *self, nprof_track a, nprof_track b)
{
  if (a == b || !a || !b)
    return (a && !b) - (!a && b);
  return an_place_compare (self->host, a, b);
}

int
compare_inputs (const Operators *self, nprof_track a, nprof_track b)
{
  const struct nprof_host *h = self->host;
  uint32_t x = h->track_info (h, a)->input, y = h->track_info (h, b)->input;
  return (x > y) - (x < y);
}

/* Sorts by input, device, process, most time first, then names, so that nothing depends on
 * handles. */
static int
compare_products (gconstpointer a, gconstpointer b, gpointer user)
{
  const Operators *self = user;
  const Products *p = &self->products;
  guint i = *(const guint *) a, j = *(const guint *) b;
  const guint32 *x = an_key_table_key (&p->keys, i), *y = an_key_table_key (&p->keys, j);
  Wide m = g_array_index (p->sums, ProductSum, i).time,
       n = g_array_index (p->sums, ProductSum, j).time;
  int order = compare_inputs (self, x[PRODUCT_PROCESS], y[PRODUCT_PROCESS]);
  order = order ? order : compare_place (self, x[PRODUCT_DEVICE], y[PRODUCT_DEVICE]);
  order = order ? order : compare_place (self, x[PRODUCT_PROCESS], y[PRODUCT_PROCESS]);
  order = order ? order : (m < n) - (m > n);
  const guint32 *v = what_of (self, x), *w = what_of (self, y);
  order = order ? order : compare_text (self, v[WHAT_NAME], w[WHAT_NAME]);
  order = order ? order : compare_text (self, v[WHAT_SHAPE], w[WHAT_SHAPE]);
  order = order ? order : compare_text (self, x[PRODUCT_PRECISION], y[PRODUCT_PRECISION]);
  order = order ? order : (int) v[WHAT_INPUTS] - (int) w[WHAT_INPUTS];
  return order ? order : (int) v[WHAT_WEIGHTS] - (int) w[WHAT_WEIGHTS];
}

static int
compare_steps (gconstpointer a, gconstpointer b, gpointer user)
{
  const Operators *self = user;
  const guint32 *x = an_key_table_key (&self->products.step_keys, *(const guint *) a),
                *y = an_key_table_key (&self->products.step_keys, *(const guint *) b);
  int order = compare_place (self, x[STEP_DEVICE], y[STEP_DEVICE]);
  order = order ? order : compare_place (self, x[STEP_PROCESS], y[STEP_PROCESS]);
  order = order ? order : (x[STEP_NUMBER] > y[STEP_NUMBER]) - (x[STEP_NUMBER] < y[STEP_NUMBER]);
  return order ? order : compare_text (self, x[STEP_PRECISION], y[STEP_PRECISION]);
}

static nprof_status
write_step (Operators *self, guint number)
{
  const struct nprof_host *h = self->host;
  const guint32 *key = an_key_table_key (&self->products.step_keys, number);
  const StepSum *sum = &g_array_index (self->products.step_sums, StepSum, number);
  const GArray *steps = an_links_steps (self->links, key[STEP_PROCESS]);
  const struct step_flops_row row = {
    .device = label_of_device (self, key[STEP_DEVICE]),
    .step = nprof_any_str (g_array_index (steps, AnHostStep, key[STEP_NUMBER] - 1).name),
    .precision = nprof_some_str (key[STEP_PRECISION]),
    .calls = nprof_some_int ((gint64) (sum->calls + sum->unknown)),
    .flops = wide_if (!sum->unknown, sum->flops),
  };
  return an_rows_add (
      &self->rows, &step_flops_table,
      step_flops_cells (
          nprof_cell_str (h->input (h, h->track_info (h, key[STEP_DEVICE])->input)->label), &row)
          .cells);
}

guint *
in_order (guint n, GCompareDataFunc compare, gpointer user)
{
  guint *order = g_new (guint, n + 1);
  for (guint i = 0; i < n; i++)
    order[i] = i;
  g_qsort_with_data (order, (int) n, sizeof *order, compare, user);
  return order;
}

nprof_status
products_write (Operators *self)
{
  const Products *p = &self->products;
  nprof_status status = self->host->table (self->host, &operator_flops_table);
  g_autofree guint *products = in_order (p->sums->len, compare_products, self);
  for (guint i = 0; i < p->sums->len && !status; i++)
    status = write_product (self, products[i]);
  if (!status)
    status = self->host->table (self->host, &step_flops_table);
  g_autofree guint *steps = in_order (p->step_sums->len, compare_steps, self);
  for (guint i = 0; i < p->step_sums->len && !status; i++)
    status = write_step (self, steps[i]);
  return status;
}
