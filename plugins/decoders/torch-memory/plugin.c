/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - decoder torch-memory: snapshots that torch.cuda.memory._dump_snapshot writes. */

#include "snapshot.h"

#include "producers/say-meaning.h"

#include <string.h>

/* Scores a file; the keys of a segment stand at the beginning. */
static int
probe (const void *head, size_t len, uint64_t size, const char *path)
{
  const guint8 *bytes = head;
  (void) size, (void) path;
  if (len < 4 || bytes[0] != 0x80 || bytes[1] < 2 || bytes[1] > 5)
    return 0;
  return memmem (head, len, "segments", 8) && memmem (head, len, "device", 6) ? 90 : 0;
}

static nprof_status
open_snapshot (void *self, const struct nprof_host *host)
{
  Snapshot *s = self;
  s->host = host;
  s->key_args = nprof_intern (host, "args");
  s->key_bytes = nprof_intern (host, NPROF_KEY_BYTES);
  s->key_address = nprof_intern (host, "address");
  s->key_stream = nprof_intern (host, NPROF_KEY_STREAM);
  s->key_source = nprof_intern (host, NPROF_KEY_SOURCE);
  s->key_stack = nprof_intern (host, NPROF_KEY_SOURCE_STACK);
  s->want_args = nprof_wanted_of (host, "args", NPROF_INSTANT);
  s->want_stack = host->wanted (host, NPROF_KEY_SOURCE_STACK);
  s->stacks = g_array_new (FALSE, FALSE, sizeof (Stack));
  s->own_frames = own_frames_list_new (s->host);
  s->text = g_string_new (NULL);
  return meaning_say (host);
}

static void
close_snapshot (void *self)
{
  Snapshot *s = self;
  pk_free (s->pickle);
  g_clear_pointer (&s->stacks, g_array_unref);
  g_clear_pointer (&s->own_frames, own_frames_list_free);
  if (s->text)
    g_string_free (s->text, TRUE);
}

nprof_status
tm_damaged (Snapshot *s, const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *what = g_strdup_vprintf (format, args);
  va_end (args);
  return nprof_fail (s->host, NPROF_E_FORMAT,
                     "%s: this is no memory snapshot of PyTorch, or it is damaged", what);
}

nprof_track
tm_device_track (Snapshot *s, guint32 device)
{
  g_autofree char *key = g_strdup_printf ("GPU %u", device);
  return s->host->track (s->host, 0, NPROF_TRACK_PROCESS, nprof_intern (s->host, key), 0, device);
}

static nprof_status
read_pickle (Snapshot *s, const void *data, uint64_t len)
{
  g_autofree char *problem = NULL;
  guint64 at = 0;
  s->len = len;
  s->pickle = pk_read (data, len, &s->root, &problem, &at);
  if (!s->pickle)
    return nprof_fail (s->host, NPROF_E_FORMAT, "byte %" G_GUINT64_FORMAT ": %s", at, problem);
  if (!pk_list (&s->root, "segments") || !pk_list (&s->root, "device_traces"))
    return nprof_fail (s->host, NPROF_E_FORMAT,
                       "this pickle has no segments and device_traces; expected is what "
                       "torch.cuda.memory._dump_snapshot writes");
  return NPROF_OK;
}

static nprof_status
decode_devices (Snapshot *s)
{
  const PkItems *traces = pk_list (&s->root, "device_traces");
  nprof_status status = NPROF_OK;
  for (guint32 d = 0; d < traces->n && !status; d++) {
    PkItems *entries = traces->value[d].items;
    if (!entries->n)
      continue;
    DeviceState *state = tm_device_state (s, d);
    status = tm_history (s, entries, state);
    tm_device_state_free (state);
  }
  return status;
}

static nprof_status
decode (void *self, const void *data, uint64_t len)
{
  Snapshot *s = self;
  s->w = s->host->writer (s->host);
  if (!s->w)
    return nprof_fail (s->host, NPROF_E_NOMEM, "no memory for the columns");
  nprof_status status = read_pickle (s, data, len);
  if (!status)
    status = tm_find_base (s);
  if (!status)
    status = tm_segments (s);
  if (!status)
    status = tm_annotations (s);
  if (!status)
    status = decode_devices (s);
  return status ? status : s->host->progress (s->host, 0, len);
}

static const struct nprof_component decoder = {
  .size = sizeof decoder,
  .kind = NPROF_DECODER,
  .name = "torch-memory",
  .summary = "memory snapshots of PyTorch: who allocated what, and what was held",
  .formats
  = "pickle of torch.cuda.memory._dump_snapshot (PyTorch 2.0 and later, with and without times)",
  .options = NPROF_OPTIONS (NPROF_CHOICE_OPTION (
      Snapshot, frames, "frames", "file", "file|all",
      "frames of source_stack: those with a file, or also those of C++ that have none")),
  .attributes = NPROF_ATTRIBUTES (
      &meaning_attribute,
      NPROF_ATTRIBUTE (NPROF_JSON, "args", "",
                       "of an allocation or free, as Kineto writes them; of oom what it found"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_BYTES, "byte",
                       "allocated or reserved; below 0 freed"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_UNIT, "", "of a counter's values"),
      NPROF_ATTRIBUTE (NPROF_UINT64, "address", "", "of the block or segment"),
      NPROF_ATTRIBUTE (NPROF_INT64, NPROF_KEY_STREAM, "", "stream of the device"),
      NPROF_ATTRIBUTE (
          NPROF_STRING, NPROF_KEY_SOURCE, "",
          "newest frame of the user's code, else of a package but torch, of torch, of any file"),
      NPROF_ATTRIBUTE (NPROF_STRING, NPROF_KEY_SOURCE_STACK, "",
                       "frames, newest first, one a line")),
  .tables
  = (const struct nprof_table *const[]){ &memory_segments_table, &memory_blocks_table, NULL },
  .instance_size = sizeof (Snapshot),
  .probe = probe,
  .open = open_snapshot,
  .decode = decode,
  .close = close_snapshot,
};

NPROF_PLUGIN ("torch-memory", NPROF_VERSION, "Apache-2.0", &decoder)
