/* SPDX-License-Identifier: Apache-2.0 */
/* args.c - gives rows the attributes of events of the JSON formats: known members of args by their
 * own keys, args as its source wrote it where it has others.  It takes the place of the args.c of
 * the decoder chrome. */
#include "furiosa.h"

const char *const fu_keys[FU_KEYS] = { "row",
                                       NPROF_KEY_TRACE_ID,
                                       "thread.id",
                                       "dram_base",
                                       "pe_index",
                                       "execution_index",
                                       "instruction_index",
                                       "operator_index",
                                       "begin_cycle",
                                       "end_cycle",
                                       "cycles",
                                       "cycle_actual",
                                       "cluster_index" };

void
ch_wants (Chrome *c)
{
  Furiosa *f = (Furiosa *) c;
  for (int i = 0; i < FU_KEYS; i++) {
    f->key[i] = nprof_intern (c->host, fu_keys[i]);
    f->want[i] = c->host->wanted (c->host, fu_keys[i]);
  }
  c->key_args = nprof_intern (c->host, "args");
  c->want_args = c->host->wanted (c->host, "args");
  c->key_flow_phase = nprof_intern (c->host, NPROF_KEY_FLOW_PHASE);
  c->key_value = nprof_intern (c->host, NPROF_KEY_VALUE);
  c->want_any = true; /* losses and cycles are looked for whatever is read */
}

/* -- Reading --------------------------------------------------------------------------- */

static bool
text_field (const TeValue *value, CsvField *field)
{
  *field = (CsvField){ value->p, value->len, false, true };
  return value->kind == TE_TEXT;
}

static bool
read_id (const TeValue *value, uint64_t *id)
{
  CsvField field;
  uint8_t bytes[8];
  if (!text_field (value, &field) || !csv_hex (&field, bytes, sizeof bytes))
    return false;
  *id = 0;
  for (gsize i = 0; i < sizeof bytes; i++)
    *id = *id << 8 | bytes[i];
  return true;
}

/* Reads a number, which may be written as a string. */
static bool
read_int (const TeValue *value, int64_t *i)
{
  *i = value->i;
  return value->kind == TE_INT
         || (value->kind == TE_TEXT && te_int (value->p, value->p + value->len, i));
}

static bool
read_arg (FuArgs *args, const TeValue *key, const TeValue *value)
{
  CsvField field;
  if (te_text_is (key, "span_id"))
    return read_id (value, &args->id);
  if (te_text_is (key, "parent_span_id"))
    return read_id (value, &args->parent);
  for (int i = FU_KEY_TRACE_ID; i < FU_KEYS; i++) {
    if (!te_text_is (key, fu_keys[i]))
      continue;
    bool good = i == FU_KEY_TRACE_ID
                    ? text_field (value, &field)
                          && csv_hex (&field, args->trace_id, sizeof args->trace_id)
                    : i != FU_KEY_CYCLES && read_int (value, &args->value[i]);
    args->has |= (uint32_t) good << i;
    return good;
  }
  return false;
}

void
fu_args (const Furiosa *f, const TeEvent *event, FuArgs *args)
{
  TeValue key, value;
  args->has = 0;
  args->id = args->parent = 0;
  args->rest = false;
  if (!te_has (event, TE_ARGS))
    return;
  const TeValue *from = &event->value[TE_ARGS];
  args->rest = from->kind != TE_OBJECT;
  if (args->rest)
    return;
  TeScan s = { .controls = &(TeControls){ 0 },
               .with = f->chrome.scanner, .end = from->p + from->len };
  for (const char *p = from->p + 1; (p = te_member (&s, p, &key, &value));)
    args->rest |= !read_arg (args, &key, &value);
  args->rest |= s.why != NULL;
}

static bool
has (const FuArgs *args, int key)
{
  return args->has >> key & 1;
}

/* -- Spans ---------------------------------------------------------------------------------- */

static void
note_interval (FuPart *part, const TeEvent *event, const FuArgs *args)
{
  const struct nprof_writer *w = part->chrome.w;
  uint32_t row = w->n_rows - 1;
  if (!has (args, FU_KEY_PE) || !has (args, FU_KEY_EXECUTION) || w->duration[row] < 0
      || !te_has (event, TE_CAT) || !te_text_is (&event->value[TE_CAT], "NPU"))
    return;
  FuInterval interval = { .pe = args->value[FU_KEY_PE],
                          .execution = args->value[FU_KEY_EXECUTION],
                          .start = w->start[row],
                          .end = w->start[row] + w->duration[row],
                          .at = ch_at (part->chrome.c, event->at) };
  g_array_append_val (has (args, FU_KEY_INSTRUCTION) ? part->operators : part->executions,
                      interval);
}

static nprof_status
cycles_row (FuPart *part, const FuArgs *args)
{
  const struct nprof_writer *w = part->chrome.w;
  const struct nprof_host *host = part->chrome.host;
  uint32_t row = w->n_rows - 1;
  FuCycles cycles = { .device = nprof_track_label (host->track_info (host, w->track[row])),
                      .stage = w->category[row],
                      .name = w->name[row],
                      .row = part->row,
                      .has_range = true,
                      .begin = args->value[FU_KEY_BEGIN_CYCLE],
                      .end = args->value[FU_KEY_END_CYCLE],
                      .cycles = args->value[FU_KEY_CYCLES],
                      .has_cluster = has (args, FU_KEY_CLUSTER),
                      .cluster = args->value[FU_KEY_CLUSTER] };
  return fu_cycles_row (fu_of (part), host, &cycles);
}

