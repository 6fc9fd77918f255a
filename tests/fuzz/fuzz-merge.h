/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz-merge.h - what the samples of states share with the target that reads them. */
#pragma once

#include "testhost.h"

/* The analyzer that this is built with, opened; variant: of the rows that nprof_test_feed gives.
 * Transfer full. */
NprofTestRun *merge_opened (guint variant);
