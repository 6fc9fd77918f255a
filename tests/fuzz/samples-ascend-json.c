/* SPDX-License-Identifier: Apache-2.0 */
/* samples-ascend-json.c - small traces of Ascend's profilers, of torch_npu and of msprof of 2023,
 * for replay.c. */
#include "replay.h"

const char replay_likely[] = "{}[]\",:0123456789XsfCM.-_";

#define NAMED(name, pid, label)                                                                    \
  "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":" pid ",\"args\":{\"name\":\"" name             \
  "\"}},{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":" pid                                    \
  ",\"args\":{\"labels\":\"" label "\"}}"

static const char *const traces[] = {
  "\x05[" NAMED ("Python", "2000", "CPU") "," NAMED ("CANN", "2048321", "CPU") "," NAMED (
      "Ascend Hardware", "2048353", "NPU 1") "," NAMED ("HCCL", "2048385", "NPU 1")
  ",{\"ph\":\"X\",\"name\":\"ProfilerStep#1\",\"cat\":\"cpu_op\",\"pid\":2000,\"tid\":7,"
  "\"ts\":\"1736408883000000.100\",\"dur\":90.5,\"args\":{\"Fwd thread id\":0}}"
  ",{\"ph\":\"X\",\"name\":\"aten::mm\",\"cat\":\"cpu_op\",\"pid\":2000,\"tid\":7,"
  "\"ts\":\"1736408883000001.100\",\"dur\":9}"
  ",{\"ph\":\"X\",\"name\":\"Node@launch\",\"pid\":2048321,\"tid\":7,\"ts\":"
  "\"1736408883000002.000\",\"dur\":1,\"args\":{\"level\":\"node\",\"connection_id\":9}}"
  ",{\"ph\":\"X\",\"name\":\"mm\",\"pid\":2048353,\"tid\":2,\"ts\":\"1736408883000008.000\","
  "\"dur\":3.53125,\"args\":{\"Task Type\":\"AI_CORE\",\"Physic Stream Id\":2,\"Task Id\":4,"
  "\"Subtask Id\":4294967295,\"connection_id\":9}}"
  ",{\"ph\":\"X\",\"name\":\"hcom_allReduce__586_0_1\",\"pid\":2048385,\"tid\":0,\"ts\":"
  "\"1736408883000020.000\",\"dur\":5,\"args\":{\"connection_id\":10,\"count\":8,"
  "\"data_type\":\"FP32\"}}"
  ",{\"ph\":\"X\",\"name\":\"Memcpy\",\"pid\":2048385,\"tid\":1,\"ts\":"
  "\"1736408883000020.000\",\"dur\":2,\"args\":{\"task type\":\"Memcpy\",\"stream id\":4,"
  "\"task id\":5,\"context id\":0}}"
  ",{\"ph\":\"s\",\"cat\":\"HostToDevice\",\"name\":\"h\",\"id\":\"77\",\"pid\":2048321,"
  "\"tid\":7,\"ts\":\"1736408883000002.500\"}"
  ",{\"ph\":\"f\",\"cat\":\"HostToDevice\",\"name\":\"h\",\"id\":\"77\",\"pid\":2048385,"
  "\"tid\":0,\"ts\":\"1736408883000020.000\"}"
  ",{\"ph\":\"s\",\"cat\":\"async_npu\",\"name\":\"t\",\"id\":1,\"pid\":2000,\"tid\":7,"
  "\"ts\":\"1736408883000001.500\"}"
  ",{\"ph\":\"f\",\"cat\":\"async_npu\",\"name\":\"t\",\"id\":1,\"pid\":2048353,\"tid\":2,"
  "\"ts\":\"1736408883000008.000\"}]",
  "\x07[" NAMED ("Ascend Hardware", "3", "NPU")
  ",{\"ph\":\"X\",\"name\":\"Iteration 1\",\"cat\":\"Iteration Time\",\"pid\":3,\"tid\":10044,"
  "\"ts\":56635854710.920006,\"dur\":57532.96,\"args\":{\"Iteration ID\":1}}"
  ",{\"ph\":\"X\",\"name\":\"Cast-op239\",\"pid\":3,\"tid\":4,\"ts\":56635854722.94,"
  "\"dur\":23.51,\"args\":{\"Task Type\":\"Other\",\"Stream Id\":4,\"Task Id\":4}}]",
};

GByteArray *
replay_sample (guint number)
{
  return replay_text (traces, G_N_ELEMENTS (traces), number);
}
