/* SPDX-License-Identifier: Apache-2.0 */
/* no-sql.c - route sql of an nprof that was built without SQLite. */

#include "ask.h"

gboolean
np_has_sql (void)
{
  return FALSE;
}

gboolean
np_ask_sql (NpAsk *ask)
{
  NpJson *j = &ask->json;
  np_json_object (j, NULL);
  np_json_array (j, "columns");
  np_json_end_array (j);
  np_json_array (j, "rows");
  np_json_end_array (j);
  np_json_number (j, "elapsed_ms", 0);
  np_json_bool (j, "more", FALSE);
  np_json_array (j, "notices");
  np_json_end_array (j);
  np_json_text (j, "unknown", "needs an nprof that was built with SQLite");
  np_json_end_object (j);
  return TRUE;
}
