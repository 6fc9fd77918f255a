/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - sink store: keeps a profile so that nprof view, sql and every other command can ask it
 * at once.  This file has options and life; sink-*.c turn handles into numbers, writer.c and what
 * it uses write the files. */
#include "progress.h"

#include <nprof/store-reader.h>
#include <stdlib.h>
#include <string.h>

nprof_status
store_failed (struct store_sink *self)
{
  struct store_fault *fault = store_writer_fault (self->writer);
  store_fail (fault, NPROF_E_UNSUPPORTED, "the profile holds what the store cannot keep");
  return self->host->fail (self->host, fault->status, fault->text);
}

static nprof_status
open_writer (struct store_sink *self)
{
  char own[4096];
  struct store_fault fault = { 0 };
  const char *root = *self->folder ? self->folder : own;
  if (!*self->folder && !nprof_store_folder (own, sizeof own))
    return nprof_fail (self->host, NPROF_E_OPTION,
                       "there is no home folder for stores: set XDG_DATA_HOME, or give folder=");
  self->writer = store_writer_new (root, self->id, &fault);
  return self->writer ? NPROF_OK : self->host->fail (self->host, fault.status, fault.text);
}

static GArray *
new_array (gsize size)
{
  return g_array_new (FALSE, TRUE, (guint) size);
}

static nprof_status
store_open (void *data, const struct nprof_host *host)
{
  struct store_sink *self = data;
  self->host = host;
  self->origins = host->extension (host, NPROF_ORIGINS);
  self->strings = new_array (sizeof (guint32));
  self->labels = new_array (sizeof (struct store_name_label));
  self->sets = new_array (sizeof (guint32));
  self->keys = new_array (sizeof (struct store_attr_key));
  self->lines = new_array (sizeof (struct store_line *));
  self->seen = new_array (sizeof (guint64));
  self->row_keys = new_array (sizeof (guint16));
  self->row_values = new_array (sizeof (guint64));
  self->tables = new_array (sizeof (struct store_sink_table));
  self->tracks = new_array (sizeof (struct nprof_store_track));
  self->inputs = new_array (sizeof (struct nprof_store_input));
  self->properties = new_array (sizeof (struct nprof_store_property));
  self->cells = new_array (sizeof (struct nprof_store_cell));
  self->short_texts = g_new0 (struct store_short_text, STORE_SHORT_TEXTS);
  self->derived = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  self->strips = self->progress ? store_progress_new () : NULL;
  nprof_status status = profile_id (host, self->id);
  status = status ? status : store_sources_open (self);
  return status ? status : open_writer (self);
}

static nprof_status
store_consume (void *data, const struct nprof_batch *batch)
{
  return store_rows_consume (data, batch);
}

static nprof_status
store_table (void *data, const struct nprof_table *table, const struct nprof_cell *cells,
             uint32_t n_rows)
{
  struct store_sink *self = data;
  nprof_status status = store_table_rows (self, table, cells, n_rows);
  if (status || !self->strips)
    return status;
  store_progress_table (self->strips, self, table, cells, n_rows);
  return store_progress_tell (self->strips, self) ? NPROF_OK : store_failed (self);
}

static nprof_status
store_finish (void *data)
{
  struct store_sink *self = data;
  g_autofree char *path = NULL;
  struct store_facts facts = {
    .flags = self->keep ? NPROF_STORE_SOURCELESS : 0,
    .generation = (guint64) g_random_int () << 32 | g_random_int (),
    .origin_unix_ns = self->host->run (self->host)->origin_unix_ns,
    .made_unix_ms = g_get_real_time () / 1000,
  };
  nprof_status status = store_sources_finish (self);
  status = status ? status : store_describe (self);
  if (status)
    return status;
  if (!store_writer_finish (self->writer, &facts) || !store_writer_commit (self->writer, &path)) {
    free (g_steal_pointer (&path));
    return store_failed (self);
  }
  if (self->unknown_rows + self->unknown_values)
    nprof_log (self->host, NPROF_WARNING,
               "%" G_GUINT64_FORMAT " rows and %" G_GUINT64_FORMAT
               " attributes are of kinds that only a newer nprof knows: "
               "they were skipped",
               self->unknown_rows, self->unknown_values);
  if (self->tell)
    nprof_log (self->host, NPROF_NOTICE,
               "Profile \"%s\" is stored: %" G_GUINT64_FORMAT " rows, %" G_GUINT64_FORMAT " bytes",
               self->id, store_writer_rows (self->writer), store_writer_bytes (self->writer));
  free (g_steal_pointer (&path));
  return NPROF_OK;
}

static void
store_close (void *data)
{
  struct store_sink *self = data;
  GArray **arrays[]
      = { &self->strings,    &self->sets,       &self->keys,   &self->lines,  &self->seen,
          &self->row_keys,   &self->row_values, &self->tables, &self->tracks, &self->inputs,
          &self->properties, &self->cells,      &self->labels };
  for (guint k = 0; k < G_N_ELEMENTS (arrays); k++)
    g_clear_pointer (arrays[k], g_array_unref);
  g_clear_pointer (&self->derived, g_hash_table_unref);
  g_free (self->short_texts);
  store_sources_close (self);
  store_progress_free (self->strips);
  store_writer_free (self->writer); /* removes what is not finished */
}

static const struct nprof_component store = {
  .size = sizeof store,
  .kind = NPROF_SINK,
  .name = "store",
  .summary = "a stored profile, n_..., that nprof view shows and every command reads",
  /* clang-format off */
  .options = NPROF_OPTIONS (
      NPROF_PATH_OPTION (struct store_sink, folder, "folder", "",
                           "where stores lie; $XDG_DATA_HOME/nprof/profiles when not given"),
      NPROF_BOOL_OPTION (struct store_sink, keep, "keep", "yes",
                         "never remove it to make room, also while its source is still there"),
      NPROF_PATH_OPTION (struct store_sink, source, "source", "",
                           "folders, apart by :, from which files are stored that rows name as their source"),
      NPROF_BOOL_OPTION (struct store_sink, progress, "progress", "no",
                         "show meanwhile what was read, in the file progress"),
      NPROF_BOOL_OPTION (struct store_sink, tell, "tell", "yes", "say what the stored profile is called")),
  /* clang-format on */
  .wants = (const char *const[]){ "*", NULL },
  .order = NPROF_ORDER_INPUT,
  .instance_size = sizeof (struct store_sink),
  .open = store_open,
  .consume = store_consume,
  .table = store_table,
  .finish = store_finish,
  .close = store_close,
};

NPROF_PLUGIN ("store", NPROF_VERSION, "Apache-2.0", &store)
