/* SPDX-License-Identifier: Apache-2.0 */
/* dict.c - the dictionaries of planes: the meaning of the ids of events and stats.  A large plane
 * is written as several messages that repeat its metadata; they share one dictionary unless one of
 * them gives an id another meaning. */
#include "xplane.h"

/* -- Ids to slots ------------------------------------------------------------- */

static uint64_t
dense_limit (const GArray *entries)
{
  uint64_t roomy = 4 * (uint64_t) entries->len + 64, n = 0;
  for (guint i = 0; i < entries->len; i++) {
    uint64_t id = (uint64_t) g_array_index (entries, XpEntry, i).id;
    if (id < roomy && id >= n)
      n = id + 1;
  }
  return n;
}

static uint64_t
mix_bits (int64_t id)
{
  uint64_t h = (uint64_t) id * UINT64_C (0x9e3779b97f4a7c15);
  return h ^ h >> 32;
}

/* Returns where id is or belongs; the table is never full. */
static XpSparse *
sparse_place (const XpIds *ids, int64_t id)
{
  uint64_t i = mix_bits (id) & ids->sparse_mask;
  while (ids->sparse[i].slot != UINT32_MAX && ids->sparse[i].id != id)
    i = (i + 1) & ids->sparse_mask;
  return &ids->sparse[i];
}

static void
sparse_init (XpIds *ids, guint n_entries)
{
  uint64_t size = 16;
  while (size < 2 * (uint64_t) n_entries)
    size *= 2;
  ids->sparse_mask = size - 1;
  ids->sparse = g_new (XpSparse, size);
  for (uint64_t i = 0; i < size; i++)
    ids->sparse[i].slot = UINT32_MAX;
}

/* `slots` gets the index of each slot's entry, or UINT32_MAX.  The last of equal ids wins. */
XpIds
xp_ids_new (const GArray *entries, GArray *slots)
{
  XpIds ids = { .n_dense = dense_limit (entries) };
  uint32_t none = UINT32_MAX;
  for (uint64_t i = 0; i < ids.n_dense; i++)
    g_array_append_val (slots, none);
  for (uint32_t i = 0; i < entries->len; i++) {
    int64_t id = g_array_index (entries, XpEntry, i).id;
    uint32_t slot = xp_slot (&ids, id);
    if (slot == UINT32_MAX) {
      slot = slots->len;
      g_array_append_val (slots, none);
      if (!ids.sparse)
        sparse_init (&ids, entries->len);
      *sparse_place (&ids, id) = (XpSparse){ id, slot };
    }
    g_array_index (slots, uint32_t, slot) = i;
  }
  ids.n_slots = slots->len;
  return ids;
}

void
xp_ids_clear (XpIds *ids)
{
  g_clear_pointer (&ids->sparse, g_free);
}

uint32_t
xp_ids_sparse (const XpIds *ids, int64_t id)
{
  return ids->sparse ? sparse_place (ids, id)->slot : UINT32_MAX;
}

/* -- A dictionary --------------------------------------------------------------- */

static PbSpan
stat_name (PbSpan body)
{
  PbSpan name = { body.p, body.p };
  PbField f;
  while (body.p < body.end && pb_field (&body.p, body.end, &f))
    if (f.tag == PB_BYTES (2))
      name = f.span;
  return name;
}

static uint8_t
quick_of (const XpStat *stat)
{
  if (!stat->name.p)
    return XP_QUICK_OTHER;
  if (stat->actions == XP_STAT_FLOW)
    return stat->role;
  if (!stat->actions)
    return XP_QUICK_SKIP;
  return stat->actions == XP_STAT_ATTR && (stat->number || stat->type == NPROF_NULL)
             ? XP_QUICK_NUMBER
             : XP_QUICK_OTHER;
}

static void
fill_quick (XpDict *dict)
{
  for (guint id = 0; id < G_N_ELEMENTS (dict->quick); id++) {
    uint32_t slot = xp_slot (&dict->stat_ids, id);
    dict->quick[id] = slot == UINT32_MAX ? XP_QUICK_OTHER : quick_of (&dict->stats[slot]);
    if (dict->quick[id] == XP_QUICK_NUMBER && slot != id)
      dict->quick[id] = XP_QUICK_OTHER;
  }
}

