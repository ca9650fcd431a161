// The time from a written file of a prop to the verdict of its scene by `gicollide build --watch`,
// beside a new `gicollide build` and `gicollide scene` of the same project. It needs the bundled
// program: run npm run build first, because the tests compile over it.
//
//   npm run bench -- watch
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PROGRAM, requireBundle, runNode } from './program.mjs';
import { median, printTable, round } from './race.mjs';

const PROPS = 10;
const OBJECTS = 100;

/** @param {import('./race.mjs').Run} run */
export default async function watch({ quick, keep }) {
  requireBundle();
  const rounds = quick ? 2 : 21;
  // Triangles are twice as many.
  const quads = quick ? 10 : 50;
  const cwd = mkdtempSync(join(tmpdir(), 'gicollide-'));
  try {
    writeProject(cwd, quads);
    const watched = await timesOfWatch(cwd, quads, rounds);
    /** @type {number[]} */
    const fresh = [];
    for (let n = 0; n < (quick ? 1 : 5); n++) {
      writeFileSync(join(cwd, 'props/p0.obj'), torus(quads, 0.4 + (n + 0.5) / 1000));
      const start = performance.now();
      runNode([PROGRAM, 'build', '--no-cache'], cwd);
      runNode([PROGRAM, 'scene', 'room.scene.json'], cwd);
      fresh.push(performance.now() - start);
    }
    const ms = {
      watch: Math.round(median(watched.wall)),
      processor: Math.round(median(watched.processor)),
      fresh: Math.round(median(fresh)),
    };
    const { asked, pairs } = watched;
    const ratio = round(ms.fresh / ms.watch, 1);
    printTable(`a prop of ${2 * quads * quads} triangles in a scene of ${OBJECTS} objects, ms to the verdict`, {
      'build --watch': { wall: ms.watch, processor: ms.processor, 'pairs asked': asked },
      'build, then scene': { wall: ms.fresh, processor: null, 'pairs asked': null },
    });
    console.log(`fresh / watch: ${ratio}`);
    keep({ rounds, triangles: 2 * quads * quads, objects: OBJECTS, asked, pairs, ms, ratio });
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

/** @param {string} cwd @param {number} quads */
function writeProject(cwd, quads) {
  mkdirSync(join(cwd, 'props'));
  for (let p = 0; p < PROPS; p++) writeFileSync(join(cwd, `props/p${p}.obj`), torus(quads, 0.4 + p / 100));
  const build = [{ include: 'props/', format: 'obb', out: 'out/' }];
  writeFileSync(
    join(cwd, 'gicollide.json'),
    JSON.stringify({ gicollide: 'project/1', build, scenes: ['room.scene.json'] }),
  );
  const instances = Array.from({ length: OBJECTS }, (_, i) => {
    const translate = [2.2 * (i % 10), 2.2 * Math.floor(i / 10), 0.3 * ((7 * i) % 5)];
    return { name: `o${i}`, asset: `p${i % PROPS}`, translate };
  });
  const assets = Object.fromEntries(Array.from({ length: PROPS }, (_, p) => [`p${p}`, `out/p${p}.obb`]));
  writeFileSync(join(cwd, 'room.scene.json'), JSON.stringify({ gicollide: 'scene/1', assets, instances }));
}

/**
 * The text of a torus of quads x quads quads, as OBJ.
 *
 * @param {number} quads @param {number} radius
 */
function torus(quads, radius) {
  let text = '';
  const angle = (/** @type {number} */ i) => (2 * Math.PI * i) / quads;
  const at = (/** @type {number} */ i, /** @type {number} */ j) => (i % quads) * quads + (j % quads) + 1;
  for (let i = 0; i < quads; i++) {
    for (let j = 0; j < quads; j++) {
      const far = 1 + radius * Math.cos(angle(j));
      text += `v ${far * Math.cos(angle(i))} ${far * Math.sin(angle(i))} ${radius * Math.sin(angle(j))}\n`;
    }
  }
  for (let i = 0; i < quads; i++) {
    for (let j = 0; j < quads; j++) text += `f ${at(i, j)} ${at(i + 1, j)} ${at(i + 1, j + 1)} ${at(i, j + 1)}\n`;
  }
  return text;
}

/**
 * Milliseconds from a file's change to the record of its round, by the wall and of the processor.
 *
 * @param {string} cwd @param {number} quads @param {number} rounds
 */
async function timesOfWatch(cwd, quads, rounds) {
  const child = spawn(process.execPath, [PROGRAM, 'build', '--watch', '--no-cache', '--json'], { cwd });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  /** @param {string} type @returns {Promise<any>} the next record of a type */
  const until = async (type) => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error('the watch has ended');
      const record = JSON.parse(value);
      if (record.type === type) return record;
    }
  };
  const [wall, processor] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])];
  let scene = { asked: 0, pairs: 0 };
  try {
    await until('watching');
    // The first rounds are slower: code is compiled when it is warm.
    for (let n = -3; n < rounds; n++) {
      const used = processorMs(child.pid);
      const start = performance.now();
      writeFileSync(join(cwd, 'props/p0.obj'), torus(quads, 0.4 + (n + 4) / 1000));
      const told = await until('round');
      if (n >= 0) {
        wall.push(performance.now() - start);
        processor.push(processorMs(child.pid) - used);
      }
      [scene] = told.scenes;
    }
  } finally {
    child.kill('SIGKILL');
  }
  return { wall, processor, asked: scene.asked, pairs: scene.pairs };
}

/**
 * Milliseconds of the processor that a process has had, to a hundredth of a second; 0 elsewhere than on Linux.
 *
 * @param {number | undefined} pid
 */
function processorMs(pid) {
  if (process.platform !== 'linux') return 0;
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
}
