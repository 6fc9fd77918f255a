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
 *   NPROF_TABLE_OF (gaps, "vendor.gaps", "Gaps", NULL, GAPS)    a third party's, instead
 *
 *   add_row (&gaps_table, gaps_cells (input, &(struct gaps_row){
 *       .device = nprof_some_str (label), .duration = nprof_some_int (end - start) }).cells);
 *
 * An entry is a kind, a member, and what it means.  Kinds of keys: KEY, a string of the run;
 * TEXT_KEY, INT_KEY, UINT_KEY, DOUBLE_KEY, BOOL_KEY, PS_KEY, BYTES_KEY, ID_KEY of 16 bytes; LEVEL.
 * Values: STRING of the run, TEXT, JSON, NOTE (why or by what), BOOL; PS, picoseconds, of a column
 * with _ns at its end; COUNT and UINT, BYTES and UINT_BYTES, FLOPS, whole numbers; RATIO, 0 to 1;
 * RATE, byte/s; NUMBER without a unit.  DOUBT and BOOL_DOUBT: what may be missing.
 * Of another unit, or named as no member can be:
 *
 *   C (INT_IN, begin_cycle, "cycle", "first cycle")       UINT_IN, DOUBLE_IN, UINT_KEY_IN too
 *   C (INT_AS, least, "Min (ns)", "ns", "the shortest")   DOUBLE_AS too */
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

