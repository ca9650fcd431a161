// A helicopter flies over a fractal terrain, each a geometry image of 513 to 8193 samples a side: the
// seed's Figure 12, each size against each, and its table of memory; and Figure 13, within 15 ms.
// B. Benes, N. Gomez Villanueva, "GI-COLLIDE", SCCG 2005, sections 3, 5.4 and 5.5.
//
//   npm run bench -- papers/terrain                          513 to 8193: seven minutes, 8 GB of memory, 2 GB of files
//   npm run bench -- papers/terrain --sizes=513,1025,2049    two minutes, the same counts
//
// "Spheres alone" is the paper's query of the paper's spheres (`check --bounds spheres`); beside it
// the product's, of tight spheres with slabs.
//
// The helicopter pitches and rolls as it goes, and is from far above the ground to a little in it.
// As in the paper, the first contact ends a query, and of twelve runs the fastest and the slowest are
// left out. Files are written to out/terrain. The peak of a process is that of a new one, which
// checks two files of the same size at one pose: by the tiles that it enters, and read whole, which
// --contact-points asks for and tiles do not answer.
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { check, compose, openPair, rotation, translation, write } from 'gicollide';
import { PROGRAM, peakIn, runNode, TELL_PEAK } from '../program.mjs';
import { collectGarbage, digits, elapsed, mean, median, printTable, round, startClock, sum } from '../race.mjs';
import { byLibrary } from '../tiles-check.mjs';
import { gridImage } from './grid-image.mjs';
import { CHARTS, helicopter } from './helicopter.mjs';
import { terrain } from './terrain.mjs';

/** @typedef {import('gicollide').GeometryImage} GeometryImage */
/** @typedef {import('gicollide').Pose} Pose */

/** The paper's printed figures. Its curves are images, and have no numbers in the text. */
const PAPER = {
  'section 3, memory': { geometry: 's = 3 (2^n + 1)^2', normals: 's', spheres: '2 s', bitsOfASample: 16 },
  'section 5.4': {
    runs: 12,
    'MB of geometry and normals, 4097': 184,
    'MB of spheres, 4097': 184,
    'MB of two objects, 4097': 368,
    'MB of the file, 8193': 512,
    'ms, worst': 60,
    'ms, 1025': 4,
  },
  'section 5.5': { 'ms a test': 15, size: 2049 },
};

const SEED = 2005;
const RUNS = PAPER['section 5.4'].runs;
/** Size of the main rotor; the terrain is 1 wide. */
const WIDTH = 0.2;
/** How high above the lowest place that is clear, in turn. */
const HEIGHTS = [0.1, 0.02, 0.004, 0.001, -0.001, -0.004, -0.02];
/** The lines of Figure 12 end here; larger images are not read whole, either. */
const LARGEST_CRAFT = 4097;
/** Milliseconds: those of a frame, and too few. */
const BUDGETS = [PAPER['section 5.5']['ms a test'], 1];

/** @param {number} size */
const exponentOf = (size) => Math.log2(size - 1);

/**
 * The images of a size, by name. The helicopter's charts have as many quads as the terrain.
 *
 * @type {Record<string, (size: number, spheres?: 'tight' | 'seed') => GeometryImage>}
 */
const MAKERS = {
  terrain: (size, spheres) => gridImage(terrain(exponentOf(size), SEED), spheres),
  helicopter: (size, spheres) => gridImage(helicopter(exponentOf(size) - Math.log2(CHARTS) / 2, WIDTH), spheres),
};

/** From 1 to -1 and back, while t goes on by 1. @param {number} t */
const wave = (t) => 4 * Math.abs(t - Math.floor(t) - 0.5) - 1;

/**
 * Poses of the helicopter over the terrain.
 *
 * @param {GeometryImage} ground
 * @param {GeometryImage} craft
 * @param {number} count
 */
