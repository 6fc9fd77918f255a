/* SPDX-License-Identifier: Apache-2.0 */
/* shapes.c - computes utilisation by flops that follow from the shapes of arguments, for GPUs whose
 * rows declare none.  The flops are those of the tables operator_flops and step_flops of the
 * analyzer operators, the windows of steps those of step_breakdown of the analyzer steps, each by
 * the peak of its precision. */
#include "shapes.h"

#include <nprof/sdk.h>
#include <string.h>

typedef struct {
  nprof_str input, device;
} Place;

typedef struct {
  Place place;
  nprof_str operator, precision;    /* precision 0: the flops are unknown */
  gint64 calls, flops, bytes, time; /* time: ps on the device */
  bool knows_bytes;
} Product;

typedef struct {
  Place place;
  char *step;          /* as in Window             */
  nprof_str precision; /* 0: the flops are unknown */
  gint64 calls, flops;
} StepProduct;

typedef struct {
  Place place;
  char *step;             /* as the table calls it; NULL: it has no name */
  gint64 window, counted; /* ps; counted: of that the verdict is         */
  bool partial;           /* the selection leaves out work of the step   */
} Window;

struct _MfShapes {
  const struct nprof_host *host;
  GArray *products, *steps, *windows; /* of Product, StepProduct, Window */
  bool operators; /* its table was announced: it warns of what is above the peak */
};

static void
step_clear (gpointer step)
{
  g_free (((StepProduct *) step)->step);
}

static void
window_clear (gpointer window)
{
  g_free (((Window *) window)->step);
}

MfShapes *
mf_shapes_new (const struct nprof_host *host)
{
  MfShapes *s = g_new0 (MfShapes, 1);
  s->host = host;
  s->products = g_array_new (FALSE, TRUE, sizeof (Product));
  s->steps = g_array_new (FALSE, TRUE, sizeof (StepProduct));
  s->windows = g_array_new (FALSE, TRUE, sizeof (Window));
  g_array_set_clear_func (s->steps, step_clear);
  g_array_set_clear_func (s->windows, window_clear);
  return s;
}

void
mf_shapes_free (MfShapes *s)
{
  if (!s)
    return;
  g_array_unref (s->products);
  g_array_unref (s->steps);
  g_array_unref (s->windows);
  g_free (s);
}

bool
mf_shapes_warned (const MfShapes *s)
{
  return s->operators;
}

/* -- Tables ------------------------------------------------------------------------------------ */

typedef struct {
  const struct nprof_table *table;
  const struct nprof_cell *cells;
} Row;

static const struct nprof_cell *
cell (const Row *row, const char *name)
{
  return nprof_find_cell (row->table, row->cells, name);
}

static nprof_str
string_of (const Row *row, const char *name)
{
  const struct nprof_cell *c = cell (row, name);
  return c->type == NPROF_STRING ? c->v.s : 0;
}

static gint64
int_of (const Row *row, const char *name)
{
  const struct nprof_cell *c = cell (row, name);
  return c->type == NPROF_INT64 ? c->v.i : 0;
}

/* Returns the text, transfer full. */
static char *
text_of (const MfShapes *s, const Row *row, const char *name)
{
  const struct nprof_cell *c = cell (row, name);
  if (c->type == NPROF_STRING)
    return g_strdup (nprof_text (s->host, c->v.s));
  return c->type == NPROF_TEXT ? g_strndup (c->v.text, c->len) : NULL;
}

static Place
place_of (const Row *row)
{
  return (Place){ string_of (row, "input"), string_of (row, "device") };
}

static void
add_product (MfShapes *s, const Row *row)
{
  const Product product = { .place = place_of (row),
                            .operator= string_of (row, "operator"),
                            .precision = string_of (row, "precision"),
                            .calls = int_of (row, "calls"),
                            .flops = int_of (row, "flops"),
                            .bytes = int_of (row, "bytes"),
                            .time = int_of (row, "device_ns"),
                            .knows_bytes = cell (row, "bytes")->type == NPROF_INT64 };
  if (product.place.device)
    g_array_append_val (s->products, product);
}

static void
add_step (MfShapes *s, const Row *row)
{
  const StepProduct step = { .place = place_of (row),
                             .step = text_of (s, row, "step"),
                             .precision = string_of (row, "precision"),
                             .calls = int_of (row, "calls"),
                             .flops = int_of (row, "flops") };
  g_array_append_val (s->steps, step);
}

static void
add_window (MfShapes *s, const Row *row)
{
  const Window window = { .place = place_of (row),
                          .step = text_of (s, row, "step"),
                          .window = int_of (row, "window_ns"),
                          .counted = int_of (row, "counted_ns"),
                          .partial = int_of (row, "shown") < int_of (row, "rows") };
  g_array_append_val (s->windows, window);
}

