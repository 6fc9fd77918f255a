/* SPDX-License-Identifier: Apache-2.0 */
/* rules.c - the rules of nprof check in the order in which they are exercised, what mends
 * each, and how a rule says what it found. */

#include <stdarg.h>
#include <string.h>

#include "check.h"

#define D (1u << NPROF_DECODER)
#define A (1u << NPROF_ANALYZER)
#define S (1u << NPROF_SINK)
#define ALL (D | A | S)
#define PLUGIN (1u << NP_CHECK_PLUGIN)

/* clang-format off */
const NpCheckRule np_check_rules[] = {
  { "load", PLUGIN, np_check_load, "see nprof-plugin(3): one symbol, linked with nothing of nprof" },
  { "entry", PLUGIN, np_check_entry,
    "nprof_plugin_v1() returns constant data and does nothing else" },
  { "declaration", ALL, np_check_declaration, "mend what the component declares" },
  { "names", ALL, np_check_names, "call it vendor.name, with a vendor that nobody else has" },
  { "rows", ALL, np_check_rows, "mend what was found: nprof/plugin.h says what a row and a cell may hold" },
  { "growth", A | S, np_check_growth,
    "keep sums in place of rows, or at most a few bytes a row" },
  { "options", ALL, np_check_options,
    "take every value that the declaration allows, or refuse it in open with NPROF_E_OPTION and a reason" },
  { "probe", D, np_check_probe, "probe is pure, quick, and looks at no more than len bytes" },
  { "empty", ALL, np_check_empty, "an input without bytes, a run without rows, are nothing special" },
  { "hostile", D, np_check_hostile,
    "check every length before it is used; fail with the byte and the reason" },
  { "truncated", D, np_check_truncated,
    "check every length before it is used; fail with the byte and the reason" },
  { "variations", ALL, np_check_variations,
    "nothing may depend on where a batch ends, on the order of parts, or on what is wanted" },
  { "merge", A, np_check_merge,
    "a state is canonical, merge is associative and free of order, and every length in it is checked" },
  { "no-memory", ALL, np_check_no_memory,
    "look at what each call returns; clean up and return that status" },
  { "allocation", ALL, np_check_allocation,
    "look at what malloc returns; clean up and return NPROF_E_NOMEM, or do without and lose nothing" },
  { "cancel", D | A, np_check_cancel, "return what flush and progress return, at once" },
  { "full-disk", S, np_check_full_disk, "return what write and close return" },
  { "process", ALL, np_check_process,
    "leave signals, locale, rounding, limits, folder, environment and descriptors of others as they "
    "are; end what was started in close" },
  { "silence", ALL, np_check_silence, "say things with host->log" },
  { "leaks", ALL, np_check_leaks, "free and close in close() what was allocated and opened" },
  { NULL },
};
/* clang-format on */

/* Returns whether the rule `rows` has found that, perhaps under other circumstances. */
static gboolean
is_known (const NpCheck *check, const char *line)
{
  g_auto (GStrv) known = g_strsplit (check->known ? check->known : "", "\n", -1);
  for (guint i = 0; known[i]; i++)
    if (g_str_has_suffix (line, known[i]))
      return TRUE;
  return FALSE;
}

static void
add_line (NpCheck *check, const char *line)
{
  NpCheckReport *report = check->report;
  if (is_known (check, line)) {
    report->repeats = TRUE;
    return;
  }
  const char *between = report->n_text ? "\n" : "";
  gsize room = sizeof report->text - report->n_text;
  int n = g_snprintf (report->text + report->n_text, room, "%s%s", between, line);
  report->n_text += (guint) MIN ((gsize) n, room - 1);
}

void
np_check_found (NpCheck *check, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i]; i++)
    add_line (check, lines[i]);
}

void
np_check_take (NpCheck *check, char *problem)
{
  if (problem)
    np_check_found (check, "%s", problem);
  g_free (problem);
}

void
np_check_untried (NpCheck *check, const char *why)
{
  if (check->report->n_text)
    return; /* something was found */
  check->report->untried = TRUE;
  add_line (check, why);
}

void
np_check_step (NpCheck *check, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_vsnprintf (check->report->step, sizeof check->report->step, format, args);
  va_end (args);
}
