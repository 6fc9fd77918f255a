/* SPDX-License-Identifier: Apache-2.0 */
/* kept.h - what people keep of a profile, beside its store and not in it, so that it outlives a new
 * ingest: STORE/kept/ID/about.json. */
#pragma once

#include "run/progress.h"

typedef struct {
  char *name;      /* that people gave it; NULL: none                           */
  GPtrArray *tags; /* of char *                                                 */
  gboolean star;
  char *baseline;       /* what it is called as a baseline; NULL: it is none       */
  gint64 added;         /* Unix ms of its first ingest; 0: not known                 */
  char *decoder;        /* -d of its ingest; NULL: none                              */
  GPtrArray *analyzers; /* of char *: -a of its ingest                          */
  GPtrArray *sources;   /* of char *: --source of its ingest                    */
  /* It has char *: the absolute paths of its files, or the names of an upload's. A store of another
   * version cannot be asked for them. */
  GPtrArray *inputs;
} NpAbout;

NpAbout *np_about_read (const char *store, const char *id); /* never NULL */
/* Whether an input lies there, so that the profile can be read again of it. */
gboolean np_about_has_input (const char *input);
/* Whether it was sent to the server: such a file lies in the store only until it is read. */
gboolean np_is_upload (const char *store, const char *path);
/* Calls it that ("": takes the name back), of at most 1,000 bytes. */
gboolean np_about_rename (NpAbout *about, const char *name, GError **error);
/* Adds or takes away a tag of 1 to 100 bytes; a profile has at most 100. */
gboolean np_about_tag (NpAbout *about, const char *tag, gboolean add, GError **error);
gboolean np_about_write (const char *store, const char *id, const NpAbout *about, GError **error);
void np_about_free (NpAbout *about);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpAbout, np_about_free)

/* Returns STORE/kept/ID[/NAME]; transfer full. */
char *np_kept_path (const char *store, const char *id, const char *name);
/* Returns the Unix ms of when the profile was last opened; 0: never. */
gint64 np_kept_opened (const char *store, const char *id);
void np_kept_touch (const char *store, const char *id);
/* Reads a file that is kept: a plain file of at most 64 MB, no link, no pipe. NUL-terminated;
 * transfer full. NULL: there is none. */
char *np_kept_read (const char *path, gsize *len);
/* Puts a small file in place, whole or not at all, mode 0600; makes its folder. */
gboolean np_kept_write (const char *path, const char *text, gsize len, GError **error);

/* How far the reading of a profile is: told by the process that reads, beside what is kept of the
 * profile, and forgotten when it ends. */
#define NP_KEPT_PROGRESS "progress.json"
void np_kept_tell_progress (const char *path, const NpProgressNow *now);
