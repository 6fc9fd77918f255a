/* SPDX-License-Identifier: Apache-2.0 */
/* agent.h - who answers calls: the folders that may be read, the profiles that are open, and the
 * cache where they are kept. */
#pragma once

#include "agent/call.h"
#include "plugin/registry.h"
#include "sql/sql.h"

/* `roots` are folders; an empty list, or NULL: anywhere, for a person who names the file.  NULL:
 * the error says which root cannot be used, with NP_EXIT_USAGE. */
NpAgent *np_agent_new (const char *const *roots, GError **error);
/* Ends what is being read. */
void np_agent_free (NpAgent *agent);

typedef struct _NpRoots NpRoots;

/* -- Profiles ---------------------------------------------------------------------------------- */

struct _NpAgentProfile {
  char *id, *path, *shown; /* shown: as the client may name it */
  char *folder;            /* of the store                     */
  struct nprof_store *store;
  NpSql *sql;
  GHashTable *parts; /* what was asked -> NpAgentPart, tables of a part */
  gint64 first_ps;   /* start of the first row              */
  NpCall *call;      /* that it works for, which may end it */
  GMutex lock;       /* held while it answers               */
};

/* profiles.c.  Reads the file or folder, or finds it in the cache; NULL: the call has the error, or
 * abstains because it takes long. */
NpAgentProfile *np_agent_open (NpCall *call, const char *path);
/* Returns the profile of that id, which was opened here or lies in the cache; NULL: the call has
 * the error. */
NpAgentProfile *np_agent_profile (NpCall *call, const char *id);
/* Holds it for the call, which may run for the tool's seconds; FALSE: the call was cancelled. */
gboolean np_profile_hold (NpAgentProfile *profile, NpCall *call);
void np_profile_let_go (NpAgentProfile *profile);
/* Has the rest of the call asked of the tables of its step and window.  FALSE: the call has the
 * error, abstains, or was cancelled. */
gboolean np_call_narrow (NpCall *call); /* part.c */
void np_agent_part_free (gpointer part);
NpRegistry *np_agent_modules (NpAgent *agent);
/* Opens a connection to the store, whose statements end with the calls of the profile. */
NpSql *np_agent_sql (NpAgentProfile *profile, const NpTableStore *made, GError **error);
/* Lists what could be opened, the newest first. */
void np_agent_list (NpCall *call);
const NpRoots *np_agent_roots (const NpAgent *agent);

/* -- Roots: roots.c ---------------------------------------------------------------------------- */

NpRoots *np_roots_new (const char *const *folders, GError **error);
void np_roots_free (NpRoots *roots);
/* Returns a descriptor of the file or folder at `path`, opened without following links; *real: its
 * path, transfer full.  -1: it lies outside, or is neither; nothing says which. */
int np_roots_open (const NpRoots *roots, const char *path, char **real);
/* Returns the path as seen from its root; points into `real`. */
const char *np_roots_shown (const NpRoots *roots, const char *real);
const GPtrArray *np_roots_folders (const NpRoots *roots);

/* -- Statements: ask.c ------------------------------------------------------------------------- */

/* Prepares a statement of ours, whose format has %Q and %w of SQLite.  NULL: a table or column is
 * not there, as in profiles of other formats. */
sqlite3_stmt *np_ask (NpCall *call, const char *format, ...);
/* Returns the first value of the first row; `otherwise` where there is none or it is NULL. */
gint64 np_ask_whole (NpCall *call, gint64 otherwise, const char *format, ...);
/* What lies near a time is looked for this far from it, ps, one after the other, as the rows of a
 * lane lie in the order of their starts; the last reaches everything. */
#define NP_REACHES 5
extern const gint64 np_reaches[NP_REACHES];
gboolean np_has_table (NpCall *call, const char *name);
gboolean np_has_column (NpCall *call, const char *table, const char *column);
/* Returns the table as the profile keeps it; NULL: it keeps none, as of a view. */
const struct nprof_store_table *np_stored_table (const NpCall *call, const char *name);
/* Adds the names of tables, of a table's columns, or of the devices of the first table that has any,
 * to those that the error lists, nearest first; of devices none where it lists names already. */
void np_nearest_tables (NpCall *call, const char *word);
void np_nearest_columns (NpCall *call, const char *table, const char *word);
void np_nearest_devices (NpCall *call, const char *word);
/* Returns whether the profile has that device; TRUE where it has none at all, which tools say. */
gboolean np_has_device (NpCall *call, const char *device);
/* Returns a condition on column step of a table, by its name or the number that the name ends in;
 * transfer full. */
char *np_step_condition (const char *step);
/* ps as ns, rounded half up. */
gint64 np_ns_of (gint64 ps);
const char *np_column (sqlite3_stmt *stmt, int column);   /* NULL: unknown */
void np_put_identifier (GString *text, const char *name); /* as SQL has it */
/* Puts the whole column as ns; unknown is left out. */
void np_put_ns (NpCall *call, const char *key, sqlite3_stmt *stmt, int column);

/* where.c: appends the client's condition on rows of its table; FALSE: the call has the error. */
gboolean np_put_where (NpCall *call, GString *text);

/* rows.c: runs the text of a client, one statement that reads, and puts its rows. */
void np_put_rows (NpCall *call, const char *text, gsize before, const char *bad);
