/* SPDX-License-Identifier: Apache-2.0 */
/* host-kind.h - tells by its category what a span of a host is: the one place that knows these
 * words, for analyzers and decoders.  Ask once for each category. */
#ifndef PRODUCERS_HOST_KIND_H
#define PRODUCERS_HOST_KIND_H

/* So end the names of what ONNX Runtime runs operators by; the decoder chrome says it as their
 * category. */
#define ONNX_PROVIDER "ExecutionProvider"

typedef enum {
  AN_HOST_OTHER = 1,
  AN_HOST_OPERATOR, /* of a framework                             */
  AN_HOST_CALL,     /* of a runtime or a driver of devices        */
  AN_HOST_FRAME,    /* a function of Python                       */
  AN_HOST_NOTE      /* an annotation: it names what the host does */
} AnHostKind;

AnHostKind an_host_kind (const char *category);

#endif
