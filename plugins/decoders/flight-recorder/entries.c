/* SPDX-License-Identifier: Apache-2.0 */
/* entries.c - writes each entry of the ring as a row on the track of its group. */
#include "flight.h"

#include <string.h>

#define SECOND G_GINT64_CONSTANT (1000000000)
#define FAR (G_GINT64_CONSTANT (90) * 24 * 3600 * SECOND) /* no ring lasts so long */

static bool
created_of (const PkValue *entry, gint64 *ns)
{
  *ns = pk_int (entry, "time_created_ns", 0);
  return *ns > 0;
}

nprof_status
fr_find_base (Flight *f)
{
  const PkItems *entries = pk_list (&f->root, "entries");
  gint64 least = G_MAXINT64, ns;
  for (guint32 i = 0; i < entries->n; i++)
    if (created_of (&entries->value[i], &ns))
      least = MIN (least, ns);
  if (least == G_MAXINT64)
    return f->host->origin (f->host, NPROF_NO_EPOCH);
  f->base_ns = least - least % SECOND;
  return f->host->origin (f->host, f->base_ns);
}

/* -- One entry ------------------------------------------------------------- */

typedef struct {
  const PkValue *entry;
  const FrGroup *group;
  nprof_str name;      /* as the dump has it, "nccl:all_reduce" */
  const char *called;  /* behind the library's name             */
  bool p2p, completed, estimated;
  gint64 start, duration; /* ps                                 */
} Entry;

static bool
since_base (const Flight *f, gint64 ns, gint64 *ps)
{
  gint64 since;
  return !__builtin_sub_overflow (ns, f->base_ns, &since) && since > -FAR && since < FAR
         && !__builtin_mul_overflow (since, 1000, ps);
}

static bool
text_is (const PkValue *entry, const char *key, const char *text)
{
  const PkValue *value = pk_get (entry, key);
  return value && pk_is (value, text);
}

/* The kernel's own time is known where it is over and was measured; it began before the watchdog
 * noticed that. */
static const char *
put_times (const Flight *f, Entry *e)
{
  gint64 ns;
  if (!created_of (e->entry, &ns))
    return "it has no time_created_ns";
  if (!since_base (f, ns, &e->start))
    return "its times are months from those of the other entries";
  e->duration = -1;
  if (!e->completed || !fr_milliseconds (pk_get (e->entry, "duration_ms"), &e->duration))
    return NULL;
  const gint64 noticed = pk_int (e->entry, "time_discovered_started_ns", 0);
  if (e->duration / 1000 >= FAR)
    return "its duration_ms is of months";
  e->estimated = noticed > ns && since_base (f, noticed, &e->start);
  return NULL;
}

static const char *
behind_library (const char *name)
{
  const char *colon = strchr (name, ':');
  return colon ? colon + 1 : name;
}

/* Returns the rank behind the arrow of "send 1->2" and "recv 3<-0"; -1: none is named. */
static gint64
peer_of (const char *called)
{
  const char *arrow = strpbrk (called, "<>");
  while (arrow && *arrow && !g_ascii_isdigit (*arrow))
    arrow++;
  return arrow && *arrow ? g_ascii_strtoll (arrow, NULL, 10) : -1;
}

static nprof_status
add_str (const Flight *f, guint key, nprof_str value)
{
  return value && f->want[key] ? nprof_attr_str (f->w, f->key[key], value) : NPROF_OK;
}

/* Below 0 is unknown. */
static nprof_status
add_int (const Flight *f, guint key, gint64 value)
{
  return value >= 0 && f->want[key] ? nprof_attr_int (f->w, f->key[key], value) : NPROF_OK;
}

static nprof_status
add_bool (const Flight *f, guint key, bool value)
{
  return value && f->want[key]
             ? nprof_attr (f->w, f->key[key], NPROF_BOOL, (nprof_value){ .u = 1 })
             : NPROF_OK;
}

