/* SPDX-License-Identifier: Apache-2.0 */
/* summary.c - makes the line of a profile in the list. */

#include "stored/summary.h"
#include "stored/cells.h"
#include "stored/logical-cores.h"
#include "stored/use.h"

#include <string.h>
#include <sys/stat.h>

static void
devices_clear (gpointer data)
{
  g_free (((NpDevices *) data)->type);
}

static void
input_clear (gpointer data)
{
  NpSummaryInput *input = data;
  g_free (input->label);
  g_free (input->path);
}

void
np_summary_free (NpSummary *s)
{
  if (!s)
    return;
  g_free (s->label);
  g_free (s->busy_reason);
  g_free (s->mfu_reason);
  g_ptr_array_unref (s->decoders);
  g_array_unref (s->devices);
  g_array_unref (s->inputs);
  g_free (s);
}

static void
add_input (NpSummary *s, NpProfile *p, const struct nprof_store_input *in)
{
  const char *decoder = np_profile_string (p, in->decoder);
  NpSummaryInput input = {
    .label = g_strdup (np_profile_string (p, in->label)),
    .path = in->flags & NPROF_STORE_NO_PATH ? NULL : g_strdup (np_profile_string (p, in->path)),
    .bytes = in->bytes,
    .size = in->size,
    .mtime_ns = in->mtime_ns,
  };
  g_array_append_val (s->inputs, input);
  if (!g_ptr_array_find_with_equal_func (s->decoders, decoder, g_str_equal, NULL))
    g_ptr_array_add (s->decoders, g_strdup (decoder));
}

static void
add_device (NpSummary *s, const char *type)
{
  for (guint i = 0; i < s->devices->len; i++) {
    NpDevices *d = &g_array_index (s->devices, NpDevices, i);
    if (!strcmp (d->type, type)) {
      d->count++;
      return;
    }
  }
  NpDevices device = { g_strdup (type), 1 };
  g_array_append_val (s->devices, device);
}

/* Cuts the number off a label, such as "NPU 1", that has more than a number. */
static void
cut_number (char *label)
{
  gsize n = strlen (label);
  while (n && g_ascii_isdigit (label[n - 1]))
    n--;
  while (n && strchr (" :_-#", label[n - 1]))
    n--;
  if (n)
    label[n] = 0;
}

/* Returns the label of a track; NULL: it has none. */
static const char *
label_of_track (const NpProfile *p, gint64 number)
{
  const struct nprof_store_track *t;
  for (guint32 i = 0; (t = nprof_store_track_at (p->store, i)); i++)
    if (t->number == number)
      return t->label ? np_profile_string (p, t->label) : NULL;
  return NULL;
}

/* Returns whether a device was counted already, by another recording of its rank. */
static gboolean
is_again (GHashTable *counted, const NpProfile *p, const NpCells *cells, guint64 row,
          const char *device)
{
  g_autofree char *input = np_cells_text (cells, row, "input");
  return device && !g_hash_table_add (counted, np_profile_device (p, input, device));
}

/* Reads types, which are facts of devices; where the file states none, a device counts as its
 * label, and several as what their labels share: devices that differ by their number are of one
 * kind. */
static void
read_devices (NpSummary *s, const NpProfile *p, NpCells *facts, NpCells *devices, NpCells *logical)
{
  g_autoptr (GHashTable) counted = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint64 i = 0; i < facts->rows; i++) {
    g_autofree char *key = np_cells_text (facts, i, "key"),
                    *value = np_cells_text (facts, i, "value");
    gint64 track;
    const char *device
        = np_cells_i64 (facts, i, "track", &track) ? label_of_track (p, track) : NULL;
    if (key && value && !strcmp (key, "device_type") && !is_again (counted, p, facts, i, device))
      add_device (s, value);
  }
  gboolean typed = s->devices->len > 0;
  const guint64 n = logical->rows + devices->rows;
  for (guint64 i = 0; i < n && !typed; i++) {
    const gboolean holds_cores = i < logical->rows;
    const guint64 row = holds_cores ? i : i - logical->rows;
    g_autofree char *device = np_cells_text (holds_cores ? logical : devices, row, "device");
    if (!device || (!holds_cores && np_logical_row (logical, devices, row) >= 0)
        || is_again (counted, p, holds_cores ? logical : devices, row, device))
      continue;
    if (n > 1)
      cut_number (device);
    add_device (s, device);
  }
}

typedef struct {
  double span, busy, known, flops, told, exposed;
} Shares;

/* Adds the times of a device, or of the cores of a logical core together. */
static void
add_times (Shares *all, const NpCells *cells, guint64 row)
{
  gint64 span, busy, exposed;
  if (!np_cells_i64 (cells, row, "span_ns", &span) || !np_cells_i64 (cells, row, "busy_ns", &busy))
    return;
  all->span += (double) span;
  all->busy += (double) busy;
  if (np_cells_i64 (cells, row, "exposed_ns", &exposed)) {
    all->told += (double) span;
    all->exposed += (double) exposed;
  }
}

/* Reads the shares of all devices together, of which a logical core is one; those of which one is
 * unknown are left out of its mean. */
