/* SPDX-License-Identifier: Apache-2.0 */
/* members.h - reads texts that name what a fusion was made of.  Knows nothing of nprof. */
#pragma once

#include <glib.h>

/* Returns the last part of an op path of GPUs: "while::body::fusion.3" is fusion.3.  It lies within
 * `op`. */
const char *fusion_last_part (const char *op);

/* Returns whether it is a category of XLA's fusions: "loop fusion". */
gboolean fusion_is_category (const char *category);
/* Turns "kLoop" into "loop fusion"; "" and other texts into "fusion".  Transfer full. */
char *fusion_category_of_kind (const char *kind);
/* Returns whether "fusion" or "fused" is a word of the name: "input_transpose_fusion_1". */
gboolean fusion_is_name (const char *name);

/* Returns the list "a, b" of member "fused" of a JSON object; NULL: there is none.  Transfer
 * full. */
char **fusion_members_of_args (const char *json, gsize len);
/* Splits a list that is joined by that text, without empty and repeated ones.  Transfer full. */
char **fusion_split (const char *list, const char *by);
