/* SPDX-License-Identifier: Apache-2.0 */
/* deflate.h - gzip for answers. */
#pragma once

#include <glib.h>
#include <nprof/format.h>

/* Replaces the bytes by their gzip, quickly rather than well; FALSE: they are as they were. */
gboolean np_gzip (struct nprof_buf *buf);
