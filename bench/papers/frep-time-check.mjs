// The claim of constant time: what one pair of solids takes, by position, with the paper's own
// search and with ours, beside what the same question takes when it is asked again.
//
// S. Vyatkin, B. Dolgovesov, "Collision Detection of Functionally Defined Objects for Constant
// Time", section 3.3 and conclusion: "the time spread in the tests was below 1% of the given time",
// as "it is required to have equal number of levels of object space subdivision". The task `frep`
// has the spread over kinds of positions; here is one solid that goes through another.
//
//   npm run bench -- papers/frep-time

import { compose } from 'gicollide';
import { OURS, PAIRS, paperSearch, SEED, search, timed } from '../frep-inputs.mjs';
import { direction, randomTurn, seeded, shift } from '../inputs.mjs';
import { digits, mean, median, printTable } from '../race.mjs';

/** The paper's statement on its times. */
const PAPER = { spread: 1, section: '3.3 and 4' };

const RESOLUTION = 6;

/** @typedef {import('../frep-inputs.mjs').Pair} Pair */
/** @typedef {import('gicollide').Pose} Pose */
/** @typedef {(pair: Pair, pose: Pose) => { cells: number, answer: string }} Way */

/** @type {(isForAll: boolean) => Way} */
const asPaper = (all) => (pair, pose) => paperSearch(pair, pose, { resolution: RESOLUTION, all });

/** @type {(options: import('../frep-inputs.mjs').Options) => Way} */
const byBounds = (options) => (pair, pose) => {
  const { tests, verdict } = search(pair, pose, options);
  return { cells: tests.bounds, answer: verdict === 'contact' ? 'found' : verdict };
};

/** @type {Record<string, Way>} */
const WAYS = {
  "the paper's way": asPaper(false),
  "the paper's way, all slices": asPaper(true),
  'slices, our bounds': byBounds({ ...SEED, resolution: RESOLUTION }),
  'octants, one by one': byBounds({ ...OURS, mixes: false, resolution: RESOLUTION }),
  ours: byBounds({ ...OURS, resolution: RESOLUTION }),
};

/**
 * @typedef {object} Passed
 * @property {number[]} cells
 * @property {number[]} us
 * @property {number | null} again
 * @property {string[]} answers
 */

/** Deviation, as a part of the mean, percent. @param {readonly number[]} values */
function spread(values) {
  const middle = mean(values);
  const variance = mean(values.map((x) => (x - middle) ** 2));
  return digits((100 * Math.sqrt(variance)) / middle);
}

/**
 * One solid on its way through another: cells and microseconds at each position.
 *
 * @param {string} name
 * @param {number} steps
 * @param {number} rounds
 */
function pass(name, steps, rounds) {
  const random = seeded(33);
  const turn = randomTurn(random);
  const along = direction(random);
  /** @type {Record<string, Passed>} */
  const ways = {};
  const places = Array.from({ length: steps }, (_, i) => digits(-1.2 + (2.4 * i) / (steps - 1), 6) ?? 0);
  const poses = places.map((s) => compose(shift(along, s), turn));
  for (const [way, ask] of Object.entries(WAYS)) {
    for (const pose of poses.slice(0, 8)) ask(PAIRS[name], pose); // warms up
    const found = poses.map((pose) => timed(() => ask(PAIRS[name], pose), rounds, 200));
    const runs = Array.from({ length: 3 * rounds }, () => timed(() => ask(PAIRS[name], poses[steps >> 2]), 5).least);
    ways[way] = {
      cells: found.map(({ answer }) => answer.cells),
      us: found.map(({ least }) => digits(least) ?? 0),
      // Other programs on the machine only add: a quarter may be theirs.
      again: spread(runs.toSorted((x, y) => x - y).slice(0, Math.ceil(0.75 * runs.length))),
      answers: found.map(({ answer }) => answer.answer),
    };
  }
  return { places, ways };
}

/** @param {import('../race.mjs').Run} run */
export default function frepTime({ quick, keep }) {
  const names = quick
    ? ['two balls']
    : ['two balls', 'spheres, 10 perturbations', 'spheres, 100 perturbations', 'two tori', 'asteroid, kidney'];
  const rounds = quick ? 2 : 7;
  const passes = Object.fromEntries(names.map((name) => [name, pass(name, quick ? 9 : 61, rounds)]));
  const spreads = Object.entries(passes).flatMap(([pair, { ways }]) => {
    // Positions at which all ways were asked the same: ours proves contact.
    const isContact = ways.ours.answers.map((answer) => answer === 'found');
    return Object.entries(ways).map(([way, { cells, us, again, answers }]) => {
      /** @param {readonly number[]} values */
      const touching = (values) => values.filter((_, i) => isContact[i]);
      return {
        ...{ pair, way, least: Math.min(...cells), most: Math.max(...cells), us: digits(median(us)) },
        ...{ cells: spread(cells), time: spread(us), again },
        contact: { cells: spread(touching(cells)), time: spread(touching(us)), positions: touching(us).length },
        missed: answers.filter((answer, i) => isContact[i] && answer !== 'found').length,
      };
    });
  });
  printTable(
    `a solid on its way through another, 2^${RESOLUTION} cells an axis; spreads in %`,
    Object.fromEntries(
      spreads.map(({ pair, way, contact, ...line }) => [
        `${pair}: ${way}`,
        { ...line, 'cells in contact': contact.cells, 'time in contact': contact.time },
      ]),
    ),
  );
  keep({ runs: rounds, paper: PAPER, resolution: RESOLUTION, passes, spreads });
}
