/* SPDX-License-Identifier: Apache-2.0 */
/* retry.c - decides when a request is sent again: after 429, 5xx, and answers that never came. */
#include "retry.h"

gboolean
retry_may_help (const struct retry_result *result)
{
  if (!result->connected)
    return !result->hopeless;
  return !result->final && (result->status == 429 || result->status >= 500);
}

static gint64
backoff (guint attempt)
{
  return MIN ((gint64) RETRY_FIRST_MS << MIN (attempt, 16), RETRY_LONGEST_MS);
}

enum retry_verdict
retry_decide (const struct retry_result *result, guint attempt, gint64 waited_ms, gint64 limit_ms,
              gint64 *wait_ms)
{
  if (result->connected && result->status >= 200 && result->status < 300)
    return RETRY_DONE;
  if (!retry_may_help (result))
    return RETRY_FAILED;
  *wait_ms = backoff (attempt);
  if (result->connected && result->retry_after > 0)
    *wait_ms = MAX (*wait_ms, MIN (result->retry_after, G_MAXINT32) * 1000);
  return waited_ms + *wait_ms <= limit_ms ? RETRY_AGAIN : RETRY_FAILED;
}
