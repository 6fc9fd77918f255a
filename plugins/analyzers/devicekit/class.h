/* SPDX-License-Identifier: Apache-2.0 */
/* class.h - the classes of work of a device that analyzers tell apart, by what rows say of
 * themselves (row-role.h). */
#ifndef AN_CLASS_H
#define AN_CLASS_H

#include "producers/meaning.h"

#include <stdbool.h>

typedef enum {
  AN_COMPUTE,
  AN_COMMUNICATION, /* collectives, sends and receives between devices                  */
  AN_MEMORY,        /* copies, DMA, loads and stores, transfers to and from the host         */
  AN_CONTROL,       /* loops, branches, calls, waits, semaphores                         */
  AN_SETUP,         /* what a runtime does before and after the work                     */
  AN_N_CLASSES,
  AN_AROUND = AN_N_CLASSES /* no work */
} AnClass;

/* Returns the class of work that says this; of what says nothing, AN_COMPUTE. */
static inline AnClass
an_class (Meaning says)
{
  static const AnClass classes[N_MEANINGS]
      = { [MEANS_NOTHING] = AN_COMPUTE, [MEANS_COMPUTE] = AN_COMPUTE,
          [MEANS_COPY] = AN_MEMORY,     [MEANS_COMMUNICATION] = AN_COMMUNICATION,
          [MEANS_TRANSFER] = AN_MEMORY, [MEANS_INFEED] = AN_MEMORY,
          [MEANS_CONTROL] = AN_CONTROL, [MEANS_SETUP] = AN_SETUP,
          [MEANS_WAIT] = AN_AROUND,     [MEANS_STEP] = AN_AROUND,
          [MEANS_PROGRAM] = AN_AROUND,  [MEANS_AROUND] = AN_AROUND,
          [MEANS_NOTE] = AN_AROUND,     [MEANS_UNKNOWN] = AN_AROUND,
          [MEANS_UNALIGNED] = AN_AROUND };
  return classes[says];
}

/* Returns whether such work waits for a link to another device or to the host.  Copies within a
 * device are of its memory alone. */
static inline bool
an_goes_over_link (Meaning says)
{
  return says == MEANS_COMMUNICATION || says == MEANS_TRANSFER || says == MEANS_INFEED;
}

#endif
