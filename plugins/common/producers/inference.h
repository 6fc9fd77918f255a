/* SPDX-License-Identifier: Apache-2.0 */
/* inference.h - what servers of language models say of a step in the name of its annotation: the
 * one place that knows such names. */
#ifndef PRODUCERS_INFERENCE_H
#define PRODUCERS_INFERENCE_H

#include <stdint.h>

typedef enum {
  PHASE_PREFILL,
  PHASE_DECODE,
  PHASE_MIXED,
  PHASE_VERIFY,
  PHASE_DRAFT,
  PHASE_DIFFUSION,
  PHASE_NONE,
  N_PHASES
} Phase;

/* An annotation says this of a step; -1: it does not.  Keys are tokens that are attended to. */
typedef struct {
  Phase phase; /* PHASE_NONE: it is no annotation of one, or of one without requests */
  int64_t requests, context_tokens, generation_tokens, context_keys, generation_keys;
} Said;

Said inference_said (const char *name);
/* Returns what a phase is called; static. */
const char *inference_phase_name (Phase phase);

#endif
