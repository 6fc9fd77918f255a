/* SPDX-License-Identifier: Apache-2.0 */
/* rest.h - values of attributes as plain text, in columns of text, and which texts of the map
 * `attributes` a row group holds already.  JSON of the map is nprof/rest.h's. */
#pragma once

#include <nprof/format.h>
#include <nprof/row.h>

/* A number, a bool or an id. */
void rest_put_plain (struct nprof_buf *to, const struct nprof_field *field);

#define REST_MEMO 4096

/* The texts that were made last, so that a value that comes again is neither formatted nor kept
 * twice. */
struct rest_memo {
  struct rest_known {
    uint64_t group; /* the row group that has the text; 0: none */
    uint64_t value;
    const char *bytes;
    uint32_t type, ref;
  } known[REST_MEMO];
};

/* Where the value's text is, or is to be noted; its `group` is another one then.  bytes: those of
 * the batch, which change while their address stays.  NULL: it cannot be noted. */
struct rest_known *rest_look (struct rest_memo *memo, const struct nprof_field *field,
                              const char *bytes, uint64_t group);