static nprof_status
add_group (const Flight *f, const Entry *e)
{
  const char *id = e->p2p ? "p2p_seq_id" : "collective_seq_id";
  const gint64 number = pk_int (e->entry, id, pk_int (e->entry, "seq_id", -1)); /* 1.0's own */
  const size_t word = strcspn (e->called, " ");
  nprof_status status
      = add_str (f, FR_COLLECTIVE, f->host->intern (f->host, e->called, word));
  if (!status)
    status = add_str (f, FR_GROUP, e->group->name);
  if (!status)
    status = add_str (f, FR_LABEL, e->group->label);
  if (!status)
    status = add_str (f, FR_RANKS, e->group->ranks);
  if (!status && e->group->size)
    status = add_int (f, FR_SIZE, e->group->size);
  return status ? status : add_int (f, FR_SEQUENCE, number);
}

static nprof_status
add_tensors (const Flight *f, const Entry *e)
{
  nprof_status status = add_int (f, FR_IN, fr_elements (pk_get (e->entry, "input_sizes")));
  if (!status)
    status = add_int (f, FR_OUT, fr_elements (pk_get (e->entry, "output_sizes")));
  if (!status && f->want[FR_DTYPE])
    status = add_str (f, FR_DTYPE, fr_dtype (f, e->entry));
  if (!status && f->want[FR_SHAPE])
    status = add_str (f, FR_SHAPE, fr_shape (f, e->entry));
  return status ? status : add_int (f, FR_PEER, e->p2p ? peer_of (e->called) : -1);
}

static nprof_status
add_state (const Flight *f, const Entry *e)
{
  nprof_status status = add_str (f, FR_STATE, fr_text (f, pk_get (e->entry, "state")));
  if (!status)
    status = add_bool (f, FR_P2P, e->p2p);
  if (!status)
    status = add_int (f, FR_TIMEOUT, pk_int (e->entry, "timeout_ms", -1));
  return status ? status : add_bool (f, FR_ESTIMATED, e->estimated);
}

static nprof_status
add_source (const Flight *f, const Entry *e)
{
  nprof_str source;
  if (!f->want[FR_SOURCE] && !f->want[FR_STACK])
    return NPROF_OK;
  const nprof_str stack = fr_stack (f, e->entry, &source);
  nprof_status status = add_str (f, FR_SOURCE, source);
  return status ? status : add_str (f, FR_STACK, stack);
}

static nprof_status
put_entry (Flight *f, const Entry *e)
{
  const gint64 id = pk_int (e->entry, "record_id", -1);
  nprof_status status = nprof_span (f->w, e->group->track, e->name, e->start, e->duration);
  if (status)
    return status;
  nprof_set_category (f->w, f->category);
  if (id >= 0 && id < G_MAXINT64)
    nprof_set_id (f->w, (guint64) id + 1);
  status = add_group (f, e);
  if (!status)
    status = add_tensors (f, e);
  if (!status)
    status = add_state (f, e);
  return status ? status : add_source (f, e);
}

static nprof_status
take_entry (Flight *f, const PkValue *entry)
{
  Entry e = { .entry = entry };
  if (entry->type != PK_DICT) {
    f->host->skip (f->host, "entry", 0, "it is no dict");
    return NPROF_OK;
  }
  const PkValue *p2p = pk_get (entry, "is_p2p");
  e.p2p = p2p && p2p->type == PK_BOOL && p2p->i;
  e.completed = text_is (entry, "state", "completed");
  const char *why = put_times (f, &e);
  if (why) {
    f->host->skip (f->host, "entry", 0, why);
    return NPROF_OK;
  }
  e.name = fr_text (f, pk_get (entry, "profiling_name"));
  if (!e.name)
    e.name = nprof_intern (f->host, "collective without a name");
  e.called = behind_library (nprof_text (f->host, e.name));
  e.group = fr_group_of (f, entry);
  return e.group ? put_entry (f, &e) : nprof_fail (f->host, NPROF_E_NOMEM, "no memory for a track");
}

nprof_status
fr_entries (Flight *f)
{
  const PkItems *entries = pk_list (&f->root, "entries");
  nprof_status status = NPROF_OK;
  for (guint32 i = 0; i < entries->n && !status; i++)
    status = take_entry (f, &entries->value[i]);
  return status;
}
