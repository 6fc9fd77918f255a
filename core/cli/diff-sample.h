/* SPDX-License-Identifier: Apache-2.0 */
/* diff-sample.h - the operators of one profile and some of their durations: a sink of the
 * program's own.  Which are compared with which, and what follows, is diff-judge's. */
#pragma once

#include "run/config.h"

#define NP_SAMPLES 4096u /* durations kept of an operator */

typedef struct {
  char *name;        /* framework path, else category + opcode + shape, else its name without
                        the number behind it                                              */
  gboolean device;   /* work of a device; else a span of a host                           */
  guint64 count;
  gint64 self;       /* ps: durations less those of what lies within, so that sums are true */
  guint64 every;     /* one of so many is kept, the first included                        */
  GArray *durations; /* of gint64, ps                                                     */
} NpOperator;

typedef struct {
  GHashTable *by_name; /* char * -> NpOperator, which it owns                             */
  guint64 unclosed;    /* spans without an end: left out                                  */
  guint64 gaps;
} NpSample;

typedef struct NpSampler NpSampler;
NpSampler *np_sampler_new (void);
void np_sampler_free (NpSampler *sampler);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpSampler, np_sampler_free)
/* Makes the run that follows fill it; config->caller is its then. */
void np_sampler_attach (NpSampler *sampler, NpConfig *config);
/* After the run; device: operators of devices, else of hosts. */
const NpSample *np_sampler_get (const NpSampler *sampler, gboolean device);
