/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/draft/page.h - what NAME.plugin of all plugins say of a page for people.
 *
 * A draft: it may change or go in every release. */
#ifndef NPROF_DRAFT_PAGE_H
#define NPROF_DRAFT_PAGE_H

#include <nprof/plugin.h>

/* Sinks: which parts of tables a page shows, and of which tables its pictures are drawn. */
#define NPROF_PAGE "draft.page"
struct nprof_page {
  uint32_t size, reserved;
  /* The value of a key of the k-th [view TABLE], in the order of the page; of "table" the TABLE,
   * which is NULL beyond the last.  NULL: it does not say.  Valid for the run.  [instance] */
  const char *(*view) (const struct nprof_host *host, uint32_t k, const char *key);
  /* The tables of picture.NAME, ends in NULL; NULL: nobody says.  Valid for the run.  [instance] */
  const char *const *(*picture) (const struct nprof_host *host, const char *name);
};

#endif
