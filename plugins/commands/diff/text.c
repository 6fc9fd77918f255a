/* SPDX-License-Identifier: Apache-2.0 */
/* text.c - a comparison for people: the step and its parts, then a line a kernel, numbers
 * first and names last, then what was not compared and what is unknown. */

#include "base/log.h"
#include "console/grid.h"
#include "console/markdown.h"
#include "print.h"
#include "profile/window-parts.h"
#include "system/short-names.h"

#include <math.h>
#include <nprof/units.h>
#include <string.h>

static const char *const part_names[NP_PARTS]
    = { "compute",    "exposed communication", "exposed copies", "control",
        "idle: host", "idle: launch",          "idle: wait",     "idle: unlinked",
        "lost" };

/* -- Numbers for people --------------------------------------------------------------- */

static char *
time_text (double ps, gboolean sign)
{
  if (isnan (ps))
    return g_strdup ("-");
  return g_strconcat (sign && ps > 0 ? "+" : "", nprof_time (ps).text, NULL);
}

static char *
percent_text (double ratio, gboolean sign)
{
  if (isnan (ratio))
    return g_strdup ("-");
  struct nprof_figure_text share = nprof_share (ratio);
  return g_strconcat (sign && ratio > 0 && *share.text != '<' ? "+" : "", share.text, NULL);
}

static char *
calls_text (double calls)
{
  return g_strdup (isnan (calls) ? "-" : nprof_figure (calls, "").number);
}

/* -- The step, and sums ------------------------------------------------------------------ */

enum { SUM_NAME, SUM_BASE, SUM_NEW, SUM_TIME, SUM_CHANGE, SUM_INTERVAL, SUM_VERDICT, SUM_CELLS };

static void
add_sum (NpGrid *g, const char *name, const NpDiffResult *r)
{
  char **row = np_grid_row (g);
  row[SUM_NAME] = g_strdup (name);
  row[SUM_BASE] = time_text (r->base, FALSE);
  row[SUM_NEW] = time_text (r->new, FALSE);
  row[SUM_TIME] = time_text (r->new - r->base, TRUE);
  row[SUM_CHANGE] = percent_text (r->delta, TRUE);
  row[SUM_INTERVAL] = percent_text (r->interval, FALSE);
  row[SUM_VERDICT] = g_strdup (np_diff_verdict_name (r->verdict));
}

static void
add_part (NpGrid *g, const char *name, double base, double new)
{
  char **row = np_grid_row (g);
  row[SUM_NAME] = g_strdup_printf ("  %s", name);
  row[SUM_BASE] = time_text (base, FALSE);
  row[SUM_NEW] = time_text (new, FALSE);
  row[SUM_TIME] = time_text (new - base, TRUE);
  for (guint c = SUM_CHANGE; c < SUM_CELLS; c++)
    row[c] = g_strdup ("");
}

static gboolean
has_part (const NpDiffComparison *c, guint part)
{
  return c->parts[0][part] != 0 || c->parts[1][part] != 0;
}

static void
print_sums (GString *out, const NpDiffReport *report, const NpDiffComparison *c, gboolean markdown)
{
  static const char *const heads[SUM_CELLS]
      = { "a step", "base", "new", "time", "change", "+-", "verdict" };
  NpGrid g = np_grid_new (SUM_CELLS, 1u << SUM_NAME | 1u << SUM_VERDICT, heads);
  if (c->base->runs) {
    g_free (((char **) g.rows->pdata[0])[0]);
    ((char **) g.rows->pdata[0])[0] = g_strdup ("a step, mean of runs");
  } else if (g_str_equal (c->base->by, "recording")) {
    g_free (((char **) g.rows->pdata[0])[0]);
    ((char **) g.rows->pdata[0])[0] = g_strdup ("the recording");
  }
  const gboolean has_step = c->has_step && !np_diff_period_of (report, c);
  if (has_step)
    add_sum (&g,
             c->base->steps->len == 1 && !g_array_index (c->base->steps, NpDiffStep, 0).name
                 ? "time"
                 : "step",
             &c->step);
  const gboolean has_parts = has_step && !np_diff_frames_period (report->frames, c->base->device);
  for (guint p = 0; has_parts && p < NP_PARTS; p++)
    if (has_part (c, p))
      add_part (&g, part_names[p], c->parts[0][p], c->parts[1][p]);
  if (c->has_work)
    add_sum (&g, "all work", &c->work.result);
  if (c->has_communication)
    add_sum (&g, "communication", &c->communication.result);
  np_grid_print (out, &g, markdown);
}