/* Gives the row just begun the times of its cycles; false: they are too far away. */
static bool
times_of_cycles (FuPart *part, const FuArgs *args)
{
  const Furiosa *f = fu_of (part);
  struct nprof_writer *w = part->chrome.w;
  int64_t offset, from, to, row = w->n_rows - 1;
  if (__builtin_sub_overflow (args->value[FU_KEY_BEGIN_CYCLE], f->anchor_cycle, &offset)
      || !fu_cycles_ps (f, offset, &from)
      || __builtin_add_overflow (offset, args->value[FU_KEY_CYCLES], &offset)
      || !fu_cycles_ps (f, offset, &to) || __builtin_add_overflow (from, f->anchor_ps, &from)
      || __builtin_add_overflow (to, f->anchor_ps, &to))
    return false;
  w->start[row] = from;
  w->duration[row] = to - from;
  return true;
}

/* Uses cycles: without a clock as a row of table cycles; with one as the span's times. */
static nprof_status
use_cycles (FuPart *part, const TeEvent *event, FuArgs *args)
{
  const struct nprof_host *host = part->chrome.host;
  int64_t begin = args->value[FU_KEY_BEGIN_CYCLE], end = args->value[FU_KEY_END_CYCLE];
  if (!has (args, FU_KEY_BEGIN_CYCLE) || !has (args, FU_KEY_END_CYCLE))
    return NPROF_OK;
  part->has_cycles = true;
  if (end < begin || __builtin_sub_overflow (end, begin, &args->value[FU_KEY_CYCLES])) {
    host->skip (host, "cycles", ch_at (part->chrome.c, event->at),
                "end_cycle is before begin_cycle");
    return NPROF_OK;
  }
  args->has |= 1u << FU_KEY_CYCLES;
  if (!fu_of (part)->milli_hz)
    return cycles_row (part, args);
  if (!times_of_cycles (part, args))
    host->skip (host, "cycles", ch_at (part->chrome.c, event->at),
                "more than 106 days from the first; the span keeps the times of the file");
  return NPROF_OK;
}

/* Uses the tid of a host thread, which is the column thread.id of the CSV. */
static void
thread_id (const Furiosa *f, const TeEvent *event, FuArgs *args)
{
  const TeValue *tid = &event->value[TE_TID];
  bool npu = te_has (event, TE_CAT) && te_text_is (&event->value[TE_CAT], "NPU");
  if (npu || has (args, FU_KEY_THREAD) || !f->want[FU_KEY_THREAD] || !te_has (event, TE_TID))
    return;
  args->has |= (uint32_t) read_int (tid, &args->value[FU_KEY_THREAD]) << FU_KEY_THREAD;
}

/* The part is the first member of a FuPart: spans that are read with their begin and end come from
 * decode_part alone. */
static nprof_status
complete (ChPart *part, const TeEvent *event, FuArgs *args)
{
  FuPart *own = (FuPart *) part;
  nprof_status status = use_cycles (own, event, args);
  note_interval (own, event, args);
  thread_id (fu_of (own), event, args);
  const Furiosa *f = fu_of (own);
  uint64_t row = own->row++;
  return status || !f->want[FU_KEY_ROW]
             ? status
             : nprof_attr_int (part->w, f->key[FU_KEY_ROW], (int64_t) row);
}

/* -- Attributes ------------------------------------------------------------------------------ */

static nprof_status
add_known (const Furiosa *f, struct nprof_writer *w, const FuArgs *args)
{
  nprof_status status = NPROF_OK;
  if (has (args, FU_KEY_TRACE_ID) && f->want[FU_KEY_TRACE_ID])
    status = nprof_attr_bytes (w, f->key[FU_KEY_TRACE_ID], NPROF_ID128, args->trace_id,
                               sizeof args->trace_id);
  for (int i = FU_KEY_THREAD; i < FU_KEYS && !status; i++)
    if (has (args, i) && f->want[i])
      status = nprof_attr_int (w, f->key[i], args->value[i]);
  return status;
}

static nprof_status
add_args (ChPart *part, const TeEvent *event)
{
  const TeValue *v = &event->value[TE_ARGS];
  unsigned quote = v->kind == TE_TEXT;
  if (v->len > UINT32_MAX - 2)
    return nprof_fail (part->host, NPROF_E_UNSUPPORTED,
                       "byte %" G_GUINT64_FORMAT ": args of more than 4 GB", ch_at (part->c, v->p));
  return ch_attr_json (part, part->c->key_args, v->p - quote, v->len + 2 * quote);
}

nprof_status
ch_attrs (ChPart *part, const TeEvent *event, const TeEvent *end)
{
  const Furiosa *f = (const Furiosa *) part->c;
  nprof_status status = NPROF_OK;
  FuArgs args;
  (void) end;
  fu_args (f, event, &args);
  if (args.id)
    nprof_set_id (part->w, args.id);
  if (args.parent)
    nprof_set_parent (part->w, args.parent);
  if (event->ph == 'X')
    status = complete (part, event, &args);
  if (!status)
    status = add_known (f, part->w, &args);
  return status || !args.rest || !part->c->want_args ? status : add_args (part, event);
}