static void
read_shares (NpSummary *s, NpCells *devices, NpCells *logical)
{
  Shares all = { 0 };
  for (guint64 i = 0; i < logical->rows; i++)
    add_times (&all, logical, i);
  for (guint64 i = 0; i < devices->rows; i++) {
    double mfu;
    gint64 span;
    if (np_logical_row (logical, devices, i) < 0)
      add_times (&all, devices, i);
    if (np_cells_i64 (devices, i, "span_ns", &span) && np_cells_double (devices, i, "mfu", &mfu)) {
      all.known += (double) span;
      all.flops += mfu * (double) span;
    }
  }
  s->has_device = devices->rows > 0;
  s->has_busy = all.span > 0;
  s->busy = all.span > 0 ? all.busy / all.span : 0;
  s->has_mfu = all.known > 0;
  s->mfu = all.known > 0 ? all.flops / all.known : 0;
  s->mfu_source = "mfu of table devices, weighted by span_ns";
  s->has_exposed = all.told > 0;
  s->exposed = all.told > 0 ? all.exposed / all.told : 0;
  s->of_logical = logical->rows > 0;
}

/* Returns why it is unknown when the first such device worked; NULL: there is none. Transfer
 * full. */
static char *
busy_reason (NpCells *devices)
{
  char *reason = NULL;
  for (guint64 i = 0; i < devices->rows && !reason; i++)
    reason = np_cells_text (devices, i, "busy_reason");
  return reason;
}

/* Reads the steps of the device that is judged, as the first screen has them; else, where periods
 * or the span were judged, those of the slowest device. */
static void
read_steps (NpSummary *s, NpCells *verdict, NpCells *times)
{
  gint64 place, median;
  for (guint64 i = 0; i < verdict->rows; i++) {
    g_autofree char *base = np_cells_text (verdict, i, "base");
    if (base && g_str_has_prefix (base, "step") && np_cells_i64 (verdict, i, "place", &place)
        && place == 1 && np_cells_i64 (verdict, i, "median_ns", &median)) {
      s->has_step = TRUE;
      s->step_median = median;
      s->step_source = "median_ns of table verdict, the slowest device's";
      return;
    }
  }
  for (guint64 i = 0; i < times->rows; i++)
    if (np_cells_i64 (times, i, "median_ns", &median)
        && (!s->has_step || median > s->step_median)) {
      s->has_step = TRUE;
      s->step_median = median;
      s->step_source = "median_ns of table step_times, the slowest device's";
    }
}

static void
read_mfu_by_shapes (NpSummary *s, NpProfile *p, struct nprof_query *q)
{
  g_auto (NpCells) mfu = { 0 };
  np_cells_open (&mfu, p->store, q, "mfu");
  s->has_mfu = np_use_by_shapes (&mfu, &s->mfu, &s->mfu_least);
  s->mfu_source = np_use_source (s->mfu_least);
  if (!s->has_mfu)
    s->mfu_reason = np_use_reason (p->store, q, "mfu");
}

static void
read_tables (NpSummary *s, NpProfile *p, struct nprof_query *q)
{
  g_auto (NpCells) facts = { 0 }, devices = { 0 }, logical = { 0 }, verdict = { 0 }, times = { 0 };
  np_cells_open (&facts, p->store, q, "facts");
  np_cells_open (&devices, p->store, q, "devices");
  np_cells_open (&logical, p->store, q, "logical_cores");
  np_cells_open (&verdict, p->store, q, "verdict");
  np_cells_open (&times, p->store, q, "step_times");
  read_devices (s, p, &facts, &devices, &logical);
  read_shares (s, &devices, &logical);
  read_steps (s, &verdict, &times);
  if (!s->has_busy)
    s->busy_reason = busy_reason (&devices);
  if (!s->has_mfu)
    read_mfu_by_shapes (s, p, q);
}

static char *
label_of (const NpSummary *s)
{
  const NpSummaryInput *first
      = s->inputs->len ? &g_array_index (s->inputs, NpSummaryInput, 0) : NULL;
  if (!first)
    return g_strdup ("");
  return s->inputs->len == 1 ? g_strdup (first->label)
                             : g_strdup_printf ("%s + %u", first->label, s->inputs->len - 1);
}

NpSummary *
np_summary_new (NpProfile *p)
{
  const struct nprof_store_meta *meta = p->meta;
  const struct nprof_store_input *in;
  NpSummary *s = g_new0 (NpSummary, 1);
  s->decoders = g_ptr_array_new_with_free_func (g_free);
  s->devices = g_array_new (FALSE, FALSE, sizeof (NpDevices));
  s->inputs = g_array_new (FALSE, FALSE, sizeof (NpSummaryInput));
  g_array_set_clear_func (s->devices, devices_clear);
  g_array_set_clear_func (s->inputs, input_clear);
  s->origin_unix_ns = meta->origin_unix_ns;
  s->start = meta->first;
  s->end = meta->last;
  s->rows = meta->rows;
  s->generation = meta->generation;
  s->made_unix_ms = meta->made_unix_ms;
  s->sourceless = meta->flags & NPROF_STORE_SOURCELESS;
  for (guint f = 0; f < NPROF_STORE_FILES; f++)
    s->size += meta->bytes[f];
  for (guint i = 0; (in = nprof_store_input_at (p->store, i)); i++)
    add_input (s, p, in);
  s->label = label_of (s);
  struct nprof_query *q = np_profile_query (p);
  if (q) {
    read_tables (s, p, q);
    np_profile_give_back (p, q);
  }
  return s;
}

gboolean
np_input_present (const NpSummaryInput *in)
{
  struct stat st;
  return in->path && !stat (in->path, &st) && (guint64) st.st_size == in->size
         && (gint64) st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec == in->mtime_ns;
}

gboolean
np_source_present (const NpSummary *s)
{
  for (guint i = 0; i < s->inputs->len; i++)
    if (!np_input_present (&g_array_index (s->inputs, NpSummaryInput, i)))
      return FALSE;
  return s->inputs->len > 0;
}
