/* SPDX-License-Identifier: Apache-2.0 */
/* curl.h - libcurl, opened when a capture needs it: linked, it and the TLS library that it needs
 * would be loaded by every nprof run. */
#pragma once

#include <curl/curl.h>
#include <glib.h>

#define NP_CURL_FUNCTIONS(X)                                                                       \
  X (global_init)                                                                                  \
  X (version_info)                                                                                 \
  X (easy_init)                                                                                    \
  X (easy_setopt)                                                                                  \
  X (easy_getinfo)                                                                                 \
  X (easy_perform)                                                                                 \
  X (easy_strerror)                                                                                \
  X (easy_cleanup)                                                                                 \
  X (slist_append)                                                                                 \
  X (slist_free_all)

#define NP_CURL_FIELD(name) __typeof__ (&curl_##name) name;

typedef struct {
  NP_CURL_FUNCTIONS (NP_CURL_FIELD)
} NpCurl;

/* NULL: the library is not installed or speaks no HTTP/2, and the error says how to get it. */
const NpCurl *np_curl_open (GError **error);
