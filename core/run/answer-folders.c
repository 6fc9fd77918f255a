/* SPDX-License-Identifier: Apache-2.0 */
/* answer-folders.c - finds the folders of answers. */
#include "run/answer-folders.h"

GPtrArray *
np_answer_folders (const char *data_folder)
{
  GPtrArray *folders = g_ptr_array_new_with_free_func (g_free);
  if (data_folder)
    g_ptr_array_add (folders, g_build_filename (data_folder, "answers", NULL));
  return folders;
}
