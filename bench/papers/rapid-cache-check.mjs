// P. Terdiman, "RAPID Hack" (2000 to 2002), realtime compression: keep the tree compressed,
// decompress a branch the first time it is needed, and keep it in a cache while the time of contact
// is searched for.
//
// Here a body flies and turns towards another one, and the time of contact is bisected; each look
// is a first contact of two OBB trees by the product's search. The cache of decoded boxes has so
// many of them, is direct-mapped, and begins empty, with each search or with each look. It says how
// often a box was in it. All sizes take turns, and the least time of each look counts. The product
// has one size, 8,192: the rows say what an option for it would gain.
//
//   npm run bench -- papers/rapid-cache
import { build, compose, identity, rotation } from 'gicollide';
import { checkObbTrees } from '#src/representations/obb/search/descent';
import { createCursor } from '#src/representations/obb/tree/cursor';
import { bumpyBall, direction, randomTurn, sample, seeded, shift } from '../inputs.mjs';
import { digits, mean, printTable, round, sum } from '../race.mjs';

/** @typedef {import('gicollide').Mesh} Mesh */
/** @typedef {import('gicollide').ObbTree} ObbTree */
/** @typedef {import('gicollide').Pose} Pose */
/** @typedef {ReturnType<typeof createCursor>} Cursor */
/** @typedef {(t: number) => Pose} Motion */
/** @typedef {{ name: string, meshes: readonly Mesh[], nodeBytes: 40 | 20 }} Contestant */

const SEED = 2003;
/** Boxes in a cache; with 0 each is decoded at each step that needs it. */
const SIZES = [0, 1, 4, 16, 64, 256, 1024, 4096, 8192, Number.POSITIVE_INFINITY];
const PRODUCT = 8192;
/** Looks of a search: the time is known to 2^-40 of the motion. */
const LOOKS = 40;
const DEGREES = 60;

/**
 * Straight towards the middle of the other one, turning.
 *
 * @param {number} count
 * @returns {Motion[]}
 */
function motions(count) {
  const random = seeded(SEED);
  return Array.from({ length: count }, () => {
    const [turn, along, axis] = [randomTurn(random), direction(random), direction(random)];
    return (t) => compose(compose(shift(along, 2 * (1 - t)), rotation(...axis, DEGREES * t)), turn);
  });
}

/**
 * Bisects for the time of contact: clear at 0, in contact at 1.
 *
 * @param {(pose: Pose, look: number) => boolean} touches
 * @param {Motion} motion
 */
function timeOfContact(touches, motion) {
  let [clear, contact] = [0, 1];
  for (let look = 0; look < LOOKS; look++) {
    const middle = (clear + contact) / 2;
    if (touches(motion(middle), look)) contact = middle;
    else clear = middle;
  }
  return contact;
}

/** A reader whose cache of one box is emptied at every step, if it is to be none. */
class Reader {
  /** @param {Cursor} cursor @param {boolean} forgets */
  constructor({ reader, held }, forgets) {
    this.reader = reader;
    this.count = reader.count;
    this.wide = reader.wide;
    this.held = held;
    this.forgets = forgets;
  }

  /** Each step reads the words of its nodes before their boxes. @param {number} node */
  word(node) {
    if (this.forgets) this.held[0] = -1;
    return this.reader.word(node);
  }

  /** @param {number} node @param {Float64Array} out @param {number} at */
  decode(node, out, at) {
    return this.reader.decode(node, out, at);
  }
}

/** @param {ObbTree} tree @param {number} slots @returns {Cursor} */
function cursorOf(tree, slots) {
  const cursor = createCursor(tree, Math.max(1, slots));
  return { ...cursor, reader: /** @type {any} */ (new Reader(cursor, slots === 0)) };
}

/** @typedef {'search' | 'look'} Emptied when the cache is */

/**
 * A cache of some size on both sides.
 *
 * @param {readonly [ObbTree, ObbTree]} trees
 * @param {number} slots
 * @param {Emptied} emptied
 */
function searcher([a, b], slots, emptied) {
  const query = { poseA: identity(), all: false, maxContacts: 1, level: null };
  const cursors = /** @type {const} */ ([cursorOf(a, slots), cursorOf(b, slots)]);
  const empty = () => {
    for (const cursor of cursors) cursor.held.fill(-1);
  };
  /** Microseconds of the looks of the last search. */
  const times = new Float64Array(LOOKS);
  const touches = (/** @type {Pose} */ poseB, /** @type {number} */ look) => {
    if (emptied === 'look') empty();
    const from = performance.now();
    const { verdict } = checkObbTrees(a, b, { ...query, poseB }, ...cursors);
    times[look] = 1000 * (performance.now() - from);
    return verdict === 'contact';
  };
  const search = (/** @type {Motion} */ motion) => {
    if (emptied === 'search') empty();
    return timeOfContact(touches, motion);
  };
  const of = (/** @type {'asked' | 'decoded'} */ what) => cursors[0][what] + cursors[1][what];
  return { search, times, asked: () => of('asked'), decoded: () => of('decoded') };
}

