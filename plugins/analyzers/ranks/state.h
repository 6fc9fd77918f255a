/* SPDX-License-Identifier: Apache-2.0 */
/* state.h - what save.c and merge.c say alike of ranks of a job as bytes: integers of seven bits a
 * byte, texts once, everything in an order of its own and numbered by it. Equal content gives equal
 * bytes. */
#ifndef RANKS_STATE_H
#define RANKS_STATE_H

#include "devicekit/packed-numbers.h"
#include "ranks.h"

#define MAGIC "nprof ranks 2\n"

/* Words of keys that are texts. */
#define GROUP_TEXTS (1u << G_COMMUNICATOR | 1u << G_NAME | 1u << G_LABEL | 1u << G_MEMBERS)
#define SIGNATURE_TEXTS (1u << S_NAME | 1u << S_DTYPE)
#define OPERATOR_TEXTS 3u
#define RANK_TEXTS 7u

#endif
