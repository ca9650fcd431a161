// Sets by minimum and maximum, by R-functions, and by R-functions with a term that blends: what a
// union and an intersection of 2 to 32 members cost, in cells and in time.
//
// S. Vyatkin, B. Dolgovesov, "Collision Detection of Functionally Defined Objects for Constant
// Time", section 3.2, equation 7: a set operation is any continuous function of two. The blends are
// those of A. Pasko and V. Savchenko (1994): docs/frep.md has their formula.
//
//   npm run bench -- papers/frep-blend
import { build, check, compose, readFrep } from 'gicollide';
import { direction, randomTurn, seeded, shift } from '../inputs.mjs';
import { digits, elapsed, median, printTable, startClock } from '../race.mjs';

/** @typedef {import('gicollide').FrepObject} FrepObject */

const PAPER = { section: '3.2', equation: 7 };
const DOMAIN = { min: [-1.2, -1.2, -1.2], max: [1.2, 1.2, 1.2] };

/** @param {object} object */
const model = (object) => build(readFrep(JSON.stringify({ object, domain: DOMAIN })));

/**
 * A balanced tree of sets of two.
 *
 * @param {object[]} members
 * @param {(two: object[]) => object} set
 * @returns {object}
 */
function tree(members, set) {
  if (members.length === 1) return members[0];
  const half = members.length >> 1;
  return set([tree(members.slice(0, half), set), tree(members.slice(half), set)]);
}

/**
 * A function that is 0 everywhere. Its sum with a set is asked for its value, not only for its
 * sign.
 */
const NOTHING = { quadric: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0] };

/** @param {'union' | 'intersection'} set @param {number} amount */
const blend = (set, amount) => (/** @type {object[]} */ shapes) => ({
  blend: { set, shapes, amount, widths: [0.3, 0.3] },
});

/** The same members as a set of each form. @param {'union' | 'intersection'} set @param {object[]} members */
const formsOf = (set, members) => ({
  'min and max': model(tree(members, (two) => ({ [set]: two }))),
  'R-functions': model(tree(members, blend(set, 0))),
  'min and max, as values': model({ sum: [tree(members, (two) => ({ [set]: two })), NOTHING] }),
  'R-functions, as values': model({ sum: [tree(members, blend(set, 0)), NOTHING] }),
  'R-functions that blend': model(tree(members, blend(set, set === 'union' ? 0.05 : -0.05))),
});

/** Ellipsoids about the middle, or large ones that all hold it. @param {'union' | 'intersection'} set @param {number} count */
function membersOf(set, count) {
  const random = seeded(count);
  return Array.from({ length: count }, () => {
    const center = direction(random).map((x) => (set === 'union' ? 0.6 : 0.25) * x);
    const size = set === 'union' ? 0.25 : 0.7;
    return { ellipsoid: { radii: [0, 0, 0].map(() => size * (0.7 + 0.6 * random())), center } };
  });
}

/**
 * Cells and microseconds of a query by every form, each pose by all in turn.
 *
 * @param {Record<string, FrepObject>} forms
 * @param {number} poses
 * @param {number} rounds
 */
function ask(forms, poses, rounds) {
  const probe = build(readFrep('{"object": {"ellipsoid": {"radii": [0.3, 0.2, 0.25]}}}'));
  const random = seeded(7);
  const names = Object.keys(forms);
  const cells = names.map(() => /** @type {number[]} */ ([]));
  const times = names.map(() => /** @type {number[]} */ ([]));
  const undecided = names.map(() => 0);
  let differ = 0;
  for (let i = 0; i < poses; i++) {
    const poseB = compose(shift(direction(random), 0.3 + 0.9 * random()), randomTurn(random));
    const verdicts = names.map((name, n) => {
      const { verdict, tests } = check(forms[name], probe, { poseB });
      cells[n].push(tests.bounds);
      if (verdict === 'undecided') undecided[n]++;
      return verdict;
    });
    // All but the last are the same solid.
    const told = verdicts.slice(0, -1).filter((verdict) => verdict !== 'undecided');
    if (told.some((verdict) => verdict !== told[0])) differ++;
    for (const [n, name] of names.entries()) {
      const own = Array.from({ length: rounds }, () => {
        startClock();
        check(forms[name], probe, { poseB });
        return 1000 * elapsed();
      });
      times[n].push(median(own));
    }
  }
  const mean = (/** @type {number[]} */ list) => list.reduce((sum, x) => sum + x, 0) / list.length;
  const lines = names.map((name, n) => {
    const line = { cells: digits(mean(cells[n])), us: digits(mean(times[n])), undecided: undecided[n] };
    return /** @type {const} */ ([name, line]);
  });
  return { forms: Object.fromEntries(lines), differ };
}

/** @param {import('../race.mjs').Run} run */
export default function frepBlend({ quick, keep }) {
  const [poses, rounds] = quick ? [4, 1] : [120, 5];
  /** @type {Record<string, Record<string, ReturnType<typeof ask>>>} */
  const sets = {};
  for (const set of /** @type {const} */ (['union', 'intersection'])) {
    sets[set] = {};
    for (const count of quick ? [2, 4] : [2, 4, 8, 16, 32]) {
      const found = ask(formsOf(set, membersOf(set, count)), poses, rounds);
      sets[set][count] = found;
      printTable(`${set} of ${count}: mean of ${poses} poses`, found.forms);
    }
  }
  keep({ runs: rounds, paper: PAPER, poses, operations: sets });
}
