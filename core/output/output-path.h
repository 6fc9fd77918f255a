/* SPDX-License-Identifier: Apache-2.0 */
/* output-path.h - paths of outputs: where a file will stand, its temporary name, the folders
 * that it needs, and what a user can do when one of them fails. */
#pragma once

#include <glib.h>

/* Returns "FOLDER/.NAME.nprof-XXXXXX" beside FOLDER/NAME, at random; transfer full. */
char *np_temp_beside (const char *destination);
/* Works as mkdir -p, and appends the folders that it made to `made`, outermost first.  Returns 0 or
 * an errno. */
int np_make_folders (const char *folder, GPtrArray *made);
/* Makes the folders that `name`, below the real folder `folder`, lies in, as np_make_folders does.
 * ELOOP where a link is one of them: it could lead anywhere. */
int np_make_inner (const char *folder, const char *name, GPtrArray *made);
/* Returns whether folder/name is below `folder`, with no link on the way. */
gboolean np_is_inside (const char *folder, const char *name);
/* /dev/stdout, /dev/stderr, /dev/fd/N and /proc/self/fd/N stand for an open descriptor,
 * whatever it leads to; -1 for other paths. */
int np_descriptor_of (const char *path);
/* Finds where `path`, which is `name` in the real folder `folder`, leads: a path to rename to, or a
 * key when it is written in place.  `follow` asks for the file behind a link.  Returns 0 or an
 * errno. */
int np_find_destination (const char *path, const char *folder, const char *name, gboolean follow,
                         char **destination, gboolean *in_place);
/* Says what to do about an errno of an output; static. */
GError *np_output_error (const char *path, int err, const char *option);
