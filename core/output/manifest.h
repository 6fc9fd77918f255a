/* SPDX-License-Identifier: Apache-2.0 */
/* manifest.h - manifest.json: which files of a folder nprof wrote, and their CRC-32, so that
 * a later run can remove what is stale and nothing else.  It tells whether somebody edited a
 * file, as a sum against forgery would at ten times the cost.
 *
 *   {"generator": "nprof 1.0.0-rc1", "run": "6d1f...",
 *    "files": [{"name": "a.csv", "bytes": 1, "crc32": "e8b7be43"}],
 *    "others": [{"run": "09ab...", "files": [...]}]}
 *
 * `files` are those of the last run, `others` those of runs with other inputs or options that
 * wrote into this folder before: they are kept, and no run may write over them. */
#pragma once

#include "base/log.h"

#define NP_MANIFEST "manifest.json"

typedef struct {
  char *name;
  char *run; /* what tells its run from others; "" when it is not known */
  guint64 bytes;
  guint32 crc32;
} NpManifestFile;

NpManifestFile *np_manifest_file_new (const char *run, const char *name, guint64 bytes,
                                      guint32 crc);

GPtrArray *np_manifest_list (void); /* of NpManifestFile, which are freed with it */

/* Returns a list, empty where there is no manifest or it cannot be used, which is logged (log may
 * be NULL). *foreign: a JSON document of somebody else stands there, which must be kept. */
GPtrArray *np_manifest_read (const char *folder, NpLog *log, gboolean *foreign);
/* Sorts files by run and name, so that the same files give the same bytes.  `run` is the one that
 * writes it.  Transfer full; NULL: memory was out. */
char *np_manifest_text (const char *generator, const char *run, GPtrArray *files);
/* Returns whether the file is there, a regular file, with those bytes and that sum. */
gboolean np_manifest_unchanged (const char *folder, const NpManifestFile *file);

/* Says what is wrong with a file name that a plugin gives: a static text, or NULL.  The name must
 * be one visible component, so that it cannot lead out of its folder. */
const char *np_file_name_problem (const char *name);
/* Does the same for a name that may lie in folders: such components with slashes between. */
const char *np_file_path_problem (const char *path);
