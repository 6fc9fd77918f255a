// SPDX-License-Identifier: Apache-2.0
// node-workload.js - a small program to record: it serialises, parses, sorts, compresses and
// stores in rounds, on the main thread, the thread pool and one worker.  See README.md here.
'use strict';
const fs = require('fs/promises');
const { promisify } = require('util');
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const gzip = promisify(require('zlib').gzip);

const ROUNDS = 5;
const RECORDS = 20000;

function makeRecords(count) {
  const records = [];
  let seed = 12345;
  for (let i = 0; i < count; i++) {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    records.push({ id: i, key: seed % 1000, name: 'record ' + (seed % 97) });
  }
  return records;
}

function sortByKey(records) {
  return records.slice().sort((a, b) => a.key - b.key || a.id - b.id);
}

// console.time and console.count end up in the trace as spans and counters.
async function measure(name, work) {
  console.time(name);
  const result = await work();
  console.timeEnd(name);
  return result;
}

async function round() {
  console.count('round');
  const text = await measure('serialise', () => JSON.stringify(makeRecords(RECORDS)));
  const records = await measure('parse', () => JSON.parse(text));
  const sorted = await measure('sort', () => sortByKey(records));
  const parts = [0, 1, 2, 3].map((i) => JSON.stringify(sorted.slice(i * 5000, i * 5000 + 5000)));
  const packed = await measure('compress', () => Promise.all(parts.map((part) => gzip(part))));
  await measure('store', () => fs.writeFile('node-workload.out', Buffer.concat(packed)));
}

async function main() {
  if (!isMainThread) {
    parentPort.postMessage(sortByKey(makeRecords(workerData)).length);
    return;
  }
  const worker = new Worker(__filename, { workerData: 5 * RECORDS });
  const counted = new Promise((resolve) => worker.once('message', resolve));
  for (let i = 0; i < ROUNDS; i++)
    await round();
  console.log(`${await counted} records sorted by the worker`);
  await fs.unlink('node-workload.out');
}

main();
