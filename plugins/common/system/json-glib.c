/* SPDX-License-Identifier: Apache-2.0 */
/* json-glib.c - json-glib, opened at its first call. With gobject and gio, which it brings, it
 * takes as long to load as the rest of a small run, and most runs read no document by it. */

#define LATE_FILE "libjson-glib-1.0.so.0"
#define LATE_NAME "json-glib"
#define LATE_PACKAGE "libjson-glib-1.0-0"
#define LATE_NEEDED "json-glib 1.6"

#include <json-glib/json-glib.h>

#include "late-library.h"

/* It takes the pointers below for products. */
/* clang-format off */

/* -- Documents --------------------------------------------------------------- */

FORWARD (JsonParser *, json_parser_new, (void), ())
FORWARD (JsonParser *, json_parser_new_immutable, (void), ())
FORWARD (gboolean, json_parser_load_from_data,
         (JsonParser *p, const char *text, gssize n, GError **e),
         (p, text, n, e))
FORWARD (JsonNode *, json_parser_get_root, (JsonParser *p), (p))
FORWARD (JsonNode *, json_parser_steal_root, (JsonParser *p), (p))
FORWARD (JsonNode *, json_from_string, (const char *text, GError **e), (text, e))
FORWARD (char *, json_to_string, (JsonNode *n, gboolean pretty), (n, pretty))

/* -- Nodes ------------------------------------------------------------------- */

FORWARD (JsonNodeType, json_node_get_node_type, (JsonNode *n), (n))
FORWARD (GType, json_node_get_value_type, (JsonNode *n), (n))
FORWARD (JsonObject *, json_node_get_object, (JsonNode *n), (n))
FORWARD (JsonArray *, json_node_get_array, (JsonNode *n), (n))
FORWARD (const char *, json_node_get_string, (JsonNode *n), (n))
FORWARD (gint64, json_node_get_int, (JsonNode *n), (n))
FORWARD (double, json_node_get_double, (JsonNode *n), (n))
FORWARD (gboolean, json_node_get_boolean, (JsonNode *n), (n))
FORWARD (JsonNode *, json_node_copy, (JsonNode *n), (n))
FORWARD (JsonNode *, json_node_ref, (JsonNode *n), (n))
FORWARD (void, json_node_unref, (JsonNode *n), (n))

/* -- Objects and arrays ------------------------------------------------------ */

FORWARD (guint, json_object_get_size, (JsonObject *o), (o))
FORWARD (gboolean, json_object_has_member, (JsonObject *o, const char *name), (o, name))
FORWARD (JsonNode *, json_object_get_member, (JsonObject *o, const char *name), (o, name))
FORWARD (GList *, json_object_get_members, (JsonObject *o), (o))
FORWARD (gboolean, json_object_get_null_member, (JsonObject *o, const char *name), (o, name))
FORWARD (gint64, json_object_get_int_member_with_default,
         (JsonObject *o, const char *name, gint64 other),
         (o, name, other))
FORWARD (const char *, json_object_get_string_member_with_default,
         (JsonObject *o, const char *name, const char *other),
         (o, name, other))
FORWARD (void, json_object_iter_init, (JsonObjectIter *i, JsonObject *o), (i, o))
FORWARD (void, json_object_iter_init_ordered, (JsonObjectIter *i, JsonObject *o), (i, o))
FORWARD (gboolean, json_object_iter_next,
         (JsonObjectIter *i, const char **name, JsonNode **n),
         (i, name, n))
FORWARD (gboolean, json_object_iter_next_ordered,
         (JsonObjectIter *i, const char **name, JsonNode **n),
         (i, name, n))
FORWARD (guint, json_array_get_length, (JsonArray *a), (a))
FORWARD (JsonNode *, json_array_get_element, (JsonArray *a, guint i), (a, i))
FORWARD (JsonObject *, json_array_get_object_element, (JsonArray *a, guint i), (a, i))
FORWARD (double, json_array_get_double_element, (JsonArray *a, guint i), (a, i))

/* -- Writing ----------------------------------------------------------------- */

FORWARD (JsonBuilder *, json_builder_new, (void), ())
FORWARD (JsonNode *, json_builder_get_root, (JsonBuilder *b), (b))
FORWARD (JsonBuilder *, json_builder_begin_object, (JsonBuilder *b), (b))
FORWARD (JsonBuilder *, json_builder_end_object, (JsonBuilder *b), (b))
FORWARD (JsonBuilder *, json_builder_begin_array, (JsonBuilder *b), (b))
FORWARD (JsonBuilder *, json_builder_end_array, (JsonBuilder *b), (b))
FORWARD (JsonBuilder *, json_builder_set_member_name, (JsonBuilder *b, const char *name), (b, name))
FORWARD (JsonBuilder *, json_builder_add_string_value,
         (JsonBuilder *b, const char *text),
         (b, text))
FORWARD (JsonBuilder *, json_builder_add_int_value, (JsonBuilder *b, gint64 i), (b, i))
FORWARD (JsonBuilder *, json_builder_add_boolean_value, (JsonBuilder *b, gboolean is), (b, is))
FORWARD (JsonBuilder *, json_builder_add_null_value, (JsonBuilder *b), (b))
FORWARD (JsonBuilder *, json_builder_add_value, (JsonBuilder *b, JsonNode *n), (b, n))

/* -- GObject ----------------------------------------------------------------- */

FORWARD (void, g_object_unref, (gpointer object), (object))
FORWARD (gulong, g_signal_connect_data,
         (gpointer o, const gchar *signal, GCallback fn,
          gpointer user, GClosureNotify gone, GConnectFlags flags),
         (o, signal, fn, user, gone, flags))
FORWARD (void, g_signal_handler_disconnect, (gpointer o, gulong id), (o, id))
