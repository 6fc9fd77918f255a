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
    nprof_log (c->host, NPROF_WARNING, "%s names %s, which cannot be read: it is left out", DETAILS,
               name);
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
  graph_plans (c, label, events, false, plans);
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

/* Reads those of the run's rank; where there are none, those of rank 0. */
static nprof_status
read_details (Chrome *c, const char *details, bool named, GPtrArray *plans)
{
  g_autoptr (GPtrArray) files = listed (c, details);
  const gint64 own = c->input->file ? rank_of (c->input->file) : -1;
  const gint64 rank = any_of_rank (files, own) ? own : 0;
  const bool by_rank = any_of_rank (files, rank);
  nprof_status status = NPROF_OK;
  for (guint i = 0; i < files->len && !status; i++) {
    const char *file = g_ptr_array_index (files, i);
    if (!by_rank || rank_of (file) == rank || rank_of (file) < 0)
      status = read_file (c, file, named, plans);
  }
  return status;
}

/* -- Named by the user ------------------------------------------------------------------------- */

static nprof_status
read_named (Chrome *c, GPtrArray *plans)
{
  nprof_status status = NPROF_OK;
  for (const char *const *name = c->eager; name && *name && !status; name++) {
    g_autofree char *path = g_canonicalize_filename (*name, NULL);
    g_autofree char *within = g_build_filename (path, DETAILS, NULL);
    if (g_str_has_suffix (path, "/" DETAILS))
      status = read_details (c, path, true, plans);
    else if (is_there (c, within))
      status = read_details (c, within, true, plans);
    else
      status = read_file (c, path, true, plans);
  }
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

/* SGLang writes a file for each size of batch; it captures none above this by default. */
#define BATCHES 512

static nprof_status
read_if_there (Chrome *c, const char *folder, const char *file, GPtrArray *plans)
{
  g_autofree char *name = g_build_filename (folder, file, NULL);
  return is_there (c, name) ? read_file (c, name, false, plans) : NPROF_OK;
}

/* xDiT: capture_trace_rank_R.json.gz; SGLang: bs_B_rankR.json.gz. */
static nprof_status
read_of_rank (Chrome *c, const char *folder, gint64 rank, GPtrArray *plans)
{
  g_autofree char *xdit = g_strdup_printf ("capture_trace_rank_%" G_GINT64_FORMAT ".json.gz", rank);
  nprof_status status = read_if_there (c, folder, xdit, plans);
  for (guint batch = 1; batch <= BATCHES && !status; batch++) {
    g_autofree char *sglang
        = g_strdup_printf ("bs_%u_rank%" G_GINT64_FORMAT ".json.gz", batch, rank);
    status = read_if_there (c, folder, sglang, plans);
  }
  return status;
}

/* Reads those of the run's rank; where there are none, those of rank 0. */
static nprof_status
read_by_name (Chrome *c, GPtrArray *plans)
{
  static const char *const captures[] = { "capture_traces", "../capture_traces" };
  const gint64 own = c->input->file ? MAX (rank_of (c->input->file), 0) : 0;
  const guint before = plans->len;
  nprof_status status = NPROF_OK;
  for (gsize i = 0; i < G_N_ELEMENTS (captures) && !status; i++)
    status = read_of_rank (c, captures[i], own, plans);
  for (gsize i = 0; own && plans->len == before && i < G_N_ELEMENTS (captures) && !status; i++)
    status = read_of_rank (c, captures[i], 0, plans);
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
