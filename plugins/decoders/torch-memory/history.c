/* SPDX-License-Identifier: Apache-2.0 */
/* history.c - finds what a device allocated and freed, and when.  The segments say what was in use
 * at the end; walking back over the history gives what was in use before it, and so the totals at
 * each entry.  They are left out when the history does not lead to the segments. */

#include "snapshot.h"

#include <string.h>

typedef enum {
  OTHER,
  ALLOC,
  FREE_REQUESTED,
  FREE_COMPLETED,
  SEGMENT_GROWS,
  SEGMENT_SHRINKS
} Action;

static const struct {
  const char *name;
  Action action;
} actions[] = {
  { "alloc", ALLOC },
  { "free_requested", FREE_REQUESTED },
  { "free_completed", FREE_COMPLETED },
  { "segment_alloc", SEGMENT_GROWS },
  { "segment_map", SEGMENT_GROWS },
  { "segment_free", SEGMENT_SHRINKS },
  { "segment_unmap", SEGMENT_SHRINKS },
};

typedef struct {
  Snapshot *s;
  const DeviceState *state;
  nprof_track device, thread, allocated_track, reserved_track;
  nprof_str memory, allocated_name, reserved_name;
  nprof_set bytes;                        /* the counters' unit */
  bool totals;                            /* are known                                    */
  gint64 allocated, reserved;             /* bytes in use; of the history alone at first */
  guint64 rounded;                        /* the same as allocated, by tm_rounded */
  gint64 least_allocated, least_reserved; /* of the history alone */
} History;

static Action
action_of (const PkValue *entry)
{
  const PkValue *name = pk_get (entry, "action");
  for (guint i = 0; name && i < G_N_ELEMENTS (actions); i++)
    if (pk_is (name, actions[i].name))
      return actions[i].action;
  return OTHER;
}

/* Returns the sign with which the entry changes the bytes in use, or those reserved. */
static gint64
sign_of (Action action)
{
  return action == ALLOC || action == SEGMENT_GROWS ? 1 : -1;
}

static gboolean
is_use (Action action)
{
  return action == ALLOC || action == FREE_REQUESTED;
}

static gboolean
is_segment (Action action)
{
  return action == SEGMENT_GROWS || action == SEGMENT_SHRINKS;
}

/* -- Times ----------------------------------------------------------------- */

static nprof_status
look_at_times (Snapshot *s, const PkItems *entries, const char *where, gint64 *first,
               guint64 *without)
{
  for (guint32 i = 0; i < entries->n; i++) {
    const PkValue *entry = &entries->value[i];
    if (entry->type != PK_DICT)
      return tm_damaged (s, "%s[%u] is no entry", where, i);
    gint64 time = pk_int (entry, "time_us", -1);
    if (time < 0)
      ++*without;
    else
      *first = MIN (*first, time);
  }
  return NPROF_OK;
}

nprof_status
tm_find_base (Snapshot *s)
{
  gint64 first = G_MAXINT64;
  guint64 without = 0;
  const PkItems *traces = pk_list (&s->root, "device_traces"),
                *marks = pk_list (&s->root, "external_annotations");
  nprof_status status
      = marks ? look_at_times (s, marks, "external_annotations", &first, &without) : NPROF_OK;
  for (guint32 d = 0; traces && d < traces->n && !status; d++) {
    g_autofree char *where = g_strdup_printf ("device_traces[%u]", d);
    if (traces->value[d].type != PK_LIST || traces->value[d].items->walked)
      return tm_damaged (s, "%s is no list of its own", where);
    traces->value[d].items->walked = traces->value[d].items->n > 0;
    status = look_at_times (s, traces->value[d].items, where, &first, &without);
  }
  s->timed = first != G_MAXINT64;
  if (!status && s->timed && without)
    return tm_damaged (s, "%" G_GUINT64_FORMAT " entries have no time_us, but others have",
                       without);
  if (!s->timed && without)
    nprof_log (
        s->host, NPROF_WARNING,
        "its entries have no time_us (it was written by an old PyTorch): they stand 1 us apart in "
        "their order, so only the order means something");
  s->base_us = s->timed ? first / G_USEC_PER_SEC * G_USEC_PER_SEC : 0;
  if (!status && s->timed && s->base_us <= G_MAXINT64 / 1000)
    status = s->host->origin (s->host, s->base_us * 1000);
  return status;
}

gint64
tm_time (const Snapshot *s, const PkValue *entry, guint32 number)
{
  gint64 us = s->timed ? pk_int (entry, "time_us", 0) - s->base_us : number;
  return us > G_MAXINT64 / 1000000 ? G_MAXINT64 : us * 1000000;
}

/* -- Totals ---------------------------------------------------------------- */

static gboolean
sound (Snapshot *s, guint32 device, guint32 i, const PkValue *entry, nprof_status *status)
{
  gint64 size = pk_int (entry, "size", 0);
  const PkValue *action = pk_get (entry, "action");
  *status = NPROF_OK;
  if (!action || action->type != PK_TEXT || size < 0)
    *status = tm_damaged (s, "device_traces[%u][%u]: expected are action and a size of 0 or more",
                          device, i);
  else if (s->timed && tm_time (s, entry, i) == G_MAXINT64)
    *status = tm_damaged (s, "device_traces[%u][%u]: time_us is more than 106 days after the first",
                          device, i);
  return *status == NPROF_OK;
}

