/* SPDX-License-Identifier: Apache-2.0 */
/* companions.c - finds the recordings of captures, or of runs without graphs, that tell of a run's
 * replays: files that the user names, else those of execution_details.json beside the run, else
 * those whose names servers give them. */
#include "graphs.h"

#include <nprof/draft/sibling-head.h>
#include <string.h>

#define DETAILS "execution_details.json"

static bool
is_there (Chrome *c, const char *name)
{
  const struct nprof_sibling_head *head = c->host->extension (c->host, NPROF_SIBLING_HEAD);
  char byte;
  return head && head->read (c->host, name, &byte, 1) == 1;
}

/* Returns 0 where it cannot be read any more. */
static nprof_str
digest_of (Chrome *c, const char *name)
{
  const struct nprof_sibling_head *head = c->host->extension (c->host, NPROF_SIBLING_HEAD);
  char hex[41];
  return head && head->digest (c->host, name, hex) ? nprof_intern (c->host, hex) : 0;
}

/* -- One file ---------------------------------------------------------------------------------- */

/* Returns where the events of a trace begin; NULL: it is none. */
static const char *
events_in (const char *p, const char *end)
{
  static const char key[] = "\"traceEvents\"";
  if (end - p >= 3 && memcmp (p, "\xef\xbb\xbf", 3) == 0)
    p += 3;
  p = te_space (p, end);
  if (p < end && *p == '[')
    return p + 1;
  p = memmem (p, (size_t) (end - p), key, sizeof key - 1);
  p = p ? te_space (p + sizeof key - 1, end) : NULL;
  if (!p || p >= end || *p != ':')
    return NULL;
  p = te_space (p + 1, end);
  return p < end && *p == '[' ? p + 1 : NULL;
}

/* Returns the microsecond that its times count from: the first that an event states. */
static gint64
zero_of (Chrome *c, const char *p, const char *end)
{
  TeScan scan = { .controls = &(TeControls){ 0 },
                  .with = c->scanner, .shapes = c->scanner->shapes_new (), .end = end };
  TeEvent event;
  gint64 zero = 0;
  while (scan.shapes && (p = te_space (p, end)) < end && *p != ']') {
    const char *next = *p == ',' ? p + 1 : scan.with->event (&scan, p, &event);
    if (!next)
      break;
    if (*p != ',' && event.ph == 'X' && te_has (&event, TE_TS) && event.ts.state <= TE_ROUNDED) {
      zero = event.ts.us;
      break;
    }
    p = next;
  }
  free (scan.shapes);
  return zero;
}

/* `named`: by the user, who learns that it cannot be read. */
static nprof_status
read_file (Chrome *c, const char *name, bool named, GPtrArray *plans)
{
  uint64_t len;
  if (!named && !is_there (c, name)) {
    nprof_log (c->host, NPROF_WARNING, "%s cannot be read, or is empty: it is left out", name);
    return NPROF_OK;
  }
  const char *data = c->host->sibling (c->host, name, &len);
  if (!data)
    return NPROF_E_IO;
  const char *end = data + len, *from = events_in (data, end);
  if (!from && named)
    return nprof_fail (c->host, NPROF_E_FORMAT,
                       "%s: no trace of PyTorch: expected an object with traceEvents, or an array "
                       "of events; name the trace of the capture, or of a run without graphs",
                       name);
  if (!from) {
    nprof_log (c->host, NPROF_WARNING, "%s: no trace of PyTorch: it is left out", name);
    return NPROF_OK;
  }
  g_autoptr (GArray) events = graph_events (c, from, end, zero_of (c, from, end), true);
  g_autofree char *label = g_path_get_basename (name);
  const guint before = plans->len;
  graph_plans (c, label, events, false, plans);
  const nprof_str digest = digest_of (c, name);
  for (guint i = before; i < plans->len; i++)
    ((GraphPlan *) g_ptr_array_index (plans, i))->digest = digest;
  return NPROF_OK;
}

/* -- execution_details.json -------------------------------------------------------------------- */

/* Returns the rank that a file's name tells: rank_0, rank3, TP-1; -1: none. */
static gint64
rank_of (const char *name)
{
  static const char *const marks[] = { "rank_", "rank", "TP-" };
  for (gsize i = 0; i < G_N_ELEMENTS (marks); i++) {
    const char *at = g_strrstr (name, marks[i]);
    if (at && g_ascii_isdigit (at[strlen (marks[i])]))
      return g_ascii_strtoll (at + strlen (marks[i]), NULL, 10);
  }
  return -1;
}

