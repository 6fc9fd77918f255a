/* SPDX-License-Identifier: Apache-2.0 */
/* row-kin.h - of which time a row is a share: of the work of devices, or of the threads of hosts.
 * Rows around work, beside it, and waits are of neither, since their time would count again, or is
 * no work. What is work is the rule of analyzers (row-role.h); the words are those of the
 * producers. */
#pragma once

#include "ask.h"

#include <producers/meaning.h>

typedef enum {
  NP_KIN_DEVICE,             /* work of a device: its queues and engines                        */
  NP_KIN_HOST,               /* a thread of a host                                              */
  NP_N_SHARED,               /* what follows is a share of nothing                              */
  NP_KIN_NOTE = NP_N_SHARED, /* a wait, a mark, a step, a program, an annotation    */
  NP_KIN_BESIDE,             /* asynchronous, from start to done, beside other work */
  NP_KIN_DERIVED,            /* made of other rows                                  */
  NP_KIN_UNSURE,             /* work or a wait: unknown                             */
  NP_N_KINS
} NpKin;

typedef struct NpKins NpKins;

/* It is of a request, whose store must outlive it. */
NpKins *np_kins_new (NpAsk *ask);
void np_kins_free (NpKins *kins);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpKins, np_kins_free)

/* Returns the class of a track (index): spans of one label on tracks of one class are of one
 * kin. */
enum { NP_N_TRACK_CLASSES = 2 * NP_N_KINS };
guint np_class_of_track (NpKins *kins, guint32 track);
/* Returns whether rows of the track are work of a device, unless their label says that they are
 * none. */
gboolean np_track_works (NpKins *kins, guint32 track);
/* Are its rows around work: sections, modules and steps of a device, and what analyzers derive? */
gboolean np_track_is_around (NpKins *kins, guint32 track);
/* Returns what the rows of a label mean: what all of them state, as analyzers read it; else, as of
 * rows that were not looked at, by the words of the label, on a track of that place. */
Meaning np_label_meaning (NpAsk *ask, guint32 label, MeaningPlace place);
/* Returns whether rows with the label are no work, or that is unknown, whatever track they stand
 * on. */
gboolean np_label_is_no_work (NpKins *kins, guint32 label);
/* Returns the kin of a span with that label; O(1) but for the first of a track and of a label. */
NpKin np_kin_of (NpKins *kins, guint32 track, guint32 label);
