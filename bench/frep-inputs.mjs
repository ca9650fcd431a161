// Inputs of the task `frep`: pairs of F-reps, ways to bring them together, and a search whose
// answers are checked.
import { readFileSync } from 'node:fs';
import { build, compose, identity, readFrep } from 'gicollide';
import { searchCells } from '#src/representations/frep/search/descent';
import { placeInCube, searchAsSeed } from '#src/representations/frep/search/seed';
import { evaluate } from '#src/representations/frep/tree/evaluate';
import { direction, randomTurn, seeded, shift } from './inputs.mjs';
import { median } from './race.mjs';

/** @typedef {import('gicollide').FrepObject} FrepObject */
/** @typedef {import('gicollide').Pose} Pose */
/** @typedef {import('./inputs.mjs').Point} Point */
/** @typedef {readonly FrepObject[]} Pair two of them */
/** @typedef {(distance: number) => Pose} Way */
/**
 * @typedef {{ at: Way, end: number }} Approach a way to bring b to a, and where they first touch
 *   when it comes from outside
 */
/**
 * @typedef {import('#src/representations/frep/search/descent').SearchOptions & { resolution: number
 *   }} Options
 */

/** @param {object} object @param {object} [domain] */
export const model = (object, domain) => build(readFrep(JSON.stringify({ object, ...(domain && { domain }) })));
/** @param {string} name */
export const asset = (name) => build(readFrep(readFileSync(new URL(`../assets/${name}.frep.json`, import.meta.url))));
/** @param {number} radius */
const ball = (radius) => model({ sphere: { radius } });
/** @param {number} half */
export const cube = (half) => ({ min: [-half, -half, -half], max: [half, half, half] });

/**
 * A sphere with hills and, every third, pits: the more, the smaller.
 *
 * @param {number} count
 * @param {number} seed
 */
function perturbed(count, seed) {
  const random = seeded(seed);
  const size = Math.min(0.5, 1.2 / Math.sqrt(count));
  const perturbations = Array.from({ length: count }, (_, i) => ({
    amount: (i % 3 === 2 ? -0.12 : 0.12) * (0.5 + random()),
    by: {
      ellipsoid: {
        center: direction(random).map((x) => 0.4 * x),
        radii: [0, 0, 0].map(() => size * (0.6 + 0.6 * random())),
      },
    },
  }));
  return model({ sphere: { radius: 0.4 }, perturbations }, cube(0.75));
}

/**
 * A sphere with thin spikes, which are perturbations too.
 *
 * @param {number} count
 * @param {number} seed
 */
export function hedgehog(count, seed) {
  const random = seeded(seed);
  const perturbations = Array.from({ length: count }, () => ({
    amount: 0.4,
    by: { sphere: { radius: 0.1 }, scale: [0.5, 0.5, 3], ...along(direction(random)) },
  }));
  return model({ sphere: { radius: 0.3 }, perturbations }, cube(0.75));
}

/**
 * Turns the z axis to a direction, and moves there by 0.3.
 *
 * @param {Point} d
 */
function along(d) {
  const degrees = (180 / Math.PI) * Math.acos(d[2]);
  return { rotate: { axis: [-d[1], d[0], 0], degrees }, translate: d.map((x) => 0.3 * x) };
}

/** @param {FrepObject} object */
const twice = (object) => [object, object];
/**
 * Two spheres with 0.05 sin 8x cos 8y, as two waves and as a formula: the same function.
 *
 * @param {'waves' | 'expression'} kind
 */
function rippled(kind) {
  const ripples = {
    waves: [
      [0.025, 8, 8, 0, 0],
      [0.025, 8, -8, 0, 0],
    ],
    expression: '0.05 * sin(8*x) * cos(8*y)',
  };
  return twice(model({ sum: [{ sphere: { radius: 0.5 } }, { [kind]: ripples[kind] }] }, cube(0.75)));
}
/** @type {Record<string, Pair>} */
export const PAIRS = {
  'two balls': [ball(0.5), ball(0.3)],
  ...Object.fromEntries(
    [1, 3, 10, 30, 100, 300].map((n) => [`spheres, ${n} perturbations`, [perturbed(n, n), perturbed(n, 1000 + n)]]),
  ),
  'two tori': twice(model({ torus: { major: 0.35, minor: 0.12 } })),
  'noise spheres': twice(asset('noise-sphere')),
  ...{ 'ripples, waves': rippled('waves'), 'ripples, formula': rippled('expression') },
  flanges: twice(asset('flange')),
  'asteroid, kidney': [asset('asteroid'), asset('kidney')],
  'vase, chain': [asset('vase'), asset('chain')],
};

