/* SPDX-License-Identifier: Apache-2.0 */
/* routes.h - finds the function that answers the path of a request. */
#pragma once

#include "ask.h"

/* Makes the reply of any request. */
void np_route (NpView *view, NpRequest *request, NpReply *reply);
