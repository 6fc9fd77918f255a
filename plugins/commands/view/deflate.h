/* SPDX-License-Identifier: Apache-2.0 */
/* deflate.h - gzip for answers. */
#pragma once

#include <glib.h>
#include <nprof/format.h>

/* What is sent once is compressed quickly, what is sent often, well. */
typedef enum { NP_GZIP_ONCE = 1, NP_GZIP_OFTEN = 9 } NpGzip;

/* Replaces the bytes by their gzip; FALSE: they are as they were. */
gboolean np_gzip (struct nprof_buf *buf, NpGzip effort);
