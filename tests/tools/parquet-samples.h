/* SPDX-License-Identifier: Apache-2.0 */
/* parquet-samples.h - Parquet files as the sink writes them, for tests of what reads them. */
#pragma once

#include <glib.h>

/* events.parquet with n_rows of all sorts, by the sink in the module `sink`; transfer full. */
GBytes *parquet_sample (const char *sink, const char *options, guint n_rows);
