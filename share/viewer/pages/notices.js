// SPDX-License-Identifier: Apache-2.0
// What is said above open profiles: that their server has ended, or what became of one of them meanwhile.
import { ApiError, get } from '../base/api.js'
import { followNews } from '../base/news.js'
import { html, signal } from '../lib/lit.js'
import { again, gone, serverEnded } from './banners.js'

/** @typedef {import('../base/session.js').Session} Session */
/** What became of it: it is not on the server any more; it was read again, and what is seen is the reading before. @typedef {'' | 'gone' | 'again'} Fate */

/** @param {Session} session @returns {Promise<Fate>} */
async function fateOf(session) {
  try {
    const { gen } = await get('p/' + session.id)
    return gen && session.base !== 'p/' + session.id + '/' + gen ? 'again' : ''
  } catch (error) {
    return error instanceof ApiError && error.status === 404 ? 'gone' : ''
  }
}

/** Follows the server of profiles: what was asked in vain is asked again when it is there, sets that others save are seen. @param {Session[]} sessions @returns {() => unknown} a template */
export function noticesOf(sessions) {
  const ended = signal(false),
    fates = signal(/** @type {Fate[]} */ (sessions.map(() => '')))
  followNews({
    onServer: there => {
      ended.value = !there
      if (!there) return
      for (const session of sessions) session.tiles.again()
      document.dispatchEvent(new CustomEvent('nprof-back'))
    },
    onNews: async news => {
      if (news && !sessions.some(session => news.some(one => one.profile === session.id))) return
      document.dispatchEvent(new CustomEvent('nprof-kept'))
      fates.value = await Promise.all(sessions.map(fateOf))
    },
  })
  const who = (/** @type {number} */ i) =>
    sessions.length > 1 ? sessions[i].head.name : 'This profile'
  return () =>
    html`${ended.value ? serverEnded : fates.value.map((fate, i) => (fate === 'gone' ? gone(who(i)) : fate === 'again' ? again(who(i)) : ''))}`
}