/* -- What comes first --------------------------------------------------------------------- */

static char *
period_verdict (const NpDiffReport *report, const NpDiffPeriod *p)
{
  if (!report->frames->judged)
    return g_strdup ("inconclusive");
  if (p->base_n < 2 || p->new_n < 2)
    return g_strdup ("one run, noise unknown");
  return g_strdup (np_diff_verdict_name (p->verdict));
}

static char *
rate_text (double ps)
{
  return g_strdup_printf ("%s/s", nprof_figure (1e12 / ps, "").number);
}

static char *
counted (guint base, guint new, const char *one, const char *several)
{
  return base == new ? g_strdup_printf ("%u %s", base, base == 1 ? one : several)
                     : g_strdup_printf ("%u -> %u %s", base, new, several);
}

/* Puts the parts of a mean period, which add up to it: those that the page compares, in its
 * words. */
static void
add_period_parts (NpGrid *g, const NpDiffPeriod *p)
{
  for (guint i = 0; i < p->parts->len; i++) {
    const NpDiffPart *part = &g_array_index (p->parts, NpDiffPart, i);
    const WindowPart *known = window_part_named (part->name);
    g_autofree char *words
        = g_strconcat ("  ", known && g_str_has_prefix (known->look, "idle") ? "idle: " : "",
                       known ? known->said : part->name, NULL);
    add_part (g, words, part->base, part->new);
  }
}

static void
add_period (NpGrid *g, const NpDiffReport *report, const NpDiffPeriod *p)
{
  const gboolean steps = !g_str_equal (p->base_of, "period");
  g_autofree char *n
      = counted (p->base_n, p->new_n, steps ? "step" : "period", steps ? "steps" : "periods");
  g_autofree char *device = np_printable (p->device, -1);
  char **row = np_grid_row (g);
  row[SUM_NAME] = g_strdup_printf ("%s, median of %s", device, n);
  row[SUM_BASE] = time_text (p->base_median, FALSE);
  row[SUM_NEW] = time_text (p->new_median, FALSE);
  row[SUM_TIME] = time_text (p->new_median - p->base_median, TRUE);
  row[SUM_CHANGE] = percent_text (p->delta, TRUE);
  row[SUM_INTERVAL] = percent_text (p->interval, FALSE);
  row[SUM_VERDICT] = period_verdict (report, p);
  row = np_grid_row (g);
  row[SUM_NAME] = g_strdup_printf ("  %s a second", steps ? "steps" : "periods");
  row[SUM_BASE] = rate_text (p->base_median);
  row[SUM_NEW] = rate_text (p->new_median);
  row[SUM_CHANGE] = percent_text (p->base_median / p->new_median - 1, TRUE);
  for (guint c = 0; c < SUM_CELLS; c++)
    row[c] = row[c] ? row[c] : g_strdup ("");
  add_part (g, "mean", p->base_mean, p->new_mean);
  add_period_parts (g, p);
}

static void
add_rate (NpGrid *g, const NpDiffRate *r)
{
  g_autofree char *device = np_printable (r->device, -1);
  char **row = np_grid_row (g);
  row[SUM_NAME] = g_strdup_printf ("%s%s%s, tokens/s", device, *device ? ", " : "", r->of);
  row[SUM_BASE] = g_strdup (nprof_figure (r->base, "").number);
  row[SUM_NEW] = g_strdup (nprof_figure (r->new, "").number);
  row[SUM_CHANGE] = percent_text (r->new / r->base - 1, TRUE);
  for (guint c = 0; c < SUM_CELLS; c++)
    row[c] = row[c] ? row[c] : g_strdup ("");
}

