// SPDX-License-Identifier: Apache-2.0
// The list of profiles (tests 1, 3, 5, 62, 66 of the list).
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import {
  SYNTHETIC,
  csvOf,
  fieldsOfLine,
  folder,
  made,
  nprof,
  open,
  openTab,
  put,
  serve,
  shot,
  suite,
  tabTo,
  until,
  write,
} from './harness.mjs'

const store = path.join(folder, 'list')
const view = suite([], 'list')
const names = page => page.locator('.name-cell a').allTextContents()

/** Reads files into the store of the list; those that are there stay. */
async function have(...files) {
  for (const file of files) await nprof('view', '--store', store, '--ingest-only', '-q', file)
}

/** A small trace of its own, named in its only event. */
const trace = name =>
  put(name + '.json', {
    traceEvents: [
      { ph: 'X', pid: 1, tid: 1, ts: 1, dur: 5, name },
      { ph: 'X', pid: 1, tid: 1, ts: 10, dur: 7, name: name + ' b' },
    ],
  })

view.test('T1 an empty list says how to make a profile', async () => {
  const page = await open(view.server.base + '/')
  await page.getByRole('heading', { name: 'No profiles yet' }).waitFor()
  assert.match(
    view.server.said.out,
    /^View a list of profiles at http:\/\/localhost:\d+\/\nctrl-c to exit\n$/,
  )
  assert.match(
    await page.locator('.empty').textContent(),
    /nprof view -n file\.neff -s profile\.ntff/,
  )
})

view.test(
  'T3 what another process adds appears without a reload, and the focus stays',
  async () => {
    const page = await open(view.server.base + '/')
    await page.getByLabel('Search profiles').focus()
    // The page asks once a second: it has the row after the second time at the latest.
    let asked = 0
    page.on('request', request => {
      if (request.url().includes('/changes?')) asked++
    })
    const said = await nprof('view', '--store', store, '--ingest-only', '-q', SYNTHETIC)
    assert.match(said, /^Profile "n_[0-9a-f]{40}" is ready to view\n$/)
    const before = asked
    await page
      .getByRole('grid', { name: 'Profiles' })
      .getByText('synthetic_tpu.xplane.pb')
      .waitFor()
    assert.ok(asked <= before + 2, asked - before + ' times')
    assert.equal(
      await page.evaluate(() => document.activeElement?.getAttribute('aria-label')),
      'Search profiles',
    )
    await shot(page, 'list')
  },
)

view.test(
  'at 1024 pixels the list shows the status of a profile, however long its name is',
  async () => {
    const other = await serve(
      [
        put('a-name-that-goes-on-for-longer-than-any-column-of-a-list-would-have-it.json', {
          schemaVersion: 1,
          deviceProperties: [{ id: 0, name: 'NVIDIA A100-PG509-200 with a longer name' }],
          traceEvents: [
            {
              ph: 'X',
              cat: 'kernel',
              name: 'one',
              pid: 0,
              tid: 7,
              ts: 1,
              dur: 5,
              args: { device: 0, stream: 7 },
            },
          ],
        }),
      ],
      path.join(folder, 'wide-store'),
    )
    try {
      const page = await open(other.base + '/', { viewport: { width: 1024, height: 700 } })
      await page.locator('td.status').first().waitFor()
      for (const cell of await page.locator('td.status').all()) {
        const { x, width } = await cell.boundingBox()
        assert.ok(x + width <= 1024, String(x + width))
      }
    } finally {
      await other.end()
    }
  },
)

view.test(
  'T4 the same file again is one row, already here; --force reads it again and keeps the markers',
  async () => {
    await have(SYNTHETIC)
    const {
      profiles: [first],
    } = await (await fetch(view.server.base + '/api/v1/profiles')).json()
    const data = { markers: [{ id: 'a', t: '9000000000', name: 'kept', color: 0, range: null }] }
    await write(view.server.base, 'PUT', 'p/' + first.bucket + '/annotations/base', {
      rev: null,
      data,
    })
    const { stdout, stderr } = await promisify(execFile)(process.env.NPROF, [
      'view',
      '--store',
      store,
      '--ingest-only',
      SYNTHETIC,
    ])
    assert.match(stdout, new RegExp('"' + first.bucket + '" is ready'))
    assert.match(stderr, /already here/)
    const page = await open(view.server.base + '/')
    await until('the row', async () => (await names(page)).length > 0)
    assert.deepEqual(await names(page), ['synthetic_tpu.xplane.pb'])
    await nprof('view', '--store', store, '--ingest-only', '-q', '--force', SYNTHETIC)
    await until('a new generation', async () => {
      const { profiles } = await (await fetch(view.server.base + '/api/v1/profiles')).json()
      assert.deepEqual(
        profiles.map(one => one.bucket),
        [first.bucket],
      )
      return profiles[0].gen !== first.gen
    })
    await page.goto(view.server.base + '/profile/' + first.bucket)
    await openTab(page, 'Annotations')
    await page.getByLabel('Load a set').selectOption('base')
    assert.equal(
      await page.getByRole('grid', { name: 'Markers' }).getByLabel('Name of kept').inputValue(),
      'kept',
    )
  },
)

