/* SPDX-License-Identifier: Apache-2.0 */
/* call.c - builds the answer of a call, and writes it within its bytes. */
#include "agent/call.h"

#include "agent/names.h"

#include <string.h>

static void
begin_piece (NpPiece *piece, gboolean object)
{
  piece->json = (NpJson){ .buf = &piece->buf, .style = NP_JSON_DENSE };
  if (object)
    np_json_object (&piece->json, NULL);
  else
    np_json_array (&piece->json, NULL);
}

NpCall *
np_call_new (const NpTool *tool, NpAgent *agent)
{
  NpCall *call = g_new0 (NpCall, 1);
  call->tool = tool;
  call->agent = agent;
  call->certainty = "measured";
  call->text = g_string_new (NULL);
  call->total = call->error.at = -1;
  call->rest = 700;
  begin_piece (&call->data, TRUE);
  begin_piece (&call->notes, FALSE);
  begin_piece (&call->next, FALSE);
  return call;
}

void
np_call_free (NpCall *call)
{
  if (!call)
    return;
  if (call->user_free)
    call->user_free (call->user);
  np_args_clear (&call->args);
  g_string_free (call->text, TRUE);
  g_free (call->record);
  g_free (call->cursor);
  g_free (call->id);
  g_free (call->shown);
  g_free (call->second);
  g_free (call->error.text);
  g_clear_pointer (&call->error.nearest, g_ptr_array_unref);
  nprof_buf_clear (&call->data.buf);
  nprof_buf_clear (&call->notes.buf);
  nprof_buf_clear (&call->next.buf);
  g_free (call);
}

/* -- Its parts --------------------------------------------------------------------------------- */

void
np_call_fail (NpCall *call, const char *code, const char *format, ...)
{
  va_list values;
  if (call->error.code)
    return;
  va_start (values, format);
  call->error.text = g_strdup_vprintf (format, values);
  va_end (values);
  call->error.code = code;
}

void
np_call_nearest (NpCall *call, const char *name)
{
  if (!call->error.nearest)
    call->error.nearest = g_ptr_array_new_with_free_func (g_free);
  if (call->error.nearest->len < 20)
    g_ptr_array_add (call->error.nearest, np_name_clean (name, -1));
}

void
np_call_fail_argument (NpCall *call, const char *problem, const GPtrArray *nearest)
{
  if (!problem || call->error.code)
    return;
  np_call_fail (call, "bad_argument", "%s", problem);
  for (guint i = 0; nearest && i < nearest->len; i++)
    np_call_nearest (call, nearest->pdata[i]);
}

void
np_call_abstain (NpCall *call, const char *what, const char *reason, const char *record)
{
  call->what = what;
  call->reason = reason;
  g_free (call->record);
  call->record = g_strdup (record);
  call->certainty = "unknown";
}

void
np_call_say (NpCall *call, const char *format, ...)
{
  va_list values;
  va_start (values, format);
  g_string_append_vprintf (call->text, format, values);
  va_end (values);
}

void
np_call_note (NpCall *call, const char *code, gint64 count, const char *text)
{
  NpJson *j = &call->notes.json;
  np_json_object (j, NULL);
  np_json_text (j, "code", code);
  np_json_integer (j, "count", count);
  np_json_text (j, "text", text);
  np_json_end_object (j);
}

void
np_call_next (NpCall *call, const char *tool, const char *why, ...)
{
  NpJson *j = &call->next.json;
  va_list values;
  const char *name;
  if (call->n_next >= 3)
    return;
  call->n_next++;
  np_json_object (j, NULL);
  np_json_text (j, "tool", tool);
  np_json_object (j, "arguments");
  va_start (values, why);
  while ((name = va_arg (values, const char *))) {
    const char *value = va_arg (values, const char *);
    if (*value == '#')
      np_json_integer (j, name, g_ascii_strtoll (value + 1, NULL, 10));
    else
      np_json_text (j, name, value);
  }
  va_end (values);
  np_json_end_object (j);
  np_json_text (j, "why", why);
  np_json_end_object (j);
}

void
np_call_name (NpCall *call, const char *key, const char *text)
{
  g_autofree char *clean = text && *text ? np_name_clean (text, -1) : NULL;
  if (clean)
    np_json_text (&call->data.json, key, clean);
}

NpMark
np_call_mark (const NpCall *call)
{
  return (NpMark){ call->data.buf.len, call->data.json };
}

gboolean
np_call_fits (NpCall *call, NpMark mark, gsize spare)
{
  gsize most = call->tool->bytes - MIN (call->tool->bytes, call->rest + call->notes.buf.len);
  if (call->data.buf.len + spare <= most)
    return TRUE;
  call->data.buf.len = mark.len;
  call->data.json = mark.json;
  call->truncated = TRUE;
  return FALSE;
}

gboolean
np_call_end_item (NpCall *call, NpMark mark, gsize spare)
{
  np_json_end_object (&call->data.json);
  return np_call_fits (call, mark, spare);
}

/* -- The envelope ------------------------------------------------------------------------------ */

static void
put_whole (NpJson *j, const char *key, NpWhole whole)
{
  if (whole.given)
    np_json_integer (j, key, whole.value);
}

