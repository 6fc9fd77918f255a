/* SPDX-License-Identifier: Apache-2.0 */
/* flows.h - joins the ends of arrows.  One beginning may have many ends (a launch on several
 * devices): each end is an arrow of its own.  Ends come track by track, so partners may be far
 * apart; they are kept (32 bytes each) until their arrow is complete, beginnings to the end. */
#pragma once

#include <glib.h>

enum { FLOW_BEGIN, FLOW_STEP, FLOW_END };

struct flow_end {
  guint64 flow;       /* ends with the same number belong together; a number may be used again */
  gint64 time;
  guint32 thread, name, cat;
  guint16 phase;
  guint16 served;     /* a beginning that has an arrow already; 0 when it is added */
};

typedef struct flows {
  GArray *ends;       /* of struct flow_end          */
  guint limit;        /* settle when there are more  */
  guint64 alone;      /* ends without a partner      */
  GArray *chain;      /* the arrow that is being put together */
  /* An arrow: n >= 2 ends by time, the first a beginning, or a step whose beginning is lost. */
  void (*arrow) (gpointer user, const struct flow_end *ends, guint n);
  gpointer user;
} Flows;

void flows_init (Flows *flows);
void flows_clear (Flows *flows);
void flows_add (Flows *flows, const struct flow_end *end);
/* Gives all arrows; what stays alone is counted. */
void flows_finish (Flows *flows);
