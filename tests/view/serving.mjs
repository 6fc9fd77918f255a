// SPDX-License-Identifier: Apache-2.0
// How the page comes to people: folders of logs, forwarded ports, proxies that cut, files that are being read, old
// stores, installations without npm (tests 6-10, 64, 65 of the list).
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import path from 'node:path'
import {
  LAYOUTS,
  SYNTHETIC,
  aboutOf,
  drag,
  folder,
  layout,
  newContext,
  nprof,
  open,
  openProfile,
  openTab,
  put,
  serve,
  suite,
  until,
  write,
} from './harness.mjs'

const view = suite([SYNTHETIC])
/** Where this nprof was built. */
const BUILD = path.resolve(process.env.NPROF, '..', '..', '..')
const names = page => page.locator('.name-cell a').allTextContents()

/** A server on a free port of this machine. */
const listening = server =>
  new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(server.address().port)))

view.test(
  'T6 the runs of a log folder are listed under their names, the newest first',
  async () => {
    for (const run of ['2024_01_02_03_04_05_678_1', '2024_01_02_03_04_06_001_2']) {
      put(
        'logs/plugins/profile/' + run + '/host.xplane.pb',
        Buffer.concat([
          fs.readFileSync(SYNTHETIC),
          Buffer.from([0x12, run.length, ...Buffer.from(run)]),
        ]),
      )
    }
    const other = await serve([path.join(folder, 'logs')], path.join(folder, 'logs-store'))
    try {
      const page = await open(other.base + '/', {})
      await until('both runs', async () => (await names(page)).length === 2)
      assert.deepEqual(await names(page), [
        '2024_01_02_03_04_06_001_2',
        '2024_01_02_03_04_05_678_1',
      ])
    } finally {
      await other.end()
    }
  },
)

view.test('T7 a folder without profiles says what Neuron logs need', async () => {
  fs.mkdirSync(path.join(folder, 'empty'))
  put('texts/a.txt', 'no profile')
  for (const [name, count] of [
    ['empty', 0],
    ['texts', 1],
  ]) {
    const said = await nprof(
      'view',
      '--store',
      path.join(folder, 'store'),
      '--ingest-only',
      path.join(folder, name),
    ).catch(error => error.stderr)
    assert.match(
      said,
      new RegExp(
        'no profile found \\(' +
          count +
          (count === 1 ? ' file' : ' files') +
          ' looked at\\).*aws-neuronx-tools.*release 2\\.6',
      ),
    )
  }
})

view.test(
  'T8 through a forwarded port all layouts work, and nothing is asked of another',
  async () => {
    const failed = [],
      forward = net.createServer(socket => {
        const to = net.connect(view.server.port, '127.0.0.1')
        for (const [one, other] of [
          [socket, to],
          [to, socket],
        ])
          one.on('error', () => other.destroy()).pipe(other)
      })
    const port = await listening(forward)
    try {
      const page = await openProfile('http://localhost:' + port + new URL(view.url).pathname, {})
      page.on('requestfailed', request => {
        if (!/ERR_ABORTED/.test(request.failure()?.errorText)) failed.push(request.url())
      })
      page.on('response', answer => {
        if (answer.status() >= 400 && !/\/source\?/.test(answer.url()))
          failed.push(answer.status() + ' ' + answer.url())
      })
      for (const name of LAYOUTS) await layout(page, name)
      assert.deepEqual(failed, [])
    } finally {
      forward.close()
      await new Promise(resolve => setImmediate(resolve))
    }
  },
)

