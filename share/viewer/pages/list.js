// SPDX-License-Identifier: Apache-2.0
// The list of profiles: search, tag, rename, compare, delete, add by dropping files; it follows what other
// processes add.
import { get, sentences, write } from '../base/api.js'
import { effect, html, nothing, render, signal } from '../lib/lit.js'
import { make, say } from '../base/element.js'
import { followNews } from '../base/news.js'
import { durationText } from '../base/time.js'
import { bytesText, counted, devicesText, formatText, numberText } from '../base/values.js'
import { metricSpan } from '../widgets/frame.js'
import { serverEnded } from './banners.js'
import { Briefs } from './briefs.js'
import { dialog } from './dialogs.js'
import { onDrop } from './drop.js'
import { progressText } from './reading.js'
import { nextTheme } from './theme.js'
import { askHow, send, uploadLines } from './upload.js'
import { base } from '../base/packed.js'

/** @typedef {import('../base/element.js').FieldEvent} FieldEvent */

/** @typedef {import('../base/answers.d.ts').Brief} Profile */

const FORMATS = ['csv', 'chrome', 'parquet', 'markdown']

/** Columns, and their order in the route, where it has one; numbers begin with the largest, texts with the first of the alphabet. @type {{text: string, sort?: string, number?: boolean}[]} */
const COLUMNS = [
  { text: 'name', sort: 'name' },
  { text: 'verdict' },
  { text: 'format', sort: 'format' },
  { text: 'recorded', sort: 'recorded', number: true },
  { text: 'length', sort: 'length', number: true },
  { text: 'rows', sort: 'rows', number: true },
  { text: 'devices', sort: 'devices' },
  { text: 'busy', sort: 'busy', number: true },
  { text: 'MFU', sort: 'mfu', number: true },
  { text: 'step', sort: 'step', number: true },
  { text: 'tags', sort: 'tags' },
  { text: 'size', sort: 'size', number: true },
  { text: 'status', sort: 'status' },
]

/** The order without one: the newest first. */
const NEWEST = 'added'

/** The order of an address. @param {string | null} text */
const sortOf = text =>
  text && COLUMNS.some(column => column.sort === text.replace(/^-/, '')) ? text : NEWEST

const OLD = 30 * 86400000 // ms

/** The folders of a profile's first input, the nearest first. @param {Profile} one */
const foldersOf = one => (one.inputs[0]?.path ?? '').split('/').slice(0, -1).reverse()

/** As much of a profile's path as no other of its name has, without the end that all of them have; '': none has its name, or lies elsewhere. @param {Profile} one @param {Profile[]} all */
function folderOf(one, all) {
  const own = foldersOf(one),
    namesakes = all.filter(other => other.name === one.name && other !== one).map(foldersOf),
    first = own.findIndex((folder, i) => namesakes.some(folders => folders[i] !== folder)),
    last = own.findIndex((_folder, i) =>
      namesakes.every(folders => own.slice(0, i + 1).some((folder, k) => folders[k] !== folder)),
    )
  if (first < 0) return ''
  return own
    .slice(first, last < 0 ? own.length : last + 1)
    .reverse()
    .join('/')
}

class ListPage {
  /** @param {HTMLElement} app */
  constructor(app) {
    this.app = app
    this.profiles = signal(/** @type {Profile[] | null} */ (null))
    this.server = signal(/** @type {import('../base/answers.d.ts').Server | null} */ (null))
    this.selected = signal(/** @type {Set<string>} */ (new Set()))
    this.text = signal(new URLSearchParams(location.search).get('q') ?? '')
    this.sort = signal(sortOf(new URLSearchParams(location.search).get('sort')))
    this.ended = signal(false)
    this.uploads = signal(/** @type {import('./upload.js').Upload[]} */ ([]))
    this.briefs = new Briefs()
    this.news = followNews({
      onServer: there => {
        this.ended.value = !there
      },
      onNews: () => this.load(this.text.value, this.sort.value),
    })
    effect(() => {
      render(this.template(), app)
      this.briefs.look(app)
    })
    effect(() => {
      this.load(this.text.value, this.sort.value)
    })
    document.addEventListener('keydown', event => this.onKey(event))
    onDrop(app, files => this.add(files))
  }

