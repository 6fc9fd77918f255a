/* SPDX-License-Identifier: Apache-2.0 */
/* ascend-world.h - how many ranks a job of Ascend has: the group of all of them, which torch_npu and
 * MindSpore list with the others.  names: torch_npu, mindspore.profiler */
#ifndef PRODUCERS_ASCEND_WORLD_H
#define PRODUCERS_ASCEND_WORLD_H

#include <nprof/plugin.h>

/* Says how many as property world_size, where `groups` has the group: parallel_group_info, or an
 * object with it, which may be cut off behind. */
nprof_status ascend_world_say (const struct nprof_host *host, const char *groups, size_t len);

/* Says that there are so many or more, as property world_least. */
nprof_status ascend_world_least (const struct nprof_host *host, int64_t ranks);

#endif
