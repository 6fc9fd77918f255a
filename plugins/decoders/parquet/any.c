/* SPDX-License-Identifier: Apache-2.0 */
/* any.c - reads any table: options and the names that such columns usually have tell which column
 * is the start, the name, the track.  A table without a start is no timeline: it becomes a table of
 * the run. */
#include "parquet.h"

#include <nprof/sdk.h>
#include <stdlib.h>
#include <string.h>

#define PS_PER_S G_GINT64_CONSTANT (1000000000000)
#define DAYS_106 ((__int128) 106 * 86400 * PS_PER_S)
#define YEAR_2000 ((__int128) 946684800 * PS_PER_S)
#define YEAR_2100 ((__int128) 4102444800 * PS_PER_S)

/* -- Units ----------------------------------------------------------------- */

static const struct {
  const char *name;
  gint64 ps;
} units[]
    = { { "ps", 1 }, { "ns", 1000 }, { "us", 1000000 }, { "ms", 1000000000 }, { "s", PS_PER_S } };

gint64
any_unit (const char *name)
{
  for (gsize k = 0; k < G_N_ELEMENTS (units); k++)
    if (!g_ascii_strcasecmp (units[k].name, name))
      return units[k].ps;
  return 0;
}

/* Reads the unit from the name of a column, as of start_us or ts; 0: the name does not say. */
static gint64
unit_of_name (const char *name)
{
  const char *last = strrchr (name, '_');
  last = last ? last + 1 : name;
  return !g_ascii_strcasecmp (last, "ts") ? 1000 : last == name ? 0 : any_unit (last);
}

/* -- Columns --------------------------------------------------------------- */

static gboolean
is_flat (const Source *s, guint node)
{
  const PqNode *n = pq_node (s->footer, node);
  return !n->n_children && n->repetition != PQ_REPEATED;
}

static gboolean
is_time (const PqNode *n)
{
  return n->type == PQ_INT32 || n->type == PQ_INT64 || n->type == PQ_FLOAT || n->type == PQ_DOUBLE
         || n->type == PQ_INT96 || n->logical == PQ_L_DECIMAL;
}

static gboolean
is_number (const PqNode *n)
{
  ValueAs as = value_as (n);
  return as == AS_INT64 || as == AS_UINT64 || as == AS_DOUBLE || as == AS_HALF
         || n->logical == PQ_L_DECIMAL;
}

static gboolean
node_fits (const Source *s, guint node, FieldRole role)
{
  const PqNode *n = pq_node (s->footer, node);
  if (!is_flat (s, node))
    return FALSE;
  if (role == FIELD_START || role == FIELD_END || role == FIELD_DURATION)
    return is_time (n);
  if (role == FIELD_VALUE)
    return is_number (n);
  return n->type != PQ_BOOLEAN || (role != FIELD_ID && role != FIELD_PARENT);
}

static nprof_status
no_such (Parquet *p, const Source *s, const char *option, const char *name)
{
  guint node = source_find (s, name);
  return nprof_fail (p->host, NPROF_E_OPTION, "%s: option %s: %s \"%s\"", s->file, option,
                     node ? "the values of this column cannot be used so:" : "there is no column",
                     name);
}

/* Chooses the column that the option names, or else the first of the usual ones. */
static nprof_status
choose (Parquet *p, Source *s, const char *option, const char *name, FieldRole role,
        const char *const *usual)
{
  guint node = *name ? source_find (s, name) : 0;
  if (*name && (!node || !node_fits (s, node, role)))
    return no_such (p, s, option, name);
  for (; !*name && !node && usual && *usual; usual++) {
    guint found = source_find (s, *usual);
    gboolean used = FALSE;
    for (guint k = 0; k < s->fields->len; k++)
      used |= source_field (s, k)->node == found;
    node = found && !used && node_fits (s, found, role) ? found : 0;
  }
  if (node)
    source_add (s, node, role);
  return NPROF_OK;
}

static const Field *
field_by (const Source *s, FieldRole role)
{
  for (guint k = 0; k < s->fields->len; k++)
    if (source_field (s, k)->role == role)
      return source_field (s, k);
  return NULL;
}

static nprof_status
choose_tracks (Parquet *p, Source *s)
{
  static const char *const usual[]
      = { "engine", "track", "thread", "stream", "tid", "queue", NULL };
  g_auto (GStrv) names = g_strsplit (p->track, "/", -1);
  nprof_status status = NPROF_OK;
  if (!*names)
    return choose (p, s, "track", "", FIELD_TRACK, usual);
  for (guint k = 0; names[k] && !status; k++)
    status = choose (p, s, "track", names[k], FIELD_TRACK, NULL);
  return status;
}

