/* SPDX-License-Identifier: Apache-2.0 */
/* layers.c - writes table layers: each node of the tree model, layer, sublayer, with what ran in it
 * and below it. */
#include "operators.h"

#include "system/layer-path.h"

enum { L_INPUT, L_LAYER, L_WORDS };

typedef struct {
  Op sum;
  double peak; /* flop that its devices could have done in its time; NAN: unknown */
} Layer;

nprof_str
layers_of (Operators *self, const guint32 *tuple)
{
  if (tuple[OP_LAYER] || !tuple[OP_FRAMEWORK] || tuple[OP_HOST])
    return tuple[OP_LAYER];
  return of_text (self, self->layer, tuple[OP_FRAMEWORK]);
}

static void
add (Layer *layer, const Op *op)
{
  Op *sum = &layer->sum;
  if (!sum->occurrences) {
    sum->first = op->first;
    sum->last = op->last;
  }
  sum->occurrences += op->occurrences;
  sum->first = MIN (sum->first, op->first);
  sum->last = MAX (sum->last, op->last);
  sum->self += op->self;
  sum->flops += op->flops;
  sum->model_flops += op->model_flops;
  sum->bytes += op->bytes;
  sum->with_flops += op->with_flops;
  sum->with_model += op->with_model;
  sum->with_bytes += op->with_bytes;
}

static Layer *
layer_at (AnKeyTable *tuples, GArray *layers, uint32_t input, nprof_str name)
{
  const guint32 key[L_WORDS] = { input, name };
  guint number = an_key_table_get (tuples, key);
  if (number == layers->len)
    g_array_set_size (layers, number + 1);
  return &g_array_index (layers, Layer, number);
}

/* Adds to the layer and to all that it lies in. */
static void
add_op (Operators *self, AnKeyTable *tuples, GArray *layers, guint number)
{
  const guint32 *tuple = an_key_table_key (&self->tuples, number);
  const Op *op = &g_array_index (self->ops, Op, number);
  const struct nprof_host *h = self->host;
  nprof_str layer = tuple[OP_HOST] ? 0 : layers_of (self, tuple);
  if (!layer || !op->occurrences)
    return;
  double peak = peak_flops_of (self, tuple[OP_DEVICE]) * (double) op->self * 1e-12;
  uint32_t input = h->track_info (h, tuple[OP_DEVICE])->input;
  const char *path = nprof_text (h, layer), *end = path + strlen (path);
  for (const char *at = an_path_component_end (path, end);;
       at = an_path_component_end (at + 1, end)) {
    nprof_str name = at == end ? layer : h->intern (h, path, (size_t) (at - path));
    Layer *node = layer_at (tuples, layers, input, name);
    add (node, op);
    node->peak += peak;
    if (at == end)
      return;
  }
}

typedef struct {
  const struct nprof_host *host;
  const AnKeyTable *tuples;
  const GArray *layers;
} Sorting;

static int
compare (gconstpointer a, gconstpointer b, gpointer user)
{
  const Sorting *s = user;
  guint i = *(const guint *) a, j = *(const guint *) b;
  const guint32 *x = an_key_table_key (s->tuples, i), *y = an_key_table_key (s->tuples, j);
  if (x[L_INPUT] != y[L_INPUT])
    return x[L_INPUT] < y[L_INPUT] ? -1 : 1;
  gint64 m = g_array_index (s->layers, Layer, i).sum.first,
         n = g_array_index (s->layers, Layer, j).sum.first;
  if (m != n)
    return m < n ? -1 : 1;
  return strcmp (nprof_text (s->host, x[L_LAYER]), nprof_text (s->host, y[L_LAYER]));
}

static nprof_status
write_layer (Operators *self, const guint32 *key, const Layer *layer)
{
  const struct nprof_host *h = self->host;
  const Op *sum = &layer->sum;
  const struct layers_row row = {
    .layer = nprof_any_str (key[L_LAYER]),
    .start = nprof_some_int (sum->first),
    .end = nprof_some_int (sum->last),
    .busy = wide_if (true, sum->self),
    .flops = wide_if (sum->with_flops, sum->flops),
    .bytes = wide_if (sum->with_bytes, sum->bytes),
    .mfu = used_of (sum->model_flops, sum->with_model, layer->peak),
    .hfu = used_of (sum->flops, sum->with_flops, layer->peak),
  };
  return an_rows_add (
      &self->rows, &layers_table,
      layers_cells (nprof_cell_str (h->input (h, key[L_INPUT])->label), &row).cells);
}

nprof_status
layers_write (Operators *self)
{
  const struct nprof_host *h = self->host;
  nprof_status status = h->table (h, &layers_table);
  if (status)
    return status;
  AnKeyTable tuples;
  an_key_table_init (&tuples, L_WORDS);
  g_autoptr (GArray) layers = g_array_new (FALSE, TRUE, sizeof (Layer));
  for (guint i = 0; i < self->ops->len; i++)
    add_op (self, &tuples, layers, i);
  Sorting sorting = { .host = h, .tuples = &tuples, .layers = layers };
  g_autofree guint *order = in_order (layers->len, compare, &sorting);
  for (guint i = 0; i < layers->len && status == NPROF_OK; i++)
    status = write_layer (self, an_key_table_key (&tuples, order[i]),
                          &g_array_index (layers, Layer, order[i]));
  an_key_table_clear (&tuples);
  return status;
}
