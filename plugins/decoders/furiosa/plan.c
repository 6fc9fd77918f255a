/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c - plans the CSV formats: header, time 0, where parts begin, and the loop over records. */
#include "furiosa.h"

#include <stdarg.h>

#define NS_PER_S G_GINT64_CONSTANT (1000000000)
#define UNIX_NS (NS_PER_S * NS_PER_S)                    /* later than this (2001): Unix time     */
#define NEAR_NS (G_GINT64_CONSTANT (4000000) * NS_PER_S) /* 46 days: these times stay      */

/* -- Errors ------------------------------------------------------------------------------- */

char *
fu_shown (const CsvField *field)
{
  g_autofree char *text = g_utf8_make_valid (field->p, (gssize) MIN (field->len, 40));
  return g_strdup_printf ("\"%s\"%s", text, field->len > 40 ? "..." : "");
}

nprof_status
fu_csv_damage (FuPart *part, const char *at, const char *format, ...)
{
  va_list list;
  va_start (list, format);
  g_autofree char *why = g_strdup_vprintf (format, list);
  va_end (list);
  Furiosa *f = fu_of (part);
  nprof_status status = nprof_damage (part->chrome.host, fu_byte (f, at),
                                      "line %" G_GUINT64_FORMAT ": %s", part->line, why);
  return status ? status : ch_lost (&part->chrome);
}

/* -- Records --------------------------------------------------------------------------------- */

nprof_str
fu_csv_text (FuPart *part, const CsvField *field)
{
  TeValue text = { .p = field->p, .len = field->len, .kind = TE_TEXT };
  if (field->doubled) {
    if (part->scratch_len < field->len) {
      part->scratch_len = field->len;
      part->scratch = g_realloc (part->scratch, field->len);
    }
    text.len = csv_plain (field, part->scratch);
    text.p = part->scratch;
  }
  return ch_name (part->chrome.names, &text);
}

nprof_status
fu_csv_progress (FuPart *part, const char *p)
{
  part->chrome.unreported++;
  return ch_part_progress (&part->chrome, p);
}

static nprof_status
decode_spans (FuPart *part, const char *p, const char *end)
{
  Furiosa *f = fu_of (part);
  CsvRecord record;
  nprof_status status = NPROF_OK;
  while (p < end && !status) {
    p = csv_record (&record, p, end);
    if (record.why)
      status = fu_csv_damage (part, record.bad, "%s", record.why);
    else if (!csv_is_blank (&record) && record.n != f->n_columns)
      status = fu_csv_damage (part, record.at, "%u fields where the header has %u", record.n,
                              f->n_columns);
    else if (!csv_is_blank (&record))
      status = fu_span (part, &record);
    part->row += !csv_is_blank (&record);
    part->line += record.lines;
    if (!status)
      status = fu_csv_progress (part, p);
  }
  return status;
}

nprof_status
fu_csv_decode (FuPart *part, uint32_t number)
{
  Furiosa *f = fu_of (part);
  const FuCut *cut = &g_array_index (f->cuts, FuCut, number);
  const char *end = g_array_index (f->cuts, FuCut, number + 1).at;
  part->line = cut->line;
  part->row = cut->row;
  part->chrome.reported = cut->at;
  nprof_status status = f->format == FU_EDF_CSV ? fu_edf_decode (part, cut->at, end)
                                                : decode_spans (part, cut->at, end);
  return status
             ? status
             : part->chrome.host->progress (part->chrome.host, fu_byte (f, part->chrome.reported),
                                            fu_byte (f, end));
}

/* -- Header ------------------------------------------------------------------------------------ */

static int
column_of (const CsvField *field)
{
  static const char *const names[FU_COLUMNS] = { "trace_id",
                                                 "parent_span_id",
                                                 "span_id",
                                                 "start",
                                                 "end",
                                                 "cat",
                                                 "name",
                                                 "thread.id",
                                                 "dram_base",
                                                 "pe_index",
                                                 "execution_index",
                                                 "instruction_index",
                                                 "operator_index" };
  for (int i = 0; i < FU_COLUMNS; i++)
    if (csv_is (field, names[i]))
      return i;
  return -1;
}