/** @typedef {ReturnType<typeof searcher>} Searcher */

/**
 * Microseconds a search, of each look the least; all take turns.
 *
 * @param {readonly Searcher[]} searchers
 * @param {readonly Motion[]} flights
 * @param {number} rounds
 */
function timesOf(searchers, flights, rounds) {
  const total = searchers.map(() => 0);
  for (const [k, motion] of flights.entries()) {
    const least = searchers.map(() => new Float64Array(LOOKS).fill(Number.POSITIVE_INFINITY));
    let end = Number.NaN;
    for (let turn = -1; turn < rounds; turn++) {
      for (const [i, { search, times }] of searchers.entries()) {
        const found = search(motion);
        if (turn < 0 && i === 0) end = found;
        if (found !== end) throw new Error(`motion ${k}: caches give ${end} and ${found}`);
        if (turn >= 0) for (const [look, time] of times.entries()) least[i][look] = Math.min(least[i][look], time);
      }
    }
    for (const [i, looks] of least.entries()) total[i] += sum([...looks]) / flights.length;
  }
  return total;
}

/**
 * Boxes asked for and decoded in a search, on average.
 *
 * @param {Searcher} searcher
 * @param {readonly Motion[]} flights
 */
function countsOf({ search, asked, decoded }, flights) {
  const counts = flights.map((motion) => {
    const [before, held] = [asked(), decoded()];
    search(motion);
    return [asked() - before, decoded() - held];
  });
  return { asked: mean(counts.map(([x]) => x)), decoded: mean(counts.map(([, x]) => x)) };
}

/**
 * @param {readonly Mesh[]} meshes
 * @param {40 | 20} nodeBytes
 * @param {readonly Motion[]} flights
 * @param {number} rounds
 */
function byCacheSize(meshes, nodeBytes, flights, rounds) {
  const [a, b] = meshes.map((mesh) => build(mesh, { format: 'obb', nodeBytes }));
  // Nodes of 20 bytes read no words in between, and so forget nothing.
  const sizes = SIZES.filter((slots) => nodeBytes === 40 || slots > 0);
  const made = (/** @type {Emptied} */ emptied) => sizes.map((slots) => searcher([a, b], slots, emptied));
  const [kept, emptied] = [made('search'), made('look')];
  const times = timesOf([...kept, ...emptied], flights, rounds);
  const rows = sizes.map((slots, i) => {
    const [search, look] = [countsOf(kept[i], flights), countsOf(emptied[i], flights)];
    return {
      slots: Number.isFinite(slots) ? slots : null,
      asked: round(search.asked),
      decoded: round(search.decoded),
      hits: round(1 - search.decoded / search.asked, 4),
      us: digits(times[i]),
      emptiedHits: round(1 - look.decoded / look.asked, 4),
      emptiedUs: digits(times[sizes.length + i]),
    };
  });
  const nodes = [a, b].reduce((total, tree) => total + tree.nodes.length / nodeBytes, 0);
  return { nodes, rows };
}

/** @param {import('../race.mjs').Run} run */
export default function rapidCache({ quick, keep }) {
  const flights = motions(quick ? 2 : 12);
  const rounds = quick ? 1 : 5;
  const small = (quick ? ['bolt', 'torus'] : ['star', 'boulder']).map(sample);
  /** @type {Record<string, ReturnType<typeof byCacheSize>>} */
  const layouts = {};
  /** @type {readonly Contestant[]} */
  const contestants = [
    { name: 'OBB 40', meshes: small, nodeBytes: 40 },
    { name: 'OBB 20', meshes: small, nodeBytes: 20 },
    ...(quick ? [] : [{ name: 'OBB 40, large', meshes: [1, 2].map(bumpyBall), nodeBytes: /** @type {40} */ (40) }]),
  ];
  for (const { name, meshes, nodeBytes } of contestants) {
    const found = byCacheSize(meshes, nodeBytes, flights, rounds);
    layouts[name] = found;
    printTable(`${name}, ${found.nodes} nodes`, Object.fromEntries(found.rows.map((row) => [row.slots ?? 'all', row])));
  }
  keep({ names: ['star', 'boulder'], searches: flights.length, looks: LOOKS, product: PRODUCT, runs: rounds, layouts });
}
