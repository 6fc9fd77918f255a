/* SPDX-License-Identifier: Apache-2.0 */
/* tracks.c - finds tracks by what events say of them, learns what descriptors say, and makes the
 * tracks of rows.  A track is its uuid, never pid and tid, which writers give to several. */
#include "perfetto.h"

#include "producers/rebellions.h"

#include <nprof/draft/lines.h>

enum { /* fields of TrackDescriptor */
       TRACK_UUID = 1,
       TRACK_NAME = 2,
       TRACK_PROCESS = 3,
       TRACK_THREAD = 4,
       TRACK_PARENT = 5,
       TRACK_COUNTER = 8,
       TRACK_STATIC_NAME = 10,
       TRACK_ORDERING = 11, /* 3: by rank */
       TRACK_RANK = 12,
       TRACK_ATRACE_NAME = 13
};

/* -- Finding ----------------------------------------------------------------------------------- */

guint
pf_key_hash (gconstpointer p)
{
  const PfKey *k = p;
  guint64 h = (k->a ^ k->b * G_GUINT64_CONSTANT (0xa0761d6478bd642f) ^ (guint64) k->space << 56)
              * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return (guint) (h >> 32);
}

gboolean
pf_key_equal (gconstpointer pa, gconstpointer pb)
{
  const PfKey *a = pa, *b = pb;
  return a->a == b->a && a->b == b->b && a->space == b->space;
}

PfTrack *
pf_track (const Perfetto *pf, guint32 place)
{
  return g_ptr_array_index (pf->tracks, place);
}

guint32
pf_find_track (const Perfetto *pf, const PfKey *key)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (pf->by_key, key)) - 1;
}

guint32
pf_add_track (Perfetto *pf, const PfKey *key)
{
  const guint32 found = pf_find_track (pf, key);
  if (found != PF_NONE)
    return found;
  PfTrack *track = g_new0 (PfTrack, 1);
  track->key = *key;
  track->order = pf->tracks->len;
  track->process = PF_NONE;
  g_ptr_array_add (pf->tracks, track);
  g_hash_table_insert (pf->by_key, &track->key, GUINT_TO_POINTER (pf->tracks->len));
  return pf->tracks->len - 1;
}

/* -- Descriptors ------------------------------------------------------------------------------- */

PfThread
pf_thread (PbSpan body)
{
  PfThread thread = { .known = true };
  thread.pid = (gint32) pf_number (body, 1, 0);
  thread.tid = (gint64) pf_number (body, 2, 0);
  /* what overflows here is no time, and found to be far from all others */
  thread.now = (gint64) (pf_number (body, 6, 0) * 1000);
  thread.time = (gint64) (pf_number (body, 7, 0) * 1000);
  thread.instructions = (gint64) pf_number (body, 8, 0);
  return thread;
}

static nprof_str
text_in (const Perfetto *pf, PbSpan body, guint32 field)
{
  const PbSpan text = pf_bytes (body, field);
  return text.p ? pf_text (pf->host, text) : 0;
}

static void
describe_process (Perfetto *pf, PfTrack *t, guint32 place, PbSpan body)
{
  const nprof_str name = text_in (pf, body, 6);
  t->is_process = true;
  t->pid = (gint32) pf_number (body, 1, 0);
  if (name)
    t->process_name = name;
  else if (!t->process_name)
    t->process_name = text_in (pf, body, 2); /* its command */
  g_hash_table_insert (pf->processes, g_memdup2 (&t->pid, sizeof t->pid),
                       GUINT_TO_POINTER (place + 1));
}

static void
describe_thread (Perfetto *pf, PfTrack *t, PbSpan body)
{
  const nprof_str name = text_in (pf, body, 5);
  t->is_thread = true;
  t->pid = (gint32) pf_number (body, 1, 0);
  t->tid = (gint64) pf_number (body, 2, 0);
  if (name)
    t->thread_name = name;
}

