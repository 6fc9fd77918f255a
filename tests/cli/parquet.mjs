// SPDX-License-Identifier: Apache-2.0
// parquet.mjs - reads Parquet files with DuckDB, hyparquet and parquet-wasm, and says what differs
// between them and from the CSV files of the same tables.
// usage: node parquet.mjs FOLDER < LINES      FOLDER: holds node_modules (NPROF_PARQUET_READERS)
// A line is JSON: {folder, jobs: [{parquet, csv?, others?, sql?}]}.  The jobs of a line are done in its folder, by a
// DuckDB of their own.  For each job one line of JSON is printed:
// {rows, problems: [...], answers: [...]}.  csv: compare with it; others: read with the other two
// readers as well; sql: queries whose rows are printed.
import crypto from 'node:crypto'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import readline from 'node:readline'
import { pathToFileURL } from 'node:url'

const folder = path.resolve(process.argv[2])
const require = createRequire(path.join(folder, 'x.js'))
const load = name => import(pathToFileURL(require.resolve(name)).href)

const { DuckDBInstance } = await load('@duckdb/node-api')
let duck
async function fresh() {
  duck = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect()
  await duck.run("set TimeZone='UTC'; set autoinstall_known_extensions=false")
}

const quote = text => `'${text.replaceAll("'", "''")}'`
const ident = text => `"${text.replaceAll('"', '""')}"`
const query = async sql => (await duck.runAndReadAll(sql)).getRowsJS()

async function describe(file) {
  return (await query(`describe select * from read_parquet(${quote(file)})`)).map(
    ([name, type]) => ({ name, type }),
  )
}

// -- Against the CSV ---------------------------------------------------------

async function csvNames(file) {
  const from = `read_csv(${quote(file)}, header=true, all_varchar=true, delim=',', quote='"', strict_mode=true)`
  return (await query(`describe select * from ${from}`)).map(([name]) => name)
}

const INTEGERS = /^(U?BIGINT|U?INTEGER)$/

// An expression that is true where a cell of the Parquet file p is not what the CSV file c says.
function differs({ name, type }, csv) {
  const inPs = name.endsWith('_ps') && !csv.has(name)
  const p = `p.${ident(name)}`
  const c = `c.${ident(inPs ? name.replace(/_ps$/, '_ns') : name)}`
  if (inPs && type === 'DOUBLE')
    return `(${p} is null) != (${c} is null) or abs(${p} - ${c}::double * 1000) > 1e-9 * abs(${p})`
  if (inPs) return `${p} is distinct from (${c}::decimal(38,3) * 1000)::hugeint`
  if (INTEGERS.test(type)) return `${p} is distinct from ${c}::hugeint`
  if (type === 'DOUBLE' || type === 'BOOLEAN') return `${p} is distinct from ${c}::${type}`
  if (type === 'UUID') return `replace(${p}::varchar, '-', '') is distinct from ${c}`
  if (type.startsWith('MAP'))
    return (
      `('{' || array_to_string(list_transform(map_entries(${p}),` +
      ` lambda e: '"' || e.key || '":' || e.value), ',') || '}') is distinct from ${c}`
    )
  // JSON stands in a cell of CSV without the space between its tokens.
  const bare = cell =>
    `case when left(${cell}, 1) in ('{', '[') and json_valid(${cell})` +
    ` then json(${cell})::varchar else ${cell} end`
  return `${p} is distinct from ${c} and ${bare(p)} is distinct from ${bare(c)}`
}

async function againstCsv(columns, job) {
  const parquet = `read_parquet(${quote(job.parquet)})`
  const csv =
    `read_csv(${quote(job.csv)}, header=true, all_varchar=true, delim=',', quote='"',` +
    ` escape='"', nullstr='', allow_quoted_nulls=false, max_line_size=100000000, parallel=false)`
  const names = new Set(await csvNames(job.csv))
  const compared = columns.filter(c => c.name !== 'time' || names.has('time'))
  const problems = []
  if (compared.length !== names.size)
    problems.push(`${compared.length} columns, ${names.size} in the CSV`)
  const sums = compared.map(c => `count(*) filter (where ${differs(c, names)})`)
  const [counts] = await query(
    `select (select count(*) from ${parquet}), (select count(*) from ${csv})`,
  )
  if (counts[0] !== counts[1]) return [`${counts[0]} rows, ${counts[1]} in the CSV`]
  const [found] = await query(
    `select ${sums.join(', ')} from ${parquet} p positional join ${csv} c`,
  )
  compared.forEach(
    (c, k) => found[k] && problems.push(`column ${c.name}: ${found[k]} cells differ`),
  )
  return problems
}

// -- Readers against each other ----------------------------------------------

// Doubles by their bits; texts as they are; everything else in decimal.
function canonical(value) {
  if (value === null || value === undefined) return '\u0000null'
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(8)
    bytes.writeDoubleBE(value)
    return bytes.toString('hex')
  }
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  return String(value)
}

