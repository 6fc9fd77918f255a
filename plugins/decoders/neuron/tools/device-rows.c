/* SPDX-License-Identifier: Apache-2.0 */
/* device-rows.c - turns each kind of record of a device profile into rows. */
#include "profile/collective-keys.h"
#include "tools.h"

static nprof_status
row (Nt *t, uint8_t kind, nprof_track track, nprof_str name, nprof_str category, int64_t start,
     int64_t duration)
{
  if (!track)
    return NPROF_E_NOMEM;
  nprof_status status
      = nprof_row (t->w, kind, track, name, start, kind == NPROF_SPAN ? duration : 0);
  if (!status)
    nprof_set_category (t->w, category);
  return status;
}

/* Returns the name of a record, by the first of some keys. */
static nprof_str
name_of (Nt *t, NtRecord *r, const uint8_t *ids, const char *otherwise)
{
  for (; *ids; ids++) {
    const TeValue *v = nt_see (r, *ids);
    if (v && (v->kind == TE_TEXT || v->kind == TE_INT) && v->len) {
      nt_use (r, *ids);
      return nt_text (t, v);
    }
  }
  return nt_literal (t, otherwise);
}

/* -- Instructions and engines ------------------------------------------------------------------ */

/* Returns what names the engine: a label may be more ("TensorMatrix"), so it comes last, and
 * stays. */
static const TeValue *
engine_name (NtRecord *r)
{
  static const uint8_t ids[] = { NT_K_SUBGROUP, NT_K_ENGINE, NT_K_LABEL };
  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++)
    if (nt_engine (nt_see (r, ids[i])) >= 0) {
      if (ids[i] != NT_K_LABEL)
        nt_use (r, ids[i]);
      return nt_see (r, ids[i]);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (ids); i++) {
    const TeValue *v = nt_see (r, ids[i]);
    if (v && v->kind == TE_TEXT && v->len)
      return v;
  }
  return NULL;
}

static nprof_status
put_engine (Nt *t, const TeValue *engine)
{
  int number = nt_engine (engine);
  if (!engine || !t->want_engine)
    return NPROF_OK;
  nprof_str name = number >= 0 ? nt_literal (t, ntff_engine_name[number]) : nt_text (t, engine);
  return nprof_attr_str (t->w, t->key_engine, name);
}

/* Returns whether an opcode waits.  The vendor's active time is the union of all instructions but
 * these: an engine that waits for a semaphore does no work.  Tests that an event is set were an
 * opcode of their own once. */
static bool
is_wait (const TeValue *opcode)
{
  return opcode && (te_text_is (opcode, "EVENT_SEMAPHORE") || te_text_is (opcode, "EVENT_WAIT"));
}

/* Puts two operations for each multiply-accumulate, unless the row says its flops itself; and which
 * of them are a transpose, where the row has the compiler's word for what it is. */
static nprof_status
put_flops (Nt *t, NtRecord *r)
{
  int64_t macs;
  if (nt_see (r, NT_K_FLOPS) || nt_see (r, NT_K_RAW_FLOPS)
      || !nt_int (nt_see (r, NT_K_ELEMENTS), &macs) || macs < 0 || macs > INT64_MAX / 2)
    return NPROF_OK;
  nt_use (r, NT_K_ELEMENTS);
  const TeValue *type = nt_see (r, NT_K_TENSOR_TYPE);
  bool said = type && type->kind == TE_TEXT && type->len > 0;
  nprof_status status = t->want_flops ? nprof_attr_int (t->w, t->key_flops, 2 * macs) : NPROF_OK;
  if (status || !said || !t->want_transpose || nt_see (r, NT_K_FLOPS_TRANSPOSE))
    return status;
  return nprof_attr_int (t->w, t->key_transpose, te_text_is (type, "TRANSPOSE") ? 2 * macs : 0);
}

