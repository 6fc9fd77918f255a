/* SPDX-License-Identifier: Apache-2.0 */
/* whole.c - judges devices whose work has no launches in the file: their steps as table
 * step_breakdown cuts them, a moment being that of what the device does then; and what table mfu
 * says of bandwidth. */
#include "critical.h"

#include <string.h>

static gint64
number (const struct nprof_table *table, const struct nprof_cell *row, const char *name)
{
  const struct nprof_cell *c = nprof_find_cell (table, row, name);
  return c->type == NPROF_INT64 ? c->v.i : 0;
}

void
breakdown_clear (gpointer breakdown)
{
  g_free (((Breakdown *) breakdown)->step);
}

static void
take_breakdown (Critical *self, const struct nprof_table *t, const struct nprof_cell *row)
{
  const struct nprof_cell *step = nprof_find_cell (t, row, "step"),
                          *cut = nprof_find_cell (t, row, "cut");
  Breakdown b = { .step = step->type == NPROF_TEXT ? g_strndup (step->v.text, step->len) : NULL,
                  .input = nprof_find_cell (t, row, "input")->v.s,
                  .device = nprof_find_cell (t, row, "device")->v.s,
                  .cut = cut->type == NPROF_BOOL && cut->v.u,
                  .start = number (t, row, "start_ns"),
                  .infeed = number (t, row, "infeed_ns"),
                  .groups.all = number (t, row, "window_ns") };
  b.groups.of[G_HOST] = number (t, row, "idle_host_ns");
  b.groups.of[G_LAUNCH] = number (t, row, "idle_launch_ns");
  /* Of the work on a path, what is no transfer counts as computing. */
  b.groups.of[G_COMPUTE] = number (t, row, "compute_ns") + number (t, row, "control_ns");
  b.groups.of[G_COMMUNICATION] = number (t, row, "exposed_communication_ns");
  b.groups.of[G_COPY] = number (t, row, "exposed_copy_ns");
  b.groups.of[G_QUEUE] = number (t, row, "idle_wait_ns");
  b.groups.of[G_UNKNOWN] = number (t, row, "idle_unlinked_ns") + number (t, row, "lost_ns");
  g_array_append_val (self->breakdowns, b);
}

/* -- Bandwidth --------------------------------------------------------------------------------- */

static Bounds *
bounds_of (Critical *self, nprof_str input, nprof_str device)
{
  for (guint i = 0; i < self->bounds->len; i++) {
    Bounds *b = &g_array_index (self->bounds, Bounds, i);
    if (b->input == input && b->device == device)
      return b;
  }
  const Bounds none = { input, device, 0, 0 };
  g_array_append_val (self->bounds, none);
  return &g_array_index (self->bounds, Bounds, self->bounds->len - 1);
}

static void
take_mfu (Critical *self, const struct nprof_table *t, const struct nprof_cell *row)
{
  const struct nprof_cell *bound = nprof_find_cell (t, row, "bound"),
                          *name = nprof_find_cell (t, row, "operator");
  if (bound->type != NPROF_STRING || name->type != NPROF_STRING || !name->v.s
      || *nprof_text (self->host, name->v.s) == '(')
    return;
  Bounds *b = bounds_of (self, nprof_find_cell (t, row, "input")->v.s,
                         nprof_find_cell (t, row, "device")->v.s);
  const char *by = nprof_text (self->host, bound->v.s);
  b->memory += strcmp (by, "memory") == 0 ? number (t, row, "time_ns") : 0;
  b->compute += strcmp (by, "compute") == 0 ? number (t, row, "time_ns") : 0;
}

nprof_status
whole_table (Critical *self, const struct nprof_table *table, const struct nprof_cell *cells,
             guint n_rows)
{
  gboolean breakdown = strcmp (table->name, "step_breakdown") == 0;
  if (!breakdown && strcmp (table->name, "mfu"))
    return NPROF_OK;
  self->has_breakdown |= breakdown;
  for (guint i = 0, n = nprof_count_columns (table); i < n_rows; i++, cells += n)
    (breakdown ? take_breakdown : take_mfu) (self, table, cells);
  return NPROF_OK;
}

void
note_computing (Critical *self, guint32 input, const Op *op)
{
  if (!op->shown || op->class == AN_COMMUNICATION || op->class == AN_MEMORY)
    return;
  if (input >= self->computing->len)
    g_array_set_size (self->computing, input + 1);
  g_array_index (self->computing, gint64, input) += op->end - op->start;
}

/* Returns the time of computing: table mfu is of the whole recording, so that computing outside of
 * steps counts as well; of devices without launches it is that of their steps. */
static gint64
compute_time (const Critical *self, guint32 number, nprof_str input)
{
  gint64 sum = 0;
  for (guint i = 0; i < self->breakdowns->len; i++) {
    const Breakdown *b = &g_array_index (self->breakdowns, Breakdown, i);
    sum += b->input == input ? b->groups.of[G_COMPUTE] : 0;
  }
  return number < self->computing->len ? MAX (sum, g_array_index (self->computing, gint64, number))
                                       : sum;
}

