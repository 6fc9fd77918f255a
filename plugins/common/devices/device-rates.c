/* SPDX-License-Identifier: Apache-2.0 */
/* device-rates.c - reads the files of peak rates, once a process as long as they stay, and looks
 * devices up in them. */

#include "devices/device-rates.h"

#include <json-glib/json-glib.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "base/strict-json.h"
#include "system/by-text.h"

typedef struct {
  struct nprof_device device; /* first */
  char **match;               /* patterns of device_type, in lower case; * matches all */
  GArray *rates;              /* of struct nprof_device_rate                           */
} Device;

struct NpDeviceRates {
  pthread_mutex_t lock;
  GHashTable *folders; /* char * -> GPtrArray of Device */
};

static void
device_free (gpointer data)
{
  Device *d = data;
  g_free ((char *) d->device.name);
  g_free ((char *) d->device.file);
  g_free ((char *) d->device.precision);
  g_strfreev (d->match);
  g_clear_pointer (&d->rates, g_array_unref);
  g_free (d);
}

static gboolean
fail_device (GError **error, const struct nprof_device *d, guint number, const char *expected)
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

/* In lower case; NULL unless it is a list of one text or more. */
static char **
match_member (JsonObject *o)
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
    g_ptr_array_add (all, g_ascii_strdown (json_node_get_string (one), -1));
  }
  if (!all->len)
    return NULL;
  g_ptr_array_add (all, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&all), FALSE);
}

static void
rate_clear (gpointer data)
{
  g_free ((char *) ((struct nprof_device_rate *) data)->precision);
}

/* Leaves out twice a rate, which structured sparsity promises. */
static GArray *
dense_rates (JsonObject *o)
{
  GArray *rates = g_array_new (FALSE, FALSE, sizeof (struct nprof_device_rate));
  g_array_set_clear_func (rates, rate_clear);
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;
  json_object_iter_init (&iter, o);
  while (json_object_iter_next (&iter, &name, &node)) {
    struct nprof_device_rate rate = { NULL, rate_member (o, name) };
    if (isnan (rate.rate) || g_str_has_suffix (name, "_sparse"))
      continue;
    rate.precision = g_strdup (name);
    g_array_append_val (rates, rate);
  }
  return rates;
}

/* Reads flop/s of the default precision, or flop of a core in a cycle. */
static gboolean
read_rates (Device *device, JsonObject *o, guint number, GError **error)
{
  struct nprof_device *d = &device->device;
  bool cycles = json_object_has_member (o, "per_core_cycle");
  JsonNode *peaks = json_object_get_member (o, cycles ? "per_core_cycle" : "peaks");
  d->precision = g_strdup (text_member (o, "default"));
  if (!d->precision || !peaks || !JSON_NODE_HOLDS_OBJECT (peaks))
    return fail_device (error, d, number, "\"default\", a text, and \"peaks\", an object");
  double rate = rate_member (json_node_get_object (peaks), d->precision);
  if (isnan (rate))
    return fail_device (error, d, number, "\"default\" to name one of \"peaks\", in flop/s");
  d->flops = cycles ? NAN : rate;
  d->per_cycle = cycles ? rate : NAN;
  device->rates = dense_rates (json_node_get_object (peaks));
  d->rates = (const struct nprof_device_rate *) (const void *) device->rates->data;
  d->n_rates = device->rates->len;
  return TRUE;
}

static gboolean
read_transfers (struct nprof_device *d, JsonObject *o, guint number, GError **error)
{
  d->bandwidth = rate_member (o, "bandwidth");
  if (isnan (d->bandwidth) && json_object_has_member (o, "bandwidth"))
    return fail_device (error, d, number, "\"bandwidth\" to be a number of bytes a second");
  d->link = rate_member (o, "link");
  d->link_group = rate_member (o, "link_group");
  const gboolean has_link
      = json_object_has_member (o, "link") || json_object_has_member (o, "link_group");
  if (isnan (d->link) != isnan (d->link_group) || (isnan (d->link) && has_link))
    return fail_device (
        error, d, number,
        "\"link\", bytes a second one way, and \"link_group\", how many devices it joins");
  d->host_link = rate_member (o, "host_link");
  if (isnan (d->host_link) && json_object_has_member (o, "host_link"))
    return fail_device (error, d, number, "\"host_link\" to be a number of bytes a second");
  return TRUE;
}

static gboolean
read_device (Device *device, JsonNode *node, guint number, GError **error)
{
  struct nprof_device *d = &device->device;
  if (!JSON_NODE_HOLDS_OBJECT (node))
    return fail_device (error, d, number, "an object");
  JsonObject *o = json_node_get_object (node);
  d->name = g_strdup (text_member (o, "name"));
  if (!d->name)
    return fail_device (error, d, number, "\"name\", a text");
  device->match = match_member (o);
  if (!device->match)
    return fail_device (error, d, number, "\"match\", a list of patterns of device_type");
  return read_rates (device, o, number, error) && read_transfers (d, o, number, error);
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
    Device *d = g_new0 (Device, 1);
    d->device.size = sizeof d->device;
    d->device.file = g_strdup (file);
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
  g_autoptr (JsonNode) root = np_strict_json_read (path, error);
  return root && read_list (devices, root, file, error);
}

/* Returns the names of a folder's files *.json, by name; that there is none is an error.
 * Transfer full. */