static nprof_status
read_header (Furiosa *f, const CsvRecord *header)
{
  f->n_columns = header->n;
  for (int i = 0; i < FU_COLUMNS; i++)
    f->column[i] = -1;
  if (header->n > CSV_MOST_FIELDS)
    return nprof_fail (f->chrome.host, NPROF_E_UNSUPPORTED,
                       "line 1: %u columns; at most %u can be read", header->n, CSV_MOST_FIELDS);
  for (unsigned i = 0; i < header->n; i++) {
    int column = column_of (&header->field[i]);
    if (column < 0) {
      g_autofree char *name = fu_shown (&header->field[i]);
      g_autofree char *what = g_strdup_printf ("column %s", name);
      if (!csv_is (&header->field[i], "dur")) /* end - start, as pandas adds it */
        f->chrome.host->skip (f->chrome.host, what, fu_byte (f, header->field[i].p),
                              "no place for it");
    } else if (f->column[column] >= 0) {
      g_autofree char *name = fu_shown (&header->field[i]);
      return nprof_fail (f->chrome.host, NPROF_E_FORMAT,
                         "byte %" G_GUINT64_FORMAT ": line 1: column %s is there twice",
                         fu_byte (f, header->field[i].p), name);
    } else {
      f->column[column] = (int) i;
    }
  }
  return NPROF_OK;
}

/* -- Time 0 ------------------------------------------------------------------------------------ */

/* Finds the start of the first record that has one; else *start stays.  A CSV of spans always has
 * the column: fu_csv_format. */
static bool
first_start (const Furiosa *f, const char *p, int64_t *start)
{
  CsvRecord record;
  while (p < f->chrome.end) {
    p = csv_record (&record, p, f->chrome.end);
    if (!record.why && record.n == f->n_columns
        && csv_int (&record.field[f->column[FU_START]], start))
      return true;
  }
  return false;
}

static nprof_status
set_origin (Furiosa *f, const char *p)
{
  const struct nprof_host *host = f->chrome.host;
  int64_t first = 0;
  bool known = first_start (f, p, &first);
  bool epoch = known && first >= UNIX_NS;
  if (epoch || first > NEAR_NS || first < -NEAR_NS) {
    int64_t rest = first % NS_PER_S;
    rest += rest < 0 ? NS_PER_S : 0;
    f->zero = first < INT64_MIN + NS_PER_S ? first : first - rest;
  }
  return host->origin (host, epoch ? f->zero : NPROF_NO_EPOCH);
}

/* -- Parts ------------------------------------------------------------------------------------- */

static nprof_status
cut_parts (Furiosa *f, FuCut at)
{
  const char *end = f->chrome.end, *next = at.at;
  CsvRecord record;
  g_array_append_val (f->cuts, at);
  while (at.at < end) {
    if ((uint64_t) (at.at - next) >= f->chrome.part_bytes && f->format == FU_SPANS_CSV) {
      nprof_status status
          = f->chrome.host->progress (f->chrome.host, fu_byte (f, next), fu_byte (f, at.at));
      if (status)
        return status;
      g_array_append_val (f->cuts, at);
      next = at.at;
    }
    const char *p = csv_pass (&record, at.at, end);
    at.row += !csv_is_blank (&record);
    at.line += record.lines;
    at.at = p;
  }
  g_array_append_val (f->cuts, at);
  return NPROF_OK;
}

nprof_status
fu_csv_plan (Furiosa *f)
{
  const char *p = te_space (fu_bom (f->chrome.data, f->chrome.end), f->chrome.end);
  CsvRecord header = { .why = "" };
  FuCut first = { .line = 1 };
  for (const char *q = f->chrome.data; q < p; q++)
    first.line += *q == '\n';
  if (p < f->chrome.end)
    first.at = csv_record (&header, p, f->chrome.end);
  f->format = fu_csv_format (&header);
  if (f->format == FU_JSON)
    return nprof_fail (f->chrome.host, NPROF_E_FORMAT,
                       "byte %" G_GUINT64_FORMAT
                       ": this is none of Furiosa's formats: expected a JSON of trace events, or "
                       "a CSV that begins with trace_id,parent_span_id,span_id,start,end or "
                       "leader_device,name,cycle",
                       fu_byte (f, p));
  first.line += header.lines;
  nprof_status status = f->format == FU_SPANS_CSV ? read_header (f, &header) : NPROF_OK;
  if (!status && f->format == FU_SPANS_CSV)
    status = set_origin (f, first.at);
  return status ? status : cut_parts (f, first);
}
