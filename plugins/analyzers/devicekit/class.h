/* SPDX-License-Identifier: Apache-2.0 */
/* class.h - tells what the work of a device was: computing, talking to other devices, moving data,
 * control, or setting up.  The one place where analyzers know the names that producers give to such
 * work; row-role.h tells on which device it ran. */
#ifndef AN_CLASS_H
#define AN_CLASS_H

#include "devicekit/row-role.h"

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

/* It is for the functions below alone, which rows call. */
typedef struct {
  const struct nprof_host *host;
  GByteArray *categories;              /* by handle: 0 not looked at, 1 + AnClass, or the words below */
  GByteArray *names, *furiosa, *neuron; /* by handle: 0 not looked at, or 1 + AnClass                */
  GByteArray *infeeds;                 /* by handle: 0 not looked at, or whether it begins with that */
  GByteArray *hosts;                   /* the same of what is copied from or to the host             */
} AnClasses;

/* The names of rows of such a category tell the class. */
enum { AN_CLASS_BY_NAME = 1 + AN_AROUND + 1, AN_CLASS_BY_NEURON_NAME = AN_CLASS_BY_NAME + 2 };

AnClasses *an_classes_new (const struct nprof_host *host);
void an_classes_free (AnClasses *classes);

/* Looks at a category the first time that it comes, and returns what becomes of categories[category]. */
guint8 an_look_at_category (AnClasses *classes, nprof_str category);
AnClass an_class_by_name (AnClasses *classes, guint8 how, nprof_str name);

static inline guint8
an_category_tells (AnClasses *c, nprof_str category)
{
  guint8 known = category < c->categories->len ? c->categories->data[category] : 0;
  return G_LIKELY (known) ? known : an_look_at_category (c, category);
}

/* `collective` means that the row itself says that it is one (AN_IS_COLLECTIVE), which goes before
 * all names.  O(1) but for the first row of a category or name. */
static inline AnClass
an_class (AnClasses *c, nprof_str category, nprof_str name, bool collective)
{
  if (G_UNLIKELY (collective))
    return AN_COMMUNICATION;
  guint8 tells = an_category_tells (c, category);
  return tells < AN_CLASS_BY_NAME ? (AnClass) (tells - 1) : an_class_by_name (c, tells, name);
}

/* Returns what an_class does of a row that does not say itself what it is, for who has texts and no host. */
AnClass an_class_of_texts (const char *category, const char *name);

/* Tells whether work of class AN_MEMORY brings the program's input from the host: infeed of XLA. */
bool an_is_infeed (AnClasses *classes, nprof_str category, nprof_str name);

/* Tells whether work of class AN_MEMORY copies from or to the host. */
bool an_is_of_host (AnClasses *classes, nprof_str category, nprof_str name);

/* Tells whether work of that class waits for a link to another device or to the host: communication,
 * infeed, outfeed, copies from and to the host.  Copies within a device are of its memory alone. */
static inline bool
an_goes_over_link (AnClasses *c, AnClass class, nprof_str category, nprof_str name)
{
  return class == AN_COMMUNICATION || (class == AN_MEMORY && an_is_of_host (c, category, name));
}

/* Tells whether it is an instruction or a transfer of a NeuronCore, whose engines are pipelines. */
static inline bool
an_is_pipelined (AnClasses *c, nprof_str category)
{
  return an_category_tells (c, category) == AN_CLASS_BY_NEURON_NAME;
}

/* Tells whether work that overlaps on one track is under way together, and none a part of the
 * other.  So it is on the streams of a GPU, as when a graph runs on one of them, and in pipelines. */
static inline bool
an_never_nests (AnClasses *c, const AnPlace *place, nprof_str category)
{
  return place->queue || an_is_pipelined (c, category);
}

#endif
