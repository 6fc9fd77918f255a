/* SPDX-License-Identifier: Apache-2.0 */
/* verify.h - counts how many values of which field were written to which measurement: the server
 * must have them in the end. */
#pragma once

#include "server.h"

struct counts_field {
  char *measurement, *name;
  guint64 sent, found;
};

struct counts {
  GArray *fields; /* of struct counts_field; those of a measurement lie together */
  guint64 points; /* of all, given to bodies so far                              */
};

void counts_init (struct counts *counts);
void counts_clear (struct counts *counts);
/* Returns the number of a field of a measurement. */
guint counts_field (struct counts *counts, const char *measurement, const char *name);
static inline void
counts_add (struct counts *counts, guint field)
{
  g_array_index (counts->fields, struct counts_field, field).sent++;
}
/* Takes what the server says; names that were never written are skipped. */
void counts_found (const char *measurement, const char *field, guint64 found, gpointer counts);
/* Returns NULL when each field has what was sent, else which one has not: transfer full. */
char *counts_differ (const struct counts *counts);
/* Returns whether the server has what was sent; FALSE: its error says what is missing. */
gboolean counts_verify (struct counts *counts, struct server *server);
