/* SPDX-License-Identifier: Apache-2.0 */
/* output-file.h - one file of the output while it is written: buffer, sum, temporary name.  One
 * thread at a time. */
#pragma once

#include "base/fence.h"
#include "base/terminal.h"

#include <glib.h>
#include <nprof/plugin.h>
#include <stdatomic.h>

typedef struct {
  struct nprof_output pub; /* first: a plugin's pointer to it is a pointer to us */
  char *path;              /* for people */
  char *folder, *destination; /* real folder; where it will stand, or a key when in place */
  char *temp;              /* NULL: written in place */
  NpFenced fenced;         /* temp, until it has its name or is gone */
  int fd;                  /* -1: closed */
  gboolean is_stdout;      /* which stays open: it is not ours */
  gboolean colors; /* its sink colours what it writes to a terminal, and shows names safely */
  NpTerminalText *shown;   /* NULL: bytes go as they are; else to a terminal */
  gboolean may_wait;       /* a pipe, a terminal: its reader decides when a write ends */
  const atomic_int *interrupt; /* NULL, or an exit status once the run must end */
  gboolean failed;
  guint8 *buffer;
  gsize used;
  guint64 bytes;
  gboolean listed;    /* in a manifest, with its sum */
  guint32 crc32;      /* of what was written, when it is listed */
  const char *option; /* end of what an error advises: " with -o" */
  /* It takes each failure, error transfer full. */
  void (*fail) (gpointer user, GError *error);
  gpointer user;
} NpOutputFile;

NpOutputFile *np_output_file_new (const char *path, const char *option);
/* Closes the file, and removes it if it is not in its place yet. */
void np_output_file_free (NpOutputFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpOutputFile, np_output_file_free)

/* Begins to write, with place set; FALSE with errno.  Opening a pipe waits for its reader. */
gboolean np_output_file_open_temp (NpOutputFile *file);
gboolean np_output_file_open_in_place (NpOutputFile *file);
/* Removes the temporary file; buffered bytes are lost. */
void np_output_file_discard (NpOutputFile *file);

/* Makes the error "PATH: No space left on device: ...". */
GError *np_output_file_error (const NpOutputFile *file, int err);