view.test('the policy of the page forbids all but its own, and no layout breaks it', async () => {
  const policy = (await fetch(view.url)).headers.get('content-security-policy'),
    rules = new Map(policy.split(';').map(rule => rule.trim().split(/\s+(.*)/)))
  for (const [name, value] of [
    ['default-src', "'none'"],
    ['script-src', "'self'"],
    ['connect-src', "'self'"],
    ['img-src', "'self' data:"],
    ['base-uri', "'none'"],
    ['form-action', "'none'"],
    ['frame-ancestors', "'none'"],
  ])
    assert.equal(rules.get(name), value, policy)
  assert.match(rules.get('style-src'), /^'self' 'nonce-[^']+'$/)
  const page = await openProfile(view.url, { context: await broken() })
  for (const name of LAYOUTS) await layout(page, name)
  const violations = () => page.evaluate(() => globalThis.violations)
  assert.deepEqual(await violations(), [])
  // The listener hears of one, and the browser obeys.
  await page.evaluate(() => {
    const script = document.createElement('script')
    script.textContent = 'globalThis.ran = true'
    document.body.append(script)
    document.body.insertAdjacentHTML('beforeend', '<i style="color: red" onclick="1"></i>')
  })
  await until('violations', async () => (await violations()).length >= 2)
  assert.equal(await page.evaluate(() => globalThis.ran), undefined)
  page.problems.length = 0
})

/** A browser that notes what breaks the policy. */
async function broken() {
  const context = await newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
  })
  await context.addInitScript(() => {
    globalThis.violations = []
    document.addEventListener('securitypolicyviolation', event =>
      globalThis.violations.push(event.effectiveDirective + ' ' + event.blockedURI),
    )
  })
  return context
}

view.test('T65 an installation works without node; nothing is asked of another host', async () => {
  const top = path.join(folder, 'installed')
  execFileSync('meson', ['install', '-C', BUILD, '--no-rebuild', '--quiet', '--destdir', top])
  const [nprof] = fs
    .readdirSync(top, { recursive: true })
    .filter(one => /(^|\/)bin\/nprof$/.test(one))
  const other = await serve([SYNTHETIC], path.join(folder, 'installed-store'), {
    nprof: path.join(top, nprof),
    env: { PATH: '/nowhere', HOME: folder },
  })
  try {
    const asked = new Set(),
      context = await newContext({ viewport: { width: 1440, height: 900 } })
    context.on('request', request => {
      if (!/^(data|blob):/.test(request.url())) asked.add(new URL(request.url()).host)
    })
    const page = await openProfile(other.profile[0], { context })
    for (const name of ['Overview', 'Code', 'SQL']) await layout(page, name)
    await page.goto(other.base + '/')
    await until('the list', async () => (await names(page)).length === 1)
    assert.deepEqual([...asked], [new URL(other.base).host])
  } finally {
    await other.end()
  }
})

view.test(
  'what the page asks before it paints lanes is named in its head, and asked once',
  async () => {
    const asked = []
    await openProfile(view.url, {
      before: page => page.on('request', request => asked.push(new URL(request.url()).pathname)),
    })
    const news = asked.findIndex(one => one.endsWith('/changes')) // a page that is slow to open asks what is new before it is done
    if (news >= 0) asked.length = news
    const id = view.url.split('/').pop(),
      { gen } = await (await fetch(view.server.base + '/api/v1/p/' + id)).json(),
      base = '/api/v1/p/' + id
    for (const route of [
      base,
      ...['meta', 'names', 'over', 'profile'].map(one => base + '/' + gen + '/' + one),
    ]) {
      assert.equal(asked.filter(one => one === route).length, 1, route)
      assert.ok(asked.indexOf(route) < asked.findIndex(one => one.endsWith('/lib/page.js')), route)
    }
    assert.deepEqual(
      asked.filter((one, i) => /\.(js|css)$/.test(one) && asked.indexOf(one) !== i),
      [],
    )
  },
)

view.test(
  'T9 where data does not come, the page says which ports; Retry makes it whole',
  async () => {
    let cut = true
    const proxy = http.createServer((request, reply) => {
      if (cut && request.url.startsWith('/api/')) return request.socket.destroy()
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
      on.on('error', () => reply.destroy()) // the page has left
      request.pipe(on)
    })
    const port = await listening(proxy)
    try {
      const page = await open('http://localhost:' + port + new URL(view.url).pathname, {})
      await page.getByRole('heading', { name: 'FATAL - Failed metadata query' }).waitFor()
      const said = await page.locator('main').textContent()
      for (const text of [`ssh -L ${port}:localhost:${port} HOST`, '-L 8086:localhost:8086'])
        assert.ok(said.includes(text), said)
      cut = false
      await page.getByRole('button', { name: 'Retry' }).click()
      await page.locator('.timeline .row').first().waitFor()
      for (const part of ['.figure', '.widget-operators tbody tr', '.overview'])
        await page.locator(part).first().waitFor()
      await until('pictures', () => page.locator('.timeline:not([aria-busy])').count())
      assert.equal(await page.getByRole('heading', { name: 'FATAL' }).count(), 0)
      page.problems.length = 0
    } finally {
      proxy.close()
      proxy.closeAllConnections()
    }
  },
)

