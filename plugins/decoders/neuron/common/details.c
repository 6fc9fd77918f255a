/* SPDX-License-Identifier: Apache-2.0 */
/* details.c - the table of facts that an NTFF and the JSON of the tools state beside rows. */
#include "details.h"

const struct nprof_table neuron_details_table
    = { .size = sizeof neuron_details_table,
        .name = "neuron_details",
        .title = "What the Neuron tools say beside the events",
        .note = "one row for each member of each record of a section without times",
        .columns = NPROF_COLUMNS (
            NPROF_KEY_COLUMN (NPROF_STRING, "section", "", "nc_mem_usage, model_info, ..."),
            NPROF_KEY_COLUMN (NPROF_UINT64, "at", "byte", "where the record begins in the file"),
            NPROF_KEY_COLUMN (NPROF_STRING, "field", "", "name of the member"),
            NPROF_VALUE_COLUMN (NPROF_DOUBLE, "number", "", "where the value is one"),
            NPROF_VALUE_COLUMN (NPROF_TEXT, "text", "", "the value, as the tool writes it")) };
