/* SPDX-License-Identifier: Apache-2.0 */
/* build.c - memory of Arrow's schemas and arrays: each releases its children, its dictionary
 * and its buffers. rows.c fills them. */

#include "arrow/build.h"

#include <stdlib.h>
#include <string.h>

#define MAX_BUFFERS 3

/* -- Schemas --------------------------------------------------------------- */

static void
schema_release (struct ArrowSchema *schema)
{
  for (gint64 i = 0; i < schema->n_children; i++) {
    if (schema->children[i] && schema->children[i]->release)
      schema->children[i]->release (schema->children[i]);
    free (schema->children[i]);
  }
  if (schema->dictionary) {
    schema->dictionary->release (schema->dictionary);
    free (schema->dictionary);
  }
  free (schema->children);
  free ((char *) schema->format);
  free ((char *) schema->name);
  schema->release = NULL;
}

gboolean
np_schema_init (struct ArrowSchema *schema, const char *format, const char *name, gboolean nullable,
                guint n_children)
{
  memset (schema, 0, sizeof *schema);
  schema->release = schema_release;
  schema->format = strdup (format);
  schema->name = strdup (name);
  schema->flags = nullable ? ARROW_FLAG_NULLABLE : 0;
  if (n_children)
    schema->children = calloc (n_children, sizeof *schema->children);
  gboolean ok = schema->format && schema->name && (schema->children || !n_children);
  for (; ok && schema->n_children < n_children; schema->n_children++)
    ok = (schema->children[schema->n_children] = calloc (1, sizeof *schema)) != NULL;
  if (!ok)
    schema_release (schema);
  return ok;
}

gboolean
np_schema_add_dictionary (struct ArrowSchema *schema)
{
  struct ArrowSchema *dictionary = calloc (1, sizeof *dictionary);
  if (!dictionary || !np_schema_init (dictionary, "u", "", FALSE, 0)) {
    free (dictionary);
    return FALSE;
  }
  schema->dictionary = dictionary;
  return TRUE;
}

/* -- Arrays ---------------------------------------------------------------- */

static void
array_release (struct ArrowArray *array)
{
  for (gint64 i = 0; i < array->n_children; i++) {
    if (array->children[i] && array->children[i]->release)
      array->children[i]->release (array->children[i]);
    free (array->children[i]);
  }
  if (array->dictionary) {
    array->dictionary->release (array->dictionary);
    free (array->dictionary);
  }
  for (gint64 i = 0; array->buffers && i < array->n_buffers; i++)
    free ((void *) array->buffers[i]);
  free (array->children);
  free (array->buffers);
  array->release = NULL;
}

gboolean
np_array_init (struct ArrowArray *array, gint64 length, guint n_buffers, guint n_children)
{
  g_assert (n_buffers <= MAX_BUFFERS);
  memset (array, 0, sizeof *array);
  array->release = array_release;
  array->length = length;
  array->n_buffers = n_buffers;
  array->buffers = calloc (MAX_BUFFERS, sizeof *array->buffers);
  if (n_children)
    array->children = calloc (n_children, sizeof *array->children);
  gboolean ok = array->buffers && (array->children || !n_children);
  for (; ok && array->n_children < n_children; array->n_children++)
    ok = (array->children[array->n_children] = calloc (1, sizeof *array)) != NULL;
  if (!ok)
    array_release (array);
  return ok;
}

void *
np_array_buffer (struct ArrowArray *array, guint i, gsize bytes)
{
  gsize padded = (MAX (bytes, 1) + 63) / 64 * 64; /* readers may look at whole words */
  void *memory = aligned_alloc (64, padded);
  if (memory)
    memset (memory, 0, padded);
  array->buffers[i] = memory;
  return memory;
}

gboolean
np_array_take_buffer (struct ArrowArray *array, guint i, void *memory)
{
  array->buffers[i] = memory ? memory : calloc (1, 64);
  return array->buffers[i] != NULL;
}

struct ArrowArray *
np_array_add_dictionary (struct ArrowArray *array, gint64 length)
{
  struct ArrowArray *dictionary = calloc (1, sizeof *dictionary);
  if (!dictionary || !np_array_init (dictionary, length, 3, 0)) {
    free (dictionary);
    return NULL;
  }
  array->dictionary = dictionary;
  return dictionary;
}
