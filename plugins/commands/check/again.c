/* SPDX-License-Identifier: Apache-2.0 */
/* again.c - the rules that one run cannot show broken, for a checked run that has had one. What a
 * component only refuses, in a life that this run did not have, breaks none of them. */

#include "check.h"

#include <string.h>

static void
try_variations (NpCheck *check)
{
  NprofTestConfig config = np_check_config (check);
  NprofTestLife life = np_check_life (check);
  if (np_check_has_sample (check))
    np_check_take (check, nprof_test_try_variations (&life, &config));
}

/* A run does not ask a decoder that the user has named. */
static void
try_probe (NpCheck *check)
{
  const int sure = check->sample ? nprof_test_probe (check->component, check->sample,
                                                     check->n_sample, check->sample_path)
                                 : 0;
  if (sure < 0 || sure > 100)
    np_check_found (check, "it is %d sure of its input: 0 to 100 is the rule", sure);
}

/* Returns the rule of that function, as it is, or with another function in its place. */
static NpCheckRule
rule_of (void (*run) (NpCheck *check), void (*other) (NpCheck *check))
{
  const NpCheckRule *rule = np_check_rules;
  while (rule->run != run)
    rule++;
  NpCheckRule own = *rule;
  own.run = other;
  return own;
}

char *
np_check_again (NpCheck *check, guint kind)
{
  const NpCheckRule rules[]
      = { rule_of (np_check_probe, try_probe), rule_of (np_check_variations, try_variations),
          rule_of (np_check_growth, np_check_growth), rule_of (np_check_cancel, np_check_cancel),
          rule_of (np_check_leaks, np_check_leaks) };
  check->usual = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (rules); i++) {
    if (!(rules[i].kinds & 1u << kind))
      continue;
    const NpCheckResult result = np_check_run (check, &rules[i]);
    g_autofree char *text = result.text;
    if (result.stops) /* the run itself has come to its end */
      return NULL;
    if (result.verdict == NP_CHECK_FAIL) {
      text[strcspn (text, "\n")] = '\0';
      return g_strdup_printf ("%s: %s: %s", rules[i].name, text, result.mend);
    }
  }
  return NULL;
}
