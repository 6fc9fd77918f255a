/* SPDX-License-Identifier: Apache-2.0 */
/* json-text.c - writes by the encoder of the sdk, which sinks use, too. */

#include "base/json-text.h"

#include <nprof/json.h>
#include <string.h>

#define LONGEST_ESCAPE 6 /* \uXXXX, of one byte */

/* GLib ends the program where it finds no memory, as with all texts of the core, so the buffer of the
 * encoder never has to grow. */
void
np_append_json_text (GString *out, const char *text)
{
  gsize len = strlen (text), most = LONGEST_ESCAPE * len + strlen ("\"\"");
  struct nprof_buf json = { .data = g_malloc (most), .max = most };
  nprof_put_json_string (&json, text, len, 0);
  g_string_append_len (out, json.data, (gssize) json.len);
  g_free (json.data);
}
