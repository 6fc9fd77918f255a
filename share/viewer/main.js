// SPDX-License-Identifier: Apache-2.0
// The page of `nprof view`. What lives where:
//
//   index.html   made per request by the server: token and nonce
//   main.js      which page an address is. What is loaded when: esbuild makes three entries
//                (lib/meson.build), each of which has all of the one before it, and bundle.py
//                names what is new in them.
//                page.js with first.js: this file and pages/opening.js, which shows the lanes of a
//                profile.
//                later.js with second.js: what an opened page shows besides: the dock with Lumino,
//                operators, what to do, keys. The browser fetches it at low priority, and it is run
//                when the first lanes are painted, for compiling it takes longer than they do.
//                rest.js, with the styles of rest.css: other pages, dialogs, what is selected, all
//                other widgets. It is fetched when something of it is wanted, base/rest.js; nothing
//                is fetched ahead.
//   base/        what knows no page: api.js (asks the server), news.js (what becomes of profiles meanwhile), time.js and values.js (how numbers are written),
//                element.js (small DOM helpers), keys.js (commands and keys), session.js (one open profile: the
//                window, the one selection, all that is shared, as signals), link.js (the address is the state)
//   timeline/    model.js (tracks, lanes, tree) -> rows.js (which rows, where) -> tiles.js (pictures of lanes)
//                -> paint.js (bars, by image.js) ; timeline.js puts them together, pointer.js, hover.js, overlay.js,
//                ruler.js, overview.js, tree.js, colours.js, patterns.js, axis.js, markers.js, place.js, names.js are its parts
//   widgets/     one file a widget; registry.js lists them, rest.js has what shows most of them, dock.js holds them (room.js: as small as a sentence where that is all), frame.js has what all have: bar
//                with scope, CSV and command, "unknown" with its reason, asking again when what it depends on moves
//   charts/      pie and scales of the drawings in widgets; time-axis.js: below the lanes
//   pages/       opening.js (the first look at a profile) -> profile.js (all of it); list.js, compare.js, missing.js
//   lib/         third parties, bundled by esbuild from the entries in this folder
//   style/       theme.css (colours), page.css, timeline.css, widgets.css; rest.css: what rest.js shows;
//                picture.css: charts that the report has, too
//
// A widget is mount(element, page, argument) -> dispose, with a line in registry.js and one in rest.js. It reads signals of page.session,
// asks routes by session.ask, sets the selection by session.select, and computes no metric. table.js shows any
// table and is the example to copy.
import { ApiError, get, sentences } from './base/api.js'
import { need, say } from './base/element.js'
import { base, isOneFile, packedProfile } from './base/packed.js'
import { restPage } from './base/rest.js'
import { openingPage } from './pages/opening.js'
import { applyTheme } from './pages/theme.js'

/** @param {string} path @returns {Promise<(app: HTMLElement) => Promise<void> | void>} */
async function pageOf(path) {
  if (isOneFile) return await profilePage(packedProfile)
  const profile = /^\/profile\/([^/]+)(\/ranks)?\/?$/.exec(path)
  if (profile) return await profilePage(profile[1], Boolean(profile[2]))
  if (path === '/compare') return await restPage(({ comparePage }) => comparePage())
  const short = /^\/v\/([A-Za-z0-9_-]+)$/.exec(path)
  if (short) return await shortPage(short[1])
  if (path === '/' || path === '/index.html') return await restPage(({ listPage }) => listPage())
  return await restPage(({ missingPage }) => missingPage('There is no such page'))
}

/** @param {string} id @param {boolean} [ranks] */
async function profilePage(id, ranks = false) {
  return openingPage(id, ranks, await get('p/' + id).catch(error => error))
}

/** A short link is an address that was too long. @param {string} id */
async function shortPage(id) {
  try {
    const { bucket, state } = await get('links/' + id)
    history.replaceState(null, '', base + '/profile/' + bucket + '?' + state)
    return await profilePage(bucket)
  } catch {
    return restPage(({ missingPage }) => missingPage('No link ' + id + ' is kept here'))
  }
}

applyTheme()
window.addEventListener('unhandledrejection', event => {
  if (!(event.reason instanceof ApiError)) return
  event.preventDefault()
  say(sentences(event.reason))
})
const page = await pageOf(location.pathname.slice(base.length))
await page(need('#app'))
