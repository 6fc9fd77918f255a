// SPDX-License-Identifier: Apache-2.0
// SQL over the stored profile: rows with an id lead to the timeline. Without an engine it gives a command for DuckDB.
import { effect, html, nothing, render, signal } from '../lib/lit.js'
import { write } from '../base/api.js'
import { copy, make } from '../base/element.js'
import { setting, shellText } from '../base/session.js'
import { counted } from '../base/values.js'
import { bar, live, saveTable } from './frame.js'
import { gridTemplate, sortRows } from './grid.js'
import { followRow } from './table.js'
import { basics, codemirror } from './editor.js'

/** @typedef {import('./dock.js').Page} Page */

const FIRST =
    "SELECT name, count(*) AS calls, sum(duration_ps) AS total_ps, arg_max(row, duration_ps) AS row\nFROM events WHERE kind = 'span' GROUP BY name ORDER BY total_ps DESC LIMIT 20",
  LIMIT = 1000

/** @type {import('./dock.js').Mount} */
export const sql = (element, page) => {
  const { session } = page
  const top = make('div', 'sql-top'),
    editor = make('div', 'sql-editor'),
    result = make('div', 'sql-result'),
    beside = make('div', 'sql-schema'),
    asking = make('div', 'sql-asking'),
    body = make('div', 'sql-body')
  asking.append(editor, result)
  body.append(asking, beside)
  element.append(top, body)
  const text = setting(session, 'sql.text', FIRST),
    sort = setting(session, 'sql.sort', ''),
    ran = setting(session, 'sql.ran', 'no'),
    said = signal(text.value),
    answer = signal(/** @type {Result | null} */ (null)),
    error = signal(/** @type {import('../base/api.js').ApiError | null} */ (null))
  /** @type {import('@codemirror/view').EditorView | null} */
  let view = null
  const run = async () => {
    if (answer.value?.asking && said.value === text.value) return
    error.value = null
    answer.value = { asking: true }
    said.value = text.value
    ran.value = 'yes'
    try {
      answer.value = await write('POST', `${session.base}/sql`, {
        text: said.value,
        limit: LIMIT,
      })
    } catch (problem) {
      answer.value = null
      error.value = /** @type {import('../base/api.js').ApiError} */ (problem)
    }
  }
  // The text comes from the editor, or from elsewhere: the search, a link, Back.
  const follow = effect(() => {
    const doc = text.value
    if (view && view.state.doc.toString() !== doc)
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: doc } })
  })
  document.addEventListener('nprof-sql', run)
  if (ran.peek() === 'yes') run() // a link shows what was seen
  const edit = (/** @type {string} */ doc) => {
    if (doc === text.peek()) return
    text.value = doc
    ran.value = 'no'
  }
  editor.setAttribute('aria-busy', 'true')
  codemirror().then(cm => {
    editor.removeAttribute('aria-busy')
    const schema = Object.fromEntries(
      tablesOf(session).map(table => [table.name, table.columns.map(column => column.name)]),
    )
    view = new cm.EditorView({
      parent: editor,
      state: cm.EditorState.create({
        doc: text.value,
        extensions: [
          cm.EditorView.updateListener.of(update => {
            if (update.docChanged) edit(update.state.doc.toString())
          }),
          ...basics(cm),
          cm.history(),
          cm.sql({ dialect: cm.StandardSQL, schema }),
          cm.keymap.of([
            {
              key: 'Ctrl-Enter',
              mac: 'Cmd-Enter',
              run: () => {
                run()
                return true
              },
            },
            ...cm.defaultKeymap,
            ...cm.historyKeymap,
          ]),
          cm.EditorView.contentAttributes.of({ 'aria-label': 'SQL', tabindex: '0' }),
          replacing(cm),
        ],
      }),
    })
  })
  const stopTop = live(top, () => {
    const table = answer.value
    return bar({
      left: html`<button @click=${run} title="Ctrl+Enter">Run</button>`,
      command: said.value ? session.commandFor('sql -e ' + shellText(said.value)) : '',
      csv: table?.rows ? () => saveTable('sql', table) : null,
    })
  })
  /** Puts a name where the text is edited. @param {string} name */
  const insert = name => {
    if (!view) return
    view.dispatch(view.state.replaceSelection(name))
    view.focus()
  }
  render(schemaTemplate(session, insert), beside)
  const stop = live(result, () => resultTemplate(page, answer.value, error.value, sort))
  return () => {
    stop()
    stopTop()
    follow()
    view?.destroy()
    document.removeEventListener('nprof-sql', run)
  }
}