static void
add_memory (NpGrid *g, const NpDiffMemory *m)
{
  g_autofree char *allocator = np_printable (m->allocator, -1);
  const double change = m->new - m->base;
  char **row = np_grid_row (g);
  row[SUM_NAME] = g_strdup_printf ("memory of %s, %s", allocator, m->what);
  row[SUM_BASE] = g_strdup (nprof_bytes (m->base).text);
  row[SUM_NEW] = g_strdup (nprof_bytes (m->new).text);
  row[SUM_TIME] = g_strconcat (change > 0 ? "+" : "", nprof_bytes (change).text, NULL);
  row[SUM_CHANGE] = percent_text (m->base > 0 ? m->new / m->base - 1 : (double) NAN, TRUE);
  row[SUM_INTERVAL] = g_strdup ("");
  row[SUM_VERDICT] = g_strdup ("");
}

static void
print_frames (GString *out, const NpDiffReport *report, gboolean markdown)
{
  static const char *const heads[SUM_CELLS]
      = { "first", "base", "new", "more", "change", "+-", "verdict" };
  const NpDiffFrames *f = report->frames;
  if (!f->periods->len && !f->rates->len && !f->memory->len)
    return;
  NpGrid g = np_grid_new (SUM_CELLS, 1u << SUM_NAME | 1u << SUM_VERDICT, heads);
  for (guint i = 0; i < f->periods->len; i++)
    add_period (&g, report, &g_array_index (f->periods, NpDiffPeriod, i));
  for (guint i = 0; i < f->rates->len; i++)
    add_rate (&g, &g_array_index (f->rates, NpDiffRate, i));
  for (guint i = 0; i < f->memory->len; i++)
    add_memory (&g, &g_array_index (f->memory, NpDiffMemory, i));
  GString *grid = g_string_new (NULL);
  np_grid_print (grid, &g, markdown);
  g_string_append_printf (out, "%s\n", grid->str + 1);
  g_string_free (grid, TRUE);
}

/* -- Lines ---------------------------------------------------------------------------------- */

enum {
  LINE_BASE,
  LINE_NEW,
  LINE_TIME,
  LINE_CHANGE,
  LINE_INTERVAL,
  LINE_SHARE,
  LINE_CALLS,
  LINE_VERDICT,
  LINE_NAME,
  LINE_CELLS
};

static char *
verdict_text (const NpDiffLine *line)
{
  const char *verdict = np_diff_verdict_name (line->result.verdict);
  return line->why ? g_strdup_printf ("%s (%s)", verdict, line->why) : g_strdup (verdict);
}

static void
add_names (Names *names, const GArray *lines)
{
  for (guint i = 0; i < lines->len; i++) {
    const NpDiffLine *line = &g_array_index (lines, NpDiffLine, i);
    if (line->name)
      names_add (names, line->name);
    if (line->renamed)
      names_add (names, line->renamed);
  }
}

/* Returns what shortens the names of lines and notes; transfer full, NULL: they are printed
 * whole. */
static Names *
names_of (const NpDiffReport *report, const NpDiffComparison *c, const GArray *lines)
{
  if (report->full_names)
    return NULL;
  Names *names = names_new ();
  add_names (names, lines);
  add_names (names, c->renamed);
  return names;
}

static const char *
shown_name (Names *names, const char *name)
{
  return names ? names_short (names, name) : name;
}

/* "base -> new".  Transfer full. */
static char *
renamed_text (Names *names, const NpDiffLine *line)
{
  g_autofree char *text = g_strdup_printf ("%s -> %s", shown_name (names, line->name),
                                           shown_name (names, line->renamed));
  return np_printable (text, -1);
}