  /** @param {string} q @param {string} sort */
  async load(q, sort) {
    history.replaceState(
      null,
      '',
      base +
        '/' +
        (q || sort !== NEWEST
          ? '?' + new URLSearchParams({ ...(q ? { q } : {}), ...(sort === NEWEST ? {} : { sort }) })
          : ''),
    )
    try {
      const [answer, server] = await Promise.all([
        get('profiles', { q: q || null, sort }),
        get('server'),
      ])
      if (q !== this.text.value || sort !== this.sort.value) return // another question was asked meanwhile
      this.server.value = server
      this.news.from(answer.seq)
      this.profiles.value = answer.profiles
    } catch (error) {
      say(/** @type {Error} */ (error).message)
    }
  }

  /** Changes what the server has, and shows what it has then; what it refuses is said. @param {() => Promise<unknown>} how */
  async change(how) {
    await how().catch(error => say(sentences(error)))
    await this.load(this.text.value, this.sort.value)
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    if (event.target instanceof HTMLInputElement && event.target.type !== 'checkbox') return
    if (document.querySelector('dialog[open]') || event.ctrlKey || event.metaKey || event.altKey)
      return
    const acts = {
      '/': () => /** @type {HTMLElement} */ (this.app.querySelector('.search'))?.focus(),
      c: () => this.compare(),
      t: () => this.tag(),
      Delete: () => this.remove(),
      '?': help,
    }
    const run = acts[/** @type {keyof typeof acts} */ (event.key)]
    if (!run) return
    event.preventDefault()
    run()
  }

  get chosen() {
    return (this.profiles.value ?? []).filter(one => this.selected.value.has(one.bucket))
  }

  /** @param {string} id */
  toggle(id) {
    const next = new Set(this.selected.value)
    if (!next.delete(id)) next.add(id)
    this.selected.value = next
  }

  compare() {
    const [a, ...rest] = this.chosen
    if (rest.length)
      location.href = base + '/compare?a=' + a.bucket + rest.map(one => '&b=' + one.bucket).join('')
    else say('Select two profiles or more to compare.')
  }

  /** Those that nobody opened for long, nor added of late; what could not be read has no such time. */
  selectOld() {
    const since = Date.now() - OLD
    this.selected.value = new Set(
      (this.profiles.value ?? [])
        .filter(one => one.added && Math.max(one.opened, one.added) < since)
        .map(one => one.bucket),
    )
    say(counted(this.chosen.length, 'profile') + ' not opened for 30 days')
  }

  /** A click on a head sorts by it, the next one the other way, and the third goes back to the newest first. @param {string} sort */
  sortBy(sort) {
    this.sort.value =
      this.sort.value === sort ? '-' + sort : this.sort.value === '-' + sort ? NEWEST : sort
  }

  async tag() {
    if (!this.chosen.length) return
    const shown = dialog(
      'Tag',
      close =>
        html`<form class="acts" @submit=${async (/** @type {Event} */ event) => {
          event.preventDefault()
          const add = /** @type {HTMLInputElement} */ (
            shown.box.querySelector('input')
          ).value.trim()
          close()
          if (add)
            await this.change(() =>
              Promise.all(
                this.chosen.map(one =>
                  write('POST', 'profiles/' + one.bucket + '/tags', { add: [add], remove: [] }),
                ),
              ),
            )
        }}><input aria-label="Tag" placeholder="h100"><button>Tag ${this.chosen.length}</button></form>`,
    )
  }

