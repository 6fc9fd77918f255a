/* SPDX-License-Identifier: Apache-2.0 */
/* say-meaning.c - the rule of meaning.h as decoders follow it. */
#include "producers/say-meaning.h"

#include "producers/meaning.h"

#include <nprof/draft/meaning.h>
#include <nprof/sdk.h>

const struct nprof_attribute meaning_attribute
    = { .size = sizeof meaning_attribute,
        .type = NPROF_STRING,
        .key = NPROF_KEY_WORK,
        .unit = "",
        .help = "what the row means: nprof-semantics(7)" };

static uint32_t
place_of (const struct nprof_host *host, nprof_track track)
{
  const struct nprof_track_info *info = host->track_info (host, track), *at = info;
  while (at && at->kind != NPROF_TRACK_DEVICE && at->kind != NPROF_TRACK_CORE)
    at = at->parent ? host->track_info (host, at->parent) : NULL;
  return meaning_place (at != NULL, info->kind, nprof_text (host, nprof_track_label (info)));
}

static const char *
work_of (uint32_t place, const char *category, const char *name)
{
  return meaning_word (meaning_of ((MeaningPlace) place, category, name));
}

nprof_status
meaning_say (const struct nprof_host *host)
{
  static const struct nprof_meaning_rule rule
      = { .size = sizeof rule, .place = place_of, .work = work_of };
  const struct nprof_meaning *meaning = host->extension (host, NPROF_MEANING);
  return meaning ? meaning->follow (host, &rule) : NPROF_OK;
}
