// Test 10 of the paper, as it is printed and with A44 < 0: how many cells each leaves a perturbation
// out that is positive there, and how many collisions that costs.
//
// S. Vyatkin, B. Dolgovesov, "Collision Detection of Functionally Defined Objects for Constant
// Time", section 3.3, tests 8 to 10. The solids are balls, each with one bulge that reaches out of
// it; bulges meet where the balls do not. What is true is found by points: F is above 0 at one.
//
//   npm run bench -- papers/frep-test10
import { direction, seeded } from '../inputs.mjs';
import { printTable, round } from '../race.mjs';
import { collide, half, isUndefined } from './frep-tests.mjs';

const PAPER = { test: 10, section: '3.3', claim: 'the collision is always detected' };

/** |x - c|^2 <= r^2 as a quadric, times a number. @param {readonly number[]} c @param {number} r @param {number} by */
const ball = ([x, y, z], r, by) => [
  ...[-by, -by, -by, 0, 0, 0],
  ...[2 * by * x, 2 * by * y, 2 * by * z],
  by * (r * r - x * x - y * y - z * z),
];

/** A quadric at a point. @param {readonly number[]} q @param {readonly number[]} x */
const quadricAt = ([a, b, c, d, e, f, g, h, i, k], [x, y, z]) =>
  a * x * x + b * y * y + c * z * z + d * x * y + e * x * z + f * y * z + g * x + h * y + i * z + k;

/** @param {import('./frep-tests.mjs').Solid} solid @param {readonly number[]} x */
const valueAt = ({ base, perturbations }, x) =>
  perturbations.reduce((sum, q) => sum + Math.max(0, quadricAt(q, x)) ** 2, quadricAt(base, x));

/**
 * Two balls on either side, apart, with a bulge each between them.
 *
 * @param {() => number} random
 */
function pairOf(random) {
  const along = direction(random);
  return [-1, 1].map((side) => {
    const at = along.map((x) => side * 0.55 * x);
    const bulge = along.map((x) => side * (0.25 + 0.2 * random()) * x);
    return { base: ball(at, 0.4, 1), perturbations: [ball(bulge, 0.35 + 0.25 * random(), 3 + 6 * random())] };
  });
}

/**
 * A common point of both, if one was found.
 *
 * @param {readonly import('./frep-tests.mjs').Solid[]} solids
 * @param {() => number} random
 */
function isContact(solids, random) {
  for (let i = 0; i < 4000; i++) {
    const x = [0, 0, 0].map(() => 1.2 * random() - 0.6);
    if (solids.every((solid) => valueAt(solid, x) >= 0)) return true;
  }
  return false;
}

/** Cells on which a perturbation is positive, and those that each form of the test leaves it out of. @param {number} count */
function cells(count) {
  const random = seeded(10);
  const found = { cells: 0, 'positive somewhere': 0, 'left out as printed': 0, 'left out with A44 < 0': 0 };
  for (let i = 0; i < count; i++) {
    /** @type {readonly number[]} */
    let q = ball(
      [0, 0, 0].map(() => 2 * random() - 1),
      0.3 + 0.7 * random(),
      1,
    );
    for (let depth = 0; depth < 9; depth++) q = half(q, depth % 3, random() < 0.5 ? -1 : 1);
    found.cells++;
    const isPositive = [-1, 0, 1].some((x) =>
      [-1, 0, 1].some((y) => [-1, 0, 1].some((z) => quadricAt(q, [x, y, z]) > 0)),
    );
    if (!isPositive) continue;
    found['positive somewhere']++;
    if (isUndefined(q, true)) found['left out as printed']++;
    if (isUndefined(q, false)) found['left out with A44 < 0']++;
  }
  return found;
}

/** @param {import('../race.mjs').Run} run */
export default function frepTest10({ quick, keep }) {
  const [pairs, levels] = quick ? [6, 3] : [400, 5];
  const random = seeded(104);
  /** @type {Record<string, Record<string, number>>} */
  const collisions = {};
  for (const name of ['as printed', 'with A44 < 0']) collisions[name] = { contact: 0, undecided: 0, 'false clear': 0 };
  let contacts = 0;
  for (let i = 0; i < pairs; i++) {
    const solids = pairOf(random);
    if (!isContact(solids, random)) continue;
    contacts++;
    for (const [name, line] of Object.entries(collisions)) {
      const verdict = collide(solids, levels, name === 'as printed');
      line[verdict === 'clear' ? 'false clear' : verdict]++;
    }
  }
  const small = cells(quick ? 500 : 100_000);
  printTable(`${contacts} pairs of bulged balls in contact, 2^${levels} cells an axis`, collisions);
  printTable('cells 1/8 of the cube wide', { cells: small });
  const missed = round((100 * collisions['as printed']['false clear']) / Math.max(1, contacts));
  keep({ runs: 1, paper: PAPER, levels, pairs, contacts, missed, collisions, cells: small });
}
