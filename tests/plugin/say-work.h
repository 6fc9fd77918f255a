/* SPDX-License-Identifier: Apache-2.0 */
/* say-work.h - lets rows of tests say what they mean, by the rule that decoders follow. */
#ifndef SAY_WORK_H
#define SAY_WORK_H

#include "producers/meaning.h"

#include <nprof/keys.h>
#include <nprof/sdk.h>

/* Gives it to the last row, whose category is set. */
static inline void
say_work (const struct nprof_host *h, struct nprof_writer *w)
{
  const uint32_t i = w->n_rows - 1;
  const struct nprof_track_info *info = h->track_info (h, w->track[i]), *at = info;
  while (at && at->kind != NPROF_TRACK_DEVICE && at->kind != NPROF_TRACK_CORE)
    at = at->parent ? h->track_info (h, at->parent) : NULL;
  const MeaningPlace place
      = meaning_place (at != NULL, info->kind, nprof_text (h, nprof_track_label (info)));
  const char *word = meaning_word (
      meaning_of (place, nprof_text (h, w->category[i]), nprof_text (h, w->name[i])));
  if (word)
    nprof_attr_str (w, nprof_intern (h, NPROF_KEY_WORK), nprof_intern (h, word));
}

#endif
