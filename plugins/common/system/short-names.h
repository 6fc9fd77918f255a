/* SPDX-License-Identifier: Apache-2.0 */
/* short-names.h - shortens names of C++ functions to what people say. */
#pragma once

#include <glib.h>

typedef struct Names Names;

/* Adding is of one thread; questions are of any, once all are added. */
Names *names_new (void);
void names_free (Names *names);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Names, names_free)

/* Adds a name; all come before the first question. */
void names_add (Names *names, const char *name);
/* Returns whether the name may have a shorter form: others are as they came. */
gboolean names_may_shorten (const char *name);
/* Returns the name demangled, without parameters, return type, namespaces and template arguments
 * other than functors, unless another name that was added would read alike: then with its template
 * arguments, then with namespaces, too, else as it came.  Lives as long as `names`; `name` itself
 * where there is nothing to shorten. */
const char *names_short (Names *names, const char *name);
/* The same of the names that stand quoted in a text: adds them, and returns it with their short
 * forms; transfer full. */
void names_add_quoted (Names *names, const char *text);
char *names_short_quoted (Names *names, const char *text);