view.test(
  'T10 a file is seen while it is read: its name, lanes that grow; then its figures',
  async () => {
    // Each gate holds the decoder until it is opened; how far it is is written when rows come, at most a few times a second.
    const part = 20000,
      gates = Array.from({ length: 12 }, (_, i) => path.join(folder, 'gate-' + i))
    execFileSync('mkfifo', gates)
    const spans = from =>
      Array.from({ length: part }, (_, i) => `span t${i % 3} op ${(from + i) * 1000} 900`)
    const file = put(
      'slow.lines',
      ['#nprof-lines', ...gates.flatMap((gate, i) => [...spans(i * part), 'wait ' + gate])].join(
        '\n',
      ) + '\n',
    )
    // In parts of 256 bytes, which small files are to have, this one would take half a minute of CPU.
    const other = await serve([file, '-d', 'lines:part=65536'], path.join(folder, 'slow-store'), {
      env: { ...process.env, NPROF_PLUGIN_PATH: path.join(BUILD, 'tests', 'plugins') },
    })
    try {
      const page = await open(other.profile[0], {}),
        lanes = page.locator('.grow-row')
      await page.locator('.profile-name', { hasText: 'slow.lines' }).waitFor()
      const rows = () =>
        lanes
          .locator('.muted')
          .allTextContents()
          .then(all => all.reduce((sum, text) => sum + Number(text.replace(/\D/g, '')), 0))
      let opened = 0
      /** Opens a gate each time that the page has asked. */
      const openUntil = async check => {
        while (opened < gates.length - 1 && !(await check())) {
          await page.waitForResponse(answer => /\/api\/v1\/p\/n_[0-9a-f]{40}$/.test(answer.url()))
          await fs.promises.writeFile(gates[opened++], '')
        }
      }
      await openUntil(async () => (await lanes.count()) === 3)
      await page.locator('.progress-text', { hasText: /^reading.*\d rows$/ }).waitFor()
      assert.equal(
        await page
          .getByRole('link', { name: 'All profiles', exact: true })
          .last()
          .getAttribute('href'),
        '/',
      )
      assert.equal(await page.locator('.card').count(), 0)
      const early = await rows()
      assert.ok(early > 0 && early <= (opened + 1) * part, String(early))
      await openUntil(async () => (await rows()) > early)
      const later = await rows()
      assert.ok(later > early && later <= (opened + 1) * part, later + ' after ' + early)
      for (const gate of gates.slice(opened)) await fs.promises.writeFile(gate, '')
      await page.locator('.figure').first().waitFor()
      await page.locator('.timeline .row').first().waitFor()
      assert.equal((await aboutOf(page)).rows, '240,000 rows')
    } finally {
      await other.end()
    }
  },
)

