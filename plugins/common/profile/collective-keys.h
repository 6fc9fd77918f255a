/* SPDX-License-Identifier: Apache-2.0 */
/* collective-keys.h - the names of attributes that say of a collective who took part in it and how
 * much was sent.  NPROF_KEY_COLLECTIVE says what it was. */
#pragma once

#define COLLECTIVE_KEY_GROUP "group" /* string: the group of ranks, as its library numbers it */
#define COLLECTIVE_KEY_GROUP_LABEL "group_label"    /* string: what the program calls it */
/* string: "[0, 1]", "{{0,1},{2,3}}", "[4,2]<=[8]" */
#define COLLECTIVE_KEY_GROUP_RANKS "group_ranks"
#define COLLECTIVE_KEY_GROUP_SIZE "group_size"      /* int64: ranks */
#define COLLECTIVE_KEY_COMMUNICATOR "communicator"  /* string: id of the library's communicator */
#define COLLECTIVE_KEY_SEQUENCE "sequence"          /* int64: which of the group's collectives */
#define COLLECTIVE_KEY_ELEMENTS_IN "elements_in"    /* int64: that this rank gives */
#define COLLECTIVE_KEY_ELEMENTS_OUT "elements_out"  /* int64: that this rank gets */
#define COLLECTIVE_KEY_DTYPE "dtype" /* string: of the elements, as the file calls it */
#define COLLECTIVE_KEY_PEER "peer" /* int64: rank at the other end of a send or receive */
/* string: how far its rank has come: scheduled, started, completed */
#define COLLECTIVE_KEY_STATE "state"
#define COLLECTIVE_KEY_P2P "is_p2p" /* bool: a send or receive, which counts apart */
#define COLLECTIVE_KEY_TIMEOUT "timeout_ms" /* int64: after which the watchdog ends the job */
/* uint64: external id of the operator that launched it */
#define COLLECTIVE_KEY_OPERATOR "operator_id"

/* Neuron's tools state bytes in place of elements in these (neuron-profile-schema, CcOp). */
#define COLLECTIVE_KEY_INPUT_SIZE "input_size"      /* int64 byte */
#define COLLECTIVE_KEY_OUTPUT_SIZE "output_size"    /* int64 byte */

/* A decoder that emits them declares these. */
#define COLLECTIVE_CALL_ATTRIBUTES                                                                \
  NPROF_ATTRIBUTE (NPROF_STRING, COLLECTIVE_KEY_GROUP, "", "group of ranks of a collective"),     \
      NPROF_ATTRIBUTE (NPROF_STRING, COLLECTIVE_KEY_GROUP_LABEL, "",                              \
                       "what the program calls the group"),                                       \
      NPROF_ATTRIBUTE (NPROF_INT64, COLLECTIVE_KEY_GROUP_SIZE, "", "ranks of the group"),         \
      NPROF_ATTRIBUTE (NPROF_STRING, COLLECTIVE_KEY_COMMUNICATOR, "",                             \
                       "id of the library's communicator"),                                       \
      NPROF_ATTRIBUTE (NPROF_INT64, COLLECTIVE_KEY_SEQUENCE, "",                                  \
                       "which of the group's collectives"),                                       \
      NPROF_ATTRIBUTE (NPROF_INT64, COLLECTIVE_KEY_PEER, "",                                      \
                       "rank at the other end of a send or receive")
#define COLLECTIVE_GROUP_ATTRIBUTES                                                               \
  NPROF_ATTRIBUTE (NPROF_STRING, COLLECTIVE_KEY_GROUP_RANKS, "", "ranks that take part"),         \
      NPROF_ATTRIBUTE (NPROF_STRING, COLLECTIVE_KEY_DTYPE, "", "type of the elements")
#define COLLECTIVE_ELEMENT_ATTRIBUTES                                                             \
  NPROF_ATTRIBUTE (NPROF_INT64, COLLECTIVE_KEY_ELEMENTS_IN, "", "elements that this rank gives"), \
      NPROF_ATTRIBUTE (NPROF_INT64, COLLECTIVE_KEY_ELEMENTS_OUT, "", "elements that this rank gets")
