/* SPDX-License-Identifier: Apache-2.0 */
/* semaphore-keys.h - the names of attributes that say what an instruction waits for and what it
 * raises. A text is one or more of these, with a blank between: "S[24]>=16", "E[4]==1", "S[2]==3"
 * for waits, and "S[5]++", "S[5]--", "S[2]+=1", "S[2]=0", "E[3]=1" for what is raised; S is a
 * semaphore and E an event of the core. "S[7]?9" is of an unknown mode. */
#pragma once

#define SEMAPHORE_KEY_WAITS "waits_for"     /* string: before it begins; a wait: before it ends */
#define SEMAPHORE_KEY_SIGNALS "signals"     /* string: when it is done */
#define SEMAPHORE_KEY_DMA "dma_signals"     /* string: when the transfer is done that it starts */

/* A decoder that emits them declares these. */
#define SEMAPHORE_ATTRIBUTES                                                                       \
  NPROF_ATTRIBUTE (NPROF_STRING, SEMAPHORE_KEY_WAITS, "",                                          \
                   "semaphores that an instruction waits for"),                                    \
      NPROF_ATTRIBUTE (NPROF_STRING, SEMAPHORE_KEY_SIGNALS, "",                                    \
                       "semaphores that it raises when done"),                                     \
      NPROF_ATTRIBUTE (NPROF_STRING, SEMAPHORE_KEY_DMA, "",                                        \
                       "semaphores that the transfer raises which it starts")
