// Z. Peng, B. Wu, "Collision Detection Algorithm Based on Data Parallelism", sections II and III:
// cubes small enough approximate where a building's models collide. Here a generated building says
// which of its elements clash and which only touch; the cubes of a precision are asked which pairs
// collide, and the exact answer stands beside them.
//
// Cubes that two models have in common are a touch or a clash. A plane along the grid is in one
// layer of cells: two filled models that touch in such planes never have eight cubes in common that
// make up one of twice the edge, and a clash a few cubes deep has. Pairs that have are `deep` here.
//
//   npm run bench -- papers/cubes-precision
import { build, collideSorted, commonCubes, createScene, partitionAll, readObj, splitByGroups } from 'gicollide';
import { makeBuilding } from '../../scripts/make-building.mjs';
import { digits, median, printTable, secondsOf } from '../race.mjs';

/** @typedef {import('gicollide').Collisions} Collisions */
/** @typedef {import('gicollide').SolidMode} SolidMode */
/** @typedef {ReturnType<typeof elementsOf>} Elements */

/** Edges of cubes, millimetres. */
const PRECISIONS = [1600, 800, 400, 200, 100, 50, 25, 12.5];
const RUNS = 3;

/** The elements' names and meshes. @param {string} obj */
const elementsOf = (obj) =>
  splitByGroups(readObj(new TextEncoder().encode(obj))).map(({ name, mesh }) => ({ name, mesh }));

/** The same for either order. @param {string} a @param {string} b */
const pairOf = (a, b) => [a, b].toSorted().join(' ');

/**
 * True if a pair has all eight cubes of some cube of twice the edge in common: eight bits of a
 * mask.
 *
 * @param {Collisions} collisions
 * @param {number} pair
 */
const isDeep = (collisions, pair) =>
  commonCubes(collisions, pair).masks.some((mask) => [0, 8, 16, 24].some((byte) => ((mask >>> byte) & 0xff) === 0xff));

/**
 * Pairs that cubes of an edge report, and which of them are deep.
 *
 * @param {Elements} elements
 * @param {number} precision
 * @param {boolean} fill
 * @param {number} runs
 */
async function byCubes(elements, precision, fill, runs) {
  const times = { partition: /** @type {number[]} */ ([]), collide: /** @type {number[]} */ ([]) };
  /** @type {Collisions | undefined} */
  let collisions;
  for (let run = 0; run < runs; run++) {
    /** @type {Awaited<ReturnType<typeof partitionAll>>} */
    let sets = [];
    const meshes = elements.map(({ mesh }) => mesh);
    times.partition.push(
      1000 * (await secondsOf(async () => (sets = await partitionAll(meshes, precision, undefined, { fill })))),
    );
    times.collide.push(1000 * (await secondsOf(async () => (collisions = await collideSorted(sets)))));
  }
  if (!collisions) throw new Error('expected a run');
  /** @type {Set<string>} */
  const found = new Set();
  /** @type {Set<string>} */
  const deep = new Set();
  for (let pair = 0; pair < collisions.cubes.length; pair++) {
    const [a, b] = collisions.pairs.subarray(2 * pair, 2 * pair + 2);
    const name = pairOf(elements[a].name, elements[b].name);
    found.add(name);
    if (isDeep(collisions, pair)) deep.add(name);
  }
  return {
    found,
    deep,
    cubes: collisions.work.cubes,
    partition: median(times.partition),
    collide: median(times.collide),
  };
}

/**
 * The exact answer, from the meshes on.
 *
 * @param {Elements} elements
 * @param {SolidMode} solid
 * @param {number} runs
 */
async function exactly(elements, solid, runs) {
  const times = { build: /** @type {number[]} */ ([]), findings: /** @type {number[]} */ ([]) };
  /** @type {import('gicollide').SceneSummary | undefined} */
  let summary;
  for (let run = 0; run < runs; run++) {
    /** @type {import('gicollide').Scene | undefined} */
    let scene;
    const built = await secondsOf(async () => {
      const objects = elements.map(({ name, mesh }) => ({
        name,
        asset: build(mesh, { format: 'obb', nodeBytes: 64 }),
      }));
      scene = createScene(objects, { solid });
    });
    times.build.push(1000 * built);
    times.findings.push(
      1000 * (await secondsOf(async () => (summary = (await scene?.findings({ jobs: 1 }))?.summary))),
    );
  }
  if (!summary) throw new Error('expected a run');
  const { overlap, touch, contact } = summary;
  return { build: digits(median(times.build)), findings: digits(median(times.findings)), overlap, touch, contact };
}

/** @param {import('../race.mjs').Run} run */
export default async function cubesPrecision({ quick, keep }) {
  const { obj, clashes, touches } = makeBuilding({ storeys: quick ? 1 : 4, seed: 1 });
  const elements = elementsOf(obj);
  const runs = quick ? 1 : RUNS;
  const exact = { classes: await exactly(elements, 'auto', runs), contacts: await exactly(elements, 'off', runs) };
  printTable(`${elements.length} elements, exactly, ms`, exact);
  /** @type {Record<string, Record<string, number | null>>} */
  const table = {};
  const told = clashes.map(({ a, b, depth }) => ({ a, b, depth, precisions: /** @type {number[]} */ ([]) }));
  await byCubes(elements, PRECISIONS[0], true, 1);
  for (const precision of quick ? [800, 200] : PRECISIONS) {
    const times = precision < 25 ? 1 : runs;
    const surfaces = await byCubes(elements, precision, false, times);
    const filled = await byCubes(elements, precision, true, times);
    const among = (/** @type {Set<string>} */ found, /** @type {{ a: string, b: string }[]} */ pairs) =>
      pairs.filter(({ a, b }) => found.has(pairOf(a, b))).length;
    const [clash, touch] = [among(surfaces.found, clashes), among(surfaces.found, touches)];
    const [deepClash, deepTouch] = [among(filled.deep, clashes), among(filled.deep, touches)];
    table[`${precision} mm`] = {
      ...{ precision, cubes: surfaces.cubes, filled: filled.cubes },
      ...{ pairs: surfaces.found.size, clashes: clash, touches: touch, clear: surfaces.found.size - clash - touch },
      ...{ deepClashes: deepClash, deepTouches: deepTouch, deepClear: filled.deep.size - deepClash - deepTouch },
      ...{ ms: digits(surfaces.partition + surfaces.collide), filledMs: digits(filled.partition + filled.collide) },
    };
    for (const each of told) if (filled.deep.has(pairOf(each.a, each.b))) each.precisions.push(precision);
  }
  printTable('cubes', table);
  for (const { a, b, depth, precisions } of told) {
    console.log(`${a} in ${b}, ${depth} deep, told at ${precisions.join(', ') || 'none'}`);
  }
  const count = { elements: elements.length, clashes: clashes.length, touches: touches.length };
  keep({ runs, ...count, exact, precisions: table, told });
}
