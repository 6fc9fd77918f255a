/* SPDX-License-Identifier: Apache-2.0 */
/* error.h - errors of the core: a GError whose code is the exit status it leads to
 * and whose text is the chain of causes, "where: what was expected: what to do". */
#pragma once

#include <glib.h>
#include <nprof/plugin.h>

#define NP_ERROR (np_error_quark ())
GQuark np_error_quark (void);

/* The function NAME_quark of an error domain, interned before there are threads: what G_DEFINE_QUARK
 * makes at the first failure is written without a lock, and two stages may fail at once. */
#define NP_DEFINE_DOMAIN(text, name)                                                               \
  static GQuark name##_domain;                                                                     \
  __attribute__ ((constructor)) static void name##_intern (void)                                   \
  {                                                                                                \
    name##_domain = g_quark_from_static_string (text);                                             \
  }                                                                                                \
  GQuark name##_quark (void)                                                                       \
  {                                                                                                \
    return name##_domain;                                                                          \
  }

typedef enum {
  NP_EXIT_OK = 0,
  NP_EXIT_USAGE = 1,  /* wrong use: options, names                      */
  NP_EXIT_INPUT = 2,  /* input unreadable or damaged                    */
  NP_EXIT_LOSSES = 3, /* done, with losses that were counted            */
  NP_EXIT_SINK = 4,   /* a sink failed                                  */
  NP_EXIT_PLUGIN = 5, /* a plugin could not be loaded, or broke a rule  */
  NP_EXIT_GATE = 6,   /* a limit was not met or could not be decided    */
  NP_EXIT_INTERRUPTED = 130,
  NP_EXIT_PIPE = 141, /* the reader of stdout went away                 */
  NP_EXIT_TERMINATED = 143
} NpExit;

/* The exit status for several at once: 130/143, 141, 5, 1, 2, 4, 6, 3 in that order. */
NpExit np_exit_worse (NpExit a, NpExit b);

/* Joins a failure to that which is known: the one that decides the exit status is kept in
 * `failed`, the first of equals.  Returns the other (transfer full) when it has something to say;
 * an empty message only means that some other stage failed. */
GError *np_error_join (GError **failed, GError *error);

/* "PATH: No such file or directory" for errno `err`. */
void np_error_errno (GError **error, NpExit code, const char *path, int err);
