/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/draft/meaning.h - what rows mean, of formats that say it by the words of their producers
 * alone.
 *
 * A draft: it may change or go in every release. */
#ifndef NPROF_DRAFT_MEANING_H
#define NPROF_DRAFT_MEANING_H

#include <nprof/plugin.h>

/* Decoders: a rule, instead of NPROF_KEY_WORK row by row, for spans whose track, category and name
 * tell it.  The core asks the rule once for what differs, and gives the rows the attribute before
 * they are handed on; a row that has the key keeps its own. */
#define NPROF_MEANING "draft.meaning"
struct nprof_meaning_rule {
  uint32_t size, reserved;
  uint32_t (*place) (const struct nprof_host *host,
                     nprof_track track); /* what of a track counts: 0 to 15 [any-thread] */
  /* Returns a value of NPROF_KEY_WORK, static; NULL: none.  [any-thread] */
  const char *(*work) (uint32_t place, const char *category, const char *name);
};
struct nprof_meaning {
  uint32_t size, reserved;
  /* Once, before the first row, of a decoder that declares NPROF_KEY_WORK; `rule` is valid for the
   * run.  [instance] */
  nprof_status (*follow) (const struct nprof_host *host, const struct nprof_meaning_rule *rule);
};

#endif