  /** Names all and their size before anything goes. */
  remove() {
    const all = this.chosen
    if (!all.length) return
    const size = all.reduce((sum, one) => sum + one.size, 0)
    dialog(
      'Delete ' + all.length + (all.length === 1 ? ' profile?' : ' profiles?'),
      close => html`<ul>${all.map(one => html`<li>${one.name} <span class="muted">${bytesText(one.size)}</span></li>`)}</ul>
      <p>${bytesText(size)} of the store become free. The files that they were read from stay.</p>
      <p class="acts"><button class="danger" @click=${async () => {
        close()
        await this.change(async () => {
          const { kept } = await write('POST', 'profiles/delete', {
            profiles: all.map(one => one.bucket),
            database: false,
          })
          this.selected.value = new Set()
          say(kept.length ? kept.map(one => one.text).join(' ') : 'deleted ' + all.length)
        })
      }}>Delete</button><button @click=${close}>Keep</button></p>`,
    )
  }

  /** Files of the chosen profiles, as `nprof run` writes them. */
  export() {
    dialog(
      'Export',
      () =>
        html`<ul>${this.chosen.map(one => html`<li>${one.name}${one.gen ? FORMATS.map(format => html` <a download href=${base + '/api/v1/p/' + one.bucket + '/' + one.gen + '/export?format=' + format}>${format}</a>`) : html` <span class="muted">not read yet</span>`}</li>`)}</ul>`,
    )
  }

  /** @param {File[]} files */
  async add(files) {
    const how = files.length ? await askHow(files) : null
    if (!how) return
    await send(files, how === 'one', {
      progress: list => {
        this.uploads.value = list
      },
      done: id => {
        location.href = base + '/profile/' + id
      },
    })
  }

  openPath() {
    const shown = dialog(
      'Open a path on the server',
      close =>
        html`<form class="acts" @submit=${async (/** @type {Event} */ event) => {
          event.preventDefault()
          const path = /** @type {HTMLInputElement} */ (
            shown.box.querySelector('input')
          ).value.trim()
          if (!path) return
          try {
            const { profiles } = await write('POST', 'open', {
              paths: [path],
              force: false,
              keep_going: false,
              decoder: '',
              one: false,
            })
            close()
            if (profiles.length === 1) location.href = base + '/profile/' + profiles[0].profile
            await this.load(this.text.value, this.sort.value)
          } catch (error) {
            say(/** @type {Error} */ (error).message)
            const line = shown.box.querySelector('.failed')
            if (line) line.textContent = /** @type {Error} */ (error).message
          }
        }}><input class="wide" autofocus aria-label="Path on the server" placeholder="/data/run7/trace.json.gz"><button>Open</button></form><p class="failed"></p>`,
    )
  }

  template() {
    const profiles = this.profiles.value
    return html`<div class="list-page">
      ${this.ended.value ? serverEnded : nothing}
      <header class="top"><a class="brand" href=${base + '/'}>nprof</a>${profiles?.length === 0 && !this.text.value ? nothing : html`<h1>Profiles</h1>`}
        <input class="search" type="search" aria-label="Search profiles" placeholder="/ search: name, tag:, format:, mfu<40 …" .value=${this.text.value} @input=${(
          /** @type {FieldEvent} */ event,
        ) => {
          this.text.value = event.target.value
        }}>
        <span class="gap"></span>
        ${this.server.value?.open_path ? html`<button @click=${() => this.openPath()}>Open a path…</button>` : nothing}
        <label class="button">Upload or drop files<input type="file" multiple class="sr-only" @change=${(/** @type {FieldEvent} */ event) => this.add([...(event.target.files ?? [])])}></label>
        <button class="quiet" aria-label="Theme" title="Light, dark, or as the system says" @click=${() => say('theme: ' + nextTheme())}>◐</button>
        <button class="quiet" title="Keys and help (?)" aria-label="Help" @click=${help}>?</button></header>
      <main class="list">
        ${uploadLines(this.uploads.value)}
        ${profiles === null ? html`<p class="muted" aria-busy="true">asking…</p>` : profiles.length || this.text.value ? this.grid(profiles) : empty()}
      </main>
      <footer class="foot">${
        this.chosen.length
          ? html`<span>${this.chosen.length} selected:</span>
        <button ?disabled=${this.chosen.length < 2} @click=${() => this.compare()}>Compare <kbd>c</kbd></button><button @click=${() => this.tag()}>Tag <kbd>t</kbd></button><button @click=${() => this.remove()}>Delete <kbd>Del</kbd></button><button @click=${() => this.export()}>Export</button>`
          : nothing
      }
        <span class="gap"></span><span>${counted(profiles?.length ?? 0, 'profile')}${this.server.value ? ', ' + bytesText(this.server.value.used_bytes) + ' in the store, ' + bytesText(this.server.value.free_bytes) + ' free' : ''}</span>
        ${profiles?.length ? html`<button class="quiet" @click=${() => this.selectOld()}>Select not opened for 30 days</button>` : nothing}</footer></div>`
  }

