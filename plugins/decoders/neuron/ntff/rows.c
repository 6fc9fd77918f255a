/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - writes a file as rows: its tracks, its facts, and then one array of notifications after
 * the other. format: ntff.md */
#include "file.h"

/* -- Tracks ---------------------------------------------------------------------------------- */

nprof_track
ntff_engine (NtffWalk *w, uint32_t graph, uint32_t engine)
{
  NtffGraph *g = ntff_graph (w->f, graph);
  const struct nprof_host *h = w->n->host;
  if (!g->engines[engine])
    g->engines[engine] = h->track (h, g->track, NPROF_TRACK_ENGINE,
                                   nprof_intern (h, ntff_engine_key[engine]), 0, engine);
  return g->engines[engine];
}

static nprof_track
numbered (NtffWalk *w, nprof_track parent, uint32_t kind, const char *key, const char *label,
          uint64_t number)
{
  const struct nprof_host *h = w->n->host;
  char own[40], text[60];
  g_snprintf (own, sizeof own, "%s%" G_GUINT64_FORMAT, key, number);
  g_snprintf (text, sizeof text, "%s %" G_GUINT64_FORMAT, label, number);
  return h->track (h, parent, kind, nprof_intern (h, own), nprof_intern (h, text),
                   (int64_t) MIN (number, INT32_MAX));
}

static nprof_status
tracks (NtffWalk *w)
{
  for (guint i = 0; i < w->f->graphs->len; i++) {
    NtffGraph *g = ntff_graph (w->f, i);
    nprof_track device = numbered (w, 0, NPROF_TRACK_DEVICE, "nd", "Neuron device", g->device);
    g->track = device ? numbered (w, device, NPROF_TRACK_CORE, "nc", "NeuronCore", g->number) : 0;
    if (!g->track)
      return NPROF_E_NOMEM;
  }
  return NPROF_OK;
}

/* -- Properties and facts --------------------------------------------------------------------- */

/* Sets a version {1 major, 2 minor, 3 patch, 5 hash}; the vendor prints the hash's first five
 * digits. */
static nprof_status
version_property (const Ntff *n, const char *key, const NeuronWire *w)
{
  const uint8_t *data = n->data;
  uint64_t at = w->from;
  g_autofree char *hash = g_strdup (""), *text = NULL;
  NeuronWire part;
  while (neuron_wire_next (data, &at, w->to, &part))
    if (part.number == 5 && part.wire == 2) {
      g_free (hash);
      hash = g_strndup ((const char *) data + part.from, MIN (5, part.to - part.from));
    }
  g_autofree char *valid = g_utf8_make_valid (hash, -1);
  text = g_strdup_printf ("%" G_GUINT64_FORMAT ".%" G_GUINT64_FORMAT ".%" G_GUINT64_FORMAT " (%s)",
                          neuron_wire_int (data, w->from, w->to, 1),
                          neuron_wire_int (data, w->from, w->to, 2),
                          neuron_wire_int (data, w->from, w->to, 3), valid);
  return n->host->property (n->host, key, text);
}

static nprof_status
text_property (const Ntff *n, const char *key, const NeuronWire *w)
{
  g_autofree char *text = g_strndup ((const char *) n->data + w->from, w->to - w->from);
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  return *valid ? n->host->property (n->host, key, valid) : NPROF_OK;
}

static nprof_status
number_property (const Ntff *n, const char *key, uint64_t number)
{
  char text[24];
  g_snprintf (text, sizeof text, "%" G_GUINT64_FORMAT, number);
  return n->host->property (n->host, key, text);
}

/* These tell whose profile it is, so the user has to ask for them. */
static nprof_status
top_property (const Ntff *n, const NeuronWire *w)
{
  switch (w->wire == 2 ? w->number : 0) {
  case 1:
    return text_property (n, "neff_name", w);
  case 8:
    return version_property (n, "runtime_version", w);
  case 9:
    return text_property (n, "instance_type", w);
  case 11:
    return version_property (n, "driver_version", w);
  case 12:
    return version_property (n, "collectives_version", w);
  case 17:
    return n->private ? text_property (n, "instance_id", w) : NPROF_OK;
  default:
    break;
  }
  if (w->wire == 0 && w->number == 18 && n->private)
    return number_property (n, "process_id", w->value);
  return NPROF_OK;
}

static nprof_status
properties (const Ntff *n, const NtffFile *f)
{
  uint64_t at = NTFF_HEADER;
  NeuronWire w;
  g_autoptr (GString) names = g_string_new (NULL);
  nprof_status status = number_property (n, "version", n->data[0]);
  while (!status && neuron_wire_next (n->data, &at, f->base, &w))
    status = top_property (n, &w);
  for (guint i = 0; i < f->graphs->len; i++)
    g_string_append_printf (names, "%s%s", names->len ? "," : "",
                            nprof_text (n->host, ntff_graph (f, i)->name));
  if (!status && names->len)
    status = n->host->property (n->host, "graphs", names->str);
  return status;
}

/* Returns 0 when it is not known. source: AWS Neuron documentation, NKI architecture guides */
static double
tensor_clock (const char *instance)
{
  static const struct {
    const char *prefix;
    double hz;
  } clocks[] = { { "trn1", 2.8e9 }, { "inf2", 2.8e9 }, { "trn2", 2.4e9 } };
  for (gsize i = 0; i < G_N_ELEMENTS (clocks); i++)
    if (g_str_has_prefix (instance, clocks[i].prefix))
      return clocks[i].hz;
  return 0;
}

