/* SPDX-License-Identifier: Apache-2.0 */
/* gpu.c - reads the events of GPUs: work (render stages), on the queue or stream of its GPU, and
 * samples of counters. */
#include "perfetto.h"

/* -- Work -------------------------------------------------------------------------------------- */

static void
stage_number (PfStageEvent *e, guint64 field, guint64 value)
{
  switch (field) {
  case 1:
    e->has_event = true;
    e->event = value;
    break;
  case 2:
    e->duration = value;
    break;
  case 3:
  case 13:
    e->by_iid = field == 13;
    e->queue = field == 13 ? value : (guint64) (gint32) value;
    break;
  case 11:
    e->gpu = (gint32) value;
    break;
  case 14:
    e->has_stage = true;
    e->stage = value;
    break;
  case 19:
    e->has_kernel = true;
    e->kernel = value;
    break;
  case 20:
    e->has_name_iid = true;
    e->name_iid = value;
    break;
  default:
    break;
  }
}

static bool
is_text (PbSpan text, const char *word)
{
  const gsize len = strlen (word);
  return (gsize) (text.end - text.p) == len && memcmp (text.p, word, len) == 0;
}

/* Reads a number in decimal; -1: it is none. */
static gint64
decimal (PbSpan text)
{
  gint64 number = -1;
  for (const guint8 *p = text.p; p < text.end; p++) {
    if (!g_ascii_isdigit (*p) || number > G_MAXINT64 / 10 - 1)
      return -1;
    number = MAX (number, 0) * 10 + (*p - '0');
  }
  return number;
}

static void
stage_bytes (PfStageEvent *e, guint64 field, PbSpan span)
{
  if (field == 17)
    e->name = span;
  else if (field == 21)
    e->launch = span;
  else if (field == 6) {
    const PbSpan name = pf_bytes (span, 1);
    const bool stream = name.p && is_text (name, "stream id"),
               correlation = name.p && is_text (name, "correlation");
    const gint64 number = stream || correlation ? decimal (pf_bytes (span, 2)) : -1;
    if (stream)
      e->stream = number;
    else if (correlation)
      e->correlation = (guint64) MAX (number, 0);
  }
}

bool
pf_stage_read (const Perfetto *pf, const struct nprof_host *host, const PfState *state, PbSpan body,
               PfStageEvent *e)
{
  PbField f;
  (void) host;
  *e = (PfStageEvent){ .body = body, .stream = -1 };
  for (PbSpan rest = body; rest.p < rest.end;) {
    if (!pb_field (&rest.p, rest.end, &f))
      return false;
    if ((f.tag & 7) == 2)
      stage_bytes (e, f.tag >> 3, f.span);
    else
      stage_number (e, f.tag >> 3, f.value);
  }
  if (e->by_iid)
    e->queue_name = pf_interned (pf, state->generation, INTERNED_GPU_SPEC, e->queue);
  else if (e->queue < pf->old_queues->len)
    e->queue_name = GPOINTER_TO_UINT (g_ptr_array_index (pf->old_queues, e->queue));
  return true;
}

guint32
pf_stage_track (Perfetto *pf, const PfStageEvent *e, bool add)
{
  PfKey key = { (guint64) e->gpu, (guint64) e->stream, PF_STREAM };
  if (e->by_iid && !e->queue_name)
    return PF_NONE;
  if (e->stream < 0)
    key = (PfKey){ (guint64) e->gpu,
                   (e->queue * 2 + e->by_iid) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)
                       ^ e->queue_name,
                   PF_QUEUE };
  const guint32 place = add ? pf_add_track (pf, &key) : pf_find_track (pf, &key);
  if (add && !pf_track (pf, place)->name)
    pf_track (pf, place)->name = e->queue_name;
  return place;
}

nprof_str
pf_stage_category (const struct nprof_host *host, nprof_str stage)
{
  /* producers: PyTorch, injections for CUDA and HIP */
  static const char *const known[][2] = {
    { "Kernel", "kernel" },
    { "Memcpy", "gpu_memcpy" },
    { "MemoryTransfer", "gpu_memcpy" },
    { "Memset", "gpu_memset" },
    { "MemorySet", "gpu_memset" },
    { "Annotation", "gpu_user_annotation" },
    { "EventRecord", "graph_event_node" },
  };
  const char *text = nprof_text (host, stage);
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    if (strcmp (text, known[i][0]) == 0)
      return nprof_intern (host, known[i][1]);
  return stage;
}

/* source: torch/profiler/_cuspy/trace.py, "[07] stream 7" */
bool
pf_is_pytorch_queue (const char *name)
{
  const gsize digits = *name == '[' ? strspn (name + 1, "0123456789") : 0;
  return digits && name[digits + 1] == ']';
}

/* -- Counters ---------------------------------------------------------------------------------- */

/* Reads {1 counter, 2 int, 3 double}; false: it has no value. */
static bool
read_value (PbSpan body, guint32 *counter, PfCount *count)
{
  PbField f;
  *counter = 0;
  while (body.p < body.end && pb_field (&body.p, body.end, &f)) {
    if (f.tag == PB_VARINT (1)) {
      *counter = (guint32) f.value;
    } else if (f.tag == PB_VARINT (2)) {
      count->type = NPROF_INT64;
      count->value.i = (gint64) f.value;
    } else if (f.tag == PB_FIXED64 (3)) {
      count->type = NPROF_DOUBLE;
      count->value.f = pf_double (f.value);
    }
  }
  return count->type != NPROF_NULL;
}

static guint32
counter_track (Perfetto *pf, gint64 gpu, const PfSpec *spec, bool add)
{
  const PfKey key = { (guint64) gpu, spec->name, PF_GPU_COUNTER };
  const guint32 place = add ? pf_add_track (pf, &key) : pf_find_track (pf, &key);
  if (add) {
    PfTrack *t = pf_track (pf, place);
    t->name = spec->name;
    t->unit = spec->unit;
    t->forward = spec->forward;
  }
  return place;
}

nprof_status
pf_each_sample (PfWalk *w, const PfPacket *k, bool add, PfSampleFn *fn, gpointer user)
{
  Perfetto *pf = w->pf;
  const guint64 iid = pf_number (k->body, 4, 0);
  const PfEntry *descriptor
      = iid ? pf_entry (pf, k->state->generation, INTERNED_COUNTERS, iid) : NULL;
  const PfSpecKey of = { iid ? k->state->generation : PF_ANY_GENERATION, 0, iid };
  gint64 gpu = (gint32) pf_number (k->body, 3, 0);
  nprof_status status = NPROF_OK;
  PbField f;
  if (descriptor)
    gpu = (gint32) pf_number (descriptor->message, 3, (guint64) gpu);
  for (PbSpan rest = k->body; !status && rest.p < rest.end;) {
    PfCount count = { .type = NPROF_NULL };
    PfSpecKey key = of;
    if (!pb_field (&rest.p, rest.end, &f))
      return pf_damaged (w, PF_NOTING, k, "gpu_counter_event: a field is cut off");
    if (f.tag != PB_BYTES (2) || !read_value (f.span, &key.counter, &count))
      continue;
    const PfSpec *spec = pf->specs ? g_hash_table_lookup (pf->specs, &key) : NULL;
    if (!spec || !spec->name || !k->has_time) {
      if (add)
        w->host->skip (w->host, "gpu_counter_event", pf_byte (pf, k->place),
                       spec ? "it has no time, or its counter no name"
                            : "nothing describes its counter");
      continue;
    }
    count.track = counter_track (pf, gpu, spec, add);
    status = fn (w, k, &count, user);
  }
  return status;
}
