/* SPDX-License-Identifier: Apache-2.0 */
/* flows.h - joins the ends of arrows.  One beginning may have many ends (a launch on several
 * devices): each end is an arrow of its own.  Ends come track by track, so partners may be far
 * apart: all are sorted, in runs that wait on disk, and joined when the last has come. */
#pragma once

#include "spill.h"

#include <glib.h>
#include <nprof/row.h>

enum { FLOW_BEGIN, FLOW_STEP, FLOW_END };

#define FLOWS_RUN (256u << 10) /* ends sorted at once: 8 MB */

struct flow_end {
  guint64 flow;       /* ends with the same number belong together; a number may be used again */
  gint64 time;
  guint32 thread, name, cat;
  guint32 phase : 2, place : 30; /* place: the caller's */
};

typedef struct flows {
  nprof_str phase_key, phases[3];
  GArray *ends;       /* of struct flow_end: the run that is being filled */
  guint run;          /* ends a run; tests make it small                  */
  Spill spill;        /* sorted runs                                      */
  guint64 alone;      /* ends without a partner                           */
  GArray *chain;      /* the arrow that is being put together             */
  gboolean begun, served; /* it has its beginning; and that an arrow before */
  /* Takes an arrow: n >= 2 ends by time, the first a beginning, or a step whose beginning is
   * lost. */
  void (*arrow) (gpointer user, const struct flow_end *ends, guint n);
  gpointer user;
} Flows;

void flows_init (Flows *flows, const struct nprof_host *host);
void flows_clear (Flows *flows);
/* Returns the phase of the row that is spread; -1: it states none. */
int flows_phase (const Flows *flows, const struct nprof_row_columns *row);
void flows_add (Flows *flows, const struct flow_end *end);
/* Gives all arrows; ends that stay alone are counted. spill.failed says whether it could. */
void flows_finish (Flows *flows);