view.test(
  'T5 Delete names all and their size; then their address leads nowhere, and the files stay',
  async () => {
    const files = [trace('one'), trace('two')]
    await have(SYNTHETIC, ...files)
    const page = await open(view.server.base + '/')
    await until('three rows', async () => (await names(page)).length === 3)
    const bytes = files.map(file => fs.readFileSync(file)),
      { profiles } = await (await fetch(view.server.base + '/api/v1/profiles')).json(),
      doomed = profiles.filter(one => /^(one|two)\.json$/.test(one.name))
    assert.equal(doomed.length, 2)
    await page.getByLabel('Select one.json').check()
    await page.getByLabel('Select two.json').check()
    await page.keyboard.press('Delete')
    const dialog = page.getByRole('dialog')
    const said = await dialog.textContent(),
      near = (text, bytes) => {
        const [, value, unit] = /([\d.]+) (B|KiB|MiB)/.exec(text)
        assert.ok(
          Math.abs((Number(value) * { B: 1, KiB: 1024, MiB: 1024 ** 2 }[unit]) / bytes - 1) < 0.006,
          text + ' for ' + bytes + ' B',
        )
      }
    assert.match(said, /^.*Delete 2 profiles\?/)
    for (const one of doomed) near(said.split(one.name)[1], one.size)
    near(said.match(/\S+ \S+ of the store become free/)[0], doomed[0].size + doomed[1].size)
    // Who keeps them has them still.
    await dialog.getByRole('button', { name: 'Keep' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.equal((await names(page)).length, 3)
    await page.keyboard.press('Delete')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await until('one row', async () => (await names(page)).length === 1)
    assert.deepEqual(await names(page), ['synthetic_tpu.xplane.pb'])
    files.forEach((file, i) => assert.ok(fs.readFileSync(file).equals(bytes[i])))
    for (const { bucket } of doomed) {
      await page.goto(view.server.base + '/profile/' + bucket)
      await page.getByRole('heading', { name: 'No profile ' + bucket + ' here' }).waitFor()
      assert.equal(await page.locator('main a').getAttribute('href'), '/')
    }
  },
)

view.test('tags, stars, names and the search', async () => {
  await have(SYNTHETIC)
  const page = await open(view.server.base + '/')
  await until('the row', async () => (await names(page)).length === 1)
  await page.getByLabel('Star synthetic_tpu.xplane.pb', { exact: true }).click()
  await page.getByLabel('Unstar synthetic_tpu.xplane.pb').waitFor()
  await page.getByLabel('Select synthetic_tpu.xplane.pb').check()
  await page.keyboard.press('t')
  await page.getByRole('dialog').getByLabel('Tag').fill('v5')
  await page.keyboard.press('Enter')
  await page.locator('.tag', { hasText: 'v5' }).waitFor()
  await page.getByLabel('Search profiles').fill('tag:v5')
  await until('one row', async () => (await names(page)).length === 1)
  await page.getByLabel('Search profiles').fill('tag:v6')
  await until('no row', async () => (await names(page)).length === 0)
})

view.test(
  'each column sorts, both ways, with what is unknown last; the head and the address say so, and a third click goes back to the newest',
  async () => {
    const gpu = put('gpu.pt.trace.json', {
      schemaVersion: 1,
      deviceProperties: [{ id: 0, name: 'NVIDIA H100' }],
      traceEvents: Array.from({ length: 30 }, (_, i) => ({
        ph: 'X',
        cat: 'kernel',
        name: 'k',
        pid: 0,
        tid: 7,
        ts: 10 * i,
        dur: 4,
        args: { device: 0, stream: 7 },
      })),
    })
    await have(SYNTHETIC, gpu, trace('alpha'), trace('beta'))
    const broken = put('zeta.xplane.pb', fs.readFileSync(SYNTHETIC).subarray(0, 4000))
    await write(view.server.base, 'POST', 'open', {
      paths: [broken],
      force: false,
      keep_going: false,
      decoder: '',
      one: true,
    })
    const all = async () =>
      (await (await fetch(view.server.base + '/api/v1/profiles')).json()).profiles
    await until('what could not be read', async () =>
      (await all()).some(one => one.status === 'failed'),
    )
    const value = one => (one.value === null ? null : Number(one.value)),
      ready = (one, of) => (one.gen ? of : null)
    await write(
      view.server.base,
      'POST',
      'profiles/' + (await all()).find(one => one.name === 'alpha.json').bucket + '/tags',
      { add: ['x'], remove: [] },
    )
    const newest = await all()
    const columns = {
      name: one => one.name,
      format: one => one.format || null,
      recorded: one => one.origin_unix_ns && Number(one.origin_unix_ns),
      length: one => ready(one, Number(one.length)),
      rows: one => ready(one, one.rows),
      devices: one => one.devices[0]?.type ?? null,
      busy: one => value(one.busy),
      MFU: one => value(one.mfu),
      step: one => value(one.step_median),
      tags: one => one.tags.join(' ') || null,
      size: one => ready(one, one.size),
      status: one => one.status,
    }
    const page = await open(view.server.base + '/'),
      grid = page.getByRole('grid', { name: 'Profiles' }),
      shown = () =>
        grid.locator('tbody tr').evaluateAll(rows => rows.map(row => row.dataset.bucket)),
      ids = list => list.map(one => one.bucket)
    await until('all rows', async () => String(await shown()) === String(ids(newest)))
    assert.deepEqual(
      (await grid.getByRole('columnheader').allTextContents()).slice(2).map(text => text.trim()),
      Object.keys(columns).toSpliced(1, 0, 'verdict'), // which is no order
    )
    for (const [name, of] of Object.entries(columns)) {
      const head = grid.getByRole('columnheader', { name, exact: true }),
        known = newest.filter(one => of(one) !== null),
        unknown = newest.filter(one => of(one) === null),
        text = typeof of(known[0]) === 'string'
      const rising = [...known].sort((a, b) => (of(a) < of(b) ? -1 : of(a) > of(b) ? 1 : 0)),
        falling = [...known].sort((a, b) => (of(a) > of(b) ? -1 : of(a) < of(b) ? 1 : 0))
      for (const [how, rows] of text
        ? [
            ['ascending', rising],
            ['descending', falling],
          ]
        : [
            ['descending', falling],
            ['ascending', rising],
          ]) {
        await head.getByRole('button').click()
        await until(
          name + ' ' + how,
          async () => String(await shown()) === String([...ids(rows), ...ids(unknown)]),
        )
        assert.equal(await head.getAttribute('aria-sort'), how, name)
      }
      assert.equal(
        await grid.locator('th[aria-sort=ascending], th[aria-sort=descending]').count(),
        1,
      )
      await until(
        'the address',
        () => new URL(page.url()).searchParams.get('sort') === '-' + name.toLowerCase(),
      )
      const other = name === 'MFU' ? await open(page.url(), {}) : null
      if (other)
        await until(
          'the same by the link',
          async () =>
            String(
              await other
                .locator('tbody tr')
                .evaluateAll(rows => rows.map(row => row.dataset.bucket)),
            ) === String([...ids(rising), ...ids(unknown)]),
        )
      await head.getByRole('button').click()
      await until('the newest first', async () => String(await shown()) === String(ids(newest)))
      assert.equal(await head.getAttribute('aria-sort'), 'none')
      assert.equal(new URL(page.url()).search, '')
    }
    await shot(page, 'list-sorted')
  },
)

view.test(
  'a profile is renamed where it stands, by mouse and by keyboard; an empty name changes nothing',
  async () => {
    await have(trace('before'))
    const page = await open(view.server.base + '/'),
      row = page.locator('tr', { hasText: 'before.json' }),
      dialog = page.getByRole('dialog', { name: 'Rename' })
    await row.hover()
    await row.getByRole('button', { name: 'Rename before.json' }).click()
    assert.equal(await dialog.getByLabel('Name').inputValue(), 'before.json')
    await dialog.getByLabel('Name').fill('after <b>"it"</b> & more')
    await dialog.getByRole('button', { name: 'Rename' }).click()
    await until('the name', async () => (await names(page)).includes('after <b>"it"</b> & more'))
    const { profiles } = await (await fetch(view.server.base + '/api/v1/profiles?q=more')).json()
    assert.deepEqual(
      profiles.map(one => one.name),
      ['after <b>"it"</b> & more'],
    )
    // The terminal calls it the same; its page, too.
    assert.ok((await nprof('profiles', '--store', store)).includes('after <b>"it"</b> & more'))
    await page.mouse.move(5, 5)
    await page.locator('tr', { hasText: 'more' }).focus()
    await tabTo(page, /^Rename after/)
    await page.keyboard.press('Enter')
    await dialog.getByLabel('Name').fill('   ')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    assert.ok((await names(page)).includes('after <b>"it"</b> & more'))
    await page.goto(view.server.base + '/profile/' + profiles[0].bucket)
    await page.locator('.profile-name', { hasText: 'after <b>"it"</b> & more' }).waitFor()
  },
)

view.test(
  'Select not opened for 30 days takes those that nobody opened, nor added, for as long',
  async () => {
    await have(trace('fresh'), trace('stale'), trace('used'))
    const { profiles } = await (await fetch(view.server.base + '/api/v1/profiles')).json(),
      idOf = name => profiles.find(one => one.name === name + '.json').bucket,
      day = 86400000
    const dated = profiles.filter(one => one.added)
    const page = await open(view.server.base + '/', {}),
      selected = () => page.locator('tr[aria-selected=true] .name-cell a').allTextContents(),
      button = page.getByRole('button', { name: 'Select not opened for 30 days' })
    await page.locator('tr', { hasText: 'used.json' }).waitFor()
    // What was added just now and never opened is not old.
    await button.click()
    assert.deepEqual(await selected(), [])
    assert.equal(
      await page.locator('[data-say]').textContent(),
      '0 profiles not opened for 30 days',
    )
    // In 31 days all are, but for what was opened two days before.
    const then = Date.now() + 31 * day,
      used = path.join(store, 'kept', idOf('used'), 'used')
    fs.writeFileSync(used, '')
    fs.utimesSync(used, (then - 2 * day) / 1000, (then - 2 * day) / 1000)
    await page.clock.setFixedTime(then)
    await page.reload()
    await page.locator('tr', { hasText: 'used.json' }).waitFor()
    await button.click()
    await until('the others', async () => (await selected()).length === dated.length - 1)
    assert.ok(
      !(await selected()).includes('used.json') &&
        (await selected()).includes('stale.json') &&
        (await selected()).includes('fresh.json'),
    )
    assert.match(
      await page.locator('.foot').textContent(),
      new RegExp('^\\s*' + (dated.length - 1) + ' selected:'),
    )
    await page.clock.setFixedTime(then - 2 * day)
    await button.click()
    await until('none', async () => (await selected()).length === 0)
  },
)

view.test(
  'Tag is for all that are selected; a tag is removed where it stands, and one that cannot be kept says why',
  async () => {
    await have(trace('first'), trace('second'))
    const page = await open(view.server.base + '/'),
      tags = name =>
        page
          .locator('tr', { hasText: name + '.json' })
          .locator('.tag')
          .evaluateAll(all => all.map(tag => tag.textContent.replace(/×$/, '')))
    for (const name of ['first', 'second'])
      await page.getByLabel('Select ' + name + '.json').check()
    await page.getByRole('button', { name: /^Tag/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Tag' })
    assert.equal(await dialog.getByRole('button', { name: /^Tag/ }).textContent(), 'Tag 2')
    await dialog.getByLabel('Tag').fill('h100 <i>')
    await page.keyboard.press('Enter')
    for (const name of ['first', 'second'])
      await until('its tag', async () => String(await tags(name)) === 'h100 <i>')
    await page.locator('tr', { hasText: 'first.json' }).getByLabel('Remove tag h100 <i>').click()
    await until('no tag', async () => (await tags('first')).length === 0)
    assert.deepEqual(await tags('second'), ['h100 <i>'])
    const { profiles } = await (await fetch(view.server.base + '/api/v1/profiles')).json()
    assert.deepEqual(
      ['first', 'second'].map(name => profiles.find(one => one.name === name + '.json').tags),
      [[], ['h100 <i>']],
    )
    await page.keyboard.press('t')
    await dialog.getByLabel('Tag').fill('x'.repeat(2000))
    await page.keyboard.press('Enter')
    await until('why not', async () =>
      /^Expected a tag of 1 to \d+ bytes\.$/.test(await page.locator('[data-say]').textContent()),
    )
  },
)

view.test(
  '? lists the keys of the list, and profiles are exported as files that nprof reads',
  async () => {
    await have(SYNTHETIC)
    const page = await open(view.server.base + '/'),
      shown = page.locator('tr', { hasText: 'synthetic_tpu.xplane.pb' })
    await shown.waitFor()
    await page.keyboard.press('?')
    assert.equal(await page.getByRole('dialog', { name: 'Keys' }).locator('kbd').count(), 8)
    await page.keyboard.press('Escape')
    await shown.focus()
    await page.keyboard.press(' ')
    await page.getByRole('button', { name: 'Export' }).click()
    const files = {}
    for (const [format, says] of [
      ['csv', /^input,start_ns,/],
      ['chrome', /"traceEvents"/],
      ['parquet', /^PAR1/],
      ['markdown', /\| /],
    ]) {
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('dialog', { name: 'Export' }).getByRole('link', { name: format }).click(),
      ])
      files[format] = path.join(folder, file.suggestedFilename())
      await file.saveAs(files[format])
      assert.match(fs.readFileSync(files[format], 'latin1'), says, format)
    }
    // CSV has each row of the file, and what else nprof reads has as many.
    const rows = (await csvOf(SYNTHETIC, ['name', 'start_ns', 'duration_ns']))
      .map(row => Object.values(row).join())
      .sort()
    const [head, ...lines] = fs
        .readFileSync(files.csv, 'utf8')
        .trim()
        .split('\n')
        .map(fieldsOfLine),
      at = ['name', 'start_ns', 'duration_ns'].map(name => head.indexOf(name))
    assert.deepEqual(lines.map(line => at.map(i => line[i]).join()).sort(), rows)
    for (const format of ['chrome', 'parquet'])
      assert.equal((await csvOf(files[format], ['name'])).length, rows.length, format)
  },
)

view.test(
  'T66 a dropped file is sent and opens; a NEFF and its NTFF become one profile of two inputs',
  async () => {
    const page = await open(view.server.base + '/')
    const drop = files =>
      page.evaluate(
        list => {
          const data = new DataTransfer()
          for (const [name, bytes] of list) data.items.add(new File([new Uint8Array(bytes)], name))
          document
            .querySelector('#app')
            .dispatchEvent(
              new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }),
            )
        },
        files.map(file => [path.basename(file), [...fs.readFileSync(file)]]),
      )
    const made_ = (name, script, ...args) =>
      fs.readdirSync(made(name, script, ...args)).map(one => path.join(folder, name, one))
    fs.mkdirSync(path.join(folder, 'dropped'))
    const [ntff] = made_('dropped', 'tools/ntff_make.py')
    const neff = made_('dropped-neff', 'tools/neff-make.py').find(one =>
      one.endsWith('synthetic_debug.neff'),
    )
    await page.getByLabel('Search profiles').waitFor()
    await drop([ntff, neff])
    const both = page.getByRole('button', { name: 'One profile of 2 inputs' })
    await both.waitFor()
    assert.ok(await both.evaluate(button => button === document.activeElement)) // what a NEFF beside an NTFF means
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/profile\/n_[0-9a-f]{40}/)
    await page.locator('.timeline .row').first().waitFor()
    const id = page.url().match(/n_[0-9a-f]{40}/)[0],
      { profile } = await (await fetch(view.server.base + '/api/v1/p/' + id)).json()
    assert.deepEqual(
      profile.inputs.map(input => input.label).sort(),
      [neff, ntff].map(file => path.basename(file)).sort(),
    )
    await openTab(page, 'Summary')
    await page.getByRole('button', { name: 'Input tensors' }).click() // the NEFF's
    await page.goto(view.server.base + '/')
    await page.getByLabel('Search profiles').waitFor()
    // Files that differ in their numbers alone are ranks of one job; others are profiles of their own.
    for (const [files, offered] of [
      [['rank0', 'rank1', 'rank12'], 'One profile of 3 inputs'],
      [['rank0', 'other'], '2 profiles'],
    ]) {
      await drop(files.map(trace))
      const button = page.getByRole('dialog').getByRole('button', { name: offered })
      await button.waitFor()
      assert.ok(await button.evaluate(one => one === document.activeElement), offered)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await drop([trace('dropped')])
    await page.waitForURL(/\/profile\/n_[0-9a-f]{40}/)
    await page.locator('.profile-name', { hasText: 'dropped.json' }).waitFor()
    await page.locator('.timeline .row').first().waitFor()
  },
)

