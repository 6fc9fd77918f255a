/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/sdk.h - comforts over nprof/plugin.h, header-only, with no ABI of their own.
 *
 * nprof_span() and friends begin a row, nprof_attr_*() give attributes to the row
 * just begun, nprof_fail() says why something failed.  What a function cannot do
 * it returns as a status; pass that on. */
#ifndef NPROF_SDK_H
#define NPROF_SDK_H

#include <nprof/keys.h>
#include <nprof/plugin.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A row may count on this room before it needs to grow the columns. */
#define NPROF_ROW_ATTRS 64u
#define NPROF_ROW_BYTES 4096u

/* Returns whether the other side knows this member, and has set it. */
#define NPROF_KNOWS(p, member) \
  ((p)->size >= offsetof (__typeof__ (*(p)), member) + sizeof ((p)->member) && (p)->member)

/* -- Declarations (C only: C++ names each object) -------------------------- */

#ifndef __cplusplus
/* Declares an option stored at member m of T; a wrong type of m does not compile. */
#define NPROF_AT(T, m, ctype)                                                                      \
  ((uint32_t) (offsetof (T, m)                                                                     \
               + 0                                                                                 \
                     * sizeof (char[_Generic(((T *) 0)->m, ctype : 1, default                      \
                                             : -1)])))
#define NPROF_OPT(type_, at_, name_, preset_, range_, help_)                              \
  (&(const struct nprof_option) { .size = sizeof (struct nprof_option), .type = (type_),  \
                                  .name = (name_), .help = (help_), .preset = (preset_),  \
                                  .range = (range_), .offset = (at_) })
#define NPROF_INT_OPTION(T, m, name, preset, range, help) \
  NPROF_OPT (NPROF_OPT_INT, NPROF_AT (T, m, int64_t), name, preset, range, help)
#define NPROF_DOUBLE_OPTION(T, m, name, preset, range, help) \
  NPROF_OPT (NPROF_OPT_DOUBLE, NPROF_AT (T, m, double), name, preset, range, help)
#define NPROF_BOOL_OPTION(T, m, name, preset, help) \
  NPROF_OPT (NPROF_OPT_BOOL, NPROF_AT (T, m, bool), name, preset, NULL, help)
#define NPROF_STRING_OPTION(T, m, name, preset, help) \
  NPROF_OPT (NPROF_OPT_STRING, NPROF_AT (T, m, const char *), name, preset, NULL, help)
#define NPROF_CHOICE_OPTION(T, m, name, preset, range, help) \
  NPROF_OPT (NPROF_OPT_CHOICE, NPROF_AT (T, m, int32_t), name, preset, range, help)
#define NPROF_SIZE_OPTION(T, m, name, preset, range, help) \
  NPROF_OPT (NPROF_OPT_SIZE, NPROF_AT (T, m, uint64_t), name, preset, range, help)
#define NPROF_PATH_OPTION(T, m, name, preset, help) \
  NPROF_OPT (NPROF_OPT_PATH, NPROF_AT (T, m, const char *), name, preset, NULL, help)
#define NPROF_SECRET_OPTION(T, m, name, preset, help) \
  NPROF_OPT (NPROF_OPT_SECRET, NPROF_AT (T, m, const char *), name, preset, NULL, help)
#define NPROF_DURATION_OPTION(T, m, name, preset, range, help) \
  NPROF_OPT (NPROF_OPT_DURATION, NPROF_AT (T, m, int64_t), name, preset, range, help)
#define NPROF_LIST_OPTION(T, m, name, preset, help) \
  NPROF_OPT (NPROF_OPT_LIST, NPROF_AT (T, m, const char *const *), name, preset, NULL, help)
#define NPROF_OPTIONS(...) ((const struct nprof_option *const[]) { __VA_ARGS__, NULL })

#define NPROF_ATTRIBUTE(type_, key_, unit_, help_)                                           \
  (&(const struct nprof_attribute) { .size = sizeof (struct nprof_attribute), .type = (type_), \
                                     .key = (key_), .unit = (unit_), .help = (help_) })
#define NPROF_ATTRIBUTES(...) ((const struct nprof_attribute *const[]) { __VA_ARGS__, NULL })

#define NPROF_COLUMN(type_, role_, name_, unit_, help_)                               \
  (&(const struct nprof_table_column) { .size = sizeof (struct nprof_table_column),   \
                                        .type = (type_), .name = (name_),             \
                                        .unit = (unit_), .help = (help_), .role = (role_) })
