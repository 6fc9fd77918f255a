/* SPDX-License-Identifier: Apache-2.0 */
/* reading.h - the request to read one profile, by a nprof of its own. */
#pragma once

#include <glib.h>

typedef struct {
  GPtrArray *paths;     /* of char *: its inputs                                   */
  char *label;          /* what people call it until it is stored                  */
  char *decoder;        /* -d; NULL: by content                                    */
  GStrv options;        /* of the command line, that every reading has as they are */
  char *endpoint, *org; /* of a database; NULL: none                            */
  GStrv sources;        /* --source, whole paths; NULL: none                       */
  guint64 store_max;    /* --store-max, bytes; 0: what the command has */
  char *upload;         /* a folder that goes when it is stored; NULL: none        */
  gboolean force, keep_going;
  gboolean allow_export; /* nsys may be run on reports that the page sent */
} NpReading;

NpReading *np_reading_new (void);
NpReading *np_reading_copy (const NpReading *reading);
void np_reading_free (NpReading *reading);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpReading, np_reading_free)

/* Adds an option of the command; value NULL: none. */
void np_reading_add (GStrvBuilder *words, const char *option, const char *value);
/* Runs nprof view --ingest-only, which reads the profile into the folder `store`; where `plan` is
 * given, --plan, which reads nothing: *plan gets a line of JSON for each profile that the inputs
 * are. `one`: all inputs are one profile. As np_child_run; *err has files of an upload as the user
 * calls them. */
int np_reading_run (const NpReading *reading, const char *store, gboolean one, GString **plan,
                    char **err, gboolean (*stop) (gpointer user), gpointer user);
