/* SPDX-License-Identifier: Apache-2.0 */
/* sink-inputs.c - writes what a store says of its inputs: where they lie, their checksums, the
 * columns that they declare. */
#include "sink.h"

#include <nprof/store-reader.h>
#include <string.h>
#include <sys/stat.h>

static void
find_source (struct store_sink *self, guint number, struct nprof_store_input *in)
{
  const struct nprof_input_file *files = self->host->extension (self->host, NPROF_INPUT_FILE);
  const char *path = files ? files->path (self->host, number) : NULL;
  struct stat st;
  memset (&st, 0, sizeof st);
  in->flags = path ? 0 : NPROF_STORE_NO_PATH;
  if (!path)
    return;
  in->path = store_text_string (self, path, -1);
  int error = nprof_store_content (path, &st, &in->content);
  if (error)
    nprof_log (self->host, NPROF_WARNING, "%s: %s: whether it changes later cannot be told", path,
               g_strerror (error));
  in->size = (guint64) st.st_size;
  in->mtime_ns = (gint64) st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
}

/* Returns the shift, by which times of later inputs were moved to the run's origin. */
static gint64
shift_of (struct store_sink *self, const struct nprof_store_input *in)
{
  gint64 origin = self->host->run (self->host)->origin_unix_ns;
  return in->origin_unix_ns == NPROF_NO_EPOCH || origin == NPROF_NO_EPOCH
             ? 0
             : (in->origin_unix_ns - origin) * 1000;
}

/* Writes one small file an input, by which a user names one of them: the index has what it says. */
static gboolean
write_input_file (struct store_sink *self, guint number)
{
  g_autofree char *name = g_strdup_printf ("inputs/%u", number);
  g_autofree char *text = g_strdup_printf (NPROF_STORE_MAGIC " input %u of %s\n", number, self->id);
  return store_writer_file (self->writer, name, text, strlen (text));
}

static gboolean
put_columns (struct store_sink *self)
{
  const struct nprof_column *const *columns = self->host->columns (self->host);
  guint n_decoded = self->origins ? self->origins->n_decoded (self->host) : G_MAXUINT;
  g_autoptr (GArray) list = g_array_new (FALSE, TRUE, sizeof (struct nprof_store_attribute));
  for (guint c = 0; columns[c]; c++) {
    struct nprof_store_attribute a = {
      .key = store_string (self, columns[c]->key),
      .name = store_text_string (self, columns[c]->name, -1),
      .unit = store_text_string (self, columns[c]->unit, -1),
      .help = store_text_string (self, columns[c]->help, -1),
      .type = columns[c]->type,
      .origin = c < n_decoded ? 0 : 1,
    };
    g_array_append_val (list, a);
  }
  return store_writer_section (self->writer, NPROF_STORE_S_ATTRIBUTES, list->data, list->len);
}

static gboolean
put_origins (struct store_sink *self)
{
  g_autoptr (GArray) list = g_array_new (FALSE, TRUE, sizeof (guint32));
  guint32 zero = 0;
  const char *name;
  g_array_append_val (list, zero);
  for (guint32 k = 1; self->origins && (name = self->origins->name (self->host, k)); k++) {
    guint32 string = store_text_string (self, name, -1);
    g_array_append_val (list, string);
  }
  return store_writer_section (self->writer, NPROF_STORE_S_ORIGINS, list->data, list->len);
}

nprof_status
store_describe (struct store_sink *self)
{
  for (guint k = 0; k < self->inputs->len; k++) {
    struct nprof_store_input *in = &g_array_index (self->inputs, struct nprof_store_input, k);
    find_source (self, k, in);
    in->shift = shift_of (self, in);
    if (!write_input_file (self, k))
      return store_failed (self);
  }
  if (put_columns (self) && put_origins (self)
      && store_writer_section (self->writer, NPROF_STORE_S_INPUTS, self->inputs->data,
                               self->inputs->len)
      && store_writer_section (self->writer, NPROF_STORE_S_PROPERTIES, self->properties->data,
                               self->properties->len)
      && store_writer_section (self->writer, NPROF_STORE_S_TRACKS, self->tracks->data,
                               self->tracks->len))
    return NPROF_OK;
  return store_failed (self);
}