nprof_status
nt_instruction (Nt *t, NtRecord *r, void *user)
{
  static const uint8_t names[] = { NT_K_OPCODE, NT_K_NAME, NT_K_LABEL, 0 };
  int64_t start, duration;
  (void) user;
  if (!nt_span_of (t, r, "instruction", &start, &duration))
    return NPROF_OK;
  nprof_track core = nt_core_of (t, r);
  const TeValue *engine = engine_name (r);
  nprof_track track = core ? nt_engine_track (t, core, engine) : 0;
  const char *category = is_wait (nt_see (r, NT_K_OPCODE)) ? "semaphore wait" : "instruction";
  nprof_status status = row (t, NPROF_SPAN, track, name_of (t, r, names, "instruction"),
                             nt_literal (t, category), start, duration);
  if (status)
    return status;
  if (t->survey.linked)
    nt_predecessors (t, r, track, start);
  status = put_engine (t, engine);
  status = status ? status : put_flops (t, r);
  status = status ? status : nt_operands (t, r);
  return status ? status : nt_attrs (t, r);
}

/* Writes times at which an engine was busy: beside its instructions, not among them. */
nprof_status
nt_active (Nt *t, NtRecord *r, void *user)
{
  int64_t start, duration;
  (void) user;
  if (!nt_span_of (t, r, "active_time", &start, &duration))
    return NPROF_OK;
  nprof_track core = nt_core_of (t, r);
  const TeValue *engine = engine_name (r);
  int number = nt_engine (engine);
  g_autofree char *other = engine && number < 0 ? nt_dup (engine) : NULL;
  g_autofree char *key = g_strconcat ("active ",
                                      number >= 0 ? ntff_engine_key[number]
                                      : other     ? other
                                                  : "engine",
                                      NULL);
  nprof_track track = core ? nt_track (t, core, NPROF_TRACK_DERIVED, key, NULL, NT_SORT_ACTIVE) : 0;
  nprof_status status = row (t, NPROF_SPAN, track, nt_literal (t, "active"),
                             nt_literal (t, "active"), start, duration);
  status = status ? status : put_engine (t, engine);
  return status ? status : nt_attrs (t, r);
}

/* -- DMA --------------------------------------------------------------------------------------- */

static nprof_track
named_queue (Nt *t, nprof_track core, nprof_str name)
{
  gpointer key = GUINT_TO_POINTER (name);
  nprof_track track = core == t->core ? GPOINTER_TO_UINT (g_hash_table_lookup (t->queues, key)) : 0;
  if (track)
    return track;
  g_autofree char *own = g_strconcat ("DMA ", nprof_text (t->host, name), NULL);
  track = nt_track (t, core, NPROF_TRACK_QUEUE, own, NULL, 100);
  if (track && core == t->core)
    g_hash_table_insert (t->queues, key, GUINT_TO_POINTER (track));
  return track;
}

typedef struct {
  nprof_track track;
  nprof_str name;
} Queue;

/* Makes a queue of "qSyncSpillReload0-Q1-E0": the queue's name, and the numbers of queue and
 * engine; "Q0-E3" has no name. */
static Queue *
new_queue (Nt *t, const TeValue *group, nprof_track core, int64_t engine, int64_t queue)
{
  char tail[64];
  g_autofree char *own = group && group->kind == TE_TEXT ? nt_dup (group) : g_strdup ("");
  g_snprintf (tail, sizeof tail, "Q%" G_GINT64_FORMAT "-E%" G_GINT64_FORMAT, queue, engine);
  if (g_str_has_suffix (own, tail))
    own[strlen (own) - strlen (tail)] = '\0';
  if (g_str_has_suffix (own, "-"))
    own[strlen (own) - 1] = '\0';
  Queue *q = g_new0 (Queue, 1);
  q->track = ntff_dma_track (t->host, core, engine, queue, own, &q->name);
  return q;
}

/* Returns a queue, looked up by the numbers, because they are few. */
static nprof_track
grouped_queue (Nt *t, NtRecord *r, nprof_track core, int64_t engine, int64_t queue, nprof_str *name)
{
  const gint64 key = (gint64) ((uint64_t) core << 32 ^ (uint64_t) engine << 16 ^ (uint64_t) queue);
  const TeValue *group = nt_take (r, NT_K_SUBGROUP);
  nt_use (r, NT_K_DMA_ENGINE);
  nt_use (r, NT_K_DMA_QUEUE);
  if (!t->dma_queues)
    t->dma_queues = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, g_free);
  Queue *q = g_hash_table_lookup (t->dma_queues, &key);
  if (!q) {
    q = new_queue (t, group, core, engine, queue);
    g_hash_table_insert (t->dma_queues, g_memdup2 (&key, sizeof key), q);
  }
  *name = q->name;
  return q->track;
}

