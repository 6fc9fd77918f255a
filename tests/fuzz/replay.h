/* SPDX-License-Identifier: Apache-2.0 */
/* replay.h - what replay.c asks of the samples of a format. */
#pragma once

#include <glib.h>
#include <string.h>

/* A sample whole, transfer full; NULL beyond the last. */
GByteArray *replay_sample (guint number);
/* These texts mean something to the format: half of all changes insert one of them. */
extern const char replay_likely[];

/* For formats whose samples are texts. */
static inline GByteArray *
replay_text (const char *const *texts, guint n, guint number)
{
  if (number >= n)
    return NULL;
  return g_byte_array_append (g_byte_array_new (), (const guint8 *) texts[number],
                              (guint) strlen (texts[number]));
}
