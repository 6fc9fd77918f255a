/* SPDX-License-Identifier: Apache-2.0 */
/* project-template.h - a folder of text written anew under another name, with words of it
 * replaced. */
#pragma once

#include <glib.h>

/* Copies the files of `from`, and of the folders in it, to the folder `to`, which exists.  In texts
 * and names each @KEY@ becomes the value behind it; words: KEY, value, KEY, value ..., NULL.  An
 * @KEY@ that words does not have stays.  A name that begins with dot- begins with a point.
 * A file that exists is an error: nothing is overwritten. */
gboolean np_template_write (const char *from, const char *to, const char *const *words,
                            GError **error);