/* Returns the track: named as in an NTFF where the engine and the queue are numbers, else by the
 * queue's name. */
static nprof_track
queue_track (Nt *t, NtRecord *r, nprof_track core, nprof_str *name)
{
  static const uint8_t names[] = { NT_K_QUEUE_NAME, NT_K_QUEUE, NT_K_SUBGROUP, NT_K_ENGINE, 0 };
  int64_t ring, queue;
  char key[64];
  if (nt_int (nt_see (r, NT_K_DMA_ENGINE), &ring) && nt_int (nt_see (r, NT_K_DMA_QUEUE), &queue)
      && ring >= 0 && ring < 65536 && queue >= 0 && queue < 65536)
    return grouped_queue (t, r, core, ring, queue, name);
  bool numbered
      = nt_int (nt_see (r, NT_K_ENGINE_IDX), &ring) && nt_int (nt_see (r, NT_K_QUEUE_IDX), &queue);
  *name = name_of (t, r, names, "");
  if (!numbered && !*name) {
    *name = nt_literal (t, "dma");
    return nt_track (t, core, NPROF_TRACK_QUEUE, "DMA", NULL, 100);
  }
  if (!numbered)
    return named_queue (t, core, *name);
  nt_use (r, NT_K_ENGINE_IDX);
  nt_use (r, NT_K_QUEUE_IDX);
  g_snprintf (key, sizeof key, "DMA %" G_GINT64_FORMAT " queue %" G_GINT64_FORMAT, ring, queue);
  g_autofree char *label
      = *name ? g_strdup_printf ("%s %s", key, nprof_text (t->host, *name)) : NULL;
  if (!*name) {
    char own[40];
    g_snprintf (own, sizeof own, "queue %" G_GINT64_FORMAT, queue);
    *name = nprof_intern (t->host, own);
  }
  return nt_track (t, core, NPROF_TRACK_QUEUE, key, label,
                   100 + CLAMP (ring, 0, 1 << 20) * 16 + CLAMP (queue, 0, 15));
}

nprof_status
nt_dma (Nt *t, NtRecord *r, void *user)
{
  int64_t start, duration;
  nprof_str name;
  (void) user;
  if (!nt_span_of (t, r, "dma", &start, &duration))
    return NPROF_OK;
  nprof_track core = nt_core_of (t, r), track = 0;
  const TeValue *aggregated = nt_take (r, NT_K_AGGREGATED);
  bool whole = aggregated && te_text_is (aggregated, "yes");
  if (core && whole) {
    static const uint8_t names[] = { NT_K_SUBGROUP, 0 };
    name = name_of (t, r, names, "transfer");
    track = nt_track (t, core, NPROF_TRACK_DERIVED, "DMA transfers", NULL, NT_SORT_ACTIVE);
  } else if (core) {
    track = queue_track (t, r, core, &name);
  }
  /* A transfer repeats its packets, which are rows as well. */
  nprof_str category = nt_literal (t, whole ? "transfer" : "dma");
  nprof_status status
      = track ? row (t, NPROF_SPAN, track, name, category, start, duration) : NPROF_E_NOMEM;
  if (status)
    return status;
  if (t->want_queue)
    status = nprof_attr_str (t->w, nt_literal (t, NPROF_KEY_QUEUE), name);
  return status ? status : nt_attrs (t, r);
}

/* -- Collectives, semaphores, throttling ------------------------------------------------------- */

static nprof_status
type_of_elements (Nt *t, NtRecord *r)
{
  const TeValue *dtype = nt_see (r, NT_K_DTYPE);
  if (!dtype || dtype->kind != TE_TEXT || !t->host->wanted (t->host, COLLECTIVE_KEY_DTYPE))
    return NPROF_OK;
  nt_use (r, NT_K_DTYPE);
  return nt_attr_text (t, COLLECTIVE_KEY_DTYPE, dtype);
}

