// SPDX-License-Identifier: Apache-2.0
// The whole page in one file, which index.html loads: a request a module costs more than its text.
import '../main.js'