/* Returns the files that it lists, which lie beside it; transfer full. */
static GPtrArray *
listed (Chrome *c, const char *details)
{
  GPtrArray *files = g_ptr_array_new_with_free_func (g_free);
  uint64_t len;
  const char *p = c->host->sibling (c->host, details, &len), *end = p ? p + len : NULL;
  TeScan s = { .controls = &(TeControls){ 0 }, .with = c->scanner, .end = end };
  TeValue entry, file;
  g_autofree char *folder = g_path_get_dirname (details);
  p = p ? te_space (p, end) : NULL;
  if (p && p < end && *p == '[')
    p++;
  while (p && (p = te_space (p, end)) < end && *p == '{'
         && (p = c->scanner->value (&s, p, &entry))) {
    if (ch_member (c->scanner, &entry, "file", &file) && file.kind == TE_TEXT) {
      g_autofree char *name = g_strndup (file.p, file.len);
      if (strchr (name, '/') || strcmp (name, "..") == 0)
        nprof_log (c->host, NPROF_WARNING, "%s names %s, which lies elsewhere: it is left out",
                   details, name);
      else
        g_ptr_array_add (files, g_build_filename (folder, name, NULL));
    }
    p = te_space (p, end);
    p += p < end && *p == ',';
  }
  return files;
}

static bool
any_of_rank (const GPtrArray *files, gint64 rank)
{
  for (guint i = 0; i < files->len; i++)
    if (rank_of (g_ptr_array_index (files, i)) == rank)
      return true;
  return false;
}

/* Returns the rank of which files are read: the run's; where there are none, 0; -1: any. */
static gint64
rank_among (const Chrome *c, const GPtrArray *files)
{
  const gint64 own = c->input->file ? rank_of (c->input->file) : -1;
  if (own > 0 && !any_of_rank (files, own) && any_of_rank (files, 0))
    nprof_log (c->host, NPROF_INFO,
               "no capture is of rank %" G_GINT64_FORMAT ": those of rank 0 are read", own);
  const gint64 rank = any_of_rank (files, own) ? own : 0;
  return any_of_rank (files, rank) ? rank : -1;
}

static bool
is_of_rank (const char *file, gint64 rank)
{
  return rank < 0 || rank_of (file) == rank || rank_of (file) < 0;
}

static nprof_status
read_details (Chrome *c, const char *details, bool named, GPtrArray *plans)
{
  g_autoptr (GPtrArray) files = listed (c, details);
  const gint64 rank = rank_among (c, files);
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < files->len && !status; i++)
    if (is_of_rank (g_ptr_array_index (files, i), rank))
      status = read_file (c, g_ptr_array_index (files, i), named, plans);
  return status;
}

/* Folders in which servers leave them, from that of the run. */
static const char *const folders[]
    = { ".", "capture_traces", "graph_capture_profile", "../capture_traces",
        "../graph_capture_profile" };

/* Reads those of execution_details.json; `*found`: there is one. */
static nprof_status
read_listed (Chrome *c, bool *found, GPtrArray *plans)
{
  nprof_status status = NPROF_OK;
  for (gsize i = 0; i < G_N_ELEMENTS (folders) && !status; i++) {
    g_autofree char *details = g_build_filename (folders[i], DETAILS, NULL);
    if (!is_there (c, details))
      continue;
    *found = true;
    status = read_details (c, details, false, plans);
  }
  return status;
}

/* -- By their names ---------------------------------------------------------------------------- */

/* Names of captures begin so wherever they lie: xDiT's, vLLM's, and SGLang's two. */
static const char *const begins[]
    = { "capture_trace_", "graph_capture_", "cuda_graph_capture", "bs_" };

/* Returns where ".DIGITS" begins that PyTorch puts before ".pt.trace.json", a time stamp; NULL: the
 * name has none. */
static const char *
time_stamp (const char *name)
{
  const char *end = strstr (name, ".pt.trace.json"), *p = end;
  while (p && p > name && g_ascii_isdigit (p[-1]))
    p--;
  return p && p < end && p > name && p[-1] == '.' ? p - 1 : NULL;
}

