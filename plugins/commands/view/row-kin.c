/* SPDX-License-Identifier: Apache-2.0 */
/* row-kin.c - finds the kin of rows: each track and each label is looked at once. */

#include "row-kin.h"

#include <producers/pytorch.h>
#include <producers/row-categories.h>
#include <string.h>

/* A label tells this of its rows, whatever track they stand on. */
typedef enum {
  UNSEEN,
  NOTHING,
  NEVER,
  WORK,
  NOTE,
  UNSURE
} Told; /* NEVER: a note on hosts as well */

struct NpKins {
  NpAsk *ask;
  guint8 *track; /* by index: 1 + its class; 0: not looked at */
  guint8 *label; /* by label: Told */
};

/* The class of a track is its kin, and this where its rows are of that whatever their category
 * is. */
enum { FIXED = NP_N_KINS };

NpKins *
np_kins_new (NpAsk *ask)
{
  NpKins *k = g_new0 (NpKins, 1);
  k->ask = ask;
  k->track = g_new0 (guint8, nprof_store_n (ask->store, NPROF_STORE_S_TRACKS) + 1);
  k->label = g_new0 (guint8, nprof_store_n (ask->store, NPROF_STORE_S_LABELS) + 1);
  return k;
}

void
np_kins_free (NpKins *k)
{
  if (!k)
    return;
  g_free (k->track);
  g_free (k->label);
  g_free (k);
}

/* -- Tracks -------------------------------------------------------------------------------- */

static gboolean
is_around (const char *label)
{
  return g_str_has_suffix (label, TRACK_OF_STEPS) || g_str_has_suffix (label, TRACK_OF_MODULES);
}

static guint
look_at_track (const NpAsk *ask, const struct nprof_store_track *t)
{
  const struct nprof_store_lane *l = t->n_lanes ? nprof_store_lane_at (ask->store, t->lane) : NULL;
  gboolean device = np_track_within (ask, t, NPROF_TRACK_DEVICE, NPROF_TRACK_CORE) != NULL;
  if (l && l->origin)
    return NP_KIN_DERIVED + FIXED;
  if (device && (t->kind == NPROF_TRACK_THREAD || t->kind == NPROF_TRACK_DERIVED)
      && is_around (np_track_title (ask, t)))
    return NP_KIN_NOTE + FIXED;
  if (t->kind == NPROF_TRACK_ASYNC)
    return NP_KIN_BESIDE + (device ? 0 : FIXED);
  if (t->kind == NPROF_TRACK_DERIVED)
    return NP_KIN_DERIVED + (device ? 0 : FIXED);
  if (!device)
    return NP_KIN_HOST + FIXED;
  return t->kind == NPROF_TRACK_THREAD || t->kind == NPROF_TRACK_COUNTER ? NP_KIN_NOTE
                                                                         : NP_KIN_DEVICE;
}

guint
np_class_of_track (NpKins *k, guint32 track)
{
  const struct nprof_store_track *t = nprof_store_track_at (k->ask->store, track);
  if (!t)
    return NP_KIN_NOTE + FIXED;
  if (!k->track[track])
    k->track[track] = (guint8) (1 + look_at_track (k->ask, t));
  return k->track[track] - 1u;
}

gboolean
np_track_works (NpKins *k, guint32 track)
{
  guint class = np_class_of_track (k, track);
  return class == NP_KIN_DEVICE || class == NP_KIN_BESIDE;
}

gboolean
np_track_is_around (NpKins *k, guint32 track)
{
  guint kin = np_class_of_track (k, track) % FIXED;
  return kin == NP_KIN_NOTE || kin == NP_KIN_DERIVED;
}

/* -- Labels -------------------------------------------------------------------------------- */

Meaning
np_label_meaning (NpAsk *ask, guint32 label, MeaningPlace place)
{
  const char *stated = np_label_stated (ask, label, NP_STATED_WORK);
  const Meaning means = stated ? meaning_of_word (stated) : MEANS_NOTHING;
  return means ? means
               : meaning_of (place, np_label_category (ask, label), np_label_name (ask, label));
}

static Told
look_at_label (NpAsk *ask, guint32 label)
{
  static const Told told[N_MEANINGS] = {
    [MEANS_NOTHING] = NOTHING, [MEANS_COMPUTE] = WORK,   [MEANS_COMMUNICATION] = WORK,
    [MEANS_COPY] = WORK,       [MEANS_TRANSFER] = WORK,  [MEANS_INFEED] = WORK,
    [MEANS_CONTROL] = WORK,    [MEANS_SETUP] = WORK,     [MEANS_WAIT] = NOTE,
    [MEANS_STEP] = NEVER,      [MEANS_PROGRAM] = NOTE,   [MEANS_AROUND] = NOTHING,
    [MEANS_NOTE] = NOTE,       [MEANS_UNKNOWN] = UNSURE, [MEANS_UNALIGNED] = UNSURE,
  };
  return strcmp (np_label_category (ask, label), PYTORCH_TRACE)
             ? told[np_label_meaning (ask, label, ON_DEVICE)]
             : NEVER;
}

static Told
seen_label (NpKins *k, guint32 label)
{
  if (!nprof_store_label_at (k->ask->store, label))
    return NOTHING;
  if (k->label[label] == UNSEEN)
    k->label[label] = look_at_label (k->ask, label);
  return k->label[label];
}

gboolean
np_label_is_no_work (NpKins *k, guint32 label)
{
  Told told = seen_label (k, label);
  return told != NOTHING && told != WORK;
}

NpKin
np_kin_of (NpKins *k, guint32 track, guint32 label)
{
  guint class = np_class_of_track (k, track);
  Told told = seen_label (k, label);
  if (told == NEVER)
    return NP_KIN_NOTE;
  if (class >= FIXED || told == NOTHING || (told == WORK && class == NP_KIN_BESIDE))
    return (NpKin) (class % FIXED);
  return told == WORK ? NP_KIN_DEVICE : told == NOTE ? NP_KIN_NOTE : NP_KIN_UNSURE;
}
