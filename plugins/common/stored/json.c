/* SPDX-License-Identifier: Apache-2.0 */
/* json.c - writes members that answers of the server have. */

#include "stored/json.h"

void
np_json_row (NpJson *json, const char *key, guint32 lane, guint32 row)
{
  struct nprof_buf *to = np_json_value (json, key, key ? strlen (key) : 0);
  nprof_put_char (to, '"');
  nprof_put_u64 (to, lane);
  nprof_put_char (to, '.');
  nprof_put_u64 (to, row);
  nprof_put_char (to, '"');
}

static void
end_metric (NpJson *json, const char *unit, const char *reason, const char *source)
{
  np_json_text (json, "unit", unit);
  np_json_text (json, "reason", reason);
  np_json_text (json, "source", source);
  np_json_end_object (json);
}

void
np_json_metric (NpJson *json, const char *key, double value, const char *unit, const char *source)
{
  np_json_object (json, key);
  np_json_double (json, "value", value);
  end_metric (json, unit, "", source);
}

void
np_json_metric_time (NpJson *json, const char *key, gint64 ps, const char *source)
{
  np_json_object (json, key);
  np_json_i64 (json, "value", ps);
  end_metric (json, "ps", "", source);
}

void
np_json_unknown (NpJson *json, const char *key, const char *unit, const char *reason)
{
  np_json_object (json, key);
  np_json_null (json, "value");
  end_metric (json, unit, reason, "");
}