  /** @param {Profile[]} profiles */
  grid(profiles) {
    return html`<table class="grid" role="grid" aria-label="Profiles" aria-rowcount=${profiles.length + 1}><thead><tr>${['select', 'star'].map(text => html`<th scope="col"><span class="sr-only">${text}</span></th>`)}${COLUMNS.map(one => this.head(one))}</tr></thead>
      <tbody>${profiles.map((one, i) => this.row(one, i))}</tbody></table>${profiles.length ? nothing : html`<p class="muted pad">No profile fits the search.</p>`}`
  }

  /** @param {typeof COLUMNS[number]} column */
  head({ text, sort, number }) {
    if (!sort) return html`<th scope="col">${text}</th>`
    const up = this.sort.value === (number ? '-' : '') + sort,
      down = this.sort.value === (number ? '' : '-') + sort
    return html`<th scope="col" class=${number && sort !== 'recorded' ? 'number' : ''} aria-sort=${down ? 'descending' : up ? 'ascending' : 'none'}><button class="sort" @click=${() => this.sortBy(sort)}>${text}<span aria-hidden="true">${down ? ' ▾' : up ? ' ▴' : ''}</span></button></th>`
  }

  /** @param {Profile} one @param {number} i */
  row(one, i) {
    const open = () => {
      location.href = base + '/profile/' + one.bucket
    }
    const change = (/** @type {{star?: boolean, remove?: string[]}} */ body) =>
      this.change(() =>
        write('POST', 'profiles/' + one.bucket + '/tags', { add: [], remove: [], ...body }),
      )
    const ready = one.status === 'ready',
      folder = folderOf(one, this.profiles.value ?? [])
    return html`<tr role="row" tabindex=${i ? -1 : 0} data-bucket=${one.bucket} aria-selected=${this.selected.value.has(one.bucket)} @dblclick=${open} @keydown=${(
      /** @type {KeyboardEvent} */ event,
    ) => {
      const here = /** @type {HTMLElement} */ (event.currentTarget)
      if (event.target !== here) return
      if (event.key === 'Enter') open()
      else if (event.key === ' ') {
        event.preventDefault()
        this.toggle(one.bucket)
      } else if (event.key === 'ArrowDown')
        /** @type {HTMLElement} */ (here.nextElementSibling)?.focus()
      else if (event.key === 'ArrowUp')
        /** @type {HTMLElement} */ (here.previousElementSibling)?.focus()
    }}>
      <td><input type="checkbox" aria-label=${'Select ' + one.name} .checked=${this.selected.value.has(one.bucket)} @click=${() => this.toggle(one.bucket)}></td>
      <td><button class="quiet star" aria-label=${(one.star ? 'Unstar ' : 'Star ') + one.name} aria-pressed=${one.star} @click=${() => change({ star: !one.star })}>${one.star ? '★' : '☆'}</button></td>
      <td class="name-cell"><a href=${base + '/profile/' + one.bucket}>${one.name}</a>${folder ? html` <span class="muted">${folder}</span>` : nothing}<button class="quiet rename-button" aria-label=${'Rename ' + one.name} title="Rename" @click=${() => this.rename(one)}>✎</button></td>
      ${this.briefs.cell(one)}
      <td>${formatText(one)}${one.certainty === 'structure' ? html` <span title="Not a published format: decoded by its structure" aria-label="decoded by its structure">⚠</span>` : nothing}</td>
      <td class="figures">${one.origin_unix_ns === null ? html`<span class="unknown">unknown</span>` : recordedText(one.origin_unix_ns)}</td>
      <td class="number">${ready ? durationText(BigInt(one.length)) : '-'}</td><td class="number">${ready ? numberText(one.rows) : '-'}</td>
      <td title=${devicesText(one.devices)}>${devicesText(one.devices)}</td>
      <td class="number">${ready ? metricSpan(one.busy) : '-'}</td><td class="number">${ready ? metricSpan(one.mfu) : '-'}</td><td class="number">${ready ? metricSpan(one.step_median) : '-'}</td>
      <td>${one.tags.map(tag => html`<span class="tag">${tag}<button class="quiet" aria-label=${'Remove tag ' + tag} @click=${() => change({ remove: [tag] })}>×</button></span>`)}</td>
      <td class="number">${one.gen ? bytesText(one.size) : '-'}</td><td class=${'status ' + one.status}>${statusText(one)}</td></tr>`
  }