function flightOver(ground, craft, count) {
  return Array.from({ length: count }, (_, i) => {
    const t = i / count;
    const [x, y] = [0.5 + 0.3 * wave(t), 0.5 + 0.3 * wave(t + 0.25)];
    const turns = [
      rotation(0, 0, 1, 360 * t),
      rotation(0, 1, 0, 20 * wave(5 * t)),
      rotation(1, 0, 0, 25 * wave(7 * t)),
    ];
    const turn = turns.reduce(compose);
    /** @param {number} z */
    const at = (z) => compose(translation(x, y, z), turn);
    const touches = (/** @type {number} */ z) => check(ground, craft, { poseB: at(z) }).verdict === 'contact';
    let clear = 1;
    while (!touches(clear - WIDTH / 20)) clear -= WIDTH / 20;
    let contact = clear - WIDTH / 20;
    while (clear - contact > 1e-6) {
      const middle = (clear + contact) / 2;
      if (touches(middle)) contact = middle;
      else clear = middle;
    }
    return at(clear + HEIGHTS[i % HEIGHTS.length]);
  });
}

/**
 * Milliseconds of a question at the poses of the flight, a mean: of twelve flights without the
 * fastest and the slowest; and of the slowest pose, a median.
 *
 * @param {(pose: Pose) => unknown} ask
 * @param {readonly Pose[]} flight
 */
function flightTimes(ask, flight) {
  const runs = Array.from({ length: RUNS }, () =>
    flight.map((pose) => {
      startClock();
      ask(pose);
      return elapsed();
    }),
  );
  const slowest = Math.max(...flight.map((_, i) => median(runs.map((run) => run[i]))));
  const kept = runs.map(mean).toSorted((p, q) => p - q);
  return { ms: digits(mean(kept.slice(1, -1))), slowest: digits(slowest) };
}

/**
 * One size against one, in memory: by the search, whose tests are counted, and by a pair that is
 * asked often, which the kernel answers where there is room for it.
 *
 * @param {GeometryImage} ground
 * @param {GeometryImage} craft
 * @param {readonly Pose[]} flight
 */
function inMemory(ground, craft, flight) {
  const [once, often] = [1, Number.POSITIVE_INFINITY].map((questions) => openPair(ground, craft, { questions }));
  const reports = flight.map((poseB) => once.report({ poseB }));
  const again = flight.map((poseB) => often.report({ poseB }));
  if (again.some(({ verdict }, i) => verdict !== reports[i].verdict)) throw new Error('search and kernel disagree');
  const [searched, placed] = [once, often].map((pair) => flightTimes((poseB) => pair.report({ poseB }), flight));
  return {
    spheres: Math.round(mean(reports.map(({ tests }) => tests.bounds))),
    triangles: Math.round(mean(reports.map(({ tests }) => tests.hulls))),
    contacts: reports.filter(({ verdict }) => verdict === 'contact').length,
    ...{ ms: searched.ms, 'ms, slowest': searched.slowest },
    ...{ 'often, ms': placed.ms, 'often, slowest': placed.slowest },
    engine: again[0].engine,
  };
}

/**
 * The same within so many milliseconds, by the search at every size.
 *
 * @param {GeometryImage} ground
 * @param {GeometryImage} craft
 * @param {readonly Pose[]} flight
 * @param {number} budget
 * @param {{ bounds?: 'spheres' }} [options]
 */
function inTime(ground, craft, flight, budget, options = {}) {
  const pair = openPair(ground, craft, { questions: 1 });
  const ask = (/** @type {Pose} */ poseB) => pair.report({ poseB, budget, ...options });
  for (const pose of flight) ask(pose);
  const reports = flight.map(ask);
  return {
    ...flightTimes(ask, flight),
    spheres: Math.round(mean(reports.map(({ tests }) => tests.bounds))),
    decided: reports.filter(({ verdict }) => verdict !== 'undecided').length,
  };
}

