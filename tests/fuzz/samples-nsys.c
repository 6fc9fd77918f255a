/* SPDX-License-Identifier: Apache-2.0 */
/* samples-nsys.c - small databases with the tables of Nsight Systems, for replay.c. */
#include "replay.h"

#include <sqlite3.h>

const char replay_likely[] = "\x05\x0d\x00\x01\x02\x7f\x80\xff";

static const char *const schemas[] = {
  "create table StringIds (id integer primary key, value text);"
  "insert into StringIds values (1, 'gemm'), (2, 'cudaLaunchKernel_v7000');"
  "create table META_DATA_EXPORT (name, value); insert into META_DATA_EXPORT values "
  "('EXPORT_SCHEMA_VERSION', '3.1.7');"
  "create table CUPTI_ACTIVITY_KIND_KERNEL (start, \"end\", deviceId, contextId, streamId, "
  "correlationId, globalPid, demangledName);"
  "insert into CUPTI_ACTIVITY_KIND_KERNEL values (10, 20, 0, 1, 7, 1, 281474993487872, 1), (30, "
  "35, 0, 1, 7, 2, 281474993487872, 1);"
  "create table CUPTI_ACTIVITY_KIND_RUNTIME (start, \"end\", eventClass, globalTid, correlationId, "
  "nameId);"
  "insert into CUPTI_ACTIVITY_KIND_RUNTIME values (1, 5, 0, 281474993487873, 1, 2);"
  "create table NVTX_EVENTS (start, \"end\", eventType, text, globalTid, domainId);"
  "insert into NVTX_EVENTS values (0, 40, 59, 'step 1', 281474993487873, 0), (1, 9, 59, 'aten::mm, "
  "op_id = 3', 281474993487873, 0);"
  "create table GPU_METRICS (timestamp, typeId, metricId, value); insert into GPU_METRICS values "
  "(5, 1, 1, 50);"
  "create table TARGET_INFO_GPU (id, name, totalMemory, smCount); insert into TARGET_INFO_GPU "
  "values (0, 'A100', 99, 108);"
  "create view v as select 1",
  "create table StringIds (id integer primary key, value text); insert into StringIds values (1, "
  "'main');"
  "create table COMPOSITE_EVENTS (id integer primary key, start, cpu, threadState, globalTid, "
  "cpuCycles);"
  "insert into COMPOSITE_EVENTS values (1, 10, 0, 1, 281474993487873, 1), (2, 20, 0, 1, null, 1);"
  "create table SAMPLING_CALLCHAINS (id, stackDepth, symbol, module); insert into "
  "SAMPLING_CALLCHAINS values (1, 1, 9, 1), (1, 0, 1, 1);"
  "create table CUDA_GPU_MEMORY_USAGE_EVENTS (start, globalPid, deviceId, address, bytes, memKind, "
  "memoryOperationType);"
  "insert into CUDA_GPU_MEMORY_USAGE_EVENTS values (5, 281474993487872, 0, 4096, 512, 2, 0), (9, "
  "281474993487872, 0, 4096, 512, 2, 1),"
  " (9, 281474993487872, 0, 8192, 64, 4, 0);"
  "create table CUDA_UM_GPU_PAGE_FAULT_EVENTS (start, \"end\", globalPid, deviceId, address);"
  "insert into CUDA_UM_GPU_PAGE_FAULT_EVENTS values (7, 8, 281474993487872, 0, 4096);"
  "create table CUDA_UM_CPU_PAGE_FAULT_EVENTS (start, globalPid, address); insert into "
  "CUDA_UM_CPU_PAGE_FAULT_EVENTS values (7, 281474993487872, 1)",
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
