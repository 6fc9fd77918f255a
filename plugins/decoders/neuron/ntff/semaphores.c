/* SPDX-License-Identifier: Apache-2.0 */
/* semaphores.c - writes updates of semaphores and events: an instant each, and an arrow from a set
 * to the wait that took it, where the values prove which is which. */
#include "ntff.h"

#define MOST_SETS 64u

typedef struct {
  uint64_t time, at;
  nprof_track track;
} Set;

typedef struct {
  uint32_t core;
  uint32_t value;
  bool seen;
  uint64_t unseen; /* sets that are not in the file, and come first */
  GArray *sets;    /* of Set: that nobody has waited for yet        */
  nprof_str name;
} Semaphore;

static void
semaphore_free (gpointer p)
{
  Semaphore *s = p;
  g_array_unref (s->sets);
  g_free (s);
}

/* Finds the semaphore of a record. format: ntff.md, EVT_SEM: id:8, is_sem:1, double:1, unused:6,
 * mode:8 | value:32 */
static Semaphore *
semaphore_of (Ntff *n, uint32_t core, uint32_t meta)
{
  gpointer key = GUINT_TO_POINTER ((core << 9 | (meta & 0x1ff)) + 1);
  if (!n->semaphores)
    n->semaphores = g_hash_table_new_full (NULL, NULL, NULL, semaphore_free);
  Semaphore *s = g_hash_table_lookup (n->semaphores, key);
  if (s)
    return s;
  char text[32];
  g_snprintf (text, sizeof text, "%s %u", meta & 0x100 ? "semaphore" : "event", meta & 0xff);
  s = g_new0 (Semaphore, 1);
  s->core = core;
  s->sets = g_array_new (FALSE, FALSE, sizeof (Set));
  s->name = nprof_intern (n->host, text);
  g_hash_table_insert (n->semaphores, key, s);
  return s;
}

/* -- Arrows ----------------------------------------------------------------------------------- */

static uint64_t
flow_id (const Ntff *n, uint64_t at)
{
  uint64_t h = (at + 1) * UINT64_C (0x9e3779b97f4a7c15) ^ (uint64_t) n->input << 32;
  h = (h ^ h >> 32) * UINT64_C (0xd6e8feb86659fd93);
  return h ? h : 1;
}

static nprof_status
flow_row (Ntff *n, const Semaphore *s, nprof_str family, const Set *set, uint64_t id,
          nprof_str phase)
{
  nprof_status status
      = nprof_row (n->w, NPROF_FLOW, set->track, s->name, ntff_when (n, set->time), 0);
  if (status)
    return status;
  n->rows++;
  nprof_set_category (n->w, family);
  nprof_set_flow (n->w, id);
  return nprof_attr_str (n->w, n->key_phase, phase);
}

static void
count_set (Ntff *n, const Set *set)
{
  n->host->skip (n->host, "flow of a semaphore set", set->at,
                 "no wait that matches it is in the file");
}

static void
set (Ntff *n, Semaphore *s, const Set *update)
{
  if (s->sets->len == MOST_SETS) {
    count_set (n, &g_array_index (s->sets, Set, 0));
    g_array_remove_index (s->sets, 0);
  }
  g_array_append_val (s->sets, *update);
}

static nprof_status
take_wait (Ntff *n, Semaphore *s, nprof_str family, const Set *update)
{
  if (s->unseen || s->sets->len == 0) {
    s->unseen -= s->unseen > 0;
    n->host->skip (n->host, "flow of a semaphore wait", update->at, "its set is not in the file");
    return NPROF_OK;
  }
  Set from = g_array_index (s->sets, Set, 0);
  g_array_remove_index (s->sets, 0);
  if (from.track == update->track) {
    n->host->skip (n->host, "flow of a semaphore wait", update->at, "the same engine set it");
    return NPROF_OK;
  }
  uint64_t id = flow_id (n, from.at);
  nprof_status status = flow_row (n, s, family, &from, id, n->phase_begin);
  return status ? status : flow_row (n, s, family, update, id, n->phase_end);
}

/* Follows the values.  The modes of updates are not known, but a step of one up is a set, and one
 * down a wait; semaphores begin at 0.  Anything else breaks the chain. */
static nprof_status
follow_value (Ntff *n, Semaphore *s, nprof_str family, uint32_t value, const Set *update)
{
  uint32_t before = s->seen ? s->value : 0;
  bool first = !s->seen;
  s->seen = true;
  s->value = value;
  if (value == before + 1 && value) {
    set (n, s, update);
    return NPROF_OK;
  }
  if (first ? value == 0 : before && value == before - 1)
    return take_wait (n, s, family, update);
  for (guint i = 0; i < s->sets->len; i++)
    count_set (n, &g_array_index (s->sets, Set, i));
  g_array_set_size (s->sets, 0);
  s->unseen = value;
  n->host->skip (n->host, "flow of a semaphore update", update->at,
                 "its value is not a step of one, so set or wait is not known");
  return NPROF_OK;
}

nprof_status
ntff_semaphore (Ntff *n, uint32_t core, nprof_track track, const NtffRecord *r, uint64_t at)
{
  Semaphore *s = semaphore_of (n, core, r->meta);
  nprof_str family = r->meta & 0x100 ? n->category_semaphore : n->category_event;
  nprof_status status = nprof_instant (n->w, track, s->name, ntff_when (n, r->time));
  if (status)
    return status;
  n->rows++;
  nprof_set_category (n->w, family);
  nprof_set_value (n->w, r->meta2);
  status = ntff_attr (n, NTFF_KEY_MODE, r->meta >> 16 & 0xff);
  if (!status && r->meta >> 9 & 1)
    status = ntff_attr (n, NTFF_KEY_DOUBLE, 1);
  return status ? status : follow_value (n, s, family, r->meta2, &(Set){ r->time, at, track });
}

void
ntff_semaphores_finish (Ntff *n)
{
  GHashTableIter iter;
  gpointer value;
  if (!n->semaphores)
    return;
  g_hash_table_iter_init (&iter, n->semaphores);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    const Semaphore *s = value;
    for (guint i = 0; i < s->sets->len; i++)
      count_set (n, &g_array_index (s->sets, Set, i));
  }
}
