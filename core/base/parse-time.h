/* SPDX-License-Identifier: Apache-2.0 */
/* parse-time.h - times as people type them. */
#pragma once

#include <glib.h>

/* Parses "1.5ms", "20us", "3s", "2min" to ps, decimal and exact: a time that is finer than a ps or
 * does not fit is an error, and so is a number without a unit, unless it is 0.  The texts of both
 * name what was given, not the option. */
gboolean np_parse_time (const char *text, gint64 *ps, GError **error);
