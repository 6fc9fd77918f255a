/* SPDX-License-Identifier: Apache-2.0 */
/* page.c - writes a page. */
#include "page.h"

#include "parquet/thrift.h"
#include "schema.h"
#include "system/crc32.h"

/* parquet.thrift: DataPageHeader, DictionaryPageHeader */
static void
put_kind (struct pq_thrift *t, const struct pq_page_head *head)
{
  bool data = head->type == PQ_PAGE_DATA;
  pq_field_struct (t, data ? 5 : 7);
  pq_field_int (t, 1, PQ_T_I32, head->n);
  pq_field_int (t, 2, PQ_T_I32, head->encoding);
  if (data) {
    pq_field_int (t, 3, PQ_T_I32, PQ_ENC_RLE);
    pq_field_int (t, 4, PQ_T_I32, PQ_ENC_RLE);
  }
  pq_end (t);
}

size_t
pq_put_page (struct nprof_buf *to, const struct pq_page_head *head, const struct nprof_buf *body,
             struct pq_codec *codec, struct nprof_buf *scratch)
{
  scratch->len = 0;
  pq_compress (codec, scratch, body->data, body->len);
  if (scratch->failed || body->failed || body->len > INT32_MAX || scratch->len > INT32_MAX) {
    to->failed = true;
    return 0;
  }
  size_t begin = to->len;
  uint32_t crc = np_crc32 (0, scratch->data, scratch->len);
  struct pq_thrift t = { .to = to };
  pq_field_int (&t, 1, PQ_T_I32, head->type);
  pq_field_int (&t, 2, PQ_T_I32, (int64_t) body->len);
  pq_field_int (&t, 3, PQ_T_I32, (int64_t) scratch->len);
  pq_field_int (&t, 4, PQ_T_I32, (int32_t) crc);
  put_kind (&t, head);
  pq_end (&t);
  size_t header = to->len - begin;
  nprof_put (to, scratch->data, scratch->len);
  return header;
}
