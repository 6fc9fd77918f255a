/* SPDX-License-Identifier: Apache-2.0 */
/* input.h - an input as memory: files are mapped; pipes, stdin and compressed files are
 * spooled, inflated, to an unlinked file in $TMPDIR (or memory when small) and mapped. */
#pragma once

#include "base/log.h"

#include <stdatomic.h>

#define NP_INPUT_HEAD (64u << 10)  /* bytes that a probe sees                        */
#define NP_INPUT_FAR (16u << 20)   /* of a JSON object that it did not know by these */
#define NP_INPUT_MEMORY (8u << 20) /* spooled bytes that stay in memory              */

typedef struct NpInput NpInput;

/* Opens an input; path "-" is stdin.  NP_EXIT_INPUT. gzip, zstd and zip are known by content. */
NpInput *np_input_open (const char *path, NpLog *log, GError **error);
/* Who waits while an input is spooled. */
typedef struct {
  const atomic_int *interrupt; /* NULL, or an exit status once the run must end        */
  /* Is told now and then how many bytes of the file were taken, of how many (0: unknown), and what
   * they have become; NULL: nobody is. */
  void (*told) (gpointer user, guint64 taken, guint64 size, guint64 made);
  gpointer user;
} NpInputWait;
/* Does the same; when the interrupt is set, it is the error's code. It is looked at while spooling,
 * also while a pipe is silent. Where `cut` is given, a compressed input that was cut off ends
 * there, and *cut says where. */
NpInput *np_input_open_until (const char *path, NpLog *log, const NpInputWait *wait, GError **cut,
                              GError **error);
void np_input_free (NpInput *input);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpInput, np_input_free)
const void *np_input_data (const NpInput *input, guint64 *len); /* never NULL, also when empty */
/* Keeps the pages of the first bytes, which are to be read again soon; 0: none from now on. */
void np_input_keep (NpInput *input, guint64 bytes);
/* Says that bytes from..to are not needed for now: their pages may leave memory.  [any-thread] */
void np_input_done (NpInput *input, guint64 from, guint64 to);

/* Reads at most the first *len bytes, for which head has room, inflated, for probes, without
 * spooling the rest.  Size 0 is unknown. np_input_open finds damage behind the first byte.  This is
 * not for what can be read only once: open that, and look at the first bytes of np_input_data. */
gboolean np_input_head (const char *path, guint8 *head, gsize *len, guint64 *size, GError **error);
/* Returns whether it is stdin, or a pipe or device, which have no np_input_head. */
gboolean np_input_once (const char *path);

/* Finds the files that the command line names. n_ and 6 to 40 hex digits name a stored profile,
 * when there is no file of that name: its inputs are taken, by the labels that they had.  Folders
 * are walked to depth 8 (a file has at most 8 names below the folder), sorted by strcmp of their
 * paths, without hidden files and links; of several TensorBoard runs (np_holds_runs) the
 * last by name is taken, and logged.  Captures of graphs beside their runs are left out: folders
 * below it that servers call capture_traces or graph_capture_profile, and what an
 * execution_details.json lists.  Everything stays in the order of the command line. */
typedef struct {
  char *path;
  char *label;      /* path below the longest common folder of all; "stdin" for "-" */
  gboolean listed;  /* found in a folder: may be skipped when no decoder knows it */
  char *given;      /* the label that a stored profile gives it; NULL: by its path */
} NpInputPath;
/* Returns NpInputPath, labelled.  NP_EXIT_INPUT for what does not exist or cannot be read, and when
 * there is no file at all; NP_EXIT_USAGE for "-" named twice. */
GPtrArray *np_inputs_expand (const char *const *paths, NpLog *log, GError **error);
/* Returns whether the folders in it are runs that TensorBoard shows, by their names: LOG/plugins/
 * profile, and LOG/plugins/neuron of torch-neuronx. */
gboolean np_holds_runs (const char *folder);
/* Sets the label of each anew, for when some were skipped.  Labels are distinct ("a", "a (2)")
 * and valid UTF-8.  A single input gets its base name.  Inputs that have only the root folder in
 * common get as many of their last names as tell them apart. */
void np_inputs_label (GPtrArray *inputs);
