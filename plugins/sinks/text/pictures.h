/* SPDX-License-Identifier: Apache-2.0 */
/* pictures.h - pictures of a page for a browser, as SVG within it. */
#pragma once

#include "answers.h"

/* Adds a bar for the mean step of each device; nothing where the parts of none are known. */
void pictures_steps (GString *out, const Answers *answers);