void
mf_shapes_table (MfShapes *s, const struct nprof_table *table, const struct nprof_cell *cells,
                 guint n_rows)
{
  static const struct {
    const char *table;
    void (*add) (MfShapes *s, const Row *row);
  } takes[] = { { "operator_flops", add_product },
                { "step_flops", add_step },
                { "step_breakdown", add_window } };
  const guint width = nprof_count_columns (table);
  s->operators |= g_str_equal (table->name, "operators");
  for (gsize t = 0; t < G_N_ELEMENTS (takes); t++)
    for (guint i = 0; i < n_rows && g_str_equal (table->name, takes[t].table); i++)
      takes[t].add (s, &(Row){ table, cells + (gsize) i * width });
}

static bool
is_at (const MfDevice *d, const Place *place)
{
  return place->device == d->label
         && place->input == d->run->host->input (d->run->host, d->input)->label;
}

static void
add (MfDevice *d, MfShapeSum *sum, nprof_str precision, gint64 calls, gint64 flops)
{
  if (!precision) {
    sum->unknown += calls;
    return;
  }
  sum->calls += calls;
  sum->flops += flops;
  if (flops)
    sum->could
        += (double) flops
           / an_peak_of_precision (d->run->peaks, d->track, nprof_text (d->run->host, precision));
  for (guint i = 0; i < G_N_ELEMENTS (sum->precision); i++) {
    if (!sum->precision[i])
      sum->precision[i] = precision;
    if (sum->precision[i] == precision)
      return;
  }
}

static void
add_to (MfDevice *d, MfShapeSum *sum, const Product *p)
{
  add (d, sum, p->precision, p->calls, p->flops);
  if (!p->precision)
    return;
  sum->time += p->time;
  sum->no_bytes |= !p->knows_bytes;
  sum->bytes += p->bytes;
}

bool
mf_shapes_all (const MfShapes *s, MfDevice *d, MfShapeSum *sum)
{
  *sum = (MfShapeSum){ 0 };
  for (guint i = 0; i < s->products->len; i++) {
    const Product *p = &g_array_index (s->products, Product, i);
    if (is_at (d, &p->place))
      add_to (d, sum, p);
  }
  return sum->calls > 0;
}

static int
by_time (gconstpointer a, gconstpointer b, gpointer user)
{
  const MfShapeSum *x = a, *y = b;
  const struct nprof_host *host = user;
  if (x->time != y->time)
    return x->time < y->time ? 1 : -1;
  return strcmp (nprof_text (host, x->operator), nprof_text (host, y->operator));
}

GArray *
mf_shapes_operators (const MfShapes *s, MfDevice *d)
{
  GArray *sums = g_array_new (FALSE, TRUE, sizeof (MfShapeSum));
  for (guint i = 0; i < s->products->len; i++) {
    const Product *p = &g_array_index (s->products, Product, i);
    guint at = 0;
    if (!is_at (d, &p->place))
      continue;
    while (at < sums->len && g_array_index (sums, MfShapeSum, at).operator!= p->operator)
      at++;
    if (at == sums->len) {
      const MfShapeSum none = { .operator= p->operator};
      g_array_append_val (sums, none);
    }
    add_to (d, &g_array_index (sums, MfShapeSum, at), p);
  }
  g_array_sort_with_data (sums, by_time, (gpointer) s->host);
  return sums;
}

/* The number at the end of its name; without one the place among the others. */
static gint64
number_of (const char *step, guint place)
{
  const char *digits = step + strlen (step);
  while (digits > step && g_ascii_isdigit (digits[-1]))
    digits--;
  return *digits ? g_ascii_strtoll (digits, NULL, 10) : (gint64) place;
}

GArray *
mf_shapes_steps (const MfShapes *s, MfDevice *d)
{
  GArray *sums = g_array_new (FALSE, TRUE, sizeof (MfShapeSum));
  for (guint i = 0; i < s->windows->len; i++) {
    const Window *window = &g_array_index (s->windows, Window, i);
    if (!window->step || !is_at (d, &window->place))
      continue;
    MfShapeSum sum = { .step = number_of (window->step, sums->len),
                       .time = window->window,
                       .no_bytes = true,
                       .partial = window->partial,
                       .counted = window->counted };
    for (guint k = 0; k < s->steps->len; k++) {
      const StepProduct *step = &g_array_index (s->steps, StepProduct, k);
      if (is_at (d, &step->place) && !g_strcmp0 (step->step, window->step))
        add (d, &sum, step->precision, step->calls, step->flops);
    }
    g_array_append_val (sums, sum);
  }
  return sums;
}
