/* SPDX-License-Identifier: Apache-2.0 */
/* samples-nccl-inspector.c - small logs, one cut off, for replay.c. */
#include "replay.h"

const char replay_likely[] = ",\"\n0123456789{}[]:\\ -.eE";

static const char *const logs[] = {
  "{\"header\":{\"id\":\"0x56e8af7177219d3\",\"comm_name\":\"unknown\",\"rank\":0,\"n_ranks"
  "\":2,\"nnodes\":1},\"metadata\":{\"inspector_output_format_version\":\"v4.0\",\"git_rev"
  "\":\"\",\"rec_mechanism\":\"nccl_profiler_interface\",\"dump_timestamp_us\":177000000039"
  "9405,\"hostname\":\"node0\",\"pid\":5000},\"coll_perf\":{\"coll\":\"AllGather\",\"coll_s"
  "n\":0,\"coll_msg_size_bytes\":2097152,\"coll_exec_time_us\":923,\"coll_timing_source\":"
  "\"kernel_gpu\",\"coll_algobw_gbs\":4.544208,\"coll_busbw_gbs\":2.272104,\"event_trace_sn"
  "\":{\"coll_start_sn\":1,\"coll_stop_sn\":2,\"kernel_events\":[]},\"event_trace_ts\":{\"c"
  "oll_start_ts\":1770000000397762,\"coll_stop_ts\":1770000000397767,\"kernel_events\":[{\""
  "channel_id\":1,\"kernel_start_ts\":1770000000397783,\"kernel_stop_ts\":1770000000398704,"
  "\"kernel_record_ts\":1770000000398704},{\"channel_id\":0,\"kernel_start_ts\":17700000003"
  "97782,\"kernel_stop_ts\":1770000000398705,\"kernel_record_ts\":1770000000398705}]}}}\n{"
  "\"header\":{\"id\":\"0x56e8af7177219d3\",\"comm_name\":\"unknown\",\"rank\":0,\"n_ranks"
  "\":2,\"nnodes\":1},\"metadata\":{\"inspector_output_format_version\":\"v4.0\",\"git_rev"
  "\":\"\",\"rec_mechanism\":\"nccl_profiler_interface\",\"dump_timestamp_us\":177000000041"
  "8055,\"hostname\":\"node0\",\"pid\":5000},\"coll_perf\":{\"coll\":\"ReduceScatter\",\"co"
  "ll_sn\":1,\"coll_msg_size_bytes\":2097152,\"coll_exec_time_us\":908,\"coll_timing_source"
  "\":\"kernel_gpu\",\"coll_algobw_gbs\":4.619278,\"coll_busbw_gbs\":2.309639,\"event_trace"
  "_sn\":{\"coll_start_sn\":1,\"coll_stop_sn\":2,\"kernel_events\":[]},\"event_trace_ts\":{"
  "\"coll_start_ts\":1770000000416426,\"coll_stop_ts\":1770000000416431,\"kernel_events\":["
  "{\"channel_id\":1,\"kernel_start_ts\":1770000000416447,\"kernel_stop_ts\":17700000004173"
  "54,\"kernel_record_ts\":1770000000417354},{\"channel_id\":0,\"kernel_start_ts\":17700000"
  "00416446,\"kernel_stop_ts\":1770000000417355,\"kernel_record_ts\":1770000000417355}]}}}"
  "\n{\"header\":{\"id\":\"0x56e8af7177219d3\",\"comm_name\":\"unknown\",\"rank\":0,\"n_ran"
  "ks\":2,\"nnodes\":1},\"metadata\":{\"inspector_output_format_version\":\"v4.0\",\"git_re"
  "v\":\"\",\"rec_mechanism\":\"nccl_profiler_interface\",\"dump_timestamp_us\":17700000003"
  "99405,\"hostname\":\"node0\",\"pid\":5000},\"p2p_perf\":{\"p2p\":\"Send\",\"p2p_sn\":1,"
  "\"p2p_peer\":1,\"p2p_msg_size_bytes\":9,\"p2p_exec_time_us\":3,\"p2p_algobw_gbs\":0.001,"
  "\"p2p_busbw_gbs\":0.5}}\n",
  "{\"header\": {\"id\": \"0x56e8af7177219d3\", \"comm_name\": \"a\\\"b\", \"rank\": 0, \"n"
  "_ranks\": 2, \"nnodes\": 1}, \"metadata\": {\"inspector_output_format_version\": \"v4.0"
  "\", \"git_rev\": \"\", \"rec_mechanism\": \"nccl_profiler_interface\", \"dump_timestamp_"
  "us\": 1770000000399405, \"hostname\": \"node0\", \"pid\": 5000}, \"coll_perf\": {\"coll"
  "\": \"AllGather\", \"coll_sn\": 0, \"coll_msg_size_bytes\": 2097152, \"coll_exec_time_us"
  "\": 923, \"coll_timing_source\": \"kernel_gpu\", \"coll_algobw_gbs\": 4.544208, \"coll_b"
  "usbw_gbs\": 2.272104, \"event_trace_sn\": {\"coll_start_sn\": 1, \"coll_stop_sn\": 2, \""
  "kernel_events\": []}, \"event_trace_ts\": {\"coll_start_ts\": 1770000000397762, \"coll_s"
  "top_ts\": 1770000000397767, \"kernel_events\": [{\"channel_id\": 1, \"kernel_start_ts\":"
  " 1770000000397783, \"kernel_stop_ts\": 1770000000398704, \"kernel_record_ts\": 177000000"
  "0398704}, {\"channel_id\": 0, \"kernel_start_ts\": 1770000000397782, \"kernel_stop_ts\":"
  " 1770000000398705, \"kernel_record_ts\": 1770000000398705}]}}}\n{\"header",
};

GByteArray *
replay_sample (guint number)
{
  return replay_text (logs, G_N_ELEMENTS (logs), number);
}
