/* SPDX-License-Identifier: Apache-2.0 */
/* line.h - InfluxDB's line protocol: names, tags and fields as text that every server of 1.x and
 * 2.x takes.  It knows no points and no nprof; its caller puts the commas and spaces. format:
 * https://docs.influxdata.com/influxdb/v2/reference/syntax/line-protocol/ */
#pragma once

#include <glib.h>
#include <nprof/format.h>

/* A longer tag is cut: a key (measurement and tags, escaped) has at most 65,535 bytes. */
#define LINE_TAG_MAX 4000

/* Puts a measurement.  Its comma and space are escaped; so are CR, LF and TAB, as \r \n \t. */
void line_put_measurement (struct nprof_buf *to, const char *text, size_t len);

/* Puts key or value of a tag, or key of a field: escaped as above, and `=`.  No server can read a
 * value that ends in a backslash: a space is put behind it.  NUL becomes U+2400.  TRUE: the text
 * was longer than LINE_TAG_MAX bytes; its beginning, an ellipsis and a hash of all of it stand
 * there.  A tag without a value must be left out by the caller: its text is empty. */
gboolean line_put_tag (struct nprof_buf *to, const char *text, size_t len);

/* Puts a field of type string, in quotes.  Newlines and all else stand as they are. */
void line_put_string (struct nprof_buf *to, const char *text, size_t len);
/* Puts the inside of such a string, for what is put together from pieces. */
void line_put_inside (struct nprof_buf *to, const char *text, size_t len);

void line_put_int (struct nprof_buf *to, gint64 i); /* 12i */