static char *
instance_of (const Ntff *n, const NtffFile *f)
{
  uint64_t at = NTFF_HEADER;
  NeuronWire w;
  g_autofree char *text = g_strdup ("");
  while (neuron_wire_next (n->data, &at, f->base, &w))
    if (w.number == 9 && w.wire == 2) {
      g_free (text);
      text = g_strndup ((const char *) n->data + w.from, w.to - w.from);
    }
  return g_utf8_make_valid (text, -1);
}

static nprof_status
fact (const Ntff *n, nprof_track track, const char *key, uint8_t type, nprof_value value,
      const char *source)
{
  nprof_str name = nprof_intern (n->host, key);
  nprof_status status = nprof_row (n->w, NPROF_FACT, track, name, 0, 0);
  if (status)
    return status;
  nprof_set_category (n->w, nprof_intern (n->host, source));
  return nprof_attr (n->w, name, type, value);
}

static nprof_status
device_facts (const NtffWalk *w, nprof_track device)
{
  const Ntff *n = w->n;
  g_autofree char *instance = instance_of (n, w->f);
  double clock = tensor_clock (instance);
  nprof_status status = NPROF_OK;
  if (*instance) {
    nprof_value v = { .s = nprof_intern (n->host, instance) };
    status = fact (n, device, NPROF_KEY_DEVICE_TYPE, NPROF_STRING, v, "instance type");
  }
  if (!status && clock > 0) {
    nprof_value v = { .f = clock };
    status = fact (n, device, NPROF_KEY_CLOCK_RATE, NPROF_DOUBLE, v, "instance type");
  }
  if (status || !n->neff.has_macs || n->neff.macs > INT64_MAX / 2)
    return status;
  nprof_value v = { .i = 2 * n->neff.macs };
  return fact (n, device, NPROF_KEY_MODEL_FLOPS, NPROF_INT64, v, "hlo_stats.json");
}

static nprof_status
facts (const NtffWalk *w)
{
  const struct nprof_host *h = w->n->host;
  nprof_track last = 0;
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < w->f->graphs->len && !status; i++) {
    nprof_track device = h->track_info (h, ntff_graph (w->f, i)->track)->parent;
    if (device != last)
      status = device_facts (w, device);
    last = device;
  }
  return status;
}

/* -- What is said ------------------------------------------------------------------------------ */

static void
left_out (const NtffWalk *w, uint64_t n, const char *what, const char *reason)
{
  for (uint64_t i = 0; i < n; i++)
    w->n->host->skip (w->n->host, what, w->f->base, reason);
}

static void
last_words (const NtffWalk *w)
{
  const struct nprof_host *h = w->n->host;
  left_out (w, w->before, "record before the execution",
            "the runtime prepares there; the vendor's tools leave it out as well");
  left_out (w, w->after, "instruction behind the execution",
            "it ends after what the file states as the end");
  left_out (w, w->unended, "start of an instruction",
            "its end is not in the file: the recording stopped before it");
  left_out (w, w->unstarted, "end of an instruction", "its start is not in the file");
  if (w->errors)
    nprof_log (h, NPROF_WARNING,
               "%" G_GUINT64_FORMAT " records have a type or a time that makes no sense: left out",
               w->errors);
  left_out (w, w->lost, "place where notifications were lost",
            "a record says that some before it are missing (overflow), and not how many");
  if (w->lost)
    nprof_log (h, NPROF_WARNING,
               "%" G_GUINT64_FORMAT
               " records say that notifications before them were lost (overflow)",
               w->lost);
}

static nprof_status
parts (NtffWalk *w)
{
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < w->f->parts->len && !status; i++) {
    const NtffPart *part = &g_array_index (w->f->parts, NtffPart, i);
    if (part->kind == NTFF_KIND_INSTRUCTIONS)
      status = ntff_instructions (w, part);
    else if (part->kind == NTFF_KIND_EVENTS)
      status = ntff_events (w, part);
    else if (part->kind == NTFF_KIND_DMA)
      status = ntff_dma (w, part);
    else if (part->kind != NTFF_KIND_THROTTLE)
      left_out (w, part->n, "notification", "arrays of its kind are not known");
    if (!status)
      status = w->n->host->progress (w->n->host, part->at, part->at + part->n * NTFF_RECORD);
  }
  /* The last one lasts until the last instruction of the file. */
  for (guint i = 0; i < w->f->parts->len && !status; i++) {
    const NtffPart *part = &g_array_index (w->f->parts, NtffPart, i);
    if (part->kind == NTFF_KIND_THROTTLE)
      status = ntff_throttle (w, part);
  }
  return status;
}

nprof_status
ntff_rows (Ntff *n, NtffFile *f)
{
  NtffWalk w = { .n = n, .f = f, .total = -1 };
  nprof_status status = properties (n, f);
  status = status ? status : ntff_origin (&w);
  status = status ? status : tracks (&w);
  status = status ? status : facts (&w);
  status = status ? status : parts (&w);
  status = status ? status : ntff_draw_semaphores (&w);
  status = status ? status : ntff_draw_predecessors (&w);
  status = status ? status : ntff_executions (&w);
  ntff_semaphores_free (w.semaphores);
  ntff_predecessors_free (w.predecessors);
  g_clear_pointer (&w.names, g_hash_table_unref);
  g_clear_pointer (&w.waits, g_hash_table_unref);
  if (!status)
    last_words (&w);
  return status;
}
