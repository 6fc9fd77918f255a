/* SPDX-License-Identifier: Apache-2.0 */
/* findings.c - reads tables verdict_parts and findings for the tools that tell of them. */
#include "agent/findings.h"

#include <string.h>

sqlite3_stmt *
np_findings (NpCall *call, gint64 from)
{
  static const char parts[]
      = "select part, duration_ps as stake, gain, case when part in ('comm', 'copy', 'bubble') "
        "then 'exposed' when part in ('compute', 'control') then null else 'idle.' || part end, "
        "action, "
        "place as name, null as other, device, certainty, 0 as source, rowid as at "
        "from verdict_parts where action is not null";
  static const char rows[]
      = "select code, stake_ps, null, null, null, name, other, device, null, 1, rowid "
        "from findings where stake_ps is not null and code not in (select part from verdict_parts)";
  /* Communication that waits for other ranks would wait beside compute, too. */
  static const char waits[]
      = "and not (part = 'comm' and exists (select 1 from findings f where f.code = 'waits' and "
        "f.input is verdict_parts.input and f.device is verdict_parts.device))";
  static const char order[] = "order by stake desc, source, at limit -1 offset";
  sqlite3_stmt *stmt = np_ask (call, "select * from (%s %s union all %s) %s %lld", parts, waits, rows,
                               order, (long long) from);
  return stmt ? stmt : np_ask (call, "select * from (%s) %s %lld", parts, order, (long long) from);
}

const char *
np_action (const char *text)
{
  for (const NpField *field = np_verdict_fields; field->name; field++) {
    if (strcmp (field->name, "findings"))
      continue;
    for (const NpField *member = field->of; member->name; member++)
      for (guint i = 0; text && !strcmp (member->name, "action") && member->codes[i]; i++) {
        gsize n = strlen (member->codes[i]);
        if (!strncmp (text, member->codes[i], n) && (!text[n] || text[n] == ','))
          return member->codes[i];
      }
  }
  return "none";
}

/* -- Parts ------------------------------------------------------------------------------------- */

static const struct {
  const char *part, *ours;
} parts[] = {
  { "compute", "compute" },
  { "comm", "communication.exposed" },
  { "copy", "copy.exposed" },
  { "bubble", "communication.bubble" },
  { "control", "control" },
  { "lost", "lost" },
  { "input", "idle.input" },
  { "preprocess", "idle.preprocess" },
  { "alloc", "idle.alloc" },
  { "capture", "idle.capture" },
  { "first_use", "idle.first_use" },
  { "stall", "idle.stall" },
  { "host", "idle.host" },
  { "launch", "idle.launch" },
  { "sync", "idle.sync" },
  { "wait", "idle.wait" },
  { "unrecorded", "idle.unrecorded" },
  { "opaque", "idle.opaque" },
  { "profiler", "idle.profiler" },
  { "unlinked", "idle.unlinked" },
};

static const char *
our_part (const char *part)
{
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (!g_strcmp0 (parts[i].part, part))
      return parts[i].ours;
  return "other";
}

gboolean
np_part_is_idle (const NpPart *part)
{
  return g_str_has_prefix (part->part, "idle.");
}

/* Rounds down first, and gives what is missing to the largest remainders. */
static void
round_all (GArray *all, gint64 base_ns)
{
  gint64 missing = base_ns;
  for (guint i = 0; i < all->len; i++) {
    NpPart *part = &g_array_index (all, NpPart, i);
    part->ns = part->ps / 1000;
    missing -= part->ns;
  }
  for (; missing > 0 && missing <= all->len; missing--) {
    NpPart *most = NULL;
    for (guint i = 0; i < all->len; i++) {
      NpPart *part = &g_array_index (all, NpPart, i);
      if (part->ns * 1000 <= part->ps
          && (!most || part->ps - part->ns * 1000 > most->ps - most->ns * 1000))
        most = part;
    }
    if (!most)
      return;
    most->ns++;
  }
}

GArray *
np_parts (NpCall *call, const char *input, const char *device, gint64 base_ns)
{
  GArray *all = g_array_new (FALSE, TRUE, sizeof (NpPart));
  sqlite3_stmt *stmt = np_ask (call,
                               "select part, sum(duration_ps) from verdict_parts where input "
                               "= %Q and device = %Q group by part order by min(rowid)",
                               input, device);
  while (stmt && sqlite3_step (stmt) == SQLITE_ROW) {
    NpPart part = { our_part (np_column (stmt, 0)), sqlite3_column_int64 (stmt, 1), 0 };
    g_array_append_val (all, part);
  }
  sqlite3_finalize (stmt);
  round_all (all, base_ns);
  return all;
}
