/* SPDX-License-Identifier: Apache-2.0 */
/* snapshot.h - what the files of the decoder torch-memory share.
 * source: torch/csrc/cuda/memory_snapshot.cpp and c10/cuda/CUDACachingAllocator.h of PyTorch */
#ifndef TORCH_MEMORY_SNAPSHOT_H
#define TORCH_MEMORY_SNAPSHOT_H

#include "columns.h"
#include "pickle/pickle.h"
#include "producers/own-frames.h"

#include <nprof/keys.h>
#include <nprof/sdk.h>

/* A list of frames says this; 0: nothing. */
typedef struct {
  nprof_str source, stack;
} Stack;

typedef struct {
  const struct nprof_host *host;
  struct nprof_writer *w;
  int32_t frames; /* option: 0 those with a file, 1 all */
  nprof_str key_args, key_bytes, key_address, key_stream, key_source, key_stack;
  bool want_args, want_stack;
  Pickle *pickle;
  PkValue root;
  guint64 len;     /* of the input                                           */
  bool timed;      /* entries have times                                     */
  gint64 base_us;  /* time 0, Unix                                           */
  OwnFramesList *own_frames;
  GArray *stacks;  /* of Stack: by PkItems.number - 1 of a list of frames    */
  GString *text;   /* a stack, while it is written                           */
  guint64 written; /* bytes of all stacks                                    */
} Snapshot;

/* A block in use: bytes as they were asked for, and as they are taken. */
typedef struct {
  gint64 address, requested, size;
} TmBlock;

/* The segments of one device hold this. */
typedef struct {
  guint32 device;
  gint64 reserved, requested; /* bytes at the end: of segments, and asked for in blocks in use */
  guint64 taken;              /* of these blocks, with what is left over in them               */
  GHashTable *blocks;         /* in use: TmBlock by address                                   */
} DeviceState;

/* Returns what PyTorch takes for a request: whole blocks of 512 bytes, and at least one. */
static inline gint64
tm_rounded (gint64 requested)
{
  return requested > G_MAXINT64 - 511 ? G_MAXINT64 : MAX (512, (requested + 511) / 512 * 512);
}

/* segments.c */
nprof_status tm_segments (Snapshot *s);
/* Returns the states by device, transfer full. */
DeviceState *tm_device_state (Snapshot *s, guint32 device);
void tm_device_state_free (DeviceState *state);

/* history.c writes what was allocated and freed on a device, in order; `state` is how it ended. */
nprof_status tm_history (Snapshot *s, PkItems *entries, const DeviceState *state);
/* Finds time 0.  NPROF_E_FORMAT: some entries have times and others none. */
nprof_status tm_find_base (Snapshot *s);
/* Returns ps from time 0 of an entry or annotation; `number` orders those without times. */
gint64 tm_time (const Snapshot *s, const PkValue *entry, guint32 number);

/* annotations.c writes ranges that the program has marked. */
nprof_status tm_annotations (Snapshot *s);

/* frames.c: `source` is "file:line" of the newest frame of the user's own code, else of a package
 * but torch, else of what torch does itself, else of any with a file; `stack` the frames, newest
 * first, when somebody wants them. */
nprof_status tm_stack (Snapshot *s, const PkValue *holder, Stack *stack);

/* plugin.c */
nprof_track tm_device_track (Snapshot *s, guint32 device);
/* Reports damage: what an entry is, e.g.  "entry 7 of device_traces[0]", and what is wrong with
 * it. */
G_GNUC_PRINTF (2, 3) nprof_status tm_damaged (Snapshot *s, const char *format, ...);

#endif
