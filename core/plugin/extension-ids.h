/* SPDX-License-Identifier: Apache-2.0 */
/* extension-ids.h - which extensions this nprof has: EACH (id, what run/extensions.c calls it). */
#pragma once

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

/* clang-format off */ /* a table */
#define NP_EXTENSIONS(EACH)                                                                        \
  EACH (NPROF_ANSWERS, answers)                                                                    \
  EACH (NPROF_CLIP, clip)                                                                          \
  EACH (NPROF_DEVICES, devices)                                                                    \
  EACH (NPROF_DIGEST, digest)                                                                      \
  EACH (NPROF_INPUT_FILE, input_file)                                                              \
  EACH (NPROF_MEANING, meaning)                                                                    \
  EACH (NPROF_NOTES, notes)                                                                        \
  EACH (NPROF_ORIGINS, origins)                                                                    \
  EACH (NPROF_PAGE, page)                                                                          \
  EACH (NPROF_SIBLING_HEAD, sibling_head)                                                          \
  EACH (NPROF_TEMP_FILE, temp_files)
/* clang-format on */
