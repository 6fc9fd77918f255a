/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - decoder furiosa: the traces of Furiosa's SDK (Warboy) and of its RNGD tools. The
 * entry, the declarations, the life of an instance, and which of the formats it is. */
#include "producers/say-meaning.h"
#include "schedule.h"
#include "trace-event/plan.h" /* of the decoder chrome */

/* -- Life -------------------------------------------------------------------------------- */

static nprof_status
furiosa_open (void *self, const struct nprof_host *host)
{
  Furiosa *f = self;
  ch_open (&f->chrome, host, te_scanner ());
  f->npu = nprof_intern (host, "NPU");
  f->host_name = nprof_intern (host, "host");
  f->milli_hz = (int64_t) (f->clock * 1000 + 0.5);
  f->cuts = g_array_new (FALSE, FALSE, sizeof (FuCut));
  f->first_rows = g_array_new (FALSE, FALSE, sizeof (uint64_t));
  f->executions = g_array_new (FALSE, FALSE, sizeof (FuInterval));
  f->operators = g_array_new (FALSE, FALSE, sizeof (FuInterval));
  fu_lost_init (&f->lost);
  return meaning_say (host);
}

static void
furiosa_close (void *self)
{
  Furiosa *f = self;
  fu_lost_clear (&f->lost);
  g_clear_pointer (&f->operators, g_array_unref);
  g_clear_pointer (&f->executions, g_array_unref);
  g_clear_pointer (&f->first_rows, g_array_unref);
  g_clear_pointer (&f->cuts, g_array_unref);
  ch_close (&f->chrome);
}

#define FU_HEAD                                                                                    \
  (64 << 10) /* what probe sees: the same file is the same format with and without -d */

/* -- Which format --------------------------------------------------------------------------- */

static nprof_status
json_plan (Furiosa *f)
{
  Chrome *c = &f->chrome;
  nprof_status status = ch_plan (c);
  if (!status)
    status = ch_plan_rows (c);
  if (!status)
    status = fu_number_rows (f);
  return status || !f->milli_hz ? status : fu_anchor (f);
}

static nprof_status
announce (Furiosa *f)
{
  const struct nprof_host *host = f->chrome.host;
  if (f->format == FU_EDF_CSV && f->milli_hz)
    nprof_log (host, NPROF_INFO,
               "the file has no starts: the stages of each device are laid end to end, in the "
               "order of the file");
  if (f->format == FU_SPANS_CSV && f->milli_hz)
    nprof_log (host, NPROF_WARNING,
               "option clock is not used: the times of this file are nanoseconds");
  bool only_cycles = f->format == FU_EDF_CSV && !f->milli_hz;
  return only_cycles ? host->table (host, &cycles_table) : NPROF_OK;
}

static nprof_status
furiosa_plan (void *self, const void *data, uint64_t len, uint32_t *n_parts)
{
  Furiosa *f = self;
  Chrome *c = &f->chrome;
  ch_begin (c, data, len);
  const char *p = te_space (fu_bom (c->data, c->end), c->end);
  bool json = p < c->end && (*p == '[' || *p == '{');
  bool schedule = json && fu_is_schedule (p, p + MIN (c->end - p, FU_HEAD));
  f->format = schedule ? FU_SCHEDULE : FU_JSON;
  if (schedule) {
    *n_parts = 1;
    return fu_schedule_plan (f);
  }
  nprof_status status = json ? json_plan (f) : fu_csv_plan (f);
  if (!status)
    status = announce (f);
  if (!status)
    *n_parts = json ? c->parts->len - 1 : f->cuts->len - 1;
  return status;
}

/* -- Parts ------------------------------------------------------------------------------------- */

static nprof_status
furiosa_decode_part (void *self, uint32_t number, void *state, const struct nprof_host *host)
{
  Furiosa *f = self;
  FuPart *part = state;
  part->refs = g_array_new (FALSE, FALSE, sizeof (FuRef));
  part->executions = g_array_new (FALSE, FALSE, sizeof (FuInterval));
  part->operators = g_array_new (FALSE, FALSE, sizeof (FuInterval));
  if (f->format == FU_JSON && f->first_rows->len)
    part->row = g_array_index (f->first_rows, uint64_t, number);
  nprof_status status = ch_part_init (&part->chrome, &f->chrome, host, host->worker);
  if (status)
    return status;
  status = f->format == FU_JSON       ? ch_part_decode (&part->chrome, number)
           : f->format == FU_SCHEDULE ? fu_schedule_decode (part)
                                      : fu_csv_decode (part, number);
  g_clear_pointer (&part->scratch, g_free);
  return status;
}

static void
clear_part (FuPart *part)
{
  g_clear_pointer (&part->refs, g_array_unref);
  g_clear_pointer (&part->executions, g_array_unref);
  g_clear_pointer (&part->operators, g_array_unref);
  if (part->chrome.c)
    ch_part_clear (&part->chrome);
}

