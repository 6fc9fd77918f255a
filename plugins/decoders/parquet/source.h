/* SPDX-License-Identifier: Apache-2.0 */
/* source.h - a Parquet file and what becomes of its columns: which one is the start, which are
 * attributes. own.c, neuron.c and any.c decide that. */
#pragma once

#include "assemble.h"

typedef enum {
  FIELD_INPUT, /* label of the profile that the row is of                            */
  FIELD_START,
  FIELD_END,
  FIELD_DURATION,
  FIELD_NAME,
  FIELD_CATEGORY,
  FIELD_KIND,
  FIELD_VALUE,
  FIELD_ID,
  FIELD_PARENT,
  FIELD_FLOW,
  FIELD_NUMBER, /* of the track, in nprof's own files                                 */
  FIELD_TRACK,  /* several make a path                                                */
  FIELD_SERIES, /* a counter's                                                        */
  FIELD_ATTRIBUTE,
  FIELD_MAP, /* a map: each of its keys is an attribute                            */
  FIELD_REST /* nprof's own map, whose values are JSON                             */
} FieldRole;

typedef struct {
  FieldRole role;
  guint node;
  gboolean nested; /* lists, structs: becomes JSON                                       */
  guint type;      /* NPROF_INT64 ...: of an attribute or of a table's column            */
  char *key, *unit, *help;
  gboolean is_key;  /* of a table                                                         */
  gboolean interned; /* a text that nprof wrote as NPROF_STRING: it comes back as such      */
  nprof_str handle; /* of key                                                             */
} Field;

typedef struct {
  const guint8 *data;
  guint64 len, end;
  PqFooter *footer;
  gboolean main;  /* the input itself, no sibling                                       */
  char *file;     /* its name                                                           */
  GArray *fields; /* of Field: those that are used, in the order of the schema          */

  /* of rows */
  gint64 per, duration_per; /* ps of the unit of its times                                */
  guint8 kind;              /* of rows that do not say theirs                                     */
  nprof_str name, category; /* of rows that do not say theirs                             */
  guint32 table_id;         /* makes ids unique among the tables of a folder; 0: they are         */

  struct nprof_table table; /* of one that becomes a table: name is set                   */
  GPtrArray *columns;       /* of struct nprof_table_column, owned; ends in NULL          */
} Source;

/* Returns NULL when *at and *why (transfer full) say what is wrong. */
Source *source_new (const guint8 *data, guint64 len, const char *file, guint64 *at, char **why);
void source_free (Source *s);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Source, source_free)

/* Returns the node of the top level with that name; 0: none. */
guint source_find (const Source *s, const char *name);
/* Gives a node a role; for an attribute, key is the column's name and type what its values are. */
Field *source_add (Source *s, guint node, FieldRole role);
Field *source_field (const Source *s, guint k);
/* Adds all columns that have no role yet, as attributes; maps of texts entry by entry. */
void source_add_rest (Source *s);
/* Makes s->table from its fields.  Takes the texts. */
void source_make_table (Source *s, char *name, char *title, char *note);
/* Returns the id of a row among those of all tables of a folder. */
guint64 source_id (guint32 table_id, guint64 id);
/* Returns the leaf of a field that is not nested. */
static inline guint
source_leaf (const Source *s, const Field *f)
{
  return pq_node (s->footer, f->node)->leaf;
}
