/* SPDX-License-Identifier: Apache-2.0 */
/* fault.c - where a process ended: in which call, at which memory. */

#include "check.h"

#include "base/guard-pages.h"

char *
np_check_place (const NpCheckReport *report)
{
  const char *call = *report->call ? report->call : "nprof itself";
  return g_strdup_printf ("%s%s%s%s%s", report->depth > 0 ? "" : "what followed ", call,
                          *report->step ? " (" : "", report->step, *report->step ? ")" : "");
}

static char *
describe (const NpCheckLent *lent, guint64 fault, gboolean read)
{
  const char *kind = g_str_has_prefix (lent->what, "the ") ? "" : "column ";
  if (fault >= lent->from && fault < lent->from + lent->len && read)
    return g_strdup_printf ("it read %s%s after the call that had lent it", kind, lent->what);
  if (fault >= lent->from && fault < lent->from + lent->len)
    return g_strdup_printf ("it wrote to %s%s, which it may only read, or no longer touch", kind,
                            lent->what);
  return g_strdup_printf ("it went beyond the end of %s%s, which has %" G_GUINT64_FORMAT " bytes",
                          kind, lent->what, lent->len);
}

/* Returns whether the piece holds the address, or ends on the page before it. */
static gboolean
matches (const NpCheckLent *lent, guint64 fault)
{
  guint64 page = np_guard_page (), end = lent->from + lent->len;
  return fault >= lent->from && fault < (end + page - 1) / page * page + page;
}

char *
np_check_fault (const NpCheckReport *report)
{
  if (report->no_address)
    return g_strdup ("it used a pointer that is none");
  if (report->fault < np_guard_page ())
    return g_strdup ("it used a NULL pointer");
  guint n = MIN (report->n_lent, (guint) G_N_ELEMENTS (report->lent));
  for (guint i = 1; i <= n; i++) { /* the last ones first: memory is used again */
    const NpCheckLent *lent = &report->lent[(report->n_lent - i) % G_N_ELEMENTS (report->lent)];
    if (matches (lent, report->fault))
      return describe (lent, report->fault, report->read);
  }
  return NULL;
}
