/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/draft/notes.h - what several analyzers find out about the same rows, once.
 *
 * A draft: it may change or go in every release. */
#ifndef NPROF_DRAFT_NOTES_H
#define NPROF_DRAFT_NOTES_H

#include <nprof/plugin.h>

/* Analyzers: what several of them would each find out about the same rows is found once, and noted
 * beside the batch. Whoever wants a note brings the functions that make it. A name stands for one
 * content and layout: of several makers of one name the first is used. */
#define NPROF_NOTES "draft.notes"
struct nprof_note_maker {
  uint32_t size;
  /* of a note, which is aligned to 64; it comes with what an earlier batch left in it */
  uint32_t bytes;
  const char *name; /* "org.example.roles/2"                                           */
  /* Returns what the maker remembers from batch to batch, for one stream of rows; NULL: out of
   * memory. It may call what is [any-thread] of the host, which is that of whoever wanted the note
   * first. */
  void *(*open) (const struct nprof_host *host);
  /* Makes the note of a batch before anybody is given that. Calls for one stream come one after the
   * other, while analyzers read earlier notes on other threads: what these refer to no longer
   * changes, until close. */
  void (*make) (void *maker, const struct nprof_batch *batch, void *note);
  void (*close) (void *maker); /* all batches of the stream were read */
  /* Looks at a batch of the stream before its rows are put in order: all are looked at, in the
   * order of their inputs, before `make` is called of the first. Not called for a stream that comes
   * as decoded. NULL: need not look. */
  void (*look) (void *maker, const struct nprof_batch *batch);
};
struct nprof_notes {
  uint32_t size, reserved;
  /* From open, once: each batch that this analyzer is given comes with that note. `maker` is valid
   * for the run. [instance] */
  nprof_status (*want) (const struct nprof_host *host, const struct nprof_note_maker *maker);
  /* The note that it wanted of the batch that `consume` was given just now; valid until that
   * returns. [instance] */
  const void *(*of) (const struct nprof_host *host, const struct nprof_batch *batch);
};

#endif