struct nprof_maybe_uint {
  uint64_t value;
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

struct nprof_maybe_bool {
  bool value;
  bool known;
};

/* Texts are copied when the row is added. */
struct nprof_maybe_text {
  const char *value;
  uint32_t len;
  bool known;
};

struct nprof_maybe_json {
  const char *value;
  uint32_t len;
  bool known;
};

struct nprof_maybe_id {
  const uint8_t *value; /* 16 bytes */
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

static inline struct nprof_maybe_uint
nprof_some_uint (uint64_t value)
{
  return (struct nprof_maybe_uint){ value, true };
}

static inline struct nprof_maybe_uint
nprof_uint_if (bool known, uint64_t value)
{
  return known ? nprof_some_uint (value) : (struct nprof_maybe_uint){ 0, false };
}

/* NaN is unknown. */
static inline struct nprof_maybe_double
nprof_some_double (double value)
{
  return (struct nprof_maybe_double){ isnan (value) ? 0 : value, !isnan (value) };
}

static inline struct nprof_maybe_double
nprof_double_if (bool known, double value)
{
  return nprof_some_double (known ? value : NAN);
}

/* 0 is unknown. */
static inline struct nprof_maybe_str
nprof_some_str (nprof_str value)
{
  return (struct nprof_maybe_str){ value, value != 0 };
}

/* 0 is the empty string. */
static inline struct nprof_maybe_str
nprof_any_str (nprof_str value)
{
  return (struct nprof_maybe_str){ value, true };
}

static inline struct nprof_maybe_str
nprof_str_if (bool known, nprof_str value)
{
  return (struct nprof_maybe_str){ known ? value : 0, known };
}

static inline struct nprof_maybe_bool
nprof_some_bool (bool value)
{
  return (struct nprof_maybe_bool){ value, true };
}

static inline struct nprof_maybe_bool
nprof_bool_if (bool known, bool value)
{
  return (struct nprof_maybe_bool){ known && value, known };
}

/* NULL is unknown. */
static inline struct nprof_maybe_text
nprof_text_of_len (const char *value, size_t len)
{
  return (struct nprof_maybe_text){ value, (uint32_t) len, value != NULL };
}

/* NULL is unknown. */
static inline struct nprof_maybe_text
nprof_some_text (const char *value)
{
  return nprof_text_of_len (value, value ? strlen (value) : 0);
}

static inline struct nprof_maybe_text
nprof_text_if (bool known, const char *value)
{
  return nprof_some_text (known ? value : NULL);
}

/* NULL is unknown. */
static inline struct nprof_maybe_json
nprof_json_of_len (const char *value, size_t len)
{
  return (struct nprof_maybe_json){ value, (uint32_t) len, value != NULL };
}

/* NULL is unknown. */
static inline struct nprof_maybe_json
nprof_some_json (const char *value)
{
  return nprof_json_of_len (value, value ? strlen (value) : 0);
}

/* NULL is unknown. */
static inline struct nprof_maybe_id
nprof_some_id (const uint8_t *value)
{
  return (struct nprof_maybe_id){ value, value != NULL };
}

/* -- Kinds of columns: the type of the member, the column, the cell -------------------------- */

#define NPROF_MEMBER_KEY struct nprof_maybe_str
#define NPROF_MEMBER_TEXT_KEY struct nprof_maybe_text
#define NPROF_MEMBER_INT_KEY struct nprof_maybe_int
#define NPROF_MEMBER_UINT_KEY struct nprof_maybe_uint
#define NPROF_MEMBER_DOUBLE_KEY struct nprof_maybe_double
#define NPROF_MEMBER_BOOL_KEY struct nprof_maybe_bool
#define NPROF_MEMBER_PS_KEY struct nprof_maybe_int
#define NPROF_MEMBER_BYTES_KEY struct nprof_maybe_int
#define NPROF_MEMBER_ID_KEY struct nprof_maybe_id
#define NPROF_MEMBER_LEVEL struct nprof_maybe_str
#define NPROF_MEMBER_STRING struct nprof_maybe_str
#define NPROF_MEMBER_TEXT struct nprof_maybe_text
#define NPROF_MEMBER_JSON struct nprof_maybe_json
#define NPROF_MEMBER_NOTE struct nprof_maybe_text
#define NPROF_MEMBER_BOOL struct nprof_maybe_bool
#define NPROF_MEMBER_PS struct nprof_maybe_int
#define NPROF_MEMBER_COUNT struct nprof_maybe_int
#define NPROF_MEMBER_UINT struct nprof_maybe_uint
#define NPROF_MEMBER_BYTES struct nprof_maybe_int
#define NPROF_MEMBER_UINT_BYTES struct nprof_maybe_uint
#define NPROF_MEMBER_FLOPS struct nprof_maybe_int
#define NPROF_MEMBER_RATIO struct nprof_maybe_double
#define NPROF_MEMBER_RATE struct nprof_maybe_double
#define NPROF_MEMBER_NUMBER struct nprof_maybe_double
#define NPROF_MEMBER_DOUBT struct nprof_maybe_int
#define NPROF_MEMBER_BOOL_DOUBT struct nprof_maybe_bool
#define NPROF_MEMBER_UINT_KEY_IN struct nprof_maybe_uint
#define NPROF_MEMBER_INT_IN struct nprof_maybe_int
#define NPROF_MEMBER_UINT_IN struct nprof_maybe_uint
#define NPROF_MEMBER_DOUBLE_IN struct nprof_maybe_double
#define NPROF_MEMBER_INT_AS struct nprof_maybe_int
#define NPROF_MEMBER_DOUBLE_AS struct nprof_maybe_double

#define NPROF_COLUMN_KEY(m, help) NPROF_KEY_COLUMN (NPROF_STRING, #m, "", help)
#define NPROF_COLUMN_TEXT_KEY(m, help) NPROF_KEY_COLUMN (NPROF_TEXT, #m, "", help)
#define NPROF_COLUMN_INT_KEY(m, help) NPROF_KEY_COLUMN (NPROF_INT64, #m, "", help)
#define NPROF_COLUMN_UINT_KEY(m, help) NPROF_KEY_COLUMN (NPROF_UINT64, #m, "", help)
#define NPROF_COLUMN_DOUBLE_KEY(m, help) NPROF_KEY_COLUMN (NPROF_DOUBLE, #m, "", help)
#define NPROF_COLUMN_BOOL_KEY(m, help) NPROF_KEY_COLUMN (NPROF_BOOL, #m, "", help)
#define NPROF_COLUMN_PS_KEY(m, help) NPROF_KEY_COLUMN (NPROF_INT64, #m "_ns", "ps", help)
#define NPROF_COLUMN_BYTES_KEY(m, help) NPROF_KEY_COLUMN (NPROF_INT64, #m, "byte", help)
#define NPROF_COLUMN_ID_KEY(m, help) NPROF_KEY_COLUMN (NPROF_ID128, #m, "", help)
#define NPROF_COLUMN_LEVEL(m, help) NPROF_LEVEL_COLUMN (#m, help)
#define NPROF_COLUMN_STRING(m, help) NPROF_VALUE_COLUMN (NPROF_STRING, #m, "", help)
#define NPROF_COLUMN_TEXT(m, help) NPROF_VALUE_COLUMN (NPROF_TEXT, #m, "", help)
#define NPROF_COLUMN_JSON(m, help) NPROF_VALUE_COLUMN (NPROF_JSON, #m, "", help)
#define NPROF_COLUMN_NOTE(m, help) NPROF_NOTE_COLUMN (#m, help)
#define NPROF_COLUMN_BOOL(m, help) NPROF_VALUE_COLUMN (NPROF_BOOL, #m, "", help)
#define NPROF_COLUMN_PS(m, help) NPROF_VALUE_COLUMN (NPROF_INT64, #m "_ns", "ps", help)
#define NPROF_COLUMN_COUNT(m, help) NPROF_VALUE_COLUMN (NPROF_INT64, #m, "", help)
#define NPROF_COLUMN_UINT(m, help) NPROF_VALUE_COLUMN (NPROF_UINT64, #m, "", help)
#define NPROF_COLUMN_BYTES(m, help) NPROF_VALUE_COLUMN (NPROF_INT64, #m, "byte", help)
#define NPROF_COLUMN_UINT_BYTES(m, help) NPROF_VALUE_COLUMN (NPROF_UINT64, #m, "byte", help)
#define NPROF_COLUMN_FLOPS(m, help) NPROF_VALUE_COLUMN (NPROF_INT64, #m, "flop", help)
#define NPROF_COLUMN_RATIO(m, help) NPROF_VALUE_COLUMN (NPROF_DOUBLE, #m, "1", help)
#define NPROF_COLUMN_RATE(m, help) NPROF_VALUE_COLUMN (NPROF_DOUBLE, #m, "byte/s", help)
#define NPROF_COLUMN_NUMBER(m, help) NPROF_VALUE_COLUMN (NPROF_DOUBLE, #m, "", help)
#define NPROF_COLUMN_DOUBT(m, help) NPROF_DOUBT_COLUMN (NPROF_INT64, #m, "", help)
#define NPROF_COLUMN_BOOL_DOUBT(m, help) NPROF_DOUBT_COLUMN (NPROF_BOOL, #m, "", help)
#define NPROF_COLUMN_UINT_KEY_IN(m, unit, help) NPROF_KEY_COLUMN (NPROF_UINT64, #m, unit, help)
#define NPROF_COLUMN_INT_IN(m, unit, help) NPROF_VALUE_COLUMN (NPROF_INT64, #m, unit, help)
#define NPROF_COLUMN_UINT_IN(m, unit, help) NPROF_VALUE_COLUMN (NPROF_UINT64, #m, unit, help)
#define NPROF_COLUMN_DOUBLE_IN(m, unit, help) NPROF_VALUE_COLUMN (NPROF_DOUBLE, #m, unit, help)
#define NPROF_COLUMN_INT_AS(m, name, unit, help) NPROF_VALUE_COLUMN (NPROF_INT64, name, unit, help)
#define NPROF_COLUMN_DOUBLE_AS(m, name, unit, help)                                                \
  NPROF_VALUE_COLUMN (NPROF_DOUBLE, name, unit, help)

static inline struct nprof_cell
nprof_int_cell (struct nprof_maybe_int i)
{
  return i.known ? nprof_cell_int (i.value) : nprof_cell_null ();
}

static inline struct nprof_cell
nprof_uint_cell (struct nprof_maybe_uint u)
{
  return u.known ? nprof_cell_uint (u.value) : nprof_cell_null ();
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
nprof_bytes_cell (bool known, uint8_t type, const char *value, uint32_t len)
{
  struct nprof_cell cell = nprof_cell_null ();
  if (!known)
    return cell;
  cell.type = type;
  cell.len = len;
  cell.v.text = value;
  return cell;
}

static inline struct nprof_cell
nprof_text_cell (struct nprof_maybe_text t)
{
  return nprof_bytes_cell (t.known, NPROF_TEXT, t.value, t.len);
}

static inline struct nprof_cell
nprof_bool_cell (struct nprof_maybe_bool b)
{
  struct nprof_cell cell = nprof_cell_null ();
  cell.type = b.known ? NPROF_BOOL : NPROF_NULL;
  cell.v.u = b.value;
  return cell;
}

static inline struct nprof_cell
nprof_json_cell (struct nprof_maybe_json j)
{
  return nprof_bytes_cell (j.known, NPROF_JSON, j.value, j.len);
}

static inline struct nprof_cell
nprof_id_cell (struct nprof_maybe_id id)
{
  return nprof_bytes_cell (id.known, NPROF_ID128, (const char *) id.value, 16);
}

#define NPROF_CELL_OF(m)                                                                           \
  _Generic((m), struct nprof_maybe_int                                                             \
           : nprof_int_cell, struct nprof_maybe_uint                                               \
           : nprof_uint_cell, struct nprof_maybe_double                                            \
           : nprof_double_cell, struct nprof_maybe_str                                             \
           : nprof_str_cell, struct nprof_maybe_bool                                               \
           : nprof_bool_cell, struct nprof_maybe_json                                              \
           : nprof_json_cell, struct nprof_maybe_id                                                \
           : nprof_id_cell, struct nprof_maybe_text                                                \
           : nprof_text_cell) (m)

/* -- What comes of a list of columns --------------------------------------------------------- */

#define NPROF_TABLE_MEMBER(kind, m, ...) NPROF_MEMBER_##kind m;
#define NPROF_TABLE_COLUMN(kind, m, ...) NPROF_COLUMN_##kind (m, __VA_ARGS__),
#define NPROF_TABLE_CELL(kind, m, ...) NPROF_CELL_OF (row->m),
#define NPROF_TABLE_ONE(kind, m, ...) +1

/* NAME_table, the declaration, which NPROF_TABLE defines in one file; struct NAME_row; NAME_cells,
 * which makes an array of the cells of one with its input. */
#define NPROF_TABLE_ROW(name, COLUMNS)                                                             \
  extern const struct nprof_table name##_table;                                                    \
  struct name##_row {                                                                              \
    COLUMNS (NPROF_TABLE_MEMBER)                                                                   \
  };                                                                                               \
  struct name##_cells {                                                                            \
    struct nprof_cell cells[1 COLUMNS (NPROF_TABLE_ONE)];                                          \
  };                                                                                               \
  static inline struct name##_cells name##_cells (struct nprof_cell input,                         \
                                                  const struct name##_row *row)                    \
  {                                                                                                \
    return (struct name##_cells){ { input, COLUMNS (NPROF_TABLE_CELL) } };                         \
  }

#define NPROF_TABLE(name_, title_, note_, COLUMNS)                                                 \
  NPROF_TABLE_OF (name_, #name_, title_, note_, COLUMNS)
#define NPROF_TABLE_OF(ident_, name_, title_, note_, COLUMNS)                                      \
  const struct nprof_table ident_##_table                                                          \
      = { .size = sizeof (struct nprof_table),                                                     \
          .name = (name_),                                                                         \
          .title = (title_),                                                                       \
          .note = (note_),                                                                         \
          .columns = (const struct nprof_table_column *const[]){                                   \
              NPROF_INPUT_COLUMN, COLUMNS (NPROF_TABLE_COLUMN) NULL } };

#endif
#endif
