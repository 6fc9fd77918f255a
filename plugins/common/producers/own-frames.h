/* SPDX-License-Identifier: Apache-2.0 */
/* own-frames.h - finds the line of a program that is the user's own among the frames of Python
 * around a call: neither of a runtime (Python's library, torch, triton, generated code) nor of a
 * library of kernels, which the model calls. Which these are own-frames.txt says, in the folders of
 * answers. */
#ifndef PRODUCERS_OWN_FRAMES_H
#define PRODUCERS_OWN_FRAMES_H

#include <nprof/plugin.h>
#include <stdbool.h>

typedef struct _OwnFramesList OwnFramesList;
typedef enum { FRAME_UNLISTED, FRAME_RUNTIME, FRAME_KERNELS, FRAME_OWN } FrameIs;

/* Reads the lists: nprof's own, those of plugins, that of the user. A line that is none is told and
 * skipped. */
OwnFramesList *own_frames_list_new (const struct nprof_host *host);
void own_frames_list_free (OwnFramesList *list); /* or NULL */
/* Returns what the last line says that fits a path, as it is imported. */
FrameIs own_frames_is (const OwnFramesList *list, const char *path);

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
