/* SPDX-License-Identifier: Apache-2.0 */
/* furiosa-samples.h - a small file in each of Furiosa's formats, for tests and as seeds of the fuzz
 * target.  SPANS and EXPORT hold the same spans. */
#pragma once

#include <string.h>

#define HEADER                                                                                   \
  "trace_id,parent_span_id,span_id,start,end,cat,name,thread.id,dram_base,pe_index,"             \
  "execution_index,instruction_index,operator_index\n"
#define TRACE "00112233445566778899aabbccddeeff"
#define LOAD TRACE ",00000000000000e1,00000000000000a1,1700000000500000010,1700000000500000015,NPU,Load,0,0,1,2,0,\n"
#define CONV TRACE ",00000000000000e1,00000000000000a2,1700000000500000015,1700000000500000115,NPU,LowLevelConv2d,0,0,1,2,1,\n"
#define EXECUTION TRACE ",00000000000000b1,00000000000000e1,1700000000500000005,1700000000500000120,NPU,Execution,0,0,1,2,,\n"
#define LOWER TRACE ",00000000000000b1,00000000000000a3,1700000000500000001,1700000000500000004,Nux,Lower,45,,,,,1\n"
#define INFERENCE TRACE ",0000000000000000,00000000000000b1,1700000000500000000,1700000000500000200,Nux,Inference,45,,,,,\n"

static const char SPANS[] = HEADER LOAD CONV EXECUTION LOWER INFERENCE;

static const char EXPORT[]
    = "[{\"name\": \"Load\", \"cat\": \"NPU\", \"ph\": \"X\", \"ts\": 0.01, \"dur\": 0.005, "
      "\"pid\": 9, \"tid\": 10000001, "
      "\"args\": {\"pe_index\": \"1\", \"execution_index\": \"2\", \"instruction_index\": \"0\"}}, "
      "{\"name\": \"LowLevelConv2d\", \"cat\": \"NPU\", \"ph\": \"X\", \"ts\": 0.015, \"dur\": "
      "0.1, \"pid\": 9, \"tid\": "
      "10000001, \"args\": {\"pe_index\": \"1\", \"execution_index\": \"2\", "
      "\"instruction_index\": \"1\"}}, "
      "{\"name\": \"Execution\", \"cat\": \"NPU\", \"ph\": \"X\", \"ts\": 0.005, \"dur\": 0.115, "
      "\"pid\": 9, \"tid\": 10000001, "
      "\"args\": {\"pe_index\": \"1\", \"execution_index\": \"2\"}}, "
      "{\"name\": \"Lower\", \"cat\": \"Nux\", \"ph\": \"X\", \"ts\": 0.001, \"dur\": 0.003, "
      "\"pid\": 9, \"tid\": 45, \"args\": "
      "{\"operator_index\": \"1\"}}, "
      "{\"name\": \"Inference\", \"cat\": \"Nux\", \"ph\": \"X\", \"ts\": 0.0, \"dur\": 0.2, "
      "\"pid\": 9, \"tid\": 45}, "
      "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 9, \"tid\": 10000001, \"args\": "
      "{\"name\": \"NPU 1\"}}]";

static const char EDF[] = "leader_device,name,cycle\n"
                          "npu0pe0-3,\"Composed(0, 8)\",1600\n"
                          "npu0pe4-7,Tokenwise(TokenwiseBucket { input_size: 8 }) #0,7\n"
                          "npu0pe0-3,Attention(AttentionBucket { a: 1, b: 2 }) #0,801\n"
                          "npu0pe0-3,\"say \"\"hi\"\", then\",0\n";

static const char CYCLES[]
    = "[{\"name\":\"Task\",\"cat\":\"NPU\",\"ph\":\"X\",\"ts\":100,\"dur\":3,\"pid\":0,\"tid\":1,"
      "\"args\":{\"begin_cycle\":5000,\"end_cycle\":6600,\"cycle_actual\":\"1599\",\"cluster_"
      "index\":1,\"level\":\"info\"}},\n"
      "{\"name\":\"aten::mm\",\"cat\":\"cpu_op\",\"ph\":\"X\",\"ts\":90,\"dur\":30,\"pid\":7,"
      "\"tid\":8},\n"
      "{\"name\":\"DMA (1)\",\"cat\":\"NPU\",\"ph\":\"X\",\"ts\":102,\"dur\":1,\"pid\":0,\"tid\":1,"
      "\"args\":{\"begin_cycle\":6600,\"end_cycle\":8200,\"cluster_index\":1}}]";

static const char NATIVE[] = "[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":183123432,\"args\":{"
                             "\"name\":\"npu:0:0-1\"}},\n"
                             "{\"name\":\"Inference "
                             "(Model#0001)\",\"cat\":\"Runtime\",\"ph\":\"b\",\"id\":\"0x1\","
                             "\"ts\":5,\"pid\":3,\"tid\":4},\n"
                             "{\"name\":\"Task\",\"cat\":\"NPU\",\"ph\":\"X\",\"ts\":10,\"dur\":20,"
                             "\"pid\":183123432,\"tid\":65536},\n"
                             "{\"name\":\"LowLevelConv2d\",\"cat\":\"NPU\",\"ph\":\"X\",\"ts\":12,"
                             "\"dur\":20,\"pid\":183123432,\"tid\":65536},\n"
                             "{\"name\":\"Inference "
                             "(Model#0001)\",\"cat\":\"Runtime\",\"ph\":\"e\",\"id\":\"0x1\","
                             "\"ts\":40,\"pid\":3,\"tid\":4},\n"
                             "{\"name\":\"x\",\"ph\":\"v\",\"ts\":1},";

/* This is the plan of RNGD's compiler. */
static const char SCHEDULE[]
    =
      "{\"title\":\"Schedule\",\"instructions\":[{\"index\":\"1\",\"tpe\":\"DmaLoad\",\"conte"
      "xts\":[\"DmaEngine\"],\"lifetime\":{\"begin\":1003,\"end\":1502},\"input_tensors\":[1]"
      ",\"output_tensors\":[0],\"description\":\"--> a.rs:3:6\\n\\nrhs\",\"util\":{\"total_ut"
      "il\":0.5}},{\"index\":\"E(5)\",\"tpe\":\"Core\",\"contexts\":[\"PeCore\"],\"lifetime\""
      ":{\"begin\":3176,\"end\":3776},\"description\":\"\"}],\"tensors\":[{\"name\":\"r\",\"i"
      "ndex\":\"2\",\"lifetime\":{\"begin\":1,\"end\":2},\"address\":0,\"size\":16}]}";

static const char *const ALL[] = { SPANS, EXPORT, NATIVE, EDF, CYCLES, SCHEDULE };
