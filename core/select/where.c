/* SPDX-License-Identifier: Apache-2.0 */
/* where.c - tells whether a row meets one condition; condition.c parses its text, row-filter.c
 * joins conditions. */

#include "select/where.h"

#include "select/condition.h"

#include <math.h>
#include <nprof/keys.h>
#include <stdlib.h>
#include <string.h>
#include <system/layer-path.h>

static const char *const kinds[] = { "span", "instant", "counter", "flow", "fact", "gap" };

struct NpWhere {
  NpCondition condition;
  NpStrings *strings;
  NpTracks *tracks;
  NpAttrSets *sets;
  nprof_str key;
  const char *text; /* VALUE, and what it is when read as each type: */
  gsize len;
  nprof_str str;
  gint kind; /* -1: none */
  gboolean is_int, is_uint, is_double, is_id;
  gint64 i;
  guint64 u;
  double f;
  guint8 id[16];
  gboolean by_layer;                       /* it asks for the layer, which a path may have */
  nprof_str path_key;                      /* of that                                      */
  GByteArray *by_set, *by_track, *by_path; /* answers                                      */
};

static gboolean
parse_id (const char *text, guint8 id[16])
{
  if (strlen (text) != 32 || strspn (text, "0123456789abcdef") != 32)
    return FALSE;
  for (guint i = 0; i < 16; i++)
    id[i] = (guint8) (g_ascii_xdigit_value (text[2 * i]) << 4
                      | g_ascii_xdigit_value (text[2 * i + 1]));
  return TRUE;
}

/* Integers are printed in one way only: 007 is not one. */
static void
parse_value (NpWhere *w, NpStrings *strings)
{
  char print[32], *end;
  w->len = strlen (w->text);
  w->str = np_strings_intern (strings, w->text, w->len);
  w->i = g_ascii_strtoll (w->text, NULL, 10);
  g_snprintf (print, sizeof print, "%" G_GINT64_FORMAT, w->i);
  w->is_int = g_str_equal (print, w->text);
  w->u = g_ascii_strtoull (w->text, NULL, 10);
  g_snprintf (print, sizeof print, "%" G_GUINT64_FORMAT, w->u);
  w->is_uint = g_str_equal (print, w->text);
  w->f = g_ascii_strtod (w->text, &end);
  w->is_double = end != w->text && !*end;
  w->is_id = parse_id (w->text, w->id);
  w->kind = -1;
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    if (g_str_equal (w->text, kinds[k]))
      w->kind = (gint) k;
}

NpWhere *
np_where_new (const char *text, NpStrings *strings, NpTracks *tracks, NpAttrSets *sets)
{
  g_auto (NpCondition) condition = { 0 };
  if (!np_condition_parse (&condition, text, NULL))
    return NULL;
  NpWhere *w = g_new0 (NpWhere, 1);
  w->condition = condition;
  memset (&condition, 0, sizeof condition);
  w->strings = strings;
  w->tracks = tracks;
  w->sets = sets;
  w->key = np_strings_intern (strings, w->condition.key, strlen (w->condition.key));
  w->text = w->condition.value;
  parse_value (w, strings);
  w->by_layer
      = w->condition.field == NP_BY_ATTRIBUTE && g_str_equal (w->condition.key, NPROF_KEY_LAYER);
  w->path_key
      = np_strings_intern (strings, NPROF_KEY_FRAMEWORK_OP, strlen (NPROF_KEY_FRAMEWORK_OP));
  w->by_path = g_byte_array_new ();
  w->by_set = g_byte_array_new ();
  w->by_track = g_byte_array_new ();
  return w;
}

void
np_where_free (NpWhere *w)
{
  if (!w)
    return;
  g_byte_array_unref (w->by_path);
  g_byte_array_unref (w->by_set);
  g_byte_array_unref (w->by_track);
  np_condition_clear (&w->condition);
  g_free (w);
}

gint64
np_row_attr (const struct nprof_batch *rows, guint i, nprof_str key)
{
  if (!rows->attr_at)
    return -1;
  for (guint j = rows->attr_at[i]; j < rows->attr_at[i + 1]; j++)
    if (rows->attr_key[j] == key)
      return j;
  return -1;
}

gint64
np_set_attr (const struct nprof_attrs *attrs, nprof_str key)
{
  for (guint j = 0; j < attrs->n; j++)
    if (attrs->key[j] == key)
      return j;
  return -1;
}

nprof_str
np_track_text (NpTracks *tracks, nprof_track track)
{
  const struct nprof_track_info *info = np_tracks_get (tracks, track);
  if (!info)
    return 0;
  return info->label ? info->label : info->key;
}

static gboolean
double_matches (const NpWhere *w, double f)
{
  return w->is_double && (f == w->f || (isnan (f) && isnan (w->f)));
}

