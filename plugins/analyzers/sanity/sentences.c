/* SPDX-License-Identifier: Apache-2.0 */
/* sentences.c - one sentence a rule, with its numbers. */
#include "sentences.h"

/* @rows@, @of@ and @worst@ are the numbers of the finding; @s@ is the plural's. */
static const struct {
  const char *rule, *sentence;
} rules[AN_SANITY_RULES] = {
  [AN_SANITY_DUPLICATES]
  = { "duplicates", "rows of the device that are in the file twice: @rows@; counted once" },
  [AN_SANITY_OTHER_CLOCK]
  = { "other_clock",
      "device rows that another clock timed: @rows@, by up to @worst@ before their own "
      "launch, or off all rows of the host; left out" },
  [AN_SANITY_BEFORE_LAUNCH]
  = { "before_launch",
      "device rows that begin before their launch: @rows@, by up to @worst@; no launch edge" },
  [AN_SANITY_CLOCKS_DIFFER]
  = { "clocks_differ", "@rows@ of @of@ device rows lie before their launch, or off the host, by up "
                       "to @worst@: the clocks of "
                       "host and device differ by at least that; causes and path are unknown" },
  [AN_SANITY_RUNS_OVER]
  = { "runs_over",
      "device rows that run over others of their own stream (@of@), which cannot be: @rows@; "
      "cut at the next row" },
  [AN_SANITY_STREAM_OVERLAP]
  = { "stream_overlap",
      "@rows@ of @of@ device rows overlap the next of their stream: it is no order of their work" },
  [AN_SANITY_CORRELATION_TWICE]
  = { "correlation_twice",
      "correlation ids that two launches have: @rows@; which launched what is open" },
  [AN_SANITY_CORRELATION_SHARED]
  = { "correlation_shared", "@rows@ of @of@ device rows share the id of a launch that starts one "
                            "kernel: which launched what "
                            "is open" },
  [AN_SANITY_NO_KERNELS]
  = { "no_kernels",
      "launches: @rows@, kernels: none; the GPU's records are missing (no permission, WSL, "
      "buffers lost), although they were asked for" },
  [AN_SANITY_LOST_KERNELS]
  = { "lost_kernels", "@rows@ of @of@ launches have no kernel: busy time is a lower bound" },
  [AN_SANITY_GRAPHS_OPAQUE]
  = { "graphs_opaque",
      "@rows@ of @of@ graph launches have no kernel: the device's busy time is unknown" },
  [AN_SANITY_MERGED_RANKS]
  = { "merged_ranks",
      "at least @rows@ ranks in one file: steps, causes and operators of them are not parted" },
  [AN_SANITY_FRAMES_OUTLIVE]
  = { "frames_outlive",
      "frames of Python that end after their caller, by up to @worst@: @rows@; cut at its end" },
  [AN_SANITY_ROW_LIMIT]
  = { "row_limit",
      "the file has exactly @rows@ rows: a limit of its writer; later rows may be missing" },
};

const char *
sentence_rule (AnSanityRule rule)
{
  return rules[rule].rule;
}

static char *
time_text (gint64 ps)
{
  static const struct {
    double ps;
    const char *unit;
  } units[] = { { 3600e12, "h" }, { 1e12, "s" }, { 1e9, "ms" }, { 1e6, "us" }, { 1e3, "ns" } };
  for (gsize i = 0; i < G_N_ELEMENTS (units); i++)
    if ((double) ps >= units[i].ps)
      return g_strdup_printf ("%.1f %s", (double) ps / units[i].ps, units[i].unit);
  return g_strdup_printf ("%" G_GINT64_FORMAT " ps", ps);
}

char *
sentence_ranks (gint64 n, const char *ranks)
{
  return g_strdup_printf ("the file holds %" G_GINT64_FORMAT " ranks (args.rank %s): parted by it",
                          n, ranks);
}

char *
sentence_of (const AnSanityFinding *f)
{
  GString *text = g_string_new (rules[f->rule].sentence);
  g_autofree char *rows = g_strdup_printf ("%" G_GUINT64_FORMAT, f->rows),
                  *of = g_strdup_printf ("%" G_GUINT64_FORMAT, f->of),
                  *worst = time_text (f->worst);
  g_string_replace (text, "@rows@", rows, 0);
  g_string_replace (text, "@of@", of, 0);
  g_string_replace (text, "@worst@", worst, 0);
  return g_string_free (text, FALSE);
}

char *
sentence_unknown (guint unknown)
{
  static const char *const names[]
      = { "device", "step", "busy", "cause", "path", "delay", "operator" };
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (unknown & 1u << i)
      g_string_append_printf (text, "%s%s", text->len ? ", " : "", names[i]);
  return g_string_free (text, text->len == 0);
}