#define NPROF_KEY_COLUMN(type, name, unit, help)                                                   \
  NPROF_COLUMN (type, NPROF_ROLE_KEY, name, unit, help)
#define NPROF_VALUE_COLUMN(type, name, unit, help)                                                 \
  NPROF_COLUMN (type, NPROF_ROLE_VALUE, name, unit, help)
#define NPROF_DOUBT_COLUMN(type, name, unit, help)                                                 \
  NPROF_COLUMN (type, NPROF_ROLE_DOUBT, name, unit, help)
#define NPROF_LEVEL_COLUMN(name, help) NPROF_COLUMN (NPROF_STRING, NPROF_ROLE_LEVEL, name, "", help)
#define NPROF_NOTE_COLUMN(name, help) NPROF_COLUMN (NPROF_TEXT, NPROF_ROLE_NOTE, name, "", help)
#define NPROF_INPUT_COLUMN NPROF_KEY_COLUMN (NPROF_STRING, "input", "", "label of the input")
/* Lists the columns of a table; `input` comes first by itself. */
#define NPROF_COLUMNS(...)                                                              \
  ((const struct nprof_table_column *const[]) { NPROF_INPUT_COLUMN, __VA_ARGS__, NULL })
#endif

/* -- Saying things --------------------------------------------------------- */

__attribute__ ((format (printf, 3, 4)))
static inline nprof_status
nprof_fail (const struct nprof_host *host, nprof_status status, const char *format, ...)
{
  char why[1024];
  va_list args;
  va_start (args, format);
  vsnprintf (why, sizeof why, format, args);
  va_end (args);
  return host->fail (host, status, why);
}

__attribute__ ((format (printf, 3, 4)))
static inline void
nprof_log (const struct nprof_host *host, int level, const char *format, ...)
{
  if ((uint32_t) (level == NPROF_NOTICE ? NPROF_WARNING : level) > host->log_level)
    return;
  char text[1024];
  va_list args;
  va_start (args, format);
  vsnprintf (text, sizeof text, format, args);
  va_end (args);
  host->log (host, level, text);
}

/* Reports a record that cannot be read; see host->damage. */
__attribute__ ((format (printf, 3, 4)))
static inline nprof_status
nprof_damage (const struct nprof_host *host, uint64_t at, const char *format, ...)
{
  char what[1024];
  va_list args;
  va_start (args, format);
  vsnprintf (what, sizeof what, format, args);
  va_end (args);
  return host->damage (host, at, what);
}

static inline nprof_str
nprof_intern (const struct nprof_host *host, const char *text)
{
  return host->intern (host, text, strlen (text));
}

/* Returns whether a component of the run reads attribute `key` of rows of that kind, or of some of
 * them. */
static inline bool
nprof_wanted_of (const struct nprof_host *host, const char *key, uint32_t kind)
{
  if (host->wanted (host, key))
    return true;
  const struct nprof_row_want *want;
  for (uint32_t i = 0; (want = host->row_want (host, key, i)); i++)
    if (!want->kinds || want->kinds & 1u << kind)
      return true;
  return false;
}

/* Returns whether an entry of a list of wanted tables, with its ? or without, is that table. */
static inline bool
nprof_table_want_is (const char *want, const char *table)
{
  const size_t len = strcspn (want, "?");
  return strlen (table) == len && memcmp (want, table, len) == 0;
}

static inline const char *
nprof_text (const struct nprof_host *host, nprof_str str)
{
  size_t len;
  return host->string (host, str, &len);
}

/* Returns the text that people read for a track: its label, or its key where it has none. */
static inline nprof_str
nprof_track_label (const struct nprof_track_info *track)
{
  return track->label ? track->label : track->key;
}

/* -- Tables ---------------------------------------------------------------- */

/* Returns the number of the column of that name; -1: there is none. */
static inline int
nprof_find_column (const struct nprof_table *table, const char *name)
{
  for (int c = 0; table->columns[c]; c++)
    if (strcmp (table->columns[c]->name, name) == 0)
      return c;
  return -1;
}

/* Returns whether the column identifies a row: keys do, and levels. */
static inline bool
nprof_is_key (const struct nprof_table_column *column)
{
  return column->role == NPROF_ROLE_KEY || column->role == NPROF_ROLE_LEVEL;
}

/* Returns the number of the first column of that role and type, any where type is NPROF_NULL; -1:
 * there is none. */
