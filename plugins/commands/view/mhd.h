/* SPDX-License-Identifier: Apache-2.0 */
/* mhd.h - libmicrohttpd, opened when a server starts: if it were linked, every nprof run would load
 * it and the TLS library that it needs. */
#pragma once

#include <glib.h>
#include <microhttpd.h>

#define NP_MHD_FUNCTIONS(X)                                                                        \
  X (start_daemon)                                                                                 \
  X (stop_daemon)                                                                                  \
  X (quiesce_daemon)                                                                               \
  X (create_response_from_buffer)                                                                  \
  X (create_response_from_fd64)                                                                    \
  X (add_response_header)                                                                          \
  X (queue_response)                                                                               \
  X (destroy_response)                                                                             \
  X (lookup_connection_value)                                                                      \
  X (get_connection_values)                                                                        \
  X (get_connection_info)

#define NP_MHD_FIELD(name) __typeof__ (&MHD_##name) name;

typedef struct {
  NP_MHD_FUNCTIONS (NP_MHD_FIELD)
} NpMhd;

/* Returns NULL when the library is not installed, and the error says how to get it. */
const NpMhd *np_mhd_open (GError **error);
