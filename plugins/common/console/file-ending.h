/* SPDX-License-Identifier: Apache-2.0 */
/* file-ending.h - holds the name of an output against the formats that a command writes. */
#pragma once

#include <glib.h>

typedef struct {
  const char *ending, *format; /* ending: in small letters, with its dot */
} NpFileEnding;

/* Sets *format to that whose ending the name has, in whatever letters, or to NULL where its ending
 * says nothing; path may be NULL.  NP_EXIT_USAGE: it is that of another well-known format, whose
 * readers would be given something else.  ends: up to an entry without an ending. */
gboolean np_format_of_ending (const char *path, const NpFileEnding *ends, const char **format,
                              GError **error);
