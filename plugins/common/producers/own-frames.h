/* SPDX-License-Identifier: Apache-2.0 */
/* own-frames.h - finds the line of a program that is the user's own among the frames of Python around
 * a call: neither of a runtime (Python's library, torch, triton, generated code) nor of a library of
 * kernels, which the model calls. */
#ifndef PRODUCERS_OWN_FRAMES_H
#define PRODUCERS_OWN_FRAMES_H

#include <stdbool.h>

/* Frames "FILE(LINE): FUNCTION", from the outermost on. */
typedef struct {
  const char *own, *of_kernels; /* the last of each; NULL: none */
} OwnFrames;

void own_frames_add (OwnFrames *frames, const char *frame);
/* Returns "FILE:LINE" of the innermost own frame, else of the innermost of a library of kernels, with
 * FILE as it is imported; NULL: neither is there.  Transfer full. */
char *own_frames_source (const OwnFrames *frames);

/* Returns the file of a frame as it is imported: without what stands before a folder of packages. */
const char *own_frames_path (const char *frame);
/* Returns whether a path, as it is imported, is of a runtime or of a library of kernels. */
bool own_frames_is_runtime (const char *path);
bool own_frames_is_of_kernels (const char *path);

#endif
