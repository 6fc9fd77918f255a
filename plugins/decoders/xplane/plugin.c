/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - the decoder xplane: the profiles of XLA (JAX, TensorFlow, PyTorch/XLA) in
 * XSpace protobuf messages.  Declarations, and the order in which the other files work. */
#include "producers/say-meaning.h"
#include "profile/collective-keys.h"
#include "xplane.h"

#include <nprof/draft/declare.h>

enum { SCAN_AUTO, SCAN_PLAIN, SCAN_FAST, SCAN_BMI2 };

/* -- Planning ------------------------------------------------------------------------ */

static void
begin (Xplane *x, const void *data, uint64_t len)
{
  static const char *const phases[] = { "begin", "step", "end" };
  const struct nprof_host *host = x->host;
  x->data = x->reported = data;
  x->data_end = x->data + len;
  x->safe = len >= 8 ? x->data_end - 8 : x->data - 1;
  for (int i = 0; i < 3; i++)
    x->phase[i] = nprof_intern (host, phases[i]);
  x->key_phase = nprof_intern (host, NPROF_KEY_FLOW_PHASE);
  x->key_hlo_text = nprof_intern (host, NPROF_KEY_HLO_TEXT);
  x->key_value = nprof_intern (host, NPROF_KEY_VALUE);
  x->key_read = nprof_intern (host, NPROF_KEY_BYTES_READ);
  x->key_written = nprof_intern (host, NPROF_KEY_BYTES_WRITTEN);
  x->key_breakdown = nprof_intern (host, "memory_access_breakdown");
  x->want_text = host->wanted (host, NPROF_KEY_HLO_TEXT);
  x->want_read = host->wanted (host, NPROF_KEY_BYTES_READ);
  x->want_written = host->wanted (host, NPROF_KEY_BYTES_WRITTEN);
  x->want_breakdown = host->wanted (host, "memory_access_breakdown");
}

static nprof_status
choose_mode (Xplane *x)
{
  int best = xp_best_mode ();
  x->mode = x->scan == SCAN_PLAIN ? XP_PLAIN : x->scan == SCAN_FAST ? XP_SWAR : best;
  if (x->scan == SCAN_BMI2 && !xp_has_bmi2 ())
    return nprof_fail (x->host, NPROF_E_OPTION, "scan=bmi2: this processor has no BMI2; use auto");
  if (x->scan == SCAN_BMI2)
    x->mode = XP_BMI2;
  return NPROF_OK;
}

static nprof_status
hosts (Xplane *x)
{
  if (x->hosts->len == 0)
    return NPROF_OK;
  g_ptr_array_add (x->hosts, NULL);
  g_autofree char *names = g_strjoinv (",", (char **) x->hosts->pdata);
  return x->host->property (x->host, "hostnames", names);
}

static void
free_entries (Xplane *x)
{
  for (guint i = 0; i < x->planes->len; i++) {
    XpPlane *plane = xp_plane (x, i);
    g_clear_pointer (&plane->metas, g_array_unref);
    g_clear_pointer (&plane->stats, g_array_unref);
    g_clear_pointer (&plane->plane_stats, g_array_unref);
  }
}

static nprof_status
xplane_plan (void *self, const void *data, uint64_t len, uint32_t *n_parts)
{
  static nprof_status (*const steps[]) (Xplane *)
      = { choose_mode, xp_index, hosts,    xp_tracks, xp_dicts, xp_one_space,
          xp_origin,   xp_facts, xp_neuron, xp_steps };
  Xplane *x = self;
  PbSpan space = { data, (const uint8_t *) data + len };
  nprof_status read = xp_translate (x, &space);
  if (read || !space.p)
    return read;
  begin (x, space.p, xp_len (space));
  for (gsize i = 0; i < G_N_ELEMENTS (steps); i++) {
    nprof_status status = steps[i](x);
    if (status)
      return status;
  }
  xp_cut (x);
  free_entries (x);
  *n_parts = x->parts->len;
  return NPROF_OK;
}

