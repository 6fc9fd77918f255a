/* SPDX-License-Identifier: Apache-2.0 */
/* schema.c - the table of tools as JSON Schema 2020-12, as the list that clients load, and as
 * Markdown. */
#include "agent/tool.h"

#include <system/json-writer.h>

#define DRAFT "https://json-schema.org/draft/2020-12/schema"

static const char *const type_names[] = {
  [NP_FIELD_TEXT] = "string",    [NP_FIELD_WHOLE] = "integer", [NP_FIELD_NUMBER] = "number",
  [NP_FIELD_YES_NO] = "boolean", [NP_FIELD_OBJECT] = "object", [NP_FIELD_LIST] = "array",
  [NP_FIELD_ROWS] = "array",
};

static void put_object (NpJson *j, const NpField *fields, const NpTool *tool);

static void
put_codes (NpJson *j, const char *const *codes)
{
  np_json_array (j, "enum");
  for (; *codes; codes++)
    np_json_text (j, NULL, *codes);
  np_json_end_array (j);
}

/* Puts the schema of what rows hold: unknown cells are null. */
static void
put_cells (NpJson *j)
{
  static const char *const types[] = { "integer", "number", "string", "boolean", "null" };
  np_json_object (j, "items");
  np_json_text (j, "type", "array");
  np_json_object (j, "items");
  np_json_array (j, "type");
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    np_json_text (j, NULL, types[i]);
  np_json_end_array (j);
  np_json_end_object (j);
  np_json_end_object (j);
}

static void
put_items (NpJson *j, const NpField *field)
{
  np_json_object (j, "items");
  np_json_text (j, "type", field->of ? "object" : type_names[field->items]);
  if (field->of)
    put_object (j, field->of, NULL);
  np_json_end_object (j);
}

/* tool: whose name is the only one that member `tool` of the envelope may be; NULL: all may. */
static void
put_field (NpJson *j, const NpField *field, const NpTool *tool)
{
  const char *const one[] = { tool ? tool->name : NULL, NULL };
  gboolean is_tool = g_str_equal (field->name, "tool");
  np_json_object (j, field->name);
  np_json_text (j, "type", type_names[field->type]);
  np_json_text (j, "description", field->about);
  if (is_tool || field->codes)
    put_codes (j, !is_tool ? field->codes : tool ? one : np_tool_names ());
  if (field->pattern)
    np_json_text (j, "pattern", field->pattern);
  if (field->type == NP_FIELD_OBJECT && field->of->name)
    put_object (j, field->of, NULL);
  if (field->type == NP_FIELD_LIST)
    put_items (j, field);
  if (field->type == NP_FIELD_ROWS)
    put_cells (j);
  if (field->most)
    np_json_integer (j, "maxItems", field->most);
  np_json_end_object (j);
}

/* Puts what an object has, without its brackets; the data of a tool stand beside the envelope. */
static void
put_object (NpJson *j, const NpField *fields, const NpTool *tool)
{
  np_json_object (j, "properties");
  for (const NpField *field = fields; field->name; field++)
    put_field (j, field, tool);
  if (tool) {
    np_json_object (j, "data");
    np_json_text (j, "type", "object");
    np_json_text (j, "description", "the answer; absent when there is none");
    put_object (j, tool->data, NULL);
    np_json_end_object (j);
  }
  np_json_end_object (j);
  np_json_array (j, "required");
  for (const NpField *field = fields; field->name; field++)
    if (field->required)
      np_json_text (j, NULL, field->name);
  np_json_end_array (j);
  np_json_bool (j, "additionalProperties", FALSE);
}

static char *
schema_of (const char *title, const NpField *fields, const NpTool *tool)
{
  struct nprof_buf buf = { 0 };
  NpJson json = { .buf = &buf, .style = NP_JSON_INDENTED };
  np_json_object (&json, NULL);
  np_json_text (&json, "$schema", DRAFT);
  np_json_text (&json, "title", title);
  np_json_text (&json, "type", "object");
  put_object (&json, fields, tool);
  np_json_end_object (&json);
  nprof_put_char (&buf, '\n');
  return np_json_take (&buf);
}

char *
np_tool_schema (const NpTool *tool)
{
  g_autofree char *title = g_strconcat ("nprof.answer/1 of tool ", tool->name, NULL);
  return schema_of (title, np_envelope_fields, tool);
}

