/* SPDX-License-Identifier: Apache-2.0 */
/* ask-search.c - answers routes q and suggest: rows that fit a text, and what a text could go on
 * with. */

#include "found.h"

#include <store/filter.h>
#include <string.h>

#define MOST_HITS 10000 /* of an answer, as of rows of a table */

/* The field of names as the page shows them, where those are shorter than the whole ones. */
#define SHOWN "shown_name"

/* -- q ------------------------------------------------------------------------------ */

static gboolean
put_hits (NpAsk *ask, const GArray *hits)
{
  struct nprof_event e;
  NpJson *j = &ask->json;
  np_json_array (j, "hits");
  for (guint i = 0; i < hits->len; i++) {
    if (!nprof_store_event (ask->query, g_array_index (hits, struct nprof_row, i), &e))
      return FALSE;
    np_json_object (j, NULL);
    np_json_row (j, "row", e.row.lane, e.row.row);
    np_json_number (j, "track", np_track_number (ask, e.track));
    np_json_number (j, "label", e.label);
    np_json_text (j, "name", np_label_name (ask, e.label));
    np_json_i64 (j, "start", e.start);
    np_json_duration (j, "duration", &e);
    np_json_end_object (j);
  }
  np_json_end_array (j);
  return TRUE;
}

/* -- Fields of a search ------------------------------------------------------------- */

static gboolean
is_key (NpAsk *ask, guint32 string, const char *field)
{
  const char *key = np_ask_string (ask, string);
  gsize len = strlen (key);
  return !strncmp (field, key, len) && (!field[len] || field[len] == '.');
}

gboolean
np_is_attribute (NpAsk *ask, const char *field)
{
  const struct nprof_store_key *key;
  const struct nprof_store_value *values;
  uint32_t n;
  for (guint32 k = 0; (key = nprof_store_key_at (ask->store, k)); k++)
    if (is_key (ask, key->key, field))
      return TRUE;
  for (guint64 set = 0; set < nprof_store_n (ask->store, NPROF_STORE_S_SETS); set++)
    for (guint32 i = nprof_store_set (ask->query, (guint32) set, &values, &n) ? n : 0; i-- > 0;)
      if (is_key (ask, values[i].key, field))
        return TRUE;
  return FALSE;
}

/* Returns whether any row has the field; a search for another finds nothing whatever its value
 * is. */
static gboolean
is_known (NpAsk *ask, const char *field)
{
  static const char *const own[]
      = { "name",  "category", "track", "kind",  "dur", "duration",
            "start", "self",     "value", SHOWN,   NULL };
  return g_strv_contains (own, field) || np_is_attribute (ask, field);
}

/* Returns an operator as it is written, `~` turned round by `not` as well. */
static const char *
op_text (const struct np_filter_part *part)
{
  static const char *const texts[][2] = {
    [NP_EQUAL] = { "=", "!=" },       [NP_LIKE] = { "~", "!~" }, [NP_LESS] = { "<", "<" },
    [NP_LESS_EQUAL] = { "<=", "<=" }, [NP_MORE] = { ">", ">" },  [NP_MORE_EQUAL] = { ">=", ">=" }
  };
  return texts[part->op][part->deny];
}

/* Adds the values of a term as the grammar reads them back. */
static void
add_values (GString *text, const struct np_want *want)
{
  const char *value = want->text;
  for (guint32 i = 0; i < want->n; i++, value += strlen (value) + 1) {
    g_string_append (text, i ? "|" : "");
    if (!want->regex) {
      np_put_quoted (text, value);
      continue;
    }
    g_auto (GStrv) parts = g_strsplit (value, "/", -1);
    g_autofree char *escaped = g_strjoinv ("\\/", parts);
    g_string_append_printf (text, "/%s/", escaped);
  }
}

static gboolean
has_field (const struct np_filter *f, const char *field)
{
  gboolean has = FALSE;
  for (guint32 i = 0; i < f->n_terms; i++)
    has |= g_str_equal (f->terms[i].field, field);
  return has;
}

/* Adds the whole names of those that are shown as a term wants.  FALSE: there are none. */
static gboolean
add_whole_names (NpAsk *ask, GString *text, const struct np_want *want)
{
  g_autoptr (GHashTable) names = g_hash_table_new (NULL, NULL);
  const struct nprof_store_label *label;
  for (guint32 i = 0; (label = nprof_store_label_at (ask->store, i)); i++) {
    const char *name = np_label_name (ask, i),
               *shown = np_profile_short_name (ask->profile, name);
    if (g_str_equal (shown, name) || !np_match_text (want, shown, strlen (shown))
        || !g_hash_table_add (names, GUINT_TO_POINTER (label->name)))
      continue;
    g_string_append (text, g_hash_table_size (names) > 1 ? "|" : "");
    np_put_quoted (text, name);
  }
  return g_hash_table_size (names) > 0;
}

