// P. Terdiman, "RAPID Hack" (2000 to 2002), step 3: keep the tree compressed, decompress a branch
// the first time it is needed, and keep it in a cache while the time of contact is searched for.
//
// Here a body flies and turns towards another one, and the time of contact is bisected; each look
// is a first contact of two OBB trees. The cache of decoded boxes has so many of them, is
// direct-mapped, and begins empty, with each search or with each look. It says how often a box was
// in it.
//
//   npm run bench -- papers/rapid-cache
import { build, compose, identity, rotation } from 'gicollide';
import { checkObbTrees } from '#src/representations/obb/search/descent';
import { createCursor } from '#src/representations/obb/tree/cursor';
import { direction, randomTurn, sample, seeded, shift } from '../inputs.mjs';
import { digits, elapsed, mean, median, printTable, round, startClock } from '../race.mjs';
import { cursorHolding, decodedBoxes } from './rapid-trees.mjs';

/** @typedef {import('gicollide').ObbTree} ObbTree */
/** @typedef {import('gicollide').Pose} Pose */
/** @typedef {ReturnType<typeof createCursor>} Cursor */
/** @typedef {(t: number) => Pose} Motion */

const SEED = 2003;
/** Boxes in a cache; 1 is none but for a box that is asked for twice running. */
const SIZES = [1, 4, 16, 64, 256, 1024, 4096, Number.POSITIVE_INFINITY];
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
 * @param {(pose: Pose) => boolean} touches
 * @param {Motion} motion
 */
function timeOfContact(touches, motion) {
  let [clear, contact] = [0, 1];
  for (let look = 0; look < LOOKS; look++) {
    const middle = (clear + contact) / 2;
    if (touches(motion(middle))) contact = middle;
    else clear = middle;
  }
  return contact;
}

/** @typedef {'search' | 'look' | 'never'} Emptied when the cache is */

/**
 * A cache of some size on both sides.
 *
 * @param {readonly [ObbTree, ObbTree]} trees
 * @param {readonly [Cursor, Cursor]} cursors
 * @param {Emptied} emptied
 */
function searcher([a, b], cursors, emptied) {
  const query = { poseA: identity(), all: false, maxContacts: 1, level: null };
  const empty = () => {
    for (const cursor of cursors) cursor.held.fill(-1);
  };
  const touches = (/** @type {Pose} */ poseB) => {
    if (emptied === 'look') empty();
    return checkObbTrees(a, b, { ...query, poseB }, ...cursors).verdict === 'contact';
  };
  const search = (/** @type {Motion} */ motion) => {
    if (emptied === 'search') empty();
    return timeOfContact(touches, motion);
  };
  const of = (/** @type {'asked' | 'decoded'} */ what) => cursors[0][what] + cursors[1][what];
  return { search, asked: () => of('asked'), decoded: () => of('decoded') };
}

/** @typedef {ReturnType<typeof searcher>} Searcher */

/**
 * Microseconds a search; all take turns.
 *
 * @param {readonly Searcher[]} searchers
 * @param {readonly Motion[]} flights
 * @param {number} rounds
 */
function timesOf(searchers, flights, rounds) {
  const samples = searchers.map(() => /** @type {number[]} */ ([]));
  let sink = 0;
  for (let turn = -1; turn < rounds; turn++) {
    for (const motion of flights) {
      for (const [i, { search }] of searchers.entries()) {
        startClock();
        sink += search(motion);
        if (turn >= 0) samples[i].push(1000 * elapsed());
      }
    }
  }
  if (Number.isNaN(sink)) throw new Error('the results were used');
  return samples.map(median);
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
 * @param {readonly string[]} names
 * @param {40 | 20} nodeBytes
 * @param {readonly Motion[]} flights
 * @param {number} rounds
 */
function byCacheSize(names, nodeBytes, flights, rounds) {
  const [a, b] = names.map((name) => build(sample(name), { format: 'obb', nodeBytes }));
  const trees = /** @type {const} */ ([a, b]);
  const made = (/** @type {number} */ slots, /** @type {Emptied} */ emptied) =>
    searcher(trees, [createCursor(a, slots), createCursor(b, slots)], emptied);
  const kept = SIZES.map((slots) => made(slots, 'search'));
  const emptied = SIZES.map((slots) => made(slots, 'look'));
  const held = searcher(trees, [cursorHolding(a, decodedBoxes(a)), cursorHolding(b, decodedBoxes(b))], 'never');
  const times = timesOf([...kept, ...emptied, held], flights, rounds);
  const rows = SIZES.map((slots, i) => {
    const [search, look] = [countsOf(kept[i], flights), countsOf(emptied[i], flights)];
    return {
      slots: Number.isFinite(slots) ? slots : null,
      asked: round(search.asked),
      decoded: round(search.decoded),
      hits: round(1 - search.decoded / search.asked, 4),
      us: digits(times[i]),
      emptiedHits: round(1 - look.decoded / look.asked, 4),
      emptiedUs: digits(times[SIZES.length + i]),
    };
  });
  const nodes = [a, b].reduce((total, tree) => total + tree.nodes.length / nodeBytes, 0);
  return { nodes, rows, heldUs: digits(times[times.length - 1]) };
}

/** @param {import('../race.mjs').Run} run */
export default function rapidCache({ quick, keep }) {
  const flights = motions(quick ? 2 : 30);
  const names = quick ? ['bolt', 'torus'] : ['star', 'boulder'];
  /** @type {Record<string, ReturnType<typeof byCacheSize>>} */
  const layouts = {};
  for (const nodeBytes of /** @type {const} */ ([40, 20])) {
    const found = byCacheSize(names, nodeBytes, flights, quick ? 1 : 5);
    layouts[`${nodeBytes} bytes`] = found;
    printTable(
      `${nodeBytes} bytes, ${found.nodes} nodes, ${found.heldUs} us with all decoded`,
      Object.fromEntries(found.rows.map((row) => [row.slots ?? 'all', row])),
    );
  }
  keep({ names, searches: flights.length, looks: LOOKS, runs: quick ? 1 : 5, layouts });
}
