/* SPDX-License-Identifier: Apache-2.0 */
/* report-findings.c - prints what stands out in a profile.  The rules are those of the page of nprof
 * view, which looks at a stored profile: what is no such is stored for as long as this takes. */
#include "cli/report-findings.h"

#include "cli/default-analyzers.h"
#include "cli/own-store.h"
#include "view/findings.h"

#include <nprof/units.h>

#define COLUMNS 80
#define BEFORE 15 /* columns before the text: "  1,234.567 ms  " */

/* Prints the text in lines of words, all but the first with blanks before it. */
static void
print_wrapped (const char *text)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  glong at = BEFORE;
  for (char **word = words; *word; word++) {
    const glong width = g_utf8_strlen (*word, -1);
    const gboolean first = word == words, breaks = !first && at + 1 + width > COLUMNS;
    g_print ("%s%s", breaks ? "\n               " : first ? "" : " ", *word);
    at = (breaks ? BEFORE : first ? at : at + 1) + width;
  }
  g_print ("\n");
}

static void
print_line (const char *before, const char *text)
{
  g_autofree char *safe = np_printable (text, -1);
  g_print ("%*s  ", BEFORE - 2, before);
  print_wrapped (safe);
}

static void
print_finding (const NpFinding *f)
{
  g_autofree char *time
      = f->at_stake < 0 ? g_strdup ("unknown") : g_strdup (nprof_time ((double) f->at_stake).text);
  g_autofree char *more
      = f->more ? g_strdup_printf (", and %" G_GUINT64_FORMAT " more", f->more) : g_strdup ("");
  g_autofree char *table = *f->table ? g_strconcat ("  --only ", f->table, NULL) : g_strdup ("");
  g_autofree char *rule = g_strconcat (f->rule, ": ", f->threshold, more, table, NULL);
  print_line (time, f->text);
  if (f->detail)
    print_line ("", f->detail);
  print_line ("", rule);
}

static void
print_all (const GPtrArray *findings)
{
  g_print (findings->len ? "Findings, most time at stake first\n"
                         : "No finding: nothing that is known breaks a rule\n");
  for (guint i = 0; i < findings->len; i++)
    print_finding (g_ptr_array_index (findings, i));
}

int
np_report_findings (NpCliOptions *o)
{
  g_auto (NpOwnStore) store = { 0 };
  g_autoptr (GError) error = NULL;
  int status = NP_EXIT_OK;
  if (!np_own_store_find (&store, o)) {
    np_add_default_analyzers (o->config, np_cli_modules (o), NULL);
    if (!np_own_store_read (&store, o, &status))
      return status;
  }
  g_autoptr (GPtrArray) findings
      = np_findings_of_profile (store.folder, store.id, np_cli_selects (o), &error);
  if (!findings) {
    np_cli_tell_error (error, "report");
    return error->code;
  }
  print_all (findings);
  return status;
}
