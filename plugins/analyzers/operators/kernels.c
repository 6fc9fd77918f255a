/* SPDX-License-Identifier: Apache-2.0 */
/* kernels.c - writes tables kernels and copies: what GPUs ran, by name, with the operator that
 * launched most of it. */
#include "operators.h"

#include "devicekit/kernel-family.h"
#include "producers/meaning.h"

NPROF_TABLE (kernels, "Kernels",
             "kernels of GPUs, whose launches the file tells; copies and fills are table copies",
             KERNELS)
NPROF_TABLE (copies, "Copies and fills",
             "copies and fills of memory, which are no kernels, whose launches the file tells",
             COPIES)

/* OF_SHAPE: 0 unless each shape is a row. */
enum { OF_DEVICE, OF_NAME, OF_CATEGORY, OF_SHAPE, OF_WORDS };

/* This is one of the operators, or the shapes, of a kernel: the one with most time, and how many
 * there are. */
typedef struct {
  nprof_str name;
  Wide time;
  guint n;
} Most;

typedef struct {
  LaunchedSum sum;
  Most operator, shape;
  bool is_memory; /* a copy or a fill: of table copies */
} KernelSum;

typedef struct {
  Operators *self;
  AnFamilies *families;
  AnKeyTable ids;                         /* OF_...               */
  NpLargeArray *kernels;                  /* of KernelSum, by id  */
  AnKeyTable operators, shapes;           /* id, name             */
  NpLargeArray *of_operators, *of_shapes; /* of Wide   */
} Gather;

static KernelSum *
kernel_of (Gather *g, const guint32 *key, nprof_str shape, const LaunchedSum *sum, guint *id)
{
  const guint32 *kernel = an_key_table_key (&g->self->launched.kernels, key[LAUNCHED_KERNEL]);
  const guint32 words[OF_WORDS]
      = { kernel[KERNEL_DEVICE], kernel[KERNEL_NAME], kernel[KERNEL_CATEGORY],
          g->self->kernels == KERNELS_BY_SHAPE ? shape : 0 };
  *id = an_key_table_get (&g->ids, words);
  if (*id == g->kernels->len) {
    np_large_array_extend (g->kernels, *id + 1);
    const struct nprof_host *h = g->self->host;
    g_array_index (g->kernels, KernelSum, *id) = (KernelSum){
      .sum = { .min = sum->min, .max = sum->max, .certainty = GRAPH_CALLED },
      .is_memory = meaning_is_memory_operation (nprof_text (h, kernel[KERNEL_CATEGORY]),
                                                nprof_text (h, kernel[KERNEL_NAME])),
    };
  }
  return &g_array_index (g->kernels, KernelSum, *id);
}

static void
add_part (AnKeyTable *tuples, NpLargeArray *times, guint id, nprof_str name, Wide time)
{
  guint number = an_key_table_get (tuples, (const guint32[]){ id, name });
  if (number == times->len)
    np_large_array_extend (times, number + 1);
  g_array_index (times, Wide, number) += time;
}

static void
add_sum (Gather *g, const guint32 *key, const LaunchedSum *from)
{
  guint id;
  const nprof_str shape = shapes_of_launch (g->self, key);
  launched_fold (&kernel_of (g, key, shape, from, &id)->sum, from);
  if (key[LAUNCHED_NODE])
    add_part (&g->operators, g->of_operators, id, name_of_node (g->self, key[LAUNCHED_NODE]),
              from->total);
  if (shape)
    add_part (&g->shapes, g->of_shapes, id, shape, from->total);
}

/* Takes the one with most time; of equal times the name that sorts first, so that nothing depends
 * on handles. */
static void
take_most (const Operators *self, Most *most, nprof_str name, Wide time)
{
  most->n++;
  if (most->name
      && (time < most->time
          || (time == most->time
              && strcmp (nprof_text (self->host, name), nprof_text (self->host, most->name)) >= 0)))
    return;
  most->name = name;
  most->time = time;
}

static void
find_most (Gather *g)
{
  for (guint i = 0; i < g->of_operators->len; i++) {
    const guint32 *key = an_key_table_key (&g->operators, i);
    take_most (g->self, &g_array_index (g->kernels, KernelSum, key[0]).operator, key[1],
               g_array_index (g->of_operators, Wide, i));
  }
  for (guint i = 0; i < g->of_shapes->len; i++) {
    const guint32 *key = an_key_table_key (&g->shapes, i);
    take_most (g->self, &g_array_index (g->kernels, KernelSum, key[0]).shape, key[1],
               g_array_index (g->of_shapes, Wide, i));
  }
}

/* Sorts by device, most time first, then names. */
static int
compare (gconstpointer a, gconstpointer b, gpointer user)
{
  const Gather *g = user;
  guint i = *(const guint *) a, j = *(const guint *) b;
  const guint32 *x = an_key_table_key (&g->ids, i), *y = an_key_table_key (&g->ids, j);
  const struct nprof_host *h = g->self->host;
  if (x[OF_DEVICE] != y[OF_DEVICE])
    return an_place_compare (h, x[OF_DEVICE], y[OF_DEVICE]);
  Wide m = g_array_index (g->kernels, KernelSum, i).sum.total,
       n = g_array_index (g->kernels, KernelSum, j).sum.total;
  if (m != n)
    return m > n ? -1 : 1;
  int order = 0;
  for (guint word = OF_NAME; word < OF_WORDS && !order; word++)
    order = strcmp (nprof_text (h, x[word]), nprof_text (h, y[word]));
  return order;
}

static struct nprof_maybe_double
share_of (Wide part, Wide whole)
{
  return nprof_double_if (whole, (double) part / (double) whole);
}

