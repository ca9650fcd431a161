// From two image files to a verdict: geometry images of which a check reads the tiles that it
// enters, against the same images read whole; to a level, subsampled, and within a frame's time; and
// Figure 13 of the seed paper: the largest image against each of the others within 15 ms.
//
//   npm run bench -- tiles                               513, 1025 and 2049 samples a side
//   npm run bench -- tiles --sizes=513,1025,2049,4097    and 4097
//
// 4097 takes five minutes and a gigabyte to build. Images are kept in out/tiles.
// "process" columns: a new process of the command line for every pose and way, `ms.load` +
// `ms.query` of its report, medians; `wall` is the process from start to end. "library" columns:
// this process, warm, both files opened anew for every pose; bytes, tiles and reads of both, means.
// The whole image is asked for by --contact-points, which tiles do not answer. A third of the poses
// is far apart, a third 1e-3 clear of the meshes, a third 1e-3 in contact.
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, compose, openImage } from 'gicollide';
import { direction, nearContactPoses, randomTurn, sample, seeded, shift } from './inputs.mjs';
import { assetPath, PROGRAM, runNode } from './program.mjs';
import { mean, median, round, sum } from './race.mjs';

/** @typedef {import('gicollide').ByteSource} ByteSource */
/** @typedef {import('gicollide').OpenImage['counts']} Counts */
/** @typedef {import('gicollide').Pose} Pose */

const NAMES = ['bunny', 'blob'];

/**
 * What a user of the library would write: a file by its parts.
 *
 * @param {string} path
 * @returns {ByteSource}
 */
function fileSource(path) {
  const file = openSync(path, 'r');
  return {
    size: fstatSync(file).size,
    gap: 4096,
    isRemote: false,
    async read(offset, length) {
      const bytes = new Uint8Array(length);
      if (readSync(file, bytes, 0, length, offset) !== length) throw new Error(`${path}: shorter than it was`);
      return bytes;
    },
    close: () => closeSync(file),
  };
}

/** @param {number} count */
function posesOf(count) {
  const [a, b] = NAMES.map((name) => build(sample(name), { format: 'obb' }));
  const near = nearContactPoses(a, b, Math.ceil((2 * count) / 3), 2005);
  const random = seeded(7);
  const far = Array.from({ length: count - near.length }, () =>
    compose(shift(direction(random), 2.5), randomTurn(random)),
  );
  return [...near, ...far];
}

/**
 * Milliseconds by the command line, with tiles and whole.
 *
 * @param {readonly string[]} files
 * @param {readonly Pose[]} poses
 */
function byProcess(files, poses) {
  /** @param {readonly string[]} args */
  const run = (args) => {
    const { stdout, wall } = runNode([PROGRAM, ...args]);
    const { verdict, ms } = JSON.parse(stdout);
    return { verdict, ms: Number(ms.load) + Number(ms.query), wall };
  };
  const runs = poses.map((pose) => {
    const args = ['check', ...files, '--json', '--pose-b', Array.from(pose).join(',')];
    const [tiles, whole] = [run(args), run([...args, '--contact-points'])];
    if (tiles.verdict !== whole.verdict) throw new Error(`${tiles.verdict} by tiles, ${whole.verdict} whole`);
    return { tiles, whole };
  });
  return {
    process: {
      tiles: round(median(runs.map((x) => x.tiles.ms))),
      whole: round(median(runs.map((x) => x.whole.ms))),
      wall: round(median(runs.map((x) => x.tiles.wall))),
      wallWhole: round(median(runs.map((x) => x.whole.wall))),
    },
    slowest: round(Math.max(...runs.map((x) => x.tiles.ms))),
  };
}

/** What a coarser answer is asked for: a level of the tree, a level of detail, the time of a frame. */
const COARSER = { level: { level: 5 }, lod: { lod: 5 }, budget: { budget: 15 } };

/**
 * The same by the library, warm, with tiles.
 *
 * @param {readonly string[]} files
 * @param {readonly Pose[]} poses
 * @param {import('gicollide').CheckOptions} [options]
 */
