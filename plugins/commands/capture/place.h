/* SPDX-License-Identifier: Apache-2.0 */
/* place.h - a captured file in its place, whole or not at all. */
#pragma once

#include <glib.h>

typedef struct {
  const guint8 *data;
  gsize size;
} NpPart;

/* Writes the parts, one behind the other, over what is at `path`; folders that are missing are
 * made. FALSE: NP_EXIT_SINK. */
gboolean np_place_put (const char *path, const NpPart *parts, guint n, GError **error);
