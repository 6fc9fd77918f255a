/* SPDX-License-Identifier: Apache-2.0 */
/* names.h - shortens names of C++ functions to what people say.  Knows nothing of pages. */
#pragma once

#include <glib.h>

typedef struct Names Names;

Names *names_new (void);
void names_free (Names *names);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Names, names_free)

/* Adds a name; all come before the first question. */
void names_add (Names *names, const char *name);
/* Returns the name demangled, without parameters, return type, namespaces and template arguments
 * other than functors, unless another name that was added would read alike: then with its template
 * arguments, else as it came.  Lives as long as `names`; `name` itself where there is nothing to
 * shorten. */
const char *names_short (Names *names, const char *name);