static XpDict *
dict_new (Xplane *x, const GArray *metas, const GArray *stats, bool of_gpu)
{
  XpDict *dict = g_new0 (XpDict, 1);
  g_atomic_ref_count_init (&dict->refs);
  g_autoptr (GArray) slots = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  dict->meta_ids = xp_ids_new (metas, slots);
  dict->metas = g_new0 (XpMeta, MAX (slots->len, 1));
  for (guint i = 0; i < slots->len; i++) {
    uint32_t entry = g_array_index (slots, uint32_t, i);
    if (entry != UINT32_MAX)
      dict->metas[i].body = g_array_index (metas, XpEntry, entry).body;
  }
  g_array_set_size (slots, 0);
  dict->stat_ids = xp_ids_new (stats, slots);
  dict->stats = g_new0 (XpStat, MAX (slots->len, 1));
  for (guint i = 0; i < slots->len; i++) {
    uint32_t entry = g_array_index (slots, uint32_t, i);
    if (entry == UINT32_MAX)
      continue;
    xp_stat_init (x->host, &dict->stats[i], stat_name (g_array_index (stats, XpEntry, entry).body),
                  of_gpu);
    dict->actions |= dict->stats[i].actions;
  }
  fill_quick (dict);
  return dict;
}

void
xp_dict_unref (XpDict *dict)
{
  if (!dict || !g_atomic_ref_count_dec (&dict->refs))
    return;
  xp_ids_clear (&dict->meta_ids);
  xp_ids_clear (&dict->stat_ids);
  g_free (dict->metas);
  g_free (dict->stats);
  g_free (dict);
}

static XpDict *
dict_ref (XpDict *dict)
{
  g_atomic_ref_count_inc (&dict->refs);
  return dict;
}

/* -- The messages of one plane --------------------------------------------------- */

/* Returns all entries of the messages, those of the first message last: they win. */
static GArray *
all_entries (Xplane *x, const XpGroup *group, bool metas)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (XpEntry));
  for (guint i = group->members->len; i-- > 0;) {
    XpPlane *plane = xp_plane (x, g_array_index (group->members, uint32_t, i));
    GArray *own = metas ? plane->metas : plane->stats;
    if (own->len)
      g_array_append_vals (all, own->data, own->len);
  }
  return all;
}

static bool
same_body (PbSpan a, PbSpan b)
{
  return xp_len (a) == xp_len (b) && (a.p == b.p || memcmp (a.p, b.p, xp_len (a)) == 0);
}

/* Returns whether these entries say what the winners say. */
static bool
agrees (const GArray *own, const GArray *all, const XpIds *ids, const GArray *slots)
{
  for (guint i = 0; i < own->len; i++) {
    const XpEntry *entry = &g_array_index (own, XpEntry, i);
    uint32_t winner = g_array_index (slots, uint32_t, xp_slot (ids, entry->id));
    if (!same_body (entry->body, g_array_index (all, XpEntry, winner).body))
      return false;
  }
  return true;
}

static void
mark_agreeing (Xplane *x, const XpGroup *group, const GArray *all, bool metas, bool *agreeing)
{
  g_autoptr (GArray) slots = g_array_new (FALSE, FALSE, sizeof (uint32_t));
  XpIds ids = xp_ids_new (all, slots);
  for (guint i = 0; i < group->members->len; i++) {
    XpPlane *plane = xp_plane (x, g_array_index (group->members, uint32_t, i));
    agreeing[i] = agreeing[i] && agrees (metas ? plane->metas : plane->stats, all, &ids, slots);
  }
  xp_ids_clear (&ids);
}

static XpDict *
own_dict (Xplane *x, const XpPlane *plane, GArray *metas, GArray *stats, bool of_gpu)
{
  guint n_metas = metas->len, n_stats = stats->len;
  g_array_append_vals (metas, plane->metas->data, plane->metas->len);
  g_array_append_vals (stats, plane->stats->data, plane->stats->len);
  XpDict *dict = dict_new (x, metas, stats, of_gpu);
  g_array_set_size (metas, n_metas);
  g_array_set_size (stats, n_stats);
  return dict;
}

static void
group_dicts (Xplane *x, const XpGroup *group)
{
  g_autoptr (GArray) metas = all_entries (x, group, true);
  g_autoptr (GArray) stats = all_entries (x, group, false);
  const bool of_gpu = group->kind == XP_OF_GPU;
  XpDict *common = dict_new (x, metas, stats, of_gpu);
  guint n = group->members->len;
  g_autofree bool *agreeing = g_new (bool, n);
  memset (agreeing, true, n * sizeof *agreeing);
  if (n > 1) {
    mark_agreeing (x, group, metas, true, agreeing);
    mark_agreeing (x, group, stats, false, agreeing);
  }
  for (guint i = 0; i < n; i++) {
    XpPlane *plane = xp_plane (x, g_array_index (group->members, uint32_t, i));
    plane->dict = agreeing[i] ? dict_ref (common) : own_dict (x, plane, metas, stats, of_gpu);
  }
  xp_dict_unref (common);
}

nprof_status
xp_dicts (Xplane *x)
{
  for (guint i = 0; i < x->groups->len; i++)
    group_dicts (x, xp_group (x, i));
  return NPROF_OK;
}