/**
 * The paper's query, one size against one: its tests, its time, and within a budget.
 *
 * @param {GeometryImage} ground
 * @param {GeometryImage} craft
 * @param {readonly Pose[]} flight
 */
function bySpheresAlone(ground, craft, flight) {
  const pair = openPair(ground, craft, { questions: 1 });
  const ask = (/** @type {Pose} */ poseB) => pair.report({ poseB, bounds: 'spheres' });
  const reports = flight.map(ask);
  return {
    spheres: Math.round(mean(reports.map(({ tests }) => tests.bounds))),
    triangles: Math.round(mean(reports.map(({ tests }) => tests.hulls))),
    contacts: reports.filter(({ verdict }) => verdict === 'contact').length,
    ...flightTimes(ask, flight),
  };
}

/**
 * Every size against every size by spheres alone. No slabs are made; terrains come one at a time.
 *
 * @param {readonly number[]} sizes
 * @param {readonly Pose[]} flight
 * @param {number} middle size of the helicopter that is asked within budgets, too
 */
function spheresAlone(sizes, flight, middle) {
  const crafts = sizes
    .filter((size) => size <= LARGEST_CRAFT)
    .map((size) => ({ size, craft: MAKERS.helicopter(size, 'seed') }));
  const pairs = [];
  const timed = [];
  for (const terrain of sizes.toReversed()) {
    collectGarbage();
    const ground = MAKERS.terrain(terrain, 'seed');
    for (const { size: helicopter, craft } of crafts) {
      pairs.push({ terrain, helicopter, ...bySpheresAlone(ground, craft, flight) });
      if (helicopter !== middle) continue;
      for (const budget of BUDGETS)
        timed.push({ terrain, budget, ...inTime(ground, craft, flight, budget, { bounds: 'spheres' }) });
    }
  }
  pairs.sort((p, q) => p.helicopter - q.helicopter || p.terrain - q.terrain);
  timed.sort((p, q) => p.terrain - q.terrain || q.budget - p.budget);
  return { pairs, timed };
}

/** Bytes of an image's arrays, in megabytes of 10^6. @param {GeometryImage} image */
function megabytesOf({ groups }) {
  const of = (/** @type {(group: GeometryImage['groups'][0]) => number} */ bytes) =>
    digits(sum(groups.map(bytes)) / 1e6);
  return {
    'geometry, MB': of(({ geometry }) => geometry.byteLength),
    'spheres, MB': of(({ tree }) => tree.page.byteLength),
    'slabs, MB': of(({ tree }) => tree.slabs?.byteLength ?? 0),
  };
}

/**
 * The most memory of a new process that checks two files, megabytes.
 *
 * @param {readonly string[]} files
 * @param {Pose} pose
 * @param {readonly string[]} flags
 */
function peakOf(files, pose, ...flags) {
  const args = [PROGRAM, 'check', ...files, '--json', '--pose-b', Array.from(pose).join(','), ...flags];
  return peakIn(runNode([...TELL_PEAK, ...args]).stderr) ?? null;
}

/**
 * Makes an image and its file: what it took, and what it takes.
 *
 * @param {string} name
 * @param {number} size
 * @param {string} file
 */
async function made(name, size, file) {
  // Gigabytes at 8193, of the previous image and of the temporary data of this one.
  collectGarbage();
  startClock();
  const image = MAKERS[name](size);
  const seconds = round(elapsed() / 1000, 2);
  collectGarbage();
  const bytes = await write(image);
  writeFileSync(file, bytes);
  const row = { size, seconds, ...megabytesOf(image), 'file, MB': digits(bytes.length / 1e6) };
  printTable(`${name} of ${size} x ${size}`, { [name]: row });
  return { image, row };
}

