/* SPDX-License-Identifier: Apache-2.0 */
/* plugins-off.h - which components the user has switched off, and which ended the run before this
 * one. A line each, NAME or KIND/NAME, in the file `disabled` of the user's folder of plugins. */
#pragma once

#include <glib.h>

/* Names a component that is to be left out, as KIND/NAME, or a file; set by fence.c for the run
 * that it begins anew. */
#define NP_WITHOUT "NPROF_WITHOUT"

/* Returns why each is off, by NAME, KIND/NAME or file; transfer container and content. */
GHashTable *np_plugins_off (void);
/* Adds or removes a name; FALSE: the file cannot be written, with an error. *changed: it was not so
 * before. */
gboolean np_plugins_switch (const char *name, gboolean off, gboolean *changed, GError **error);