/** A store on a disk of its own that is this small, where one may be made; `inside` is its folder as this process reaches it. */
async function smallStore(bytes) {
  const disk = path.join(folder, 'small'),
    command = put(
      'small.sh',
      `#!/bin/sh\nexec unshare -rm sh -c 'mount -t tmpfs -o size=${bytes} none "$0" && exec "$NPROF" "$@"' ${disk} "$@"\n`,
    )
  fs.mkdirSync(disk, { recursive: true })
  fs.chmodSync(command, 0o755)
  if (spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', disk]).status !== 0) return null
  const server = await serve(['--any-user', '--open-path'], path.join(disk, 'store'), {
    nprof: command,
  })
  return { ...server, inside: '/proc/' + server.child.pid + '/root' + disk }
}

const spans = (name, count) => ({
  traceEvents: Array.from({ length: count }, (_, i) => ({
    ph: 'X',
    pid: 1,
    tid: i % 50,
    ts: 10 * i,
    dur: 5 + (i % 7),
    name: name + i,
  })),
})

view.test(
  'where the disk is full the page says so, and one button goes on when there is room',
  async () => {
    const other = await smallStore(8 << 20)
    if (!other) return console.log('not tried: no file system may be mounted here')
    try {
      const page = await open(other.base + '/'),
        filler = path.join(other.inside, 'filler'),
        upload = page.locator('.upload')
      const fill = () => {
        const { bavail, bsize } = fs.statfsSync(other.inside)
        fs.writeFileSync(filler, Buffer.alloc(bavail * bsize - 300000))
      }
      await page.getByRole('heading', { name: 'No profiles yet' }).waitFor()
      fill()
      await page.locator('input[type=file]').setInputFiles(put('sent.json', spans('sent', 20000)))
      await upload.locator('.failed').waitFor()
      assert.equal(
        (await upload.textContent()).replace(/\s+/g, ' ').trim(),
        'sent.json There is no room for the file on the disk of the store. Delete profiles. Send again',
      )
      assert.ok(!fs.existsSync(path.join(other.inside, 'store', 'uploads'))) // it was refused before a byte of it came
      // There is room for the file, and none for what is stored of it.
      const file = put('read.json', spans('read', 20000))
      const {
        profiles: [{ profile }],
      } = await write(other.base, 'POST', 'open', {
        paths: [file],
        force: false,
        keep_going: false,
        decoder: '',
        one: true,
      })
      await page.goto(other.base + '/profile/' + profile)
      await page.getByRole('heading', { name: 'This profile could not be read' }).waitFor()
      assert.match(
        await page.locator('main').textContent(),
        /No space left on device: make room there/,
      )
      await shot(page, 'state-full')
      assert.deepEqual(
        fs.readdirSync(path.join(other.inside, 'store')).filter(name => name.startsWith('n_')),
        [],
      )
      fs.rmSync(filler)
      await page.getByRole('button', { name: 'Read it again' }).click()
      await page.locator('.timeline .row').first().waitFor()
      await page.goto(other.base + '/')
      fill()
      await page.locator('input[type=file]').setInputFiles(path.join(folder, 'sent.json'))
      await upload.locator('.failed').waitFor()
      await shot(page, 'state-upload')
      fs.rmSync(filler)
      await upload.getByRole('button', { name: 'Send again' }).click()
      await page.waitForURL(/\/profile\/n_[0-9a-f]{40}/)
      await page.locator('.profile-name', { hasText: 'sent.json' }).waitFor()
      await page.locator('.timeline .row').first().waitFor()
    } finally {
      await other.end()
    }
  },
)

view.test(
  'an upload that is cut says so, and is sent again by one button; of what a client left nothing stays',
  async () => {
    let cut = true
    const proxy = http.createServer((request, reply) => {
      const on = http.request(
        {
          host: '127.0.0.1',
          port: view.server.port,
          path: request.url,
          method: request.method,
          headers: request.headers,
          agent: false,
        },
        answer => {
          reply.writeHead(answer.statusCode, answer.headers)
          answer.pipe(reply)
        },
      )
      on.on('error', () => reply.destroy())
      if (cut && request.url.startsWith('/api/v1/upload'))
        request.once('data', part =>
          on.write(part, () => {
            on.destroy()
            request.socket.destroy()
          }),
        )
      else request.pipe(on)
    })
    await new Promise(resolve => proxy.listen(0, '127.0.0.1', resolve))
    // A folder that goes while it is read is still there for this look.
    const uploads = () => {
      try {
        return fs.readdirSync(path.join(store, 'uploads'), { recursive: true })
      } catch (error) {
        if (error.code !== 'ENOENT') throw error
        return [error.path]
      }
    }
    try {
      const page = await open('http://localhost:' + proxy.address().port + '/', {}),
        upload = page.locator('.upload')
      await page.getByLabel('Search profiles').waitFor()
      await page.locator('input[type=file]').setInputFiles(put('cut.json', spans('cut', 20000)))
      await upload.locator('.failed').waitFor()
      assert.equal(
        (await upload.textContent()).replace(/\s+/g, ' ').trim(),
        'cut.json The upload of cut.json was cut. Send it again. Send again',
      )
      await until('nothing that stays', () => uploads().length === 0)
      cut = false
      await upload.getByRole('button', { name: 'Send again' }).click()
      await page.waitForURL(/\/profile\/n_[0-9a-f]{40}/)
      await page.locator('.timeline .row').first().waitFor()
      // A file that nobody reads is told once, and goes when people have read that.
      await page.goto('http://localhost:' + proxy.address().port + '/')
      await page.locator('input[type=file]').setInputFiles(put('text.json', 'no profile'))
      await upload.locator('.failed', { hasText: 'no decoder knows this format' }).waitFor()
      await upload.getByRole('button', { name: 'Dismiss' }).click()
      await upload.waitFor({ state: 'detached' })
      page.problems.length = 0
    } finally {
      proxy.close()
      proxy.closeAllConnections()
    }
    // A client that ends within its file.
    const token = /nprof-token" content="([^"]*)"/.exec(
        await (await fetch(view.server.base + '/')).text(),
      )[1],
      client = net.connect(view.server.port, '127.0.0.1')
    client.write(
      `POST /api/v1/upload?last=1 HTTP/1.1\r\nHost: localhost:${view.server.port}\r\nOrigin: ${view.server.base}\r\nX-Nprof-Token: ${token}\r\nX-Nprof-Name: half.json\r\nContent-Type: application/octet-stream\r\nContent-Length: 100000\r\n\r\n{"traceEvents":[`,
    )
    await until('its file', () => uploads().some(one => one.endsWith('half.json')))
    client.destroy()
    await until('nothing that stays', () => uploads().length === 0)
    const { profiles } = await (await fetch(view.server.base + '/api/v1/profiles')).json()
    assert.ok(!profiles.some(one => one.name === 'half.json'))
  },
)

view.test(
  'a profile that another process deletes leaves the list, and the page on which it is open says so, also where it could not be read',
  async () => {
    const file = trace('doomed'),
      broken = put('broken.xplane.pb', fs.readFileSync(SYNTHETIC).subarray(0, 5000))
    await have(file)
    const idOf = async name =>
      (await (await fetch(view.server.base + '/api/v1/profiles')).json()).profiles.find(
        one => one.name === name,
      )?.bucket
    const list = await open(view.server.base + '/'),
      page = await open(view.server.base + '/profile/' + (await idOf('doomed.json')))
    await page.locator('.timeline .row').first().waitFor()
    await write(view.server.base, 'POST', 'open', {
      paths: [broken],
      force: false,
      keep_going: false,
      decoder: '',
      one: true,
    })
    const bad = await until('its name', () => idOf('broken.xplane.pb')),
      reading = await open(view.server.base + '/profile/' + bad)
    await reading.getByRole('heading', { name: 'This profile could not be read' }).waitFor()
    await list.locator('tr', { hasText: 'doomed.json' }).waitFor()
    await nprof('profiles', '--store', store, 'rm', await idOf('doomed.json'))
    await write(view.server.base, 'POST', 'profiles/delete', { profiles: [bad], database: false })
    for (const one of [page, reading]) {
      assert.match(
        await one.locator('.banner').textContent(),
        /^This profile is not on the server any more\. What is on this page stays\./,
      )
      assert.equal(
        await one
          .locator('.banner')
          .getByRole('link', { name: 'All profiles' })
          .getAttribute('href'),
        '/',
      )
    }
    await list.locator('tr', { hasText: 'doomed.json' }).waitFor({ state: 'detached' })
    await reading.locator('.banner a').click()
    await reading.getByLabel('Search profiles').waitFor()
  },
)

view.test(
  'T1 SIGINT ends the server within a second; the open page says that it ended',
  async () => {
    await have(SYNTHETIC)
    // The machine may have more to do: of five times one is short enough.
    let least = Infinity
    for (let i = 0; i < 5 && least >= 1000; i++) {
      const other = await serve([], store),
        page = await open(other.base + '/')
      await page.getByRole('grid', { name: 'Profiles' }).waitFor()
      const began = performance.now()
      assert.equal(await other.end(), 0)
      least = Math.min(least, performance.now() - began)
      await page.getByText('The server has ended').waitFor()
      page.problems.length = 0
    }
    assert.ok(least < 1000, least + ' ms')
  },
)

view.test(
  'the list has the verdict of each profile, as the report says it, and its step as a bar',
  async () => {
    await have(SYNTHETIC)
    const page = await open(view.server.base + '/'),
      row = page.locator('tbody tr', { hasText: path.basename(SYNTHETIC) }).first(),
      brief = row.locator('.brief'),
      plain = text => text.replace(/\s+/g, ' ')
    await brief.locator('.part-bar').waitFor()
    const report = plain(await nprof('report', '-q', SYNTHETIC))
    assert.ok(report.includes(plain(await brief.getAttribute('title'))))
    // The parts add up: each says its share.
    const shares = [
      ...(await brief.locator('.part-bar').getAttribute('title')).matchAll(/([\d.]+)\s%/g),
    ].map(([, share]) => Number(share))
    assert.ok(Math.abs(shares.reduce((sum, one) => sum + one, 0) - 100) < 0.5, String(shares))
    assert.equal(await brief.locator('.part').count(), shares.length)
  },
)

view.test(
  'a verdict has the width that other columns of the list leave, and the list is no wider than the window',
  async () => {
    await have(SYNTHETIC)
    const page = await open(view.server.base + '/'),
      brief = page
        .locator('tbody tr', { hasText: path.basename(SYNTHETIC) })
        .first()
        .locator('td.brief')
    await brief.locator('.part-bar').waitFor()
    const widths = []
    for (const width of [1024, 1440, 1920, 2400]) {
      await page.setViewportSize({ width, height: 900 })
      const [overflow, own] = [
        await page.locator('.list').evaluate(list => list.scrollWidth - list.clientWidth),
        (await brief.boundingBox()).width,
      ]
      assert.ok(overflow <= 0, width + ': ' + overflow)
      widths.push(own)
    }
    // What a wider window has more is the verdict's.
    assert.ok(widths[3] - widths[2] > 450, String(widths))
    assert.ok(widths[2] > 400, String(widths))
  },
)

view.test('profiles of one name have the nearest folder in which they differ', async () => {
  const of = folder =>
    put(folder + '/output/same.json', {
      traceEvents: [{ ph: 'X', pid: 1, tid: 1, ts: 1, dur: 5, name: folder }],
    })
  await have(of('run1'), of('run2'), trace('alone'))
  const page = await open(view.server.base + '/')
  const cells = async () =>
    (await page.locator('.name-cell').allTextContents())
      .map(text => text.replace('✎', '').trim())
      .filter(text => /^(same|alone)\.json/.test(text))
      .sort()
  await until('three rows', async () => (await cells()).length === 3)
  assert.deepEqual(await cells(), ['alone.json', 'same.json run1', 'same.json run2'])
})

view.test('of three profiles of one name no two have the same folders beside it', async () => {
  await have(
    ...['x/a', 'x/b', 'y/a'].map(folder =>
      put(folder + '/three.json', {
        traceEvents: [{ ph: 'X', pid: 1, tid: 1, ts: 1, dur: 5, name: folder }],
      }),
    ),
  )
  const page = await open(view.server.base + '/')
  const cells = async () =>
    (await page.locator('.name-cell').allTextContents())
      .map(text => text.replace('✎', '').trim())
      .filter(text => /^three\.json/.test(text))
      .sort()
  await until('three rows', async () => (await cells()).length === 3)
  assert.deepEqual(await cells(), ['three.json b', 'three.json x/a', 'three.json y/a'])
})