static char *
name_text (const NpDiffLine *line, NpDiffBy by, Names *names)
{
  static const char *const none[] = { "(no name)", "(no operator)", "(no module)" };
  if (line->renamed)
    return renamed_text (names, line);
  return np_printable (line->name ? shown_name (names, line->name) : none[by], -1);
}

static void
add_line (NpGrid *g, const NpDiffLine *line, NpDiffBy by, Names *names)
{
  const NpDiffResult *r = &line->result;
  g_autofree char *base = calls_text (r->base_calls), *new = calls_text (r->new_calls);
  char **row = np_grid_row (g);
  row[LINE_BASE] = time_text (r->base, FALSE);
  row[LINE_NEW] = time_text (r->new, FALSE);
  row[LINE_TIME] = time_text (r->new - r->base, TRUE);
  row[LINE_CHANGE] = percent_text (r->delta, TRUE);
  row[LINE_INTERVAL] = percent_text (r->interval, FALSE);
  row[LINE_SHARE] = percent_text (line->share, FALSE);
  row[LINE_CALLS]
      = g_str_equal (base, new) ? g_strdup (base) : g_strdup_printf ("%s -> %s", base, new);
  row[LINE_VERDICT] = verdict_text (line);
  row[LINE_NAME]
      = line->kernels
            ? g_strdup_printf ("the rest: %u kernels with less than 0.5 %% each", line->kernels)
            : name_text (line, by, names);
}

/* Returns what counts of calls are of: means of a step, which need not be whole, but where a side
 * has no steps. */
static const char *
calls_head (const NpDiffComparison *c)
{
  return np_diff_is_of_steps (c) ? "calls a step" : "calls";
}

static void
print_lines (GString *out, const NpDiffReport *report, const NpDiffComparison *c,
             const GArray *lines, Names *names, gboolean markdown)
{
  static const char *const words[] = { "kernel", "operator", "module" };
  const char *const heads[LINE_CELLS]
      = { "base",  "new",          "time",    "change",         "+-",
          "share", calls_head (c), "verdict", words[report->by] };
  guint shown = report->top ? MIN (report->top, lines->len) : lines->len;
  NpGrid g = np_grid_new (LINE_CELLS, 1u << LINE_VERDICT | 1u << LINE_NAME, heads);
  for (guint i = 0; i < shown; i++)
    add_line (&g, &g_array_index (lines, NpDiffLine, i), report->by, names);
  if (lines == c->lines && c->has_rest)
    add_line (&g, &c->rest, report->by, names);
  np_grid_print (out, &g, markdown);
  if (shown < lines->len)
    g_string_append_printf (out, "%u of %u lines are shown (--top 0 shows all)\n", shown,
                            lines->len);
}

/* Prints the steps as they follow each other, without a verdict. */
static void
print_steps (GString *out, const NpDiffComparison *c, gboolean markdown)
{
  static const char *const heads[]
      = { "base", "new", "time", "change", "step of base", "step of new" };
  const GArray *base = c->base->steps, *new = c->new->steps;
  NpGrid g = np_grid_new (G_N_ELEMENTS (heads), 3u << 4, heads);
  for (guint i = 0; i < MAX (base->len, new->len); i++) {
    const NpDiffStep *a = i < base->len ? &g_array_index (base, NpDiffStep, i) : NULL,
                     *b = i < new->len ? &g_array_index (new, NpDiffStep, i) : NULL;
    char **row = np_grid_row (&g);
    double of_a = a ? a->window : NAN, of_b = b ? b->window : NAN;
    row[0] = time_text (of_a, FALSE);
    row[1] = time_text (of_b, FALSE);
    row[2] = time_text (of_b - of_a, TRUE);
    row[3] = percent_text (of_b / of_a - 1, TRUE);
    row[4] = np_printable (a && a->name ? a->name : "-", -1);
    row[5] = np_printable (b && b->name ? b->name : "-", -1);
  }
  np_grid_print (out, &g, markdown);
}

/* -- Heads and notes --------------------------------------------------------------------------- */

