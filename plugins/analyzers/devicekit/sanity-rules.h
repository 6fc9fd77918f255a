/* SPDX-License-Identifier: Apache-2.0 */
/* sanity-rules.h - what is kept of one input while it comes, and the rules by which it is
 * judged. */
#ifndef AN_SANITY_RULES_H
#define AN_SANITY_RULES_H

#include "devicekit/sanity.h"
#include "system/large.h"

#define AN_SANITY_NONE G_MAXUINT32

typedef struct {
  gint64 start, end; /* ps */
  guint64 correlation;
  nprof_track thread;
  guint32 next;   /* another call of that id; AN_SANITY_NONE: no more */
  guint32 n_work; /* rows that have its id, of the first of the calls */
  guint8 is;      /* AN_CALL_...                                      */
  bool captured;  /* a graph takes it, and nothing starts             */
} AnSanityCall;

typedef struct {
  gint64 start, end;
  nprof_str name;
  nprof_track thread;
} AnSanityStep;

typedef struct {
  uint32_t input;
  guint64 n_rows;
  gint64 first, last;  /* of all spans of hosts; first > last: there is none */
  NpLargeArray *work;  /* of AnSanityWork    */
  NpLargeArray *calls; /* of AnSanityCall    */
  GArray *steps;       /* of AnSanityStep    */
} AnSanityInput;

void an_sanity_input_init (AnSanityInput *in, uint32_t input);
void an_sanity_input_clear (AnSanityInput *in);

/* Tells of what is found. */
typedef struct {
  void (*found) (gpointer user, const AnSanityFinding *finding);
  void (*mark) (gpointer user, const AnSanityWork *work, AnSanityMark mark);
  gpointer user;
} AnSanityTold;

/* Judges what came; it is changed on the way. */
void an_sanity_judge (AnSanityInput *in, const AnSanityTold *told);

/* Returns whether two rows have the same name, times, queue and launch. */
static inline bool
an_sanity_same (const AnSanityWork *a, const AnSanityWork *b)
{
  return a->start == b->start && a->end == b->end && a->name == b->name && a->queue == b->queue
         && a->correlation == b->correlation;
}

/* Returns whether a file has one row twice. Of rows without a length nothing but their launch tells
 * that they are one. */
static inline bool
an_sanity_is_copy (const AnSanityWork *a, const AnSanityWork *b)
{
  return an_sanity_same (a, b) && (a->correlation || a->end > a->start);
}

/* sanity-queues.c finds rows that are in the file twice, and takes all but the first out: their
 * queue becomes 0. */
void an_sanity_twice (AnSanityInput *in, const AnSanityTold *told);
/* It judges rows by those around them on their queues.  streams: these are in order; rows
 * without a queue are left out. */
void an_sanity_overlap (AnSanityInput *in, const AnSanityTold *told, bool streams);

#endif