/* The text is the one that outputs print. */
static gboolean
same_text (const NpWhere *w, guint8 type, const nprof_value *v, const char *bytes)
{
  switch (type) {
  case NPROF_INT64:
    return w->is_int && v->i == w->i;
  case NPROF_UINT64:
    return w->is_uint && v->u == w->u;
  case NPROF_DOUBLE:
    return double_matches (w, v->f);
  case NPROF_BOOL:
    return g_str_equal (w->text, v->u ? "true" : "false");
  case NPROF_STRING:
    return v->s == w->str;
  case NPROF_TEXT:
  case NPROF_JSON:
    return v->bytes.len == w->len && (!w->len || !memcmp (bytes + v->bytes.at, w->text, w->len));
  case NPROF_ID128:
    return w->is_id && v->bytes.len == 16 && !memcmp (bytes + v->bytes.at, w->id, 16);
  default:
    return FALSE;
  }
}

/* Reads a number; some profilers write all numbers as texts. */
static gboolean
number_of (const NpWhere *w, guint8 type, const nprof_value *v, const char *bytes,
           long double *number)
{
  gsize len;
  const char *text;
  switch (type) {
  case NPROF_INT64:
    *number = (long double) v->i;
    return TRUE;
  case NPROF_UINT64:
    *number = (long double) v->u;
    return TRUE;
  case NPROF_DOUBLE:
    *number = (long double) v->f;
    return TRUE;
  case NPROF_STRING:
    text = np_strings_get (w->strings, v->s, &len);
    return np_decimal (text, len, number);
  case NPROF_TEXT:
  case NPROF_JSON:
    return v->bytes.len && np_decimal (bytes + v->bytes.at, v->bytes.len, number);
  default:
    return FALSE;
  }
}

/* Reads a whole number; FALSE: it is none. */
static gboolean
whole_of (const NpWhere *w, guint8 type, const nprof_value *v, const char *bytes,
          struct np_decimal *whole)
{
  gsize len = v->bytes.len;
  const char *text = NULL;
  switch (type) {
  case NPROF_INT64:
    *whole = (struct np_decimal){ .negative = v->i < 0,
                                  .whole = v->i < 0 ? -(guint64) v->i : (guint64) v->i };
    return TRUE;
  case NPROF_UINT64:
    *whole = (struct np_decimal){ .whole = v->u };
    return TRUE;
  case NPROF_STRING:
    text = np_strings_get (w->strings, v->s, &len);
    break;
  case NPROF_TEXT:
  case NPROF_JSON:
    text = len ? bytes + v->bytes.at : "";
    break;
  default:
    return FALSE;
  }
  return np_decimal_read (text, len, whole) && !whole->fraction && !whole->beyond;
}

/* Compares whole numbers with a bare number exactly. */
static gboolean
number_holds (const NpWhere *w, guint8 type, const nprof_value *v, const char *bytes)
{
  const NpCondition *c = &w->condition;
  struct np_decimal whole;
  long double number;
  if (!c->is_number)
    return FALSE;
  if (c->is_bare && whole_of (w, type, v, bytes, &whole))
    return np_order_holds (c->op, np_decimal_compare (whole.negative, whole.whole, &c->decimal));
  return number_of (w, type, v, bytes, &number) && np_op_holds (c->op, number, c->number);
}

static gboolean
value_matches (const NpWhere *w, guint8 type, const nprof_value *v, const char *bytes)
{
  const NpCondition *c = &w->condition;
  long double number;
  if (c->op != NP_EQ && c->op != NP_NE)
    return number_holds (w, type, v, bytes);
  gboolean same
      = same_text (w, type, v, bytes)
        || (c->is_number && number_of (w, type, v, bytes, &number) && number == c->number);
  return same == (c->op == NP_EQ);
}

/* KEY= without a value is met by rows that do not have the attribute, too. */
static gboolean
none_matches (const NpWhere *w)
{
  return w->condition.op == NP_EQ && !w->len;
}

static gboolean
set_matches (NpWhere *w, nprof_set set)
{
  guint8 *answer = np_memo_at (w->by_set, set);
  if (!*answer) {
    const struct nprof_attrs *attrs = np_attrsets_get (w->sets, set);
    gint64 j = np_set_attr (attrs, w->key);
    gboolean yes = j < 0 ? none_matches (w)
                         : value_matches (w, attrs->type[j], &attrs->value[j], attrs->bytes);
    *answer = yes ? NP_MEMO_YES : NP_MEMO_NO;
  }
  return *answer == NP_MEMO_YES;
}

/* Matches an attribute; the row's own overrides the shared one. */
static gboolean
attribute_matches (NpWhere *w, const struct nprof_batch *rows, guint i)
{
  gint64 j = np_row_attr (rows, i, w->key);
  if (j >= 0)
    return value_matches (w, rows->attr_type[j], &rows->attr_value[j], rows->bytes);
  return rows->shared ? set_matches (w, rows->shared[i]) : none_matches (w);
}

