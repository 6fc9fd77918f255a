// SPDX-License-Identifier: Apache-2.0
// This part of the page is loaded behind the first lanes of a profile; main.js says why.
export { comparePage } from './pages/compare.js'
export { listPage } from './pages/list.js'
export { missingPage } from './pages/missing.js'
export { ProfilePage } from './pages/profile.js'