static nprof_status
choose_times (Parquet *p, Source *s)
{
  static const char *const starts[] = { "start_ps", "start_ns", "start_ts",   "ts", "timestamp",
                                        "start",    "begin",    "start_time", NULL };
  static const char *const ends[] = { "end_ts", "end", "stop", NULL };
  static const char *const durations[] = { "duration_ps", "duration_ns", "dur", "duration", NULL };
  nprof_status status = choose (p, s, "start", p->start, FIELD_START, starts);
  if (status || !field_by (s, FIELD_START))
    return status;
  if (*p->duration || !*p->end)
    status = choose (p, s, "duration", p->duration, FIELD_DURATION, *p->end ? NULL : durations);
  if (!status && !field_by (s, FIELD_DURATION))
    status = choose (p, s, "end", p->end, FIELD_END, ends);
  return status;
}

static nprof_status
choose_units (Parquet *p, Source *s)
{
  const Field *start = field_by (s, FIELD_START), *duration = field_by (s, FIELD_DURATION);
  const PqNode *node = pq_node (s->footer, start->node);
  gint64 given = *p->unit ? any_unit (p->unit) : 0;
  s->per = given ? given : value_unit (node) ? value_unit (node) : unit_of_name (start->key);
  if (!s->per)
    return nprof_fail (
        p->host, NPROF_E_OPTION,
        "%s: in which unit is column \"%s\"?  Say so: -d parquet:unit=ns (or ps, us, ms, s)",
        s->file, start->key);
  s->duration_per = given ? given : duration ? unit_of_name (duration->key) : 0;
  if (!s->duration_per)
    s->duration_per = s->per;
  return NPROF_OK;
}

static nprof_status
choose_others (Parquet *p, Source *s)
{
  static const char *const names[] = { "name", "operation", "kernel", "op", "shortName", NULL };
  static const char *const value[] = { "value", NULL };
  gboolean timed = field_by (s, FIELD_DURATION) || field_by (s, FIELD_END);
  nprof_status status = choose (p, s, "name", p->name, FIELD_NAME, names);
  if (!status)
    status = choose (p, s, "category", p->category, FIELD_CATEGORY, NULL);
  if (!status)
    status = choose_tracks (p, s);
  if (!status)
    status = choose (p, s, "kind", p->kind, FIELD_KIND, NULL);
  if (!status)
    status = choose (p, s, "value", p->value, FIELD_VALUE, timed ? NULL : value);
  if (!status)
    status = choose (p, s, "id", p->id, FIELD_ID, NULL);
  if (!status)
    status = choose (p, s, "parent", p->parent, FIELD_PARENT, NULL);
  s->kind = timed ? NPROF_SPAN : field_by (s, FIELD_VALUE) ? NPROF_COUNTER : NPROF_INSTANT;
  return status;
}

/* Returns the [a-z0-9_] of the file's name without its ending. */
static char *
table_name (const char *file)
{
  g_autofree char *base = g_path_get_basename (file);
  if (g_str_has_suffix (base, ".parquet"))
    base[strlen (base) - strlen (".parquet")] = '\0';
  GString *name = g_string_new (NULL);
  for (const char *c = base; *c; c++)
    g_string_append_c (name, g_ascii_isalnum (*c) ? g_ascii_tolower (*c) : '_');
  if (!name->len)
    g_string_assign (name, "table");
  return g_string_free (name, FALSE);
}

nprof_status
any_plan (Parquet *p, Source *s)
{
  nprof_status status = choose_times (p, s);
  if (status)
    return status;
  if (!field_by (s, FIELD_START)) {
    for (guint k = 1; k < pq_node (s->footer, 0)->next; k = pq_node (s->footer, k)->next) {
      Field *f = source_add (s, k, FIELD_ATTRIBUTE);
      f->type = f->type == NPROF_STRING ? NPROF_TEXT : f->type;
    }
    source_make_table (s, table_name (s->file), g_strdup (s->file), NULL);
    g_ptr_array_add (p->tables, s);
    if (!p->declaring)
      nprof_log (
          p->host, NPROF_INFO,
          "no column is a start (name one with -d parquet:start=COLUMN): it becomes table \"%s\"",
          s->table.name);
    return NPROF_OK;
  }
  g_ptr_array_add (p->sources, s);
  status = choose_units (p, s);
  if (!status)
    status = choose_others (p, s);
  if (!status)
    source_add_rest (s);
  return status;
}