/* -- Parts ----------------------------------------------------------------------------- */

static nprof_status
decode_segment (XpScan *s, const XpSegment *segment)
{
  Xplane *x = s->x;
  s->line = xp_line (x, segment->line);
  const XpPlane *plane = xp_plane (x, s->line->plane);
  s->group = xp_group (x, plane->group);
  s->dict = plane->dict;
  s->last_start = s->line->base;
  s->undefined = (XpMeta){ 0 };
  s->reported = segment->p;
  nprof_status status = xp_scan_segment (s, segment);
  return status ? status : xp_scan_progress (s, segment->end);
}

static nprof_status
xplane_declare (void *self, const void *data, uint64_t len, struct nprof_declaration *out)
{
  (void) data, (void) len;
  out->is_part = xp_translated_is_part (self);
  return NPROF_OK;
}

static nprof_status
xplane_decode_part (void *self, uint32_t number, void *part, const struct nprof_host *host)
{
  Xplane *x = self;
  XpScan *s = part;
  const XpPart *p = &g_array_index (x->parts, XpPart, number);
  if (p->n == 0)
    return xp_hlo (x, host, &g_array_index (x->protos, XpProto, p->first));
  xp_scan_init (s, x, host);
  s->w = host->writer (host);
  nprof_status status = s->w ? NPROF_OK : NPROF_E_NOMEM;
  for (uint32_t i = 0; i < p->n && status == NPROF_OK; i++)
    status = decode_segment (s, &g_array_index (x->segments, XpSegment, p->first + i));
  xp_scan_clear (s);
  return status;
}

/* -- Life ------------------------------------------------------------------------------- */

static nprof_status
xplane_open (void *self, const struct nprof_host *host)
{
  Xplane *x = self;
  x->host = host;
  x->planes = g_array_new (FALSE, FALSE, sizeof (XpPlane));
  x->groups = g_array_new (FALSE, FALSE, sizeof (XpGroup));
  x->lines = g_array_new (FALSE, FALSE, sizeof (XpLine));
  x->segments = g_array_new (FALSE, FALSE, sizeof (XpSegment));
  x->ahead = g_array_new (FALSE, FALSE, sizeof (XpAhead));
  x->parts = g_array_new (FALSE, FALSE, sizeof (XpPart));
  x->protos = g_array_new (FALSE, FALSE, sizeof (XpProto));
  x->hosts = g_ptr_array_new_with_free_func (g_free);
  return meaning_say (host);
}

static void
xplane_close (void *self)
{
  Xplane *x = self;
  free_entries (x);
  for (guint i = 0; i < x->planes->len; i++)
    xp_dict_unref (xp_plane (x, i)->dict);
  for (guint i = 0; i < x->groups->len; i++) {
    g_array_unref (xp_group (x, i)->members);
    pthread_mutex_destroy (&xp_group (x, i)->lock);
  }
  g_array_unref (x->planes);
  g_array_unref (x->groups);
  g_array_unref (x->lines);
  g_array_unref (x->segments);
  g_array_unref (x->ahead);
  g_array_unref (x->parts);
  g_array_unref (x->protos);
  g_ptr_array_unref (x->hosts);
  xp_steps_free (x->steps);
  xp_translated_free (x);
}

/* -- Declarations -------------------------------------------------------------------------- */