/* Returns the share of computing that is known to be bound by bandwidth; 0 as well where nothing is
 * known. */
double
bandwidth_share (const Critical *self, guint32 input)
{
  nprof_str label = self->host->input (self->host, input)->label;
  gint64 memory = 0, all = compute_time (self, input, label), known = 0;
  for (guint i = 0; i < self->bounds->len; i++) {
    const Bounds *b = &g_array_index (self->bounds, Bounds, i);
    memory += b->input == label ? b->memory : 0;
    known += b->input == label ? b->memory + b->compute : 0;
  }
  all = MAX (all, known);
  return all ? (double) memory / (double) all : 0;
}

/* -- Rows -------------------------------------------------------------------------------------- */

static gboolean
is_of_step (const Breakdown *b, nprof_str input, const Judged *j)
{
  return b->input == input && b->start == j->start && b->groups.all == j->duration
         && g_strcmp0 (b->step, j->name) == 0;
}

const Breakdown *
whole_step (const Critical *self, const Judged *j, nprof_str device)
{
  nprof_str input = self->host->input (self->host, j->input)->label;
  for (guint i = 0; i < self->breakdowns->len; i++) {
    const Breakdown *b = &g_array_index (self->breakdowns, Breakdown, i);
    if (b->device == device && is_of_step (b, input, j))
      return b;
  }
  return NULL;
}

static gint64
input_labelled (const Critical *self, nprof_str label)
{
  const struct nprof_input_info *info;
  for (guint32 i = 0; (info = self->host->input (self->host, i)); i++)
    if (info->label == label)
      return i;
  return -1;
}

static gboolean
is_linked (const Critical *self, guint32 input)
{
  for (guint i = 0; i < self->linked->len; i++)
    if (g_array_index (self->linked, guint32, i) == input)
      return TRUE;
  return FALSE;
}

static void
judge_one (Critical *self, const Breakdown *b, guint32 input, Choice choice, GArray *judged)
{
  Judged j = { .name = g_strdup (b->step),
               .input = input,
               .place = b->device,
               .start = b->start,
               .duration = b->groups.all,
               .groups = b->groups,
               .choice = choice,
               .infeed = b->infeed,
               .no_launches = self->ops.n > 0 };
  cores_judge (self, b->device, &j);
  verdict_find (self, &j, &j.groups, NULL, NULL);
  g_array_append_val (judged, j);
}

static void
judge_device (Critical *self, guint from, guint to, guint32 input, GArray *judged)
{
  g_autoptr (GArray) at = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint cut = 0; cut < 2 && !at->len; cut++)
    for (guint i = from; i < to; i++)
      if (cut || !g_array_index (self->breakdowns, Breakdown, i).cut)
        g_array_append_val (at, i);
  g_autofree gint64 *length = g_new (gint64, at->len + 1);
  g_autofree gboolean *chosen = g_new0 (gboolean, at->len + 1);
  for (guint i = 0; i < at->len; i++)
    length[i]
        = g_array_index (self->breakdowns, Breakdown, g_array_index (at, guint, i)).groups.all;
  const Choice choice = choose_steps (length, chosen, at->len, self->n_steps);
  for (guint i = 0; i < at->len; i++)
    if (chosen[i])
      judge_one (self, &g_array_index (self->breakdowns, Breakdown, g_array_index (at, guint, i)),
                 input, choice, judged);
}

void
whole_judge (Critical *self, GArray *judged)
{
  for (guint from = 0, to; from < self->breakdowns->len; from = to) {
    const Breakdown *b = &g_array_index (self->breakdowns, Breakdown, from);
    for (to = from + 1; to < self->breakdowns->len
                        && g_array_index (self->breakdowns, Breakdown, to).device == b->device
                        && g_array_index (self->breakdowns, Breakdown, to).input == b->input;
         to++)
      ;
    gint64 input = input_labelled (self, b->input);
    if (input >= 0 && !is_linked (self, (guint32) input))
      judge_device (self, from, to, (guint32) input, judged);
  }
}

/* -- Paths ------------------------------------------------------------------------------------- */

Window
judged_window (const Judged *j)
{
  return (Window){ .name = j->name,
                   .input = j->input,
                   .on_device = TRUE,
                   .host_start = j->start,
                   .host_end = j->start + j->duration,
                   .start = j->start,
                   .end = j->start + j->duration,
                   .launched_end = G_MININT64,
                   .shown = TRUE,
                   .ended = TRUE };
}

nprof_status
judged_walk (Critical *self, Judged *j, const Loaded *l)
{
  Path path = path_walk (self, l);
  nprof_status status = self->n_what_if ? write_what_if (self, j, l, &path) : NPROF_OK;
  if (!status && self->path)
    status = write_path (self, j, &path);
  const Groups groups = path_groups (&path, j->duration);
  verdict_add_path (self, j, &groups, &path);
  return status;
}
