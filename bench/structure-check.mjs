// Two claims of GI-COLLIDE about its structure (B. Benes, N. Gomez Villanueva, SCCG 2005, section
// 5.2, Figure 10): a sphere tree found by index arithmetic is up to 19 % faster than the same tree
// with pointers, and its tests grow slowly.
//
//   npm run bench -- structure
//
// The comparison is fair, as in the paper: sphere-descents.mjs has both in JavaScript, and
// sphere-descents.as.ts both in WebAssembly. They only find children differently. Both make the
// tests of `check` with spheres alone, pair by pair; its tests with slabs are listed, too. The
// moving bunnies are images of the paper's size with its spheres.
import { build, check } from 'gicollide';
import { nearContactPoses, relativePoses, sample } from './inputs.mjs';
import { collectGarbage, digits, elapsed, median, printRace, printTable, race, round, startClock } from './race.mjs';
import { bodyOf, meetByIndex, meetByPointer, tested, treeByPointers } from './sphere-descents.mjs';
import { descentsInWasm, NODE_BYTES } from './sphere-descents-wasm.mjs';

/** @typedef {import('gicollide').GeometryImage} GeometryImage */
/** @typedef {import('gicollide').Pose} Pose */
/** @typedef {import('./sphere-descents.mjs').Body} Body */
/** @typedef {(pose: Pose) => boolean} Meet */

/**
 * Figure 10 of the paper, sections 5 to 5.2: bunnies, samples a side, and the gain by an index.
 */
const PAPER = { bodies: [2, 256], size: 65, 'faster, %': 19 };

