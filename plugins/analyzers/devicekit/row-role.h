/* SPDX-License-Identifier: Apache-2.0 */
/* row-role.h - tells what a row is to an analysis: which device it ran on, by its track, and
 * whether it is work of that device, a step, a module, or none of these, and which class of work,
 * by what it says (NPROF_KEY_WORK).  Words of producers mean nothing here: decoders know them
 * (producers/meaning.h). */
#ifndef AN_ROW_ROLE_H
#define AN_ROW_ROLE_H

#include "devicekit/row-bits.h"
#include "devicekit/row-keys.h"
#include "producers/meaning.h"

#include <glib.h>
#include <nprof/plugin.h>
#include <stdbool.h>

typedef enum {
  AN_HOST,   /* not on a device                                                           */
  AN_WORK,   /* the device did this: an operator, a kernel, an instruction, a copy        */
  AN_ASYNC,  /* the same from start to done, beside other work; its two ends are AN_WORK  */
  AN_MODULE, /* one execution of a program, around its operators                          */
  AN_STEP,   /* one step, around its modules; on a device, or a host's annotation         */
  AN_UNSURE, /* an instruction of a device: work, or a wait, the file does not say which   */
  AN_NOTE    /* on a device's track, but no work: annotations, trace messages             */
} AnRole;

/* Says why rows of role AN_UNSURE leave it unknown when their device works; the greater goes before
 * the smaller. */
typedef enum {
  AN_SURE,
  AN_UNSURE_CLOCK, /* how engines lie beside each other is not known */
  AN_UNSURE_WORK   /* what is work and what a wait is not            */
} AnDoubt;

typedef struct _AnPlaces AnPlaces;

/* This is a track as an analysis sees it.  It lives as long as the AnPlaces. */
typedef struct {
  nprof_track track;
  nprof_track device; /* what utilisation is of: the nearest core, else the device; 0 on a host */
  nprof_str label;    /* of that: "/device:TPU:0", "Neuron device 0/NeuronCore 1"               */
  uint32_t input;
  AnRole role; /* of rows that say nothing: AN_HOST, AN_WORK, AN_ASYNC or AN_NOTE */
  bool queue;  /* a stream or a queue of the device */
  bool core;   /* it is a core, or lies on one      */
} AnPlace;

/* It is for the functions below alone, which rows call. */
struct _AnPlaces {
  const struct nprof_host *host;
  GPtrArray *tracks;      /* AnPlace or NULL, by handle                          */
  GByteArray *categories; /* by handle: 0 not looked at, else AN_CATEGORY_... */
  GByteArray *sides;      /* by handle of a track: 0 not looked at, else Side    */
  bool owns;              /* rows of this batch may say it by attributes of their own */
  nprof_str key_work;
  nprof_str says[N_MEANINGS]; /* its values                                 */
  GByteArray *sets;           /* by handle of a set: 0 not looked at, else 1 + Meaning */
};

enum { AN_CATEGORY_SEEN = 1, AN_CATEGORY_LAUNCHED = 2, AN_CATEGORY_PIPELINED = 4 };

AnPlaces *an_places_new (const struct nprof_host *host);
void an_places_free (AnPlaces *places);

/* Makes the place of a track whose first row has come. */
const AnPlace *an_look_at_track (AnPlaces *places, nprof_track track);

/* Returns the place of a track; O(1) but for the first row of a track. */
static inline const AnPlace *
an_place (AnPlaces *p, nprof_track track)
{
  const AnPlace *place = track < p->tracks->len ? p->tracks->pdata[track] : NULL;
  return G_LIKELY (place) ? place : an_look_at_track (p, track);
}

/* Returns < 0, 0, > 0: devices of tables stand in the order of their tracks: input by input,
 * ancestors first, by `sort`, and only when these are equal the one that was seen first. */
int an_place_compare (const struct nprof_host *host, nprof_track a, nprof_track b);
/* Returns whether both are one track, or one lies above the other. */
bool an_tracks_nest (const struct nprof_host *host, nprof_track a, nprof_track b);
/* Returns whether a gap of this track says that its file was cut off, so that rows of all times may
 * be missing: it is of the whole input, and has no end (duration -1). */
bool an_is_cut_off (const struct nprof_host *host, nprof_track track, gint64 duration);

/* Returns whether the name is what nprof calls a step that a program annotates
 * (PYTORCH_STEP_NAME). */
