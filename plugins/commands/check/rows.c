/* SPDX-License-Identifier: Apache-2.0 */
/* rows.c - what a component hands over on the whole sample, or of rows and tables of all sorts:
 * each row and cell is looked at by the test host, and how much memory it takes for how many of
 * them. */

#include <string.h>

#include "base/frames.h"
#include "check.h"
#include "rows/row-rules.h"

/* -- rows ------------------------------------------------------------------ */

/* The component asks something of the host: finish is on the stack for no reason but that the
 * core called it, and once. */
static void
watch_asked (void *user, const char *call)
{
  NpCheck *check = user;
  const struct nprof_component *c = check->component;
  const guint n = c->finish ? np_frames_of ((gpointer) (gsize) c->finish) : 0;
  if (n > (strcmp (call, "finish") == 0))
    np_check_found (check, "finish was called by the component itself, in %s", call);
}

static void
check_ratios (NpCheck *check, const NprofTestTable *t)
{
  for (guint i = 0; i < t->n_rows * t->n_columns; i++) {
    const struct nprof_table_column *c = t->table->columns[i % t->n_columns];
    if (np_column_is_ratio (c) && t->cells[i]
        && !(g_ascii_strtod (t->cells[i], NULL) <= 1 + NP_RATIO_ROUNDED))
      np_check_found (check, "table \"%s\": column \"%s\" is a ratio, and holds %s", t->table->name,
                      c->name, t->cells[i]);
  }
}

void
np_check_rows (NpCheck *check)
{
  NprofTestConfig config = np_check_config (check);
  NprofTestLife life = np_check_life (check);
  if (!np_check_has_sample (check))
    return;
  config.rows = 0; /* full batches */
  config.asked = watch_asked;
  config.asked_user = check;
  g_autoptr (NprofTestRun) run = nprof_test_live (&life, &config);
  np_check_take (check, nprof_test_problem (run));
  for (guint i = 0; i < run->n_tables; i++)
    check_ratios (check, &run->tables[i]);
}

/* -- growth ---------------------------------------------------------------- */

#define FEW 1000u        /* rows, and ten times as many */
#define TIMES 40u        /* the memory may grow so often, which is more than ten, as rooms double */
#define LEAST (4u << 20) /* bytes, below which nobody minds */

typedef struct {
  NpCheck *check;
  gsize before, most;
} Growth;

static void
watch_growth (void *user, const char *call)
{
  Growth *growth = user;
  const NprofTestWatch *watch = &growth->check->watch;
  growth->most = MAX (growth->most, np_check_memory ());
  watch->call (watch->user, call);
}

/* Returns the most memory that calls of the component take while it gets this number of rows. */
static gsize
memory_of (NpCheck *check, guint rows)
{
  Growth growth = { check, np_check_memory (), 0 };
  NprofTestWatch watch = { .call = watch_growth, .user = &growth };
  NprofTestConfig config = np_check_config (check);
  NprofTestLife life = np_check_life (check);
  config.guarded = FALSE;
  config.watch = &watch;
  config.variant = rows;
  nprof_test_run_free (nprof_test_live (&life, &config));
  return MAX (growth.most, growth.before) - growth.before;
}

void
np_check_growth (NpCheck *check)
{
  memory_of (check, FEW); /* caches fill */
  gsize few = memory_of (check, FEW), many = memory_of (check, 10 * FEW);
  if (np_check_memory () == 0)
    np_check_untried (check, "the allocator of this build does not tell what is in use");
  else if (many > LEAST && many / TIMES > few)
    np_check_found (check,
                    "it takes %" G_GSIZE_FORMAT " bytes for %u rows, and %" G_GSIZE_FORMAT
                    " for ten times as many",
                    few, FEW, many);
}
