/* SPDX-License-Identifier: Apache-2.0 */
/* glob.h - globs over names and labels: `*` any text, `?` one character, `[abc]` `[a-z]`
 * one of these, `[!a-z]` one other.  Case counts; `/` is a character like any other; a `[`
 * that nothing closes, and `\`, stand for themselves. */
#pragma once

#include <glib.h>

/* Never recurses, and takes no more than the product of both lengths. */
gboolean np_glob_match (const char *glob, const char *text, gsize len);
