// The claim of constant time: what one pair of solids takes, by position and by how space is
// subdivided, beside what the same question takes when it is asked again.
//
// S. Vyatkin, B. Dolgovesov, "Collision Detection of Functionally Defined Objects for Constant
// Time", section 3.3 and conclusion: "the time spread in the tests was below 1% of the given time",
// as "it is required to have equal number of levels of object space subdivision". The task `frep`
// has the spread over kinds of positions; here is one solid that goes through another.
//
//   npm run bench -- papers/frep-time

import { compose } from 'gicollide';
import { OURS, PAIRS, SEED, search, timed } from '../frep-inputs.mjs';
import { direction, randomTurn, seeded, shift } from '../inputs.mjs';
import { digits, mean, median, printTable } from '../race.mjs';

/** What the paper says of its times. */
const PAPER = { spread: 1, section: '3.3 and 4' };

/** @type {Record<string, import('../frep-inputs.mjs').Options>} */
const WAYS = {
  'slices, as the paper has them': { ...SEED, resolution: 6 },
  octants: { ...OURS, mixes: false, resolution: 6 },
  'octants, both tested together': { ...OURS, resolution: 6 },
};

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
  /** @type {Record<string, { cells: number[], us: number[], again: number | null, verdicts: string[] }>} */
  const ways = {};
  const places = Array.from({ length: steps }, (_, i) => digits(-1.2 + (2.4 * i) / (steps - 1), 6) ?? 0);
  for (const [way, options] of Object.entries(WAYS)) {
    const found = places.map((s) => {
      const pose = compose(shift(along, s), turn);
      return timed(() => search(PAIRS[name], pose, options), rounds, 200);
    });
    const pose = compose(shift(along, places[steps >> 2]), turn);
    const runs = Array.from({ length: 3 * rounds }, () => timed(() => search(PAIRS[name], pose, options), 5).least);
    ways[way] = {
      cells: found.map(({ answer }) => answer.tests.bounds),
      us: found.map(({ least }) => digits(least) ?? 0),
      // Other programs on the machine only add: a quarter may be theirs.
      again: spread(runs.toSorted((x, y) => x - y).slice(0, Math.ceil(0.75 * runs.length))),
      verdicts: found.map(({ answer }) => answer.verdict),
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
  const table = Object.entries(passes).flatMap(([name, { ways }]) =>
    Object.entries(ways).map(([way, { cells, us, again, verdicts }]) => {
      const touching = us.filter((_, i) => verdicts[i] === 'contact');
      const line = { 'least cells': Math.min(...cells), 'most cells': Math.max(...cells) };
      const times = { 'median us': digits(median(us)), 'cells, spread %': spread(cells), 'time, spread %': spread(us) };
      return /** @type {const} */ ([
        `${name}: ${way}`,
        { ...line, ...times, 'in contact, %': spread(touching), 'one again, %': again },
      ]);
    }),
  );
  const spreads = Object.fromEntries(table);
  printTable('a solid on its way through another, 2^6 cells an axis', spreads);
  keep({ runs: rounds, paper: PAPER, resolution: 6, passes, spreads });
}
