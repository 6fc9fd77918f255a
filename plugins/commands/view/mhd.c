/* SPDX-License-Identifier: Apache-2.0 */
/* mhd.c - finds libmicrohttpd and its functions. */

#include "mhd.h"
#include "base/error.h"

#include <dlfcn.h>
#include <string.h>

#define LIBRARY "libmicrohttpd.so.12" /* since libmicrohttpd 0.9.43, 2015 */

static gboolean
find (void *handle, const char *name, void *function)
{
  void *found = dlsym (handle, name);
  memcpy (function, &found, sizeof found);
  return found != NULL;
}

const NpMhd *
np_mhd_open (GError **error)
{
  static NpMhd lib; /* the same each time */
  void *handle = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  gboolean found = handle != NULL;
#define FIND(name) found = found && find (handle, "MHD_" #name, &lib.name);
  NP_MHD_FUNCTIONS (FIND)
  if (found)
    return &lib;
  g_set_error_literal (error, NP_ERROR, NP_EXIT_USAGE,
                       "nprof view needs " LIBRARY
                       ", which is not installed: apt-get install libmicrohttpd12 (nprof "
                       "view --ingest-only, and all other commands, do without)");
  return NULL;
}