static nprof_status
take_part (Furiosa *f, const FuPart *part, bool is_last)
{
  f->has_cycles |= part->has_cycles;
  for (guint i = 0; i < part->refs->len; i++)
    fu_lost_add (&f->lost, &g_array_index (part->refs, FuRef, i));
  g_array_append_vals (f->executions, part->executions->data, part->executions->len);
  g_array_append_vals (f->operators, part->operators->data, part->operators->len);
  ch_take_controls (&f->chrome, &part->chrome.controls);
  return ch_take_part (&f->chrome, &part->chrome, is_last);
}

static nprof_status
furiosa_join (void *self, uint32_t number, void *state, int failed)
{
  Furiosa *f = self;
  const guint n_bounds = f->format == FU_JSON ? f->chrome.parts->len : f->cuts->len;
  const bool last = f->format == FU_SCHEDULE || number + 2 == n_bounds;
  const nprof_status status = failed ? NPROF_OK : take_part (f, state, last);
  clear_part (state);
  if (failed || status || f->format == FU_EDF_CSV || f->format == FU_SCHEDULE)
    return status;
  if (f->format == FU_SPANS_CSV)
    return last ? fu_lost_report (f) : NPROF_OK;
  fu_within (f, last);
  if (!last)
    return NPROF_OK;
  fu_within_report (f);
  if (f->milli_hz && !f->has_cycles)
    nprof_log (f->chrome.host, NPROF_WARNING,
               "option clock is not used: no span of this file has cycles");
  ch_say_controls (&f->chrome);
  return ch_pairs (&f->chrome);
}

/* -- Declarations ------------------------------------------------------------------------------ */

static const struct nprof_component furiosa = {
  .size = sizeof furiosa,
  .kind = NPROF_DECODER,
  .name = "furiosa",
  .summary = "traces of Furiosa's NPUs: Warboy and RNGD",
  .formats = "CSV and trace-event JSON of furiosa-sdk 0.7 to 0.10; EDF profiler CSV and JSON of "
             "RNGD, and the "
             "schedule.json of its compiler, which is a plan",
  .options = NPROF_OPTIONS (
      NPROF_DOUBLE_OPTION (
          Furiosa, clock, "clock", "0", "0..1e12",
          "Hz of the device's cycles, as 1.6e9: times are made of cycles; 0: not known"),
      NPROF_SIZE_OPTION (Furiosa, chrome.part_bytes, "part", "2M", "1..1G",
                         "bytes that a thread decodes at a time; the rows are the same")),
  .attributes = NPROF_ATTRIBUTES (
      &meaning_attribute,
      NPROF_ATTRIBUTE (NPROF_INT64, "row", "",
                       "number of the row in the file, from 0, as pandas prints it"),
      NPROF_ATTRIBUTE (NPROF_ID128, NPROF_KEY_TRACE_ID, "", "trace that the span belongs to"),
      NPROF_ATTRIBUTE (NPROF_INT64, "thread.id", "", "thread of the host"),
      NPROF_ATTRIBUTE (NPROF_INT64, "dram_base", "", "base of the program in the device's memory"),
      NPROF_ATTRIBUTE (NPROF_INT64, "pe_index", "", "processing element"),
      NPROF_ATTRIBUTE (NPROF_INT64, "execution_index", "", "execution within its program"),
      NPROF_ATTRIBUTE (NPROF_INT64, "instruction_index", "",
                       "instruction; none: the execution itself"),
      NPROF_ATTRIBUTE (NPROF_INT64, "operator_index", "", "operator that the host ran"),
      NPROF_ATTRIBUTE (NPROF_INT64, "begin_cycle", "cycle", "first cycle of the span"),
      NPROF_ATTRIBUTE (NPROF_INT64, "end_cycle", "cycle", "last cycle of the span"),
      NPROF_ATTRIBUTE (NPROF_INT64, "cycles", "cycle", "how many it took"),
      NPROF_ATTRIBUTE (NPROF_INT64, "cycle_actual", "cycle", "as the file has it"),
      NPROF_ATTRIBUTE (NPROF_INT64, "cluster_index", "", "cluster of the device"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_SOURCE, "", "of a schedule: file:line:column"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_FLOW_PHASE, "", "begin, step or end of an arrow"),
      NPROF_ATTRIBUTE (NPROF_JSON, NPROF_KEY_VALUE, "",
                       "a counter's value that is no exact double"),
      NPROF_ATTRIBUTE (NPROF_JSON, "args", "",
                       "args as the file has them, where they hold more than that")),
  .tables = (const struct nprof_table *const[]){ &cycles_table, &schedule_table,
                                                 &schedule_tensors_table, NULL },
  .instance_size = sizeof (Furiosa),
  .part_size = sizeof (FuPart),
  .probe = fu_probe,
  .open = furiosa_open,
  .plan = furiosa_plan,
  .decode_part = furiosa_decode_part,
  .join = furiosa_join,
  .close = furiosa_close,
  .worker_size = sizeof (ChWorker),
  .worker_close = ch_worker_close,
};

NPROF_PLUGIN ("furiosa", NPROF_VERSION, "Apache-2.0", &furiosa)
