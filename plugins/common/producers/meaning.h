/* SPDX-License-Identifier: Apache-2.0 */
/* meaning.h - what a row means, by the words of its producer: its category and name, and the track
 * that it stands on.  The one place that knows such words.  Decoders say what it finds as
 * NPROF_KEY_WORK (say-meaning.h), and nobody else asks rows; the viewer asks it of labels, which
 * are no rows.  Pure functions: ask once for each track, category and name. */
#ifndef PRODUCERS_MEANING_H
#define PRODUCERS_MEANING_H

#include <nprof/plugin.h>
#include <stdbool.h>

/* The values of NPROF_KEY_WORK; nprof-semantics(7) says what each is. */
typedef enum {
  MEANS_NOTHING, /* the row does not say it: the track alone tells what it is */
  MEANS_COMPUTE,
  MEANS_COMMUNICATION,
  MEANS_COPY,
  MEANS_TRANSFER,
  MEANS_INFEED,
  MEANS_CONTROL,
  MEANS_SETUP,
  MEANS_WAIT,
  MEANS_STEP,
  MEANS_PROGRAM,
  MEANS_AROUND,
  MEANS_NOTE,
  MEANS_UNKNOWN,
  MEANS_UNALIGNED,
  N_MEANINGS
} Meaning;

/* So a track lies. */
typedef enum {
  ON_HOST,
  ON_DEVICE,   /* below a device, where only rows that say so are work */
  ON_WORK,     /* a queue or an engine                                 */
  ON_ASYNC,    /* from start to done, beside other work                */
  ON_STEPS,    /* a line of steps of a device                          */
  ON_PROGRAMS, /* a line of executions of programs of a device         */
  N_MEANING_PLACES
} MeaningPlace;

/* Returns where rows of a track stand.  on_device: a track above it, or it itself, is a device or
 * core. */
MeaningPlace meaning_place (bool on_device, uint32_t kind, const char *label);

Meaning meaning_of (MeaningPlace place, const char *category, const char *name);

/* Returns the value of NPROF_KEY_WORK; static; NULL for MEANS_NOTHING. */
const char *meaning_word (Meaning meaning);
/* Returns what that value means; MEANS_NOTHING for other words. */
Meaning meaning_of_word (const char *word);

/* Returns whether a host launches work of that category, also where no launch is known. */
bool meaning_is_launched (const char *category);
/* Returns whether work that a host launched is an operation of memory, a copy or a fill, which
 * profilers list apart from kernels.  A kernel that copies is a kernel: its category says so. */
bool meaning_is_memory_operation (const char *category, const char *name);

/* What the bytes of a copy go over. */
typedef enum {
  OVER_UNKNOWN,
  OVER_HOST,   /* the link of the device to its host                                           */
  OVER_MEMORY, /* that of the device; of some producers also the link to another device        */
  OVER_PEERS,  /* the link to another device                                                   */
} CopyLink;

/* Returns it by the name of the copy: "Memcpy DtoD (Device -> Device)". */
CopyLink meaning_copy_link (const char *name);
/* Returns whether work of that category is of a pipeline, as instructions of a NeuronCore are: what
 * overlaps on one track is under way together. */
bool meaning_is_pipelined (const char *category);
/* Returns whether rows of that category are no work wherever they stand: annotations, waits,
 * marks. */
bool meaning_is_note (const char *category);

#endif
