/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - decoder flight-recorder: the dumps in which PyTorch's Flight Recorder keeps the last
 * collectives of a rank, as pickle and as JSON. */
#include "flight.h"

#include "json/text.h"
#include "profile/collective-keys.h"

#include <string.h>

/* A pickle names its keys; of JSON other files may mention them as well, so it bids less. */
static int
probe (const void *head, size_t len, uint64_t size, const char *path)
{
  const guint8 *bytes = head;
  (void) size, (void) path;
  if (len >= 4 && bytes[0] == 0x80 && bytes[1] >= 2 && bytes[1] <= 5)
    return te_mentions (head, len, "collective_seq_id") || te_mentions (head, len, "pg_config") ? 95
                                                                                               : 0;
  for (size_t i = 0; i < len && i < 64; i++)
    if (!g_ascii_isspace (bytes[i]))
      return bytes[i] == '{' && !te_mentions (head, len, "\"traceEvents\"")
                     && (te_mentions (head, len, "\"collective_seq_id\"")
                         || (te_mentions (head, len, "\"pg_config\"")
                             && (te_mentions (head, len, "\"entries\"")
                                 || te_mentions (head, len, "\"pg_status\""))))
                 ? 90
                 : 0;
  return 0;
}

static nprof_status
open_flight (void *self, const struct nprof_host *host)
{
  static const char *const keys[FR_KEYS] = {
    [FR_COLLECTIVE] = NPROF_KEY_COLLECTIVE,
    [FR_GROUP] = COLLECTIVE_KEY_GROUP,
    [FR_LABEL] = COLLECTIVE_KEY_GROUP_LABEL,
    [FR_RANKS] = COLLECTIVE_KEY_GROUP_RANKS,
    [FR_SIZE] = COLLECTIVE_KEY_GROUP_SIZE,
    [FR_SEQUENCE] = COLLECTIVE_KEY_SEQUENCE,
    [FR_IN] = COLLECTIVE_KEY_ELEMENTS_IN,
    [FR_OUT] = COLLECTIVE_KEY_ELEMENTS_OUT,
    [FR_DTYPE] = COLLECTIVE_KEY_DTYPE,
    [FR_SHAPE] = NPROF_KEY_SHAPE,
    [FR_PEER] = COLLECTIVE_KEY_PEER,
    [FR_STATE] = COLLECTIVE_KEY_STATE,
    [FR_P2P] = COLLECTIVE_KEY_P2P,
    [FR_TIMEOUT] = COLLECTIVE_KEY_TIMEOUT,
    [FR_ESTIMATED] = "estimated",
    [FR_SOURCE] = NPROF_KEY_SOURCE,
    [FR_STACK] = NPROF_KEY_SOURCE_STACK,
  };
  Flight *f = self;
  f->host = host;
  for (guint i = 0; i < FR_KEYS; i++) {
    f->key[i] = nprof_intern (host, keys[i]);
    f->want[i] = host->wanted (host, keys[i]);
  }
  f->category = nprof_intern (host, "nccl");
  f->groups = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  f->own_frames = own_frames_list_new (f->host);
  return NPROF_OK;
}

static void
close_flight (void *self)
{
  Flight *f = self;
  pk_free (f->dump);
  g_clear_pointer (&f->groups, g_hash_table_unref);
  g_clear_pointer (&f->own_frames, own_frames_list_free);
}

/* -- Whose dump it is ------------------------------------------------------ */

/* Returns the number at the end of the file's name, before the endings; NULL: there is none.
 * Transfer full. */
static char *
rank_of_name (const char *file)
{
  if (!file)
    return NULL;
  size_t end = strlen (file);
  for (const char *const *ending = (const char *const[]){ ".gz", ".zst", ".json", ".pickle", ".pkl",
                                                          NULL };
       *ending; ending++)
    if (g_str_has_suffix (file, *ending) && strlen (*ending) < end
        && strncmp (file + end - strlen (*ending), *ending, strlen (*ending)) == 0)
      end -= strlen (*ending);
  size_t begin = end;
  while (begin > 0 && end - begin < 9 && g_ascii_isdigit (file[begin - 1]))
    begin--;
  while (begin + 1 < end && file[begin] == '0')
    begin++;
  return begin < end ? g_strndup (file + begin, end - begin) : NULL;
}