/** Columns that rows have beside their attributes. */
const OF_ROWS = {
  name: 'string',
  category: 'string',
  kind: 'string',
  start_ps: 'int64',
  duration_ps: 'int64',
  process: 'string',
  thread: 'string',
  track: 'int64',
  value: 'double',
  id: 'int64',
  parent: 'int64',
  flow: 'int64',
  row: 'string',
}

/** A column under the name that it has in SQL: times are ps there, as in Parquet. @template {{name: string, unit: string}} C @param {C} column @returns {C} */
const inSql = column =>
  column.unit === 'ps' ? { ...column, name: column.name.replace(/_ns$/, '_ps') } : column

/** @typedef {{name: string, title: string, rows: number, columns: {name: string, type: string, help?: string}[]}} Asked what a query may be of */

/** Rows, then tables, those without rows last. @param {import('../base/session.js').Session} session @returns {Asked[]} */
function tablesOf({ model, profile }) {
  const own = Object.entries(OF_ROWS).map(([name, type]) => ({ name, type })),
    more = profile.attributes.map(one => ({
      name: one.key,
      type: one.type,
      help: one.help,
    }))
  return [
    {
      name: 'events',
      title: 'all rows of the profile',
      rows: model.rows,
      columns: [...own, ...more],
    },
    ...[...profile.tables]
      .sort((a, b) => Number(b.rows > 0) - Number(a.rows > 0))
      .map(table => ({ ...table, columns: table.columns.map(inSql) })),
  ]
}

/** Tables with their columns; a click puts a name into the text. @param {import('../base/session.js').Session} session @param {(name: string) => void} insert */
const schemaTemplate = (session, insert) =>
  html`<h2>Tables</h2>${tablesOf(session).map(
    table => html`<details><summary title=${table.title || table.name}>${table.name} <span class="muted">${counted(table.rows, 'row')}</span></summary>
  <ul>${table.columns.map(column => html`<li><button class="quiet" title=${'Put it into the text' + (column.help ? ': ' + column.help : '')} @click=${() => insert(column.name)}>${column.name}</button> <span class="muted">${column.type}</span></li>`)}</ul></details>`,
  )}`

/**
 * Text that replaces a selection goes in by the editor: a browser would style it as what it replaces, with an attribute
 * that the policy of the page forbids. @param {import('./editor.js').CodeMirror} cm
 */
const replacing = cm =>
  cm.EditorView.domEventHandlers({
    beforeinput(event, view) {
      if (
        event.inputType !== 'insertText' ||
        event.data === null ||
        view.state.selection.main.empty
      )
        return false
      event.preventDefault()
      view.dispatch(view.state.replaceSelection(event.data))
      return true
    },
  })

/**
 * What a question became.
 * @typedef {(import('../base/answers.d.ts').Sql & {asking?: undefined}) | {asking: true, rows?:
 *   undefined, unknown?: undefined}} Result
 */

/**
 * @param {Page} page @param {Result | null} answer
 * @param {import('../base/api.js').ApiError | null} error
 * @param {import('../base/session.js').Setting} sort
 */
function resultTemplate(page, answer, error, sort) {
  const { session } = page,
    duckdb =
      'duckdb -c "SELECT * FROM \'events.parquet\'"  # after: ' +
      session.commandFor('run -s parquet -o .')
  if (error || answer?.unknown) {
    const missing = !error || error.status === 404
    return html`<p class="failed" role="alert">${missing ? 'This server has no SQL. ' + (answer?.unknown ?? '') : error.message + (error.at === null ? '' : ' (character ' + (error.at + 1) + ')') + ' ' + error.mend}</p>
      <p class="pad"><button @click=${() => copy(duckdb, 'DuckDB command')}>Copy DuckDB command</button></p>`
  }
  if (!answer) return html`<p class="pad muted">Ctrl+Enter runs it.</p>`
  if (answer.asking) return html`<p class="pad muted" aria-busy="true">asking…</p>`
  const columns = answer.columns.map(one => ({
    name: one.name,
    type: one.type,
    unit: /_ps$/.test(one.name) && one.type === 'int64' ? 'ps' : '',
  }))
  return html`<p class="note">${counted(answer.rows.length, 'row')}${answer.more ? ', there are more' : ''}, ${answer.elapsed_ms} ms</p>
    ${gridTemplate({
      label: 'Result',
      columns,
      rows: sortRows(columns, answer.rows, sort.value),
      total: answer.rows.length,
      offset: 0,
      sort: sort.value,
      onSort: next => {
        sort.value = next
      },
      onRow: row => followRow(page, columns, row),
    })}${nothing}`
}
