/* SPDX-License-Identifier: Apache-2.0 */
/* page-watch.h - gives the pages of a mapped file back where a decoder reads far without saying
 * so. */
#pragma once

#include "input/page-release.h"

#define NP_PAGE_WATCH_BYTES (128u << 20) /* that may come into memory unsaid */

typedef struct NpPageWatch NpPageWatch;

/* Watches a mapped file until it is freed; NULL: it is too small to matter, or there is no
 * thread. */
NpPageWatch *np_page_watch_new (NpPageRelease *pages);
void np_page_watch_free (NpPageWatch *watch);
