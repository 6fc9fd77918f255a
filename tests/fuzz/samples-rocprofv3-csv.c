/* SPDX-License-Identifier: Apache-2.0 */
/* samples-rocprofv3-csv.c - small tables of rocprofv3, for replay.c. */
#include "replay.h"

const char replay_likely[] = ",\"\n\r0123456789Agent -.x";

static const char *const tables[] = {
  "\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Stream_Id\",\"Thread_Id\",\"Dispatch_Id\",\"Kernel_Id\","
  "\"Kernel_Name\",\"Correlation_Id\",\"Start_Timestamp\",\"End_Timestamp\",\"LDS_Block_Size\","
  "\"Workgroup_Size_X\",\"Workgroup_Size_Y\",\"Workgroup_Size_Z\",\"Grid_Size_X\",\"Grid_Size_Y\","
  "\"Grid_Size_Z\"\n"
  "\"KERNEL_DISPATCH\",\"Agent 4\",1,0,7,1,1,\"k \"\"q\"\" (int, "
  "int)\",9,120,150,0,64,1,1,640,1,1\n"
  "\"KERNEL_DISPATCH\",4,1,0,7,2,1,\"k\",10,160,155,0,64,1,1,640,1,1\r\n",
  "\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\",\"Start_Timestamp\","
  "\"End_Timestamp\"\n"
  "\"HIP_RUNTIME_API\",\"hipLaunchKernel\",7,7,9,100,110\n",
  "Domain,Function,Process_Id,Thread_Id,Correlation_Id,Start_Timestamp,End_Timestamp\n"
  "MARKER_CORE_API,step 1,7,7,1,90,300\nMARKER_CORE_API,here,7,7,2,91,91\n",
  "Guid,Kind,Direction,Stream_Id,Source_Agent_Id,Destination_Agent_Id,Correlation_Id,"
  "Start_Timestamp,End_Timestamp\n"
  "a-b,MEMORY_COPY,MEMORY_COPY_HOST_TO_DEVICE,0,Agent 0,Agent 4,3,160,170\n",
  "Kind,Operation,Agent_Id,Allocation_Size,Address,Correlation_Id,Start_Timestamp,End_Timestamp\n"
  "MEMORY_ALLOCATION,MEMORY_ALLOCATION_ALLOCATE,Agent 4,512,0x00001000,1,100,101\n"
  "MEMORY_ALLOCATION,MEMORY_ALLOCATION_FREE,,0,0x00001000,2,200,201\n",
  "Node_Id,Logical_Node_Id,Agent_Type,Cu_Count,Name,Product_Name\n0,0,CPU,4,c,c\n4,1,GPU,304,g,"
  "MI\n",
  "Correlation_Id,Dispatch_Id,Agent_Id,Counter_Name,Counter_Value\n1,1,Agent 4,W,1.5\n",
};

GByteArray *
replay_sample (guint number)
{
  return replay_text (tables, G_N_ELEMENTS (tables), number);
}
