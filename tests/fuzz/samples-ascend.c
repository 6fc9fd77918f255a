/* SPDX-License-Identifier: Apache-2.0 */
/* samples-ascend.c - a small database with the tables of Ascend's profilers, and one of msprof's
 * alone, for replay.c. */
#include "replay.h"

#include <sqlite3.h>

const char replay_likely[] = "\x05\x0d\x00\x01\x02\x7f\x80\xff";

#define TEXTS                                                                                      \
  "create table STRING_IDS (id integer primary key, value text);"                                  \
  "insert into STRING_IDS values (1, 'Add'), (2, 'AI_CORE'), (3, 'MEMCPY_ASYNC'),"                 \
  "(4, 'hcom_allReduce__586_0_1'), (5, 'EVENT_WAIT'), (6, 'PTA'), (7, 'ProfilerStep#1');"
#define TASKS                                                                                      \
  "create table TASK (startNs, endNs, deviceId, connectionId, globalTaskId, taskType, streamId);"  \
  "insert into TASK values (100, 150, 0, 9, 1, 2, 2), (150, 160, 0, 8, 2, 3, 2),"                  \
  "(160, 170, 0, 7, 3, 2, 2), (170, 165, 0, 0, 4, 5, 2);"                                          \
  "create table CANN_API (startNs, endNs, type, globalTid, connectionId, name);"                   \
  "insert into CANN_API values (90, 95, 10000, 17179869185, 9, 1), (91, 94, 20000, 1, 9, 1);"

static const char *const schemas[] = {
  TEXTS TASKS
  "create table COMPUTE_TASK_INFO (name, globalTaskId, taskType, opType, inputShapes);"
  "insert into COMPUTE_TASK_INFO values (1, 1, 2, 1, 1);"
  "create table COMMUNICATION_TASK_INFO (globalTaskId);"
  "insert into COMMUNICATION_TASK_INFO values (3);"
  "create table COMMUNICATION_OP (opName, startNs, endNs, connectionId, groupName, dataType, "
  "count);"
  "insert into COMMUNICATION_OP values (4, 160, 170, 7, 1, 4, 64);"
  "create table ENUM_HCCL_DATA_TYPE (id, name); insert into ENUM_HCCL_DATA_TYPE values (4, 'FP32');"
  "create table PYTORCH_API (startNs text, endNs text, globalTid, connectionId, name, type);"
  "insert into PYTORCH_API values ('80', '99', 1, 5, 1, 50001), ('70', '200', 1, null, 7, 50001);"
  "create table CONNECTION_IDS (id, connectionId); insert into CONNECTION_IDS values (5, 9);"
  "create table STEP_TIME (id, startNs, endNs); insert into STEP_TIME values (1, 70, 200);"
  "create table MEMORY_RECORD (component, timestamp, totalAllocated, totalReserved, deviceId);"
  "insert into MEMORY_RECORD values (6, 100, 512, null, 0);"
  "create table NPU_INFO (id, name); insert into NPU_INFO values (0, 'Ascend910B');"
  "create table RANK_DEVICE_MAP (rankId, deviceId); insert into RANK_DEVICE_MAP values (3, 0);"
  "create table META_DATA (name, value); insert into META_DATA values ('SCHEMA_VERSION', '1.0.0');",
  TEXTS TASKS
  "create table AICORE_FREQ (deviceId, timestampNs, freq);"
  "insert into AICORE_FREQ values (0, 100, 1800);"
  "create table STEP_TIME (id, startNs, endNs); insert into STEP_TIME values (1, 70, 200);",
};

GByteArray *
replay_sample (guint number)
{
  GByteArray *bytes = g_byte_array_new ();
  sqlite3 *db;
  sqlite3_int64 len;
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
