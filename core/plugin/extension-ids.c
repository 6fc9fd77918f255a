/* SPDX-License-Identifier: Apache-2.0 */
/* extension-ids.c - the ids of nprof/draft. */

#include "plugin/extension-ids.h"

#include <nprof/draft/answers.h>
#include <nprof/draft/clip.h>
#include <nprof/draft/devices.h>
#include <nprof/draft/digest.h>
#include <nprof/draft/input-file.h>
#include <nprof/draft/meaning.h>
#include <nprof/draft/notes.h>
#include <nprof/draft/origins.h>
#include <nprof/draft/page.h>
#include <nprof/draft/sibling-head.h>
#include <nprof/draft/temp-file.h>

gboolean
np_extension_known (const char *id)
{
  static const char *const ids[]
      = { NPROF_ANSWERS,    NPROF_CLIP,         NPROF_DEVICES,   NPROF_DIGEST,
          NPROF_INPUT_FILE, NPROF_MEANING,      NPROF_NOTES,     NPROF_ORIGINS,
          NPROF_PAGE,       NPROF_SIBLING_HEAD, NPROF_TEMP_FILE, NULL };
  return g_strv_contains (ids, id);
}