/* Operations of one stream follow each other, as those of one communicator do. */
static nprof_status
stream_of_operation (Nt *t, NtRecord *r)
{
  char text[32];
  int64_t number;
  if ((!nt_int (nt_see (r, NT_K_STREAM_ID), &number)
       && !nt_int (nt_see (r, NT_K_STREAM_INDEX), &number))
      || !t->host->wanted (t->host, COLLECTIVE_KEY_COMMUNICATOR))
    return NPROF_OK;
  g_snprintf (text, sizeof text, "%" G_GINT64_FORMAT, number);
  return nprof_attr_str (t->w, nt_literal (t, COLLECTIVE_KEY_COMMUNICATOR),
                         nprof_intern (t->host, text));
}

nprof_status
nt_collective (Nt *t, NtRecord *r, void *user)
{
  static const uint8_t names[] = { NT_K_OPERATION, NT_K_NAME, NT_K_DESCRIPTION, NT_K_LABEL, 0 };
  int64_t start, duration, number;
  (void) user;
  if (!nt_span_of (t, r, "collective", &start, &duration))
    return NPROF_OK;
  nprof_track core = nt_core_of (t, r), track = 0;
  char key[48] = "CC-core";
  if (nt_int (nt_see (r, NT_K_CORE_IDX), &number)) {
    nt_use (r, NT_K_CORE_IDX);
    g_snprintf (key, sizeof key, "CC-core %" G_GINT64_FORMAT, number);
  } else if (nt_int (nt_see (r, NT_K_STREAM_INDEX), &number)
             || nt_int (nt_see (r, NT_K_STREAM_ID), &number)) {
    g_snprintf (key, sizeof key, "CC stream %" G_GINT64_FORMAT, number);
  }
  track = core ? nt_track (t, core, NPROF_TRACK_QUEUE, key, NULL, 20) : 0;
  nprof_status status = row (t, NPROF_SPAN, track, name_of (t, r, names, "collective"),
                             nt_literal (t, "collective"), start, duration);
  if (!status && t->want_engine)
    status = nprof_attr_str (t->w, t->key_engine, nt_literal (t, "cc-core"));
  if (!status)
    status = type_of_elements (t, r);
  if (!status)
    status = stream_of_operation (t, r);
  return status ? status : nt_attrs (t, r);
}

nprof_status
nt_semaphore (Nt *t, NtRecord *r, void *user)
{
  int64_t start, duration, number;
  double value;
  char name[48] = "semaphore";
  g_autofree char *queue = NULL;
  (void) user;
  if (!nt_span_of (t, r, "semaphore", &start, &duration))
    return NPROF_OK;
  if (nt_int (nt_see (r, NT_K_ID), &number)) {
    nt_use (r, NT_K_ID);
    g_snprintf (name, sizeof name, "semaphore %" G_GINT64_FORMAT, number);
  } else if (nt_see (r, NT_K_ID)) { /* "S[10] (qGpSimdPIO0)" */
    g_autofree char *id = nt_dup (nt_see (r, NT_K_ID));
    const char *digits = g_str_has_prefix (id, "S[") ? id + 2 : id;
    g_snprintf (name, sizeof name, "semaphore %.*s", (int) MIN (strcspn (digits, "]"), 30), digits);
    queue = g_strdup (strchr (digits, '(') ? strchr (digits, '(') + 1 : "");
    queue[strcspn (queue, ")")] = '\0';
  }
  nprof_track core = nt_core_of (t, r), track = core;
  const TeValue *source = nt_see (r, NT_K_UPDATE_SOURCE);
  if (source && te_text_is (source, "AXI"))
    track = core ? nt_track (t, core, NPROF_TRACK_QUEUE, "AXI", NULL, 10) : 0;
  else if (source && core)
    track = nt_engine_track (t, core, source);
  nprof_status status = row (t, NPROF_INSTANT, track, nprof_intern (t->host, name),
                             nt_literal (t, "semaphore"), start, 0);
  if (status)
    return status;
  if (nt_double (nt_see (r, NT_K_VALUE), &value)) {
    nt_use (r, NT_K_VALUE);
    nprof_set_value (t->w, value);
  }
  if (queue && *queue && t->want_queue) {
    nt_use (r, NT_K_ID);
    status = nprof_attr_str (t->w, nt_literal (t, NPROF_KEY_QUEUE), nprof_intern (t->host, queue));
  }
  return status ? status : nt_attrs (t, r);
}

