/* SPDX-License-Identifier: Apache-2.0 */
/* footer-schema.h - the schema of a Parquet file, as its footer has it. format: parquet.thrift,
 * SchemaElement */
#pragma once

#include "parquet/footer.h"
#include "parquet/thrift.h"

/* Reads the list of elements into nodes and leaves; r->failed: it is no tree. */
void pq_read_schema (PqFooter *footer, struct pq_reader *r, unsigned type);
/* Reads text, made valid UTF-8, in place of *text, which it frees: a damaged file has a member
 * twice. */
void pq_read_text (struct pq_reader *r, unsigned type, char **text);