/* Returns the word for samples, steps or runs: "5 steps". */
static const char *
samples_word (const NpDiffSide *side)
{
  if (side->runs)
    return side->samples == 1 ? "run" : "runs";
  return side->samples == 1 ? "step" : "steps";
}

/* Returns the samples in words, transfer full. */
static char *
samples_text (const NpDiffSide *side)
{
  static const struct {
    const char *by, *text;
  } known[] = { { "launch", "rows by the step that launched them" },
                { "start", "rows by the step that they begin in" },
                { "recording", "no steps, so all of it" } };
  const char *by = "";
  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_str_equal (side->by, known[i].by))
      by = known[i].text;
  if (g_str_equal (side->by, "recording") && !side->runs)
    return g_strdup (by);
  return g_strdup_printf ("%u %s, %s", side->samples, samples_word (side), by);
}

static void
print_side (GString *out, const char *word, const char *const *files, const NpDiffSide *side,
            gboolean markdown)
{
  g_autofree char *joined = g_strjoinv (" ", (char **) files), *samples = samples_text (side);
  g_autofree char *names = np_printable (joined, -1), *device = np_printable (side->device, -1);
  g_autofree char *line = g_strdup_printf ("%s  %s: %s, %s", word, names, device, samples);
  g_autofree char *cell = markdown ? np_markdown_cell (line) : g_strdup (line);
  g_string_append (out, cell);
  if (side->cut)
    g_string_append_printf (out, " (%u more that the profile cut)", side->cut);
  g_string_append (out, markdown ? "  \n" : "\n");
}

static void
print_left_out (GString *out, const char *word, const NpDiffSide *side)
{
  if (side->linked && side->unlinked > 0) {
    g_string_append_printf (
        out, "%s: %s of work (%s) are not compared: their launch is not in the file\n", word,
        nprof_time (side->unlinked).text, nprof_share (side->unlinked / side->work).text);
  }
  if (side->outside > 0) {
    g_string_append_printf (out, "%s: %s of work (%s) are not compared: %s in no step\n", word,
                            nprof_time (side->outside).text,
                            nprof_share (side->outside / side->work).text,
                            g_str_equal (side->by, "start") ? "begin" : "launched");
  }
}

/* Says in one line, without a newline, what could not be told; NULL: everything could. Transfer
 * full. */
static char *
untold_text (const NpDiffReport *report, const NpDiffComparison *c)
{
  if (!np_diff_is_untold (c, &report->limits))
    return NULL;
  const NpDiffUntold u = np_diff_untold (c, &report->limits);
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (g_free);
  if (u.step)
    g_ptr_array_add (parts, g_strdup ("the step"));
  if (u.work)
    g_ptr_array_add (parts, g_strdup ("all work"));
  if (u.communication)
    g_ptr_array_add (parts, g_strdup ("communication"));
  if (u.kernels)
    g_ptr_array_add (parts,
                     g_strdup_printf ("%u kernel%s (%s of the work)", u.kernels,
                                      u.kernels == 1 ? "" : "s", nprof_share (u.share).text));
  g_ptr_array_add (parts, NULL);
  g_autofree char *list = g_strjoinv (", ", (char **) parts->pdata);
  g_autofree char *advice
      = u.samples ? g_strdup_printf ("; record %u %s", u.samples, c->base->runs ? "runs" : "steps")
                  : NULL;
  return g_strdup_printf ("Inconclusive at %g %%: %s%s", 100 * report->limits.threshold, list,
                          advice ? advice : "");
}

