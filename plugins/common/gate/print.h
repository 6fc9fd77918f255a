/* SPDX-License-Identifier: Apache-2.0 */
/* print.h - verdicts of a gate for people and for CI servers. */
#pragma once

#include "gate/judge.h"

/* `format` is "text", "markdown", "junit" or "json".  Transfer full. */
GString *np_gate_print (GPtrArray *verdicts, const char *format, const char *input);
