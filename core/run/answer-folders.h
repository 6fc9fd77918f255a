/* SPDX-License-Identifier: Apache-2.0 */
/* answer-folders.h - where answers lie. */
#pragma once

#include <glib.h>

/* Returns their folders, nprof's own first, transfer full; data_folder: that of nprof, or NULL. */
GPtrArray *np_answer_folders (const char *data_folder);
