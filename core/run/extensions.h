/* SPDX-License-Identifier: Apache-2.0 */
/* extensions.h - the functions beyond the contract that this nprof has (nprof/draft). */
#pragma once

/* Returns NULL when there is none of that name. */
const void *np_extension (const char *id);
