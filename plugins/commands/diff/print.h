/* SPDX-License-Identifier: Apache-2.0 */
/* print.h - a comparison as text for people, as Markdown, and as JSON. */
#pragma once

#include "diff/report.h"

GString *np_diff_text (const NpDiffReport *report, gboolean markdown);
GString *np_diff_json (const NpDiffReport *report);