static nprof_status
begin (Flight *f)
{
  const struct nprof_host *host = f->host;
  const struct nprof_input_info *own = host->input (host, host->own_input);
  g_autofree char *rank = rank_of_name (own ? own->file : NULL);
  g_autofree char *label = rank ? g_strconcat ("rank ", rank, NULL) : g_strdup ("a rank");
  const nprof_str version = fr_text (f, pk_get (&f->root, "version"));
  nprof_status status = rank ? host->property (host, "rank", rank) : NPROF_OK;
  if (!status && version)
    status = host->property (host, "version", nprof_text (host, version));
  if (status)
    return status;
  f->process = host->track (host, 0, NPROF_TRACK_PROCESS, nprof_intern (host, label), 0,
                            rank ? g_ascii_strtoll (rank, NULL, 10) : 0);
  return f->process ? NPROF_OK : nprof_fail (host, NPROF_E_NOMEM, "no memory for a track");
}

/* -- The dump -------------------------------------------------------------- */

static nprof_status
load (Flight *f, const void *data, uint64_t len)
{
  g_autofree char *problem = NULL;
  guint64 at = 0;
  const bool pickled = len && *(const guint8 *) data == 0x80;
  f->dump = (pickled ? pk_read : pk_read_json) (data, len, &f->root, &problem, &at);
  if (!f->dump)
    return nprof_fail (
        f->host, NPROF_E_FORMAT,
        "byte %" G_GUINT64_FORMAT
        ": this dump of PyTorch's Flight Recorder cannot be read on: %s; dump it again",
        at, problem);
  if (!pk_list (&f->root, "entries"))
    return nprof_fail (
        f->host, NPROF_E_FORMAT,
        "byte 0: a dump without a list of entries; expected is what PyTorch's Flight "
        "Recorder writes (TORCH_NCCL_TRACE_BUFFER_SIZE)");
  return NPROF_OK;
}

static nprof_status
decode (void *self, const void *data, uint64_t len)
{
  Flight *f = self;
  f->w = f->host->writer (f->host);
  if (!f->w)
    return nprof_fail (f->host, NPROF_E_NOMEM, "no memory for the columns");
  nprof_status status = load (f, data, len);
  if (!status)
    status = fr_find_base (f);
  if (!status)
    status = begin (f);
  if (status)
    return status;
  fr_groups_load (f);
  status = fr_entries (f);
  return status ? status : f->host->progress (f->host, 0, len);
}

static const struct nprof_component decoder = {
  .size = sizeof decoder,
  .kind = NPROF_DECODER,
  .name = "flight-recorder",
  .summary = "the last collectives of a rank, as PyTorch's Flight Recorder dumps them",
  .formats = "pickle and JSON of PyTorch's Flight Recorder, versions 2.0 to 2.10",
  .attributes = NPROF_ATTRIBUTES (
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_COLLECTIVE, "", "what is called"),
      NPROF_ATTRIBUTE (NPROF_STRING, COLLECTIVE_KEY_GROUP, "", "name of the process group"),
      NPROF_ATTRIBUTE (NPROF_STRING, COLLECTIVE_KEY_GROUP_LABEL, "", "its description"),
      COLLECTIVE_GROUP_ATTRIBUTES,
      NPROF_ATTRIBUTE (NPROF_INT64, COLLECTIVE_KEY_GROUP_SIZE, "", "ranks of the group"),
      NPROF_ATTRIBUTE (NPROF_INT64, COLLECTIVE_KEY_SEQUENCE, "",
                       "which collective of the group, or which send or receive"),
      COLLECTIVE_ELEMENT_ATTRIBUTES,
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_SHAPE, "", "of inputs -> of outputs"),
      NPROF_ATTRIBUTE (NPROF_INT64, COLLECTIVE_KEY_PEER, "",
                       "rank of the group at the other end of a send or receive"),
      NPROF_ATTRIBUTE (NPROF_STRING, COLLECTIVE_KEY_STATE, "",
                       "as the watchdog saw it: scheduled, started, completed"),
      NPROF_ATTRIBUTE (NPROF_BOOL, COLLECTIVE_KEY_P2P, "", "a send or receive"),
      NPROF_ATTRIBUTE (NPROF_INT64, COLLECTIVE_KEY_TIMEOUT, "ms",
                       "after which the watchdog ends the job"),
      NPROF_ATTRIBUTE (NPROF_BOOL, "estimated", "",
                       "it starts when the watchdog noticed that, which is later"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_SOURCE, "",
                       "the innermost frame of the user's own code"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_SOURCE_STACK, "",
                       "frames, newest first, one a line")),
  .instance_size = sizeof (Flight),
  .probe = probe,
  .open = open_flight,
  .decode = decode,
  .close = close_flight,
};

NPROF_PLUGIN ("flight-recorder", NPROF_VERSION, "Apache-2.0", &decoder)
