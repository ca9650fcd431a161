// From two image files to a verdict. A check of geometry images that reads only the needed tiles,
// beside the same images read whole: to a level, with --source, subsampled, within a frame's time,
// and over HTTP. Also Figure 13 of GI-COLLIDE: the largest image and each of the others within 15
// ms.
//
//   npm run bench -- tiles                               513, 1025 and 2049 samples a side
//   npm run bench -- tiles --sizes=513,1025,2049,4097    and 4097
//
// 4097 takes five minutes and a gigabyte to build. Images are kept in out/tiles. "process" columns
// have a new process of the command line for every pose and way: medians of `ms.load` + `ms.query`
// of its report; `wall` is the process from start to end. "library" columns are this process, warm,
// with both files opened again for every pose; bytes, tiles and reads are those of both, as means.
// --contact-points asks for the whole image, because tiles do not answer it. A third of the poses
// is far apart, a third 1e-3 clear of the meshes, a third 1e-3 in contact.
import { closeSync, createReadStream, existsSync, fstatSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build, compose, httpSource, openImage } from 'gicollide';
import { direction, nearContactPoses, randomTurn, sample, seeded, shift } from './inputs.mjs';
import { assetPath, PROGRAM, runNode } from './program.mjs';
import { mean, median, round, sum } from './race.mjs';

/** @typedef {import('gicollide').ByteSource} ByteSource */
/** @typedef {import('gicollide').OpenImage['counts']} Counts */
/** @typedef {import('gicollide').Pose} Pose */

const NAMES = ['bunny', 'blob'];

/**
 * A byte source of a file, as a user of the library would write it.
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

/** Further options: the sources, a level of the tree, a level of detail, the time of a frame. */
const COARSER = {
  source: { source: true },
  level: { level: 5 },
  sourceLevel: { source: true, level: 5 },
  lod: { lod: 5 },
  budget: { budget: 15 },
};

/**
 * The same by the library, warm, with tiles.
 *
 * @param {readonly string[]} files
 * @param {readonly Pose[]} poses
 * @param {import('gicollide').CheckOptions} [options]
 */
export async function byLibrary(files, poses, options = {}) {
  return await byOpening(() => Promise.all(files.map((file) => openImage(fileSource(file)))), poses, options);
}

/**
 * @param {() => Promise<import('gicollide').OpenImage[]>} open
 * @param {readonly Pose[]} poses
 * @param {import('gicollide').CheckOptions} options
 */
async function byOpening(open, poses, options) {
  /** @type {{ ms: number, bounds: number, isDecided: boolean, a: Counts, b: Counts }[]} */
  const runs = [];
  for (const pose of poses) {
    const start = performance.now();
    const [a, b] = await open();
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

/**
 * A server of a folder's files, by ranges, on this machine: what is read counts, not how long.
 *
 * @param {string} folder
 * @returns {Promise<{ url: string, close: () => void }>}
 */
async function serve(folder) {
  const server = createServer((request, response) => {
    const file = `${folder}${request.url}`;
    const [from, to] = (/\d+-\d+$/.exec(request.headers.range ?? '')?.[0] ?? '').split('-').map(Number);
    const { size } = statSync(file);
    response.writeHead(206, {
      'content-range': `bytes ${from}-${to}/${size}`,
      'content-length': Math.min(to, size - 1) - from + 1,
      etag: '"1"',
    });
    createReadStream(file, { start: from, end: to }).pipe(response);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

/**
 * The questions to two images of a server.
 *
 * @param {string} folder
 * @param {readonly string[]} names
 * @param {readonly Pose[]} poses
 */
async function byHttp(folder, names, poses) {
  const server = await serve(folder);
  const open = () =>
    Promise.all(names.map(async (name) => openImage(await httpSource(new URL(`${server.url}/${name}`)))));
  /** @type {Record<string, Awaited<ReturnType<typeof byOpening>>>} */
  const answers = {};
  try {
    for (const [name, wanted] of Object.entries({ full: {}, ...COARSER }))
      answers[name] = await byOpening(open, poses, wanted);
  } finally {
    server.close();
  }
  return answers;
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
    for (const [name, { ms, kilobytes, decided }] of Object.entries(coarser))
      console.log(`       ${name}: ${ms} ms, ${kilobytes} kB, ${decided} of ${warmPoses.length} decided`);
  }
  const [a] = filesOf(Math.max(...sizes));
  const timed = [];
  for (const size of sizes) {
    const inTime = await byLibrary([a, filesOf(size)[1]], warmPoses, COARSER.budget);
    timed.push({ size, ...inTime });
    console.log(`within 15 ms, ${Math.max(...sizes)} against ${size}: ${inTime.ms} ms, ${inTime.decided} decided`);
  }
  const largest = filesOf(Math.max(...sizes));
  const http = await byHttp(
    folder,
    largest.map((file) => file.slice(folder.length + 1)),
    warmPoses.filter((_, i) => i % 3 === 0),
  );
  console.log(`over HTTP, ${largest.map((file) => round(statSync(file).size / 1e6)).join(' and ')} MB:`);
  for (const [name, { kilobytes, reads, decided }] of Object.entries(http))
    console.log(`       ${name}: ${kilobytes} kB in ${reads} requests, ${decided} decided`);
  keep({ poses: { process: poses.length, library: warmPoses.length }, rows, timed, http });
}
