/* SPDX-License-Identifier: Apache-2.0 */
/* opened.h - profiles that are open: each is mapped once and shared by all requests. */
#pragma once

#include "system/once.h"
#include "stored/memo.h"

#include <glib.h>
#include <nprof/store-reader.h>
#include <pthread.h>
#include <system/short-names.h>

typedef struct NpOpened NpOpened;

/* What rows state beside their name. */
typedef enum {
  NP_STATED_LAYER,
  NP_STATED_OPERATOR,
  NP_STATED_SOURCE,
  NP_STATED_UNIT,
  NP_STATED_COLLECTIVE,
  NP_STATED_WORK,
  NP_N_STATED
} NpStated;

/* By what rows are grouped beside their tracks. */
typedef enum {
  NP_GROUP_CATEGORY,
  NP_GROUP_LAYER,
  NP_GROUP_STEP,
  NP_GROUP_OPERATOR,
  NP_GROUP_SOURCE,
  NP_N_GROUPINGS
} NpGrouping;

typedef struct {
  char id[44];
  struct nprof_store *store;
  const struct nprof_store_meta *meta;
  guint64 inode;
  gint64 mtime_ns;
  /* private */
  gint refs;
  pthread_mutex_t lock;
  GPtrArray *idle; /* of struct nprof_query */
  NpMemo *memo;    /* answers that took long */
  NpOnce naming;
  Names *names; /* of all labels; NULL: none has a short form */
  NpOnce stating;
  guint32 *stated[NP_N_STATED]; /* by label, as stated.c of view has them; NULL: none */
  GArray *values[NP_N_STATED];  /* guint32 strings in the order of their first rows; NULL: none */
  pthread_mutex_t grouping;
  struct NpGroups *groups[NP_N_GROUPINGS]; /* as groups.c of view finds them; NULL: not asked for */
  struct NpLayers *layers; /* the model's tree over time, of layers.c there; NULL: the same */
  GPtrArray *owned;        /* what is freed with it */
} NpProfile;

NpOpened *np_opened_new (const char *folder);
void np_opened_free (NpOpened *opened);

/* Returns whether it is an id, n_ and 40 lower-case hex digits. */
gboolean np_is_profile_id (const char *text);
/* Returns whether it is a folder of ours and no link, which could lead out of the store. The path
 * is seen from the open folder `at`, or from AT_FDCWD. */
gboolean np_is_own_folder (int at, const char *path);
/* Returns the profile as it lies there now, with a reference of the caller's.  NULL: there is none
 * (why is ""), or it cannot be read (why says so, and errno as of nprof_store_open).
 * [any-thread] */
NpProfile *np_opened_get (NpOpened *opened, const char *id, char *why, gsize why_size);
/* The same, but does not keep it open for the next one who asks. */
NpProfile *np_opened_look (NpOpened *opened, const char *id, char *why, gsize why_size);
/* Forgets a profile that is not there any more. */
void np_opened_drop (NpOpened *opened, const char *id);
void np_profile_unref (NpProfile *profile);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpProfile, np_profile_unref)

/* Gives the profile what others find of it, to free it when the profile is closed. [any-thread] */
void np_profile_own (NpProfile *profile, gpointer data, GDestroyNotify destroy);

/* Returns a query that is the caller's until it is given back; NULL: no memory. */
struct nprof_query *np_profile_query (NpProfile *profile);
void np_profile_give_back (NpProfile *profile, struct nprof_query *query);

/* Returns the text of a string of the store. */
const char *np_profile_string (const NpProfile *profile, guint32 string);
/* Returns a property of an input; NULL: it has none of that name. */
const char *np_profile_property (const NpProfile *profile, const struct nprof_store_input *input,
                                 const char *key);
/* Returns a text that tells a device of an input from all others, transfer full: of one rank of a
 * job a device is one, however many recordings it has; a job of one rank is any run. */
char *np_profile_device (const NpProfile *profile, const char *input, const char *device);
/* Returns the name of a label as the sink text shortens it among all of the profile. */
const char *np_profile_short_name (NpProfile *profile, const char *name);
