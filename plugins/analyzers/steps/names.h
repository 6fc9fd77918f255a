/* SPDX-License-Identifier: Apache-2.0 */
/* names.h - what names of spans of hosts say of what the host does. */
#ifndef STEPS_NAMES_H
#define STEPS_NAMES_H

#include "producers/host-kind.h"

#include <glib.h>
#include <nprof/sdk.h>

/* Of calls of a runtime. */
enum {
  NAME_LAUNCHES = 1 << 0,
  NAME_LAUNCHES_GRAPH = 1 << 1,
  NAME_BLOCKS = 1 << 2, /* it returns when work has ended */
  NAME_ALLOCATES = 1 << 3,
  NAME_LOADS_CODE = 1 << 4,
  /* Of any span. */
  NAME_COMPILES = 1 << 5,
  NAME_WAITS = 1 << 6,
  NAME_LOADS_DATA = 1 << 7,
  NAME_PREPARES_DATA = 1 << 8,
  NAME_COLLECTS = 1 << 9, /* garbage */
  /* Of frames of Python; neither: the user's own. */
  NAME_OF_KERNELS = 1 << 10,
  NAME_OF_RUNTIME = 1 << 11,
  /* Of any span, too: it runs what PyTorch's compiler made. */
  NAME_IS_COMPILED = 1 << 12,
  /* Of any span, too: what its thread launches between them goes into a graph; one that is both
   * makes a graph of what was captured. */
  NAME_BEGINS_CAPTURE = 1 << 13,
  NAME_ENDS_CAPTURE = 1 << 14
};

typedef struct _StNames StNames;

StNames *st_names_new (const struct nprof_host *host);
void st_names_free (StNames *names);
/* Returns NAME_... of a span of that kind; O(1) but for the first of a name. */
guint st_name_says (StNames *names, nprof_str name, AnHostKind kind);
/* The same of a name that was asked for before; several threads may ask. */
guint st_name_said (const StNames *names, nprof_str name, AnHostKind kind);

#endif
