/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.c - parts a file into which somebody merged several ranks whose processes have one pid, by
 * the rank that each event says: metadata says which ranks a pid has, before the first row. */
#include "trace-event/trace-event.h"

#define LAUNCH_BITS 40 /* of a correlation; the rank stands above them */
#define MOST_RANKS (1 << 23)

bool
ch_rank_of (const TeScanner *scanner, const TeEvent *event, int64_t *rank)
{
  TeValue value;
  if (!ch_member_of_args (scanner, event, "rank", &value) || value.kind != TE_INT)
    return false;
  *rank = value.i;
  return *rank >= 0 && *rank < MOST_RANKS;
}

ChId
ch_ranked_id (ChNames *names, ChId pid, int64_t rank)
{
  char text[64];
  if (pid.kind != CH_NUMBER)
    return pid;
  const int len
      = g_snprintf (text, sizeof text, "%" G_GINT64_FORMAT " rank %" G_GINT64_FORMAT, pid.v, rank);
  const TeValue value = { .kind = TE_TEXT, .p = text, .len = (size_t) len };
  return (ChId){ ch_name (names, &value), CH_TEXT_ID };
}

ChId
ch_pid (const Chrome *c, ChNames *names, const TeEvent *event)
{
  int64_t rank;
  const ChId pid = ch_id (names, event, TE_PID), none = { 0 };
  if (G_LIKELY (!c->by_rank))
    return pid;
  const ChLabel *process = ch_label_of (c, pid, none);
  if (!process || !process->several || !ch_rank_of (c->scanner, event, &rank))
    return pid;
  const ChId ranked = ch_ranked_id (names, pid, rank);
  return ch_label_of (c, ranked, none) ? ranked : pid; /* metadata says no such rank */
}

uint64_t
ch_launch_of (const Chrome *c, const TeEvent *event, uint64_t correlation)
{
  int64_t rank;
  if (G_LIKELY (!c->by_rank) || !correlation || correlation >> LAUNCH_BITS
      || !ch_rank_of (c->scanner, event, &rank))
    return correlation;
  return correlation | ((uint64_t) rank + 1) << LAUNCH_BITS;
}

static gint
by_number (gconstpointer a, gconstpointer b)
{
  const int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;
  return (x > y) - (x < y);
}

nprof_status
ch_ranks_tell (Chrome *c)
{
  if (!c->by_rank)
    return NPROF_OK;
  g_autoptr (GArray) ranks = g_array_new (FALSE, FALSE, sizeof (int64_t));
  GHashTableIter iter;
  gpointer key;
  g_hash_table_iter_init (&iter, c->labels);
  while (g_hash_table_iter_next (&iter, &key, NULL)) {
    const ChLabel *label = key;
    if (label->whole && label->whole->several)
      g_array_append_val (ranks, label->rank);
  }
  g_array_sort (ranks, by_number);
  g_autoptr (GString) text = g_string_new (NULL);
  for (guint i = 0; i < ranks->len; i++) {
    const int64_t *rank = &g_array_index (ranks, int64_t, i);
    if (i && rank[-1] == rank[0])
      continue;
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i ? ", " : "", *rank);
  }
  return c->host->property (c->host, "merged_ranks", text->str);
}
