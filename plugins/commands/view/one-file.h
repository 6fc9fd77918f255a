/* SPDX-License-Identifier: Apache-2.0 */
/* one-file.h - the page of a profile as one HTML file that needs no server: it has with it what the
 * page asks as it is opened, pictures of the run, and what can be told of rows where that fits. */
#pragma once

#include "view.h"

#include <nprof/format.h>

/* Makes it.  FALSE: the error says why not. */
gboolean np_one_file (NpView *view, const char *id, struct nprof_buf *out, GError **error);
