/* SPDX-License-Identifier: Apache-2.0 */
/* server-steps.h - keeps the steps that a server of models annotates, and finds the one of a
 * moment.  Of annotations in each other the innermost is the step, and those around it, which wait
 * for earlier steps and prepare, are none; parts on several threads or streams have one name and
 * are one step. */
#ifndef AN_SERVER_STEPS_H
#define AN_SERVER_STEPS_H

#include "producers/inference.h"

#include <glib.h>
#include <nprof/plugin.h>
#include <stdbool.h>

typedef struct {
  Said said;
  nprof_str name;
  nprof_track thread; /* 0: the device annotates                         */
  gint64 start, end;  /* ps                                              */
  guint up;           /* 1 + the last one before it that had not ended when it began; 0: none */
  bool around;        /* another one that lies in it is the step         */
  bool shown;         /* the selection shows the annotation              */
} AnServerStep;

enum { AN_NO_SERVER_STEP = 1, AN_A_SERVER_STEP };
guint8 an_look_at_step_name (GByteArray *known, const struct nprof_host *host, nprof_str name);

/* Returns whether rows of that name are steps. `known` is empty at first, and keeps what was found,
 * by name. */
static inline bool
an_names_server_step (GByteArray *known, const struct nprof_host *host, nprof_str name)
{
  const guint8 found = name < known->len ? known->data[name] : 0;
  return (G_LIKELY (found) ? found : an_look_at_step_name (known, host, name))
         == AN_A_SERVER_STEP;
}

/* Adds one to a GArray of AnServerStep, by start: `up` and `around` are set here.  What one does
 * not say of itself, one around it of the same phase does. */
void an_server_steps_add (GArray *steps, const AnServerStep *step);
/* Returns the number of the step at a moment, of several the last to begin; -1: none. */
gint an_server_steps_at (const GArray *steps, gint64 at);

/* Steps that hosts annotate, by the number of their input: a GArray of AnServerStep, or NULL. */
GPtrArray *an_server_steps_by_input (void);
/* Returns those of an input, to be added to. */
GArray *an_server_steps_of (GPtrArray *all, guint32 input);
/* Returns those of an input; NULL: none is annotated there. */
const GArray *an_server_steps_find (const GPtrArray *all, guint32 input);

#endif
