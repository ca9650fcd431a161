// P. Terdiman, "RAPID Hack" (2000 to 2002): bytes and time at each rung of its ladder, from RAPID's
// 132 bytes a box to 40, and of ours below it, 20 and 64. One descent searches all of them, in one
// language; a rung is what it stores, and so what has to be decoded. Each is searched twice: a box
// is decoded every time it is asked for, and by the product's cache of decoded boxes. 132 bytes are
// doubles that are read where they lie. Nodes of 64 bytes are searched by their kernel as well.
//
//   npm run bench -- papers/rapid-rungs
import { build, identity, prepare, representationOf } from 'gicollide';
import { checkObbTrees } from '#src/representations/obb/search/descent';
import { createCursor } from '#src/representations/obb/tree/cursor';
import { DECODED } from '#src/representations/obb/tree/node';
import { nearContactPoses, sample } from '../inputs.mjs';
import { digits, median, printTable, race, round } from '../race.mjs';
import { cursorHolding, decodedBoxes, plainCursor } from './rapid-trees.mjs';

/** @typedef {import('gicollide').ObbTree} ObbTree */
/** @typedef {import('gicollide').Pose} Pose */
/** @typedef {ReturnType<typeof createCursor>} Cursor */

/** The text: bytes a triangle of RAPID's boxes; how much less 40 are; operations of quaternions. */
const PAPER = { triangle: 264, less: 3.3, operations: 13 };

/**
 * A rung: trees of a pair, and how a cursor stands on one with so many slots in its cache.
 *
 * @typedef {object} Rung
 * @property {readonly [ObbTree, ObbTree]} trees
 * @property {number} bytes a node
 * @property {(tree: ObbTree, slots?: number) => Cursor} cursor
 */

/** @param {readonly string[]} names @returns {Record<string, Rung>} */
function rungsOf(names) {
  const trees = (/** @type {20 | 40 | 64} */ nodeBytes) => {
    const [a, b] = names.map((name) => build(sample(name), { format: 'obb', nodeBytes }));
    return /** @type {const} */ ([a, b]);
  };
  const own = trees(40);
  /** @param {72 | 68 | 64 | 44} bytes @returns {Rung} */
  const plain = (bytes) => ({ trees: own, bytes, cursor: (tree, slots) => plainCursor(tree, bytes, slots) });
  return {
    '132 bytes': { trees: own, bytes: 132, cursor: (tree) => cursorHolding(tree, decodedBoxes(tree)) },
    '72 bytes': plain(72),
    '68 bytes': plain(68),
    '64 bytes': plain(64),
    '44 bytes': plain(44),
    '40 bytes': { trees: own, bytes: 40, cursor: createCursor },
    '20 bytes': { trees: trees(20), bytes: 20, cursor: createCursor },
    '64 bytes of four': { trees: trees(64), bytes: 64, cursor: createCursor },
  };
}

/**
 * First contact.
 *
 * @param {Rung} rung
 * @param {number} [slots]
 */
function asks({ trees: [a, b], cursor }, slots) {
  const [cursorA, cursorB] = [cursor(a, slots), cursor(b, slots)];
  const query = { poseA: identity(), all: false, maxContacts: 1, level: null };
  return (/** @type {Pose} */ poseB) => checkObbTrees(a, b, { ...query, poseB }, cursorA, cursorB);
}

/** Nanoseconds that a box takes to be decoded. @param {Cursor} cursor @param {number} rounds */
function decodeTime({ reader }, rounds) {
  const out = new Float64Array(DECODED);
  let sink = 0;
  const times = Array.from({ length: rounds }, () => {
    const from = performance.now();
    for (let node = 0; node < reader.count; node++) {
      reader.decode(node, out, 0);
      sink += out[9];
    }
    return (1e6 * (performance.now() - from)) / reader.count;
  });
  if (Number.isNaN(sink)) throw new Error('the results were used');
  return median(times);
}

/** @param {readonly string[]} names @param {boolean} quick */
function pair(names, quick) {
  const rungs = rungsOf(names);
  const poses = nearContactPoses(...rungs['40 bytes'].trees, quick ? 4 : 40, 2002);
  const entries = Object.entries(rungs);
  const [a64, b64] = rungs['64 bytes of four'].trees;
  const checker = prepare(a64, b64);
  const meets = (/** @type {ReturnType<typeof asks>} */ ask) => (/** @type {Pose} */ pose) =>
    ask(pose).verdict === 'contact';
  const contestants = {
    ...Object.fromEntries(entries.map(([name, rung]) => [`${name}, decoded each time`, meets(asks(rung, 1))])),
    ...Object.fromEntries(entries.map(([name, rung]) => [`${name}, with the cache`, meets(asks(rung))])),
    kernel: (/** @type {Pose} */ pose) => checker.contact(pose),
  };
  for (const [name, ask] of Object.entries(contestants)) {
    const wrong = poses.filter((pose, i) => ask(pose) !== (i % 2 === 1)).length;
    if (wrong > 0) throw new Error(`${name}: ${wrong} verdicts of ${poses.length} are wrong`);
  }
  const times = race(contestants, poses);
  const rows = entries.map(([name, rung]) => {
    const { trees, bytes, cursor } = rung;
    const ask = asks(rung, 1);
    const each = cursor(trees[0], 1);
    const triangles = trees[0].triangles.length / 3;
    const order = trees[0].order?.byteLength ?? 0;
    const isDecoded = bytes !== 132;
    const row = {
      bytes,
      'bytes a triangle': round((bytes * each.reader.count + order) / triangles),
      tests: median(poses.map((pose) => ask(pose).tests.bounds)),
      'ns to decode': isDecoded ? digits(decodeTime(each, quick ? 2 : 200)) : null,
      'us, decoded each time': times[`${name}, decoded each time`],
      'us, with the cache': times[`${name}, with the cache`],
    };
    return { name, ...row };
  });
  return { triangles: names.map((name) => sample(name).triangles.length / 3), rows, kernel: times.kernel };
}

/** @param {import('../race.mjs').Run} run */
export default function rapidRungs({ quick, keep }) {
  const layout = representationOf(build(sample('box'), { format: 'obb' })).own?.layout?.();
  const { ladder } = /** @type {{ ladder: { bytes: number, step: string, fields: string }[] }} */ (layout);
  /** @type {Record<string, ReturnType<typeof pair>>} */
  const pairs = {};
  for (const names of quick
    ? [['bolt', 'torus']]
    : [
        ['bunny', 'bunny'],
        ['star', 'boulder'],
      ]) {
    const measured = pair(names, quick);
    pairs[names.join(', ')] = measured;
    printTable(names.join(' against '), Object.fromEntries(measured.rows.map(({ name, ...row }) => [name, row])));
    console.log(`64 bytes of four by the kernel: ${measured.kernel} us`);
  }
  keep({ runs: 9, ladder, pairs, paper: PAPER });
}