static void
print_notes (GString *out, const NpDiffReport *report, const NpDiffComparison *c, Names *names)
{
  g_autofree char *untold = untold_text (report, c);
  g_autoptr (GString) notes = g_string_new (NULL);
  if (c->per_call && g_str_equal (c->base->by, c->new->by))
    g_string_append (notes, "Recordings of other length: means of a call are compared\n");
  else if (c->per_call)
    g_string_append (notes,
                     "One profile has steps, the other has none: means of a call are compared\n");
  else if (c->has_work && c->work.result.assumed)
    g_string_append (notes, "One sample a side: noise assumed; a hint, no more\n");
  if (!isnan (c->clocks))
    g_string_append_printf (notes, "Nearly all kernels changed by %s%s: other clocks?\n",
                            c->clocks > 0 ? "+" : "", nprof_share (c->clocks).text);
  if (np_diff_is_of_two_kinds (c))
    g_string_append_printf (
        notes,
        "Only the recorder of %s closed gaps below 10 us: its times of work are upper bounds, "
        "its idle times lower ones; no work is told to be %s or the same\n",
        c->base->closed ? "base" : "new", c->base->closed ? "faster" : "slower");
  for (guint i = 0; i < c->renamed->len; i++) {
    g_autofree char *renamed = renamed_text (names, &g_array_index (c->renamed, NpDiffLine, i));
    g_string_append_printf (notes, "Renamed: %s\n", renamed);
  }
  print_left_out (notes, "base", c->base);
  print_left_out (notes, "new", c->new);
  if (untold)
    g_string_append_printf (notes, "%s\n", untold);
  if (notes->len)
    g_string_append_printf (out, "\n%s", notes->str);
}

static void
print_comparison (GString *out, const NpDiffReport *report, const NpDiffComparison *c,
                  gboolean markdown)
{
  gboolean by_kernels = report->by == NP_DIFF_BY_KERNELS || report->by == NP_DIFF_BY_STEPS;
  g_autoptr (GArray) other = by_kernels ? NULL : np_diff_regroup (c, report->by, &report->limits);
  const GArray *lines = other ? other : c->lines;
  g_autoptr (Names) names = names_of (report, c, lines);
  print_side (out, "base", report->base, c->base, markdown);
  print_side (out, "new ", report->new, c->new, markdown);
  print_sums (out, report, c, markdown);
  if (report->by == NP_DIFF_BY_STEPS)
    print_steps (out, c, markdown);
  else
    print_lines (out, report, c, lines, names, markdown);
  print_notes (out, report, c, names);
}

static void
print_end (GString *out, const NpDiffReport *report)
{
  for (guint i = 0; report->alone->pdata[i]; i++)
    g_string_append_printf (out, "Not compared: %s\n", (const char *) report->alone->pdata[i]);
  if (report->gaps)
    g_string_append_printf (out, "Events are missing: %" G_GUINT64_FORMAT " gaps in the profiles\n",
                            report->gaps);
  if (isnan (report->fail_over))
    return;
  const char *unjudged = np_diff_unjudged (report);
  g_string_append_printf (out, "--fail-over %g%%%s: ", 100 * report->fail_over,
                          report->strict ? " --strict" : "");
  if (unjudged)
    g_string_append_printf (out, "%s\n", unjudged);
  else
    g_string_append_printf (out, "%u slower by more\n", report->over);
}

/* The verdict, below what differs of the machines where it is given all the same. */
static void
print_first (GString *out, const NpDiffReport *report)
{
  g_autofree char *sentence = np_diff_sentence (report), *machine = np_diff_machine_text (report);
  if (machine)
    g_string_append_printf (out, "%s\n\n", machine);
  if (sentence && g_strcmp0 (sentence, machine))
    g_string_append_printf (out, "%s\n\n", sentence);
}

GString *
np_diff_text (const NpDiffReport *report, gboolean markdown)
{
  GString *out = g_string_new (NULL);
  print_first (out, report);
  if (report->frames)
    print_frames (out, report, markdown);
  for (guint i = 0; i < report->comparisons->len; i++) {
    if (i)
      g_string_append_c (out, '\n');
    print_comparison (out, report, g_ptr_array_index (report->comparisons, i), markdown);
  }
  if (!report->comparisons->len && !(report->frames && report->frames->memory->len))
    g_string_append_printf (out, "Nothing to compare: no %s in one of the profiles\n",
                            report->hosts ? "spans" : "work of a device");
  print_end (out, report);
  return out;
}
