/* SPDX-License-Identifier: Apache-2.0 */
/* fields.c - what an answer is made of, and the words that its codes may be (docs/agents.md). */
#include "agent/tool.h"

#include <string.h>

#define ID "^n_[0-9a-f]{6,64}$"

static const char *const versions[] = { "nprof.answer/1", NULL };
static const char *const groups[]
    = { "compute",   "comm",      "bubble",    "copy",  "control",  "input", "preprocess",
        "alloc",     "capture",   "first_use", "stall", "host",     "wait",  "data",
        "straggler", "imbalance", "oom",       "hung",  "requests", "mixed", "undetermined",
        NULL };
static const char *const certainties[] = { "measured",    "derived",      "modelled", "lower_bound",
                                           "upper_bound", "inconclusive", "unknown",  NULL };
static const char *const reasons[] = { "no_kernels",    "device_not_labelled",
                                       "cpu_only",      "unrecorded_wait",
                                       "clocks",        "graphs_opaque",
                                       "no_launches",   "few_rows",
                                       "lost_rows",     "latency",
                                       "profiler",      "lost_kernels",
                                       "merged_ranks",  "one_step",
                                       "no_steps",      "no_shapes",
                                       "no_formula",    "no_peak",
                                       "no_stacks",     "no_memory_events",
                                       "no_requests",   "speculation",
                                       "not_recorded",  "not_in_format",
                                       "other_machine", "not_comparable",
                                       "too_slow",      "out_of_scope",
                                       "wrong_answer",  NULL };
static const char *const subjects[]
    = { "device_time", "verdict",    "steps",         "operators", "launches", "idle_causes",
        "mfu",         "memory",     "communication", "ranks",     "requests", "tpot",
        "source",      "comparison", "answers",       NULL };
static const char *const note_codes[] = { "duplicates",
                                          "other_clock",
                                          "before_launch",
                                          "clocks_differ",
                                          "runs_over",
                                          "stream_overlap",
                                          "correlation_twice",
                                          "correlation_shared",
                                          "no_kernels",
                                          "lost_kernels",
                                          "graphs_opaque",
                                          "merged_ranks",
                                          "frames_outlive",
                                          "row_limit",
                                          "left_out",
                                          "skipped",
                                          NULL };
static const char *const actions[] = { "overlap",
                                       "num_workers",
                                       "pin_memory",
                                       "move_preprocess",
                                       "caching_allocator",
                                       "warm_up",
                                       "recompile",
                                       "host_cpu",
                                       "device_graph",
                                       "compile",
                                       "larger_batch",
                                       "async_schedule",
                                       "sample_on_device",
                                       "avoid_sync",
                                       "overlap_host",
                                       "keep_on_device",
                                       "fuse",
                                       "layout",
                                       "precision",
                                       "shapes",
                                       "balance_ranks",
                                       "microbatches",
                                       "schedule",
                                       "expandable_segments",
                                       "record_more",
                                       "none",
                                       NULL };
static const char *const labels[] = { "step",
                                      "step_mean",
                                      "idle",
                                      "without_idle",
                                      "top_operator",
                                      "top_kernel",
                                      "graph_replay",
                                      "category",
                                      "critical_path",
                                      "mfu",
                                      "roofline",
                                      "memory",
                                      "communication",
                                      "copies",
                                      "late",
                                      "phases",
                                      "outside_steps",
                                      "engines",
                                      NULL };
static const char *const error_codes[] = { "unknown_profile", "outside_roots",
                                           "not_found",       "unreadable",
                                           "unknown_table",   "unknown_column",
                                           "bad_condition",   "bad_sql",
                                           "bad_argument",    "too_large",
                                           "timeout",         "busy",
                                           "internal",        NULL };
static const char *const bases[] = { "step", "span", "period", NULL };
static const char *const sures[] = { "by_content", "by_name", "by_request", NULL };
static const char *const cell_types[] = { "int", "real", "text", "bool", NULL };
static const char *const differences[] = { "faster", "slower", "same", "inconclusive", NULL };

/* Returns the word of the list; NULL: it has none. */
static const char *
word_of (const char *const *words, const char *word)
{
  while (word && *words && strcmp (*words, word))
    words++;
  return word ? *words : NULL;
}

const char *
np_subject_of (const char *word)
{
  return word_of (subjects, word);
}

const char *
np_reason_of (const char *word)
{
  return word_of (reasons, word);
}

/* clang-format off */ /* tables */
#define TEXT(name, about, ...) { name, NP_FIELD_TEXT, TRUE, about, __VA_ARGS__ }
#define MAYBE_TEXT(name, about, ...) { name, NP_FIELD_TEXT, FALSE, about, __VA_ARGS__ }
#define WHOLE(name, about) { name, NP_FIELD_WHOLE, TRUE, about }
#define MAYBE_WHOLE(name, about) { name, NP_FIELD_WHOLE, FALSE, about }
#define MAYBE_NUMBER(name, about) { name, NP_FIELD_NUMBER, FALSE, about }
#define LIST(name, about, fields) { name, NP_FIELD_LIST, TRUE, about, .of = fields }
#define TEXTS(name, about) { name, NP_FIELD_LIST, TRUE, about, .items = NP_FIELD_TEXT }
#define WHOLES(name, about) { name, NP_FIELD_LIST, TRUE, about, .items = NP_FIELD_WHOLE }