/* -- Layers ------------------------------------------------------------------ */

/* Returns the text of an attribute, of which the row's own overrides the shared one; 0: it has
 * none. */
static nprof_str
text_of (NpWhere *w, const struct nprof_batch *rows, guint i, nprof_str key)
{
  gint64 j = np_row_attr (rows, i, key);
  if (j >= 0)
    return rows->attr_type[j] == NPROF_STRING ? rows->attr_value[j].s : 0;
  const struct nprof_attrs *attrs
      = rows->shared ? np_attrsets_get (w->sets, rows->shared[i]) : NULL;
  j = attrs ? np_set_attr (attrs, key) : -1;
  return j >= 0 && attrs->type[j] == NPROF_STRING ? attrs->value[j].s : 0;
}

static gboolean
path_matches (NpWhere *w, nprof_str path)
{
  guint8 *answer = np_memo_at (w->by_path, path);
  if (!*answer) {
    g_autofree char *layer = an_layer_of_path (np_strings_get (w->strings, path, NULL));
    nprof_value value = { .s = layer ? np_strings_intern (w->strings, layer, strlen (layer)) : 0 };
    gboolean yes = value.s ? value_matches (w, NPROF_STRING, &value, NULL) : none_matches (w);
    *answer = yes ? NP_MEMO_YES : NP_MEMO_NO;
  }
  return *answer == NP_MEMO_YES;
}

/* A row that states no layer is of that of the path of its operator, as tables layers and modules
 * have it. */
static gboolean
layer_matches (NpWhere *w, const struct nprof_batch *rows, guint i)
{
  nprof_str stated = text_of (w, rows, i, w->key), path = 0;
  if (!stated)
    path = text_of (w, rows, i, w->path_key);
  return path ? path_matches (w, path) : attribute_matches (w, rows, i);
}

static gboolean
track_matches (NpWhere *w, nprof_track track)
{
  guint8 *answer = np_memo_at (w->by_track, track);
  if (!*answer) {
    const struct nprof_track_info *info = np_tracks_get (w->tracks, track);
    nprof_track shown = w->condition.field == NP_BY_THREAD ? track : info ? info->process : 0;
    *answer = np_track_text (w->tracks, shown) == w->str ? NP_MEMO_YES : NP_MEMO_NO;
  }
  return *answer == NP_MEMO_YES;
}

static gboolean
is_valid (const struct nprof_batch *rows, guint i)
{
  return rows->value && rows->value_valid[i >> 3] >> (i & 7) & 1;
}

/* Matches a counter's value; one that is no exact double is an attribute of that name. */
static gboolean
counter_matches (NpWhere *w, const struct nprof_batch *rows, guint i)
{
  nprof_value value = { 0 };
  if (!is_valid (rows, i))
    return attribute_matches (w, rows, i);
  value.f = rows->value[i];
  return value_matches (w, NPROF_DOUBLE, &value, NULL);
}

/* Matches a time; spans that do not end in the file have neither a duration nor an end. */
static gboolean
time_matches (const NpWhere *w, const struct nprof_batch *rows, guint i)
{
  const NpCondition *c = &w->condition;
  gboolean span = rows->kind[i] == NPROF_SPAN;
  long double start = (long double) rows->start[i], duration = (long double) rows->duration[i];
  if (c->field == NP_BY_START)
    return np_op_holds (c->op, start, c->number);
  if (span && rows->duration[i] < 0)
    return FALSE;
  if (c->field == NP_BY_END)
    return np_op_holds (c->op, start + (span ? duration : 0), c->number);
  return span && np_op_holds (c->op, duration, c->number);
}

static gboolean
column_equals (NpWhere *w, const struct nprof_batch *rows, guint i)
{
  switch (w->condition.field) {
  case NP_BY_NAME:
    return rows->name[i] == w->str;
  case NP_BY_CATEGORY:
    return rows->category[i] == w->str;
  case NP_BY_KIND:
    return rows->kind[i] == w->kind;
  default:
    return track_matches (w, rows->track[i]);
  }
}

gboolean
np_where_matches (NpWhere *w, const struct nprof_batch *rows, guint i)
{
  switch (w->condition.field) {
  case NP_BY_ATTRIBUTE:
    return w->by_layer ? layer_matches (w, rows, i) : attribute_matches (w, rows, i);
  case NP_BY_VALUE:
    return counter_matches (w, rows, i);
  case NP_BY_START:
  case NP_BY_END:
  case NP_BY_DURATION:
    return time_matches (w, rows, i);
  default:
    return column_equals (w, rows, i) == (w->condition.op == NP_EQ);
  }
}
