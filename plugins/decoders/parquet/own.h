/* SPDX-License-Identifier: Apache-2.0 */
/* own.h - what is read of files that nprof itself wrote: lists in their metadata, tables beside
 * them. */
#pragma once

#include "parquet.h"

#include <json-glib/json-glib.h>

/* Returns the objects of a list in the metadata, transfer full; NULL: it is none. */
JsonNode *own_list (const Source *s, const char *key);
/* Returns the text of a member; NULL: there is none. */
const char *own_member (JsonObject *object, const char *name);
/* Opens a table of the same run and takes those columns, of those types of Parquet; NULL: it is not
 * there, or another's. */
Source *own_open_table (Parquet *p, const Source *main, const char *name,
                        const char *const *columns, const int *types);
