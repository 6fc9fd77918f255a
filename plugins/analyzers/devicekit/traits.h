/* SPDX-License-Identifier: Apache-2.0 */
/* traits.h - what analyzers of devices ask about each row, found once for all that take part in a
 * run: the role of the row, the class of its work, and what its set of attributes states. The core
 * keeps it beside the batch (NPROF_NOTES of nprof/draft/notes.h); with a host that has no notes, as
 * that of tests, each analyzer finds it for itself. The rules are those of row-role.h, class.h and
 * work.h. */
#ifndef AN_TRAITS_H
#define AN_TRAITS_H

#include "devicekit/class.h"
#include "devicekit/numbers.h"
#include "devicekit/row-launch.h"
#include "devicekit/row-role.h"
#include "devicekit/sanity.h"

#include <nprof/draft/notes.h>

enum {                  /* AnTraits.is                                       */
  AN_IS_BESIDE = 1,     /* what overlaps on one track is under way together  */
  AN_IS_LAUNCHABLE = 2, /* a host launches it, also where no launch is known */
  AN_IS_INFEED = 4,     /* it brings the program's input from the host       */
  AN_IS_OVER_LINK = 8   /* an_goes_over_link                                 */
};

enum {               /* AnTraits.own: of attributes that are the row's alone, it has  */
  AN_OWN_CLOCK = 1,  /* the two times of its device, as the first two, and both counts */
  AN_OWN_STEP = 2,   /* NPROF_KEY_STEP                                                 */
  AN_OWN_LAUNCH = 4, /* AN_LAUNCH_KEYS or NPROF_KEY_COLLECTIVE                         */
  AN_OWN_OTHER = 8,  /* any other                                                      */
  AN_OWN_WORK = 16   /* NPROF_KEY_WORK                                                 */
};

/* It is told of spans alone.  A row may have NPROF_KEY_COLLECTIVE, which goes before its class:
 * an_class_of. */
typedef struct {
  guint8 role;  /* AnRole                                              */
  guint8 class; /* AnClass of AN_WORK and AN_ASYNC; of others AN_AROUND */
  guint8 is;
  guint8 own;
  guint8 says; /* Meaning */
} AnTraits;

enum {                     /* AnBatchTraits.has: among all rows of the stream there may be */
  AN_HAS_SERVER_STEPS = 1, /* spans that an_names_server_step knows                        */
  AN_HAS_REPLAYS = 2,      /* rows with GRAPH_KEY_REPLAY                                   */
  AN_HAS_ANY = 3           /* nobody looked                                                */
};

/* the sets below it share their numbers, whose memory is not to grow with the file */
#define AN_SHARED_SETS 65536u
#define AN_BATCH_ROWS 4096u   /* the most that nprof/plugin.h allows */

/* This is the note of a batch. */
typedef struct {
  /* of those sets below AN_SHARED_SETS that rows of devices in the batch have */
  const AnNumbers *of_set;
  const struct nprof_batch *rows; /* the batch as analyzers shall read it: rows that cannot be as
                                     long as they say end where sanity.h cuts them. What it leaves
                                     out has the role AN_NOTE */
  /* of AnSanityFinding: all, at any batch of the stream; NULL: nobody looked */
  const GArray *findings;
  guint8 has; /* who reads what is not there need not read the batch */
  AnTraits of[AN_BATCH_ROWS];
  struct nprof_batch cut; /* what `rows` is where a row was cut */
  int64_t duration[AN_BATCH_ROWS];
} AnBatchTraits;

typedef struct _AnTraitsMaker AnTraitsMaker;

typedef struct {
  const struct nprof_host *host;
  const struct nprof_notes *notes; /* NULL: the host has none */
  AnTraitsMaker *own;              /* for batches that the host does not know; NULL: none come */
  AnBatchTraits *note;             /* that it made last                                        */
} AnTraitsReader;

/* From open; cleared memory. holds: rows wait (held-rows.h), and an_traits_of_other is asked for
 * theirs. */
nprof_status an_traits_init (AnTraitsReader *reader, const struct nprof_host *host, bool holds);
void an_traits_clear (AnTraitsReader *reader);
/* Returns those of a batch that the host does not know, as of a row that waited; valid until the
 * next. */
const AnBatchTraits *an_traits_of_other (AnTraitsReader *reader, const struct nprof_batch *batch);

/* Returns those of the batch that `consume` was given, valid until it returns. */
static inline const AnBatchTraits *
an_traits_of (AnTraitsReader *reader, const struct nprof_batch *batch)
{
  return reader->notes ? reader->notes->of (reader->host, batch)
                       : an_traits_of_other (reader, batch);
}

/* As an_row_launch: most rows say nothing of a launch. */
static inline AnRowLaunch
an_launch_of (AnTraits traits, const struct nprof_batch *batch, uint32_t i, AnLaunchKeys keys,
              nprof_str collective)
{
  return traits.own & AN_OWN_LAUNCH ? an_row_launch (batch, i, keys, collective)
                                    : (AnRowLaunch){ 0, false };
}

/* Returns the class of a row of AN_WORK or AN_ASYNC; collective: it says itself that it is one. */
static inline AnClass
an_class_of (AnTraits traits, bool collective)
{
  return G_UNLIKELY (collective) ? AN_COMMUNICATION : (AnClass) traits.class;
}

#endif
