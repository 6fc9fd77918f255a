/* SPDX-License-Identifier: Apache-2.0 */
/* levels.c - writes table operators: the same occurrences by the operator of the framework, of HLO,
 * by opcode and by layer, and by name and category where those say nothing. */
#include "operators.h"

#include "devicekit/logical-core.h"
#include "names.h"

#include <math.h>

enum { FRAMEWORK, HLO, OPCODE, LAYER, NAME, CATEGORY, LEVELS };
static const char *const level_names[]
    = { "framework", "hlo", "opcode", "layer", "name", "category" };

/* These words make a group, which is a row. */
enum { G_DEVICE, G_LEVEL, G_OPERATOR, G_CATEGORY, G_PROGRAM_LOW, G_PROGRAM_HIGH, G_WORDS };

typedef struct {
  Op sum;
  guint names;    /* distinct ones */
  guint launched; /* 1 + its number among l->launched; 0: rows of the device said it themselves */
} Group;

typedef struct {
  guint facts, unsaid; /* bit a level: some operator has it, some has not */
  bool host;
  nprof_track core; /* whose peak is its own: one of a logical core, or the device itself */
  Wide self;
  AnAbovePeak above;
} Device;

typedef struct {
  Operators *self;
  AnKeyTable devices, groups, names, operators;
  GArray *device;         /* of Device */
  NpLargeArray *group;    /* of Group  */
  NpLargeArray *launched; /* of DeviceOp                                  */
  NpLargeArray *alike; /* of guint, by operators: groups that look the same but for the program */
  nprof_str level[LEVELS];
} Levels;

/* -- What an operator is at a level ----------------------------------------------------- */

/* Returns the HLO name: "cluster::fusion.3" is fusion.3 within a group of kernels: xplane.md 1.4 */
nprof_str
hlo_of (Operators *self, const guint32 *t)
{
  if (t[OP_DEDUPLICATED])
    return t[OP_DEDUPLICATED];
  if (!t[OP_HLO])
    return t[OP_HLO_TEXT] || t[OP_PROGRAM_LOW] || t[OP_PROGRAM_HIGH] ? t[OP_NAME] : 0;
  const char *text = nprof_text (self->host, t[OP_HLO]), *last = g_strrstr (text, "::");
  return last ? nprof_intern (self->host, last + 2) : t[OP_HLO];
}

static nprof_str
opcode_of (Operators *self, const guint32 *t)
{
  if (t[OP_OPCODE] || !t[OP_HLO_TEXT])
    return t[OP_OPCODE];
  return of_text (self, self->opcode, t[OP_HLO_TEXT]);
}

/* Returns the operator and its category at a level; 0: not said. */
static nprof_str
at_level (Operators *self, const guint32 *t, guint level, nprof_str *category)
{
  *category = level == HLO || level == NAME || t[OP_HOST] ? t[OP_CATEGORY] : 0;
  switch (level) {
  case FRAMEWORK:
    if (t[OP_HOST])
      return t[OP_NAME];
    if (t[OP_FRAMEWORK])
      *category = of_text (self, self->type, t[OP_FRAMEWORK]);
    return t[OP_FRAMEWORK];
  case HLO:
    return hlo_of (self, t);
  case OPCODE:
    return opcode_of (self, t);
  case LAYER:
    return layers_of (self, t);
  case NAME:
    return t[OP_NAME];
  default:
    return t[OP_CATEGORY];
  }
}

/* -- Folding ---------------------------------------------------------------------------- */

void
op_fold (Op *to, const Op *op)
{
  to->occurrences += op->occurrences;
  to->total += op->total;
  to->self += op->self;
  to->outside += op->outside;
  to->flops += op->flops;
  to->model_flops += op->model_flops;
  to->bytes += op->bytes;
  to->on_chip += op->on_chip;
  to->with_flops += op->with_flops;
  to->with_model += op->with_model;
  to->with_bytes += op->with_bytes;
  to->with_on_chip += op->with_on_chip;
}

static Device *
device_of (Levels *l, guint32 device)
{
  guint number = an_key_table_get (&l->devices, &device);
  if (number == l->device->len)
    g_array_set_size (l->device, number + 1);
  return &g_array_index (l->device, Device, number);
}

static Device *
device_of_tuple (Levels *l, const guint32 *tuple)
{
  return device_of (l, an_logical_core_of (l->self->host, tuple[OP_DEVICE]));
}

