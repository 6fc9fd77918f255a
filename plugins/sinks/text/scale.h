/* SPDX-License-Identifier: Apache-2.0 */
/* scale.h - numbers for people: one unit for a column, thousands separated, and a number
 * that is not zero never printed as zero.  Knows nothing of nprof. */
#pragma once

#include <glib.h>

typedef struct {
  const char *suffix; /* "ms"; "" for none                          */
  gint64 factor;      /* of the unit that values come in; 0: percent */
  guint decimals;
  gboolean grouped; /* 1,234                                      */
} Scale;

/* Returns the scale for values in `unit` ("ps", "ns", "byte", "byte/s", "flop", "flop/s", "Hz", "1"
 * for ratios, "" for counts) whose median is `middle`; other units are kept. */
Scale scale_choose (const char *unit, double middle);

/* Returns "1,234.500 ms"; values that round to nothing are "<0.001 ms".  Sets *rounded when digits
 * were lost.  Transfer full. */
char *scale_int (const Scale *scale, gboolean negative, guint64 magnitude, gboolean *rounded);
char *scale_double (const Scale *scale, double value, gboolean *rounded);

/* Returns "2025-01-31T12:00:00.500Z" for Unix time in ns, whole seconds without fraction, others
 * rounded down; transfer full. */
char *scale_date (gint64 unix_ns, gboolean *rounded);
