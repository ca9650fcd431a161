// Section 3.1 of Raabe et al. 2006: "In practical cases, the complexity is in O(log n)". Tests of
// pairs of nodes by the number of triangles: one surface in several sizes, at poses in contact,
// apart by a little, and deep in each other.
//
//   npm run bench -- papers/kdop-growth
import { build, check, compose } from 'gicollide';
import { direction, normalised, randomTurn, seeded, sheet, shift, subdivided } from '../inputs.mjs';
import { digits, mean, printTable, round } from '../race.mjs';
import { logarithmOf, powerOf } from './growth.mjs';
import { headlight } from './headlight.mjs';

/** @typedef {import('gicollide').KdopTree} KdopTree */
/** @typedef {import('gicollide').Mesh} Mesh */
/** @typedef {import('gicollide').Pose} Pose */
/** @typedef {{ turn: Pose, along: [number, number, number] }} Placed */

const SEED = 31;
/** Quads along an edge of each of a ball's six sheets. */
const BALLS = [6, 12, 24, 48, 96, 136];
const POSES = 40;

/**
 * A ball with waves, of 12 quads^2 triangles whose vertices lie on one surface.
 *
 * @param {number} quads along the edge of a sheet
 */
export function ball(quads) {
  const mesh = { positions: [], triangles: [] };
  for (let face = 0; face < 6; face++) {
    const side = face % 2 === 0 ? 1 : -1;
    /** @param {number} u @param {number} v */
    const at = (u, v) => {
      const corner = [side, side * (2 * u - 1), 2 * v - 1];
      const length = Math.hypot(...corner);
      const p = [0, 1, 2].map((k) => corner[(k + (face >> 1)) % 3] / length);
      const bump = 0.04 * (Math.sin(7 * p[0] + 1) + Math.sin(6 * p[1] + 2 * p[2]) + Math.sin(5 * p[2] - 4 * p[0]));
      return p.map((x) => (1 + bump) * x);
    };
    sheet(quads, quads, at, mesh);
  }
  return normalised(mesh);
}

/**
 * Lamps whose triangles are cut in four, in sixteen and so on.
 *
 * @param {boolean} quick
 * @returns {Mesh[]}
 */
function lamps(quick) {
  const meshes = [headlight(quick ? 0.08 : 1)];
  for (let i = 0; i < (quick ? 2 : 3); i++) meshes.push(subdivided(meshes[i]));
  return meshes;
}

/**
 * How far b is moved from where it just touches, diagonals; below 0 into a. `isAll`: all contacts.
 *
 * @type {readonly { name: string, kind: string, gap: number, isAll: boolean }[]}
 */
const CASES = [
  { name: 'first contact, a hundredth deep', kind: 'first', gap: -1e-2, isAll: false },
  { name: 'first contact, a ten-thousandth deep', kind: 'first', gap: -1e-4, isAll: false },
  { name: 'all contacts, a hundredth deep', kind: 'all', gap: -1e-2, isAll: true },
  { name: 'all contacts, a tenth deep', kind: 'all', gap: -1e-1, isAll: true },
  { name: 'apart by a hundredth', kind: 'miss', gap: 1e-2, isAll: false },
  { name: 'apart by a thousandth', kind: 'miss', gap: 1e-3, isAll: false },
  { name: 'apart by a millionth', kind: 'miss', gap: 1e-6, isAll: false },
];

/**
 * How far along its direction b just touches a.
 *
 * @param {KdopTree} tree
 * @param {Placed} placed
 */
function touchingAt(tree, { turn, along }) {
  let [inside, outside] = [0, 1.5];
  while (outside - inside > 1e-9) {
    const middle = (inside + outside) / 2;
    if (check(tree, tree, { poseB: compose(shift(along, middle), turn) }).verdict === 'contact') inside = middle;
    else outside = middle;
  }
  return outside;
}

/**
 * Tests by size.
 *
 * @param {readonly Mesh[]} meshes of one surface, the smallest first
 * @param {readonly Placed[]} placed
 */
function testsBySize(meshes, placed) {
  return meshes.map((mesh) => {
    const tree = build(mesh, { format: 'kdop' });
    const touching = placed.map((each) => touchingAt(tree, each));
    const tests = CASES.map(({ gap, isAll }) =>
      placed.map(({ turn, along }, i) => {
        const poseB = compose(shift(along, touching[i] + gap), turn);
        const found = check(tree, tree, { poseB, all: isAll, maxContacts: 1e7, engine: 'search' });
        const isAsMeant = gap < 0 ? found.verdict === 'contact' : found.verdict === 'clear';
        return { nodes: found.tests.bounds, contacts: found.contacts.count, isAsMeant: Number(isAsMeant) };
      }),
    );
    return {
      triangles: mesh.triangles.length / 3,
      levels: Math.round(Math.log2(tree.links.length)),
      tests: tests.map((each) => round(mean(each.map(({ nodes }) => nodes)))),
      contacts: tests.map((each) => round(mean(each.map(({ contacts }) => contacts)))),
      asMeant: tests.map((each) => digits(mean(each.map(({ isAsMeant }) => isAsMeant)))),
    };
  });
}

/**
 * a + b log2 n and s n^x through the tests, and how far each misses, as a share of the mean.
 *
 * @param {ReturnType<typeof testsBySize>} sizes
 */
const fits = (sizes) =>
  CASES.map(({ name, kind }, i) => {
    const points = sizes.map(({ triangles, tests }) => /** @type {[number, number]} */ ([triangles, tests[i]]));
    const line = logarithmOf(points);
    const power = powerOf(points);
    const middle = mean(points.map(([, y]) => y));
    return {
      name,
      kind,
      a: digits(line.a),
      b: digits(line.b),
      missedByLog: digits(line.missed / middle),
      scale: digits(power.c),
      exponent: digits(power.k),
      missedByPower: digits(power.missed / middle),
    };
  });

/** @param {import('../race.mjs').Run} run */
export default function kdopGrowth({ quick, keep }) {
  const random = seeded(SEED);
  const placed = Array.from({ length: quick ? 2 : POSES }, () => ({
    turn: randomTurn(random),
    along: direction(random),
  }));
  const surfaces = Object.entries({
    ball: (quick ? [3, 6, 12] : BALLS).map(ball),
    headlight: lamps(quick),
  }).map(([name, meshes]) => {
    const sizes = testsBySize(meshes, placed);
    return { name, sizes, fits: fits(sizes) };
  });
  for (const { name, sizes, fits: found } of surfaces) {
    printTable(
      `${name}: tests of nodes by triangles`,
      Object.fromEntries(
        CASES.map((each, i) => [
          each.name,
          Object.fromEntries(sizes.map((x) => [`${x.triangles} triangles`, x.tests[i]])),
        ]),
      ),
    );
    printTable(`${name}: fits`, Object.fromEntries(found.map(({ name: title, ...rest }) => [title, rest])));
    console.log('poses with the verdict that was meant', JSON.stringify(sizes.map(({ asMeant }) => asMeant)));
  }
  keep({ poses: placed.length, runs: 1, cases: CASES, surfaces });
}
