/* SPDX-License-Identifier: Apache-2.0 */
/* findings.c - prints what stands out in a profile, as the page of nprof view tells it of a
 * stored one: what is no such is stored for as long as this takes. */
#include "findings.h"

#include "console/collect-tables.h"
#include "console/default-analyzers.h"
#include "stored/own-store.h"
#include "stored/findings.h"

#include <nprof/store-reader.h>
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
  const guint devices = np_finding_devices (f);
  g_autofree char *more
      = devices > 1 && devices == f->more + 1 ? g_strdup_printf (", on %u devices", devices)
        : f->more ? g_strdup_printf (", and %" G_GUINT64_FORMAT " more", f->more)
                  : g_strdup ("");
  g_autofree char *table = *f->table ? g_strconcat ("  --only ", f->table, NULL) : g_strdup ("");
  g_autofree char *rule = g_strconcat (f->rule, ": ", f->threshold, more, table, NULL);
  print_line (time, f->text);
  if (f->advice)
    print_line ("try", f->advice);
  if (f->gain)
    print_line ("gain", f->gain);
  if (f->detail)
    print_line ("", f->detail);
  print_line ("", rule);
}

static void
print_all (const GPtrArray *findings)
{
  g_print (findings->len ? "Findings: what can be gained or waits for ranks, then most time at stake\n"
                         : "No finding: nothing that is known breaks a rule\n");
  for (guint i = 0; i < findings->len; i++)
    print_finding (g_ptr_array_index (findings, i));
}

/* Returns whether the profile was stored with what stands out in it. */
static gboolean
is_told (const NpOwnStore *own)
{
  char why[700];
  g_autofree char *path = g_build_filename (own->folder, own->id, NULL);
  struct nprof_store *store = nprof_store_open (path, why, sizeof why);
  gboolean told = store && nprof_store_find_table (store, "findings") != UINT32_MAX;
  if (store)
    nprof_store_close (store);
  return told;
}

/* Reads the inputs, unless they are a profile that was stored with its findings. */
static gboolean
find_store (NpOwnStore *store, NpCliOptions *o, int *status)
{
  if (np_own_store_find (store, o) && is_told (store))
    return TRUE;
  np_own_store_clear (store);
  np_add_default_analyzers (o->config, np_cli_modules (o), NULL);
  np_cli_want_table (o, "findings");
  o->config->team_answers = TRUE;
  return np_own_store_read (store, o, status);
}

int
np_report_findings (NpCliOptions *o)
{
  g_auto (NpOwnStore) store = { 0 };
  g_autoptr (GError) error = NULL;
  int status = NP_EXIT_OK;
  if (!np_has_analyzer (np_cli_modules (o), "answers")) {
    np_cli_tell ("--findings needs the analyzer answers, which is not installed: build nprof with "
                 "SQLite (package libsqlite3-dev)",
                 "report");
    return NP_EXIT_PLUGIN;
  }
  if (!find_store (&store, o, &status))
    return status;
  g_autoptr (GPtrArray) findings
      = np_findings_of_profile (store.folder, store.id, np_cli_selects (o), &error);
  if (!findings) {
    np_cli_tell_error (error, "report");
    return error->code;
  }
  print_all (findings);
  return status;
}
