/* SPDX-License-Identifier: Apache-2.0 */
/* page.h - a page: header, CRC, compressed body. */
#pragma once

#include "codec.h"

struct pq_page_head {
  int type;      /* PQ_PAGE_DATA, PQ_PAGE_DICT */
  int encoding;
  uint32_t n;    /* values, nulls too */
};

/* Compresses `body` with `scratch` and appends the page.  Returns the bytes of its header: what
 * it adds to the uncompressed size. */
size_t pq_put_page (struct nprof_buf *to, const struct pq_page_head *head,
                    const struct nprof_buf *body, struct pq_codec *codec,
                    struct nprof_buf *scratch);
