/* SPDX-License-Identifier: Apache-2.0 */
/* test-verdict-codes.c - the code that follows from the parts of a window, on both sides of each
 * threshold of nprof-analyzer-steps(7), section verdict. */
#include "steps/verdict.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *what;
  const char *parts; /* "host 600, compute 400" */
  const char *code;
  guint windows, loading;
  LongGap gap; /* of two, unless it is the only one; length 0: one of no weight */
  gboolean only;
  guint64 rows; /* 0: enough */
  guint unknown;
} Given;

/* clang-format off */
static const Given given[] = {
  { "nothing at all", "", "undetermined.empty" },
  /* Launches and calls that block are the host's; half and half is mixed. */
  { "host 600 of 1000", "host 100, launch 150, sync 350, compute 400",
    "host" },
  { "host 599 of 1000", "host 100, launch 150, sync 349, compute 401",
    "mixed:host+compute.gemm" },
  /* Code that is loaded: a warm-up in few of the windows, the host's time in most of them. */
  { "loading in half of the windows", "first_use 500, host 100, compute 400",
    "first_use", .windows = 10, .loading = 5 },
  { "loading in most windows", "first_use 500, host 100, compute 400",
    "host", .windows = 10, .loading = 6 },
  { "two windows are too few to say most", "first_use 500, host 100, compute 400",
    "first_use", .windows = 2, .loading = 2 },
  { "loading below half", "first_use 499, host 101, compute 400",
    "mixed:first_use+compute.gemm", .windows = 10 },
  { "loading below half, in most windows", "first_use 499, host 101, compute 400",
    "mixed:first_use+compute.gemm", .windows = 10, .loading = 6 },
  /* Captures are a warm-up in however many of the windows. */
  { "captures in most windows", "capture 500, host 100, compute 400",
    "capture", .windows = 10 },
  { "captures below half", "capture 499, host 101, compute 400",
    "mixed:capture+compute.gemm", .windows = 10 },
  { "more of loading", "capture 240, first_use 260, compute 500",
    "first_use", .windows = 10, .loading = 2 },
  { "more of captures", "capture 260, first_use 240, compute 500",
    "capture", .windows = 10, .loading = 2 },
  { "captures of few rows", "capture 600, compute 400", "capture", .rows = 1 },
  { "captures of few rows, below half", "capture 499, host 501", "undetermined.few_rows",
    .rows = 9 },
  { "a gap of a capture", "compute 600, capture 400", "compute.gemm", .windows = 10,
    .gap = { 400, PART_CAPTURE, 0 } },
  { "a warm-up of few rows", "first_use 600, compute 400", "undetermined.few_rows", .rows = 9 },
  { "a warm-up of ten rows", "first_use 600, compute 400", "first_use", .rows = 10 },
  /* A quarter beside compute is said; what goes without touching a kernel leads from half of it. */
  { "input a quarter", "compute 500, input 250, host 125, wait 125", "input" },
  { "input below", "compute 500, input 249, host 126, wait 125",
    "compute.gemm" },
  { "input below half of compute", "compute 510, input 254, host 118, wait 118",
    "mixed:compute.gemm+input" },
  { "preprocess", "compute 500, preprocess 250, host 125, wait 125",
    "preprocess" },
  { "alloc", "compute 500, alloc 250, host 125, wait 125", "alloc" },
  { "stall", "compute 500, stall 250, host 125, wait 125", "stall" },
  { "host does not go alone", "compute 500, host 250, input 125, wait 125",
    "mixed:compute.gemm+host" },
  { "wait does not", "compute 500, wait 250, host 125, input 125",
    "mixed:compute.gemm+wait" },
  { "what was not linked is nothing beside compute", "compute 700, unlinked 300",
    "compute.gemm" },
  { "nor what was not recorded", "compute 190, unrecorded 99, unlinked 711",
    "compute.gemm", .gap = { 711, PART_UNLINKED, 0 } },
  /* Half of all, or 35 % and half as much again as the next. */
  { "35 % and 1.5 times", "comm 350, copy 233, input 139, host 139, wait 139",
    "comm" },
  { "below 35 %", "comm 349, copy 232, input 139, host 140, wait 140",
    "mixed:comm+copy" },
  { "below 1.5 times", "comm 350, copy 234, input 138, host 139, wait 139",
    "mixed:comm+copy" },
  { "half, and the next above two thirds of it", "comm 510, copy 350, host 140",
    "mixed:comm+copy" },
  /* One gap of first use or without a known launch is left out, when it is most of the idle time,
   * more than a tenth of all, and not the only one. */
  { "the only gap", "compute 600, first_use 400", "mixed:compute.gemm+first_use",
    .windows = 10, .gap = { 400, PART_FIRST_USE, 0 }, .only = TRUE },
  { "a gap of first use", "compute 600, first_use 400", "compute.gemm", .windows = 10,
    .gap = { 400, PART_FIRST_USE, 0 } },
  { "a gap of the host stays", "compute 600, host 400", "mixed:compute.gemm+host",
    .gap = { 400, PART_HOST, 0 } },
  { "a gap without a launch", "compute 100, unlinked 500, host 400", "host",
    .gap = { 500, PART_UNLINKED, 0 } },
  { "a bubble is idle time", "compute 390, first_use 300, bubble 250, host 60",
    "mixed:compute.gemm+first_use", .windows = 10, .gap = { 300, PART_FIRST_USE, 0 } },
  { "half of the idle time is not most", "compute 100, unlinked 450, host 450",
    "undetermined.no_launches", .gap = { 450, PART_UNLINKED, 0 } },
  /* Waits for work that is not in the file are left out from a tenth on. */
  { "a tenth of it", "host 320, copy 150, comm 150, wait 150, compute 130, unrecorded 100",
    "host" },
  { "below a tenth", "host 320, copy 150, comm 150, wait 151, compute 130, unrecorded 99",
    "mixed:host+wait" },
  { "more than half of it", "compute 499, unrecorded 501", "undetermined.unrecorded_wait" },
  { "half of it", "compute 500, unrecorded 500", "compute.gemm" },
  /* Where rows may be missing nothing is judged; as much as a quarter could be what leads. */
  { "lost a quarter", "compute 750, lost 250", "undetermined.lost_rows" },
  { "lost below a quarter", "compute 501, input 251, lost 248", "input" },
  { "lost below a quarter, and work leads", "compute 751, host 60, lost 189", "compute.gemm" },
  { "lost time is no gap that carries", "host 600, compute 380, lost 20", "host" },
  /* What cannot be told, in the order of the page. */
  { "clocks that differ, and idle leads", "host 700, compute 300", "undetermined.clocks",
    .unknown = AN_UNKNOWN_CAUSE },
  { "clocks that differ, and work leads", "host 200, compute 800", "compute.gemm",
    .unknown = AN_UNKNOWN_CAUSE },
  { "clocks that differ, and a stage waits", "bubble 700, compute 300", "undetermined.clocks",
    .unknown = AN_UNKNOWN_CAUSE },
  { "opaque above a quarter", "compute 749, opaque 251", "undetermined.graphs_opaque" },
  { "opaque a quarter", "compute 750, opaque 250", "mixed:compute.gemm+opaque" },
  { "the profiler a third", "compute 666, profiler 334", "undetermined.profiler" },
  { "the profiler below", "compute 667, profiler 333", "mixed:compute.gemm+profiler" },
  { "no launches lead", "compute 400, unlinked 600", "undetermined.no_launches" },
  { "no launches a third of a mixed one", "host 340, unlinked 334, compute 326",
    "undetermined.no_launches" },
  { "no launches below a third of it", "host 340, unlinked 333, compute 327",
    "mixed:host+unlinked" },
  { "few rows, and the host leads", "host 600, compute 400", "undetermined.few_rows",
    .rows = 9 },
  { "ten rows, and the host leads", "host 600, compute 400", "host", .rows = 10 },
  { "few rows, and work leads", "host 200, compute 800", "compute.gemm", .rows = 9 },
  { "control leads", "control 400, compute 300, copy 300", "mixed:control+compute.gemm" },
  { "control has half", "control 600, compute 200, copy 200", "control" },
  { "control is no idle time", "compute 300, control 300, first_use 250, host 150",
    "mixed:compute.gemm+control", .windows = 10, .gap = { 250, PART_FIRST_USE, 0 } },
  { "few rows, and control leads", "control 800, host 200", "control", .rows = 9 },
  { "few rows, and work is one of two", "host 599, compute 401", "mixed:host+compute.gemm",
    .rows = 9 },
};
/* clang-format on */

