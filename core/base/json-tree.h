/* SPDX-License-Identifier: Apache-2.0 */
/* json-tree.h - the JSON that every run meets (NAME.plugin, manifest.json) as a tree.  json-glib, which
 * reads all other documents, takes longer to load than a small run takes. */
#pragma once

#include <glib.h>

typedef enum {
  NP_JSON_NULL,
  NP_JSON_FALSE,
  NP_JSON_TRUE,
  NP_JSON_INT,
  NP_JSON_REAL, /* its value is not kept: no such document has one */
  NP_JSON_STRING,
  NP_JSON_ARRAY,
  NP_JSON_OBJECT,
} NpJsonType;

typedef struct NpJsonTree {
  NpJsonType type;
  const char *name;                /* of a member; NULL: it is none */
  const char *text;                /* of a string                   */
  gint64 number;                   /* of an NP_JSON_INT             */
  struct NpJsonTree *first, *next; /* of an array or object; behind this one in its own */
} NpJsonTree;

/* Returns the root; transfer full.  NULL, and `problem` (transfer full): it is no strict JSON in UTF-8,
 * or has what strict-json.h refuses. */
NpJsonTree *np_json_tree_parse (const char *text, gsize len, char **problem);
void np_json_tree_free (NpJsonTree *root);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpJsonTree, np_json_tree_free)

gboolean np_json_tree_is (const NpJsonTree *json, NpJsonType type); /* FALSE for NULL, too */
/* Returns the first item; NULL: there is none, or this is of another type. */
const NpJsonTree *np_json_tree_first (const NpJsonTree *json, NpJsonType type);
/* Returns the member of an object, of two the later one.  NULL: there is none, or this is no object. */
const NpJsonTree *np_json_tree_member (const NpJsonTree *json, const char *name);
/* Appends the text as a JSON string. */
void np_append_json_text (GString *out, const char *text);
/* Returns the text of a string; NULL: it is none. */
const char *np_json_tree_text (const NpJsonTree *json);