/* Adds a term with its field.  FALSE: it fits no row. */
static gboolean
add_term (NpAsk *ask, GString *text, const struct np_filter_term *term,
          const struct np_filter_part *part)
{
  gsize before = text->len;
  if (!g_str_equal (term->field, SHOWN) || part->op > NP_LIKE) {
    g_string_append (text, *term->field ? term->field : "name");
    g_string_append (text, op_text (part));
    add_values (text, &term->want);
    return TRUE;
  }
  g_string_append (text, part->deny ? "name!=" : "name=");
  if (add_whole_names (ask, text, &term->want))
    return TRUE;
  g_string_truncate (text, before);
  g_string_append (text, "kind!=none"); /* all rows have a kind */
  return part->deny;
}

/* Returns a search as a text without names as they are shown: those whole names stand there. */
static char *
text_of (NpAsk *ask, const struct np_filter *f)
{
  GString *text = g_string_new (NULL);
  for (guint32 i = 0, part = 0; i < f->n; i++) {
    gsize before = text->len;
    gboolean fits = TRUE;
    g_string_append (text, before ? " or " : "");
    for (guint32 first = part; part < f->ends[i]; part++) {
      g_string_append (text, part > first ? " and " : "");
      fits &= add_term (ask, text, &f->terms[f->parts[part].term], &f->parts[part]);
    }
    if (!fits)
      g_string_truncate (text, before);
  }
  if (!text->len && np_filter_parts (f))
    g_string_append (text, "kind=none");
  return g_string_free (text, FALSE);
}

char *
np_ask_whole_names (NpAsk *ask, const char *text)
{
  struct np_filter f;
  char why[160];
  guint32 at;
  if (!text || !np_filter_parse (text, NP_FILTER_WORDS, &f, why, &at))
    return g_strdup (text); /* the search says what is wrong */
  char *whole = has_field (&f, SHOWN) ? text_of (ask, &f) : g_strdup (text);
  np_filter_clear (&f);
  return whole;
}

/* Puts the search as a text for --where, or null: it asks for what that does not know. */
static void
put_where (NpAsk *ask, const struct np_filter *f)
{
  g_autofree char *text = has_field (f, "self") ? NULL : text_of (ask, f);
  if (text)
    np_json_text (&ask->json, "where", text);
  else
    np_json_null (&ask->json, "where");
}

