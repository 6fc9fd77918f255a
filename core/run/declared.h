/* SPDX-License-Identifier: Apache-2.0 */
/* declared.h - copies of what the content of an input declares: attributes, tables, profiles.  They
 * live as long as the run, as tables do. run-inputs.c asks the decoder. */
#pragma once

#include <nprof/draft/declare.h>

#include <glib.h>
#include <nprof/plugin.h>

typedef struct {
  struct nprof_table *table;
  gboolean left_out; /* another component makes a table of that name */
} NpDeclaredTable;

typedef struct {
  gboolean is_part;
  GPtrArray *attributes; /* of struct nprof_attribute, ends in NULL */
  GPtrArray *tables;     /* of NpDeclaredTable */
  GPtrArray *profiles;   /* of struct nprof_profile; at least one */
  GStringChunk *text;
} NpDeclared;

NpDeclared *np_declared_new (const struct nprof_declaration *from);
void np_declared_free (NpDeclared *declared);
/* Returns the table of that name; NULL: none. */
NpDeclaredTable *np_declared_table (const NpDeclared *declared, const char *name);
