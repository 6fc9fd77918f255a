// SPDX-License-Identifier: Apache-2.0
// index.html loads this: few files, for a request a module costs more than its text.
import '../main.js'
