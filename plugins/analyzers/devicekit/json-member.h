/* SPDX-License-Identifier: Apache-2.0 */
/* json-member.h - reads whole numbers of a flat JSON object, as producers write the args of
 * instants. */
#ifndef AN_JSON_MEMBER_H
#define AN_JSON_MEMBER_H

#include <glib.h>

/* Reads the whole number of the member; FALSE: it is not there, or none. */
gboolean an_json_int (const char *json, gsize len, const char *name, gint64 *value);

#endif