static void
describe_counter (Perfetto *pf, PfTrack *t, PbSpan body)
{
  static const char *const units[] = { NULL, "ns", "count", "byte" };
  static const char *const types[] = { NULL, "thread_time", "instruction_count" };
  const guint64 unit = pf_number (body, 3, 0), type = pf_number (body, 1, 0);
  nprof_str name = text_in (pf, body, 6);
  t->is_counter = true;
  t->multiplier = (gint64) pf_number (body, 4, 0);
  t->is_incremental = pf_number (body, 5, 0);
  if (!name && unit && unit < G_N_ELEMENTS (units))
    name = nprof_intern (pf->host, unit == 2 ? "1" : units[unit]);
  if (!name && type && type < G_N_ELEMENTS (types))
    name = nprof_intern (pf->host, type == 1 ? "ns" : "1");
  t->unit = name ? name : t->unit;
  if (!t->name && type && type < G_N_ELEMENTS (types))
    t->name = nprof_intern (pf->host, types[type]);
}

void
pf_describe_track (PfWalk *w, const PfPacket *packet)
{
  Perfetto *pf = w->pf;
  const PbSpan body = packet->body;
  bool has_uuid = false;
  PbField f;
  for (PbSpan rest = body; rest.p < rest.end && pb_field (&rest.p, rest.end, &f);)
    has_uuid |= f.tag == PB_VARINT (TRACK_UUID);
  if (!has_uuid) {
    w->host->skip (w->host, "track_descriptor", pf_byte (pf, packet->place), "it has no uuid");
    return;
  }
  const PfKey key = { .a = pf_number (body, TRACK_UUID, 0), .space = PF_UUID };
  const guint32 place = pf_add_track (pf, &key);
  PfTrack *t = pf_track (pf, place);
  static const guint32 names[] = { TRACK_NAME, TRACK_STATIC_NAME, TRACK_ATRACE_NAME };
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    const nprof_str name = text_in (pf, body, names[i]);
    t->name = name ? name : t->name; /* the last holds, but the first parent */
  }
  t->described = true;
  t->parent = t->parent ? t->parent : pf_number (body, TRACK_PARENT, 0);
  t->rank = (gint32) pf_number (body, TRACK_RANK, (guint64) t->rank);
  t->by_rank |= pf_number (body, TRACK_ORDERING, 0) == 3;
  const PbSpan process = pf_bytes (body, TRACK_PROCESS), thread = pf_bytes (body, TRACK_THREAD),
               counter = pf_bytes (body, TRACK_COUNTER);
  if (process.p)
    describe_process (pf, t, place, process);
  if (thread.p)
    describe_thread (pf, t, thread);
  if (counter.p)
    describe_counter (pf, t, counter);
}

void
pf_process_tree (Perfetto *pf, PbSpan tree)
{
  PbField f;
  while (tree.p < tree.end && pb_field (&tree.p, tree.end, &f)) {
    const bool process = f.tag == PB_BYTES (1), thread = f.tag == PB_BYTES (2);
    if (!process && !thread)
      continue;
    const gint64 id = (gint64) pf_number (f.span, 1, 0);
    const nprof_str name = text_in (pf, f.span, process ? 3 : 2);
    if (name)
      g_hash_table_insert (process ? pf->pids : pf->tids, g_memdup2 (&id, sizeof id),
                           GUINT_TO_POINTER (name));
  }
}

/* -- Labels ------------------------------------------------------------------------------------ */

static nprof_str
number_text (const struct nprof_host *host, const char *before, gint64 number)
{
  g_autofree char *text = g_strdup_printf ("%s%" G_GINT64_FORMAT, before, number);
  return nprof_intern (host, text);
}

static nprof_str
uuid_text (const struct nprof_host *host, guint64 uuid)
{
  g_autofree char *text = g_strdup_printf ("%" G_GUINT64_FORMAT, uuid);
  return nprof_intern (host, text);
}

static nprof_str
known (GHashTable *names, gint64 id)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (names, &id));
}

/* Returns "python 4242": processes of one name are told apart by their pid. */
static nprof_str
process_label (const Perfetto *pf, const PfTrack *t)
{
  nprof_str name = t->process_name ? t->process_name : t->name;
  if (!name)
    name = known (pf->pids, t->pid);
  if (!name)
    return number_text (pf->host, "process ", t->pid);
  const char *text = nprof_text (pf->host, name), *slash = strrchr (text, '/');
  g_autofree char *base = g_strdup_printf ("%s ", slash && slash[1] ? slash + 1 : text);
  return number_text (pf->host, base, t->pid);
}

