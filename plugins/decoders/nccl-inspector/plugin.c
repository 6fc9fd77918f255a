/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - decoder nccl-inspector: the log that NCCL's Inspector keeps of all collectives of a
 * process, a JSON object a line. */
#include "inspector.h"

#include "json/text.h"
#include "profile/collective-keys.h"

#include <nprof/cursor.h>
#include <string.h>

#define REPORT (1 << 20) /* bytes between two reports of progress */

NPROF_TABLE (collective_log, "Collectives of NCCL's log",
             "a line each; durations are whole microseconds, rounded down.", COLLECTIVE_LOG)

static int
probe (const void *head, size_t len, uint64_t size, const char *path)
{
  const char *end = (const char *) head + len, *p = te_space (head, end);
  (void) size, (void) path;
  return p < end && *p == '{' && te_mentions (head, len, "\"header\"")
                 && te_mentions (head, len, "\"n_ranks\"")
                 && (te_mentions (head, len, "\"coll_perf\"")
                     || te_mentions (head, len, "\"p2p_perf\""))
             ? 90
             : 0;
}

static nprof_status
open_inspector (void *data, const struct nprof_host *host)
{
  static const char *const keys[NI_KEYS] = {
    [NI_COLLECTIVE] = NPROF_KEY_COLLECTIVE,
    [NI_COMMUNICATOR] = COLLECTIVE_KEY_COMMUNICATOR,
    [NI_LABEL] = COLLECTIVE_KEY_GROUP_LABEL,
    [NI_SIZE] = COLLECTIVE_KEY_GROUP_SIZE,
    [NI_RANK] = "group_rank",
    [NI_SEQUENCE] = COLLECTIVE_KEY_SEQUENCE,
    [NI_BYTES] = NPROF_KEY_BYTES,
    [NI_PEER] = COLLECTIVE_KEY_PEER,
  };
  Inspector *self = data;
  self->host = host;
  for (guint i = 0; i < NI_KEYS; i++) {
    self->key[i] = nprof_intern (host, keys[i]);
    self->want[i] = host->wanted (host, keys[i]);
  }
  self->category = nprof_intern (host, "nccl");
  self->unknown = nprof_intern (host, "unknown");
  return NPROF_OK;
}

/* -- Lines ----------------------------------------------------------------- */

static bool
is_blank (const char *p, const char *end)
{
  return te_space (p, end) == end;
}

/* A process that was killed may leave the last line half written. */
static nprof_status
bad_line (Inspector *self, guint64 number, const char *at, const char *why, bool last)
{
  if (!last)
    return nprof_damage (self->host, (guint64) (at - self->data),
                         "line %" G_GUINT64_FORMAT " of this log of NCCL cannot be read: %s",
                         number, why);
  nprof_log (self->host, NPROF_WARNING,
             "line %" G_GUINT64_FORMAT ", the last one, is cut off (%s) and left out", number, why);
  return NPROF_OK;
}

static nprof_status
decode (void *data, const void *bytes, uint64_t len)
{
  Inspector *self = data;
  struct nprof_cursor c = nprof_cursor (bytes, len);
  const char *text, *at, *told = bytes;
  size_t n;
  self->data = bytes;
  self->end = self->data + len;
  self->w = self->host->writer (self->host);
  if (!self->w)
    return nprof_fail (self->host, NPROF_E_NOMEM, "no memory for the columns");
  nprof_status status = self->host->table (self->host, &collective_log_table);
  guint64 rows = 0;
  for (guint64 number = 1; !status && nprof_take_line (&c, &text, &n); number++) {
    NiLine line;
    if (is_blank (text, text + n))
      continue;
    const char *why = ni_read (self, text, n, &line, &at);
    const bool last = rows && is_blank ((const char *) c.at, self->end);
    status = why ? bad_line (self, number, at, why, last) : ni_write (self, &line);
    rows += !why;
    if (!status && text - told >= REPORT) {
      status = self->host->progress (self->host, (guint64) (told - self->data),
                                     (guint64) (text - self->data));
      told = text;
    }
  }
  if (!status && !rows)
    status = nprof_fail (self->host, NPROF_E_FORMAT,
                         "byte 0: no line of this file is a collective of NCCL's Inspector");
  return status ? status : self->host->progress (self->host, (guint64) (told - self->data), len);
}

static const struct nprof_component decoder = {
  .size = sizeof decoder,
  .kind = NPROF_DECODER,
  .name = "nccl-inspector",
  .summary = "logs of all collectives of a process, by NCCL's Inspector",
  .formats = "JSON lines of NCCL's Inspector, format v4.0; RCCL's port of it",
  .attributes = NPROF_ATTRIBUTES (
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_COLLECTIVE, "", "what is called"),
      NPROF_ATTRIBUTE (NPROF_STRING, COLLECTIVE_KEY_COMMUNICATOR, "", "id of the communicator"),
      NPROF_ATTRIBUTE (NPROF_STRING, COLLECTIVE_KEY_GROUP_LABEL, "", "its name"),
      NPROF_ATTRIBUTE (NPROF_INT64, COLLECTIVE_KEY_GROUP_SIZE, "", "its ranks"),
      NPROF_ATTRIBUTE (NPROF_INT64, "group_rank", "", "rank within the communicator"),
      NPROF_ATTRIBUTE (NPROF_INT64, COLLECTIVE_KEY_SEQUENCE, "",
                       "which one of its kind on the communicator"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_BYTES, "byte", "of one rank's part"),
      NPROF_ATTRIBUTE (NPROF_INT64, COLLECTIVE_KEY_PEER, "",
                       "rank at the other end of a send or receive")),
  .tables = (const struct nprof_table *const[]){ &collective_log_table, NULL },
  .instance_size = sizeof (Inspector),
  .probe = probe,
  .open = open_inspector,
  .decode = decode,
};

NPROF_PLUGIN ("nccl-inspector", NPROF_VERSION, "Apache-2.0", &decoder)
