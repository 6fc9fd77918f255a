/* SPDX-License-Identifier: Apache-2.0 */
/* routes.h - from the path of a request to who answers it. */
#pragma once

#include "view/ask.h"

/* Makes the reply of any request. */
void np_route (NpView *view, NpRequest *request, NpReply *reply);