/** @param {import('../race.mjs').Run} run */
export default async function terrains({ quick, options, keep }) {
  const sizes = (options.sizes ?? (quick ? '33' : '513,1025,2049,4097,8193')).split(',').map(Number);
  const folder = fileURLToPath(new URL('../../out/terrain', import.meta.url));
  mkdirSync(folder, { recursive: true });
  const fileOf = (/** @type {string} */ name, /** @type {number} */ size) => `${folder}/${name}-${size}.tiff`;
  const [smallest] = sizes;
  const flight = flightOver(MAKERS.terrain(smallest), MAKERS.helicopter(smallest), quick ? 7 : 42);
  const middle = sizes.includes(PAPER['section 5.5'].size) ? PAPER['section 5.5'].size : smallest;

  const alone = spheresAlone(sizes, flight, middle);
  printTable(
    'spheres alone',
    Object.fromEntries(alone.pairs.map(({ terrain, helicopter, ...row }) => [`${terrain} x ${helicopter}`, row])),
  );
  printTable(
    `spheres alone, helicopter of ${middle}, with a budget`,
    Object.fromEntries(alone.timed.map(({ terrain, budget, ...row }) => [`${terrain}, ${budget} ms`, row])),
  );
  collectGarbage();

  const grounds = new Map();
  /** @type {Record<string, Awaited<ReturnType<typeof made>>['row'][]>} */
  const images = { terrain: [], helicopter: [] };
  // The largest first: what it takes to be made is free again when the others come.
  for (const size of sizes.toReversed()) {
    const { image, row } = await made('terrain', size, fileOf('terrain', size));
    grounds.set(size, image);
    images.terrain.unshift(row);
  }
  const pairs = [];
  const timed = [];
  for (const craftSize of sizes.filter((size) => size <= LARGEST_CRAFT).toReversed()) {
    const { image: craft, row } = await made('helicopter', craftSize, fileOf('helicopter', craftSize));
    images.helicopter.unshift(row);
    for (const groundSize of sizes) {
      const ground = grounds.get(groundSize);
      pairs.push({ terrain: groundSize, helicopter: craftSize, ...inMemory(ground, craft, flight) });
      if (craftSize !== middle) continue;
      for (const budget of BUDGETS)
        timed.push({ terrain: groundSize, budget, ...inTime(ground, craft, flight, budget) });
    }
  }
  pairs.sort((p, q) => p.helicopter - q.helicopter || p.terrain - q.terrain);
  grounds.clear();
  printTable(
    'in memory',
    Object.fromEntries(pairs.map(({ terrain, helicopter, ...row }) => [`${terrain} x ${helicopter}`, row])),
  );
  printTable(
    `helicopter of ${middle}, with a budget`,
    Object.fromEntries(timed.map(({ terrain, budget, ...row }) => [`${terrain}, ${budget} ms`, row])),
  );

  const tiles = [];
  for (const size of sizes) {
    const files = [fileOf('terrain', size), fileOf('helicopter', Math.min(size, LARGEST_CRAFT))];
    const byTiles = await byLibrary(files, flight);
    const budgeted = await byLibrary([files[0], fileOf('helicopter', middle)], flight, { budget: BUDGETS[0] });
    const peaks = {
      'peak by tiles, MB': peakOf(files, flight[0]),
      'peak whole, MB': size > LARGEST_CRAFT ? null : peakOf(files, flight[0], '--contact-points'),
    };
    tiles.push({
      size,
      'files, MB': digits(sum(files.map((file) => statSync(file).size)) / 1e6),
      ...byTiles,
      inTime: budgeted,
      ...peaks,
    });
  }
  printTable(
    'by tiles, files opened anew',
    Object.fromEntries(tiles.map(({ size, inTime: _, ...row }) => [size, row])),
  );
  printTable(
    `by tiles, helicopter of ${middle}, within ${BUDGETS[0]} ms`,
    Object.fromEntries(tiles.map((row) => [row.size, row.inTime])),
  );
  keep({
    runs: RUNS,
    poses: flight.length,
    seed: SEED,
    sizes,
    middle,
    images,
    alone,
    pairs,
    timed,
    tiles,
    paper: PAPER,
  });
}
