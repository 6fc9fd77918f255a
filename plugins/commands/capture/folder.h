/* SPDX-License-Identifier: Apache-2.0 */
/* folder.h - where others write what is captured: a folder of our own, from which whole files go to
 * their place. What is not delivered is removed with it. */
#pragma once

#include <glib.h>

typedef struct {
  char *path; /* absolute */
} NpCaptureFolder;

/* Makes it in the folder `beside`; NULL: NP_EXIT_SINK. */
NpCaptureFolder *np_capture_folder_new (const char *beside, GError **error);
/* Removes it and all that lies in it. */
void np_capture_folder_free (NpCaptureFolder *folder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpCaptureFolder, np_capture_folder_free)
