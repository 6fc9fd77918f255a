/* SPDX-License-Identifier: Apache-2.0 */
/* recorder.c - the rule by which the first screen of a report names options of PyTorch, over
 * tables: trace JSON with devices is PyTorch's, unless labels are those that others write. */

#include "recorder.h"
#include "producers/recorders.h"

#include <json-glib/json-glib.h>
#include <string.h>

static const char *
text_at (const NpTable *stored, guint row, const char *column)
{
  return np_table_text (stored, row, np_table_column (stored, column));
}

/* Properties are an object of texts. */
static gboolean
was_on (const NpTable *inputs, guint row, const char *option)
{
  const struct nprof_cell cell
      = np_table_cell (inputs, row, np_table_column (inputs, "properties"));
  g_autofree char *json = cell.type == NPROF_JSON ? g_strndup (cell.v.text, cell.len) : NULL;
  g_autoptr (JsonNode) root = json ? json_from_string (json, NULL) : NULL;
  if (!root || !JSON_NODE_HOLDS_OBJECT (root))
    return FALSE;
  const char *value
      = json_object_get_string_member_with_default (json_node_get_object (root), option, "");
  return value && (g_str_equal (value, "1") || g_str_equal (value, "true"));
}

static gboolean
is_trace_without (const NpTableStore *tables, const char *input, const char *option)
{
  const NpTable *inputs = np_table_store_find (tables, "inputs");
  for (guint row = 0; inputs && row < inputs->n_rows; row++)
    if (!g_strcmp0 (text_at (inputs, row, "input"), input))
      return !g_strcmp0 (text_at (inputs, row, "decoder"), "chrome")
             && !was_on (inputs, row, option);
  return FALSE;
}

static gboolean
is_of_others (const char *thread, const char *process)
{
  return recorder_is_rpd (thread) || recorder_is_unitrace (process)
         || recorder_is_tensorflow (thread) || recorder_is_xla (process);
}

gboolean
np_gate_lacks_torch_option (const NpTableStore *tables, const char *input, const char *device,
                            const char *option)
{
  const NpTable *tracks = np_table_store_find (tables, "tracks");
  if (recorder_is_vendor (device))
    return FALSE;
  for (guint row = 0; tracks && row < tracks->n_rows; row++)
    if (!g_strcmp0 (text_at (tracks, row, "input"), input)
        && is_of_others (text_at (tracks, row, "thread"), text_at (tracks, row, "process")))
      return FALSE;
  return is_trace_without (tables, input, option);
}