static void
take_rounded (History *h, Action action, gint64 size)
{
  const guint64 rounded = (guint64) tm_rounded (size);
  if (is_use (action))
    h->rounded += action == ALLOC ? rounded : -rounded;
}

/* Sums the changes of all entries; those that they leave in use stay in `live`. */
static nprof_status
sum_up (History *h, const PkItems *entries, GHashTable *live)
{
  nprof_status status = NPROF_OK;
  for (guint32 i = 0; i < entries->n; i++) {
    const PkValue *entry = &entries->value[i];
    if (!sound (h->s, h->state->device, i, entry, &status))
      return status;
    Action action = action_of (entry);
    gint64 size = pk_int (entry, "size", 0), address = pk_int (entry, "addr", 0);
    gint64 *total = is_use (action) ? &h->allocated : is_segment (action) ? &h->reserved : NULL;
    if (total && __builtin_add_overflow (*total, sign_of (action) * size, total))
      return tm_damaged (h->s, "device_traces[%u][%u]: sizes add up to more than 2^63",
                         h->state->device, i);
    take_rounded (h, action, size);
    h->least_allocated = MIN (h->least_allocated, h->allocated);
    h->least_reserved = MIN (h->least_reserved, h->reserved);
    if (action == ALLOC) {
      gint64 *pair = g_new (gint64, 2);
      pair[0] = address;
      pair[1] = size;
      g_hash_table_replace (live, pair, pair + 1);
    } else if (action == FREE_REQUESTED)
      g_hash_table_remove (live, &address);
  }
  return status;
}

/* Returns whether each allocation that was not freed stands in a segment, with its size. */
static gboolean
leads_to_segments (const History *h, GHashTable *live)
{
  GHashTableIter iter;
  gpointer address, size;
  g_hash_table_iter_init (&iter, live);
  while (g_hash_table_iter_next (&iter, &address, &size)) {
    const TmBlock *there = g_hash_table_lookup (h->state->blocks, address);
    if (!there || there->requested != *(gint64 *) size)
      return FALSE;
  }
  return TRUE;
}

/* Returns what the allocations of the history that are not freed take beyond their rounded size:
 * before the history these blocks were not there. */
static guint64
left_over (const History *h, GHashTable *live)
{
  guint64 sum = 0;
  GHashTableIter iter;
  gpointer address, size;
  g_hash_table_iter_init (&iter, live);
  while (g_hash_table_iter_next (&iter, &address, &size)) {
    const TmBlock *there = g_hash_table_lookup (h->state->blocks, address);
    sum += (guint64) there->size - (guint64) tm_rounded (there->requested);
  }
  return sum;
}

/* Finds what was there before the history: the end less what the history adds, and never below what
 * the history frees of it. */
static gboolean
find_before (gint64 end, gint64 least, gint64 *total)
{
  gint64 before;
  if (__builtin_sub_overflow (end, *total, &before) || before < -least)
    return FALSE;
  *total = before;
  return TRUE;
}

static nprof_status
find_totals (History *h, const PkItems *entries)
{
  g_autoptr (GHashTable) live = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  nprof_status status = sum_up (h, entries, live);
  if (status)
    return status;
  h->totals = leads_to_segments (h, live)
              && find_before (h->state->requested, h->least_allocated, &h->allocated)
              && find_before (h->state->reserved, h->least_reserved, &h->reserved);
  if (h->totals)
    h->rounded = h->state->taken - left_over (h, live) - h->rounded;
  else
    nprof_log (
        h->s->host, NPROF_WARNING,
        "device %u: its history does not lead to its segments (entries are missing at the end), so "
        "how much was in use is not known",
        h->state->device);
  return NPROF_OK;
}

/* -- Rows ------------------------------------------------------------------ */

static nprof_status
put_counters (const History *h, gint64 at)
{
  struct nprof_writer *w = h->s->w;
  nprof_status status = NPROF_OK;
  if (h->totals)
    status = nprof_counter_in (w, h->allocated_track, h->allocated_name, h->bytes, at,
                               (double) h->allocated);
  return status || !h->totals ? status
                              : nprof_counter_in (w, h->reserved_track, h->reserved_name, h->bytes,
                                                  at, (double) h->reserved);
}

/* Puts args as Kineto writes them, so that the analyzer memory knows them. source:
 * output_json.cpp */
static nprof_status
put_args (const History *h, const PkValue *entry, gint64 bytes, guint32 number)
{
  g_autoptr (GString) json = g_string_new (NULL);
  if (!h->s->want_args)
    return NPROF_OK;
  g_string_printf (json,
                   "{\"Bytes\":%" G_GINT64_FORMAT ",\"Addr\":%" G_GUINT64_FORMAT
                   ",\"Device Type\":1,\"Device Id\":%u,\"Ev Idx\":%u",
                   bytes, (guint64) pk_int (entry, "addr", 0), h->state->device, number);
  if (h->totals)
    g_string_append_printf (json,
                            ",\"Total Allocated\":%" G_GINT64_FORMAT
                            ",\"Total Reserved\":%" G_GINT64_FORMAT
                            ",\"Total Rounded\":%" G_GUINT64_FORMAT,
                            h->allocated, h->reserved, h->rounded);
  g_string_append_c (json, '}');
  return nprof_attr_bytes (h->s->w, h->s->key_args, NPROF_JSON, json->str, (uint32_t) json->len);
}

