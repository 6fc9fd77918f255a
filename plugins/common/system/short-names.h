/* SPDX-License-Identifier: Apache-2.0 */
/* short-names.h - shortens names of C++ functions, and of Tensile's kernels, to what people say. */
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
 * other than functors, and one by Tensile up to its tile, unless another name that was added
 * would read alike: then with its template arguments, then with namespaces, too, else as it
 * came.  Lives as long as `names`; `name` itself where there is nothing to shorten. */
const char *names_short (Names *names, const char *name);
/* Returns a name as a sentence of a page has it, with … in place of its middle where it has more
 * than 60 letters; transfer full. */
char *names_cut (const char *text);
/* The same of the names that stand quoted in a text: adds them, and returns it with their short
 * forms, cut or not; transfer full. */
void names_add_quoted (Names *names, const char *text);
char *names_short_quoted (Names *names, const char *text, gboolean cut);
