/* SPDX-License-Identifier: Apache-2.0 */
/* protobuf-head.h - which kind of protobuf the beginning of a file may be. */
#pragma once

#include <glib.h>

/* pprof's profile.proto: fields 1 to 15, some of 1 and of 2, each of the type that it has there. */
gboolean np_is_pprof (const guint8 *head, gsize len);

/* Chakra's et_def.proto: a length, metadata that begin with a version, a length, a node with a
 * name. */
gboolean np_is_chakra (const guint8 *head, gsize len);

/* Perfetto's trace.proto: packets, several, each in field 1 and a message itself. */
gboolean np_is_packets (const guint8 *head, gsize len);
