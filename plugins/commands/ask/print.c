/* SPDX-License-Identifier: Apache-2.0 */
/* print.c - an answer for people: its sentence, its values, and its lists as tables. */
#include "print.h"

#include "cli/cli.h"

#include <json-glib/json-glib.h>
#include <string.h>

static char *
text_of (JsonNode *node)
{
  if (!node || json_node_get_node_type (node) == JSON_NODE_NULL)
    return g_strdup ("-");
  if (json_node_get_node_type (node) == JSON_NODE_VALUE
      && json_node_get_value_type (node) == G_TYPE_STRING)
    return g_strdup (json_node_get_string (node));
  if (json_node_get_node_type (node) == JSON_NODE_VALUE
      && json_node_get_value_type (node) == G_TYPE_DOUBLE) {
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    return g_strdup (g_ascii_formatd (number, sizeof number, "%.6g", json_node_get_double (node)));
  }
  return json_to_string (node, FALSE);
}

/* Prints lines of words, each column as wide as its widest. */
static void
print_lines (const GPtrArray *lines)
{
  glong widths[256] = { 0 };
  for (guint i = 0; i < lines->len; i++)
    for (guint c = 0; c < 256 && ((char **) lines->pdata[i])[c]; c++)
      widths[c] = MAX (widths[c], g_utf8_strlen (((char **) lines->pdata[i])[c], -1));
  for (guint i = 0; i < lines->len; i++) {
    char **words = lines->pdata[i];
    for (guint c = 0; c < 256 && words[c]; c++)
      g_print ("%s%s%*s", c ? "  " : "  ", words[c],
               (int) (words[c + 1] ? widths[c] - g_utf8_strlen (words[c], -1) : 0), "");
    g_print ("\n");
  }
}

static char **
words_of (JsonArray *array)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new ();
  for (guint i = 0; i < json_array_get_length (array); i++)
    g_ptr_array_add (words, text_of (json_array_get_element (array, i)));
  g_ptr_array_add (words, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&words), FALSE);
}

static char *
pairs_of (JsonObject *object)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;
  GString *line = g_string_new (NULL);
  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &name, &node)) {
    g_autofree char *text = text_of (node);
    g_string_append_printf (line, "%s%s %s", line->len ? ", " : "", name, text);
  }
  return g_string_free (line, FALSE);
}

static void
print_list (const char *name, JsonArray *array)
{
  guint n = json_array_get_length (array);
  g_print ("%s%s\n", name, n ? ":" : ": none");
  for (guint i = 0; i < n; i++) {
    JsonNode *node = json_array_get_element (array, i);
    gboolean object = json_node_get_node_type (node) == JSON_NODE_OBJECT;
    g_autofree char *text = object ? pairs_of (json_node_get_object (node)) : text_of (node);
    g_print ("  %s\n", text);
  }
}

static JsonArray *
array_of (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);
  return node && json_node_get_node_type (node) == JSON_NODE_ARRAY ? json_node_get_array (node)
                                                                   : NULL;
}

static void
print_rows (JsonObject *data)
{
  JsonArray *columns = array_of (data, "columns"), *rows = array_of (data, "rows");
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev),
                        names = g_ptr_array_new ();
  for (guint i = 0; i < json_array_get_length (columns); i++)
    g_ptr_array_add (names, g_strdup (json_object_get_string_member_with_default (
                                json_array_get_object_element (columns, i), "name", "")));
  g_ptr_array_add (names, NULL);
  g_ptr_array_add (lines, g_ptr_array_free (g_steal_pointer (&names), FALSE));
  for (guint i = 0; i < json_array_get_length (rows); i++)
    g_ptr_array_add (lines, words_of (json_node_get_array (json_array_get_element (rows, i))));
  print_lines (lines);
}

static void
print_data (JsonObject *data)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;
  if (array_of (data, "rows")) {
    print_rows (data);
    return;
  }
  json_object_iter_init_ordered (&iter, data);
  while (json_object_iter_next_ordered (&iter, &name, &node)) {
    JsonArray *array = array_of (data, name);
    g_autofree char *text = array ? NULL : text_of (node);
    if (array)
      print_list (name, array);
    else
      g_print ("%s: %s\n", name, text);
  }
}

static JsonObject *
object_of (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);
  return node ? json_node_get_object (node) : NULL;
}

/* Prints a sentence with the names that its places stand for. */
static void
print_sentence (const char *text, JsonObject *data)
{
  static const char *const places[] = { "device", "name", "other" };
  g_autoptr (GString) line = g_string_new (text);
  for (guint i = 0; data && i < G_N_ELEMENTS (places); i++) {
    g_autofree char *place = g_strdup_printf ("{%s}", places[i]);
    const char *name = json_object_get_string_member_with_default (data, places[i], "unknown");
    char *at = strstr (line->str, place);
    if (!at)
      continue;
    g_string_erase (line, at - line->str, (gssize) strlen (place));
    g_string_insert (line, at - line->str, name);
  }
  g_print ("%s\n", line->str);
}

void
np_ask_print (const char *json, const char *given)
{
  JsonNode *root = json_from_string (json, NULL);
  JsonObject *answer = json_node_get_object (root), *data = object_of (answer, "data"),
             *error = object_of (answer, "error"), *reason = object_of (answer, "reason");
  const char *text = json_object_get_string_member_with_default (answer, "text", "");
  if (error) {
    g_printerr ("nprof: error: %s%s\n", given, text);
    JsonArray *nearest = array_of (error, "nearest");
    if (json_array_get_length (nearest))
      print_list ("nearest", nearest);
  } else {
    print_sentence (text, data);
  }
  if (reason) {
    g_autofree char *pairs = pairs_of (reason);
    g_print ("unknown: %s\n", pairs);
  }
  if (data)
    print_data (data);
  JsonArray *notes = array_of (answer, "notes");
  if (json_array_get_length (notes))
    print_list ("notes", notes);
  json_node_unref (root);
}
