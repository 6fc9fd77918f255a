/* SPDX-License-Identifier: Apache-2.0 */
/* links.c - kernels and the operators that launched them, joined by Kineto's arrows `ac2g`: table
 * operators_linked.  Other tools count only kernels whose launch is in the file
 * (chrome-trace.md 8); here both are rows, with the reason. */
#include "operators.h"

enum { QUEUE, NAME, CATEGORY, DEVICE, KEY_WORDS };

typedef struct { /* a row of the table */
  guint64 occurrences;
  Wide total;
  gint64 min, max;
} Sum;

enum { LINKED, NO_LAUNCH, NO_ARROW };
static const char *const reasons[]
    = { NULL, "its launch is not in the file", "no arrow of a launch ends at it" };

void
links_init (Links *links, const struct nprof_host *host, guint64 limit)
{
  links->limit = limit;
  links->family = nprof_intern (host, "ac2g");
  links->kernels = g_array_new (FALSE, FALSE, sizeof (Kernel));
  links->launches = g_array_new (FALSE, FALSE, sizeof (Launch));
  an_key_table_init (&links->keys, KEY_WORDS);
}

void
links_clear (Links *links)
{
  g_clear_pointer (&links->kernels, g_array_unref);
  g_clear_pointer (&links->launches, g_array_unref);
  an_key_table_clear (&links->keys);
}

/* Is there room for one more? */
static bool
room (Links *links)
{
  if (links->over)
    return false;
  guint64 held = (guint64) links->kernels->len * sizeof (Kernel)
                 + (guint64) links->launches->len * sizeof (Launch);
  if (held < links->limit)
    return true;
  links->over = true;
  g_array_set_size (links->kernels, 0);
  g_array_set_size (links->launches, 0);
  return false;
}

void
links_launch (Links *links, guint64 flow, nprof_str launcher)
{
  Launch launch = { .flow = flow, .launcher = launcher };
  if (room (links))
    g_array_append_val (links->launches, launch);
}

void
links_kernel (Links *links, const AnPlace *place, nprof_str name, nprof_str category,
              gint64 duration, guint64 flow)
{
  if (!room (links))
    return;
  const guint32 key[KEY_WORDS] = { place->track, name, category, place->device };
  Kernel kernel = { .flow = flow, .duration = duration };
  kernel.kernel = an_key_table_get (&links->keys, key);
  g_array_append_val (links->kernels, kernel);
}

/* Launches by their arrow; of several the first. */
static void
index_launches (const Links *links, AnKeyTable *flows, GArray *launchers)
{
  for (guint i = 0; i < links->launches->len; i++) {
    const Launch *launch = &g_array_index (links->launches, Launch, i);
    const guint32 flow[] = { (guint32) launch->flow, (guint32) (launch->flow >> 32) };
    if (an_key_table_get (flows, flow) == launchers->len)
      g_array_append_val (launchers, launch->launcher);
  }
}

/* NULL: no launch has this arrow.  What is not found is added, and has no launcher. */
static const nprof_str *
launcher_of (AnKeyTable *flows, const GArray *launchers, guint64 flow)
{
  const guint32 key[] = { (guint32) flow, (guint32) (flow >> 32) };
  guint number = an_key_table_get (flows, key);
  return number < launchers->len ? &g_array_index (launchers, nprof_str, number) : NULL;
}

static void
count (AnKeyTable *tuples, GArray *sums, const guint32 *tuple, gint64 duration)
{
  guint number = an_key_table_get (tuples, tuple);
  if (number == sums->len) {
    Sum sum = { .min = duration, .max = duration };
    g_array_append_val (sums, sum);
  }
  Sum *sum = &g_array_index (sums, Sum, number);
  sum->occurrences++;
  sum->total += duration;
  sum->min = MIN (sum->min, duration);
  sum->max = MAX (sum->max, duration);
}

enum { ROW_KERNEL, ROW_LAUNCHER, ROW_REASON, ROW_WORDS };

static nprof_status
write_row (const Links *links, const struct nprof_host *h, const guint32 *row, const Sum *sum)
{
  const guint32 *key = an_key_table_key (&links->keys, row[ROW_KERNEL]);
  const struct nprof_track_info *queue = h->track_info (h, key[QUEUE]),
                                *device = h->track_info (h, key[DEVICE]);
  nprof_str launcher = row[ROW_LAUNCHER];
  const struct nprof_cell cells[] = {
    nprof_cell_str (h->input (h, queue->input)->label),
    nprof_cell_str (nprof_track_label (device)),
    nprof_cell_str (nprof_track_label (queue)),
    launcher ? nprof_cell_str (launcher) : nprof_cell_null (),
    nprof_cell_str (key[NAME]),
    nprof_cell_str (key[CATEGORY]),
    { .type = NPROF_BOOL, .v.u = row[ROW_REASON] == LINKED },
    nprof_cell_int ((gint64) sum->occurrences),
    wide_cell (sum->total),
    nprof_cell_int (sum->min),
    nprof_cell_int (sum->max),
    nprof_cell_text (reasons[row[ROW_REASON]]),
  };
  return h->row (h, &linked_table, cells);
}

static nprof_status
write_rows (const Links *links, const struct nprof_host *h, AnKeyTable *rows, GArray *sums)
{
  nprof_status status = NPROF_OK;
  AnKeyTable flows;
  an_key_table_init (&flows, 2);
  g_autoptr (GArray) launchers = g_array_new (FALSE, FALSE, sizeof (nprof_str));
  index_launches (links, &flows, launchers);
  for (guint i = 0; i < links->kernels->len; i++) {
    const Kernel *kernel = &g_array_index (links->kernels, Kernel, i);
    const nprof_str *launcher = kernel->flow ? launcher_of (&flows, launchers, kernel->flow) : NULL;
    guint reason = launcher ? LINKED : kernel->flow ? NO_LAUNCH : NO_ARROW;
    const guint32 row[ROW_WORDS] = { kernel->kernel, launcher ? *launcher : 0, reason };
    count (rows, sums, row, kernel->duration);
  }
  an_key_table_clear (&flows);
  for (guint i = 0; i < rows->n && status == NPROF_OK; i++)
    status = write_row (links, h, an_key_table_key (rows, i), &g_array_index (sums, Sum, i));
  return status;
}

nprof_status
links_write (Links *links, const struct nprof_host *host)
{
  nprof_status status = host->table (host, &linked_table);
  if (status || !links->seen || !links->limit)
    return status;
  if (links->over) {
    nprof_log (
        host, NPROF_WARNING,
        "table operators_linked is left out: kernels and launches need more than %" G_GUINT64_FORMAT
        " bytes; to have it, set links=, links=0 says that it is not wanted",
        links->limit);
    return NPROF_OK;
  }
  AnKeyTable rows;
  an_key_table_init (&rows, ROW_WORDS);
  g_autoptr (GArray) sums = g_array_new (FALSE, FALSE, sizeof (Sum));
  status = write_rows (links, host, &rows, sums);
  an_key_table_clear (&rows);
  return status;
}
