/* SPDX-License-Identifier: Apache-2.0 */
/* class.h - tells what the work of a device was: computing, talking to other devices, moving data,
 * control, or setting up.  The one place where analyzers know the names that producers give to such
 * work; row-role.h tells on which device it ran. */
#ifndef AN_CLASS_H
#define AN_CLASS_H

#include <glib.h>
#include <nprof/plugin.h>
#include <stdbool.h>

typedef enum {
  AN_COMPUTE,
  AN_COMMUNICATION, /* collectives, sends and receives between devices                  */
  AN_MEMORY,        /* copies, DMA, loads and stores, transfers to and from the host         */
  AN_CONTROL,       /* loops, branches, calls, waits, semaphores                         */
  AN_SETUP,         /* what a runtime does before and after the work                     */
  AN_N_CLASSES,
  AN_AROUND = AN_N_CLASSES /* no work: one execution, around the work itself             */
} AnClass;

typedef struct _AnClasses AnClasses;

AnClasses *an_classes_new (const struct nprof_host *host);
void an_classes_free (AnClasses *classes);

/* `collective` means that the row itself says that it is one (AN_IS_COLLECTIVE), which goes before
 * all names.  O(1) but for the first row of a category or name. */
AnClass an_class (AnClasses *classes, nprof_str category, nprof_str name, gboolean collective);

/* Tells whether work of class AN_MEMORY brings the program's input from the host: infeed of XLA. */
bool an_is_infeed (const AnClasses *classes, nprof_str category, nprof_str name);

/* Tells whether work that overlaps on one track is in flight together, and none a part of the
 * other.  So it is with the instructions and transfers of a NeuronCore, whose engines are
 * pipelines. */
bool an_is_pipelined (AnClasses *classes, nprof_str category);

#endif
