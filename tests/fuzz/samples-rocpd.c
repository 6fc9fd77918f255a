/* SPDX-License-Identifier: Apache-2.0 */
/* samples-rocpd.c - small databases with the tables of rocpd, layouts 3 and 4.0, and of
 * rocmProfileData, for replay.c. */
#include "replay.h"

#include <sqlite3.h>

const char replay_likely[] = "\x05\x0d\x00\x01\x02\x7f\x80\xff";

/* A process has tables of its own, whose names end in its GUID. */
#define G "_0000e623_f1ca_7c25_86b7_f9c818072e8c "

static const char *const schemas[] = {
  "create table rocpd_metadata" G "(id integer primary key, tag, value);"
  "insert into rocpd_metadata" G "values (1, 'schema_version', '3');"
  "create table rocpd_string" G "(id integer primary key, guid, string);"
  "insert into rocpd_string" G
  "values (1, 1, 'hipLaunchKernel'), (2, 1, 'HIP_RUNTIME_API_EXT'), (3, 1, "
  "'MEMORY_COPY_HOST_TO_DEVICE'), (4, 1, 'MARKER_CORE_RANGE_API'), (5, 1, 'roctxThreadRangeA');"
  "create table rocpd_info_node" G "(id integer primary key, hostname);"
  "insert into rocpd_info_node" G "values (1, 'n');"
  "create table rocpd_info_process" G "(id integer primary key, nid, pid, command);"
  "insert into rocpd_info_process" G "values (7, 1, 7, 'a b');"
  "create table rocpd_info_agent" G
  "(id integer primary key, pid, type, type_index, product_name, extdata);"
  "insert into rocpd_info_agent" G
  "values (0, 7, 'CPU', 0, 'c', '{}'), (1, 7, 'GPU', 0, 'MI', '{\"cu_count\": 4}');"
  "create table rocpd_info_kernel_symbol" G
  "(id integer primary key, kernel_name, display_name, arch_vgpr_count);"
  "insert into rocpd_info_kernel_symbol" G "values (1, 'k.kd', '', 8);"
  "create table rocpd_info_pmc" G "(id integer primary key, agent_id, name, units);"
  "insert into rocpd_info_pmc" G "values (1, 1, 'W', '%');"
  "create table rocpd_event" G "(id integer primary key, category_id, stack_id, extdata);"
  "insert into rocpd_event" G "values (1, 2, 1, '{}'), (2, null, 1, '{}'), (3, null, 2, '{}'), (4, "
                              "4, 3, '{\"message\": \"step \\u0031\"}'), (5, null, null, null);"
  "create table rocpd_region" G
  "(id integer primary key, pid, tid, start, \"end\", name_id, event_id);"
  "insert into rocpd_region" G "values (1, 7, 8, 100, 110, 1, 1), (2, 7, 8, 90, 300, 5, 4);"
  "create table rocpd_kernel_dispatch" G
  "(id integer primary key, pid, agent_id, kernel_id, queue_id, stream_id, start, \"end\", "
  "event_id, workgroup_size_x, workgroup_size_y, workgroup_size_z, grid_size_x, grid_size_y, "
  "grid_size_z);"
  "insert into rocpd_kernel_dispatch" G
  "values (1, 7, 1, 1, 5, 0, 120, 150, 2, 64, 1, 1, 640, 1, 1);"
  "create table rocpd_memory_copy" G "(id integer primary key, pid, start, \"end\", name_id, "
                                     "src_agent_id, dst_agent_id, size, event_id);"
  "insert into rocpd_memory_copy" G "values (1, 7, 160, 170, 3, 0, 1, 99, 3);"
  "create table rocpd_memory_allocate" G
  "(id integer primary key, pid, agent_id, type, level, start, \"end\", address, size);"
  "insert into rocpd_memory_allocate" G "values (1, 7, 1, 'ALLOC', 'REAL', 100, 101, 4096, 512), "
                                        "(2, 7, null, 'FREE', 'REAL', 200, 201, 4096, 0);"
  "create table rocpd_pmc_event" G "(id integer primary key, event_id, pmc_id, value);"
  "insert into rocpd_pmc_event" G "values (1, 2, 1, 3), (2, 2, 1, 4), (3, 5, 1, 50);"
  "create table rocpd_sample" G "(id integer primary key, track_id, timestamp, event_id);"
  "insert into rocpd_sample" G "values (1, 1, 130, 5), (2, 1, 140, 4);",
  "create table rocpd_info_category" G "(id integer primary key, name);"
  "insert into rocpd_info_category" G "values (1, 'RCCL_API');"
  "create table rocpd_string" G "(id integer primary key, string);"
  "insert into rocpd_string" G "values (1, 'ncclAllReduce');"
  "create table rocpd_info_agent" G "(id integer primary key, type, type_index);"
  "insert into rocpd_info_agent" G "values (1, 'GPU', 0);"
  "create table rocpd_track" G "(id integer primary key, pid, tid, agent_id, queue_id, stream_id);"
  "insert into rocpd_track" G "values (3, 7, 8, 1, 5, 0);"
  "create table rocpd_timestamp" G "(id integer primary key, value);"
  "insert into rocpd_timestamp" G "values (9, 100), (2, 120);"
  "create table rocpd_event" G "(id integer primary key, category_id, stack_id);"
  "insert into rocpd_event" G "values (1, 1, 1);"
  "create table rocpd_region" G
  "(id integer primary key, track_id, name_id, start_id, end_id, event_id);"
  "insert into rocpd_region" G "values (1, 3, 1, 9, 2, 1);"
  "create table rocpd_kernel_dispatch" G
  "(id integer primary key, track_id, kernel_id, start_id, end_id, event_id);"
  "insert into rocpd_kernel_dispatch" G "values (1, 3, 1, 9, 2, 1);",
  "create table rocpd_string (id integer primary key, string);"
  "insert into rocpd_string values (1, ''), (2, 'hipMemcpy'), (3, 'KernelExecution');"
  "create table rocpd_api (id integer primary key, pid, tid, start, \"end\", apiName_id, args_id);"
  "insert into rocpd_api values (1, 7, 8, 100, 110, 2, 1);"
  "create table rocpd_op (id integer primary key, gpuId, queueId, start, \"end\", description_id, "
  "opType_id);"
  "insert into rocpd_op values (1, 2, 0, 120, 130, 1, 3);"
  "create table rocpd_api_ops (api_id, op_id);"
  "insert into rocpd_api_ops values (1, 1);"
  "create table rocpd_monitor (deviceId, monitorType, start, value);"
  "insert into rocpd_monitor values (2, 'sclk', 100, '800');",
};

GByteArray *
replay_sample (guint number)
{
  sqlite3 *db;
  sqlite3_int64 len;
  GByteArray *bytes = g_byte_array_new ();
  if (number >= G_N_ELEMENTS (schemas)) {
    g_byte_array_unref (bytes);
    return NULL;
  }
  g_assert_cmpint (sqlite3_open (":memory:", &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, "pragma page_size = 512", NULL, NULL, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (db, schemas[number], NULL, NULL, NULL), ==, SQLITE_OK);
  unsigned char *data = sqlite3_serialize (db, "main", &len, 0);
  g_byte_array_append (bytes, data, (guint) len);
  sqlite3_free (data);
  sqlite3_close (db);
  return bytes;
}