/* Puts the terms that have a field, those of all alternatives. */
static void
put_fields (NpAsk *ask, const struct np_filter *f)
{
  NpJson *j = &ask->json;
  np_json_array (j, "fields");
  for (guint32 i = 0; i < np_filter_parts (f); i++) {
    const struct np_filter_term *term = &f->terms[f->parts[i].term];
    if (!*term->field)
      continue;
    g_autoptr (GString) values = g_string_new (term->want.text);
    const char *value = term->want.text;
    for (guint32 k = 1; k < term->want.n; k++) {
      value += strlen (value) + 1;
      g_string_append_printf (values, "|%s", value);
    }
    np_json_object (j, NULL);
    np_json_text (j, "field", term->field);
    np_json_text (j, "op", op_text (&f->parts[i]));
    np_json_text (j, "value", values->str);
    np_json_bool (j, "known", is_known (ask, term->field));
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

static gboolean
put_search (NpAsk *ask, const NpSought *s, const char *text)
{
  g_auto (NpFound) found = { 0 };
  struct np_filter filter;
  char why[160];
  guint32 at;
  NpJson *j = &ask->json;
  if (!np_find_rows (ask, s, &found))
    return FALSE;
  np_json_object (j, NULL);
  np_json_number (j, "total", found.total);
  np_json_bool (j, "exact", TRUE);
  if (!put_hits (ask, found.hits))
    return FALSE;
  if (s->pixels) {
    np_json_array (j, "histogram");
    for (guint32 i = 0; i < s->pixels; i++)
      np_json_number (j, NULL, found.histogram[i]);
    np_json_end_array (j);
  }
  np_json_number (j, "names", found.names);
  if (s->fits) { /* no text says the same */
    np_json_array (j, "fields");
    np_json_end_array (j);
    np_json_null (j, "where");
    np_json_end_object (j);
    return TRUE;
  }
  if (np_filter_parse (text, NP_FILTER_WORDS, &filter, why, &at)) { /* the search has taken it */
    put_fields (ask, &filter);
    put_where (ask, &filter);
  }
  np_filter_clear (&filter);
  np_json_end_object (j);
  return TRUE;
}

gboolean
np_ask_search_text (NpAsk *ask, const char *text, NpFits fits, gconstpointer user)
{
  const char *after = np_request_param (ask->request, "after");
  NpSought s = { .fits = fits, .user = user };
  struct nprof_row from;
  guint32 at = 0;
  if (!np_ask_range (ask, &s.t0, &s.t1) || !np_ask_u32 (ask, "n", 100, MOST_HITS, &s.n)
      || !np_ask_u32 (ask, "pixels", 0, 4096, &s.pixels))
    return FALSE;
  if (after && !np_parse_row (after, &from.lane, &from.row))
    return np_ask_wrong (ask, "after", "LANE.ROW");
  s.after = after ? &from : NULL;
  g_autoptr (NpParts) parts = NULL;
  g_autoptr (GArray) tracks = np_ask_chosen (ask, &parts);
  if (!tracks)
    return FALSE;
  s.tracks = tracks;
  s.parts = parts;
  s.search = nprof_search_new (ask->query, text, &at);
  if (!s.search)
    return np_reply_fail_at (ask->reply, 400, at, "", ask->query->error);
  gboolean good = put_search (ask, &s, text);
  nprof_search_free (s.search);
  return good;
}

gboolean
np_ask_search (NpAsk *ask)
{
  g_autofree char *text = np_ask_whole_names (ask, np_request_param (ask->request, "q"));
  return text ? np_ask_search_text (ask, text, NULL, NULL) : np_ask_missing (ask, "q");
}

/* -- suggest ------------------------------------------------------------------------- */

typedef struct {
  char *text;
  const char *what;
  guint64 count;
} Suggestion;

static void
suggestion_clear (gpointer data)
{
  g_free (((Suggestion *) data)->text);
}

static int
compare_suggestions (gconstpointer a, gconstpointer b)
{
  const Suggestion *x = a, *y = b;
  if (x->count != y->count)
    return x->count > y->count ? -1 : 1;
  return strcmp (x->text, y->text);
}

static gboolean
begins (const char *text, const char *prefix)
{
  return !g_ascii_strncasecmp (text, prefix, strlen (prefix));
}

static void
suggest (GArray *all, const char *text, const char *what, guint64 count)
{
  Suggestion s = { g_strdup (text), what, count };
  g_array_append_val (all, s);
}

static void
suggest_fields (NpAsk *ask, GArray *all, const char *prefix)
{
  static const char *const fields[]
      = { "name=", "name~", "category=", "category~", "track=", "track~",
          "kind=", "dur>",  "dur<",      "start>",    "self>",  "value>" };
  const struct nprof_store_attribute *a;
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    if (begins (fields[i], prefix))
      suggest (all, fields[i], "field", 0);
  for (guint32 i = 0; (a = nprof_store_attribute_at (ask->store, i)); i++) {
    const char *key = np_ask_string (ask, a->key);
    g_autofree char *text = g_strconcat (key, a->type == NPROF_STRING ? "=" : ">", NULL);
    if (begins (key, prefix))
      suggest (all, text, "field", 0);
  }
}

/* Suggests names that hold the text, or categories behind "category=". */
static void
suggest_labels (NpAsk *ask, GArray *all, const char *part, gboolean category)
{
  g_autoptr (GHashTable) counts = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autofree char *wanted = g_ascii_strdown (part, -1);
  const struct nprof_store_label *l;
  GHashTableIter iter;
  gpointer string, count;
  for (guint32 i = 0; (l = nprof_store_label_at (ask->store, i)); i++) {
    guint32 text = category ? l->category : l->name;
    g_autofree char *low = g_ascii_strdown (np_ask_string (ask, text), -1);
    if (!*low || !strstr (low, wanted))
      continue;
    guint64 *sum = g_hash_table_lookup (counts, GUINT_TO_POINTER (text));
    if (!sum)
      g_hash_table_insert (counts, GUINT_TO_POINTER (text), sum = g_new0 (guint64, 1));
    *sum += l->count;
  }
  g_hash_table_iter_init (&iter, counts);
  while (g_hash_table_iter_next (&iter, &string, &count)) {
    const char *text = np_ask_string (ask, GPOINTER_TO_UINT (string));
    g_autofree char *whole
        = category ? g_strdup_printf (strchr (text, ' ') ? "category=\"%s\"" : "category=%s", text)
                   : g_strdup (text);
    suggest (all, whole, category ? "value" : "name", *(guint64 *) count);
  }
}

gboolean
np_ask_suggest (NpAsk *ask)
{
  const char *prefix = np_request_param (ask->request, "prefix");
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (Suggestion));
  guint32 n;
  NpJson *j = &ask->json;
  if (!prefix)
    return np_ask_missing (ask, "prefix");
  if (!np_ask_u32 (ask, "n", 20, 1000, &n))
    return FALSE;
  g_array_set_clear_func (all, suggestion_clear);
  if (g_str_has_prefix (prefix, "category="))
    suggest_labels (ask, all, prefix + 9, TRUE);
  else
    suggest_labels (ask, all, g_str_has_prefix (prefix, "name=") ? prefix + 5 : prefix, FALSE);
  suggest_fields (ask, all, prefix);
  g_array_sort (all, compare_suggestions);
  np_json_object (j, NULL);
  np_json_array (j, "suggestions");
  for (guint i = 0; i < all->len && i < n; i++) {
    const Suggestion *s = &g_array_index (all, Suggestion, i);
    np_json_object (j, NULL);
    np_json_text (j, "text", s->text);
    np_json_text (j, "what", s->what);
    np_json_number (j, "count", s->count);
    np_json_end_object (j);
  }
  np_json_end_array (j);
  np_json_end_object (j);
  return TRUE;
}
