/* SPDX-License-Identifier: Apache-2.0 */
/* nprof/keys.h - the names of well-known attributes: one name for one thing in
 * all decoders, so that an analyzer need not know which format it looks at.
 *
 * Behind each name: its type, its unit, and what it means.  A decoder declares
 * those that it emits (struct nprof_attribute) and gives everything else under
 * the name that its format uses.  Unknown is left out, never 0. */
#ifndef NPROF_KEYS_H
#define NPROF_KEYS_H

/* What a row means: nprof-semantics(7). A decoder that gives these declares them; analyzers and the
 * view read them, and sinks of rows leave them out, unless --meaning asks for columns, which are
 * called by what follows the dot. A file's own attribute that is called `work` is another. The
 * number of a step stands under NPROF_KEY_STEP. */
/* string: compute, communication, copy, transfer, infeed, control, setup; wait, program, around,
 * note, unknown, unaligned: no work; step: one step */
#define NPROF_KEY_WORK "nprof.work"
/* uint64: joins a call of the host to the work of a device that it launched */
#define NPROF_KEY_LAUNCH "nprof.launch"
/* string: what an author would call it, the same in each step */
#define NPROF_KEY_OPERATOR "nprof.operator"
/* bool: the call returns when the work that it names by `launch`, else all work before it, ends */
#define NPROF_KEY_BLOCKS "nprof.blocks"
#define NPROF_MEANING_KEYS NPROF_KEY_WORK, NPROF_KEY_LAUNCH, NPROF_KEY_OPERATOR, NPROF_KEY_BLOCKS

/* Work done */
#define NPROF_KEY_FLOPS "flops" /* int64 flop: as the compiler or the file declares, once per row */
#define NPROF_KEY_MODEL_FLOPS "model_flops"       /* int64 flop: without recomputation */
#define NPROF_KEY_BYTES_READ "bytes_read"         /* int64 byte */
#define NPROF_KEY_BYTES_WRITTEN "bytes_written"   /* int64 byte */
#define NPROF_KEY_BYTES_ACCESSED "bytes_accessed" /* int64 byte: read and written, any memory */
#define NPROF_KEY_BYTES "bytes" /* int64 byte: size of a transfer or an allocation */

/* What it was */
#define NPROF_KEY_OP "op" /* string: operator as the lowest level names it */
#define NPROF_KEY_OPCODE "opcode"                 /* string: instruction or HLO opcode */
#define NPROF_KEY_HLO_OP "hlo_op"                 /* string: name of the HLO instruction */
#define NPROF_KEY_HLO_MODULE "hlo_module"         /* string */
#define NPROF_KEY_HLO_CATEGORY "hlo_category"     /* string: "loop fusion", "copy", ... */
#define NPROF_KEY_HLO_TEXT "hlo_text"             /* string: the whole HLO instruction */
/* string: path of the framework, "jit(f)/layer_3/dot_general" */
#define NPROF_KEY_FRAMEWORK_OP "framework_op"
#define NPROF_KEY_LAYER "layer"                   /* string */
#define NPROF_KEY_SHAPE "shape"                   /* string: with layout where known */
#define NPROF_KEY_SOURCE "source"                 /* string: "file:line" of the user's program */
#define NPROF_KEY_SOURCE_STACK "source_stack"     /* string: one frame a line */
#define NPROF_KEY_FUSION "fusion"                 /* string: fusion that the row belongs to */
/* string: the operator that this is a clone of */
#define NPROF_KEY_DEDUPLICATED "deduplicated_name"
/* string: communication between devices, as its library calls it */
#define NPROF_KEY_COLLECTIVE "collective"
#define NPROF_KEY_TENSOR "tensor"                 /* string: tensor that the row moves or holds */
#define NPROF_KEY_KERNEL "kernel_details" /* string: registers, shared memory, grid, block */

/* Where it ran */
#define NPROF_KEY_ENGINE "engine" /* string: tensor, vector, scalar, gpsimd, sync, dma, ... */
#define NPROF_KEY_QUEUE "queue"                   /* string */
#define NPROF_KEY_STREAM "stream"                 /* int64 */
#define NPROF_KEY_STEP "step" /* int64: number of the training or inference step */

/* How a counter counts (rows of kind counter) */
/* string: of its values: "byte", "byte/s", "%" (of 100), "1" (a ratio) */
#define NPROF_KEY_UNIT "unit"

/* What belongs together */
#define NPROF_KEY_PROGRAM_ID "program_id"         /* uint64: compiled program */
#define NPROF_KEY_SYMBOL_ID "symbol_id"           /* uint64: operator within its program */
#define NPROF_KEY_CORRELATION_ID "correlation_id" /* uint64: joins a launch and its execution */
#define NPROF_KEY_RUN_ID "run_id"                 /* uint64: one execution of a program */
#define NPROF_KEY_TRACE_ID "trace_id"             /* id128 */
#define NPROF_KEY_FLOW_PHASE "flow_phase" /* string: begin, step, end; on rows of kind flow */

/* Times beside the row's own */
#define NPROF_KEY_DEVICE_OFFSET "device_offset"     /* int64 ps: start by the device's clock */
#define NPROF_KEY_DEVICE_DURATION "device_duration" /* int64 ps: duration by the device's clock */

/* Facts of a device (rows of kind fact) */
#define NPROF_KEY_DEVICE_TYPE "device_type"       /* string: "TPU v6 Lite" */
#define NPROF_KEY_PEAK_FLOPS "peak_flops"         /* double flop/s */
#define NPROF_KEY_PEAK_BANDWIDTH "peak_bandwidth" /* double byte/s: main memory */
#define NPROF_KEY_MEMORY_SIZE "memory_size"       /* int64 byte */
#define NPROF_KEY_CLOCK_RATE "clock_rate"         /* double Hz */
#define NPROF_KEY_CORE_COUNT "core_count" /* int64: cores or multiprocessors of the device */

/* Set by the core */
#define NPROF_KEY_VALUE "value" /* json: a counter's value that is no exact double */
#define NPROF_KEY_CROSSES_EDGE "crosses_edge" /* bool: the row reaches beyond the selected range */

#endif