/* -- Time 0 ---------------------------------------------------------------- */

typedef struct {
  __int128 first, last;
  gboolean any, absolute;
} Range;

static gboolean
see_group (Parquet *p, const Source *s, guint group, const Field *f, Range *range, PqFail *fail)
{
  Cursor c;
  __int128 ps;
  cursor_begin (&c, p->host, s->data, s->end, s->footer, group, source_leaf (s, f));
  while (cursor_left (&c, fail)) {
    for (gsize k = 0; k < c.page.values.n; k++) {
      Value v = cursor_value (&c, k);
      if (!value_time (c.node, &v, s->per, &ps))
        continue;
      range->first = range->any ? MIN (range->first, ps) : ps;
      range->last = range->any ? MAX (range->last, ps) : ps;
      range->any = TRUE;
    }
    c.at = c.page.n;
  }
  cursor_end (&c);
  return !fail->why;
}

static nprof_status
see_source (Parquet *p, const Source *s, Range *range)
{
  PqFail fail = { 0 };
  const Field *f = field_by (s, FIELD_START);
  for (guint g = 0; g < s->footer->groups->len; g++)
    if (!see_group (p, s, g, f, range, &fail))
      return parquet_fail (p, s, f->key, &fail);
  range->absolute |= value_unit (pq_node (s->footer, f->node)) != 0;
  return NPROF_OK;
}

static __int128
floor_second (__int128 ps)
{
  __int128 rest = ps % PS_PER_S;
  return ps - rest - (rest < 0 ? PS_PER_S : 0);
}

nprof_status
any_origin (Parquet *p)
{
  Range range = { 0 };
  for (guint k = 0; k < p->sources->len; k++) {
    nprof_status status = see_source (p, p->sources->pdata[k], &range);
    if (status)
      return status;
  }
  if (!range.any)
    return NPROF_OK;
  range.absolute |= range.first >= YEAR_2000 && range.last < YEAR_2100;
  __int128 second = floor_second (range.first);
  gboolean far = range.first < -DAYS_106 || range.last > DAYS_106;
  if (range.absolute && second / 1000 > G_MININT64 && second / 1000 <= G_MAXINT64)
    p->origin = (gint64) (second / 1000);
  if (range.absolute || far)
    p->base = second;
  return p->host->origin (p->host, p->origin);
}

/* -- strings= -------------------------------------------------------------- */

static gboolean
take_string (void *user, const Value *values, const gboolean *has)
{
  Parquet *p = user;
  if (!has[0] || !has[1])
    return TRUE;
  gint64 id = (gint64) values[0].bits;
  nprof_str text = p->host->intern (p->host, values[1].text.data, values[1].text.len);
  g_hash_table_insert (p->texts, g_memdup2 (&id, sizeof id), GUINT_TO_POINTER (1 + text));
  return TRUE;
}

nprof_status
any_strings (Parquet *p)
{
  if (!*p->strings)
    return NPROF_OK;
  g_auto (GStrv) parts = g_strsplit (p->strings, ":", 3);
  if (g_strv_length (parts) != 3)
    return nprof_fail (
        p->host, NPROF_E_OPTION,
        "option strings: \"%s\" is not FILE:ID:TEXT, a file beside the input and two of "
        "its columns",
        p->strings);
  g_autoptr (Source) s = parquet_sibling (p, parts[0]);
  if (!s)
    return nprof_fail (p->host, NPROF_E_OPTION,
                       "option strings: %s is no Parquet file beside the input", parts[0]);
  guint id = source_find (s, parts[1]), text = source_find (s, parts[2]);
  if (!id || !is_flat (s, id) || pq_node (s->footer, id)->type < PQ_INT32
      || pq_node (s->footer, id)->type > PQ_INT64)
    return no_such (p, s, "strings", parts[1]);
  if (!text || !is_flat (s, text) || pq_node (s->footer, text)->type != PQ_BYTE_ARRAY)
    return no_such (p, s, "strings", parts[2]);
  source_add (s, id, FIELD_ATTRIBUTE);
  source_add (s, text, FIELD_ATTRIBUTE);
  p->texts = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  return table_each (p, s, take_string, p);
}
