// SPDX-License-Identifier: Apache-2.0
// Subjects of which a widget shows one table below the other, and which tables a profile has rows of.
/** @typedef {import('./dock.js').Page} Page */
/** @typedef {{id: string, title: string, help: string, needs: string}} Subject */

export const LAYERS = 'layers'

/** @type {Subject[]} */
export const SUBJECTS = [
  {
    id: 'verdict',
    title: 'Verdict',
    help: 'What bounds each step, with the evidence',
    needs: 'needs steps: the file states none, or its launches are not linked to what ran',
  },
  {
    id: 'layers',
    title: 'Layers',
    help: 'Layers and modules of the model over time: start, end, self time, MFU',
    needs: 'needs layers: the file states none, and no call of a module',
  },
  {
    id: 'transfers',
    title: 'Transfers',
    help: 'Queues and copies: bytes, throughput, efficiency',
    needs: 'needs transfers: no row of the file is one',
  },
  {
    id: 'collectives',
    title: 'Communication',
    help: 'Collective operations and transfers: bytes, bandwidth against the link',
    needs: 'needs collective operations or transfers: no row of the file is one',
  },
]

/** Tables of a subject that this profile has rows of. @param {Page} page @param {string[]} tables */
export const tablesThere = (page, tables) =>
  tables.filter(name => page.session.profile.tables.some(one => one.name === name && one.rows > 0))

/** The tables of a widget that this profile has rows of, as analyzers say them: those of its subject, then those that only stand beside them. @param {Page} page @param {string} id */
export const tablesOf = (page, id) => {
  const { tables = [], beside = [] } = page.session.profile.widgets[id] ?? {}
  return tablesThere(page, [...tables, ...beside])
}

/** Whether this profile has no rows of what a subject is about. @param {Page} page @param {Subject} subject */
export const isWithout = (page, subject) =>
  !tablesThere(page, page.session.profile.widgets[subject.id]?.tables ?? []).length

/** Whether a widget is one of tables that this profile has no rows of. @param {Page} page @param {string} id */
export function isEmptyReport(page, id) {
  const subject = SUBJECTS.find(one => one.id === id)
  return subject !== undefined && isWithout(page, subject)
}

/** Which table an argument of the widget of tables names, and how that is filtered. @param {string} argument @returns {[string, string]} */
export const tableAndFilter = argument => {
  const at = argument.indexOf('@')
  return at < 0 ? [argument, ''] : [argument.slice(0, at), argument.slice(at + 1)]
}
