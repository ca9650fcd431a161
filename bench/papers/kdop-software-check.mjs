// Raabe et al. 2006 in software. Eqs. 3 to 6 in floating point beside eqs. 7 to 10 in fixed point,
// one search in JavaScript over arrays of doubles, floats and whole numbers; and the compression
// and the cache that section 7 proposes: coefficients as distances from the parent's, decoded by
// the search. Tests, bytes, and times: minima, contestants taking turns. And poses at which the
// lamps touch in a vertex: who misses that?
//
//   npm run bench -- papers/kdop-software
import { build, check, compose, translation } from 'gicollide';
import { dopDirections } from '#src/representations/kdop/tree/dop-directions';
import { direction, randomTurn, seeded, shift } from '../inputs.mjs';
import { digits, printTable, round, sum } from '../race.mjs';
import { exactAxes, exactTree, fixedShift, HEIGHT, poseOnGrid, roundedUp, WEIGHT } from './kdop-exact.mjs';
import { lamp } from './kdop-scene.mjs';
import { freshSearch, packed } from './kdop-software-search.mjs';

/** @typedef {import('gicollide').Pose} Pose */
/** @typedef {import('./kdop-exact.mjs').ExactAxis} ExactAxis */
/** @typedef {import('./kdop-exact.mjs').ExactTree} ExactTree */
/** @typedef {import('./kdop-software-search.mjs').Axes} Axes */
/** @typedef {import('./kdop-software-search.mjs').Numbers} Numbers */
/** @typedef {import('./kdop-software-search.mjs').Stored} Stored */

const SEED = 40;
const K = 24;
const LINK_BYTES = 4;
const DISTANCES = [0.3, 0.5, 0.6, 0.63];
/** Nodes a cache holds, a side. */
const CACHES = /** @type {const} */ ([256, 16384]);

/**
 * @typedef {object} Contestant
 * @property {string} name
 * @property {string} group
 * @property {number} bytes of a node
 * @property {Stored} tree
 * @property {number | null} bits b = c = z; null in floating point
 * @property {ReturnType<typeof freshSearch>} search
 */

/**
 * @param {ExactTree} tree
 * @param {Numbers} coefficients
 * @param {Stored['packed']} [packing]
 * @returns {Stored}
 */
const storedTree = ({ links, sizes, mesh: { positions, triangles } }, coefficients, packing = null) => ({
  links,
  sizes,
  positions: Float64Array.from(positions),
  triangles: Uint32Array.from(triangles),
  coefficients,
  packed: packing,
});

/**
 * The scale of whole numbers: 1 itself would not fit b bits and a sign.
 *
 * @param {ExactTree} tree
 */
const scaleOf = ({ largest }) => largest + (largest >> 6n);

/**
 * Axes in floating point, over the model's scale, or in whole numbers.
 *
 * @param {ExactTree} tree
 * @param {readonly ExactAxis[]} axes
 * @param {number | null} bits
 * @returns {Axes}
 */
function axesFor(tree, axes, bits) {
  /** @param {'a' | 'b'} side */
  const faces = (side) => Uint8Array.from(axes.flatMap((axis) => [...axis[side].low, ...axis[side].high]));
  /** @param {'a' | 'b'} side */
  const weights = (side) =>
    Float64Array.from(
      axes.flatMap((axis) => [...axis[side].weights]),
      (w) => (bits === null ? Number(w) / 2 ** WEIGHT : Number(w >> BigInt(WEIGHT - bits))),
    );
  // Units of a product: 2^-2b.
  const below = Float64Array.from(axes, (axis) =>
    bits === null ? Number(axis.shift) / 2 ** HEIGHT : Number(fixedShift(axis.shift, scaleOf(tree), bits)) * 2 ** bits,
  );
  return {
    count: axes.length,
    facesA: faces('a'),
    facesB: faces('b'),
    weightsA: weights('a'),
    weightsB: weights('b'),
    below,
    above: bits === null ? below : below.map((x) => x + 2 ** bits),
    step: bits === null ? 0 : 1,
  };
}

/** @param {ExactTree} tree @returns {Contestant[]} */
function contestants(tree) {
  const { coefficients, links } = tree;
  const inModel = Float64Array.from(coefficients, (x) => Number(x) / 2 ** HEIGHT);
  const fixed = (/** @type {number} */ b) => roundedUp(tree, b, scaleOf(tree)).map(Number);
  const narrow = Int16Array.from(fixed(15));
  /** @type {Omit<Contestant, 'search'>[]} */
  const plain = [
    { name: 'doubles', group: 'floating point', bytes: 8 * K, tree: storedTree(tree, inModel), bits: null },
    {
      name: 'floats',
      group: 'floating point',
      bytes: 4 * K,
      tree: storedTree(tree, Float32Array.from(inModel)),
      bits: null,
    },
    {
      name: '26 bits',
      group: 'fixed point',
      bytes: 4 * K,
      tree: storedTree(tree, Int32Array.from(fixed(25))),
      bits: 25,
    },
    { name: '16 bits', group: 'fixed point', bytes: 2 * K, tree: storedTree(tree, narrow), bits: 15 },
    { name: '8 bits', group: 'fixed point', bytes: K, tree: storedTree(tree, Int8Array.from(fixed(7))), bits: 7 },
  ];
  const packings = /** @type {const} */ ([8, 6, 4]).flatMap((deltaBits) => {
    const stored = storedTree(tree, narrow.slice(0, K), packed(narrow, links, K, deltaBits).packed);
    // A byte for the shift; a cache asks for parents, which the stack knows by itself.
    const bytes = (K * deltaBits) / 8 + 1;
    const name = `differences of ${deltaBits} bits`;
    return [
      { name, group: 'compressed', bytes, tree: stored, bits: 15, slots: 0 },
      ...CACHES.map((slots) => ({
        name: `${name}, a cache of ${slots}`,
        group: 'compressed, cached',
        ...{ bytes: bytes + LINK_BYTES, tree: stored, bits: 15, slots },
      })),
    ];
  });
  return [...plain.map((each) => ({ ...each, slots: 0 })), ...packings].map(({ slots, bytes, ...rest }) => ({
    ...rest,
    bytes: bytes + LINK_BYTES,
    search: freshSearch(K, slots),
  }));
}

