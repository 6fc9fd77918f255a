/* SPDX-License-Identifier: Apache-2.0 */
/* note-makers.c - a short list, filled while analyzers are opened and only read afterwards. Each
 * note has its place for the whole run, so that it is found alike in each stream of rows. */

#include "run/note-makers.h"

#include <string.h>

#define NOTE_ALIGN 64u

struct NpNoteMakers {
  GArray *all; /* of NpNoteMaker */
  gsize bytes;
};

NpNoteMakers *
np_note_makers_new (void)
{
  NpNoteMakers *self = g_new0 (NpNoteMakers, 1);
  self->all = g_array_new (FALSE, FALSE, sizeof (NpNoteMaker));
  return self;
}

void
np_note_makers_free (NpNoteMakers *self)
{
  if (!self)
    return;
  g_array_unref (self->all);
  g_free (self);
}

const NpNoteMaker *
np_note_makers_get (const NpNoteMakers *self, guint number)
{
  return &g_array_index (self->all, NpNoteMaker, number);
}

guint
np_note_makers_add (NpNoteMakers *self, const struct nprof_note_maker *maker,
                    const struct nprof_host *host)
{
  for (guint i = 0; i < self->all->len; i++) {
    const struct nprof_note_maker *other = np_note_makers_get (self, i)->maker;
    if (strcmp (other->name, maker->name) == 0)
      return other->bytes == maker->bytes ? i + 1 : 0;
  }
  const NpNoteMaker new = { maker, host, self->bytes };
  g_array_append_val (self->all, new);
  self->bytes += ((gsize) maker->bytes + NOTE_ALIGN - 1) / NOTE_ALIGN * NOTE_ALIGN;
  return self->all->len;
}

gsize
np_note_makers_bytes (const NpNoteMakers *self)
{
  return self->bytes;
}
