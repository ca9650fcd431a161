// The time to open a scene of many meshes in Chromium: from the command to its address, and from
// the address to a page that answers and shows every surface. Rings of 500 triangles, all
// different, lie in rows of five. In a row each ring touches the next: four findings for five
// rings.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAM } from './program.mjs';
import { digits } from './race.mjs';

/** @typedef {import('playwright-core').Browser} Browser */

const OBJECTS = { quick: 50, full: 5000 };
const PIXELS = { width: 1280, height: 800 };
/** Most milliseconds until a page is ready. */
const PATIENCE = 300_000;

const [AROUND, ACROSS] = [25, 10];

/** The corners of a ring. @param {number} size @param {number[]} middle */
const cornersOf = (size, middle) =>
  Array.from({ length: AROUND * ACROSS }, (_, i) => {
    const [along, across] = [(2 * Math.PI * Math.floor(i / ACROSS)) / AROUND, (2 * Math.PI * (i % ACROSS)) / ACROSS];
    const r = 1 + 0.4 * Math.cos(across);
    const ring = [r * Math.cos(along), r * Math.sin(along), 0.4 * Math.sin(across)];
    return `v ${ring.map((x, k) => (middle[k] + size * x).toFixed(5)).join(' ')}`;
  });

/** @param {number} first the number of its first corner */
const facesOf = (first) =>
  Array.from({ length: AROUND * ACROSS }, (_, i) => {
    const at = (/** @type {number} */ u, /** @type {number} */ v) => first + (u % AROUND) * ACROSS + (v % ACROSS);
    const [u, v] = [Math.floor(i / ACROSS), i % ACROSS];
    const [p, q, r, s] = [at(u, v), at(u + 1, v), at(u + 1, v + 1), at(u, v + 1)];
    return `f ${p} ${q} ${r}\nf ${p} ${r} ${s}`;
  });

/** One file with an element for each ring. @param {string} folder @param {number} count */
function ringsFile(folder, count) {
  const texts = Array.from({ length: count }, (_, i) => {
    const row = i % 20;
    const middle = [2.6 * row + Math.floor(row / 5), 3 * (Math.floor(i / 20) % 25), 1.2 * Math.floor(i / 500)];
    const lines = [`o ring-${i}`, ...cornersOf(1 + (0.02 * i) / count, middle), ...facesOf(1 + i * AROUND * ACROSS)];
    return `${lines.join('\n')}\n`;
  });
  const file = join(folder, 'rings.obj');
  writeFileSync(file, texts.join(''));
  return file;
}

/**
 * @param {Browser} browser
 * @param {string} folder
 * @param {{ quick: boolean }} options
 */
export async function opening(browser, folder, { quick }) {
  const objects = OBJECTS[quick ? 'quick' : 'full'];
  const file = ringsFile(folder, objects);
  const start = performance.now();
  const server = spawn(process.execPath, [PROGRAM, 'view', file], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [said] = await once(server.stdout.setEncoding('utf8'), 'data');
    const served = performance.now() - start;
    const page = await browser.newPage({ viewport: PIXELS });
    const before = processorTime();
    const begin = performance.now();
    await page.goto(said.split('\n')[0]);
    await page.waitForSelector('html[data-ready=true]', { state: 'attached', timeout: PATIENCE });
    const ready = performance.now() - begin;
    const used = processorTime() - before;
    const told = await page.locator('aside.left output').first().textContent();
    const findings = Number(/[\d,]+/.exec(told ?? '')?.[0].replaceAll(',', ''));
    await page.close();
    return {
      ...{ objects, triangles: 500, findings },
      ...{ 'until the address, ms': digits(served), 'until ready, ms': digits(ready), 'processor, ms': digits(used) },
    };
  } finally {
    server.kill('SIGINT');
    await once(server, 'close');
  }
}

/** Milliseconds of the server's and the browser's processes; 0 where there is no /proc. */
function processorTime() {
  /** @type {Map<number, { parent: number, ms: number }>} */
  const all = new Map();
  try {
    for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
      const fields = statOf(name);
      if (fields)
        all.set(Number(name), { parent: Number(fields[1]), ms: 10 * (Number(fields[11]) + Number(fields[12])) });
    }
  } catch {
    return 0;
  }
  const isOurs = (/** @type {number} */ id) => {
    for (let at = all.get(id)?.parent; at; at = all.get(at)?.parent) if (at === process.pid) return true;
    return false;
  };
  return [...all].reduce((sum, [id, { ms }]) => sum + (isOurs(id) ? ms : 0), 0);
}

/** The fields behind a process's name; null: it has ended. @param {string} id */
function statOf(id) {
  try {
    return readFileSync(`/proc/${id}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
  } catch {
    return null;
  }
}
