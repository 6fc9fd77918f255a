/* SPDX-License-Identifier: Apache-2.0 */
/* nrt-open.c - finds libnrt and its functions. */

#include "base/error.h"
#include "nrt.h"

#include <dlfcn.h>
#include <string.h>

#define PACKAGE "install the package aws-neuronx-runtime-lib, or name the library with --libnrt"

/* Not from the current folder unless somebody named a file there. */
static void *
open_named (const char *path)
{
  g_autofree char *whole = g_file_test (path, G_FILE_TEST_EXISTS)
                               ? g_canonicalize_filename (path, NULL)
                               : g_strdup (path);
  return dlopen (whole, RTLD_NOW | RTLD_LOCAL);
}

static void *
open_library (const char *path, GError **error)
{
  void *library = path ? open_named (path) : dlopen (NP_NRT_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library)
    return library;
  g_autofree char *why = g_strdup (dlerror ());
  if (!path && (library = dlopen (NP_NRT_PLACE, RTLD_NOW | RTLD_LOCAL)))
    return library;
  np_error_set (error, NP_EXIT_PLUGIN, "libnrt cannot be opened: %s%s%s: " PACKAGE, why,
                path ? "" : "; ", path ? "" : dlerror ());
  return NULL;
}

/* Finds a function; a missing one is added to `missing`, when that is given. */
static void
find (void *library, const char *name, void *function, GString *missing)
{
  void *found = dlsym (library, name);
  memcpy (function, &found, sizeof found);
  if (!found && missing)
    g_string_append_printf (missing, "%s%s", missing->len ? ", " : "", name);
}

gboolean
np_nrt_open (const char *path, NpNrt *nrt, GError **error)
{
  g_autoptr (GString) missing = g_string_new (NULL);
  void *library = open_library (path, error);
  if (!library)
    return FALSE;
#define FIND(name, result, arguments) find (library, #name, &nrt->name, missing);
  NP_NRT_FUNCTIONS (FIND)
#undef FIND
  find (library, "nrt_get_version", &nrt->nrt_get_version, NULL);
  find (library, "nrt_tensor_read", &nrt->nrt_tensor_read, NULL);
  if (!missing->len)
    return TRUE;
  return np_error_set (error, NP_EXIT_PLUGIN, "%s has no %s: is it libnrt? " PACKAGE,
                       path ? path : NP_NRT_LIBRARY, missing->str);
}
