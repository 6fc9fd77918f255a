/* SPDX-License-Identifier: Apache-2.0 */
/* findings.c - tells what stands out in a profile, by what can be gained and the time at stake. */

#include "base/error.h"
#include "view/finding.h"
#include "view/window-rows.h"

#include <math.h>
#include <string.h>

#define MOST 4 /* more is not read: widgets have all, and it is said how many are left out */

void
np_finding_free (gpointer data)
{
  NpFinding *f = data;
  g_free (f->answer);
  g_free (f->rule);
  g_free (f->threshold);
  g_free (f->table);
  g_free (f->widget);
  g_free (f->source);
  g_free (f->text);
  g_free (f->detail);
  g_free (f->gain);
  g_free (f->advice);
  g_free (f);
}

static gboolean
is_said (const GPtrArray *all, const char *rule)
{
  for (guint i = 0; rule && i < all->len; i++)
    if (!strcmp (((NpFinding *) all->pdata[i])->rule, rule))
      return TRUE;
  return FALSE;
}

/* Places where rows were lost are in no table: they count where no device tells of its time. */
static void
add_lost (NpAsk *ask, GPtrArray *all)
{
  guint64 lost = np_lost_rows (ask);
  if (!lost || is_said (all, "lost"))
    return;
  NpFinding *f = g_new (NpFinding, 1);
  *f = (NpFinding){ .answer = g_strdup (""),
                    .rule = g_strdup ("lost"),
                    .threshold = g_strdup ("any place"),
                    .table = g_strdup (""),
                    .widget = g_strdup ("problems"),
                    .source = g_strdup ("what was lost is unknown"),
                    .text = g_strdup_printf ("Rows may be missing at %" G_GUINT64_FORMAT " %s",
                                             lost, lost == 1 ? "place" : "places"),
                    .factor = NAN,
                    .at_stake = -1 };
  np_finding_window (ask, f);
  g_ptr_array_add (all, f);
}

/* What can be gained comes first, the most before less; then what has most time at stake. */
static int
by_gain (gconstpointer a, gconstpointer b)
{
  const NpFinding *one = *(NpFinding *const *) a, *other = *(NpFinding *const *) b;
  const double gain = isnan (one->factor) ? 0 : one->factor,
               other_gain = isnan (other->factor) ? 0 : other->factor;
  if (gain != other_gain)
    return gain < other_gain ? 1 : -1;
  return (one->at_stake < other->at_stake) - (one->at_stake > other->at_stake);
}

/* Returns all findings, the first ones first; transfer full. */
static GPtrArray *
find_all (NpAsk *ask)
{
  GPtrArray *all = g_ptr_array_new_with_free_func (np_finding_free);
  np_find_told (ask, all);
  add_lost (ask, all);
  g_ptr_array_sort (all, by_gain);
  return all;
}

static GPtrArray *
find_in (NpProfile *profile, gboolean of_part, GError **error)
{
  struct nprof_query *query = np_profile_query (profile);
  NpAsk ask = { .profile = profile, .store = profile->store, .query = query, .of_part = of_part };
  GPtrArray *all = query ? find_all (&ask) : NULL;
  if (!query || *query->error) {
    g_set_error (error, NP_ERROR, NP_EXIT_INPUT, "%s: %s", profile->id,
                 query ? query->error : "no memory for a query");
    g_clear_pointer (&all, g_ptr_array_unref);
  }
  if (query)
    np_profile_give_back (profile, query);
  return all;
}

GPtrArray *
np_findings_of_profile (const char *folder, const char *id, gboolean of_part, GError **error)
{
  char why[700];
  NpOpened *opened = np_opened_new (folder);
  g_autoptr (NpProfile) profile = np_opened_get (opened, id, why, sizeof why);
  int err = errno;
  GPtrArray *all = profile ? find_in (profile, of_part, error) : NULL;
  if (!profile)
    g_set_error (error, NP_ERROR, np_exit_of (err, NP_EXIT_INPUT), "%s/%s: %s", folder, id,
                 *why ? why : "it is no profile of yours");
  else if (nprof_store_damage (profile->store, why, sizeof why)) {
    g_clear_pointer (&all, g_ptr_array_unref);
    g_clear_error (error);
    g_set_error_literal (error, NP_ERROR, NP_EXIT_INPUT, why);
  }
  np_opened_free (opened);
  return all;
}

/* -- The answer -------------------------------------------------------------------- */

static void
put_evidence (NpJson *j, const NpFinding *f)
{
  np_json_object (j, "evidence");
  np_json_i64 (j, "t0", f->t0);
  np_json_i64 (j, "t1", f->t1);
  np_json_array (j, "rows");
  np_json_end_array (j);
  np_json_text (j, "table", f->table);
  np_json_end_object (j);
}

static void
put_finding (NpJson *j, const NpFinding *f)
{
  np_json_object (j, NULL);
  np_json_text (j, "rule", f->rule);
  np_json_text (j, "threshold", f->threshold);
  np_json_text (j, "text", f->text);
  np_json_text (j, "detail", f->detail ? f->detail : "");
  if (f->at_stake < 0)
    np_json_unknown (j, "at_stake", "ps", f->source);
  else
    np_json_metric_time (j, "at_stake", f->at_stake, f->source);
  np_json_text (j, "gain", f->gain);
  np_json_text (j, "advice", f->advice);
  put_evidence (j, f);
  np_json_text (j, "widget", f->widget);
  np_json_number (j, "more", f->more);
  np_json_end_object (j);
}

/* Puts what breaks rules and is not among the first findings. */
static void
put_left_out (NpJson *j, const GPtrArray *all)
{
  np_json_array (j, "findings_left_out");
  for (guint i = 0; i < all->len; i++) {
    const NpFinding *f = all->pdata[i];
    guint64 n = f->more + (i >= MOST);
    if (!n)
      continue;
    np_json_object (j, NULL);
    np_json_text (j, "rule", f->rule);
    np_json_number (j, "count", n);
    np_json_text (j, "table", f->table);
    np_json_text (j, "widget", f->widget);
    np_json_end_object (j);
  }
  np_json_end_array (j);
}

void
np_json_findings (NpAsk *ask)
{
  g_autoptr (GPtrArray) all = find_all (ask);
  np_json_array (&ask->json, "findings");
  for (guint i = 0; i < MIN (all->len, MOST); i++)
    put_finding (&ask->json, all->pdata[i]);
  np_json_end_array (&ask->json);
  put_left_out (&ask->json, all);
}

gboolean
np_ask_findings (NpAsk *ask)
{
  gint64 t0, t1;
  if (!np_ask_range (ask, &t0, &t1))
    return FALSE;
  if (!np_window_is_known (ask))
    return ask->reply->status == 202;
  ask->of_part = np_asks_for_window (ask);
  np_json_object (&ask->json, NULL);
  np_json_window (ask);
  np_json_findings (ask);
  np_json_end_object (&ask->json);
  return TRUE;
}
