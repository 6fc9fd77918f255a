/* SPDX-License-Identifier: Apache-2.0 */
/* samples-layer-times.c - small files of trtexec, OpenVINO and Proton, for replay.c. */
#include "replay.h"

const char replay_likely[] = ",\n0123456789[]{} -.eE\":;";

static const char *const files[] = {
  "[\n  { \"count\" : 464 }\n, { \"name\" : \"conv1 0\", \"timeMs\" : 6348.33, \"averageMs"
  "\" : 13.6817, \"percentage\" : 1.5 }\n]\n",
  "[\n  { \"startEnqMs\" : 624.347, \"endEnqMs\" : 625.258, \"startInMs\" : 624.347, \"endI"
  "nMs\" : 624.347, \"inMs\" : 0, \"startComputeMs\" : 624.347, \"endComputeMs\" : 624.416,"
  " \"computeMs\" : 0.0687604, \"startOutMs\" : 624.416, \"endOutMs\" : 624.949, \"outMs\" "
  ": 0.532969, \"latencyMs\" : 1 }\n, { \"startEnqMs\" : 1122.54, \"endEnqMs\" : 1123.04, "
  "\"startInMs\" : 1122.54, \"endInMs\" : 1123.38, \"inMs\" : 0.847885, \"startComputeMs\" "
  ": 1123.38, \"endComputeMs\" : 1123.61, \"computeMs\" : 0.226437, \"startOutMs\" : 1123.6"
  "1, \"endOutMs\" : 1123.64, \"outMs\" : 0.0314379, \"latencyMs\" : 1 }\n, { \"startEnqMs"
  "\" : 2042.2, \"endEnqMs\" : 2042.62, \"startInMs\" : 2042.2, \"endInMs\" : 2043.02, \"in"
  "Ms\" : 0.819492, \"startComputeMs\" : 2043.02, \"endComputeMs\" : 2043.85, \"computeMs\""
  " : 0.824729, \"startOutMs\" : 2043.85, \"endOutMs\" : 2044.33, \"outMs\" : 0.479231, \"l"
  "atencyMs\" : 1 }\n]\n",
  "layerName;execStatus;layerType;execType;numaId;realTime (ms);cpuTime (ms);\nx\\y_0;NOT_R"
  "UN;Convolution;jit_avx512_FP32;0;847.433;763.774;\na,\"b\"_1;OPTIMIZED_OUT;Convolution;j"
  "it_avx512_FP32;0;760.962;472.245;\nconv1_2;OPTIMIZED_OUT;Convolution;;0;487.856;893.317;"
  "\nTotal;;;;;1.0;1.0;\n",
  "\n[{\"children\": [{\"children\": [{\"children\": [{\"children\": [{\"children\": [{\"ch"
  "ildren\": [], \"frame\": {\"name\": \"a,\\\"b\\\" 17\", \"type\": \"function\"}, \"metri"
  "cs\": {\"count\": 18, \"device_id\": \"0\", \"device_type\": \"CUDA\", \"time (ns)\": 29"
  "5529}}], \"frame\": {\"name\": \"fc;out 74\", \"type\": \"function\"}, \"metrics\": {}},"
  " {\"children\": [{\"children\": [], \"frame\": {\"name\": \"fc;out 12\", \"type\": \"fun"
  "ction\"}, \"metrics\": {\"count\": 10, \"device_id\": \"1\", \"device_type\": \"CUDA\", "
  "\"time (ns)\": 765285}}], \"frame\": {\"name\": \"x\\\\y 77\", \"type\": \"function\"}, "
  "\"metrics\": {}}, {\"children\": [{\"children\": [], \"frame\": {\"name\": \"a,\\\"b\\\""
  " 61\", \"type\": \"function\"}, \"metrics\": {\"count\": 67, \"device_id\": \"1\", \"dev"
  "ice_type\": \"CUDA\", \"time (ns)\": 464198, \"flops16\": 1000000000.0, \"flops8\": 5000"
  "00000.0, \"bytes\": 986194169}}], \"frame\": {\"name\": \"a,\\\"b\\\" 81\", \"type\": \""
  "function\"}, \"metrics\": {\"flops16\": 1000000000.0, \"flops8\": 500000000.0, \"bytes\""
  ": 772777019}}], \"frame\": {\"name\": \"gr\\u00f6\\u00dfe 38\", \"type\": \"function\"},"
  " \"metrics\": {}}, {\"children\": [], \"frame\": {\"name\": \"x\\\\y 80\", \"type\": \"f"
  "unction\"}, \"metrics\": {\"count\": 64, \"device_id\": \"1\", \"device_type\": \"CUDA\""
  ", \"time (ns)\": 641621}}, {\"children\": [], \"frame\": {\"name\": \"fc;out 90\", \"typ"
  "e\": \"function\"}, \"metrics\": {\"count\": 73, \"device_id\": \"0\", \"device_type\": "
  "\"CUDA\", \"time (ns)\": 200349}}], \"frame\": {\"name\": \"conv1 33\", \"type\": \"func"
  "tion\"}, \"metrics\": {}}, {\"children\": [], \"frame\": {\"name\": \"gr\\u00f6\\u00dfe "
  "11\", \"type\": \"function\"}, \"metrics\": {\"count\": 66, \"device_id\": \"1\", \"devi"
  "ce_type\": \"CUDA\", \"time (ns)\": 335602, \"flops16\": 1000000000.0, \"flops8\": 50000"
  "0000.0, \"bytes\": 591918701}}, {\"children\": [], \"frame\": {\"name\": \"fc;out 90\", "
  "\"type\": \"function\"}, \"metrics\": {\"count\": 43, \"device_id\": \"0\", \"device_typ"
  "e\": \"CUDA\", \"time (ns)\": 574034}}], \"frame\": {\"name\": \"gr\\u00f6\\u0",
  "[\n  { \"startEnqMs\" : 949.999, \"endEnqMs\" : 950.912, \"startH2dMs\" : 949.999, \"end"
  "H2dMs\" : 950.091, \"h2dMs\" : 0.0921306, \"startComputeMs\" : 950.091, \"endComputeMs\""
  " : 950.48, \"computeMs\" : 0.388683, \"startD2hMs\" : 950.48, \"endD2hMs\" : 950.48, \"d"
  "2hMs\" : 0, \"latencyMs\" : 1 }\n, { \"startEnqMs\" : 1843.22, \"endEnqMs\" : 1843.94, "
  "\"startH2dMs\" : 1843.22, \"endH2dMs\" : 1843.22, \"h2dMs\" : 0, \"startComputeMs\" : 18"
  "43.22, \"endComputeMs\" : 1843.49, \"computeMs\" : 0.271136, \"startD2hMs\" : 1843.49, "
  "\"endD2hMs\" : 1844.14, \"d2hMs\" : 0.652548, \"latencyMs\" : 1 }\n]\n",
};

GByteArray *
replay_sample (guint number)
{
  return replay_text (files, G_N_ELEMENTS (files), number);
}