bool an_names_step (const struct nprof_host *host, nprof_str name);

/* Returns why a row of role AN_UNSURE that says this is. */
static inline AnDoubt
an_doubt (Meaning says)
{
  return says == MEANS_UNALIGNED ? AN_UNSURE_CLOCK : AN_UNSURE_WORK;
}

/* Returns it as a clause; static; NULL for AN_SURE. */
const char *an_doubt_text (AnDoubt doubt);

guint8 an_look_at_category (AnPlaces *places, nprof_str category);

/* Returns what a category alone tells beside what rows say. */
static inline guint8
an_category_tells (AnPlaces *p, nprof_str category)
{
  guint8 known = category < p->categories->len ? p->categories->data[category] : 0;
  return G_LIKELY (known) ? known : an_look_at_category (p, category);
}

/* Returns whether it is an instruction or a transfer of a NeuronCore, whose engines are
 * pipelines. */
static inline bool
an_is_pipelined (AnPlaces *p, nprof_str category)
{
  return an_category_tells (p, category) & AN_CATEGORY_PIPELINED;
}

/* Looks at a set the first time that it comes, and returns what becomes of sets[set]. */
guint8 an_look_at_work_of_set (AnPlaces *places, nprof_set set);

/* Returns what the row's own attribute says. */
Meaning an_own_says (AnPlaces *places, const struct nprof_batch *batch, uint32_t i);

static inline Meaning
an_set_says (AnPlaces *p, const struct nprof_batch *batch, uint32_t i)
{
  const nprof_set set = batch->shared ? batch->shared[i] : 0;
  guint8 known = set < p->sets->len ? p->sets->data[set] : 0;
  return (Meaning) ((G_LIKELY (known) ? known : an_look_at_work_of_set (p, set)) - 1);
}

/* Before rows of a batch are asked: most batches have no row that says it by attributes of its
 * own. */
static inline void
an_ask_batch (AnPlaces *p, const struct nprof_batch *batch)
{
  p->owns = an_any_has_key (batch, p->key_work);
}

/* Returns what a row says that it is: it itself, else the set that it shares. */
static inline Meaning
an_says (AnPlaces *p, const struct nprof_batch *batch, uint32_t i)
{
  const Meaning own = G_UNLIKELY (p->owns) ? an_own_says (p, batch, i) : MEANS_NOTHING;
  return own ? own : an_set_says (p, batch, i);
}

/* Returns the role of a row that says this, on that place; a host has no work of a device. */
static inline AnRole
an_role (const AnPlace *place, Meaning says)
{
  static const AnRole roles[N_MEANINGS] = {
    [MEANS_COMPUTE] = AN_WORK,    [MEANS_COMMUNICATION] = AN_WORK, [MEANS_COPY] = AN_WORK,
    [MEANS_TRANSFER] = AN_WORK,   [MEANS_INFEED] = AN_WORK,        [MEANS_CONTROL] = AN_WORK,
    [MEANS_SETUP] = AN_WORK,      [MEANS_WAIT] = AN_NOTE,          [MEANS_STEP] = AN_STEP,
    [MEANS_PROGRAM] = AN_MODULE,  [MEANS_AROUND] = AN_WORK,        [MEANS_NOTE] = AN_NOTE,
    [MEANS_UNKNOWN] = AN_UNSURE,
    [MEANS_UNALIGNED] = AN_UNSURE
  };
  if (says == MEANS_STEP)
    return AN_STEP;
  if (!place->device || says == MEANS_NOTHING)
    return place->role;
  return roles[says] == AN_WORK && place->role == AN_ASYNC ? AN_ASYNC : roles[says];
}

/* Returns the role of a row of kind span. */
static inline AnRole
an_row_role (AnPlaces *p, const AnPlace *place, const struct nprof_batch *batch, uint32_t i)
{
  return an_role (place, an_says (p, batch, i));
}

/* These are for nprof_component.choose, which marks rows that may be one of them. */
enum {
  AN_CHOOSE_WORK = 1,
  AN_CHOOSE_ASYNC = 2,
  AN_CHOOSE_AROUND = 4,     /* steps and modules of devices          */
  AN_CHOOSE_HOSTS = 8,      /* all spans of hosts                    */
  AN_CHOOSE_CATEGORIES = 16 /* spans of hosts that have a category   */
};
void an_choose (AnPlaces *places, unsigned what, const struct nprof_batch *batch, uint8_t *rows);

#endif
