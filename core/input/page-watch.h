/* SPDX-License-Identifier: Apache-2.0 */
/* page-watch.h - gives the pages of a mapped file back where a decoder reads far without saying
 * so. */
#pragma once

#include "input/page-release.h"

/* Bytes that may come into memory unsaid.  A database is walked from end to end for each of its
 * tables, and a page that was given back costs the system a fault each time that it is read. */
#define NP_PAGE_WATCH_BYTES (512u << 20)

typedef struct NpPageWatch NpPageWatch;

/* Watches a mapped file until it is freed, and gives its pages back when more than `bytes` of
 * mapped files are in memory; NULL: it is smaller than that, or there is no thread. */
NpPageWatch *np_page_watch_new (NpPageRelease *pages, guint64 bytes);
void np_page_watch_free (NpPageWatch *watch);