static void
put_scope (const NpCall *call, NpJson *j)
{
  g_autofree char *device = call->args.device ? np_name_clean (call->args.device, -1) : NULL;
  np_json_object (j, "scope");
  if (device)
    np_json_text (j, "device", device);
  put_whole (j, "step", call->args.step);
  put_whole (j, "rank", call->args.rank);
  put_whole (j, "from_ns", call->args.from_ns);
  put_whole (j, "to_ns", call->args.to_ns);
  np_json_end_object (j);
}

static void
put_reason (const NpCall *call, NpJson *j)
{
  np_json_object (j, "reason");
  np_json_text (j, "what", call->what);
  np_json_text (j, "code", call->reason);
  if (call->record)
    np_json_text (j, "record", call->record);
  np_json_end_object (j);
}

static void
put_error (const NpCall *call, NpJson *j)
{
  const GPtrArray *nearest = call->error.nearest;
  np_json_object (j, "error");
  np_json_text (j, "code", call->error.code);
  np_json_text (j, "text", call->error.text);
  if (call->error.at >= 0)
    np_json_integer (j, "at", call->error.at);
  np_json_array (j, "nearest");
  for (guint i = 0; nearest && i < nearest->len; i++)
    np_json_text (j, NULL, nearest->pdata[i]);
  np_json_end_array (j);
  np_json_end_object (j);
}

/* Puts the words of `nprof ask` that ask the same. */
static void
put_command (const NpCall *call, NpJson *j)
{
  const NpArgs *args = &call->args;
  np_json_array (j, "command");
  np_json_text (j, NULL, "nprof");
  np_json_text (j, NULL, "ask");
  np_json_text (j, NULL, call->tool->name);
  g_autofree char *file = call->shown ? np_name_clean (call->shown, -1) : NULL;
  if (file)
    np_json_text (j, NULL, file);
  g_autofree char *second = call->second ? np_name_clean (call->second, -1) : NULL;
  if (second)
    np_json_text (j, NULL, second);
  for (const NpArg *arg = call->tool->args; arg->name; arg++) {
    gconstpointer at = np_arg_at (args, arg);
    const NpWhole *whole = at;
    g_autofree char *value
        = arg->type == NP_ARG_WHOLE
              ? whole->given ? g_strdup_printf ("%" G_GINT64_FORMAT, whole->value) : NULL
          : arg->type == NP_ARG_WORDS
              ? *(char **const *) at ? g_strjoinv (",", *(char **const *) at) : NULL
              : g_strdup (*(char *const *) at);
    gboolean is_file = !strcmp (arg->name, "id") || !strcmp (arg->name, "path")
                       || !strcmp (arg->name, "base") || !strcmp (arg->name, "new")
                       || !strcmp (arg->name, "cursor");
    g_autofree char *clean = value && !is_file ? np_name_clean (value, -1) : NULL;
    g_autofree char *word = clean ? g_strdup_printf ("%s=%s", arg->name, clean) : NULL;
    if (word)
      np_json_text (j, NULL, word);
  }
  np_json_end_array (j);
}

static void
put_piece (NpJson *j, const char *key, const NpPiece *piece, char end)
{
  struct nprof_buf *to = np_json_value (j, key, strlen (key));
  nprof_put (to, piece->buf.data, piece->buf.len);
  nprof_put_char (to, end);
}

static char *
write_answer (const NpCall *call, gboolean with_next)
{
  struct nprof_buf buf = { 0 };
  NpJson json = { .buf = &buf, .style = NP_JSON_DENSE }, *j = &json;
  np_json_object (j, NULL);
  np_json_text (j, "schema", "nprof.answer/1");
  np_json_text (j, "tool", call->tool->name);
  if (call->id)
    np_json_text (j, "id", call->id);
  put_scope (call, j);
  np_json_text (j, "certainty", call->certainty);
  np_json_bool (j, "abstained", call->reason != NULL);
  if (call->reason)
    put_reason (call, j);
  np_json_bool (j, "truncated", call->truncated);
  if (call->total >= 0)
    np_json_integer (j, "total", call->total);
  if (call->cursor)
    np_json_text (j, "next_cursor", call->cursor);
  np_json_text (j, "text", call->text->str);
  if (!call->error.code && !call->reason)
    put_piece (j, "data", &call->data, '}');
  put_piece (j, "notes", &call->notes, ']');
  if (call->error.code)
    put_error (call, j);
  if (with_next)
    put_piece (j, "next", &call->next, ']');
  else {
    np_json_array (j, "next");
    np_json_end_array (j);
  }
  put_command (call, j);
  np_json_end_object (j);
  return np_json_take (&buf);
}

char *
np_call_take (NpCall *call)
{
  if (call->error.code) {
    g_string_assign (call->text, call->error.text);
    call->certainty = "unknown";
    call->reason = NULL;
    call->truncated = FALSE;
    call->total = -1;
    g_clear_pointer (&call->cursor, g_free);
  }
  char *text = write_answer (call, TRUE);
  if (strlen (text) > call->tool->bytes) {
    g_free (text);
    text = write_answer (call, FALSE);
  }
  if (strlen (text) <= call->tool->bytes || call->error.code)
    return text;
  g_free (text);
  np_call_fail (call, "too_large",
                "the answer takes more than %" G_GSIZE_FORMAT " bytes: ask for "
                "fewer columns, rows or devices",
                call->tool->bytes);
  return np_call_take (call);
}