static void
look_at_tuple (Levels *l, const guint32 *tuple, const Op *op)
{
  Device *device = device_of_tuple (l, tuple);
  device->core = tuple[OP_DEVICE];
  device->self += op->self;
  device->host = tuple[OP_HOST];
  for (guint level = 0; level < LEVELS; level++) {
    nprof_str category;
    if (at_level (l->self, tuple, level, &category))
      device->facts |= 1u << level;
    else
      device->unsaid |= 1u << level;
  }
}

/* Returns whether the level is shown: names stand in where HLO does not name all; categories where
 * nothing else sums up. */
static bool
shows (const Device *device, guint level)
{
  if (device->host)
    return level == FRAMEWORK;
  if (level == NAME)
    return device->unsaid & 1u << HLO;
  if (level == CATEGORY)
    return device->facts & 1u << CATEGORY && !(device->facts & (1u << HLO | 1u << OPCODE));
  return device->facts & 1u << level;
}

static Group *
group_of (Levels *l, const guint32 *key, guint *number)
{
  *number = an_key_table_get (&l->groups, key);
  if (*number == l->group->len) {
    guint alike = an_key_table_get (&l->operators, key);
    np_large_array_extend (l->group, *number + 1);
    if (alike == l->alike->len)
      np_large_array_extend (l->alike, alike + 1);
    g_array_index (l->alike, guint, alike)++;
  }
  return &g_array_index (l->group, Group, *number);
}

static void
add_to_level (Levels *l, const guint32 *t, const Op *op, guint level)
{
  guint32 key[G_WORDS]
      = { [G_DEVICE] = an_logical_core_of (l->self->host, t[OP_DEVICE]), [G_LEVEL] = level };
  key[G_OPERATOR] = at_level (l->self, t, level, &key[G_CATEGORY]);
  if (level == HLO && key[G_OPERATOR]) {
    key[G_PROGRAM_LOW] = t[OP_PROGRAM_LOW];
    key[G_PROGRAM_HIGH] = t[OP_PROGRAM_HIGH];
  }
  guint number;
  Group *group = group_of (l, key, &number);
  op_fold (&group->sum, op);
  const guint32 name[] = { number, t[OP_NAME] };
  guint before = l->names.n;
  an_key_table_get (&l->names, name);
  group->names += l->names.n - before;
}

/* Groups work by its launches where rows of the device say nothing of the framework. */
static void
group_launched (Levels *l)
{
  for (guint i = 0; i < l->launched->len; i++) {
    const DeviceOp *op = &g_array_index (l->launched, DeviceOp, i);
    guint number;
    if (!op->name || device_of (l, op->device)->facts & 1u << FRAMEWORK)
      continue;
    const guint32 key[G_WORDS]
        = { [G_DEVICE] = op->device, [G_LEVEL] = FRAMEWORK, [G_OPERATOR] = op->name };
    Group *group = group_of (l, key, &number);
    group->launched = i + 1;
    group->sum = (Op){ .occurrences = op->calls, .total = op->total, .self = op->self };
  }
}

static void
group_all (Levels *l)
{
  const Operators *self = l->self;
  for (guint i = 0; i < self->ops->len; i++)
    look_at_tuple (l, an_key_table_key (&self->tuples, i), &g_array_index (self->ops, Op, i));
  for (guint i = 0; i < self->ops->len; i++) {
    const guint32 *tuple = an_key_table_key (&self->tuples, i);
    for (guint level = 0; level < LEVELS; level++)
      if (shows (device_of_tuple (l, tuple), level))
        add_to_level (l, tuple, &g_array_index (self->ops, Op, i), level);
  }
}

/* -- Writing ---------------------------------------------------------------------------- */

static int
compare_text (const Operators *self, nprof_str a, nprof_str b)
{
  return a == b ? 0 : strcmp (nprof_text (self->host, a), nprof_text (self->host, b));
}

/* Sorts by device, level, self time (most first), and names, so that nothing depends on handles. */
static int
compare (gconstpointer a, gconstpointer b, gpointer user)
{
  const Levels *l = user;
  guint i = *(const guint *) a, j = *(const guint *) b;
  const guint32 *x = an_key_table_key (&l->groups, i), *y = an_key_table_key (&l->groups, j);
  const Op *p = &g_array_index (l->group, Group, i).sum,
           *q = &g_array_index (l->group, Group, j).sum;
  const struct nprof_host *h = l->self->host;
  if (x[G_DEVICE] != y[G_DEVICE])
    return an_place_compare (h, x[G_DEVICE], y[G_DEVICE]);
  if (x[G_LEVEL] != y[G_LEVEL])
    return x[G_LEVEL] < y[G_LEVEL] ? -1 : 1;
  if (p->self != q->self)
    return p->self > q->self ? -1 : 1;
  int order = compare_text (l->self, x[G_OPERATOR], y[G_OPERATOR]);
  if (!order)
    order = compare_text (l->self, x[G_CATEGORY], y[G_CATEGORY]);
  guint64 m = (guint64) x[G_PROGRAM_HIGH] << 32 | x[G_PROGRAM_LOW],
          n = (guint64) y[G_PROGRAM_HIGH] << 32 | y[G_PROGRAM_LOW];
  return order ? order : (m > n) - (m < n);
}

