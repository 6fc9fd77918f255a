/* SPDX-License-Identifier: Apache-2.0 */
/* neff.h - what the files of the decoder neff share: the instance, the members of the
 * payload, and what is found in them. */
#pragma once

#include "columns.h"
#include "../common/header.h"
#include "../common/names.h"
#include "../common/tables.h"

#include <glib.h>
#include <json-glib/json-glib.h>
#include <nprof/keys.h>
#include <nprof/sdk.h>

#define NEFF_SLOT 64           /* bytes of an instruction */
#define NEFF_MAX_MEMBERS 65536 /* that are kept by name */

/* This is a file in the payload.  JSON and debug members keep their text, instruction streams their
 * counts. */
typedef struct {
  char *name;       /* without a leading ./ */
  guint64 at;       /* of its tar header in the inflated payload */
  guint64 size;
  char *text;       /* NUL behind it; NULL: not kept */
  gsize len;
  guint64 *opcodes; /* 256 counts; NULL: no stream of 64-byte instructions */
} NeffMember;

/* This is an input, output or other buffer. */
typedef struct {
  char *name, *usage, *shape, *dtype; /* NULL: unknown */
  char *parameter;                    /* of the framework's model; NULL: unknown */
  gboolean sized;
  guint64 bytes;
} NeffTensor;

/* Descriptors of one queue do this with one tensor. */
typedef struct {
  char *tensor;
  gboolean writes;
  gboolean unknown; /* a descriptor does not say how many bytes */
  guint64 descriptors, bytes;
} NeffUse;

typedef struct {
  char *name, *type;  /* type NULL: the queue is not declared */
  gboolean uncounted; /* some descriptors could not be read */
  gboolean unknown;   /* a descriptor does not say how many bytes */
  guint64 descriptors, bytes;
  GPtrArray *uses;    /* of NeffUse */
  GHashTable *by_use; /* "w" or "r" and the tensor's name -> NeffUse */
} NeffQueue;

typedef struct {
  const char *engine; /* static */
  gboolean unknown;   /* a stream of it is missing or has another layout */
  guint64 counts[256];
} NeffEngine;

typedef struct {
  const struct nprof_host *host;
  uint64_t member_limit, inflate_limit; /* options */

  NeffHeader header;
  guint64 payload_at; /* in the file */
  int packing;
  gboolean lost;       /* keep-going: something could not be read */
  GHashTable *members; /* name -> NeffMember */
  guint64 kept;        /* bytes of text */
  guint streams, warnings;

  GPtrArray *tensors;    /* of NeffTensor */
  GHashTable *interface; /* "input/NAME" or "output/NAME" -> NeffTensor */
  GHashTable *read;      /* names of def and engine members that were read: each once */
  GPtrArray *queues;  /* of NeffQueue */
  GPtrArray *engines; /* of NeffEngine */
} Neff;

/* payload.c: reads the tar, keeps what is needed, checks the hash. */
nprof_status neff_payload (Neff *n, const guint8 *payload, guint64 len, gboolean whole);

/* members.c */
gboolean neff_is_debug (const char *name);
gboolean neff_is_json (const char *name);   /* one that may be read */
gboolean neff_leads_out (const char *name); /* absolute, or with a `..` in it */
void neff_member_free (gpointer member);
const NeffMember *neff_member (const Neff *n, const char *name); /* NULL: none */
/* Returns the byte of the file that is nearest to a member: exact in a plain tar. */
guint64 neff_file_byte (const Neff *n, const NeffMember *member);

/* json.c: *root is NULL with NPROF_OK when the member is missing, too large, or damaged and the run
 * keeps going; all of it has been counted. */
nprof_status neff_json (Neff *n, const char *name, JsonNode **root);
/* Returns NULL where the member is not there or has another type. */
JsonObject *neff_object (JsonObject *in, const char *key);
JsonArray *neff_array (JsonObject *in, const char *key);
const char *neff_string (JsonObject *in, const char *key);
/* Reads a whole number from 0 on; false: missing, negative or something else. */
bool neff_number (JsonNode *node, guint64 *number);
bool neff_member_number (JsonObject *in, const char *key, guint64 *number);
const char *neff_node_string (JsonNode *node);
JsonObject *neff_node_object (JsonNode *node);
JsonArray *neff_node_array (JsonNode *node);

/* graph.c reads inputs and outputs by neff.json; *kelf is the member that lists the subgraphs. */
nprof_status neff_graph (Neff *n, char **kelf);
/* parameters.c adds the names that a metaneff beside it says. */
nprof_status neff_parameters (Neff *n);
/* subgraph.c reads buffers, queues and engines of all subgraphs. */
nprof_status neff_subgraphs (Neff *n, const char *kelf);
NeffQueue *neff_queue_add (Neff *n, const char *name, const char *type);
/* dma.c: `by_name` leads from name or instance to NeffQueue. false: some descriptors belong to no
 * queue, so what any queue moves is unknown. */
bool neff_dma (Neff *n, JsonObject *engine, GHashTable *by_name, const char *prefix,
               const NeffMember *member);

/* facts.c */
nprof_status neff_header_properties (Neff *n);
nprof_status neff_facts (Neff *n);
nprof_status neff_gap (Neff *n); /* a row for what could not be read */

/* tables.c, layers.c */
nprof_status neff_tables (Neff *n, nprof_str label);
nprof_status neff_layers (Neff *n, nprof_str label);
