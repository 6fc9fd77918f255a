/* SPDX-License-Identifier: Apache-2.0 */
/* spans.c - turns records of the CSV with trace ids into rows. format: furiosa.md 1.2 */
#include "furiosa.h"

#define PS_PER_NS 1000

static const CsvField *
field_of (const Furiosa *f, const CsvRecord *record, int column)
{
  static const CsvField none = { "", 0, false, false };
  return f->column[column] < 0 ? &none : &record->field[f->column[column]];
}

/* -- Ids ------------------------------------------------------------------------------ */

/* Reads an id, 0 where there is none; false: it cannot be read. */
static bool
span_id (const CsvField *field, uint64_t *id)
{
  uint8_t bytes[8];
  *id = 0;
  if (field->len == 0)
    return true;
  if (!csv_hex (field, bytes, sizeof bytes))
    return false;
  for (gsize i = 0; i < sizeof bytes; i++)
    *id = *id << 8 | bytes[i];
  return true;
}

static bool
is_npu (const CsvField *cat)
{
  return csv_is (cat, "NPU");
}

void
fu_ref (const Furiosa *f, const CsvRecord *record, FuRef *ref)
{
  bool npu = is_npu (field_of (f, record, FU_CAT));
  bool instruction = field_of (f, record, FU_INSTRUCTION)->len > 0;
  if (!span_id (field_of (f, record, FU_SPAN), &ref->id))
    ref->id = 0;
  if (!span_id (field_of (f, record, FU_PARENT), &ref->parent))
    ref->parent = 0;
  ref->at = fu_byte (f, record->at);
  ref->execution = npu && !instruction;
  ref->operator_ = npu && instruction;
}

/* -- Fields ------------------------------------------------------------------------------- */

typedef struct {
  int64_t start, duration; /* ps                                                  */
  uint64_t id, parent;
  bool has_trace;
  uint8_t trace_id[16];
  uint32_t has; /* bits 1 << (column - FU_THREAD)                      */
  int64_t value[FU_COLUMNS - FU_THREAD];
  bool npu;
} Span;

static const char *const column_names[]
    = { "thread.id",       "dram_base",         "pe_index",
        "execution_index", "instruction_index", "operator_index" };

/* Returns a failure, or CH_PASSED_OVER. */
static nprof_status
bad_field (FuPart *part, const CsvField *field, const char *name, const char *expected)
{
  g_autofree char *shown = fu_shown (field);
  nprof_status status
      = fu_csv_damage (part, field->p, "%s is %s, expected %s", name, shown, expected);
  return status ? status : CH_PASSED_OVER;
}

static nprof_status
read_ids (FuPart *part, const CsvRecord *record, Span *span)
{
  const Furiosa *f = fu_of (part);
  const CsvField *trace = field_of (f, record, FU_TRACE_ID), *id = field_of (f, record, FU_SPAN);
  const CsvField *parent = field_of (f, record, FU_PARENT);
  span->has_trace = trace->len > 0;
  if (span->has_trace && !csv_hex (trace, span->trace_id, sizeof span->trace_id))
    return bad_field (part, trace, "trace_id", "32 hexadecimal digits");
  if (!span_id (id, &span->id))
    return bad_field (part, id, "span_id", "16 hexadecimal digits");
  if (!span_id (parent, &span->parent))
    return bad_field (part, parent, "parent_span_id", "16 hexadecimal digits");
  return NPROF_OK;
}

static nprof_status
read_times (FuPart *part, const CsvRecord *record, Span *span)
{
  const Furiosa *f = fu_of (part);
  const CsvField *from = field_of (f, record, FU_START), *to = field_of (f, record, FU_END);
  int64_t start, end, last;
  if (!csv_int (from, &start))
    return bad_field (part, from, "start", "nanoseconds as a whole number");
  if (!csv_int (to, &end))
    return bad_field (part, to, "end", "nanoseconds as a whole number");
  if (end < start)
    return bad_field (part, to, "end", "a time that is not before start");
  if (__builtin_sub_overflow (start, f->zero, &span->start)
      || __builtin_mul_overflow (span->start, (int64_t) PS_PER_NS, &span->start)
      || __builtin_sub_overflow (end, start, &span->duration)
      || __builtin_mul_overflow (span->duration, (int64_t) PS_PER_NS, &span->duration)
      || __builtin_add_overflow (span->start, span->duration, &last))
    return bad_field (part, from, "start", "a time within 106 days of the first record");
  return NPROF_OK;
}

