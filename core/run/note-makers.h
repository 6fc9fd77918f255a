/* SPDX-License-Identifier: Apache-2.0 */
/* note-makers.h - which notes the analyzers of a run want beside batches (nprof/draft/notes.h), and
 * where each lies. */
#pragma once

#include "base/error.h"

#include <nprof/draft/notes.h>

typedef struct {
  const struct nprof_note_maker *maker; /* the first of its name              */
  const struct nprof_host *host;        /* that of who wanted it first        */
  gsize at;                             /* of its note in the notes of a batch */
} NpNoteMaker;

typedef struct NpNoteMakers NpNoteMakers;

NpNoteMakers *np_note_makers_new (void);
void np_note_makers_free (NpNoteMakers *makers);
/* Returns 1 + its number; 0: the first of its name makes notes of another size. */
guint np_note_makers_add (NpNoteMakers *makers, const struct nprof_note_maker *maker,
                          const struct nprof_host *host);
const NpNoteMaker *np_note_makers_get (const NpNoteMakers *makers, guint number);
/* Returns the bytes of all notes of a batch. */
gsize np_note_makers_bytes (const NpNoteMakers *makers);