static GPtrArray *
files_of (const char *folder, GError **error)
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
  g_ptr_array_sort (files, np_by_text);
  return g_steal_pointer (&files);
}

/* Reads files of a folder into an array of Device.  Transfer full. */
static GPtrArray *
read_files (const char *folder, const GPtrArray *files, GError **error)
{
  g_autoptr (GPtrArray) devices = g_ptr_array_new_with_free_func (device_free);
  for (guint i = 0; i < files->len; i++)
    if (!read_file (devices, folder, g_ptr_array_index (files, i), error))
      return NULL;
  return g_steal_pointer (&devices);
}

/* -- What this process has read ------------------------------------------------------------ */

/* Runs follow each other in one process (nprof check, nprof view, libnprof), and files seldom
 * change between them. */
typedef struct {
  char *stamp; /* of the files that were read */
  GPtrArray *devices;
} Known;

static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;
static GHashTable *known_folders; /* char * -> Known */

static void
known_free (gpointer data)
{
  Known *known = data;
  g_free (known->stamp);
  g_ptr_array_unref (known->devices);
  g_free (known);
}

/* Returns what tells the files from others and from what they were. Transfer full; NULL: one cannot
 * be looked at. */
static char *
stamp_of (const char *folder, const GPtrArray *files)
{
  g_autoptr (GString) stamp = g_string_new (NULL);
  for (guint i = 0; i < files->len; i++) {
    const char *name = g_ptr_array_index (files, i);
    g_autofree char *path = g_build_filename (folder, name, NULL);
    struct stat st;
    if (stat (path, &st))
      return NULL;
    g_string_append_printf (stamp, "%s/%ju/%ju/%ju/%jd.%09ld/%jd.%09ld\n", name,
                            (uintmax_t) st.st_dev, (uintmax_t) st.st_ino, (uintmax_t) st.st_size,
                            (intmax_t) st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
                            (intmax_t) st.st_ctim.tv_sec, st.st_ctim.tv_nsec);
  }
  return g_string_free (g_steal_pointer (&stamp), FALSE);
}

/* Returns the devices of a folder, an array of Device that nobody changes. Transfer full. Its files
 * are looked at before they are read, so what changes meanwhile is read again. */
static GPtrArray *
read_folder (const char *folder, GError **error)
{
  g_autoptr (GPtrArray) files = files_of (folder, error);
  if (!files)
    return NULL;
  g_autofree char *stamp = stamp_of (folder, files);
  pthread_mutex_lock (&known_lock);
  if (!known_folders)
    known_folders = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, known_free);
  Known *known = g_hash_table_lookup (known_folders, folder);
  GPtrArray *devices = NULL;
  if (known && stamp && !strcmp (known->stamp, stamp))
    devices = g_ptr_array_ref (known->devices);
  else if ((devices = read_files (folder, files, error)) && stamp) {
    known = g_new (Known, 1);
    *known = (Known){ g_steal_pointer (&stamp), g_ptr_array_ref (devices) };
    g_hash_table_replace (known_folders, g_strdup (folder), known);
  }
  pthread_mutex_unlock (&known_lock);
  return devices;
}

/* -- Folders ----------------------------------------------------------------------------- */

NpDeviceRates *
np_device_rates_new (void)
{
  NpDeviceRates *self = g_new0 (NpDeviceRates, 1);
  pthread_mutex_init (&self->lock, NULL);
  self->folders
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ptr_array_unref);
  return self;
}

void
np_device_rates_free (NpDeviceRates *self)
{
  if (!self)
    return;
  g_hash_table_unref (self->folders);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

gboolean
np_device_rates_read (NpDeviceRates *self, const char *folder, GError **error)
{
  pthread_mutex_lock (&self->lock);
  gboolean known = g_hash_table_contains (self->folders, folder);
  GPtrArray *devices = known ? NULL : read_folder (folder, error);
  if (devices)
    g_hash_table_insert (self->folders, g_strdup (folder), devices);
  pthread_mutex_unlock (&self->lock);
  return known || devices;
}

const struct nprof_device *
np_device_rates_find (NpDeviceRates *self, const char *folder, const char *device_type)
{
  g_autofree char *type = g_ascii_strdown (device_type, -1);
  pthread_mutex_lock (&self->lock);
  const GPtrArray *devices = g_hash_table_lookup (self->folders, folder);
  pthread_mutex_unlock (&self->lock);
  for (guint i = 0; devices && i < devices->len; i++) {
    const Device *d = g_ptr_array_index (devices, i);
    for (char **pattern = d->match; *pattern; pattern++)
      if (g_pattern_match_simple (*pattern, type))
        return &d->device;
  }
  return NULL;
}

nprof_status
np_device_rates_answer (NpDeviceRates *self, const struct nprof_host *host, const char *data,
                        const char *folder, const char *device_type,
                        const struct nprof_device **device)
{
  g_autofree char *own = NULL;
  g_autoptr (GError) error = NULL;
  if (device)
    *device = NULL;
  if (!folder && data)
    folder = own = g_build_filename (data, "devices", NULL);
  if (!folder)
    return NPROF_OK;
  if (!np_device_rates_read (self, folder, &error)) {
    g_autofree char *why = g_strdup_printf ("devices=%s: %s", folder, error->message);
    return host->fail (host, NPROF_E_OPTION, why);
  }
  if (device && device_type)
    *device = np_device_rates_find (self, folder, device_type);
  return NPROF_OK;
}