/* Names a limit of k in n cycles.  Type 99 is the vendor's word for a cause that is not known, with
 * a limit of 1/1: it is no limit. */
static nprof_str
throttle_name (Nt *t, const NtRecord *r, const char **category)
{
  int64_t k, n, type = 0;
  char text[64];
  *category = "throttle";
  if (!nt_int (nt_see (r, NT_K_HAM_K), &k) || !nt_int (nt_see (r, NT_K_HAM_N), &n))
    return nt_literal (t, "throttle");
  nt_int (nt_see (r, NT_K_TYPE), &type);
  if (k == n)
    *category = "unlimited";
  if (type == 99)
    return nt_literal (t, "not limited");
  g_snprintf (text, sizeof text, "limited to %" G_GINT64_FORMAT "/%" G_GINT64_FORMAT, k, n);
  return nprof_intern (t->host, text);
}

nprof_status
nt_throttle (Nt *t, NtRecord *r, void *user)
{
  int64_t start, duration;
  (void) user;
  if (!nt_span_of (t, r, "throttle", &start, &duration))
    return NPROF_OK;
  nprof_track core = nt_core_of (t, r);
  nprof_track track
      = core ? nt_track (t, core, NPROF_TRACK_DERIVED, "throttle", NULL, NT_SORT_OTHER) : 0;
  const char *category;
  nprof_str name = throttle_name (t, r, &category);
  nprof_status status = row (t, duration ? NPROF_SPAN : NPROF_INSTANT, track, name,
                             nt_literal (t, category), start, duration);
  int64_t type;
  if (!status && nt_int (nt_see (r, NT_K_TYPE), &type)) {
    nt_use (r, NT_K_TYPE);
    status = nprof_attr_int (t->w, nt_literal (t, "limit_type"), type);
  }
  return status ? status : nt_attrs (t, r);
}

/* -- All others -------------------------------------------------------------------------------- */

nprof_status
nt_layer (Nt *t, NtRecord *r, void *user)
{
  static const uint8_t names[] = { NT_K_NAME, NT_K_LAYER_NAME, NT_K_LAYER, NT_K_LABEL, 0 };
  int64_t start, duration;
  (void) user;
  if (!nt_span_of (t, r, "layer_summary", &start, &duration))
    return NPROF_OK;
  nprof_track core = nt_core_of (t, r);
  nprof_track track
      = core ? nt_track (t, core, NPROF_TRACK_DERIVED, "layers", NULL, NT_SORT_LAYERS) : 0;
  nprof_status status = row (t, NPROF_SPAN, track, name_of (t, r, names, "layer"),
                             nt_literal (t, "layer"), start, duration);
  return status ? status : nt_attrs (t, r);
}

nprof_status
nt_other (Nt *t, NtRecord *r, void *user)
{
  static const uint8_t names[]
      = { NT_K_NAME, NT_K_OPERATION, NT_K_DESCRIPTION, NT_K_LABEL, NT_K_TYPE, 0 };
  static const uint8_t times[] = { NT_K_TIMESTAMP, NT_K_START_TS, NT_K_START, NT_K_TIMESTAMP_NS };
  const char *section = user;
  int64_t start, duration;
  double value;
  bool timed = false;
  for (gsize i = 0; i < G_N_ELEMENTS (times); i++)
    timed |= nt_see (r, times[i]) != NULL;
  if (!timed)
    return nt_detail (t, r, user);
  if (!nt_span_of (t, r, section, &start, &duration))
    return NPROF_OK;
  bool counter = duration == 0 && nt_double (nt_see (r, NT_K_VALUE), &value);
  nprof_track core = nt_core_of (t, r);
  nprof_track track = core ? nt_track (t, core, counter ? NPROF_TRACK_COUNTER : NPROF_TRACK_DERIVED,
                                       section, NULL, NT_SORT_OTHER)
                           : 0;
  nprof_status status
      = row (t,
             counter    ? NPROF_COUNTER
             : duration ? NPROF_SPAN
                        : NPROF_INSTANT,
             track, counter ? nt_literal (t, section) : name_of (t, r, names, section),
             nt_literal (t, section), start, duration);
  if (!status && counter) {
    nt_use (r, NT_K_VALUE);
    nprof_set_value (t->w, value);
  }
  return status ? status : nt_attrs (t, r);
}
