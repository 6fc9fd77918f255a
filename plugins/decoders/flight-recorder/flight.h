/* SPDX-License-Identifier: Apache-2.0 */
/* flight.h - what the files of the decoder flight-recorder share.
 * source: FlightRecorder.hpp and FlightRecorderDetail.hpp of torch/csrc/distributed/c10d, versions
 * 2.0 to 2.10 of the dump */
#pragma once

#include "pickle/pickle.h"
#include "producers/own-frames.h"

#include <nprof/keys.h>
#include <nprof/sdk.h>

enum {
  FR_COLLECTIVE,
  FR_GROUP,
  FR_LABEL,
  FR_RANKS,
  FR_SIZE,
  FR_SEQUENCE,
  FR_IN,
  FR_OUT,
  FR_DTYPE,
  FR_SHAPE,
  FR_PEER,
  FR_STATE,
  FR_P2P,
  FR_TIMEOUT,
  FR_ESTIMATED,
  FR_SOURCE,
  FR_STACK,
  FR_KEYS
};

typedef struct {
  const struct nprof_host *host;
  struct nprof_writer *w;
  nprof_str key[FR_KEYS];
  bool want[FR_KEYS];
  nprof_str category;
  Pickle *dump;
  PkValue root;
  OwnFramesList *own_frames;
  gint64 base_ns;      /* time 0, Unix                     */
  nprof_track process;
  GHashTable *groups;  /* of FrGroup by name of the group  */
} Flight;

/* A group of ranks, as this rank knows it. */
typedef struct {
  nprof_str name, label, ranks; /* 0: not told */
  gint64 size;                  /* 0: not told */
  nprof_track track;
} FrGroup;

/* groups.c */
void fr_groups_load (Flight *f);
/* Returns the group that an entry is of; NULL: no memory for its track. */
FrGroup *fr_group_of (Flight *f, const PkValue *entry);

/* fields.c: what an entry says. */
nprof_str fr_text (const Flight *f, const PkValue *value); /* 0: it is no text */
/* Returns the product of all shapes of a list; -1: not told. */
gint64 fr_elements (const PkValue *shapes);
/* Returns both lists of shapes as "[[2, 3]] -> [[2, 3]]"; 0: not told. */
nprof_str fr_shape (const Flight *f, const PkValue *entry);
/* Returns the names of all types, each once; 0: not told. */
nprof_str fr_dtype (const Flight *f, const PkValue *entry);
/* Returns ps of a number of milliseconds, to a nanosecond; false: it is none, or below 0. */
bool fr_milliseconds (const PkValue *value, gint64 *ps);
/* Returns the frames, the newest first, one a line, and of them the newest that is the user's own;
 * 0: not told. */
nprof_str fr_stack (const Flight *f, const PkValue *entry, nprof_str *source);

/* entries.c */
nprof_status fr_find_base (Flight *f);
nprof_status fr_entries (Flight *f);
