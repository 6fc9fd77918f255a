/* SPDX-License-Identifier: Apache-2.0 */
/* own-frames.h - finds the line of a program that is the user's own among frames of Python: neither
 * of a runtime (Python's library, torch, triton, generated code) nor of a library of kernels, which
 * the model calls. Which these are own-frames.txt says, in the folders of answers. */
#ifndef PRODUCERS_OWN_FRAMES_H
#define PRODUCERS_OWN_FRAMES_H

#include <nprof/plugin.h>
#include <stdbool.h>

typedef struct _OwnFramesList OwnFramesList;
typedef enum { FRAME_UNLISTED, FRAME_OWN, FRAME_KERNELS, FRAME_RUNTIME } FrameIs;

/* Reads the lists: nprof's own, those of plugins, that of the user. A line that is none is told and
 * skipped. */
OwnFramesList *own_frames_list_new (const struct nprof_host *host);
/* Reads those of these folders, which ends in NULL, and that of the user, without a word. */
OwnFramesList *own_frames_list_of (const char *const *folders);
void own_frames_list_free (OwnFramesList *list); /* or NULL */
/* Returns what the last line says that fits a frame, which is its path or begins with it. */
FrameIs own_frames_is (const OwnFramesList *list, const char *frame);

/* Returns whether a span of no known kind is a frame by its name: "$FILE:LINE FUNCTION". */
static inline bool
own_frames_are_named (const char *name)
{
  return name[0] == '$';
}

/* The rank of a frame: of several the least names the place, and of these the innermost. */
enum { FRAME_RANK_OWN, FRAME_RANK_KERNELS, FRAME_RANK_RUNTIME };

static inline int
own_frames_rank (FrameIs is)
{
  return is == FRAME_RUNTIME   ? FRAME_RANK_RUNTIME
         : is == FRAME_KERNELS ? FRAME_RANK_KERNELS
                               : FRAME_RANK_OWN;
}

/* Frames "FILE(LINE): FUNCTION", from the outermost on. */
typedef struct {
  const OwnFramesList *list;
  const char *own, *of_kernels; /* the last of each; NULL: none */
} OwnFrames;

void own_frames_add (OwnFrames *frames, const char *frame);
/* Returns "FILE:LINE" of the innermost own frame, else of the innermost of a library of kernels,
 * with FILE as it is imported; NULL: neither is there. Transfer full. */
char *own_frames_source (const OwnFrames *frames);

/* Returns the file of a frame as it is imported: without what stands before a folder of
 * packages. */
const char *own_frames_path (const char *frame);

#endif