  /** @param {Profile} one */
  rename(one) {
    const shown = dialog(
      'Rename',
      close =>
        html`<form class="acts" @submit=${async (/** @type {Event} */ event) => {
          event.preventDefault()
          const name = /** @type {HTMLInputElement} */ (
            shown.box.querySelector('input')
          ).value.trim()
          close()
          if (name)
            await this.change(() => write('POST', 'profiles/' + one.bucket + '/rename', { name }))
        }}><input class="wide" aria-label="Name" .value=${one.name}><button>Rename</button></form>`,
    )
  }
}

/** @param {string} unixNs */
const recordedText = unixNs =>
  new Date(Number(BigInt(unixNs) / 1000000n)).toISOString().slice(0, 16).replace('T', ' ')

/** @param {Profile} one */
function statusText(one) {
  if (one.status === 'reading') return progressText(one.progress)
  if (one.status === 'failed')
    return html`<span title=${one.error?.text ?? ''}>failed${one.error?.byte ? ': byte ' + one.error.byte : ''}</span>`
  if (one.status === 'old')
    return html`<span title="Its store was written by another version">to be read again</span>`
  if (one.status === 'damaged')
    return html`<span class="failed" title=${one.error?.text ?? ''}>damaged</span>`
  if (one.status === 'database') return 'in the database only'
  return one.error ? html`<span title=${one.error.text}>ready, but not read again</span>` : 'ready'
}

/** @type {[string, string][]} */
const KEYS = [
  ['/', 'Search'],
  ['Tab, ↑, ↓', 'Go to a profile'],
  ['Enter', 'Open it'],
  ['Space', 'Select it, or let it go'],
  ['C', 'Compare those that are selected'],
  ['T', 'Tag them'],
  ['Del', 'Delete them'],
  ['?', 'This help'],
]

const help = () => {
  dialog(
    'Keys',
    () =>
      html`<div class="help"><section><dl>${KEYS.map(([key, what]) => html`<dt><kbd>${key}</kbd></dt><dd>${what}</dd>`)}</dl></section></div>`,
  )
}

const empty =
  () => html`<div class="empty"><h1>No profiles yet</h1><p>Drop a file here, or in a terminal:</p>
  <pre>nprof view FILE
nprof view -n file.neff -s profile.ntff
nprof view LOGDIR</pre><p class="muted">Reads: XSpace, Kineto/Chrome JSON, NTFF/NEFF, Neuron's JSON, Furiosa.</p></div>`

/** @returns {(app: HTMLElement) => void} */
export function listPage() {
  return app => {
    document.title = 'nprof: profiles'
    app.append(make('div'))
    new ListPage(app)
  }
}