static const struct nprof_component xplane = {
  .size = sizeof xplane,
  .kind = NPROF_DECODER,
  .flags = NPROF_DECODER_FOLDER,
  .name = "xplane",
  .summary = "profiles of XLA: JAX, TensorFlow, PyTorch/XLA on TPU, GPU, CPU and Neuron",
  .formats = "XSpace protobuf (*.xplane.pb) of TensorFlow 2.2 and later, any JAX, torch-neuronx; "
             "a folder of its JSON files",
  .options = NPROF_OPTIONS (
      NPROF_PATH_OPTION (Xplane, extract, "extract", "",
                         "folder for the JSON files that planes of the Neuron runtime hold"),
      NPROF_BOOL_OPTION (Xplane, copies, "copies", "no",
                         "also the rows of timelines of the Neuron runtime that repeat another's"),
      NPROF_CHOICE_OPTION (
          Xplane, scan, "scan", "auto", "auto|plain|fast|bmi2",
          "how events are read; the rows are the same, this is for finding faults")),
  .attributes = NPROF_ATTRIBUTES (
      &meaning_attribute,
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_FRAMEWORK_OP, "", "path of the framework (tf_op)"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_HLO_CATEGORY, "", "loop fusion, copy, ..."),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_HLO_OP, "", "name of the HLO instruction"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_HLO_MODULE, "", "compiled program"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_HLO_TEXT, "", "the whole HLO instruction"),
      NPROF_ATTRIBUTE (NPROF_UINT64, NPROF_KEY_PROGRAM_ID, "", "compiled program"),
      NPROF_ATTRIBUTE (NPROF_UINT64, NPROF_KEY_SYMBOL_ID, "", "operator within its program"),
      NPROF_ATTRIBUTE (NPROF_UINT64, NPROF_KEY_RUN_ID, "", "one execution of a program"),
      NPROF_ATTRIBUTE (NPROF_UINT64, NPROF_KEY_CORRELATION_ID, "", "joins a launch and its kernel"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_STEP, "", "group of the profiler (group_id)"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_FLOPS, "flop", "as the compiler declares"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_MODEL_FLOPS, "flop", "without recomputation"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_BYTES_ACCESSED, "byte", "as the compiler declares"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_BYTES_READ, "byte",
                       "from HBM (memory_access_breakdown)"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_BYTES_WRITTEN, "byte",
                       "to HBM (memory_access_breakdown)"),
      NPROF_ATTRIBUTE (NPROF_INT64, "raw_bytes_accessed", "byte", "as the compiler declares"),
      NPROF_ATTRIBUTE (NPROF_JSON, "memory_access_breakdown", "",
                       "bytes read and written, by memory"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_BYTES, "byte",
                       "size of a transfer (bytes_transferred)"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_SHAPE, "", "with layout where known"),
      COLLECTIVE_GROUP_ATTRIBUTES, COLLECTIVE_ELEMENT_ATTRIBUTES,
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_SOURCE, "", "file:line of the user's program"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_SOURCE_STACK, "", "one frame a line"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_DEDUPLICATED, "",
                       "operator that this is a clone of"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_KERNEL, "", "registers, shared memory, grid, block"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_DEVICE_OFFSET, "ps", "start by the device's clock"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_DEVICE_DURATION, "ps",
                       "duration by the device's clock"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_FLOW_PHASE, "", "begin, step, end"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_DEVICE_TYPE, "", "of a device"),
      NPROF_ATTRIBUTE (NPROF_DOUBLE, NPROF_KEY_PEAK_FLOPS, "flop/s", "of a device"),
      NPROF_ATTRIBUTE (NPROF_DOUBLE, NPROF_KEY_PEAK_BANDWIDTH, "byte/s",
                       "of a device's main memory"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_MEMORY_SIZE, "byte", "of a device"),
      NPROF_ATTRIBUTE (NPROF_DOUBLE, NPROF_KEY_CLOCK_RATE, "Hz", "of a device"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_CORE_COUNT, "", "of a device")),
  .tables
  = (const struct nprof_table *const[]){ &aggregates_table, &planes_table, &hlo_instructions_table,
                                         &program_memory_table, &neuron_ops_table, NULL },
  .instance_size = sizeof (Xplane),
  .part_size = sizeof (XpScan),
  .probe = xp_probe,
  .open = xplane_open,
  .declare = xplane_declare,
  .plan = xplane_plan,
  .decode_part = xplane_decode_part,
  .close = xplane_close,
};

NPROF_PLUGIN ("xplane", NPROF_VERSION, "Apache-2.0", &xplane)
