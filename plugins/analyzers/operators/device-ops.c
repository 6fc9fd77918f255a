/* SPDX-License-Identifier: Apache-2.0 */
/* device-ops.c - sums operators of a host by the time of the work that they launched, device by
 * device.  The self time of an operator is that of the rows that it is the innermost operator
 * around the launch of; the total also has those of operators within it, each row once.  So the
 * self times of a device, with those of "(no operator)" and "(launch not recorded)", add up to all
 * its work. */
#include "operators.h"

enum { OF_DEVICE, OF_NAME, OF_WORDS };

typedef struct {
  Operators *self;
  AnKeyTable ids;      /* OF_...                       */
  NpLargeArray *ops;   /* of DeviceOp, by id           */
  AnKeyTable kernels;  /* id of an operator, name of a kernel */
  NpLargeArray *times; /* of Wide, by kernels         */
  nprof_str none, unknown;
} Gather;

static DeviceOp *
op_of (Gather *g, nprof_track device, nprof_str name, guint *id)
{
  const guint32 key[OF_WORDS] = { device, name };
  *id = an_key_table_get (&g->ids, key);
  if (*id == g->ops->len) {
    np_large_array_extend (g->ops, *id + 1);
    g_array_index (g->ops, DeviceOp, *id)
        = (DeviceOp){ .device = device, .name = name, .certainty = GRAPH_CALLED };
  }
  return &g_array_index (g->ops, DeviceOp, *id);
}

static void
add_kernel (Gather *g, guint id, nprof_str kernel, Wide time)
{
  guint number = an_key_table_get (&g->kernels, (const guint32[]){ id, kernel });
  if (number == g->times->len)
    np_large_array_extend (g->times, number + 1);
  g_array_index (g->times, Wide, number) += time;
}

/* Returns whether the name stands nearer to the launch on the path as well. */
static bool
stands_within (const Gather *g, guint32 node, guint32 outer)
{
  nprof_str name = name_of_node (g->self, outer);
  for (; node != outer; node = an_links_node (g->self->links, node).outer)
    if (name_of_node (g->self, node) == name)
      return true;
  return false;
}

static void
add_sum (Gather *g, const guint32 *key, const LaunchedSum *sum)
{
  const guint32 *kernel = an_key_table_key (&g->self->launched.kernels, key[LAUNCHED_KERNEL]);
  nprof_track device = kernel[KERNEL_DEVICE];
  guint32 node = key[LAUNCHED_NODE];
  nprof_str innermost = node                             ? name_of_node (g->self, node)
                        : key[LAUNCHED_REASON] == LINKED ? g->none
                                                         : g->unknown;
  guint id, outer_id;
  DeviceOp *op = op_of (g, device, innermost, &id);
  op->self += sum->total;
  op->certainty = MIN (op->certainty, sum->certainty);
  add_kernel (g, id, kernel[KERNEL_NAME], sum->total);
  if (!node)
    g_array_index (g->ops, DeviceOp, id).total += sum->total;
  for (guint32 at = node; at; at = an_links_node (g->self->links, at).outer)
    if (!stands_within (g, node, at))
      op_of (g, device, name_of_node (g->self, at), &outer_id)->total += sum->total;
}

/* Finds the top kernels; of equal times the name that sorts last, so that nothing depends on
 * handles. */
static void
find_top_kernels (Gather *g)
{
  const struct nprof_host *h = g->self->host;
  g_autofree Wide *most = g_new0 (Wide, g->ops->len + 1);
  for (guint i = 0; i < g->times->len; i++) {
    const guint32 *key = an_key_table_key (&g->kernels, i);
    Wide time = g_array_index (g->times, Wide, i);
    DeviceOp *op = &g_array_index (g->ops, DeviceOp, key[0]);
    if (op->top_kernel
        && (time < most[key[0]]
            || (time == most[key[0]]
                && strcmp (nprof_text (h, key[1]), nprof_text (h, op->top_kernel)) <= 0)))
      continue;
    op->top_kernel = key[1];
    most[key[0]] = time;
  }
}

/* Adds calls of the name, and the time of the host in them, of the processes that launched on the
 * device. */
static void
add_host (Gather *g, nprof_track device, nprof_track process)
{
  Operators *self = g->self;
  for (guint i = 0; i < self->ops->len; i++) {
    const guint32 *tuple = an_key_table_key (&self->tuples, i),
                  key[OF_WORDS] = { device, tuple[OP_NAME] };
    const Op *host = &g_array_index (self->ops, Op, i);
    if (!tuple[OP_HOST] || tuple[OP_DEVICE] != process)
      continue;
    guint before = g->ids.n, id = an_key_table_get (&g->ids, key);
    if (id == before) { /* it launched nothing there */
      np_large_array_extend (g->ops, id + 1);
      continue;
    }
    DeviceOp *op = &g_array_index (g->ops, DeviceOp, id);
    op->calls += host->occurrences;
    op->host_self += host->self;
    op->has_host = op->has_calls = true;
  }
}

/* Adds calls that were made when graphs were captured, each as often as it was replayed. */
static void
add_replays (Gather *g)
{
  for (guint id = 0; id < g->ops->len; id++) {
    DeviceOp *op = &g_array_index (g->ops, DeviceOp, id);
    const guint64 calls = graph_calls_of (g->self, op->device, op->name);
    op->calls += calls;
    op->has_calls |= calls > 0;
  }
}

NpLargeArray *
device_ops (Operators *self)
{
  const Launched *l = &self->launched;
  Gather g = { .self = self,
               .ops = np_large_array_new (sizeof (DeviceOp)),
               .times = np_large_array_new (sizeof (Wide)),
               .none = nprof_intern (self->host, "(no operator)"),
               .unknown = nprof_intern (self->host, "(launch not recorded)") };
  an_key_table_init (&g.ids, OF_WORDS);
  an_key_table_init (&g.kernels, 2);
  for (guint i = 0; i < l->sums->len; i++)
    add_sum (&g, an_key_table_key (&l->keys, i), &g_array_index (l->sums, LaunchedSum, i));
  find_top_kernels (&g);
  add_replays (&g);
  for (guint i = 0; i < l->processes.n; i++) {
    const guint32 *pair = an_key_table_key (&l->processes, i);
    add_host (&g, pair[0], pair[1]);
  }
  an_key_table_clear (&g.ids);
  an_key_table_clear (&g.kernels);
  np_large_array_free (g.times);
  return g.ops;
}