static nprof_str
marks_of (const Gather *g, nprof_str kernel)
{
  g_autofree char *marks = an_marks_of (g->families, nprof_text (g->self->host, kernel));
  return *marks ? nprof_intern (g->self->host, marks) : 0;
}

static nprof_status
write_kernel (const Gather *g, guint id, Wide so_far, Wide all)
{
  const struct nprof_host *h = g->self->host;
  const guint32 *key = an_key_table_key (&g->ids, id);
  const KernelSum *k = &g_array_index (g->kernels, KernelSum, id);
  const LaunchedSum *sum = &k->sum;
  const struct kernels_row row = {
    .device = nprof_any_str (an_place (g->self->places, key[OF_DEVICE])->label),
    .kernel = nprof_any_str (key[OF_NAME]),
    .category = nprof_any_str (key[OF_CATEGORY]),
    .calls = nprof_some_int ((gint64) sum->calls),
    .total = wide_if (true, sum->total),
    .share = share_of (sum->total, all),
    .share_so_far = share_of (so_far, all),
    .mean = nprof_some_int (wide_mean (sum->total + sum->outside, sum->calls)),
    .min = nprof_some_int (sum->min),
    .max = nprof_some_int (sum->max),
    .operator= nprof_some_str (k->operator.name),
    .operators = nprof_some_int (k->operator.n),
    .shape = nprof_some_str (k->shape.name),
    .shapes = nprof_some_int (k->shape.n),
    .family
    = nprof_any_str (nprof_intern (h, an_family (g->families, nprof_text (h, key[OF_NAME])))),
    .marks = nprof_some_str (marks_of (g, key[OF_NAME])),
    .certainty = graph_calls_certainty (g->self, key[OF_DEVICE], sum->certainty),
  };
  return an_rows_add (
      &g->self->rows, &kernels_table,
      kernels_cells (nprof_cell_str (h->input (h, h->track_info (h, key[OF_DEVICE])->input)->label),
                     &row)
          .cells);
}

static nprof_status
write_copy (const Gather *g, guint id, Wide all)
{
  const struct nprof_host *h = g->self->host;
  const guint32 *key = an_key_table_key (&g->ids, id);
  const KernelSum *k = &g_array_index (g->kernels, KernelSum, id);
  const LaunchedSum *sum = &k->sum;
  const struct copies_row row = {
    .device = nprof_any_str (an_place (g->self->places, key[OF_DEVICE])->label),
    .copy = nprof_any_str (key[OF_NAME]),
    .category = nprof_any_str (key[OF_CATEGORY]),
    .calls = nprof_some_int ((gint64) sum->calls),
    .total = wide_if (true, sum->total),
    .share = share_of (sum->total, all),
    .mean = nprof_some_int (wide_mean (sum->total + sum->outside, sum->calls)),
    .min = nprof_some_int (sum->min),
    .max = nprof_some_int (sum->max),
    .operator= nprof_some_str (k->operator.name),
    .operators = nprof_some_int (k->operator.n),
  };
  return an_rows_add (
      &g->self->rows, &copies_table,
      copies_cells (nprof_cell_str (h->input (h, h->track_info (h, key[OF_DEVICE])->input)->label),
                    &row)
          .cells);
}

static Wide
all_of_device (const Gather *g, nprof_track device)
{
  Wide all = launched_replays_of (g->self, device);
  for (guint i = 0; i < g->kernels->len; i++)
    if (an_key_table_key (&g->ids, i)[OF_DEVICE] == device)
      all += g_array_index (g->kernels, KernelSum, i).sum.total;
  return all;
}

/* Writes the rows of one table: of kernels, or of copies. */
static nprof_status
write_those (Gather *g, bool is_memory)
{
  nprof_status status
      = g->self->host->table (g->self->host, is_memory ? &copies_table : &kernels_table);
  g_autofree guint *order = in_order (g->kernels->len, compare, g);
  nprof_track device = 0;
  Wide so_far = 0, all = 0;
  for (guint i = 0; i < g->kernels->len && !status; i++) {
    const KernelSum *k = &g_array_index (g->kernels, KernelSum, order[i]);
    nprof_track of = an_key_table_key (&g->ids, order[i])[OF_DEVICE];
    if (k->is_memory != is_memory)
      continue;
    if (of != device) {
      device = of;
      so_far = 0;
      all = all_of_device (g, device);
    }
    so_far += k->sum.total;
    status = is_memory ? write_copy (g, order[i], all) : write_kernel (g, order[i], so_far, all);
  }
  return status;
}

nprof_status
kernels_write (Operators *self)
{
  const Launched *l = &self->launched;
  Gather g = { .self = self,
               .families = an_families_new (),
               .kernels = np_large_array_new (sizeof (KernelSum)),
               .of_operators = np_large_array_new (sizeof (Wide)),
               .of_shapes = np_large_array_new (sizeof (Wide)) };
  an_key_table_init (&g.ids, OF_WORDS);
  an_key_table_init (&g.operators, 2);
  an_key_table_init (&g.shapes, 2);
  for (guint i = 0; i < l->sums->len; i++)
    add_sum (&g, an_key_table_key (&l->keys, i), &g_array_index (l->sums, LaunchedSum, i));
  find_most (&g);
  nprof_status status = write_those (&g, false);
  if (!status)
    status = write_those (&g, true);
  an_families_free (g.families);
  an_key_table_clear (&g.ids);
  an_key_table_clear (&g.operators);
  an_key_table_clear (&g.shapes);
  np_large_array_free (g.kernels);
  np_large_array_free (g.of_operators);
  np_large_array_free (g.of_shapes);
  return status;
}