static nprof_status
read_numbers (FuPart *part, const CsvRecord *record, Span *span)
{
  const Furiosa *f = fu_of (part);
  for (int column = FU_THREAD; column < FU_COLUMNS; column++) {
    const CsvField *field = field_of (f, record, column);
    int i = column - FU_THREAD;
    if (field->len == 0)
      continue;
    if (!csv_int (field, &span->value[i]))
      return bad_field (part, field, column_names[i], "a whole number or nothing");
    span->has |= 1u << i;
  }
  return NPROF_OK;
}

/* -- Rows ----------------------------------------------------------------------------------- */

static nprof_track
host_track (FuPart *part, const Span *span)
{
  Furiosa *f = fu_of (part);
  const struct nprof_host *host = part->chrome.host;
  char text[24];
  bool known = span->has & 1;
  int64_t id = span->value[0];
  if (part->has_thread && known && part->thread_id == id)
    return part->thread;
  nprof_track process = host->track (host, 0, NPROF_TRACK_PROCESS, f->host_name, 0, 0);
  if (!known || !process)
    return process;
  int n = g_snprintf (text, sizeof text, "%" G_GINT64_FORMAT, id);
  part->thread = host->track (host, process, NPROF_TRACK_THREAD,
                              host->intern (host, text, (gsize) n), 0, id);
  part->thread_id = id;
  part->has_thread = true;
  return part->thread;
}

static nprof_track
npu_track (FuPart *part, const Span *span)
{
  bool known = span->has >> (FU_PE - FU_THREAD) & 1;
  int64_t pe = span->value[FU_PE - FU_THREAD];
  if (part->has_pe && known && part->pe_id == pe)
    return part->pe;
  nprof_track track = fu_pe_track (fu_of (part), part->chrome.host, known, pe);
  if (known) {
    part->pe = track;
    part->pe_id = pe;
    part->has_pe = true;
  }
  return track;
}

static nprof_status
attributes (FuPart *part, const Span *span)
{
  const Furiosa *f = fu_of (part);
  struct nprof_writer *w = part->chrome.w;
  nprof_status status = NPROF_OK;
  if (f->want[FU_KEY_ROW])
    status = nprof_attr_int (w, f->key[FU_KEY_ROW], (int64_t) part->row);
  if (!status && span->has_trace && f->want[FU_KEY_TRACE_ID])
    status = nprof_attr_bytes (w, f->key[FU_KEY_TRACE_ID], NPROF_ID128, span->trace_id,
                               sizeof span->trace_id);
  for (int i = 0; i < FU_COLUMNS - FU_THREAD && !status; i++)
    if (span->has >> i & 1 && f->want[FU_KEY_THREAD + i])
      status = nprof_attr_int (w, f->key[FU_KEY_THREAD + i], span->value[i]);
  return status;
}

static nprof_status
write_span (FuPart *part, const CsvRecord *record, const Span *span)
{
  const Furiosa *f = fu_of (part);
  const CsvField *cat = field_of (f, record, FU_CAT);
  nprof_track track = span->npu ? npu_track (part, span) : host_track (part, span);
  if (!track)
    return NPROF_E_NOMEM;
  nprof_str name = fu_csv_text (part, field_of (f, record, FU_NAME));
  nprof_status status = nprof_span (part->chrome.w, track, name, span->start, span->duration);
  if (status)
    return status;
  ch_started (&part->chrome, span->start);
  nprof_set_category (part->chrome.w, fu_csv_text (part, cat));
  if (span->id)
    nprof_set_id (part->chrome.w, span->id);
  if (span->parent)
    nprof_set_parent (part->chrome.w, span->parent);
  return attributes (part, span);
}

nprof_status
fu_span (FuPart *part, const CsvRecord *record)
{
  Span span = { .npu = is_npu (field_of (fu_of (part), record, FU_CAT)) };
  nprof_status status = read_ids (part, record, &span);
  if (!status)
    status = read_times (part, record, &span);
  if (!status)
    status = read_numbers (part, record, &span);
  if (status)
    return status == CH_PASSED_OVER ? NPROF_OK : status;
  FuRef ref;
  fu_ref (fu_of (part), record, &ref);
  g_array_append_val (part->refs, ref);
  return write_span (part, record, &span);
}
