/* SPDX-License-Identifier: Apache-2.0 */
/* plugin.c - decoder store: a stored profile, n_..., as an input of every command.  This file has
 * its life; declare.c says what it emits, tracks.c, rows.c and tables.c emit it. */
#include "decoder.h"

#include "producers/say-meaning.h"
#include "system/room.h"

#include <string.h>

nprof_str
store_str (struct store_decoder *self, guint32 string)
{
  size_t len;
  if (string >= nprof_store_n (self->store, NPROF_STORE_S_STRING_AT))
    return 0;
  if (!self->strings[string]) {
    const char *text = nprof_store_string (self->store, string, &len);
    self->strings[string] = self->host->intern (self->host, text, len);
  }
  return self->strings[string];
}

nprof_status
store_damaged (struct store_decoder *self)
{
  return nprof_fail (self->host, self->query.no_memory ? NPROF_E_NOMEM : NPROF_E_FORMAT, "%s",
                     *self->query.error
                         ? self->query.error
                         : "the stored profile is damaged: read it again from its source");
}

static int
store_probe (const void *head, size_t len, uint64_t size, const char *path)
{
  static const char magic[] = NPROF_STORE_MAGIC " input ";
  (void) size;
  (void) path;
  return len >= sizeof magic - 1 && !memcmp (head, magic, sizeof magic - 1) ? 100 : 0;
}

static nprof_status
store_decoder_open (void *data, const struct nprof_host *host)
{
  struct store_decoder *self = data;
  self->host = host;
  self->files = host->extension (host, NPROF_INPUT_FILE);
  return NPROF_OK;
}

static nprof_status
open_store (struct store_decoder *self)
{
  const struct nprof_host *host = self->host;
  const char *path = self->files ? self->files->path (host, host->own_input) : NULL;
  g_autofree char *folder = NULL;
  char why[600];
  if (!path || !store_split_path (path, &folder, &self->number))
    return nprof_fail (
        host, NPROF_E_FORMAT,
        "byte 0: this names a part of a stored profile: name the profile itself, n_..., instead");
  self->store = nprof_store_open (folder, why, sizeof why);
  if (!self->store)
    return host->fail (host, np_no_room (errno) ? NPROF_E_NOMEM : NPROF_E_FORMAT, why);
  self->strings = g_new0 (nprof_str, nprof_store_n (self->store, NPROF_STORE_S_STRING_AT) + 1);
  self->sets = g_new0 (nprof_set, nprof_store_n (self->store, NPROF_STORE_S_SETS) + 1);
  self->tracks = g_new0 (nprof_track, nprof_store_n (self->store, NPROF_STORE_S_TRACKS) + 1);
  store_declare (self);
  return nprof_query_init (&self->query, self->store) ? NPROF_OK : NPROF_E_NOMEM;
}

/* What could not be read was delivered as empty: a damaged store fails the run that read it. */
static nprof_status
refuse_damaged (struct store_decoder *self)
{
  char why[700];
  return nprof_store_damage (self->store, why, sizeof why)
             ? self->host->fail (self->host, NPROF_E_FORMAT, why)
             : NPROF_OK;
}

/* Delivers what comes before rows: origin, properties, size, tracks. */
static nprof_status
describe (struct store_decoder *self)
{
  const struct nprof_host *host = self->host;
  const struct nprof_store_input *in = nprof_store_input_at (self->store, self->number);
  const struct nprof_store_property *p;
  size_t len;
  if (!in)
    return nprof_fail (host, NPROF_E_FORMAT, "the stored profile has no input %u", self->number);
  self->shift = in->shift;
  nprof_status status = host->origin (host, in->origin_unix_ns);
  if (!status && in->version)
    status = host->property (host, "version", nprof_store_string (self->store, in->version, &len));
  for (guint32 i = 0; i < in->n_properties && !status
                      && (p = nprof_store_property_at (self->store, in->properties + i));
       i++)
    status = host->property (host, nprof_store_string (self->store, p->key, &len),
                             nprof_store_string (self->store, p->value, &len));
  if (!status)
    status = self->files->stated (host, in->bytes);
  return status ? status : store_make_tracks (self);
}

static nprof_status
store_decode (void *data, const void *bytes, uint64_t len)
{
  struct store_decoder *self = data;
  (void) bytes;
  (void) len;
  nprof_status status = open_store (self);
  status = status || self->says ? status : meaning_say (self->host);
  if (status || (status = describe (self)) || (status = store_give_rows (self))
      || (status = store_give_tables (self)))
    return status;
  return refuse_damaged (self);
}

/* Returns when the stored profile was last changed, in s; 0: unknown. */
static uint32_t
modified_of (const struct nprof_store_input *in)
{
  int64_t s = in->mtime_ns / 1000000000;
  return s > 0 && s <= UINT32_MAX ? (uint32_t) s : 0;
}

static nprof_status
store_decoder_declare (void *data, const void *bytes, uint64_t len, struct nprof_declaration *out)
{
  struct store_decoder *self = data;
  (void) bytes;
  (void) len;
  nprof_status status = open_store (self);
  const struct nprof_store_input *in
      = status ? NULL : nprof_store_input_at (self->store, self->number);
  if (status || !in)
    return status ? status
                  : nprof_fail (self->host, NPROF_E_FORMAT, "the stored profile has no input %u",
                                self->number);
  size_t n;
  self->profile
      = (struct nprof_profile){ .size = sizeof self->profile,
                                .number = self->number,
                                .modified = modified_of (in),
                                .decoder = nprof_store_string (self->store, in->decoder, &n) };
  self->profiles[0] = &self->profile;
  out->attributes = (const struct nprof_attribute *const *) self->attributes->pdata;
  out->tables = (const struct nprof_table *const *) self->declared->pdata;
  out->profiles = self->profiles;
  return refuse_damaged (self);
}

static void
store_decoder_close (void *data)
{
  struct store_decoder *self = data;
  if (self->store)
    nprof_query_clear (&self->query);
  nprof_store_close (self->store);
  store_undeclare (self);
  g_free (self->strings);
  g_free (self->sets);
  g_free (self->tracks);
}

static const struct nprof_component store = {
  .size = sizeof store,
  .kind = NPROF_DECODER,
  .name = "store",
  .summary = "a stored profile, n_...: rows and tables of the decoders that read it",
  .formats = "profile stores " NPROF_STORE_MAGIC,
  .instance_size = sizeof (struct store_decoder),
  .probe = store_probe,
  .open = store_decoder_open,
  .decode = store_decode,
  .close = store_decoder_close,
  .declare = store_decoder_declare,
};

NPROF_PLUGIN ("store-decoder", NPROF_VERSION, "Apache-2.0", &store)
