/* SPDX-License-Identifier: Apache-2.0 */
/* edf.c - reads records of the EDF profiler: one execution of a stage of the compiled graph each,
 * with the cycles that it took.  They have no start; with a clock the stages of a device are laid
 * end to end, in the order of the file. format: furiosa.md 1.1 (F4), 1.7 */
#include "furiosa.h"

typedef struct {
  CsvField device, name, cycle;
  nprof_str device_str, name_str, stage;
  int64_t cycles;
} Stage;

/* Splits a record; a name with commas is one field also where it has no quotes around it. */
static bool
split (const CsvRecord *record, Stage *stage)
{
  if (record->n < 3)
    return false;
  stage->device = record->field[0];
  stage->name = record->field[1];
  if (record->n == 3) {
    stage->cycle = record->field[2];
    return true;
  }
  const char *from = record->field[1].p,
             *comma = memrchr (record->at, ',', (size_t) (record->end - record->at));
  for (unsigned i = 0; i < MIN (record->n, CSV_MOST_FIELDS); i++)
    if (record->field[i].quoted)
      return false;
  stage->name = (CsvField){ from, (size_t) (comma - from), false, false };
  stage->cycle = (CsvField){ comma + 1, (size_t) (record->end - comma - 1), false, false };
  return memchr (from, '(', stage->name.len) || memchr (from, '{', stage->name.len);
}

/* Returns "Tokenwise" of "Tokenwise(TokenwiseBucket { input_size: 8 }) #0"; 0: it has none. */
static nprof_str
stage_of (FuPart *part, const CsvField *name)
{
  const char *open = memchr (name->p, '(', name->len);
  CsvField stage = { name->p, open ? (size_t) (open - name->p) : 0, false, false };
  return fu_csv_text (part, &stage);
}

/* -- With a clock ----------------------------------------------------------------------- */

static nprof_status
write_row (FuPart *part, GHashTable *spent, const Stage *stage)
{
  Furiosa *f = fu_of (part);
  struct nprof_writer *w = part->chrome.w;
  int64_t *cycles = g_hash_table_lookup (spent, GUINT_TO_POINTER (stage->device_str)), end, from,
          to;
  if (!cycles) {
    cycles = g_new0 (int64_t, 1);
    g_hash_table_insert (spent, GUINT_TO_POINTER (stage->device_str), cycles);
  }
  if (__builtin_add_overflow (*cycles, stage->cycles, &end) || !fu_cycles_ps (f, *cycles, &from)
      || !fu_cycles_ps (f, end, &to))
    return fu_csv_damage (part, stage->cycle.p, "the cycles up to here are more than 106 days");
  *cycles = end;
  nprof_track track = part->chrome.host->track (part->chrome.host, 0, NPROF_TRACK_DEVICE,
                                                stage->device_str, 0, 0);
  nprof_status status
      = track ? nprof_span (w, track, stage->name_str, from, to - from) : NPROF_E_NOMEM;
  if (status)
    return status;
  ch_started (&part->chrome, from);
  nprof_set_category (w, stage->stage);
  if (f->want[FU_KEY_ROW])
    status = nprof_attr_int (w, f->key[FU_KEY_ROW], (int64_t) part->row);
  return status || !f->want[FU_KEY_CYCLES]
             ? status
             : nprof_attr_int (w, f->key[FU_KEY_CYCLES], stage->cycles);
}

/* -- Records -------------------------------------------------------------------------------- */

static nprof_status
stage_row (FuPart *part, GHashTable *spent, Stage *stage)
{
  Furiosa *f = fu_of (part);
  if (!csv_int (&stage->cycle, &stage->cycles) || stage->cycles < 0) {
    g_autofree char *shown = fu_shown (&stage->cycle);
    return fu_csv_damage (part, stage->cycle.p,
                          "cycle is %s, expected a whole number that is not negative", shown);
  }
  stage->device_str = fu_csv_text (part, &stage->device);
  stage->name_str = fu_csv_text (part, &stage->name);
  stage->stage = stage_of (part, &stage->name);
  if (f->milli_hz)
    return write_row (part, spent, stage);
  FuCycles cycles = { .device = stage->device_str,
                      .stage = stage->stage,
                      .name = stage->name_str,
                      .row = part->row,
                      .cycles = stage->cycles };
  return fu_cycles_row (f, part->chrome.host, &cycles);
}

static nprof_status
edf_record (FuPart *part, GHashTable *spent, const CsvRecord *record)
{
  Furiosa *f = fu_of (part);
  Stage stage;
  if (record->why)
    return fu_csv_damage (part, record->bad, "%s", record->why);
  if (csv_is_blank (record))
    return NPROF_OK;
  if (fu_csv_format (record) == FU_EDF_CSV) {
    f->chrome.host->skip (f->chrome.host, "header", fu_byte (f, record->at),
                          "it is there more than once");
    return NPROF_OK;
  }
  if (!split (record, &stage))
    return fu_csv_damage (part, record->at, "%u fields, expected leader_device,name,cycle",
                          record->n);
  return stage_row (part, spent, &stage);
}

nprof_status
fu_edf_decode (FuPart *part, const char *p, const char *end)
{
  g_autoptr (GHashTable) spent = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  CsvRecord record;
  nprof_status status = NPROF_OK;
  while (p < end && !status) {
    p = csv_record (&record, p, end);
    status = edf_record (part, spent, &record);
    part->row += !csv_is_blank (&record);
    part->line += record.lines;
    if (!status)
      status = fu_csv_progress (part, p);
  }
  return status;
}