view.test(
  'an open profile says that its server has ended, and goes on with the next one: it reads, writes, and tells what became of the profile',
  async () => {
    const store = path.join(folder, 'ends-store'),
      file = put('ends.json', {
        traceEvents: [0, 1, 2].map(i => ({
          ph: 'X',
          pid: 1,
          tid: 1,
          ts: 10 * i,
          dur: 5,
          name: 'n' + i,
        })),
      })
    const first = await serve([file], store),
      page = await openProfile(first.profile[0], {}),
      banner = page.locator('.banner')
    // What is not there yet of the page is the next test's.
    await openTab(page, 'Gaps')
    await page.locator('.widget-gaps .bar').waitFor()
    await until(
      'an ask',
      async () => await page.waitForResponse(answer => answer.url().includes('/changes?')),
    )
    assert.equal(await banner.count(), 0)
    await first.end()
    await banner.filter({ hasText: 'The server has ended. What is on this page stays' }).waitFor()
    await banner.getByRole('button', { name: 'Copy the command' }).waitFor()
    // Its lanes stay, and what is asked now fails; it is asked again by itself.
    const times = () => page.locator('.timeline .over').getAttribute('aria-label'),
      whole = await times()
    await page.keyboard.press('w')
    await until('a window', async () => (await times()) !== whole)
    const refused = page.waitForEvent('requestfailed', request => /\/s\?t0=/.test(request.url()))
    await openTab(page, 'Selection')
    await refused
    await page.locator('.widget-selection .failed').waitFor()
    const second = await serve([], store, { at: first.port })
    try {
      await banner.waitFor({ state: 'detached' })
      await page
        .getByRole('grid', { name: 'Statistics of the selection' })
        .locator('tbody tr')
        .first()
        .waitFor()
      await until('no error', async () => (await page.locator('.verdict .failed').count()) === 0)
      // The page was made by another server, whose token this one does not know.
      await page.keyboard.press('m')
      await openTab(page, 'Annotations')
      await page.getByLabel('Name of the set').fill('mine')
      await page.getByRole('button', { name: 'Save as' }).click()
      await until('the save', async () =>
        /^saved 1 marker as mine$/.test(await page.locator('[data-say]').textContent()),
      )
      // A set that somebody else saves is there without a reload.
      const id = page.url().match(/n_[0-9a-f]{40}/)[0]
      await write(second.base, 'PUT', 'p/' + id + '/annotations/theirs', {
        rev: null,
        data: { markers: [] },
      })
      await until('their set', async () =>
        (await page.getByLabel('Load a set').locator('option').allTextContents()).includes(
          'theirs',
        ),
      )
      await nprof('view', '--store', store, '--ingest-only', '-q', '--force', file)
      await banner.filter({ hasText: 'was read again' }).waitFor()
      await banner.getByRole('button', { name: 'Show it as it is now' }).click()
      await page.locator('.timeline .row').first().waitFor()
      await until(
        'none',
        async () =>
          (await page.locator('.scope-chip').count()) === 1 && (await banner.count()) === 0,
      )
      await write(second.base, 'POST', 'profiles/delete', { profiles: [id], database: false })
      await banner.filter({ hasText: 'is not on the server any more' }).waitFor()
      await banner.getByRole('link', { name: 'All profiles' }).click()
      await page.getByRole('heading', { name: 'No profiles yet' }).waitFor()
      page.problems.length = 0
    } finally {
      await second.end()
    }
  },
)

view.test(
  'what of a page had not come when its server ended says so, and comes with the next one',
  async () => {
    const store = path.join(folder, 'parts-store')
    // While a profile is read the page shows that, by what is to be missing here.
    await nprof('view', '--store', store, '--ingest-only', '-q', SYNTHETIC)
    const first = await serve([SYNTHETIC], store),
      page = await openProfile(first.profile[0], {}),
      lost = page.locator('.failed', { hasText: 'This part of the page did not come' })
    await first.end()
    await page.locator('.banner').filter({ hasText: 'The server has ended' }).waitFor()
    await page.getByRole('tab', { name: 'Steps', exact: true }).first().click()
    await page.locator('.widget-steps').filter({ has: lost }).waitFor()
    const { x, y } = await page.locator('.timeline .over').boundingBox()
    await drag(page, { x: x + 50, y: y + 20 }, { x: x + 250, y: y + 60 }, { keys: ['Shift'] })
    await page.locator('.widget-details').filter({ has: lost }).waitFor()
    const second = await serve([], store, { at: first.port })
    try {
      await page.locator('.widget-steps tbody tr').first().waitFor()
      await page.locator('.widget-details h2').first().waitFor()
      assert.equal(await lost.count(), 0)
      page.problems.length = 0
    } finally {
      await second.end()
    }
  },
)

