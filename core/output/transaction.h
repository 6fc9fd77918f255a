/* SPDX-License-Identifier: Apache-2.0 */
/* transaction.h - the files of a run as one transaction: written under temporary names beside
 * their place, renamed when every sink has finished, removed when one failed.  Devices
 * and pipes are written in place.  Folders get a manifest.json, last; files that an older
 * run with the same inputs and options wrote, unchanged since, and that this run did not write, are
 * removed. */
#pragma once

#include "base/log.h"
#include "output/read-files.h"

#include <nprof/plugin.h>
#include <stdatomic.h>

typedef struct NpOutputs NpOutputs;
typedef struct NpTarget NpTarget; /* where one sink writes */

/* The program must ignore SIGPIPE, so that a reader of stdout who went away is an error
 * (NP_EXIT_PIPE) and the temporary files are removed. */
/* `interrupt` is NULL, or an exit status once the run must end, which also ends waiting for a
 * reader.  `read` is NULL, or the files that no output replaces (NP_EXIT_USAGE): it is asked when a
 * file is opened, and again before the first gets its name. */
NpOutputs *np_outputs_new (NpLog *log, const atomic_int *interrupt, NpReadFiles *read);
void np_outputs_free (NpOutputs *outputs); /* aborts what was not committed */
/* Tells what the run is, before its first file (run-id.h); copied.  In folders with a manifest a
 * run replaces the files of one with the same inputs and options; those of others stay, and to
 * write over them is NP_EXIT_USAGE. */
void np_outputs_set_run (NpOutputs *outputs, const char *options, const GPtrArray *inputs);

/* Decides the target of a sink.  `path` is that of -o, or NULL (current folder); `alone` means that
 * it is the only sink that writes files.  A FOLDER sink: path is a folder, made with its first file
 * if missing.  A FILE sink: path is the file, or the folder of default_name when it is a folder,
 * ends in '/', or the sink is not alone.  A sink that is both: path is a file when it is alone and
 * ends like default_name, else a folder.  "-" (and /dev/stdout): stdout, when the sink can
 * (NP_EXIT_USAGE, and what to do, when not).  Sinks without FILE, FOLDER, STDOUT:
 * NPROF_TARGET_NONE.  The target is owned by outputs. */
NpTarget *np_outputs_target (NpOutputs *outputs, const struct nprof_component *sink,
                             const char *path, gboolean alone, GError **error);
/* Returns whether the folder of a file that the user named is there: one that is not is a typing
 * error more often than a wish. FALSE with NP_EXIT_USAGE. */
gboolean np_output_has_folder (const char *path, GError **error);
const struct nprof_target *np_target_info (const NpTarget *target);

/* Opens a file of the target (see nprof_host.output), owned by outputs.  A NULL name is the one
 * file of a FILE or STDOUT target; a FILE target takes names too, for parts beside that file.
 * NP_EXIT_SINK names the path; two sinks that want the same file: NP_EXIT_USAGE; a name that leads
 * out of the folder or cannot be shown: NP_EXIT_PLUGIN.  [any-thread] */
struct nprof_output *np_target_open (NpTarget *target, const char *name, GError **error);
/* Returns the first failure of a write or close of this target; NULL if nothing failed.
 * [any-thread] */
const GError *np_target_error (const NpTarget *target);

/* Returns the target of a folder that an option of a decoder names (extract=DIR), in the same
 * transaction; the same path is the same target.  [any-thread] */
NpTarget *np_outputs_folder (NpOutputs *outputs, const char *path, GError **error);

/* Flushes, renames all, then writes manifests.  On failure no new file stays, and the old ones are
 * put back.  Call it once, when all writers have ended. */
gboolean np_outputs_commit (NpOutputs *outputs, const char *generator, GError **error);
void np_outputs_abort (NpOutputs *outputs);
