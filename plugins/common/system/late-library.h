/* SPDX-License-Identifier: Apache-2.0 */
/* late-library.h - a library that is opened at its first call, since it takes long to load and most
 * runs call nothing of it.  A file that stands in for one defines LATE_FILE, that of the library,
 * LATE_NAME, what people call it, LATE_PACKAGE, which brings it, and LATE_NEEDED, the oldest one
 * that will do, and has a FORWARD for each function: that has the name of the library's own, or
 * another one by a macro, and calls it.  Whoever calls them includes the library's header, or the
 * one with these macros, and links that file instead of the library. */
#pragma once

#include <dlfcn.h>
#include <glib.h>
#include <pthread.h>

static void *late_library;
static pthread_once_t late_once = PTHREAD_ONCE_INIT;

static void
late_open (void)
{
  late_library = dlopen (LATE_FILE, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!late_library)
    g_error (LATE_NAME " cannot be opened: %s: install " LATE_PACKAGE ", or the package that "
                       "brings " LATE_FILE,
             dlerror ());
}

/* Finds what the libraries that it needs have, too. */
static gpointer
late_find (const char *name)
{
  pthread_once (&late_once, late_open);
  gpointer function = dlsym (late_library, name);
  if (!function)
    g_error (LATE_FILE " has no %s: nprof needs " LATE_NEEDED " or later", name);
  return function;
}

/* A place is found by whoever comes first, or by several threads, which find the same. */
#define FORWARD(result, name, parameters, arguments)                                               \
  result (name) parameters                                                                         \
  {                                                                                                \
    static gpointer place;                                                                         \
    gpointer function = g_atomic_pointer_get (&place);                                             \
    if (!function)                                                                                 \
      g_atomic_pointer_set (&place, function = late_find (#name));                                 \
    return ((result (*) parameters) function) arguments;                                           \
  }