const char *
pf_track_name (const Perfetto *pf, const PfTrack *t)
{
  const nprof_str name = t->thread_name ? t->thread_name : t->name;
  return name ? nprof_text (pf->host, name) : "";
}

static nprof_str
thread_label (const Perfetto *pf, const PfTrack *t)
{
  nprof_str name = t->thread_name ? t->thread_name : t->name;
  if (!name)
    name = known (pf->tids, t->tid);
  return name ? name : number_text (pf->host, "thread ", t->tid);
}

static nprof_str
plain_label (const Perfetto *pf, const PfTrack *t)
{
  if (!t->name)
    return number_text (pf->host, "track ", (gint64) t->key.a);
  g_autofree char *text = g_strstrip (g_strdup (nprof_text (pf->host, t->name)));
  return nprof_intern (pf->host, text);
}

/* Reads "GPU 3"; -1: it is something else. */
static gint64
gpu_number (const Perfetto *pf, nprof_str name)
{
  const char *text = name ? nprof_text (pf->host, name) : "";
  if (!g_str_has_prefix (text, "GPU ") || !g_ascii_isdigit (text[4]))
    return -1;
  return (gint64) MIN (g_ascii_strtoull (text + 4, NULL, 10), G_MAXINT32);
}

/* -- Making ------------------------------------------------------------------------------------ */

nprof_track
pf_gpu (Perfetto *pf, gint64 number)
{
  const struct nprof_host *host = pf->host;
  nprof_track track = GPOINTER_TO_UINT (g_hash_table_lookup (pf->gpus, &number));
  if (track)
    return track;
  track = number < 0 ? host->track (host, 0, NPROF_TRACK_DEVICE, nprof_intern (host, "GPU"),
                                    nprof_intern (host, "GPU of unknown number"), G_MAXINT32)
                     : host->track (host, 0, NPROF_TRACK_DEVICE, number_text (host, "", number),
                                    number_text (host, "GPU ", number), number);
  g_hash_table_insert (pf->gpus, g_memdup2 (&number, sizeof number), GUINT_TO_POINTER (track));
  return track;
}

static nprof_status resolve (Perfetto *pf, guint32 place, guint depth);

/* Returns the place of the parent; PF_NONE: the root. */
static guint32
parent_of (const Perfetto *pf, const PfTrack *t)
{
  const PfKey key = { .a = t->parent, .space = PF_UUID };
  const guint32 parent = t->parent ? pf_find_track (pf, &key) : PF_NONE;
  if (parent != PF_NONE && (!t->is_thread || pf_track (pf, parent)->is_process))
    return parent;
  const gpointer process = t->is_thread ? g_hash_table_lookup (pf->processes, &t->pid) : NULL;
  return process ? GPOINTER_TO_UINT (process) - 1 : parent;
}

static nprof_track
stream_track (Perfetto *pf, gint64 gpu, gint64 stream)
{
  const nprof_track device = pf_gpu (pf, gpu);
  return device ? pf->host->track (pf->host, device, NPROF_TRACK_QUEUE,
                                   number_text (pf->host, "", stream),
                                   number_text (pf->host, "stream ", stream), stream)
                : 0;
}

static gint64
sort_of (const PfTrack *t, const PfTrack *parent)
{
  return parent && parent->by_rank ? t->rank : t->order;
}

/* Says what a descriptor without thread, process and counter is, by where it stands. */
static uint32_t
plain_kind (const Perfetto *pf, const PfTrack *t, const PfTrack *parent)
{
  const char *name = t->name ? nprof_text (pf->host, t->name) : "";
  if (parent && parent->on_device)
    return nprof_line_kind (name, strlen (name));
  if (g_str_has_prefix (name, "THREAD "))
    return NPROF_TRACK_THREAD;
  return parent && parent->is_process ? NPROF_TRACK_ASYNC : NPROF_TRACK_DERIVED;
}

