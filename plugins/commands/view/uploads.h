/* SPDX-License-Identifier: Apache-2.0 */
/* uploads.h - the folder STORE/uploads, in which each server that shares the store has files of its
 * own: they begin with its number and go with it. What servers left that are gone goes when another
 * one starts. */
#pragma once

#include <glib.h>

#define NP_UPLOAD_DIGITS 16

typedef struct NpUploads NpUploads;

/* Takes a number and removes what nobody owns. Where nothing can be written, nothing is; the first
 * upload says why. */
NpUploads *np_uploads_new (const char *store);
/* Removes all that is left of this server. */
void np_uploads_free (NpUploads *uploads);
const char *np_uploads_store (const NpUploads *uploads);
/* Makes the id of an upload of this server, after removing its own that are older than a day. */
void np_uploads_id (NpUploads *uploads, char id[NP_UPLOAD_DIGITS + 1]);