/* Returns the text that tells operators of the same name in several programs apart.  Transfer full;
 * NULL: none. */
static char *
operator_text (Levels *l, const guint32 *key)
{
  if (!key[G_OPERATOR])
    return NULL;
  const char *name = nprof_text (l->self->host, key[G_OPERATOR]);
  guint alike = an_key_table_get (&l->operators, key);
  if (g_array_index (l->alike, guint, alike) < 2)
    return g_strdup (name);
  guint64 program = (guint64) key[G_PROGRAM_HIGH] << 32 | key[G_PROGRAM_LOW];
  return g_strdup_printf ("%s (program %" G_GUINT64_FORMAT ")", name, program);
}

nprof_str
label_of (Operators *self, nprof_track device)
{
  const AnPlace *place = an_place (self->places, device);
  return place->device ? place->label
                       : nprof_track_label (self->host->track_info (self->host, device));
}

/* These are flops and bytes of a row, what they are of the peak, and who says so. */
typedef struct {
  struct nprof_maybe_int flops, bytes, unknown;
  struct nprof_maybe_double mfu, hfu;
  struct nprof_maybe_str source;
  double used; /* the largest of mfu and hfu; NAN: unknown */
} Work;

/* Returns the work as rows declare it: null where no row does, mfu and hfu also where the peak is
 * unknown or there is no self time. */
static Work
declared_work (Operators *self, nprof_track core, const Op *sum)
{
  double could = peak_flops_of (self, core) * (double) sum->self * 1e-12;
  return (Work){
    .flops = wide_if (sum->with_flops, sum->flops),
    .bytes = wide_if (sum->with_bytes, sum->bytes),
    .mfu = used_of (sum->model_flops, sum->with_model, could),
    .hfu = used_of (sum->flops, sum->with_flops, could),
    .source = nprof_str_if (sum->with_flops,
                            nprof_intern (self->host, sum->outside ? "file, prorated" : "file")),
    .used = used_part (sum, could),
  };
}

/* Returns the work as shapes tell it; mfu is that of the device's time within these calls. */
static Work
work_by_shapes (Operators *self, const guint32 *key, bool is_host)
{
  ProductTotal total;
  Work work = { .used = NAN };
  if (!products_total (self, key[G_DEVICE], is_host, key[G_OPERATOR], &total))
    return work;
  work.unknown = nprof_some_int ((gint64) total.unknown);
  if (!total.calls)
    return work;
  work.used = is_host || !total.time ? NAN : total.could / ((double) total.time * 1e-12);
  work.flops = wide_if (true, total.flops);
  work.bytes = wide_if (total.knows_bytes, total.bytes);
  work.mfu = work.hfu = nprof_double_if (isfinite (work.used), work.used);
  work.source
      = nprof_some_str (nprof_intern (self->host, total.cut ? "shapes, prorated" : "shapes"));
  return work;
}

static Work
work_of (Levels *l, const guint32 *key, const Group *group)
{
  const Device *device = device_of (l, key[G_DEVICE]);
  if (key[G_LEVEL] == FRAMEWORK && (device->host || group->launched))
    return work_by_shapes (l->self, key, device->host);
  return declared_work (l->self, device->core, &group->sum);
}

/* These are calls and time of the host that launched it, unknown for work of no operator. */
typedef struct {
  struct nprof_maybe_int calls, mean, host_self;
  struct nprof_maybe_str top_kernel, certainty;
} Host;

static Host
host_of (Levels *l, const guint32 *key, const Group *group)
{
  const Op *sum = &group->sum;
  const DeviceOp *op
      = group->launched ? &g_array_index (l->launched, DeviceOp, group->launched - 1) : NULL;
  bool known = !op || op->has_calls;
  Host host = { .top_kernel = nprof_some_str (op ? op->top_kernel : 0) };
  if (known)
    host.calls = nprof_some_int ((gint64) sum->occurrences);
  if (known && sum->occurrences)
    host.mean = nprof_some_int (wide_mean (sum->total + sum->outside, sum->occurrences));
  if (op && op->top_kernel)
    host.certainty = graph_calls_certainty (l->self, op->device, op->certainty);
  if (op && op->has_host)
    host.host_self = wide_if (true, op->host_self);
  if (!op && device_of (l, key[G_DEVICE])->host)
    host.host_self = wide_if (true, sum->self);
  return host;
}

