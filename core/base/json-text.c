/* SPDX-License-Identifier: Apache-2.0 */
/* json-text.c - writes by the encoder of the sdk, which sinks use, too. */

#include "base/json-text.h"

#include <nprof/json.h>
#include <string.h>

void
np_append_json_text (GString *out, const char *text)
{
  struct nprof_buf json = { 0 };
  nprof_put_json_string (&json, text, strlen (text), 0);
  if (json.failed)
    g_error ("no memory for a JSON string of %zu bytes", strlen (text));
  g_string_append_len (out, json.data, (gssize) json.len);
  nprof_buf_clear (&json);
}
