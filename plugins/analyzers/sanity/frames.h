/* SPDX-License-Identifier: Apache-2.0 */
/* frames.h - finds frames of Python that end after the frame which called them: their end is not
 * when they returned, but where the recording stopped to look. */
#ifndef FRAMES_H
#define FRAMES_H

#include "devicekit/sanity.h"

typedef struct _Frames Frames;

Frames *frames_new (const struct nprof_host *host);
void frames_free (Frames *frames);

bool frames_is (Frames *frames, nprof_str category);
/* Takes the next frame of its thread; they come by start. */
void frames_add (Frames *frames, const struct nprof_batch *batch, uint32_t i);

/* Returns what was found, of AnSanityFinding, one an input that has such frames. */
const GArray *frames_findings (const Frames *frames);

#endif