static Part
part_called (const char *name, gsize len)
{
  Part part = 0;
  while (strncmp (window_part (part)->name, name, len) || window_part (part)->name[len])
    part++;
  return part;
}

static Verdict
concluded (const Given *g)
{
  Sums sums = { .windows = g->windows,
                .loading = g->loading,
                .gaps = g->gap.length && !g->only ? 2 : 1,
                .longest = g->gap };
  g_auto (GStrv) pieces = g_strsplit (g->parts, ", ", -1);
  for (char **piece = pieces; *piece; piece++) {
    const char *time = strchr (*piece, ' ');
    const Part part = part_called (*piece, (gsize) (time - *piece));
    sums.of[part] += atoi (time);
    sums.all += atoi (time);
  }
  const Case c = {
    .sums = &sums, .kind = "compute.gemm", .rows = g->rows ? g->rows : 100, .unknown = g->unknown
  };
  return st_conclude (&c);
}

static void
code (gconstpointer user)
{
  const Given *g = user;
  Verdict v = concluded (g);
  g_assert_cmpstr (v.code, ==, g->code);
  st_verdict_clear (&v);
}

/* One gap is told from a tenth of all on. */
static void
tells_gap (void)
{
  const Given cases[] = {
    { "", "compute 840, host 160", "", .gap = { 101, PART_HOST, 0 } },
    { "", "compute 840, host 160", "", .gap = { 100, PART_HOST, 0 } },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Verdict v = concluded (&cases[i]);
    g_assert_cmpint (v.sentence && strstr (v.sentence, "one gap of"), ==, i == 0);
    st_verdict_clear (&v);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (given); i++) {
    g_autofree char *path = g_strdup_printf ("/verdict-codes/%s", given[i].what);
    g_test_add_data_func (path, &given[i], code);
  }
  g_test_add_func ("/verdict-codes/a gap is told", tells_gap);
  return g_test_run ();
}
