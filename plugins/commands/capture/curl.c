/* SPDX-License-Identifier: Apache-2.0 */
/* curl.c - finds libcurl and its functions. */

#include "curl.h"
#include "base/error.h"

#include <dlfcn.h>
#include <string.h>

#define LIBRARY "libcurl.so.4" /* since libcurl 7.16, 2006 */

static gboolean
find (void *handle, const char *name, void *function)
{
  void *found = dlsym (handle, name);
  memcpy (function, &found, sizeof found);
  return found != NULL;
}

const NpCurl *
np_curl_open (GError **error)
{
  static NpCurl lib; /* the same each time */
  void *handle = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  gboolean found = handle != NULL;
#define FIND(name) found = found && find (handle, "curl_" #name, &lib.name);
  NP_CURL_FUNCTIONS (FIND)
  if (!found) {
    g_set_error_literal (error, NP_ERROR, NP_EXIT_PLUGIN,
                         "nprof capture --xla needs " LIBRARY
                         ", which is not installed: apt-get install libcurl4");
    return NULL;
  }
  lib.global_init (CURL_GLOBAL_DEFAULT);
  if (lib.version_info (CURLVERSION_NOW)->features & CURL_VERSION_HTTP2)
    return &lib;
  g_set_error_literal (error, NP_ERROR, NP_EXIT_PLUGIN,
                       "nprof capture --xla needs a " LIBRARY
                       " that speaks HTTP/2, and this one does not");
  return NULL;
}