static nprof_track
described_track (Perfetto *pf, PfTrack *t, const PfTrack *parent)
{
  const struct nprof_host *host = pf->host;
  const gint64 of = parent ? gpu_number (pf, parent->process_name) : -1;
  const nprof_track above = parent ? parent->track : 0;
  const nprof_str key = uuid_text (host, t->key.a);
  if (t->is_counter)
    return host->track (host, above, NPROF_TRACK_COUNTER, key, plain_label (pf, t),
                        sort_of (t, parent));
  if (t->has_device || of >= 0) {
    t->on_device = true;
    if (t->is_thread)
      return stream_track (pf, t->has_device ? t->device : of, t->has_stream ? t->stream : t->tid);
    const nprof_track device = pf_gpu (pf, t->has_device ? t->device : of);
    return device ? host->track (host, device, NPROF_TRACK_QUEUE, key, plain_label (pf, t),
                                 sort_of (t, parent))
                  : 0;
  }
  if (parent && parent->in_npu) {
    t->on_device = t->in_npu = true;
    return host->track (host, above, rebellions_kind (pf_track_name (pf, t)), key,
                        t->is_thread ? thread_label (pf, t) : plain_label (pf, t),
                        sort_of (t, parent));
  }
  if (t->is_thread)
    return host->track (host, above, NPROF_TRACK_THREAD, key, thread_label (pf, t),
                        sort_of (t, parent));
  if (t->name && g_str_has_prefix (nprof_text (host, t->name), "/device:")) {
    t->on_device = true;
    return host->track (host, 0, NPROF_TRACK_DEVICE, t->name, plain_label (pf, t),
                        sort_of (t, parent));
  }
  return host->track (host, above, plain_kind (pf, t, parent), key, plain_label (pf, t),
                      sort_of (t, parent));
}

static nprof_track
uuid_track (Perfetto *pf, PfTrack *t, guint depth)
{
  const struct nprof_host *host = pf->host;
  if (t->is_npu) {
    t->on_device = t->in_npu = true;
    t->process = t->order;
    return host->track (host, 0, NPROF_TRACK_DEVICE, uuid_text (host, t->key.a),
                        t->is_process ? process_label (pf, t) : plain_label (pf, t), t->rank);
  }
  if (t->is_process) {
    const gint64 gpu = gpu_number (pf, t->process_name);
    t->on_device = gpu >= 0;
    t->process = t->order;
    return gpu >= 0 ? pf_gpu (pf, gpu)
                    : host->track (host, 0, NPROF_TRACK_PROCESS, uuid_text (host, t->key.a),
                                   process_label (pf, t), t->rank);
  }
  const guint32 place = parent_of (pf, t);
  PfTrack *parent = place != PF_NONE ? pf_track (pf, place) : NULL;
  if (!parent && t->is_thread && !t->has_device) {
    const nprof_track process
        = host->track (host, 0, NPROF_TRACK_PROCESS, number_text (host, "pid ", t->pid),
                       process_label (pf, &(PfTrack){ .pid = t->pid }), t->pid);
    return process ? host->track (host, process, NPROF_TRACK_THREAD, uuid_text (host, t->key.a),
                                  thread_label (pf, t), t->order)
                   : 0;
  }
  if (parent && (parent->resolving || depth == PF_DEPTH)) {
    host->skip (host, "parent of a track", 0,
                "it is below itself, or more than 100 levels deep: it is put at the root");
    parent = NULL;
  }
  if (parent && resolve (pf, place, depth + 1))
    return 0;
  t->process = parent ? parent->process : PF_NONE;
  return described_track (pf, t, parent);
}

/* Makes the thread of events that name their pid and tid alone. */
static nprof_track
numbered_thread (Perfetto *pf, PfTrack *t, guint depth)
{
  const struct nprof_host *host = pf->host;
  const gint64 pid = (gint64) t->key.a, tid = (gint64) t->key.b;
  const guint32 place = GPOINTER_TO_UINT (g_hash_table_lookup (pf->processes, &pid)) - 1;
  if (place != PF_NONE && resolve (pf, place, depth + 1))
    return 0;
  const nprof_track process
      = place != PF_NONE
            ? pf_track (pf, place)->track
            : host->track (host, 0, NPROF_TRACK_PROCESS, number_text (host, "pid ", pid),
                           process_label (pf, &(PfTrack){ .pid = pid }), pid);
  t->process = place;
  return process ? host->track (host, process, NPROF_TRACK_THREAD, number_text (host, "", tid),
                                thread_label (pf, &(PfTrack){ .tid = tid }), tid)
                 : 0;
}