char *
np_summary_schema (void)
{
  return schema_of ("nprof.summary/1: data of tool verdict", np_verdict_fields, NULL);
}

/* -- The list ---------------------------------------------------------------------------------- */

static void
put_argument (NpJson *j, const NpArg *arg)
{
  static const char *const types[] = { [NP_ARG_TEXT] = "string",
                                       [NP_ARG_ID] = "string",
                                       [NP_ARG_WHOLE] = "integer",
                                       [NP_ARG_WORDS] = "array" };
  np_json_object (j, arg->name);
  np_json_text (j, "type", types[arg->type]);
  np_json_text (j, "description", arg->about);
  if (arg->codes)
    put_codes (j, arg->codes);
  if (arg->type == NP_ARG_ID)
    np_json_text (j, "pattern", "^n_[0-9a-f]{6,64}$");
  if (arg->type == NP_ARG_WHOLE)
    np_json_integer (j, "minimum", arg->least);
  if (arg->most)
    np_json_integer (j, "maximum", arg->most);
  if (arg->type == NP_ARG_WORDS) {
    np_json_object (j, "items");
    np_json_text (j, "type", "string");
    np_json_end_object (j);
  }
  np_json_end_object (j);
}

static void
put_input_schema (NpJson *j, const NpTool *tool)
{
  np_json_object (j, "inputSchema");
  np_json_text (j, "type", "object");
  np_json_object (j, "properties");
  for (const NpArg *arg = tool->args; arg->name; arg++)
    put_argument (j, arg);
  np_json_end_object (j);
  np_json_array (j, "required");
  for (const NpArg *arg = tool->args; arg->name; arg++)
    if (arg->required)
      np_json_text (j, NULL, arg->name);
  np_json_end_array (j);
  np_json_bool (j, "additionalProperties", FALSE);
  np_json_end_object (j);
}

/* Puts what all answers have; the whole schema is a resource, as clients load each into every
 * conversation. */
static void
put_output_schema (NpJson *j)
{
  np_json_object (j, "outputSchema");
  np_json_text (j, "type", "object");
  np_json_object (j, "properties");
  for (const NpField *field = np_envelope_fields; field->name; field++) {
    if (!field->required || field->type == NP_FIELD_LIST)
      continue;
    np_json_object (j, field->name);
    np_json_text (j, "type", type_names[field->type]);
    np_json_end_object (j);
  }
  np_json_end_object (j);
  np_json_array (j, "required");
  np_json_text (j, NULL, "schema");
  np_json_text (j, NULL, "tool");
  np_json_text (j, NULL, "abstained");
  np_json_text (j, NULL, "text");
  np_json_end_array (j);
  np_json_end_object (j);
}

static void
put_annotations (NpJson *j)
{
  np_json_object (j, "annotations");
  np_json_bool (j, "readOnlyHint", TRUE);
  np_json_bool (j, "destructiveHint", FALSE);
  np_json_bool (j, "idempotentHint", TRUE);
  np_json_bool (j, "openWorldHint", FALSE);
  np_json_end_object (j);
}

char *
np_tools_list (void)
{
  struct nprof_buf buf = { 0 };
  NpJson json = { .buf = &buf, .style = NP_JSON_DENSE }, *j = &json;
  np_json_array (j, NULL);
  for (const NpTool *tool = np_tools; tool->name; tool++) {
    np_json_object (j, NULL);
    np_json_text (j, "name", tool->name);
    np_json_text (j, "title", tool->title);
    np_json_text (j, "description", tool->about);
    put_input_schema (j, tool);
    put_output_schema (j);
    put_annotations (j);
    np_json_end_object (j);
  }
  np_json_end_array (j);
  return np_json_take (&buf);
}

char *
np_tools_markdown (void)
{
  GString *text
      = g_string_new ("| tool | arguments (required **so**) | at most |\n|---|---|---|\n");
  for (const NpTool *tool = np_tools; tool->name; tool++) {
    g_string_append_printf (text, "| `%s` |", tool->name);
    for (const NpArg *arg = tool->args; arg->name; arg++)
      g_string_append_printf (text, arg->required ? "%s **%s**" : "%s %s",
                              arg == tool->args ? "" : ",", arg->name);
    g_string_append_printf (text, " | %" G_GSIZE_FORMAT " bytes, %u s |\n", tool->bytes,
                            tool->seconds);
  }
  return g_string_free (text, FALSE);
}
