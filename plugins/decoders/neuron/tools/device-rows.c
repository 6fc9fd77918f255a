/* SPDX-License-Identifier: Apache-2.0 */
/* device-rows.c - what each kind of record of a device profile becomes. */
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

/* The name of a record, by the first of some keys. */
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

/* -- Instructions and engines --------------------------------------------------------------------- */

/* What names the engine: a label may be more ("TensorMatrix"), so it comes last, and stays. */
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
  nprof_status status = row (t, NPROF_SPAN, track, name_of (t, r, names, "instruction"),
                             nt_literal (t, "instruction"), start, duration);
  if (status)
    return status;
  status = put_engine (t, engine);
  return status ? status : nt_attrs (t, r);
}

/* Times at which an engine was busy: beside its instructions, not among them. */
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

/* -- DMA ---------------------------------------------------------------------------------------------- */

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

/* As an NTFF names them where the engine and the queue are numbers, else by the queue's name. */
static nprof_track
queue_track (Nt *t, NtRecord *r, nprof_track core, nprof_str *name)
{
  static const uint8_t names[] = { NT_K_QUEUE_NAME, NT_K_QUEUE, NT_K_SUBGROUP, NT_K_ENGINE, 0 };
  int64_t ring, queue;
  char key[64];
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
  nprof_track core = nt_core_of (t, r), track = core ? queue_track (t, r, core, &name) : 0;
  nprof_status status
      = track ? row (t, NPROF_SPAN, track, name, nt_literal (t, "dma"), start, duration)
              : NPROF_E_NOMEM;
  if (status)
    return status;
  if (t->want_queue)
    status = nprof_attr_str (t->w, nt_literal (t, NPROF_KEY_QUEUE), name);
  return status ? status : nt_attrs (t, r);
}

/* -- Collectives, semaphores, throttling ------------------------------------------------------------------ */

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
  return status ? status : nt_attrs (t, r);
}

nprof_status
nt_semaphore (Nt *t, NtRecord *r, void *user)
{
  int64_t start, duration, number;
  double value;
  char name[48] = "semaphore";
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
  return nt_attrs (t, r);
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
  nprof_status status
      = row (t, duration ? NPROF_SPAN : NPROF_INSTANT, track, nt_literal (t, "throttle"),
             nt_literal (t, "throttle"), start, duration);
  return status ? status : nt_attrs (t, r);
}

/* -- All others ------------------------------------------------------------------------------------------- */

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
  const char *section = user;
  int64_t start, duration;
  double value;
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
