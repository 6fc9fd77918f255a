/* SPDX-License-Identifier: Apache-2.0 */
/* influx-corpus.c - lines as the sink influx writes them, for a corpus that its peers write too:
 * one JSON object a line of stdin (measurement, tags, strings, ints, floats), one line of the
 * protocol out. tests/services/influx-lines.py compares. */
#include "line.h"

#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>

static JsonObject *
object_of (JsonObject *json, const char *member)
{
  return json_node_get_object (json_object_get_member (json, member));
}

static void
put_key (struct nprof_buf *to, char before, const char *key)
{
  nprof_put_char (to, before);
  line_put_tag (to, key, strlen (key));
  nprof_put_char (to, '=');
}

static void
put_tags (struct nprof_buf *to, JsonObject *tags)
{
  g_autoptr (GList) keys = g_list_sort (json_object_get_members (tags), (GCompareFunc) strcmp);
  for (GList *k = keys; k; k = k->next) {
    const char *value = json_object_get_string_member_with_default (tags, k->data, NULL);
    if (!*value)
      continue;
    put_key (to, ',', k->data);
    line_put_tag (to, value, strlen (value));
  }
}

static void
put_field (struct nprof_buf *to, JsonNode *node)
{
  if (json_node_get_value_type (node) == G_TYPE_STRING)
    line_put_string (to, json_node_get_string (node), strlen (json_node_get_string (node)));
  else if (json_node_get_value_type (node) == G_TYPE_BOOLEAN)
    nprof_put_text (to, json_node_get_boolean (node) ? "true" : "false");
  else if (json_node_get_value_type (node) == G_TYPE_INT64)
    line_put_int (to, json_node_get_int (node));
  else
    nprof_put_double (to, json_node_get_double (node));
}

static void
put_fields (struct nprof_buf *to, JsonObject *fields)
{
  g_autoptr (GList) keys = g_list_sort (json_object_get_members (fields), (GCompareFunc) strcmp);
  for (GList *k = keys; k; k = k->next) {
    put_key (to, k == keys ? ' ' : ',', k->data);
    put_field (to, json_object_get_member (fields, k->data));
  }
}

int
main (void)
{
  char text[65536];
  while (fgets (text, sizeof text, stdin)) {
    g_autoptr (JsonParser) parser = json_parser_new ();
    struct nprof_buf buf = { 0 };
    if (!json_parser_load_from_data (parser, text, -1, NULL))
      return 1;
    JsonObject *point = json_node_get_object (json_parser_get_root (parser));
    const char *measurement
        = json_object_get_string_member_with_default (point, "measurement", NULL);
    line_put_measurement (&buf, measurement, strlen (measurement));
    put_tags (&buf, object_of (point, "tags"));
    put_fields (&buf, object_of (point, "fields"));
    nprof_put_char (&buf, ' ');
    nprof_put_i64 (&buf, json_object_get_int_member_with_default (point, "time", -1));
    nprof_put_char (&buf, '\n');
    fwrite (buf.data, 1, buf.len, stdout);
    nprof_buf_clear (&buf);
  }
  return 0;
}
