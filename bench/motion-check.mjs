// The time of first contact of two bodies, one of which moves, beside FCL's conservative
// advancement (bench/native), which runs directly before on the same triangles, motions and
// resolution of time.
//
//   npm run bench -- motion
//   ... --only=<text>       only pairs with the text in their names
//   ... --no-native         without FCL
//
// The moving body passes through the other, beside it, or far from it, and turns by up to 120
// degrees. FCL's traversal of RSS trees is timed. continuousCollide gives wrong answers, which are
// only counted (native/fcl-bench.cpp explains why). A sample is the mean of enough calls of one
// motion to take 50 us; a motion counts by the median of three. The truth is `check` at 2048 times,
// bisected at the first contact. An answer is wrong if it says "apart" at a time of contact, or
// "contact" while the surfaces are not close for a while.
import { build, compose, prepare, rotation, translation } from 'gicollide';
import '#src/representations/everything';
import { screw, still, straight } from '#src/motion/motions';
import { impactOf } from '#src/motion/moving-pair';
import { direction, npmTeapot, randomTurn, sample, seeded, subdivided } from './inputs.mjs';
import { reasonNotToRun, runFclMotion } from './native/fcl.mjs';
import { geometricMean } from './page-text.mjs';
import { digits, elapsed, median, printTable, startClock } from './race.mjs';

/** @typedef {import('gicollide').Asset} Asset */
/** @typedef {import('gicollide').Surface} Surface */
/** @typedef {import('gicollide').Pose} Pose */
/** @typedef {readonly [Pose, Pose]} Ends */

/** A part of the motion's time; FCL's own. */
const RESOLUTION = 1e-5;
const ROUNDS = 3;
const SHORTEST = 0.05; // milliseconds a sample
const TIMES = 2048;
/** A contact that is said to be here, while they touch so much later, is none. */
const NEAR = 1e-3;

const KINDS = { straight, screw };
/** @typedef {keyof typeof KINDS} Between */

/** @type {Record<string, () => readonly [Surface, Surface]>} */
const PAIRS = {
  'bunny-bunny': () => [sample('bunny'), sample('bunny')],
  'bunny-blob': () => [sample('bunny'), sample('blob')],
  'teapot-bunny': () => [npmTeapot(), sample('bunny')],
  'fine bunny-fine bunny': () => {
    const fine = subdivided(subdivided(sample('bunny')));
    return [fine, fine];
  },
};

/** @param {Surface} surface half the longest side */
function radiusOf({ positions }) {
  let most = 0;
  for (const x of positions) most = Math.max(most, Math.abs(x));
  return most;
}

/**
 * @param {readonly Surface[]} meshes
 * @param {number} count
 * @param {number} seed
 * @returns {Ends[]}
 */
function motionsOf(meshes, count, seed) {
  const random = seeded(seed);
  const size = meshes.map(radiusOf).reduce((a, b) => a + b);
  return Array.from({ length: count }, (_, n) => {
    const along = direction(random);
    const aside = direction(random);
    // A third goes for the middle, a third beside it, a third far from it.
    const off = size * ((n % 3) * 0.5 + 0.4 * random());
    const side = aside.map((x, k) => x - along[k] * along.reduce((sum, y, i) => sum + y * aside[i], 0));
    const length = Math.hypot(...side);
    const at = (/** @type {number} */ s) => {
      const [x, y, z] = side.map((v, k) => 1.5 * s * size * along[k] + (off * v) / length);
      return translation(x, y, z);
    };
    const turn = randomTurn(random);
    const turned = compose(rotation(...direction(random), 10 + 110 * random()), turn);
    return [compose(at(1), turn), compose(at(-1), turned)];
  });
}

/**
 * The first time at which they are found in contact, 2 where there is none.
 *
 * @param {(pose: Pose) => boolean} touches
 * @param {(time: number) => Pose} poseAt
 */
function firstTouch(touches, poseAt) {
  const found = Array.from({ length: TIMES + 1 }, (_, k) => k / TIMES).find((time) => touches(poseAt(time)));
  if (found === undefined) return 2;
  let [low, high] = [found - 1 / TIMES, found];
  while (high - low > 1e-10 && high > 0) {
    const middle = (low + high) / 2;
    if (touches(poseAt(middle))) high = middle;
    else low = middle;
  }
  return high;
}

/**
 * @param {number} impact 2 where there is none
 * @param {number} truth
 */
const isLate = (impact, truth) => impact > truth + 1e-9;
/** @type {typeof isLate} */
const isEarly = (impact, truth) => impact < 2 && truth > impact + NEAR;

/** Microseconds a call, the median of some samples. @param {() => unknown} ask */
function timeOfCall(ask) {
  const time = (/** @type {number} */ calls) => {
    startClock();
    for (let i = 0; i < calls; i++) ask();
    return elapsed();
  };
  let calls = 1;
  while (time(calls) < SHORTEST) calls *= 2;
  return median(Array.from({ length: ROUNDS }, () => (1000 * time(calls)) / calls));
}