/** @type {Options} */
export const OURS = { subdivision: 'octants', mixes: true, resolution: 10 };
/** Slices by our bounds: the paper's own tests are those of `paperSearch`. @type {Options} */
export const SEED = { subdivision: 'slices', mixes: false, resolution: 10 };

/** @param {Pose} poseB */
export const query = (poseB, all = false) => ({ poseA: identity(), poseB, all, maxContacts: 1e9, level: null });

/**
 * @param {Pair} pair
 * @param {Pose} poseB
 * @param {Options} options
 * @param {boolean} [all]
 */
export function search([a, b], poseB, options, all) {
  const { resolution } = options;
  const outcome = searchCells({ ...a, resolution }, { ...b, resolution }, query(poseB, all), options);
  if (outcome.point) requireInside([a, b], poseB, outcome.point);
  return outcome;
}

const UNIT = Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0);

/**
 * The seed paper's search, with its tests 8 to 10 as printed. It proves nothing.
 *
 * @param {Pair} pair
 * @param {Pose} poseB
 * @param {{ resolution: number, all?: boolean, mostCells?: number }} options
 */
export function paperSearch([a, b], poseB, options) {
  const placed = [
    { program: a.program, map: UNIT },
    { program: b.program, map: placeInCube(a, b, query(poseB)) },
  ];
  return searchAsSeed(placed, options);
}

/**
 * Throws unless a proof of contact is one, to the rounding of plain evaluation.
 *
 * @param {Pair} pair
 * @param {Pose} pose
 * @param {readonly number[]} point
 */
function requireInside([a, b], pose, [x, y, z]) {
  const [dx, dy, dz] = [x - pose[3], y - pose[7], z - pose[11]];
  const local = (/** @type {number} */ i) => pose[i] * dx + pose[4 + i] * dy + pose[8 + i] * dz;
  const least = Math.min(evaluate(a, x, y, z), evaluate(b, local(0), local(1), local(2)));
  if (!(least >= -1e-9)) throw new Error(`a point of contact where a function is ${least}`);
}

/**
 * What a query answers, and its microseconds: the median and the least of `rounds`, or of those
 * that began within `most` ms.
 *
 * @template T
 * @param {() => T} run
 * @param {number} rounds
 */
export function timed(run, rounds, most = 30) {
  /** @type {number[]} */
  const times = [];
  const start = performance.now();
  for (;;) {
    const at = performance.now();
    const answer = run();
    times.push(1000 * (performance.now() - at));
    if (times.length < rounds && performance.now() - start < most) continue;
    return { answer, time: median(times), least: Math.min(...times) };
  }
}

/**
 * The last distance at which the two touch, to 1e-13; 0 where they touch nowhere.
 *
 * @param {Pair} pair
 * @param {Way} at
 */
function touch(pair, at) {
  const isContact = (/** @type {number} */ s) => search(pair, at(s), { ...OURS, resolution: 20 }).verdict === 'contact';
  let [inside, outside] = [0, 2];
  if (!isContact(inside)) return 0;
  while (outside - inside > 1e-13) {
    const middle = (inside + outside) / 2;
    if (isContact(middle)) inside = middle;
    else outside = middle;
  }
  return inside;
}

/**
 * @param {Pair} pair
 * @param {number} count
 * @param {number} seed
 */
export function approaches(pair, count, seed) {
  const random = seeded(seed);
  /** @type {Approach[]} */
  const ways = [];
  while (ways.length < count) {
    const turn = randomTurn(random);
    const along = direction(random);
    /** @type {Way} */
    const at = (s) => compose(shift(along, s), turn);
    const end = touch(pair, at);
    if (end > 0) ways.push({ at, end });
  }
  return ways;
}
