/* SPDX-License-Identifier: Apache-2.0 */
/* where.c - returns whether a row meets the conditions of a --where; condition.c parses the text,
 * row-filter.c joins it with others. */

#include "select/where.h"

#include "select/condition.h"

#include <math.h>
#include <nprof/keys.h>
#include <stdlib.h>
#include <string.h>
#include <system/layer-path.h>

static const char *const kinds[] = { "span", "instant", "counter", "flow", "fact", "gap" };

/* A value of a condition, and what it is when read as each type. */
typedef struct {
  const NpConditionValue *of;
  gsize len;
  nprof_str str;
  gint kind; /* -1: none */
  gboolean is_int, is_uint, is_double, is_id;
  gint64 i;
  guint64 u;
  double f;
  guint8 id[16];
} Value;

/* One condition, with what it was answered before. */
typedef struct {
  const NpCondition *condition;
  const NpWhere *where;
  nprof_str key;
  nprof_str json;     /* of KEY.MEMBER: KEY, where no attribute is called as both; 0: no dot */
  const char *member; /* within JSON */
  Value *values;
  gboolean by_layer; /* it asks for the layer, which a path may have */
  GByteArray *by_set, *by_track, *by_path, *by_text; /* answers, by handle */
} Leaf;

struct NpWhere {
  NpConditions conditions;
  NpStrings *strings;
  NpTracks *tracks;
  NpAttrSets *sets;
  nprof_str path_key; /* of the path of an operator */
  Leaf *leaves;       /* of each condition          */
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
read_value (Value *v, NpStrings *strings)
{
  const char *text = v->of->text;
  char print[32], *end;
  v->len = strlen (text);
  v->str = np_strings_intern (strings, text, v->len);
  v->i = g_ascii_strtoll (text, NULL, 10);
  g_snprintf (print, sizeof print, "%" G_GINT64_FORMAT, v->i);
  v->is_int = g_str_equal (print, text);
  v->u = g_ascii_strtoull (text, NULL, 10);
  g_snprintf (print, sizeof print, "%" G_GUINT64_FORMAT, v->u);
  v->is_uint = g_str_equal (print, text);
  v->f = g_ascii_strtod (text, &end);
  v->is_double = end != text && !*end;
  v->is_id = parse_id (text, v->id);
  v->kind = -1;
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    if (g_str_equal (text, kinds[k]))
      v->kind = (gint) k;
}

static void
leaf_init (Leaf *leaf, const NpWhere *where, const NpCondition *condition)
{
  leaf->condition = condition;
  leaf->where = where;
  leaf->key = np_strings_intern (where->strings, condition->key, strlen (condition->key));
  const char *dot = condition->field == NP_BY_ATTRIBUTE ? strchr (condition->key, '.') : NULL;
  if (dot) {
    leaf->json = np_strings_intern (where->strings, condition->key, (gsize) (dot - condition->key));
    leaf->member = dot + 1;
  }
  leaf->values = g_new0 (Value, condition->n);
  for (guint i = 0; i < condition->n; i++) {
    leaf->values[i].of = &condition->values[i];
    read_value (&leaf->values[i], where->strings);
  }
  leaf->by_layer
      = condition->field == NP_BY_ATTRIBUTE && g_str_equal (condition->key, NPROF_KEY_LAYER);
  leaf->by_path = g_byte_array_new ();
  leaf->by_set = g_byte_array_new ();
  leaf->by_track = g_byte_array_new ();
  leaf->by_text = g_byte_array_new ();
}

static void
leaf_clear (Leaf *leaf)
{
  g_byte_array_unref (leaf->by_path);
  g_byte_array_unref (leaf->by_set);
  g_byte_array_unref (leaf->by_track);
  g_byte_array_unref (leaf->by_text);
  g_free (leaf->values);
}

NpWhere *
np_where_new (const char *text, NpStrings *strings, NpTracks *tracks, NpAttrSets *sets)
{
  g_auto (NpConditions) conditions = { 0 };
  if (!np_conditions_parse (&conditions, text, NULL))
    return NULL;
  NpWhere *w = g_new0 (NpWhere, 1);
  w->conditions = conditions;
  memset (&conditions, 0, sizeof conditions);
  w->strings = strings;
  w->tracks = tracks;
  w->sets = sets;
  w->path_key
      = np_strings_intern (strings, NPROF_KEY_FRAMEWORK_OP, strlen (NPROF_KEY_FRAMEWORK_OP));
  guint n = np_filter_parts (&w->conditions.filter);
  w->leaves = g_new0 (Leaf, n);
  for (guint i = 0; i < n; i++)
    leaf_init (&w->leaves[i], w, &w->conditions.conditions[i]);
  return w;
}

void
np_where_free (NpWhere *w)
{
  if (!w)
    return;
  for (guint i = 0; i < np_filter_parts (&w->conditions.filter); i++)
    leaf_clear (&w->leaves[i]);
  g_free (w->leaves);
  np_conditions_clear (&w->conditions);
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

/* The text is the one that outputs print. */
static gboolean
same_text (const Value *w, guint8 type, const nprof_value *v, const char *bytes)
{
  switch (type) {
  case NPROF_INT64:
    return w->is_int && v->i == w->i;
  case NPROF_UINT64:
    return w->is_uint && v->u == w->u;
  case NPROF_DOUBLE:
    return w->is_double && (v->f == w->f || (isnan (v->f) && isnan (w->f)));
  case NPROF_BOOL:
    return g_str_equal (w->of->text, v->u ? "true" : "false");
  case NPROF_STRING:
    return v->s == w->str;
  case NPROF_TEXT:
  case NPROF_JSON:
    return v->bytes.len == w->len
           && (!w->len || !memcmp (bytes + v->bytes.at, w->of->text, w->len));
  case NPROF_ID128:
    return w->is_id && v->bytes.len == 16 && !memcmp (bytes + v->bytes.at, w->id, 16);
  default:
    return FALSE;
  }
}

/* Reads a number; some profilers write all numbers as texts. */
static gboolean
number_of (const Leaf *w, guint8 type, const nprof_value *v, const char *bytes, long double *number)
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
    text = np_strings_get (w->where->strings, v->s, &len);
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
whole_of (const Leaf *w, guint8 type, const nprof_value *v, const char *bytes,
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
    text = np_strings_get (w->where->strings, v->s, &len);
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
number_holds (const Leaf *w, guint8 type, const nprof_value *v, const char *bytes)
{
  const NpConditionValue *value = w->condition->values;
  struct np_decimal whole;
  long double number;
  if (!value->is_number)
    return FALSE;
  if (value->is_bare && whole_of (w, type, v, bytes, &whole))
    return np_order_fits (w->condition->want.op,
                          np_decimal_compare (whole.negative, whole.whole, &value->decimal));
  return number_of (w, type, v, bytes, &number)
         && np_size_holds (w->condition->want.op, number, value->number);
}

static gboolean
equals_any (const Leaf *w, guint8 type, const nprof_value *v, const char *bytes)
{
  long double number;
  for (guint i = 0; i < w->condition->n; i++) {
    const NpConditionValue *value = &w->condition->values[i];
    if (same_text (&w->values[i], type, v, bytes)
        || (value->is_number && number_of (w, type, v, bytes, &number) && number == value->number))
      return TRUE;
  }
  return FALSE;
}

/* Looks for the wanted text in that of a handle. */
static gboolean
string_is_like (Leaf *w, nprof_str string)
{
  guint8 *answer = np_memo_at (w->by_text, string);
  if (!*answer) {
    gsize len;
    const char *text = np_strings_get (w->where->strings, string, &len);
    *answer = np_match_text (&w->condition->want, text, len) ? NP_MEMO_YES : NP_MEMO_NO;
  }
  return *answer == NP_MEMO_YES;
}

/* Looks for the wanted text in a value as searches do: numbers are compared as numbers. */
static gboolean
is_like (Leaf *w, guint8 type, const nprof_value *v, const char *bytes)
{
  const struct np_want *want = &w->condition->want;
  switch (type) {
  case NPROF_INT64:
    return np_match_int (want, v->i);
  case NPROF_UINT64:
    return np_match_uint (want, v->u);
  case NPROF_DOUBLE:
    return np_match_double (want, v->f);
  case NPROF_BOOL:
    return np_match_text (want, v->u ? "true" : "false", v->u ? 4 : 5);
  case NPROF_STRING:
    return string_is_like (w, v->s);
  case NPROF_TEXT:
  case NPROF_JSON:
    return np_match_text (want, v->bytes.len ? bytes + v->bytes.at : "", v->bytes.len);
  default:
    return FALSE;
  }
}

static gboolean
value_matches (Leaf *w, guint8 type, const nprof_value *v, const char *bytes)
{
  const struct np_want *want = &w->condition->want;
  if (want->op > NP_LIKE)
    return number_holds (w, type, v, bytes);
  gboolean found
      = want->op == NP_LIKE ? is_like (w, type, v, bytes) : equals_any (w, type, v, bytes);
  return found != want->deny;
}

/* KEY= without a value is met by rows that do not have the attribute, too. */
static gboolean
none_matches (const Leaf *w)
{
  const struct np_want *want = &w->condition->want;
  gboolean empty = FALSE;
  for (guint i = 0; want->op == NP_EQUAL && !want->deny && i < w->condition->n; i++)
    empty |= !w->values[i].len;
  return empty;
}

/* Matches a member of JSON, as a text; what has none has no such attribute. */
static gboolean
member_matches (Leaf *w, guint8 type, const nprof_value *v, const char *bytes)
{
  gsize len = 0;
  const char *json = v->bytes.len ? bytes + v->bytes.at : "",
             *found
             = type == NPROF_JSON ? np_json_member (json, v->bytes.len, w->member, &len) : NULL;
  const nprof_value member = { .bytes = { .len = (guint32) len } };
  return found ? value_matches (w, NPROF_TEXT, &member, found) : none_matches (w);
}

static gboolean
set_matches (Leaf *w, nprof_set set)
{
  guint8 *answer = np_memo_at (w->by_set, set);
  if (!*answer) {
    const struct nprof_attrs *attrs = np_attrsets_get (w->where->sets, set);
    gint64 j = np_set_attr (attrs, w->key), json = w->json ? np_set_attr (attrs, w->json) : -1;
    gboolean yes = none_matches (w);
    if (j >= 0)
      yes = value_matches (w, attrs->type[j], &attrs->value[j], attrs->bytes);
    else if (json >= 0)
      yes = member_matches (w, attrs->type[json], &attrs->value[json], attrs->bytes);
    *answer = yes ? NP_MEMO_YES : NP_MEMO_NO;
  }
  return *answer == NP_MEMO_YES;
}

/* Matches an attribute; the row's own overrides the shared one. */
static gboolean
attribute_matches (Leaf *w, const struct nprof_batch *rows, guint i)
{
  gint64 j = np_row_attr (rows, i, w->key),
         json = j < 0 && w->json ? np_row_attr (rows, i, w->json) : -1;
  if (j >= 0)
    return value_matches (w, rows->attr_type[j], &rows->attr_value[j], rows->bytes);
  if (json >= 0)
    return member_matches (w, rows->attr_type[json], &rows->attr_value[json], rows->bytes);
  return rows->shared ? set_matches (w, rows->shared[i]) : none_matches (w);
}

/* -- Layers ------------------------------------------------------------------ */

/* Returns the text of an attribute, of which the row's own overrides the shared one; 0: it has
 * none. */
static nprof_str
text_of (Leaf *w, const struct nprof_batch *rows, guint i, nprof_str key)
{
  gint64 j = np_row_attr (rows, i, key);
  if (j >= 0)
    return rows->attr_type[j] == NPROF_STRING ? rows->attr_value[j].s : 0;
  const struct nprof_attrs *attrs
      = rows->shared ? np_attrsets_get (w->where->sets, rows->shared[i]) : NULL;
  j = attrs ? np_set_attr (attrs, key) : -1;
  return j >= 0 && attrs->type[j] == NPROF_STRING ? attrs->value[j].s : 0;
}

static gboolean
path_matches (Leaf *w, nprof_str path)
{
  guint8 *answer = np_memo_at (w->by_path, path);
  if (!*answer) {
    g_autofree char *layer = an_layer_of_path (np_strings_get (w->where->strings, path, NULL));
    nprof_value value
        = { .s = layer ? np_strings_intern (w->where->strings, layer, strlen (layer)) : 0 };
    gboolean yes = value.s ? value_matches (w, NPROF_STRING, &value, NULL) : none_matches (w);
    *answer = yes ? NP_MEMO_YES : NP_MEMO_NO;
  }
  return *answer == NP_MEMO_YES;
}

/* A row that states no layer is of that of the path of its operator, as tables layers and modules
 * have it. */
static gboolean
layer_matches (Leaf *w, const struct nprof_batch *rows, guint i)
{
  nprof_str stated = text_of (w, rows, i, w->key), path = 0;
  if (!stated)
    path = text_of (w, rows, i, w->where->path_key);
  return path ? path_matches (w, path) : attribute_matches (w, rows, i);
}

/* Compares a text by its handle. */
static gboolean
string_matches (Leaf *w, nprof_str string)
{
  const struct np_want *want = &w->condition->want;
  if (want->op == NP_LIKE)
    return string_is_like (w, string) != want->deny;
  for (guint i = 0; i < w->condition->n; i++)
    if (string == w->values[i].str)
      return !want->deny;
  return want->deny;
}

static gboolean
kind_matches (Leaf *w, guint8 kind)
{
  const struct np_want *want = &w->condition->want;
  if (want->op == NP_LIKE)
    return np_match_text (want, kinds[kind], strlen (kinds[kind])) != want->deny;
  for (guint i = 0; i < w->condition->n; i++)
    if (kind == w->values[i].kind)
      return !want->deny;
  return want->deny;
}

static gboolean
track_matches (Leaf *w, nprof_track track)
{
  guint8 *answer = np_memo_at (w->by_track, track);
  if (!*answer) {
    const struct nprof_track_info *info = np_tracks_get (w->where->tracks, track);
    nprof_track shown = w->condition->field == NP_BY_THREAD ? track : info ? info->process : 0;
    gboolean yes = string_matches (w, np_track_text (w->where->tracks, shown));
    *answer = yes ? NP_MEMO_YES : NP_MEMO_NO;
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
counter_matches (Leaf *w, const struct nprof_batch *rows, guint i)
{
  nprof_value value = { 0 };
  if (!is_valid (rows, i))
    return attribute_matches (w, rows, i);
  value.f = rows->value[i];
  return value_matches (w, NPROF_DOUBLE, &value, NULL);
}

/* Matches a time; spans that do not end in the file have neither a duration nor an end. */
static gboolean
time_matches (const Leaf *w, const struct nprof_batch *rows, guint i)
{
  const NpCondition *c = w->condition;
  gboolean span = rows->kind[i] == NPROF_SPAN;
  long double start = (long double) rows->start[i], duration = (long double) rows->duration[i];
  if (c->field != NP_BY_START && span && rows->duration[i] < 0)
    return FALSE;
  if (c->field == NP_BY_DURATION && !span)
    return FALSE;
  long double time = c->field == NP_BY_START ? start
                     : c->field == NP_BY_END ? start + (span ? duration : 0)
                                             : duration;
  gboolean any = FALSE;
  if (c->want.op > NP_LIKE)
    return np_size_holds (c->want.op, time, c->values->number);
  for (guint k = 0; k < c->n; k++)
    any |= time == c->values[k].number;
  return any != c->want.deny;
}

static gboolean
leaf_matches (Leaf *w, const struct nprof_batch *rows, guint i)
{
  switch (w->condition->field) {
  case NP_BY_ATTRIBUTE:
    return w->by_layer ? layer_matches (w, rows, i) : attribute_matches (w, rows, i);
  case NP_BY_VALUE:
    return counter_matches (w, rows, i);
  case NP_BY_START:
  case NP_BY_END:
  case NP_BY_DURATION:
    return time_matches (w, rows, i);
  case NP_BY_NAME:
    return string_matches (w, rows->name[i]);
  case NP_BY_CATEGORY:
    return string_matches (w, rows->category[i]);
  case NP_BY_KIND:
    return kind_matches (w, rows->kind[i]);
  default:
    return track_matches (w, rows->track[i]);
  }
}

gboolean
np_where_matches (NpWhere *w, const struct nprof_batch *rows, guint i)
{
  const struct np_filter *f = &w->conditions.filter;
  for (guint k = 0, part = 0; k < f->n; k++) {
    while (part < f->ends[k] && leaf_matches (&w->leaves[part], rows, i))
      part++;
    if (part == f->ends[k])
      return TRUE;
    part = f->ends[k];
  }
  return FALSE;
}
