/* SPDX-License-Identifier: Apache-2.0 */
/* reply.c - makes answers and errors. */

#include "stored/reply.h"
#include "base/error.h"

#include <unistd.h>

void
np_reply_init (NpReply *reply)
{
  *reply = (NpReply){ .status = 200, .type = "application/json", .fd = -1 };
}

void
np_reply_clear (NpReply *reply)
{
  nprof_buf_clear (&reply->body);
  g_clear_pointer (&reply->etag, g_free);
  g_clear_pointer (&reply->download, g_free);
  g_clear_pointer (&reply->nonce, g_free);
  if (reply->fd >= 0)
    close (reply->fd);
  reply->fd = -1;
}

NpJson
np_reply_json (NpReply *reply)
{
  return (NpJson){ .buf = &reply->body };
}

gboolean
np_reply_fail_at (NpReply *reply, guint status, gint64 at, const char *mend, const char *text)
{
  np_reply_clear (reply);
  np_reply_init (reply);
  reply->status = status;
  NpJson j = np_reply_json (reply);
  np_json_object (&j, NULL);
  np_json_object (&j, "error");
  np_json_text (&j, "text", text);
  if (at >= 0)
    np_json_number (&j, "at", (guint64) at);
  else
    np_json_null (&j, "at");
  np_json_text (&j, "mend", mend);
  np_json_end_object (&j);
  np_json_end_object (&j);
  return FALSE;
}

gboolean
np_reply_ended (NpReply *reply, int status, const char *text)
{
  guint code = status == NP_EXIT_USAGE ? 400 : status == NP_EXIT_ROOM ? 507 : 422;
  return np_reply_fail (reply, code, "", "%s", text);
}

gboolean
np_reply_fail (NpReply *reply, guint status, const char *mend, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *text = g_strdup_vprintf (format, args);
  va_end (args);
  return np_reply_fail_at (reply, status, -1, mend, text);
}
