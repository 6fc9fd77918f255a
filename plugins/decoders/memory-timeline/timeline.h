/* SPDX-License-Identifier: Apache-2.0 */
/* timeline.h - what the files of the decoder memory-timeline share.
 * source: _memory_profiler.py of PyTorch */
#pragma once

#include "columns.h"
#include "json/scan.h"

#include <glib.h>
#include <nprof/keys.h>
#include <nprof/sdk.h>

enum { MT_PREEXISTING = 1, MT_CREATE, MT_VERSION, MT_DESTROY, MT_ACTIONS };
enum { MT_UNKNOWN = 7, MT_CATEGORIES };

/* bytes: signed, so that what is held is their sum. */
typedef struct {
  gint64 ns, bytes; /* ns -1: it was there before */
  guint8 action, category;
} MtRow;

typedef struct {
  const struct nprof_host *host;
  struct nprof_writer *w;
  const char *data, *end;
  GArray *rows; /* of MtRow, by time */
  gint64 base_ns;
} Timeline;

extern const char *const mt_categories[MT_CATEGORIES];

/* load.c: reads all rows, and brings them into the order of time. */
nprof_status mt_load (Timeline *t);
/* write.c: as counters, and as tables. */
nprof_status mt_write (Timeline *t);