static const NpField unknown_fields[] = {
  TEXT ("what", "what is unknown", subjects),
  TEXT ("code", "why", reasons),
  MAYBE_TEXT ("record", "what to switch on when recording"),
  { NULL },
};
static const NpField column_fields[] = {
  TEXT ("name", "column"),
  TEXT ("type", "type", cell_types),
  MAYBE_TEXT ("unit", "ns, ps, byte, flop, 1"),
  { NULL },
};

/* -- Each tool --------------------------------------------------------------------------------- */

static const NpField device_fields[] = {
  TEXT ("device", "label"),
  MAYBE_TEXT ("model", "chip"),
  WHOLE ("rows", "rows"),
  MAYBE_WHOLE ("busy_ns", "busy"),
  { NULL },
};
static const NpField profile_fields[] = {
  TEXT ("id", "id; empty: not opened yet"),
  TEXT ("path", "path"),
  TEXT ("format", "decoder; empty: not opened yet"),
  WHOLE ("bytes", "bytes"),
  { NULL },
};
const NpField np_open_fields[] = {
  TEXT ("format", "decoder"),
  TEXT ("sure", "how sure", sures),
  MAYBE_TEXT ("framework", "pytorch, jax, ..."),
  LIST ("devices", "devices", device_fields),
  WHOLE ("steps", "steps"),
  WHOLES ("ranks", "ranks"),
  MAYBE_WHOLE ("span_ns", "first to last row"),
  WHOLE ("rows", "rows"),
  TEXTS ("tables", "tables that have rows"),
  LIST ("unknown", "what it cannot tell", unknown_fields),
  LIST ("profiles", "list of profiles when no path was given", profile_fields),
  { NULL },
};

static const NpField part_fields[] = { TEXT ("part", "part"), WHOLE ("ns", "ns"), { NULL } };
static const NpField line_fields[] = {
  TEXT ("label", "line", labels),
  MAYBE_NUMBER ("value", "value"),
  TEXT ("unit", "unit"),
  MAYBE_TEXT ("name", "name"),
  MAYBE_TEXT ("other", "second name"),
  MAYBE_TEXT ("why", "unknown code"),
  { NULL },
};
static const NpField finding_fields[] = {
  WHOLE ("row", "for explain"),
  TEXT ("code", "finding"),
  WHOLE ("stake_ns", "time at stake, total over the scope"),
  MAYBE_NUMBER ("gain", "speed-up if gone"),
  MAYBE_TEXT ("cause", "cause"),
  TEXT ("action", "action", actions),
  MAYBE_TEXT ("name", "name"),
  MAYBE_TEXT ("other", "second name"),
  TEXT ("certainty", "how sure", certainties),
  { NULL },
};
const NpField np_verdict_fields[] = {
  TEXT ("group", "what limits it", groups),
  TEXT ("code", "group.KIND, mixed:a+b or undetermined.REASON",
        .pattern = "^[a-z_]+([.:][a-z_.+]+)?$"),
  MAYBE_TEXT ("device", "device"),
  MAYBE_WHOLE ("base_ns", "what 100 % is, total over the scope"),
  MAYBE_TEXT ("base", "step, span, period", bases),
  MAYBE_NUMBER ("share", "of base"),
  MAYBE_TEXT ("name", "what it is about"),
  MAYBE_TEXT ("other", "second name"),
  MAYBE_TEXT ("rule", "threshold that was passed"),
  WHOLE ("steps", "steps in the scope; base_ns / steps is a mean step"),
  LIST ("parts", "exclusive parts, totals over the scope, adding up to base_ns", part_fields),
  LIST ("summary", "lines of the first screen", line_fields),
  LIST ("findings", "most time at stake first", finding_fields),
  LIST ("unknown", "unknown", unknown_fields),
  { NULL },
};

const NpField np_rows_fields[] = {
  MAYBE_TEXT ("table", "table"),
  LIST ("columns", "columns", column_fields),
  { "rows", NP_FIELD_ROWS, TRUE, "cells, in the order of columns" },
  { NULL },
};

static const NpField link_fields[] = {
  TEXT ("kind", "kind"),
  MAYBE_WHOLE ("ns", "ns"),
  MAYBE_TEXT ("name", "name"),
  MAYBE_WHOLE ("row", "row"),
  MAYBE_TEXT ("source", "file:line"),
  { NULL },
};
const NpField np_explain_fields[] = { LIST ("chain", "cause first", link_fields), { NULL } };

