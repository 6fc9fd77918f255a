/* SPDX-License-Identifier: Apache-2.0 */
/* print.h - an answer for people. */
#pragma once

#include <glib.h>

/* Prints its sentence, its values, its lists as tables; of an error what was `given` before it. */
void np_ask_print (const char *json, const char *given);
