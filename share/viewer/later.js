// SPDX-License-Identifier: Apache-2.0
// This part of the page is loaded behind the first lanes of a profile; main.js says why. It imports
// what was loaded before it, so that each part has all of those before, and esbuild makes one piece
// of what is new in it.
import './pages/opening.js'
import './pages/theme.js'
export { ProfilePage } from './pages/profile.js'