/** Bytes of live objects. */
function bytesInUse() {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/**
 * Figure 10: microseconds a pair of so many moving bodies, one to one; the least of rounds in which
 * the ways take turns.
 *
 * @param {Readonly<Record<string, Meet>>} ways an index, pointers, and the same in WebAssembly
 * @param {readonly number[]} counts
 * @param {number} rounds
 */
function scenes(ways, counts, rounds) {
  /** @type {Record<string, Record<string, number>>} */
  const table = {};
  for (const count of counts) {
    const poses = relativePoses(count);
    const sweeps = Math.ceil(2000 / poses.length);
    /** @param {Meet} meet */
    const sweep = (meet) => {
      let contacts = 0;
      startClock();
      for (let i = 0; i < sweeps; i++) for (const pose of poses) if (meet(pose)) contacts++;
      return { time: (1000 * elapsed()) / (sweeps * poses.length), contacts: contacts / sweeps };
    };
    const runs = Array.from({ length: rounds }, () => Object.values(ways).map(sweep));
    const [index, pointer, wasmIndex, wasmPointer] = Object.keys(ways).map((_, way) =>
      Math.min(...runs.map((run) => run[way].time)),
    );
    const [[{ contacts }]] = runs;
    if (runs.flat().some((run) => run.contacts !== contacts)) throw new Error('the two trees disagree');
    table[count] = {
      pairs: poses.length,
      contacts,
      index: digits(index) ?? 0,
      pointer: digits(pointer) ?? 0,
      ratio: round(index / pointer, 2),
      'WASM, index': digits(wasmIndex) ?? 0,
      'WASM, pointer': digits(wasmPointer) ?? 0,
      'WASM, ratio': round(wasmIndex / wasmPointer, 2),
    };
  }
  return table;
}

/**
 * Throws unless all ways test the same pairs and say what the product says.
 *
 * @param {GeometryImage} image
 * @param {Body} body
 * @param {Awaited<ReturnType<typeof descentsInWasm>>} wasm
 * @param {Pose} pose
 */
function requireAlike(image, body, wasm, pose) {
  const verdict = meetByIndex(body, body, pose);
  const { spheres, triangles } = tested;
  if (meetByPointer(body, body, pose) !== verdict) throw new Error('the two trees disagree');
  if (tested.spheres !== spheres || tested.triangles !== triangles) throw new Error('the two trees test other pairs');
  for (const meet of [wasm.byIndex, wasm.byPointer]) {
    tested.triangles = 0;
    const isSame = meet(pose) === verdict && wasm.spheresTested() === spheres && tested.triangles === triangles;
    if (!isSame) throw new Error('WebAssembly tests other pairs');
  }
  const report = check(image, image, { poseB: pose, bounds: 'spheres' });
  if ((report.verdict === 'contact') !== verdict) throw new Error('check disagrees');
  if (report.tests.bounds !== spheres || report.tests.hulls !== triangles) throw new Error('check tests other pairs');
}

/**
 * Tests as images grow, two equal bodies: by spheres alone, made tight and as the seed makes them,
 * and as the product tests.
 *
 * @param {readonly number[]} sizes
 * @param {number} count
 */
function growthOf(sizes, count) {
  const mesh = sample('bunny');
  return sizes.map((size) => {
    /** @type {Record<string, number>} */
    const row = { size, triangles: 2 * (size - 1) ** 2 };
    for (const spheres of /** @type {const} */ (['tight', 'seed'])) {
      const image = build(mesh, { size, spheres });
      const poses = nearContactPoses(image, image, count, 7);
      const testsBy = (/** @type {{ bounds?: 'spheres' }} */ options) =>
        poses.map((poseB) => check(image, image, { poseB, ...options }).tests);
      const alone = testsBy({ bounds: 'spheres' });
      row[`${spheres}: spheres`] = median(alone.map((x) => x.bounds));
      row[`${spheres}: triangles`] = median(alone.map((x) => x.hulls));
      if (spheres === 'seed') continue;
      const slabs = testsBy({});
      row['with slabs: bounds'] = median(slabs.map((x) => x.bounds));
      row['with slabs: triangles'] = median(slabs.map((x) => x.hulls));
    }
    return row;
  });
}

/**
 * @param {Body} body
 * @param {Awaited<ReturnType<typeof descentsInWasm>>} wasm
 * @returns {Record<string, Meet>}
 */
const waysOf = (body, wasm) => ({
  'index arithmetic': (pose) => meetByIndex(body, body, pose),
  'pointers, the same spheres': (pose) => meetByPointer(body, body, pose),
  'WebAssembly, index arithmetic': wasm.byIndex,
  'WebAssembly, pointers': wasm.byPointer,
});

/** @param {import('./race.mjs').Run} run */
export default async function structure({ quick, keep }) {
  const image = build(sample('bunny'), { size: quick ? 65 : 257 });
  const poses = nearContactPoses(image, image, quick ? 4 : 40, 2005);
  const before = bytesInUse();
  const root = treeByPointers(image);
  const bytesOfTree = bytesInUse() - before;
  const body = bodyOf(image, root);
  const nodesInAll = (4 ** (body.depth + 1) - 1) / 3;
  const bytesOfNode = {
    index: round(body.page.byteLength / nodesInAll),
    pointer: Math.round(bytesOfTree / nodesInAll),
    'WASM, pointer': NODE_BYTES,
  };
  const wasm = await descentsInWasm(body);
  for (const pose of poses) requireAlike(image, body, wasm, pose);
  const first = race(waysOf(body, wasm), poses);
  printRace(`two bunnies as images of ${2 ** body.depth + 1}, near contact, first contact`, first);
  console.log(`bytes a node: ${bytesOfNode.index} by index, about ${bytesOfNode.pointer} by pointer`);
  const rounds = quick ? 1 : 9;
  const small = build(sample('bunny'), { size: PAPER.size, spheres: 'seed' });
  const smallBody = bodyOf(small);
  const smallWasm = await descentsInWasm(smallBody);
  const smallPoses = relativePoses(quick ? 4 : 16);
  for (const pose of smallPoses) requireAlike(small, smallBody, smallWasm, pose);
  const smallWays = waysOf(smallBody, smallWasm);
  // Warms all of them up.
  for (const pose of relativePoses(32)) for (const meet of Object.values(smallWays)) meet(pose);
  const moving = scenes(smallWays, quick ? [2, 8] : [2, 4, 8, 16, 32, 64, 128, 256], rounds);
  printTable('so many moving bunnies, us a pair', moving);
  const growth = growthOf(quick ? [33, 65] : [129, 257, 513, 1025, 2049], quick ? 4 : 24);
  printTable('median tests', Object.fromEntries(growth.map(({ size, ...row }) => [`${size} x ${size}`, row])));
  keep({
    poses: poses.length,
    runs: rounds,
    first,
    bytesOfNode,
    size: PAPER.size,
    scenes: moving,
    growth,
    paper: PAPER,
  });
}