/**
 * Poses at which the two touch in a vertex and share nothing else: for each direction a's lowest
 * vertex lies on b's highest. On that axis diff is 0.
 *
 * @param {ExactTree} tree
 * @returns {Pose[]}
 */
function touches({ mesh: { positions, triangles } }) {
  const { vectors } = dopDirections(K);
  return Array.from({ length: K }, (_, i) => {
    const height = (/** @type {number} */ v) =>
      [0, 1, 2].reduce((total, c) => total + vectors[3 * i + c] * positions[3 * v + c], 0);
    let [low, high] = [triangles[0], triangles[0]];
    for (const v of triangles) {
      if (height(v) < height(low)) low = v;
      if (height(v) > height(high)) high = v;
    }
    const [x, y, z] = [0, 1, 2].map((c) => positions[3 * high + c] - positions[3 * low + c]);
    return translation(x, y, z);
  });
}

/**
 * At how many touches a contestant finds no contact.
 *
 * @param {ExactTree} tree
 * @param {readonly { pose: Pose, axes: ExactAxis[] }[]} touching
 * @param {Contestant} contestant
 */
const missed = (tree, touching, { search, tree: stored, bits }) =>
  touching.filter(({ pose, axes }) => search(stored, stored, pose, axesFor(tree, axes, bits)).contacts === 0).length;

/** @typedef {'nodes' | 'triangles' | 'contacts'} Counted */

/** @param {import('../race.mjs').Run} run */
export default function kdopSoftware({ quick, keep }) {
  const random = seeded(SEED);
  const turns = Array.from({ length: quick ? 1 : 3 }, () => ({ turn: randomTurn(random), along: direction(random) }));
  const tree = exactTree(lamp(quick), K);
  const placed = (quick ? [0.02] : DISTANCES).flatMap((far) =>
    turns.map(({ turn, along }) => {
      const pose = poseOnGrid(compose(shift(along, far), turn));
      return { pose, axes: exactAxes(K, pose) };
    }),
  );
  const touching = touches(tree).map((pose) => ({ pose, axes: exactAxes(K, pose) }));
  const all = contestants(tree);
  // The product's own ways, over a tree of 16 bits.
  const product = build(tree.mesh, { format: 'kdop', bits: 16 });
  const own = [
    ["the product's search", 'search'],
    ["the product's check", undefined],
  ].map(([name, engine]) => {
    /** @param {Pose} pose @returns {Record<Counted, number>} */
    const ask = (pose) => {
      const { tests, contacts } = check(product, product, {
        poseA: pose,
        all: true,
        maxContacts: 1e6,
        ...(engine ? { engine: 'search' } : {}),
      });
      return { nodes: tests.bounds, triangles: tests.hulls, contacts: contacts.count };
    };
    return { name: String(name), ask, missed: touching.filter(({ pose }) => ask(pose).contacts === 0).length };
  });
  const rounds = quick ? 2 : 25;
  const prepared = all.map(({ bits }) => placed.map(({ axes }) => axesFor(tree, axes, bits)));
  const asks = [
    ...all.map(({ name, search, tree: stored }, j) => ({
      name,
      ask: (/** @type {number} */ i) => search(stored, stored, placed[i].pose, prepared[j][i]),
    })),
    ...own.map(({ name, ask }) => ({ name, ask: (/** @type {number} */ i) => ask(placed[i].pose) })),
  ];
  const least = asks.map(() => placed.map(() => Number.POSITIVE_INFINITY));
  const found = asks.map(({ ask }) => placed.map((_, i) => ask(i)));
  for (let round = 0; round < rounds; round++) {
    for (const i of placed.keys()) {
      for (const [j, { ask }] of asks.entries()) {
        const from = performance.now();
        ask(i);
        least[j][i] = Math.min(least[j][i], 1000 * (performance.now() - from));
      }
    }
  }
  const rows = asks.map(({ name }, j) => ({
    name,
    group: all[j]?.group ?? 'the product',
    bytes: all[j]?.bytes ?? null,
    nodes: round(sum(found[j].map(({ nodes }) => nodes)) / placed.length),
    triangles: round(sum(found[j].map(({ triangles }) => triangles)) / placed.length),
    contacts: sum(found[j].map(({ contacts }) => contacts)),
    microseconds: round(sum(least[j]) / placed.length),
    nanosecondsANode: digits((1000 * sum(least[j])) / sum(found[j].map(({ nodes }) => nodes))),
    missed: all[j] ? missed(tree, touching, all[j]) : own[j - all.length].missed,
  }));
  printTable('all contacts', Object.fromEntries(rows.map(({ name, ...rest }) => [name, rest])));
  const contacts = rows[rows.length - 1].contacts;
  for (const row of rows) if (row.contacts !== contacts) throw new Error(`${row.name}: ${row.contacts} contacts`);
  keep({
    ...{ triangles: lamp(quick).triangles.length / 3, poses: placed.length, runs: rounds, k: K },
    ...{ touches: touching.length, rows },
  });
}