/* The name of a queue is part of what it is; its text is, as handles differ from run to run. */
static nprof_str
queue_key (const PfTrack *t, const struct nprof_host *host)
{
  if (!t->name)
    return uuid_text (host, t->key.b);
  return uuid_text (host, (t->key.b ^ t->name) + g_str_hash (nprof_text (host, t->name)));
}

static nprof_track
other_track (Perfetto *pf, PfTrack *t, guint depth)
{
  const struct nprof_host *host = pf->host;
  g_autofree char *hash = g_strdup_printf ("%016" G_GINT64_MODIFIER "x", t->key.a);
  nprof_track above;
  switch (t->key.space) {
  case PF_THREAD:
    return numbered_thread (pf, t, depth);
  case PF_GPU:
  case PF_GPU_COUNTER:
    t->on_device = true;
    return pf_gpu (pf, (gint64) t->key.a);
  case PF_STREAM:
    t->on_device = true;
    return stream_track (pf, (gint64) t->key.a, (gint64) t->key.b);
  case PF_QUEUE:
    t->on_device = true;
    above = pf_gpu (pf, (gint64) t->key.a);
    return above ? host->track (host, above, NPROF_TRACK_QUEUE, queue_key (t, host),
                                t->name ? t->name : nprof_intern (host, "queue"), t->order)
                 : 0;
  case PF_THREAD_COUNT:
    if (resolve (pf, (guint32) t->key.a, depth + 1))
      return 0;
    above = pf_track (pf, (guint32) t->key.a)->track;
    return host->track (host, above, NPROF_TRACK_COUNTER, t->name, t->name, t->order);
  default:
    return host->track (host, 0, NPROF_TRACK_ASYNC, nprof_intern (host, hash),
                        t->name ? t->name : nprof_intern (host, "async"), t->order);
  }
}

static nprof_status
settle_unit (Perfetto *pf, PfTrack *t)
{
  if (t->unit && !(t->unit_set = nprof_unit (pf->host, nprof_text (pf->host, t->unit))))
    t->track = 0;
  return t->track ? NPROF_OK : nprof_fail (pf->host, NPROF_E_NOMEM, "no memory for a track");
}

static nprof_status
resolve (Perfetto *pf, guint32 place, guint depth)
{
  PfTrack *t = pf_track (pf, place);
  if (t->track)
    return NPROF_OK;
  t->track = t->key.space == PF_UUID && pf->own.is ? pf_own_track (pf, t->key.a) : 0;
  if (t->track || pf->no_memory)
    return settle_unit (pf, t);
  t->resolving = true;
  t->track = t->key.space == PF_UUID ? uuid_track (pf, t, depth) : other_track (pf, t, depth);
  t->resolving = false;
  return settle_unit (pf, t);
}

/* What holds an engine of an NPU is the device; where that is a chiplet, what holds this. */
static void
find_npu (Perfetto *pf, const PfTrack *engine)
{
  const guint32 place = parent_of (pf, engine);
  if (place == PF_NONE)
    return;
  PfTrack *holder = pf_track (pf, place);
  const guint32 above
      = rebellions_is_chiplet (pf_track_name (pf, holder)) ? parent_of (pf, holder) : PF_NONE;
  (above == PF_NONE ? holder : pf_track (pf, above))->is_npu = true;
}

nprof_status
pf_tracks_settle (Perfetto *pf)
{
  nprof_status status = NPROF_OK;
  for (guint32 i = 0; i < pf->tracks->len; i++)
    if (pf_track (pf, i)->shows_npu)
      find_npu (pf, pf_track (pf, i));
  for (guint32 i = 0; i < pf->tracks->len && !status; i++)
    if (pf_track (pf, i)->used)
      status = resolve (pf, i, 0);
  return status;
}
