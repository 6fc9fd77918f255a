/* SPDX-License-Identifier: Apache-2.0 */
/* clock-file.c - reads table clocks: by how much the clock of a host, or of a rank, is ahead of the
 * first one. */

#include "clock-file.h"

#include <errno.h>
#include <math.h>
#include <nprof/csv.h>
#include <string.h>

enum { CLOCK, OFFSET, AT, DRIFT, COLUMNS };
static const char *const names[COLUMNS] = { "clock", "offset_ns", "at_unix_ns", "drift_ppm" };

typedef struct {
  const char *path;
  GHashTable *clocks;
  guint line;          /* from 1, with that of the names */
  gint place[COLUMNS]; /* which field it is; -1: none    */
  char *cell[COLUMNS]; /* of the line; NULL: none        */
  GError *error;
} Reader;

static void
wrong (Reader *r, const char *column, const char *found, const char *expected)
{
  if (!r->error)
    r->error = g_error_new (NP_ERROR, NP_EXIT_INPUT,
                            "%s: line %u: column %s is \"%s\", expected %s: name the clocks.csv of "
                            "nprof reduce -s csv",
                            r->path, r->line, column, found ? found : "", expected);
}

static double
get_double (Reader *r, guint which)
{
  char *end;
  errno = 0;
  double value = g_ascii_strtod (r->cell[which], &end);
  if (end == r->cell[which] || *end || errno || !isfinite (value))
    wrong (r, names[which], r->cell[which], "a number");
  return value;
}

static gboolean
has_cell (const Reader *r, guint which)
{
  return r->cell[which] && *r->cell[which];
}

/* A clock that no collective ties to others has no offset. */
static void
take_clock (Reader *r)
{
  NpClock clock = { .known = has_cell (r, OFFSET) };
  if (!has_cell (r, CLOCK))
    wrong (r, names[CLOCK], NULL, "a name");
  if (clock.known) {
    clock.offset = get_double (r, OFFSET) * 1000;
    if (!has_cell (r, AT)
        || !g_ascii_string_to_signed (r->cell[AT], 10, G_MININT64, G_MAXINT64, &clock.at_unix_ns,
                                      NULL))
      wrong (r, names[AT], r->cell[AT], "a Unix time in ns");
    clock.drift = has_cell (r, DRIFT) ? get_double (r, DRIFT) * 1e-6 : 0;
    if (fabs (clock.offset) > 9e18 || fabs (clock.drift) > 0.01)
      wrong (r, names[OFFSET], r->cell[OFFSET], "less than 106 days, and a drift below 1 %");
  }
  if (!r->error
      && !g_hash_table_insert (r->clocks, g_strdup (r->cell[CLOCK]),
                               g_memdup2 (&clock, sizeof clock)))
    wrong (r, names[CLOCK], r->cell[CLOCK], "each clock once");
}

static void
take_names (Reader *r, const struct nprof_csv *record)
{
  for (guint i = 0; i < COLUMNS; i++) {
    r->place[i] = nprof_csv_find (record, names[i]);
    if (r->place[i] < 0)
      wrong (r, names[i], NULL, "a column of that name");
  }
}

static void
take_record (Reader *r, const struct nprof_csv *record)
{
  for (guint i = 0; i < COLUMNS; i++) {
    if ((guint) r->place[i] >= record->n)
      continue;
    const struct nprof_csv_field *field = &record->field[r->place[i]];
    r->cell[i] = g_malloc0 (field->len + 1);
    nprof_csv_plain (field, r->cell[i]);
  }
  take_clock (r);
  for (guint i = 0; i < COLUMNS; i++)
    g_clear_pointer (&r->cell[i], g_free);
}

static gboolean
parse (Reader *r, const char *text, gsize len)
{
  struct nprof_csv record;
  guint records = 0;
  for (const char *at = text, *end = text + len; at < end && !r->error; r->line += record.lines) {
    at = nprof_csv_record (&record, at, end);
    if (record.why)
      wrong (r, names[CLOCK], record.why, "CSV");
    else if (nprof_csv_is_blank (&record))
      continue;
    else if (records++)
      take_record (r, &record);
    else
      take_names (r, &record);
  }
  if (!r->error && records < 2)
    wrong (r, names[CLOCK], NULL, "a line for each clock");
  return !r->error;
}

GHashTable *
np_clock_file_read (const char *path, GError **error)
{
  g_autoptr (GHashTable) clocks = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GError) cause = NULL;
  g_autofree char *text = NULL;
  gsize len;
  Reader r = { .path = path, .clocks = clocks, .line = 1 };
  if (!g_file_get_contents (path, &text, &len, &cause)) {
    np_error_set (error, NP_EXIT_INPUT, "%s", cause->message);
    return NULL;
  }
  if (parse (&r, text, len))
    return g_steal_pointer (&clocks);
  g_propagate_error (error, r.error);
  return NULL;
}