/* An allocation failed: what was asked for, what the device had left, and what was held. */
static nprof_status
put_failure (const History *h, const PkValue *entry)
{
  g_autoptr (GString) json = g_string_new (NULL);
  if (!h->s->want_args)
    return NPROF_OK;
  g_string_printf (json, "{\"Bytes\":%" G_GINT64_FORMAT ",\"Device Id\":%u",
                   pk_int (entry, "size", 0), h->state->device);
  if (pk_get (entry, "device_free"))
    g_string_append_printf (json, ",\"Device Free\":%" G_GINT64_FORMAT,
                            pk_int (entry, "device_free", 0));
  if (h->totals)
    g_string_append_printf (json,
                            ",\"Total Allocated\":%" G_GINT64_FORMAT
                            ",\"Total Reserved\":%" G_GINT64_FORMAT,
                            h->allocated, h->reserved);
  g_string_append_c (json, '}');
  return nprof_attr_bytes (h->s->w, h->s->key_args, NPROF_JSON, json->str, (uint32_t) json->len);
}

static nprof_status
put_details (const History *h, const PkValue *entry, gint64 bytes)
{
  Snapshot *s = h->s;
  const PkValue *stream = pk_get (entry, "stream");
  nprof_status status = nprof_attr_int (s->w, s->key_bytes, bytes);
  if (!status && pk_get (entry, "addr"))
    status = nprof_attr_uint (s->w, s->key_address, (guint64) pk_int (entry, "addr", 0));
  if (!status && stream && stream->type == PK_INT)
    status = nprof_attr_int (s->w, s->key_stream, stream->i);
  Stack stack = { 0, 0 };
  if (!status)
    status = tm_stack (s, entry, &stack);
  if (!status && stack.source)
    status = nprof_attr_str (s->w, s->key_source, stack.source);
  return status || !stack.stack ? status : nprof_attr_str (s->w, s->key_stack, stack.stack);
}

static nprof_status
put_entry (History *h, const PkValue *entry, guint32 i)
{
  Snapshot *s = h->s;
  Action action = action_of (entry);
  const PkValue *name = pk_get (entry, "action");
  gint64 at = tm_time (s, entry, i), bytes = pk_int (entry, "size", 0);
  nprof_str text = is_use (action) ? h->memory : s->host->intern (s->host, name->text, name->len);
  if (action != OTHER && action != ALLOC && action != SEGMENT_GROWS)
    bytes = -bytes;
  take_rounded (h, action, ABS (bytes));
  if (is_use (action))
    h->allocated = (gint64) ((guint64) h->allocated + (guint64) bytes);
  else if (is_segment (action))
    h->reserved = (gint64) ((guint64) h->reserved + (guint64) bytes);
  nprof_status status = nprof_instant (s->w, h->thread, text, at);
  if (!status && is_use (action))
    status = put_args (h, entry, bytes, i);
  if (!status && pk_is (name, "oom"))
    status = put_failure (h, entry);
  if (!status)
    status = put_details (h, entry, bytes);
  return status || !(is_use (action) || is_segment (action)) ? status : put_counters (h, at);
}

static void
make_tracks (History *h)
{
  const struct nprof_host *host = h->s->host;
  h->device = tm_device_track (h->s, h->state->device);
  h->memory = nprof_intern (host, "[memory]");
  h->allocated_name = nprof_intern (host, "allocated");
  h->reserved_name = nprof_intern (host, "reserved");
  h->bytes = nprof_unit (host, "byte");
  h->thread
      = host->track (host, h->device, NPROF_TRACK_THREAD, nprof_intern (host, "allocator"), 0, 0);
  h->allocated_track = host->track (host, h->device, NPROF_TRACK_COUNTER, h->allocated_name, 0, 1);
  h->reserved_track = host->track (host, h->device, NPROF_TRACK_COUNTER, h->reserved_name, 0, 2);
}

nprof_status
tm_history (Snapshot *s, PkItems *entries, const DeviceState *state)
{
  History h = { .s = s, .state = state };
  make_tracks (&h);
  if (!h.device || !h.thread || !h.allocated_track || !h.reserved_track)
    return nprof_fail (s->host, NPROF_E_NOMEM, "no memory for the tracks");
  nprof_status status = find_totals (&h, entries);
  if (!status && entries->n)
    status = put_counters (&h, tm_time (s, &entries->value[0], 0));
  for (guint32 i = 0; i < entries->n && !status; i++) {
    status = put_entry (&h, &entries->value[i], i);
    if (!status && i % 65536 == 65535)
      status = s->host->cancelled (s->host) ? NPROF_CANCELLED : NPROF_OK;
  }
  return status;
}