/* Returns the name without its time stamp; transfer full. */
static char *
series_of (const char *name)
{
  const char *stamp = time_stamp (name);
  return stamp ? g_strdup_printf ("%.*s%s", (int) (stamp - name), name,
                                  stamp + 1 + strspn (stamp + 1, "0123456789"))
               : g_strdup (name);
}

static bool
is_capture (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path), *name = g_path_get_basename (path);
  bool is = strcmp (folder, ".") != 0 && time_stamp (name); /* there, runs are called so as well */
  for (gsize i = 0; i < G_N_ELEMENTS (begins); i++)
    is |= g_str_has_prefix (name, begins[i]);
  return is && (g_str_has_suffix (name, ".json") || g_str_has_suffix (name, ".json.gz"));
}

static int
take_capture (void *user, const char *path)
{
  if (is_capture (path))
    g_ptr_array_add (user, g_strdup (path));
  return 0;
}

/* Reads a file; of those that differ in their time stamps alone, the plans know it. */
static nprof_status
read_of_series (Chrome *c, const GPtrArray *files, const char *path, GPtrArray *plans)
{
  const guint before = plans->len;
  g_autofree char *series = series_of (path);
  guint alike = 0;
  for (guint i = 0; i < files->len; i++) {
    g_autofree char *other = series_of (g_ptr_array_index (files, i));
    alike += strcmp (series, other) == 0;
  }
  const nprof_status status = read_file (c, path, false, plans);
  for (guint i = before; alike > 1 && i < plans->len; i++)
    ((GraphPlan *) g_ptr_array_index (plans, i))->series = nprof_intern (c->host, series);
  return status;
}

/* Reads those of the run's rank; where there are none, those of rank 0. */
static nprof_status
read_by_name (Chrome *c, GPtrArray *plans)
{
  const struct nprof_sibling_head *head = c->host->extension (c->host, NPROF_SIBLING_HEAD);
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
  nprof_status status = NPROF_OK;
  for (gsize i = 0; head && i < G_N_ELEMENTS (folders) && !status; i++)
    status = head->within (c->host, folders[i], take_capture, files);
  const gint64 rank = MAX (rank_among (c, files), 0);
  for (guint i = 0; i < files->len && !status; i++)
    if (rank_of (g_ptr_array_index (files, i)) == rank)
      status = read_of_series (c, files, g_ptr_array_index (files, i), plans);
  return status;
}

/* -- Named by the user ------------------------------------------------------------------------- */

static int
take_trace (void *user, const char *path)
{
  if (g_str_has_suffix (path, ".json") || g_str_has_suffix (path, ".json.gz"))
    g_ptr_array_add (user, g_strdup (path));
  return 0;
}

/* Reads all traces of a folder without a list: those of the run's rank and those that name no
 * rank. */
static nprof_status
read_folder (Chrome *c, const GPtrArray *files, GPtrArray *plans)
{
  const gint64 rank = rank_among (c, files);
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < files->len && !status; i++)
    if (is_of_rank (g_ptr_array_index (files, i), rank))
      status = read_of_series (c, files, g_ptr_array_index (files, i), plans);
  return status;
}

static nprof_status
read_named (Chrome *c, GPtrArray *plans)
{
  const struct nprof_sibling_head *head = c->host->extension (c->host, NPROF_SIBLING_HEAD);
  nprof_status status = NPROF_OK;
  for (const char *const *name = c->eager; name && *name && !status; name++) {
    g_autofree char *path = g_canonicalize_filename (*name, NULL);
    g_autofree char *within = g_build_filename (path, DETAILS, NULL);
    g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
    if (g_str_has_suffix (path, "/" DETAILS))
      status = read_details (c, path, true, plans);
    else if (is_there (c, within))
      status = read_details (c, within, true, plans);
    else if (!head || head->within (c->host, path, take_trace, files) || !files->len)
      status = read_file (c, path, true, plans);
    else
      status = read_folder (c, files, plans);
  }
  return status;
}

/* -- Together ---------------------------------------------------------------------------------- */

nprof_status
graph_companions (Chrome *c, GPtrArray *plans)
{
  if (c->eager && *c->eager)
    return read_named (c, plans);
  if (!c->companions)
    return NPROF_OK;
  bool found = false;
  const nprof_status status = read_listed (c, &found, plans);
  return status || found ? status : read_by_name (c, plans);
}
