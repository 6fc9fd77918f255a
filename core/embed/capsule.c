/* SPDX-License-Identifier: Apache-2.0 */
/* capsule.c - lets go what a PyCapsule owns. Python's two calls are looked up in the process, so
 * that libnprof is not linked with Python. */

#include <dlfcn.h>
#include <glib.h>
#include <nprof/nprof.h>
#include <stdlib.h>

typedef const char *(*GetName) (void *capsule);
typedef void *(*GetPointer) (void *capsule, const char *name);

static void
free_schema (void *memory)
{
  struct ArrowSchema *schema = memory;
  if (schema->release)
    schema->release (schema);
  free (schema);
}

static void
free_array (void *memory)
{
  struct ArrowArray *array = memory;
  if (array->release)
    array->release (array);
  free (array);
}

static void
free_stream (void *memory)
{
  struct ArrowArrayStream *stream = memory;
  if (stream->release)
    stream->release (stream);
  free (stream);
}

static void
close_run (void *run)
{
  nprof_run_close (run);
}

static const struct {
  const char *name;
  void (*free) (void *memory);
} owned[] = {
  { "arrow_schema", free_schema },
  { "arrow_array", free_array },
  { "arrow_array_stream", free_stream },
  { "nprof_run", close_run },
};

void
nprof_capsule_free (void *capsule)
{
  GetName get_name = (GetName) (gpointer) dlsym (RTLD_DEFAULT, "PyCapsule_GetName");
  GetPointer get_pointer = (GetPointer) (gpointer) dlsym (RTLD_DEFAULT, "PyCapsule_GetPointer");
  if (!get_name || !get_pointer)
    return;
  const char *name = get_name (capsule);
  for (guint i = 0; i < G_N_ELEMENTS (owned); i++)
    if (g_strcmp0 (name, owned[i].name) == 0)
      owned[i].free (get_pointer (capsule, name));
}
