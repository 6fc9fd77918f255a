/* SPDX-License-Identifier: Apache-2.0 */
/* say-meaning.h - lets a decoder say what its rows mean by the words of their producers
 * (meaning.h). */
#ifndef PRODUCERS_SAY_MEANING_H
#define PRODUCERS_SAY_MEANING_H

#include <nprof/keys.h>
#include <nprof/plugin.h>

/* Such a decoder declares this: NPROF_KEY_WORK. */
extern const struct nprof_attribute meaning_attribute;

/* From open. */
nprof_status meaning_say (const struct nprof_host *host);

#endif