view.test(
  'a page that waits for a profile says that its server has ended, and that the next one does not have it',
  async () => {
    const store = path.join(folder, 'waits-store'),
      broken = put('waits.xplane.pb', fs.readFileSync(SYNTHETIC).subarray(0, 5000)),
      first = await serve([], store)
    const {
      profiles: [{ profile }],
    } = await write(first.base, 'POST', 'open', {
      paths: [broken],
      force: false,
      keep_going: false,
      decoder: '',
      one: true,
    })
    const page = await open(first.base + '/profile/' + profile, {}),
      banner = page.locator('.banner')
    await page.getByRole('heading', { name: 'This profile could not be read' }).waitFor()
    assert.equal(await banner.count(), 0)
    await first.end()
    await banner.filter({ hasText: 'The server has ended' }).waitFor()
    // What it cannot do now is said.
    await page.getByRole('button', { name: 'Remove' }).click()
    await until('why not', async () =>
      /^The server does not answer\./.test(await page.locator('[data-say]').textContent()),
    )
    const second = await serve([], store, { at: first.port })
    try {
      await banner.filter({ hasText: 'This profile is not on the server any more.' }).waitFor()
      await banner.getByRole('link', { name: 'All profiles' }).click()
      await page.getByRole('heading', { name: 'No profiles yet' }).waitFor()
      page.problems.length = 0
    } finally {
      await second.end()
    }
  },
)

view.test(
  'T64 a store of another version is no error of the server: the page says what to do',
  async () => {
    const store = path.join(folder, 'old-store'),
      [file, button, gone] = ['kept', 'button', 'gone'].map(name =>
        put(name + '.json', { traceEvents: [{ ph: 'X', pid: 1, tid: 1, ts: 1, dur: 5, name }] }),
      )
    for (const one of [file, button, gone])
      await nprof('view', '--store', store, '--ingest-only', '-q', one)
    fs.rmSync(gone)
    for (const name of fs.readdirSync(store).filter(one => /^n_[0-9a-f]{40}$/.test(one)))
      makeOld(path.join(store, name))
    const other = await serve([], store)
    try {
      const { profiles } = await (await fetch(other.base + '/api/v1/profiles')).json(),
        [one, again, lost] = ['kept', 'button', 'gone'].map(name =>
          profiles.find(other => other.name === name + '.json'),
        )
      assert.deepEqual(
        profiles.map(profile => profile.status),
        ['old', 'old', 'old'],
      )
      const page = await open(other.base + '/', {}),
        failed = []
      page.on('response', answer => {
        if (answer.status() >= 500) failed.push(answer.status() + ' ' + answer.url())
      })
      await page.locator('td.status', { hasText: 'to be read again' }).nth(2).waitFor()
      // Where its source is not there any more the page says which file it was.
      await page.goto(other.base + '/profile/' + lost.bucket)
      await page.getByRole('heading', { name: 'This profile is to be read again' }).waitFor()
      assert.ok(
        (await page.locator('main').textContent()).includes(
          'for ' + gone + ' is not there any more',
        ),
      )
      assert.equal(await page.getByRole('button', { name: 'Read it again' }).count(), 0)
      await page.goto(other.base + '/profile/' + again.bucket)
      await page.getByRole('button', { name: 'Read it again' }).click()
      await page.locator('.timeline .row').first().waitFor()
      await page.goto(other.base + '/profile/' + one.bucket)
      await page.getByRole('heading', { name: 'This profile is to be read again' }).waitFor()
      assert.match(
        await page.locator('main').textContent(),
        /no store of version NPROFVW1.*nprof view/,
      )
      await nprof('view', '--store', store, '--ingest-only', '-q', '--force', file)
      const { gen } = await (await fetch(other.base + '/api/v1/p/' + one.bucket)).json()
      assert.ok(gen, 'the server still has the old one')
      await page.locator('.timeline .row').first().waitFor()
      assert.deepEqual(failed, [])
    } finally {
      await other.end()
    }
  },
)

/** Writes another version into the files of a stored profile, behind their magic. */
function makeOld(profile) {
  for (const file of fs
    .readdirSync(profile, { recursive: true })
    .map(one => path.join(profile, one))
    .filter(one => fs.statSync(one).isFile())) {
    const bytes = fs.readFileSync(file)
    if (!bytes.subarray(0, 6).equals(Buffer.from('NPROFV'))) continue
    bytes[7] += 1
    fs.chmodSync(file, 0o600)
    fs.writeFileSync(file, bytes)
  }
}
