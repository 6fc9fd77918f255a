/* SPDX-License-Identifier: Apache-2.0 */
/* members.h - texts that name what a fusion was made of.  Knows nothing of nprof. */
#pragma once

#include <glib.h>

/* The last part of an op path of GPUs: "while::body::fusion.3" is fusion.3.  Within `op`. */
const char *fusion_last_part (const char *op);

/* Is it a category of XLA's fusions: "loop fusion"? */
gboolean fusion_is_category (const char *category);
/* "kLoop" is "loop fusion"; "" and what is not of that form: "fusion".  Transfer full. */
char *fusion_category_of_kind (const char *kind);
/* Is "fusion" or "fused" a word of the name: "input_transpose_fusion_1"? */
gboolean fusion_is_name (const char *name);

/* The list "a, b" of member "fused" of a JSON object; NULL: there is none.  Transfer full. */
char **fusion_members_of_args (const char *json, gsize len);
/* A list that is joined by that text, without what is empty or comes again.  Transfer full. */
char **fusion_split (const char *list, const char *by);