static const NpField lane_fields[] = {
  TEXT ("device", "device"),
  WHOLES ("busy", "busy share of each bucket in 1/1000"),
  { NULL },
};
static const NpField longest_fields[] = {
  WHOLE ("row", "row"),
  TEXT ("device", "device"),
  TEXT ("name", "name"),
  WHOLE ("start_ns", "start"),
  WHOLE ("ns", "duration"),
  { NULL },
};
const NpField np_window_fields[] = {
  WHOLE ("bucket_ns", "length of a bucket"),
  LIST ("lanes", "lanes", lane_fields),
  LIST ("longest", "longest rows", longest_fields),
  { NULL },
};

static const NpField change_fields[] = {
  TEXT ("what", "part, operator, kernel"),
  MAYBE_TEXT ("name", "name"),
  MAYBE_WHOLE ("base_ns", "base"),
  MAYBE_WHOLE ("new_ns", "new"),
  TEXT ("verdict", "verdict", differences),
  MAYBE_TEXT ("why", "calls, time, shape"),
  { NULL },
};
const NpField np_diff_fields[] = {
  { "comparable", NP_FIELD_YES_NO, TRUE, "false: see unknown" },
  TEXT ("verdict", "verdict", differences),
  MAYBE_WHOLE ("step_base_ns", "base"),
  MAYBE_WHOLE ("step_new_ns", "new"),
  MAYBE_NUMBER ("ratio", "new / base"),
  LIST ("changes", "largest first", change_fields),
  LIST ("unknown", "unknown", unknown_fields),
  { NULL },
};

static const NpField late_fields[] = {
  MAYBE_WHOLE ("rank", "who is waited for"),
  WHOLE ("waited_ns", "of all that wait"),
  WHOLE ("held_ns", "first to last rank"),
  WHOLE ("times", "collectives at which it was last"),
  WHOLE ("of", "collectives"),
  MAYBE_TEXT ("cause", "cause"),
  MAYBE_TEXT ("name", "name"),
  { NULL },
};
const NpField np_ranks_fields[] = {
  LIST ("late", "most waited for first", late_fields),
  LIST ("unknown", "unknown", unknown_fields),
  { NULL },
};

static const NpField table_fields[] = {
  TEXT ("name", "table"),
  MAYBE_WHOLE ("rows", "rows"),
  TEXT ("about", "what a row is"),
  { NULL },
};
static const NpField described_fields[] = {
  TEXT ("name", "column"),
  TEXT ("type", "type"),
  MAYBE_TEXT ("unit", "unit"),
  TEXT ("about", "meaning"),
  MAYBE_TEXT ("unknown", "when it is unknown"),
  { NULL },
};
const NpField np_schema_fields[] = {
  LIST ("tables", "tables", table_fields),
  LIST ("columns", "columns", described_fields),
  { NULL },
};

/* -- The envelope ------------------------------------------------------------------------------ */

static const NpField scope_fields[] = {
  MAYBE_TEXT ("device", "device label as open printed it"),
  MAYBE_WHOLE ("step", "step number"),
  MAYBE_WHOLE ("rank", "rank of a job"),
  MAYBE_WHOLE ("from_ns", "start of the window, ns after the first row"),
  MAYBE_WHOLE ("to_ns", "end of the window"),
  { NULL },
};
static const NpField note_fields[] = {
  TEXT ("code", "code", note_codes), WHOLE ("count", "rows"), TEXT ("text", "sentence"), { NULL },
};
static const NpField error_fields[] = {
  TEXT ("code", "error", error_codes),
  TEXT ("text", "what is wrong"),
  MAYBE_WHOLE ("at", "character"),
  TEXTS ("nearest", "names that are there"),
  { NULL },
};
static const NpField no_fields[] = { { NULL } };
static const NpField next_fields[] = {
  TEXT ("tool", "tool"),
  { "arguments", NP_FIELD_OBJECT, TRUE, "whole arguments of the call", .of = no_fields },
  TEXT ("why", "what it would tell"),
  { NULL },
};
const NpField np_envelope_fields[] = {
  TEXT ("schema", "version of the answer", versions),
  TEXT ("tool", "tool"),
  MAYBE_TEXT ("id", "profile", .pattern = ID),
  { "scope", NP_FIELD_OBJECT, TRUE, "what was asked about", .of = scope_fields },
  TEXT ("certainty", "how sure", certainties),
  { "abstained", NP_FIELD_YES_NO, TRUE, "no answer; reason says why" },
  { "reason", NP_FIELD_OBJECT, FALSE, "why there is no answer", .of = unknown_fields },
  { "truncated", NP_FIELD_YES_NO, TRUE, "more rows than these" },
  MAYBE_WHOLE ("total", "rows in all"),
  MAYBE_TEXT ("next_cursor", "for the next page"),
  TEXT ("text", "one sentence; {name} and {other} stand for the fields of that name"),
  LIST ("notes", "what was left out or looks wrong", note_fields),
  { "error", NP_FIELD_OBJECT, FALSE, "what is wrong with the call", .of = error_fields },
  { "next", NP_FIELD_LIST, TRUE, "calls that would tell more", .of = next_fields, .most = 3 },
  TEXTS ("command", "the same on a command line"),
  { NULL },
};
