/* SPDX-License-Identifier: Apache-2.0 */
/* rest.h - values of attributes as text: as JSON in the map `attributes`, plain in columns of
 * text. */
#pragma once

#include <nprof/format.h>
#include <nprof/row.h>

void rest_put_json (struct nprof_buf *to, const struct nprof_host *host,
                    const struct nprof_field *field);
/* A number, a bool or an id. */
void rest_put_plain (struct nprof_buf *to, const struct nprof_field *field);
