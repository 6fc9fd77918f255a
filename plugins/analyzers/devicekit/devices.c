/* SPDX-License-Identifier: Apache-2.0 */
/* devices.c - reads the files of peak rates and looks devices up in them. */
#include "devicekit/devices.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define MAX_BYTES (1u << 20) /* of a file: json-glib's tree takes 15 times that */

static void
device_free (gpointer data)
{
  AnDevice *d = data;
  g_free (d->name);
  g_free (d->file);
  g_strfreev (d->match);
  g_free (d->precision);
  g_clear_pointer (&d->rates, g_array_unref);
  g_free (d);
}

static gboolean
wrong (GError **error, const AnDevice *d, guint number, const char *expected)
{
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s: device %u (%s): expected %s", d->file,
               number, d->name ? d->name : "no name", expected);
  return FALSE;
}

/* -- Members; NULL and NAN where they are not of their type ------------------------------- */

static const char *
text_member (JsonObject *o, const char *name)
{
  JsonNode *node = json_object_get_member (o, name);
  if (!node || json_node_get_value_type (node) != G_TYPE_STRING)
    return NULL;
  return json_node_get_string (node);
}

static double
rate_member (JsonObject *o, const char *name)
{
  JsonNode *node = json_object_get_member (o, name);
  GType type = node ? json_node_get_value_type (node) : G_TYPE_INVALID;
  if (type != G_TYPE_INT64 && type != G_TYPE_DOUBLE)
    return NAN;
  double rate = json_node_get_double (node);
  return rate > 0 && isfinite (rate) ? rate : NAN;
}

static char **
patterns (JsonObject *o)
{
  JsonNode *node = json_object_get_member (o, "match");
  if (!node || !JSON_NODE_HOLDS_ARRAY (node))
    return NULL;
  JsonArray *array = json_node_get_array (node);
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < json_array_get_length (array); i++) {
    JsonNode *one = json_array_get_element (array, i);
    if (json_node_get_value_type (one) != G_TYPE_STRING)
      return NULL;
    g_ptr_array_add (all, g_utf8_strdown (json_node_get_string (one), -1));
  }
  if (!all->len)
    return NULL;
  g_ptr_array_add (all, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&all), FALSE);
}

static void
rate_clear (gpointer data)
{
  g_free (((AnDeviceRate *) data)->precision);
}

/* Twice the rate that structured sparsity promises is left out. */
static GArray *
dense_rates (JsonObject *o)
{
  GArray *rates = g_array_new (FALSE, FALSE, sizeof (AnDeviceRate));
  g_array_set_clear_func (rates, rate_clear);
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;
  json_object_iter_init (&iter, o);
  while (json_object_iter_next (&iter, &name, &node)) {
    const AnDeviceRate rate = { g_strdup (name), rate_member (o, name) };
    if (isnan (rate.rate) || g_str_has_suffix (name, "_sparse"))
      g_free (rate.precision);
    else
      g_array_append_val (rates, rate);
  }
  return rates;
}

