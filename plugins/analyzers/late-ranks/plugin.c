/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the analyzer late-ranks: which process the others of a job wait for, by NCCL's own
 * logs of all ranks. */
#include "late.h"

NPROF_TABLE (late_ranks, "Ranks that others wait for",
             "the shortest time of a collective is that of the last rank to come.", LATE_RANKS)

static nprof_status
late_open (void *self, const struct nprof_host *host)
{
  Late *l = self;
  l->host = host;
  nprof_window_of (host); /* there is nothing to cut: the logs have lengths, and no rows */
  l->parts = g_array_new (FALSE, FALSE, sizeof (Part));
  l->processes = g_array_new (FALSE, FALSE, sizeof (Process));
  return NPROF_OK;
}

static void
late_close (void *self)
{
  Late *l = self;
  g_clear_pointer (&l->parts, g_array_unref);
  g_clear_pointer (&l->processes, g_array_unref);
}

/* -- Rows of table collective_log -------------------------------------------------------------- */

static gint64
number (const struct nprof_table *table, const struct nprof_cell *row, const char *column)
{
  const struct nprof_cell *c = nprof_find_cell (table, row, column);
  return c && c->type == NPROF_INT64 ? c->v.i : -1;
}

static nprof_str
word (const struct nprof_table *table, const struct nprof_cell *row, const char *column)
{
  const struct nprof_cell *c = nprof_find_cell (table, row, column);
  return c && c->type == NPROF_STRING ? c->v.s : 0;
}

/* Lines of a process stand together. */
static guint32
process_of (Late *l, nprof_str input, nprof_str host, gint64 pid)
{
  for (guint i = l->processes->len; i-- > 0;) {
    const Process *p = &g_array_index (l->processes, Process, i);
    if (p->host == host && p->pid == pid)
      return i;
  }
  const Process new = { .host = host, .pid = pid, .rank = -1, .input = input };
  g_array_append_val (l->processes, new);
  return l->processes->len - 1;
}

static void
take_row (Late *l, const struct nprof_table *table, const struct nprof_cell *row)
{
  const gint64 ps = number (table, row, "duration_ns");
  const Part part = { .communicator = word (table, row, "communicator"),
                      .collective = word (table, row, "collective"),
                      .process = process_of (l, word (table, row, "input"),
                                             word (table, row, "host"), number (table, row, "pid")),
                      .sequence = number (table, row, "sequence"),
                      .rank = number (table, row, "rank"),
                      .n_ranks = number (table, row, "n_ranks"),
                      .bytes = number (table, row, "bytes"),
                      .us = ps < 0 ? -1 : ps / 1000000 };
  Process *p = &g_array_index (l->processes, Process, part.process);
  p->lines++;
  if (part.n_ranks > p->n_ranks) {
    p->n_ranks = part.n_ranks;
    p->rank = part.rank;
  }
  if (part.sequence >= 0 && part.sequence < G_MAXINT64 && part.rank >= 0
      && number (table, row, "peer") < 0)
    g_array_append_val (l->parts, part);
}

static nprof_status
late_table (void *self, const struct nprof_table *table, const struct nprof_cell *cells,
            uint32_t n_rows)
{
  const uint32_t n = nprof_count_columns (table);
  for (uint32_t i = 0; i < n_rows; i++)
    take_row (self, table, cells + (size_t) i * n);
  return NPROF_OK;
}

static nprof_status
late_consume (void *self, const struct nprof_batch *batch)
{
  (void) self, (void) batch;
  return NPROF_OK;
}

static nprof_status
late_choose (void *self, const struct nprof_batch *batch, uint8_t *rows)
{
  (void) self, (void) batch, (void) rows;
  return NPROF_OK;
}

/* -- The table --------------------------------------------------------------------------------- */

static gint
by_caused (gconstpointer a, gconstpointer b)
{
  const Process *x = a, *y = b;
  if (x->caused != y->caused)
    return x->caused > y->caused ? -1 : 1;
  if (x->rank != y->rank)
    return x->rank < y->rank ? -1 : 1;
  return x->pid < y->pid ? -1 : x->pid > y->pid;
}

static nprof_status
write_process (const Late *l, const Process *p)
{
  const bool judged = p->collectives > 0;
  const struct late_ranks_row row = {
    .rank = nprof_int_if (p->rank >= 0, p->rank),
    .host = nprof_some_str (p->host),
    .pid = nprof_int_if (p->pid >= 0, p->pid),
    .collectives = nprof_some_int ((gint64) p->collectives),
    .last = nprof_int_if (judged, (gint64) p->last),
    .caused = nprof_int_if (judged, p->caused * 1000000),
    .waited = nprof_int_if (judged, p->waited * 1000000),
    .lines = nprof_some_int ((gint64) p->lines),
    .numbers = nprof_some_int ((gint64) p->numbers),
    .missing = nprof_some_int ((gint64) p->missing),
    .reason
    = nprof_text_if (!judged, "no collective of it has the lines of all ranks: name the logs "
                              "of all processes of the job"),
  };
  return l->host->row (l->host, &late_ranks_table,
                       late_ranks_cells (nprof_cell_str (p->input), &row).cells);
}

static nprof_status
late_finish (void *self)
{
  Late *l = self;
  nprof_status status = l->host->table (l->host, &late_ranks_table);
  lr_judge (l);
  g_array_sort (l->processes, by_caused);
  for (guint i = 0; i < l->processes->len && !status; i++)
    status = write_process (l, &g_array_index (l->processes, Process, i));
  return status;
}

/* clang-format off */
static const struct nprof_component late = {
  .size = sizeof late,
  .kind = NPROF_ANALYZER,
  .name = "late-ranks",
  .summary = "whom the other ranks of a job wait for, by NCCL's own logs",
  .tables = (const struct nprof_table *const[]) { &late_ranks_table, NULL },
  .flags = NPROF_ANALYZER_NO_LINKS | NPROF_ANALYZER_NO_ROWS,
  .instance_size = sizeof (Late),
  .open = late_open,
  .consume = late_consume,
  .table = late_table,
  .table_wants = (const char *const[]) { "collective_log?", NULL },
  .finish = late_finish,
  .close = late_close,
  .choose = late_choose,
};
/* clang-format on */

NPROF_PLUGIN ("late-ranks", NPROF_VERSION, "Apache-2.0", &late)