static inline int
nprof_find_role (const struct nprof_table *table, uint32_t role, uint32_t type)
{
  for (int c = 0; table->columns[c]; c++)
    if (table->columns[c]->role == role && (!type || table->columns[c]->type == type))
      return c;
  return -1;
}

/* Returns how many columns a table has, which is how many cells a row has. */
static inline uint32_t
nprof_count_columns (const struct nprof_table *table)
{
  uint32_t n = 0;
  while (table->columns[n])
    n++;
  return n;
}

/* Returns the cell of that column in a row; one of type NPROF_NULL where there is no such
 * column. */
static inline const struct nprof_cell *
nprof_find_cell (const struct nprof_table *table, const struct nprof_cell *row, const char *name)
{
  static const struct nprof_cell none = { NPROF_NULL, 0, { 0 } };
  const int c = nprof_find_column (table, name);
  return c < 0 ? &none : &row[c];
}

/* -- Rows ------------------------------------------------------------------ */

/* Begins a row; its optional columns are none, its attributes none. */
static inline nprof_status
nprof_row (struct nprof_writer *w, uint8_t kind, nprof_track track, nprof_str name, int64_t start,
           int64_t duration)
{
  if (w->n_rows == w->max_rows || w->max_attrs - w->n_attrs < NPROF_ROW_ATTRS
      || w->max_bytes - w->n_bytes < NPROF_ROW_BYTES) {
    nprof_status status = w->flush (w);
    if (status)
      return status;
  }
  uint32_t i = w->n_rows++;
  w->start[i] = start;
  w->duration[i] = duration;
  w->track[i] = track;
  w->name[i] = name;
  w->category[i] = 0;
  w->kind[i] = kind;
  w->attr_at[i + 1] = w->n_attrs;
  return NPROF_OK;
}

static inline nprof_status
nprof_span (struct nprof_writer *w, nprof_track track, nprof_str name, int64_t start,
            int64_t duration)
{
  return nprof_row (w, NPROF_SPAN, track, name, start, duration);
}

static inline nprof_status
nprof_instant (struct nprof_writer *w, nprof_track track, nprof_str name, int64_t start)
{
  return nprof_row (w, NPROF_INSTANT, track, name, start, 0);
}

static inline void
nprof_set_value (struct nprof_writer *w, double value)
{
  uint32_t i = w->n_rows - 1;
  w->value[i] = value;
  w->value_valid[i >> 3] = (uint8_t) (w->value_valid[i >> 3] | 1u << (i & 7));
  w->present |= NPROF_HAS_VALUE;
}

static inline void
nprof_set_category (struct nprof_writer *w, nprof_str category)
{
  w->category[w->n_rows - 1] = category;
}

static inline void
nprof_set_id (struct nprof_writer *w, uint64_t id)
{
  w->id[w->n_rows - 1] = id;
  w->present |= NPROF_HAS_ID;
}

static inline void
nprof_set_parent (struct nprof_writer *w, uint64_t parent)
{
  w->parent[w->n_rows - 1] = parent;
  w->present |= NPROF_HAS_PARENT;
}

static inline void
nprof_set_flow (struct nprof_writer *w, uint64_t flow)
{
  w->flow[w->n_rows - 1] = flow;
  w->present |= NPROF_HAS_FLOW;
}

static inline void
nprof_set_shared (struct nprof_writer *w, nprof_set shared)
{
  w->shared[w->n_rows - 1] = shared;
  w->present |= NPROF_HAS_SHARED;
}

static inline nprof_status
nprof_counter (struct nprof_writer *w, nprof_track track, nprof_str name, int64_t start,
               double value)
{
  nprof_status status = nprof_row (w, NPROF_COUNTER, track, name, start, 0);
  if (status == NPROF_OK)
    nprof_set_value (w, value);
  return status;
}

/* Makes the set that says in what unit a counter counts, for all of its rows; 0: memory is out. The
 * component declares attribute NPROF_KEY_UNIT. */
static inline nprof_set
nprof_unit (const struct nprof_host *host, const char *unit)
{
  nprof_str key = nprof_intern (host, NPROF_KEY_UNIT);
  uint8_t type = NPROF_STRING;
  nprof_value value = { 0 };
  struct nprof_attrs attrs = { sizeof attrs, 1, &key, &type, &value, NULL };
  value.s = nprof_intern (host, unit);
  return host->attrs (host, &attrs);
}

/* Begins a row of a counter whose unit is known; of unit 0, which nprof_unit had no memory for, it
 * fails. */