function fingerprint(values) {
  const hash = crypto.createHash('md5')
  let nulls = 0
  for (const value of values) {
    nulls += value === null || value === undefined
    hash.update(canonical(value))
    hash.update('\n')
  }
  return `${values.length} values, ${nulls} nulls, ${hash.digest('hex')}`
}

const pairs = entries => entries.map(([key, value]) => `${key}=${value}`).join('\u001f')

async function readDuck(columns, file) {
  const terms = columns.map(({ name, type }) => {
    if (type === 'DOUBLE') return ident(name)
    if (type === 'UUID') return `replace(${ident(name)}::varchar, '-', '')`
    if (type.startsWith('MAP'))
      return (
        `array_to_string(list_transform(map_entries(${ident(name)}),` +
        " lambda e: e.key || '=' || e.value), chr(31))"
      )
    return `${ident(name)}::varchar`
  })
  const reader = await duck.runAndReadAll(
    `select ${terms.join(', ')} from read_parquet(${quote(file)})`,
  )
  const found = reader.getColumnsJS()
  return new Map(columns.map((c, k) => [c.name, found[k] ?? []]))
}

async function readHyparquet(columns, file) {
  const { parquetReadObjects } = await load('hyparquet')
  const { compressors } = await load('hyparquet-compressors')
  const bytes = fs.readFileSync(file)
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)
  const rows = await parquetReadObjects({ file: buffer, compressors })
  return new Map(
    columns.map(({ name, type }) => [
      name,
      rows.map(row => {
        const value = row[name] ?? null
        if (value === null) return null
        if (type.startsWith('MAP')) return pairs(Object.entries(value))
        if (type === 'UUID') return String(value).replaceAll('-', '')
        return INTEGERS.test(type) ? String(value) : value
      }),
    ]),
  )
}

let arrow
async function readWasm(columns, file) {
  if (!arrow) {
    arrow = { ...(await load('apache-arrow')), ...require('parquet-wasm') }
  }
  const table = arrow.tableFromIPC(
    arrow.readParquet(new Uint8Array(fs.readFileSync(file))).intoIPCStream(),
  )
  return new Map(
    columns.map(({ name, type }) => {
      const vector = table.getChild(name)
      const values = []
      for (let i = 0; i < table.numRows; i++) {
        const value = vector.get(i)
        if (value === null) values.push(null)
        else if (type.startsWith('MAP')) values.push(pairs([...value]))
        else values.push(INTEGERS.test(type) ? String(value) : value)
      }
      return [name, values]
    }),
  )
}

// The readers' own types of timestamps are coarser than ns: raw values are compared.
async function checkTime(file, origin) {
  const table = arrow.tableFromIPC(
    arrow.readParquet(new Uint8Array(fs.readFileSync(file))).intoIPCStream(),
  )
  const starts = table.getChild('start_ps')
  let row = 0,
    wrong = 0
  for (const data of table.getChild('time').data) {
    for (let i = 0; i < data.length; i++, row++) {
      const start = starts.get(row)
      if (start === null) continue
      const ns = (start - (((start % 1000n) + 1000n) % 1000n)) / 1000n
      wrong += data.values[i] !== origin + ns
    }
  }
  return wrong ? [`time: ${wrong} values are not origin + start`] : []
}

async function againstOthers(columns, file) {
  const plain = columns.filter(c => c.name !== 'time')
  const problems = []
  const expected = await readDuck(plain, file)
  for (const [reader, read] of [
    ['hyparquet', readHyparquet],
    ['parquet-wasm', readWasm],
  ]) {
    const found = await read(plain, file)
    for (const { name } of plain) {
      const mine = fingerprint(expected.get(name)),
        other = fingerprint(found.get(name))
      if (mine !== other) problems.push(`${reader}: column ${name}: ${other}; DuckDB: ${mine}`)
    }
  }
  const origin = await query(
    `select decode(value) from parquet_kv_metadata(${quote(file)})` +
      " where decode(key) = 'nprof.origin_unix_ns'",
  )
  if (columns.some(c => c.name === 'time' && c.type.startsWith('TIMESTAMP')) && origin.length)
    problems.push(...(await checkTime(file, BigInt(origin[0][0]))))
  return problems
}

async function answer(job) {
  const done = { rows: 0, problems: [], answers: [] }
  try {
    if (job.parquet) {
      const columns = await describe(job.parquet)
      done.rows = Number(
        (await query(`select count(*) from read_parquet(${quote(job.parquet)})`))[0][0],
      )
      if (job.csv) done.problems.push(...(await againstCsv(columns, job)))
      if (job.others) done.problems.push(...(await againstOthers(columns, job.parquet)))
    }
    for (const sql of job.sql ?? []) {
      const reader = await duck.runAndReadAll(sql)
      done.answers.push({ columns: reader.columnNames(), rows: reader.getRowsJson() })
    }
  } catch (error) {
    done.problems.push(String(error))
  }
  return done
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const { folder: where, jobs } = JSON.parse(line)
  process.chdir(where)
  await fresh()
  for (const job of jobs) console.log(JSON.stringify(await answer(job)))
}
process.exit(0)
