/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/draft/answers.h - tells analyzers where answers lie.
 *
 * A draft: it may change or go in every release. */
#ifndef NPROF_DRAFT_ANSWERS_H
#define NPROF_DRAFT_ANSWERS_H

#include <nprof/plugin.h>

/* Analyzers: the folders of answers, SUBJECT/NAME.sql below each. */
#define NPROF_ANSWERS "draft.answers"
struct nprof_answers {
  uint32_t size, reserved;
  /* The k-th of them: nprof's own, those of plugins, those of a team; NULL beyond the last.
   * *prefix: what the names of its answers begin with.  Valid for the run.  [instance] */
  const char *(*folder) (const struct nprof_host *host, uint32_t k, const char **prefix);
};

#endif
