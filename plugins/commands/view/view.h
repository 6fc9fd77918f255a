/* SPDX-License-Identifier: Apache-2.0 */
/* view.h - what `nprof view` and `nprof profiles` are asked to do, and the server that does it.
 * docs/formats/view-api.md has the answers; each file ask-*.c makes a group of them. */
#pragma once

#include "base/log.h"
#include "plugin/registry.h"
#include "reading.h"

#include <stdatomic.h>

#define NP_VIEW_PORT 3001

typedef struct {
  char *store;                   /* the folder of all profiles                                  */
  char *address;                 /* as the user wrote it: localhost, an address, a name         */
  guint port;                    /* 0: any free one                                             */
  GStrv hosts;                   /* further names of this machine; NULL: none                   */
  const char *framed_by;         /* the origin whose pages may frame this one; NULL: none       */
  gboolean any_user;             /* serve every user of this machine                            */
  gboolean open_path;            /* may the page open files by their path                       */
  guint64 store_max, upload_max; /* bytes                                             */
  const NpReading *reading;      /* the options of the command line, for what the page opens */
} NpViewConfig;

typedef struct NpView NpView;

/* config and modules live as long as the view. */
NpView *np_view_new (const NpViewConfig *config, NpRegistry *modules, NpLog *log, GError **error);
void np_view_free (NpView *view);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NpView, np_view_free)

/* Begins to serve.  FALSE, NP_EXIT_USAGE: the port is taken, or there is no such address. */
gboolean np_view_start (NpView *view, GError **error);
/* Returns "http://HOST:PORT" as people open it; transfer full. */
char *np_url_of (const char *address, guint port);
/* The same of what serves. */
char *np_view_url (const NpView *view);
/* Begins to read a profile while others are served. */
void np_view_read (NpView *view, const char *id, const NpReading *reading);
/* Waits for a signal that ends the program, which np_view_free does in order; the program ends with
 * status 0 three seconds later where a question does not. */
void np_view_wait (NpView *view, const atomic_int *interrupt);
