/* SPDX-License-Identifier: Apache-2.0 */
/* demand-value.h - a short name of a demand of nprof gate, as an analyzer says it in NAME.plugin:
 *
 *   value.idle.host=step_breakdown;idle_host_ns/window_ns;mean;or_span;doubt=idle_unlinked_ns
 *
 * A table; COLUMN, A-B-C or A+B+C, each also / OVER or / OVER+PLUS; then words and KEY=GLOB. */
#pragma once

#include <glib.h>

typedef struct {
  char *name, *table, *column;
  char *over;   /* the value is (column + sign * others) / (over + plus); or NULL */
  char *plus;   /* or NULL                                                        */
  char **others; /* or NULL: there are none                                       */
  char *doubt; /* a column that is a part of the value, or none of it; or NULL   */
  int sign;
  gboolean mean, or_span, left, between, of_periods, of_devices, of_use, of_words; /* NpGateExpr */
  char *of_key, *of_glob; /* rows whose key is like that; or NULL */
} NpDemandValue;

/* Returns NULL where it has another shape, which `why` says (transfer full). */
NpDemandValue *np_demand_value_read (const char *name, const char *const *parts, char **why);
void np_demand_value_free (NpDemandValue *value);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpDemandValue, np_demand_value_free)