static gboolean
read_device (AnDevice *d, JsonNode *node, guint number, GError **error)
{
  if (!JSON_NODE_HOLDS_OBJECT (node))
    return wrong (error, d, number, "an object");
  JsonObject *o = json_node_get_object (node);
  d->name = g_strdup (text_member (o, "name"));
  if (!d->name)
    return wrong (error, d, number, "\"name\", a text");
  d->match = patterns (o);
  if (!d->match)
    return wrong (error, d, number, "\"match\", a list of patterns of device_type");
  d->precision = g_strdup (text_member (o, "default"));
  bool cycles = json_object_has_member (o, "per_core_cycle");
  JsonNode *peaks = json_object_get_member (o, cycles ? "per_core_cycle" : "peaks");
  if (!d->precision || !peaks || !JSON_NODE_HOLDS_OBJECT (peaks))
    return wrong (error, d, number, "\"default\", a text, and \"peaks\", an object");
  double rate = rate_member (json_node_get_object (peaks), d->precision);
  if (isnan (rate))
    return wrong (error, d, number, "\"default\" to name one of \"peaks\", in flop/s");
  d->flops = cycles ? NAN : rate;
  d->per_cycle = cycles ? rate : NAN;
  d->rates = dense_rates (json_node_get_object (peaks));
  d->bandwidth = rate_member (o, "bandwidth");
  if (isnan (d->bandwidth) && json_object_has_member (o, "bandwidth"))
    return wrong (error, d, number, "\"bandwidth\" to be a number of bytes a second");
  d->link = rate_member (o, "link");
  d->link_group = rate_member (o, "link_group");
  if (isnan (d->link) != isnan (d->link_group)
      || (isnan (d->link) && json_object_has_member (o, "link")))
    return wrong (error, d, number,
                  "\"link\", bytes a second one way, and \"link_group\", how many devices it joins");
  return TRUE;
}

/* -- Files ------------------------------------------------------------------------------- */

static gboolean
read_list (GPtrArray *devices, JsonNode *root, const char *file, GError **error)
{
  JsonNode *list = NULL;
  if (root && JSON_NODE_HOLDS_OBJECT (root))
    list = json_object_get_member (json_node_get_object (root), "devices");
  if (!list || !JSON_NODE_HOLDS_ARRAY (list)) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                 "%s: expected an object with \"devices\", a list", file);
    return FALSE;
  }
  JsonArray *array = json_node_get_array (list);
  for (guint i = 0; i < json_array_get_length (array); i++) {
    AnDevice *d = g_new0 (AnDevice, 1);
    d->file = g_strdup (file);
    g_ptr_array_add (devices, d);
    if (!read_device (d, json_array_get_element (array, i), i + 1, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_file (GPtrArray *devices, const char *folder, const char *file, GError **error)
{
  g_autofree char *path = g_build_filename (folder, file, NULL);
  g_autofree char *text = NULL;
  gsize len;
  if (!g_file_get_contents (path, &text, &len, error))
    return FALSE;
  if (len > MAX_BYTES) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                 "%s: larger than 1 MB: expected a small document", path);
    return FALSE;
  }
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) cause = NULL;
  if (!json_parser_load_from_data (parser, text, (gssize) len, &cause)) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s: %s", path, cause->message);
    return FALSE;
  }
  return read_list (devices, json_parser_get_root (parser), file, error);
}

static int
by_name (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

GPtrArray *
an_devices_read (const char *folder, GError **error)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, error);
  if (!dir)
    return NULL;
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
  for (const char *name; (name = g_dir_read_name (dir));)
    if (g_str_has_suffix (name, ".json"))
      g_ptr_array_add (files, g_strdup (name));
  if (!files->len) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT, "%s: no *.json there", folder);
    return NULL;
  }
  g_ptr_array_sort (files, by_name);
  g_autoptr (GPtrArray) devices = g_ptr_array_new_with_free_func (device_free);
  for (guint i = 0; i < files->len; i++)
    if (!read_file (devices, folder, g_ptr_array_index (files, i), error))
      return NULL;
  return g_steal_pointer (&devices);
}

double
an_device_rate (const AnDevice *device, const char *precision)
{
  for (guint i = 0; i < device->rates->len; i++) {
    const AnDeviceRate *rate = &g_array_index (device->rates, AnDeviceRate, i);
    if (g_str_equal (rate->precision, precision))
      return rate->rate;
  }
  return NAN;
}

const AnDevice *
an_devices_find (const GPtrArray *devices, const char *device_type)
{
  g_autofree char *type = g_utf8_strdown (device_type, -1);
  for (guint i = 0; i < devices->len; i++) {
    const AnDevice *d = g_ptr_array_index (devices, i);
    for (char **pattern = d->match; *pattern; pattern++)
      if (g_pattern_match_simple (*pattern, type))
        return d;
  }
  return NULL;
}
