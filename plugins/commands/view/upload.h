/* SPDX-License-Identifier: Apache-2.0 */
/* upload.h - files that the page sends: they lie below STORE/uploads until they are read. */
#pragma once

#include "stored/reply.h"
#include "request.h"
#include "uploads.h"

typedef struct NpUpload NpUpload;

/* Begins a file of so many bytes; `with` is the id of an upload that it joins, or NULL; `name` is
 * as the page says: its last part is the file's, but for what a path cannot hold. NULL: the reply
 * says why not. */
NpUpload *np_upload_new (NpUploads *uploads, const char *with, const char *name, guint64 bytes,
                         guint64 most, NpReply *reply);
gboolean np_upload_add (NpUpload *upload, const void *data, gsize len, NpReply *reply);
/* Closes the file; one that is not whole is removed. */
void np_upload_free (NpUpload *upload);

const char *np_upload_id (const NpUpload *upload);
guint64 np_upload_bytes (const NpUpload *upload);
char *np_upload_folder (const NpUpload *upload); /* transfer full */
/* Adds all files of it, in the order in which they came. */
void np_upload_files (const NpUpload *upload, GPtrArray *paths);
/* Removes all of it. */
void np_upload_forget (NpUpload *upload);
/* Removes all of it by its folder. */
void np_upload_remove (const char *folder);
