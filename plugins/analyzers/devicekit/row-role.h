/* SPDX-License-Identifier: Apache-2.0 */
/* row-role.h - tells what a row is to an analysis: which device it ran on, and whether it is work
 * of that device, a step, a module, or none of these.  The one place where analyzers know how
 * decoders lay out tracks; class.h tells what the work was (compute, communication, memory). */
#ifndef AN_ROW_ROLE_H
#define AN_ROW_ROLE_H

#include "devicekit/row-bits.h"

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

/* What a row itself says that it is, by the key NPROF_KEY_WORK, whatever its track and category. */
typedef enum {
  AN_SAYS_NOTHING,
  AN_SAYS_COMPUTE,
  AN_SAYS_COMMUNICATION,
  AN_SAYS_COPY,
  AN_SAYS_CONTROL,
  AN_SAYS_SETUP,
  AN_SAYS_WAIT,
  AN_SAYS_STEP,
  AN_N_SAYS
} AnSays;

typedef struct _AnPlaces AnPlaces;

/* This is a track as an analysis sees it.  It lives as long as the AnPlaces. */
typedef struct {
  nprof_track track;
  nprof_track device; /* what utilisation is of: the nearest core, else the device; 0 on a host */
  nprof_str label;    /* of that: "/device:TPU:0", "Neuron device 0/NeuronCore 1"               */
  uint32_t input;
  AnRole role; /* of rows that neither name nor category says more of */
  bool queue;  /* a stream or a queue of the device */
} AnPlace;

/* It is for the functions below alone, which rows call. */
struct _AnPlaces {
  const struct nprof_host *host;
  GPtrArray *tracks;      /* AnPlace or NULL, by handle                                  */
  GByteArray *categories; /* by handle: 0, 1 + the role of rows of that category, or
                             AN_WORK_BY_NAME                                              */
  GByteArray *names;      /* by handle: 0 not looked at, else AN_NAMES_...               */
  GByteArray *sides;      /* by handle of a track: 0 not looked at, else Side            */
  nprof_str unaligned;    /* the category of AN_UNSURE_CLOCK                             */
  bool any_says;          /* some decoder of the run says what its rows are               */
  nprof_str key_work;
  nprof_str says[AN_N_SAYS]; /* its values                                               */
  GByteArray *sets;       /* by handle of a set: 0 not looked at, else 1 + AnSays        */
  nprof_set n_sets;       /* so many were looked at by an_batch_says                     */
  bool any_set_says;
};

/* In this category names tell waits from work. */
enum { AN_WORK_BY_NAME = 1 + AN_NOTE + 1 };
enum { AN_NAMES_STEP = 1, AN_NAMES_MTIA_WAIT, AN_NAMES_NOTHING };

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

/* Tells whether a span of that name annotates a step.  The rule is producers/pytorch.h. */
bool an_names_step (const struct nprof_host *host, nprof_str name);

/* Looks at a name the first time that it comes, and returns what becomes of names[name]. */
guint8 an_look_at_name (AnPlaces *places, nprof_str name);

static inline guint8
an_name_tells (AnPlaces *p, nprof_str name)
{
  guint8 seen = name < p->names->len ? p->names->data[name] : 0;
  return G_LIKELY (seen) ? seen : an_look_at_name (p, name);
}

/* Returns an_names_step, which is asked once for each name. */
static inline bool
an_is_step (AnPlaces *p, nprof_str name)
{
  return an_name_tells (p, name) == AN_NAMES_STEP;
}

/* Tells whether it is one of the categories that producers give to work of a device. */
static inline bool
an_is_work_category (const AnPlaces *p, nprof_str category)
{
  guint8 known = category < p->categories->len ? p->categories->data[category] : 0;
  return known == 1 + AN_WORK || known == AN_WORK_BY_NAME;
}

/* Tells whether rows of that category are no work wherever they stand: annotations, waits. */
static inline bool
an_is_note (const AnPlaces *p, nprof_str category)
{
  return category < p->categories->len && p->categories->data[category] == 1 + AN_NOTE;
}

/* Returns why a row of role AN_UNSURE is, by its category. */
static inline AnDoubt
an_doubt (const AnPlaces *p, nprof_str category)
{
  return category == p->unaligned ? AN_UNSURE_CLOCK : AN_UNSURE_WORK;
}

/* Returns it as a clause; static; NULL for AN_SURE. */
const char *an_doubt_text (AnDoubt doubt);

/* Looks at a set the first time that it comes, and returns what becomes of sets[set]. */
guint8 an_look_at_work_of_set (AnPlaces *places, nprof_set set);

/* Returns whether rows of the batch may say what they are. */
bool an_batch_says (AnPlaces *places, const struct nprof_batch *batch);

/* Returns what the row's own attribute says, else that of the set that it shares. */
AnSays an_own_says (AnPlaces *places, const struct nprof_batch *batch, uint32_t i);

static inline AnSays
an_set_says (AnPlaces *p, const struct nprof_batch *batch, uint32_t i)
{
  const nprof_set set = p->any_says && batch->shared ? batch->shared[i] : 0;
  guint8 known = set < p->sets->len ? p->sets->data[set] : 0;
  return (AnSays) ((G_LIKELY (known) ? known : an_look_at_work_of_set (p, set)) - 1);
}

static inline AnSays
an_says (AnPlaces *p, const struct nprof_batch *batch, uint32_t i)
{
  if (G_LIKELY (!p->any_says))
    return AN_SAYS_NOTHING;
  const AnSays own = batch->attr_at ? an_own_says (p, batch, i) : AN_SAYS_NOTHING;
  return own ? own : an_set_says (p, batch, i);
}

/* Returns the role of a row that says what it is, on that place; a host has no work of a device. */
static inline AnRole
an_role_of_says (const AnPlace *place, AnSays says)
{
  if (says == AN_SAYS_STEP)
    return AN_STEP;
  if (!place->device)
    return AN_HOST;
  if (says == AN_SAYS_WAIT)
    return AN_NOTE;
  return place->role == AN_ASYNC ? AN_ASYNC : AN_WORK;
}

/* Returns the role of a row of kind span. */
static inline AnRole
an_role (AnPlaces *p, const AnPlace *place, nprof_str category, nprof_str name)
{
  guint8 tells = an_name_tells (p, name);
  if (tells == AN_NAMES_STEP)
    return AN_STEP;
  AnRole role = place->role;
  guint8 by_category = category < p->categories->len ? p->categories->data[category] : 0;
  if (!by_category || role == AN_HOST || role == AN_STEP || role == AN_MODULE)
    return role;
  if (G_UNLIKELY (by_category == AN_WORK_BY_NAME))
    return tells == AN_NAMES_MTIA_WAIT ? AN_NOTE : AN_WORK;
  return (AnRole) (by_category - 1);
}

/* Returns the role of a row of kind span, by what it says itself, else by place, category and name. */
static inline AnRole
an_row_role (AnPlaces *p, const AnPlace *place, const struct nprof_batch *batch, uint32_t i)
{
  const AnSays says = an_says (p, batch, i);
  return G_UNLIKELY (says) ? an_role_of_says (place, says)
                           : an_role (p, place, batch->category[i], batch->name[i]);
}

/* Returns whether the span is a step: it says so, or its name does. */
static inline bool
an_row_is_step (AnPlaces *p, const struct nprof_batch *batch, uint32_t i)
{
  return an_is_step (p, batch->name[i]) || G_UNLIKELY (an_says (p, batch, i) == AN_SAYS_STEP);
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
