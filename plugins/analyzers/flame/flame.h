/* SPDX-License-Identifier: Apache-2.0 */
/* flame.h - what the files of the analyzer flame share: a tree of frames, and spans on their way to
 * it. Times are ps where nothing else is said. */
#ifndef FLAME_H
#define FLAME_H

#include "columns.h"
#include "devicekit/graph-row.h"
#include "devicekit/key-table.h"
#include "devicekit/row-launch.h"
#include "devicekit/row-role.h"
#include "producers/own-frames.h"

#include <nprof/draft/clip.h>
#include <nprof/keys.h>
#include <nprof/reader.h>
#include <nprof/sdk.h>
#include <system/launch-list.h>

enum { WEIGHT_HOST, WEIGHT_DEVICE, WEIGHT_BYTES };
enum { BY_STACK, BY_MODULE, BY_LAYER, BY_SOURCE };
enum { STEPS_EACH, STEPS_ONE };

/* This is a frame below another; all roots lie in 0. */
enum { F_PARENT, F_NAME, F_WORDS };

typedef struct {
  gint64 weight; /* ps, or bytes */
  gint64 count;
} Weight;

/* This is a span that is open on the track under way. */
typedef struct {
  gint64 start, end;
  guint32 frame;
  bool counted;
} Open;

/* This is work of a device that waits for the call of the host that launched it. */
typedef struct {
  guint32 input;
  nprof_str name;
  guint64 correlation; /* 0: none */
  gint64 start, duration;
  nprof_str operator; /* when its graph was captured; 0: it is of none */
} Launched;

typedef struct {
  int32_t weight, by, steps; /* options */
  const struct nprof_host *host;
  struct nprof_window clip; /* weights are of what lies in it */
  AnPlaces *places;
  AnLaunchKeys launch_keys;
  AnGraphKeys graph_keys;
  nprof_str key_args;
  nprof_str name_memory, name_allocation;
  struct nprof_reader reader; /* of fl_keys */
  OwnFramesList *own_frames;  /* NULL: frames are no lines of source */
  nprof_str passed_over[2]; /* categories of spans that are no frames */
  nprof_str lost;           /* stands for a launch that is not there  */
  nprof_str each_step;      /* stands for all steps                   */
  AnKeyTable frames;        /* F_WORDS                                */
  GArray *weights;          /* of Weight, by frame                    */
  nprof_track track;        /* the one under way                      */
  GArray *open;             /* of Open                                */
  gint64 covered;           /* ps until which its time is given away  */
  AnLaunchList calls;       /* with the frame of each                 */
  GArray *launched;         /* of Launched                            */
} Flame;

/* These are places in fl_keys, attributes that are read of rows. */
enum { K_LAYER, K_PATH, K_SOURCE, K_STACK, K_ALLOCATOR, K_ORDINAL, K_INDEX, K_ALLOCATED };
extern const char *const fl_keys[];

/* Do frames say where rows state themselves that they belong, not what lies around them? */
static inline bool
fl_states (const Flame *f)
{
  return f->by == BY_LAYER || f->by == BY_SOURCE;
}

/* frames.c */
guint32 fl_frame (Flame *f, guint32 parent, nprof_str name);
guint32 fl_root (Flame *f, guint32 input, nprof_str name);
void fl_add (Flame *f, guint32 frame, gint64 weight, gint64 count);
/* Returns the name without the characters that separate frames and lines in outputs. */
nprof_str fl_clean (Flame *f, nprof_str name);

/* threads.c gives each moment of a track to the innermost span. */
void fl_span (Flame *f, const struct nprof_batch *batch, uint32_t i);
/* Returns the innermost frame around the row's start, by containment with both ends included. */
guint32 fl_frame_at (Flame *f, const struct nprof_batch *batch, uint32_t i);
/* Returns a frame for each part of what the row states, below that one. */
guint32 fl_stated (Flame *f, const struct nprof_batch *batch, uint32_t i, guint32 frame);
void fl_track_end (Flame *f);

/* allocations.c gives bytes to what allocated them. */
bool fl_allocates (const Flame *f, const struct nprof_batch *batch, uint32_t i);
void fl_allocation (Flame *f, const struct nprof_batch *batch, uint32_t i);

/* launched.c puts work of devices below the calls that launched it. */
void fl_work (Flame *f, const struct nprof_batch *batch, uint32_t i);
void fl_join (Flame *f);
guint64 fl_correlation (const Flame *f, const struct nprof_batch *batch, uint32_t i);

/* write.c */
nprof_status fl_write (Flame *f);

#endif
