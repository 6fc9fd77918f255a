/* SPDX-License-Identifier: Apache-2.0 */
/* page.h - the files of the page, by a list made at build time: no path of a request is ever
 * opened. */
#pragma once

#include "stored/reply.h"
#include "request.h"

typedef struct NpPage NpPage;

/* Reads the files; those that cannot be read are missing.  `files` are names below share/viewer,
 * `folders` where they may lie; both end in NULL. */
NpPage *np_page_new (const char *const *files, char **folders);
void np_page_free (NpPage *page);
/* Returns the text of a file of the list; NULL: it was not built. */
const char *np_page_text (const NpPage *page, const char *name);
/* Answers /NAME of the list; index.html, with token and a nonce, for /, /profile/..., /compare and
 * /v/...; else 404.  `first` are link elements for what the page asks first. */
void np_page_answer (const NpPage *page, const char *token, const char *first,
                     const NpRequest *request, NpReply *reply);
