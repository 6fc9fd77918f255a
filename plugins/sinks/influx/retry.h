/* SPDX-License-Identifier: Apache-2.0 */
/* retry.h - decides what to do after a request: it is done, it is sent again after a while, or it
 * has failed for good.  Pure: time is told to it, nothing waits here. */
#pragma once

#include <glib.h>

/* It says how a request went. */
struct retry_result {
  gboolean connected;   /* an answer came; else it was refused, broke or took too long */
  gboolean hopeless;    /* no answer, and there never will be one: a bad name, a certificate */
  int status;           /* of HTTP                                                       */
  gint64 retry_after;   /* seconds, as the server asks; 0: it does not                   */
  gboolean final;       /* the text of the answer says that nothing will change          */
};

enum retry_verdict { RETRY_DONE, RETRY_AGAIN, RETRY_FAILED };

#define RETRY_FIRST_MS 100
#define RETRY_LONGEST_MS 5000

/* `attempt` is 0 after the first try; `waited_ms` counts since the first try; `limit_ms` is how
 * long the server is waited for.  RETRY_AGAIN: after *wait_ms.  Waits double, from RETRY_FIRST_MS
 * on. */
enum retry_verdict retry_decide (const struct retry_result *result, guint attempt, gint64 waited_ms,
                                 gint64 limit_ms, gint64 *wait_ms);
/* Returns whether waiting would help at all, if there were time. */
gboolean retry_may_help (const struct retry_result *result);