async function byLibrary(files, poses, options = {}) {
  /** @type {{ ms: number, bounds: number, isDecided: boolean, a: Counts, b: Counts }[]} */
  const runs = [];
  for (const pose of poses) {
    const start = performance.now();
    const [a, b] = await Promise.all(files.map((file) => openImage(fileSource(file))));
    const { tests, verdict } = await a.check(b, { ...options, poseB: pose });
    const ms = performance.now() - start;
    runs.push({ ms, bounds: tests.bounds, isDecided: verdict !== 'undecided', a: { ...a.counts }, b: { ...b.counts } });
    await Promise.all([a.close(), b.close()]);
  }
  /** @param {'bytes' | 'tiles' | 'reads'} key */
  const both = (key) => mean(runs.map(({ a, b }) => a[key] + b[key]));
  return {
    ms: round(median(runs.map((x) => x.ms))),
    kilobytes: Math.round(both('bytes') / 1e3),
    tiles: round(both('tiles')),
    reads: round(both('reads')),
    bounds: Math.round(mean(runs.map((x) => x.bounds))),
    slowest: round(Math.max(...runs.map((x) => x.ms))),
    decided: runs.filter((x) => x.isDecided).length,
  };
}

/** @param {import('./race.mjs').Run} run */
export default async function tiles({ quick, options, keep }) {
  const sizes = (options.sizes ?? (quick ? '65' : '513,1025,2049')).split(',').map(Number);
  const folder = options.images ?? fileURLToPath(new URL('../out/tiles', import.meta.url));
  mkdirSync(folder, { recursive: true });
  const poses = posesOf(quick ? 2 : 6);
  const warmPoses = posesOf(quick ? 4 : 60);
  const rows = [];
  /** @param {number} size */
  const filesOf = (size) =>
    NAMES.map((name) => {
      const file = `${folder}/${name}-${size}.tiff`;
      if (!existsSync(file)) runNode([PROGRAM, 'build', assetPath(name), '--size', String(size), '-o', file]);
      return file;
    });
  for (const size of sizes) {
    const files = filesOf(size);
    const megabytes = round(sum(files.map((file) => statSync(file).size)) / 1e6);
    const library = await byLibrary(files, warmPoses);
    /** @type {Record<string, Awaited<ReturnType<typeof byLibrary>>>} */
    const coarser = {};
    for (const [name, wanted] of Object.entries(COARSER)) coarser[name] = await byLibrary(files, warmPoses, wanted);
    const row = { size, megabytes, ...byProcess(files, poses), library, coarser };
    rows.push(row);
    const { process: p, library: l, slowest } = row;
    console.log(
      `${String(size).padStart(5)}: files ${megabytes} MB; a process: ${p.tiles} ms by tiles (slowest ${slowest}), ${p.whole} whole, ` +
        `wall ${p.wall} and ${p.wallWhole}; the library, warm: ${l.ms} ms, ${l.kilobytes} kB in ${l.reads} reads, ` +
        `${l.tiles} tiles, ${l.bounds} pairs`,
    );
    for (const [name, wanted] of Object.entries(COARSER)) {
      const c = coarser[name];
      const asked = Object.values(wanted)[0];
      console.log(
        `       ${name} ${asked}: ${c.ms} ms, ${c.kilobytes} kB, ${c.decided} of ${warmPoses.length} decided`,
      );
    }
  }
  const [a] = filesOf(Math.max(...sizes));
  const timed = [];
  for (const size of sizes) {
    const inTime = await byLibrary([a, filesOf(size)[1]], warmPoses, COARSER.budget);
    timed.push({ size, ...inTime });
    console.log(`within 15 ms, ${Math.max(...sizes)} against ${size}: ${inTime.ms} ms, ${inTime.decided} decided`);
  }
  keep({ poses: { process: poses.length, library: warmPoses.length }, rows, timed });
}
