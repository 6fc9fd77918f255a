/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/table.h - a table declared once, header-only: from one list of columns come what nprof is
 * told, a struct of a row, and its cells, so that no cell can be in another's place and one that is
 * left out is unknown, never 0.  C only.
 *
 *   #define GAPS(C)                                    \
 *     C (KEY, device, "device or core")                \
 *     C (PS, duration, "from its start to its end")    \
 *     C (RATIO, share, "of the span of its device")    \
 *     C (NOTE, reason, "why share is unknown")
 *   NPROF_TABLE_ROW (gaps, GAPS)
 *   NPROF_TABLE (gaps, "Gaps", "A note, or NULL.", GAPS)
 *
 *   add_row (&gaps_table, gaps_cells (input, &(struct gaps_row){
 *       .device = nprof_some_str (label), .duration = nprof_some_int (end - start) }).cells);
 *
 * KEY: a string of the run.  PS: picoseconds, of a column with _ns at its end.  COUNT and BYTES:
 * whole numbers.  RATIO: 0 to 1.  TEXT and NOTE: texts, the second why or by what. */
#ifndef NPROF_TABLE_H
#define NPROF_TABLE_H

#include <math.h>
#include <nprof/sdk.h>

#ifndef __cplusplus

/* -- Values that may be unknown: all that is 0 is ------------------------------------------- */

struct nprof_maybe_int {
  int64_t value;
  bool known;
};

struct nprof_maybe_double {
  double value;
  bool known;
};

struct nprof_maybe_str {
  nprof_str value;
  bool known;
};

struct nprof_maybe_text {
  const char *value;
  bool known;
};

static inline struct nprof_maybe_int
nprof_some_int (int64_t value)
{
  return (struct nprof_maybe_int){ value, true };
}

static inline struct nprof_maybe_int
nprof_int_if (bool known, int64_t value)
{
  return known ? nprof_some_int (value) : (struct nprof_maybe_int){ 0, false };
}

/* NaN is unknown. */
static inline struct nprof_maybe_double
nprof_some_double (double value)
{
  return (struct nprof_maybe_double){ isnan (value) ? 0 : value, !isnan (value) };
}

/* 0 is unknown. */
static inline struct nprof_maybe_str
nprof_some_str (nprof_str value)
{
  return (struct nprof_maybe_str){ value, value != 0 };
}

/* NULL is unknown. */
static inline struct nprof_maybe_text
nprof_some_text (const char *value)
{
  return (struct nprof_maybe_text){ value, value != NULL };
}

/* -- Kinds of columns: the type of the member, the column, the cell -------------------------- */

#define NPROF_MEMBER_KEY struct nprof_maybe_str
#define NPROF_MEMBER_PS struct nprof_maybe_int
#define NPROF_MEMBER_COUNT struct nprof_maybe_int
#define NPROF_MEMBER_BYTES struct nprof_maybe_int
#define NPROF_MEMBER_RATIO struct nprof_maybe_double
#define NPROF_MEMBER_TEXT struct nprof_maybe_text
#define NPROF_MEMBER_NOTE struct nprof_maybe_text

#define NPROF_COLUMN_KEY(m, help) NPROF_KEY_COLUMN (NPROF_STRING, #m, "", help)
#define NPROF_COLUMN_PS(m, help) NPROF_VALUE_COLUMN (NPROF_INT64, #m "_ns", "ps", help)
#define NPROF_COLUMN_COUNT(m, help) NPROF_VALUE_COLUMN (NPROF_INT64, #m, "", help)
#define NPROF_COLUMN_BYTES(m, help) NPROF_VALUE_COLUMN (NPROF_INT64, #m, "byte", help)
#define NPROF_COLUMN_RATIO(m, help) NPROF_VALUE_COLUMN (NPROF_DOUBLE, #m, "1", help)
#define NPROF_COLUMN_TEXT(m, help) NPROF_VALUE_COLUMN (NPROF_TEXT, #m, "", help)
#define NPROF_COLUMN_NOTE(m, help) NPROF_NOTE_COLUMN (#m, help)

static inline struct nprof_cell
nprof_int_cell (struct nprof_maybe_int i)
{
  return i.known ? nprof_cell_int (i.value) : nprof_cell_null ();
}

static inline struct nprof_cell
nprof_double_cell (struct nprof_maybe_double f)
{
  return f.known ? nprof_cell_double (f.value) : nprof_cell_null ();
}

static inline struct nprof_cell
nprof_str_cell (struct nprof_maybe_str s)
{
  return s.known ? nprof_cell_str (s.value) : nprof_cell_null ();
}

static inline struct nprof_cell
nprof_text_cell (struct nprof_maybe_text t)
{
  return t.known ? nprof_cell_text (t.value) : nprof_cell_null ();
}

#define NPROF_CELL_OF(m)                                        \
  _Generic ((m),                                                \
      struct nprof_maybe_int: nprof_int_cell,                   \
      struct nprof_maybe_double: nprof_double_cell,             \
      struct nprof_maybe_str: nprof_str_cell,                   \
      struct nprof_maybe_text: nprof_text_cell) (m)

/* -- What comes of a list of columns --------------------------------------------------------- */

#define NPROF_TABLE_MEMBER(kind, m, help) NPROF_MEMBER_##kind m;
#define NPROF_TABLE_COLUMN(kind, m, help) NPROF_COLUMN_##kind (m, help),
#define NPROF_TABLE_CELL(kind, m, help) NPROF_CELL_OF (row->m),
#define NPROF_TABLE_ONE(kind, m, help) + 1

/* struct NAME_row, and NAME_cells, which makes an array of the cells of one with its input. */
#define NPROF_TABLE_ROW(name, COLUMNS)                                              \
  struct name##_row {                                                               \
    COLUMNS (NPROF_TABLE_MEMBER)                                                    \
  };                                                                                \
  struct name##_cells {                                                             \
    struct nprof_cell cells[1 COLUMNS (NPROF_TABLE_ONE)];                           \
  };                                                                                \
  static inline struct name##_cells name##_cells (struct nprof_cell input,          \
                                                  const struct name##_row *row)     \
  {                                                                                 \
    return (struct name##_cells){ { input, COLUMNS (NPROF_TABLE_CELL) } };          \
  }

/* Defines NAME_table, the declaration; other files of the plugin have it extern. */
#define NPROF_TABLE(name_, title_, note_, COLUMNS)                                  \
  const struct nprof_table name_##_table = {                                        \
    .size = sizeof (struct nprof_table),                                            \
    .name = #name_,                                                                 \
    .title = (title_),                                                              \
    .note = (note_),                                                                \
    .columns = (const struct nprof_table_column *const[]){                          \
        NPROF_INPUT_COLUMN, COLUMNS (NPROF_TABLE_COLUMN) NULL }                     \
  };

#endif
#endif