static nprof_status
write_group (Levels *l, guint number)
{
  Operators *self = l->self;
  const struct nprof_host *h = self->host;
  const guint32 *key = an_key_table_key (&l->groups, number);
  const Group *group = &g_array_index (l->group, Group, number);
  const Op *sum = &group->sum;
  Device *device = device_of (l, key[G_DEVICE]);
  g_autofree char *operator= operator_text (l, key);
  uint32_t input = h->track_info (h, key[G_DEVICE])->input;
  const Work work = work_of (l, key, group);
  const Host host = host_of (l, key, group);
  if (operator)
    an_above_peak_add (&device->above, operator, work.used);
  const struct operators_row row = {
    .device = nprof_any_str (label_of (self, key[G_DEVICE])),
    .level = nprof_any_str (l->level[key[G_LEVEL]]),
    .operator= nprof_some_text (operator),
    .category = nprof_some_str (key[G_CATEGORY]),
    .calls = host.calls,
    .total = wide_if (true, sum->total),
    .self = wide_if (true, sum->self),
    .share = nprof_double_if (device->self, (double) sum->self / (double) device->self),
    .mean = host.mean,
    .flops = work.flops,
    .bytes = work.bytes,
    .mfu = work.mfu,
    .duplicates = nprof_int_if (key[G_LEVEL] == HLO && operator, group->names - 1),
    .hfu = work.hfu,
    .host_self = host.host_self,
    .top_kernel = host.top_kernel,
    .flops_source = work.source,
    .unknown_calls = work.unknown,
    .certainty = host.certainty,
    .on_chip_bytes = wide_if (sum->with_on_chip, sum->on_chip),
  };
  return an_rows_add (&self->rows, &operators_table,
                      operators_cells (nprof_cell_str (h->input (h, input)->label), &row).cells);
}

/* A row without a name at its level and without a time, as XLA's bundles of no length, is no
 * operator; nor is one of which a selection shows nothing. */
static bool
says_something (Levels *l, guint number)
{
  const Op *sum = &g_array_index (l->group, Group, number).sum;
  return sum->total > 0 || (sum->occurrences && an_key_table_key (&l->groups, number)[G_OPERATOR]);
}

static nprof_status
write_all (Levels *l)
{
  nprof_status status = NPROF_OK;
  g_autofree guint *order = in_order (l->group->len, compare, l);
  for (guint i = 0; i < l->group->len && status == NPROF_OK; i++)
    if (says_something (l, order[i]))
      status = write_group (l, order[i]);
  return status;
}

static void
warn (Levels *l)
{
  for (guint i = 0; i < l->device->len; i++) {
    Device *device = &g_array_index (l->device, Device, i);
    AnPeak peak = an_peaks_of (l->self->peaks, device->core);
    an_above_peak_warn (&device->above, l->self->host,
                        label_of (l->self, *an_key_table_key (&l->devices, i)), &peak);
  }
}

nprof_status
levels_write (Operators *self)
{
  Levels l = { .self = self };
  nprof_status status = self->host->table (self->host, &operators_table);
  if (status)
    return status;
  an_key_table_init (&l.devices, 1);
  an_key_table_init (&l.groups, G_WORDS);
  an_key_table_init (&l.names, 2);
  an_key_table_init (&l.operators, G_PROGRAM_LOW);
  l.device = g_array_new (FALSE, TRUE, sizeof (Device));
  l.group = np_large_array_new (sizeof (Group));
  l.alike = np_large_array_new (sizeof (guint));
  for (guint i = 0; i < LEVELS; i++)
    l.level[i] = nprof_intern (self->host, level_names[i]);
  l.launched = device_ops (self);
  group_all (&l);
  group_launched (&l);
  status = write_all (&l);
  warn (&l);
  an_key_table_clear (&l.devices);
  an_key_table_clear (&l.groups);
  an_key_table_clear (&l.names);
  an_key_table_clear (&l.operators);
  g_array_unref (l.device);
  np_large_array_free (l.group);
  np_large_array_free (l.alike);
  np_large_array_free (l.launched);
  return status;
}
