/* SPDX-License-Identifier: Apache-2.0 */
/* database.h - a profile in InfluxDB beside the store: its bucket (2.x) or database (1.x) has the
 * profile's name. */
#pragma once

#include <glib.h>

#define NP_DATABASE_URL "http://localhost:8086"

/* Says what people can do when a sink said that the database did not take a profile: the vendor's
 * guide has these texts.  Transfer full; NULL: nothing is known of it. */
char *np_database_advice (const char *said);
/* Drops the profile's database.  FALSE, NP_EXIT_SINK: the error says why. */
gboolean np_database_drop (const char *url, const char *org, const char *id, GError **error);