/**
 * @param {readonly [Asset, Asset]} trees
 * @param {readonly Surface[]} meshes
 * @param {readonly Ends[]} ends
 * @param {Between} between
 * @param {boolean} hasFcl
 */
function raceOf([a, b], meshes, ends, between, hasFcl) {
  const fcl = hasFcl ? runFclMotion(meshes, ends, between, ROUNDS, RESOLUTION) : null;
  const checker = prepare(a, b);
  const standing = still(translation(0, 0, 0));
  const options = { timeResolution: RESOLUTION };
  const moves = ends.map(([from, to]) => KINDS[between](from, to));
  const ask = moves.map((move) => () => impactOf(a, b, standing, move, options));
  for (const call of ask) call(); // compiled before any is timed
  return moves.map((move, i) => {
    const impact = ask[i]();
    const truth = firstTouch(
      (pose) => checker.verdict(pose) === 'contact',
      (time) => move.poseAt(time),
    );
    const own = impact.first?.from ?? 2;
    const isContact = impact.verdict === 'contact';
    return {
      touches: truth < 2,
      us: timeOfCall(ask[i]),
      times: impact.tests.times,
      isUndecided: impact.verdict === 'undecided',
      isWrong: isLate(own, truth) || (isContact && isEarly(own, truth)),
      fcl: fcl && {
        us: median(fcl.times[i]),
        times: fcl.steps[i],
        isWrong: isLate(fcl.impact[i], truth) || isEarly(fcl.impact[i], truth),
        isPublishedWrong: isLate(fcl.published[i], truth) || isEarly(fcl.published[i], truth),
      },
    };
  });
}

/** @typedef {ReturnType<typeof raceOf>} Races */

/** @param {Races} races */
function summary(races) {
  const count = (/** @type {(race: Races[number]) => unknown} */ is) => races.filter(is).length;
  const hits = races.filter(({ touches }) => touches);
  const misses = races.filter(({ touches }) => !touches);
  const hasFcl = races.every(({ fcl }) => fcl);
  const us = (/** @type {Races} */ list) => list.map((race) => race.us);
  const fclUs = (/** @type {Races} */ list) => list.map(({ fcl }) => fcl?.us ?? Number.NaN);
  const own = digits(geometricMean(us(races)));
  const peer = digits(geometricMean(fclUs(races)));
  return {
    motions: races.length,
    hits: hits.length,
    us: own,
    'us, hit': digits(median(us(hits))),
    'us, miss': digits(median(us(misses))),
    'us, longest': digits(Math.max(...us(races))),
    times: digits(median(races.map(({ times }) => times))),
    wrong: count(({ isWrong }) => isWrong),
    undecided: count(({ isUndecided }) => isUndecided),
    'FCL us': peer,
    'FCL us, hit': digits(median(fclUs(hits))),
    'FCL us, miss': digits(median(fclUs(misses))),
    'FCL us, longest': digits(Math.max(...fclUs(races))),
    'FCL times': hasFcl ? digits(median(races.map(({ fcl }) => fcl?.times ?? 0))) : null,
    'FCL wrong': hasFcl ? count(({ fcl }) => fcl?.isWrong) : null,
    'FCL, continuousCollide, wrong': hasFcl ? count(({ fcl }) => fcl?.isPublishedWrong) : null,
    ratio: own && peer && digits(own / peer),
  };
}

/** @param {import('./race.mjs').Run} run */
export default function motion({ quick, options, keep }) {
  const reason = options['no-native'] ? '--no-native' : reasonNotToRun();
  if (reason) console.log(`without FCL: ${reason}`);
  const chosen = Object.entries(PAIRS).filter(([name]) => name.includes(options.only ?? (quick ? 'bunny-blob' : '')));
  /** @type {Record<string, { triangles: number[], rows: Record<string, ReturnType<typeof summary>> }>} */
  const pairs = {};
  for (const [name, make] of chosen) {
    const meshes = make();
    const wide = (/** @type {Surface} */ mesh) => build({ ...mesh, groups: [] }, { format: 'obb', nodeBytes: 64 });
    const trees = /** @type {const} */ ([wide(meshes[0]), wide(meshes[1])]);
    // continuousCollide takes seconds a motion where trees are large.
    const count = name.startsWith('fine') ? 12 : 30;
    const ends = motionsOf(meshes, quick ? 3 : count, 2026);
    const rows = Object.fromEntries(
      /** @type {Between[]} */ (Object.keys(KINDS)).map((between) => [
        between,
        summary(raceOf(trees, meshes, ends, between, !reason)),
      ]),
    );
    printTable(`${name}, one motion`, rows);
    pairs[name] = { triangles: meshes.map(({ triangles }) => triangles.length / 3), rows };
  }
  const all = Object.values(pairs).flatMap(({ rows }) => Object.values(rows));
  const ratio = reason ? null : digits(geometricMean(all.map(({ ratio: x }) => Number(x))));
  if (ratio) console.log(`\ngeometric mean of the ratios to FCL: ${ratio}`);
  keep({ resolution: RESOLUTION, native: reason ? 'none' : 'FCL', only: options.only, pairs, ratio });
}
