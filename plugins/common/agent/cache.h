/* SPDX-License-Identifier: Apache-2.0 */
/* cache.h - profiles that were read for agents: a folder each, by the bytes of their files. */
#pragma once

#include "agent/agent.h"

/* Returns the files of a profile: one, or those of a folder, each inside the roots; transfer full.
 * NULL: the call has the error. */
GPtrArray *np_cache_files (const NpRoots *roots, int fd, const char *real, NpCall *call);
/* Returns n_ and the first 12 hex digits of the SHA-256 of the file, or of the sorted ones of
 * several; transfer full.  NULL: the call has the error, or was cancelled. */
char *np_cache_id (const char *cache, const NpRoots *roots, const GPtrArray *paths, NpCall *call);
/* Makes the folder of a profile, for this process's user alone; transfer full.  NULL: the call has
 * the error. */
char *np_cache_make (const char *cache, const char *id, const char *real, NpCall *call);
/* Returns the folder of the store; transfer full.  NULL: this nprof has not read it yet. */
char *np_cache_store (const char *cache, const char *id);
/* Returns the path that it was read from; transfer full.  NULL: there is no such profile. */
char *np_cache_path (const char *cache, const char *id);
/* Marks it as used now. */
void np_cache_touch (const char *cache, const char *id);
/* Removes the least recently used while all take more than 2 GiB, but for `id`. */
void np_cache_trim (const char *cache, const char *id);