static inline nprof_status
nprof_counter_in (struct nprof_writer *w, nprof_track track, nprof_str name, nprof_set unit,
                  int64_t start, double value)
{
  nprof_status status = unit ? nprof_counter (w, track, name, start, value) : NPROF_E_NOMEM;
  if (status == NPROF_OK)
    nprof_set_shared (w, unit);
  return status;
}

/* Adds an attribute to the row just begun; a row may have any number. */
static inline nprof_status
nprof_attr (struct nprof_writer *w, nprof_str key, uint8_t type, nprof_value value)
{
  if (w->n_attrs == w->max_attrs) {
    nprof_status status = w->grow (w, NPROF_ROW_ATTRS, 0);
    if (status)
      return status;
  }
  uint32_t j = w->n_attrs++;
  w->attr_key[j] = key;
  w->attr_type[j] = type;
  w->attr_value[j] = value;
  w->attr_at[w->n_rows] = w->n_attrs;
  return NPROF_OK;
}

static inline nprof_status
nprof_attr_int (struct nprof_writer *w, nprof_str key, int64_t i)
{
  nprof_value v;
  v.i = i;
  return nprof_attr (w, key, NPROF_INT64, v);
}

static inline nprof_status
nprof_attr_uint (struct nprof_writer *w, nprof_str key, uint64_t u)
{
  nprof_value v;
  v.u = u;
  return nprof_attr (w, key, NPROF_UINT64, v);
}

static inline nprof_status
nprof_attr_double (struct nprof_writer *w, nprof_str key, double f)
{
  nprof_value v;
  v.f = f;
  return nprof_attr (w, key, NPROF_DOUBLE, v);
}

static inline nprof_status
nprof_attr_str (struct nprof_writer *w, nprof_str key, nprof_str s)
{
  nprof_value v;
  v.u = 0;
  v.s = s;
  return nprof_attr (w, key, NPROF_STRING, v);
}

/* Adds text, json or id128, which are copied into the batch. */
static inline nprof_status
nprof_attr_bytes (struct nprof_writer *w, nprof_str key, uint8_t type, const void *data,
                  uint32_t len)
{
  if (w->max_bytes - w->n_bytes < len) {
    nprof_status status = w->grow (w, 0, len);
    if (status)
      return status;
  }
  nprof_value v;
  v.bytes.at = w->n_bytes;
  v.bytes.len = len;
  if (len)
    memcpy (w->bytes + w->n_bytes, data, len);
  w->n_bytes += len;
  return nprof_attr (w, key, type, v);
}

/* Returns whether the selection leaves the row out; only analyzers with NPROF_ANALYZER_CONTEXT are
 * given such rows. */
static inline bool
nprof_hidden (const struct nprof_batch *batch, uint32_t i)
{
  return NPROF_KNOWS (batch, hidden) && (batch->hidden[i >> 3] >> (i & 7) & 1);
}

/* -- Cells of tables ------------------------------------------------------- */

static inline struct nprof_cell
nprof_cell_null (void)
{
  struct nprof_cell c;
  memset (&c, 0, sizeof c);
  return c;
}

static inline struct nprof_cell
nprof_cell_int (int64_t i)
{
  struct nprof_cell c = nprof_cell_null ();
  c.type = NPROF_INT64;
  c.v.i = i;
  return c;
}

static inline struct nprof_cell
nprof_cell_uint (uint64_t u)
{
  struct nprof_cell c = nprof_cell_null ();
  c.type = NPROF_UINT64;
  c.v.u = u;
  return c;
}

static inline struct nprof_cell
nprof_cell_double (double f)
{
  struct nprof_cell c = nprof_cell_null ();
  c.type = NPROF_DOUBLE;
  c.v.f = f;
  return c;
}

static inline struct nprof_cell
nprof_cell_str (nprof_str s)
{
  struct nprof_cell c = nprof_cell_null ();
  c.type = NPROF_STRING;
  c.v.s = s;
  return c;
}

/* NULL stands for an unknown text. */
static inline struct nprof_cell
nprof_cell_text (const char *text)
{
  struct nprof_cell c = nprof_cell_null ();
  if (!text)
    return c;
  c.type = NPROF_TEXT;
  c.len = (uint32_t) strlen (text);
  c.v.text = text;
  return c;
}

/* D: returns the first cell of each row, the label of its input. */
static inline struct nprof_cell
nprof_cell_own_input (const struct nprof_host *host)
{
  return nprof_cell_str (host->input (host, host->own_input)->label);
}

#endif
