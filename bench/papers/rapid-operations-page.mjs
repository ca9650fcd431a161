// Section of docs/experiments.md on what quaternions cost, by P. Terdiman's "RAPID Hack":
// operations, counted.
import { chart } from '../chart.mjs';
import { count, table } from '../page-text.mjs';
import { colorOf } from '../svg.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */
/** @typedef {import('./index.mjs').Finding} Finding */

/** Smaller differences of times count as equal. */
const ALIKE = 1.03;
/** Share of a test's time that counts as cheap. */
const CHEAP = 1.1;

/** @param {any} times @param {string} name */
const nsOf = ({ rows }, name) => rows.find((/** @type {any} */ each) => each.name === name).ns;

/**
 * Time of a kernel, in times of another one, with boxes in caches and outside.
 *
 * @param {Row} row
 */
const ratios = ({ kernels, scattered }, /** @type {string} */ name, /** @type {string} */ than) =>
  [kernels, scattered].map((times) => nsOf(times, name) / nsOf(times, than));

/** @param {Row} row @returns {Finding} */
function more({ ways, test, paper }) {
  const others = ways.slice(1);
  const same = others.find((/** @type {any} */ way) => way['more, rotation'] === paper.more);
  const fewest = Math.min(...others.map((/** @type {any} */ way) => way['more, rotation']));
  const all = Math.min(...others.map((/** @type {any} */ way) => way['more, all']));
  const isAll = others.some((/** @type {any} */ way) => way['more, all'] === paper.more);
  return {
    claim: `"Using quaternions (…) results in substancial space savings, but need ${paper.more} more operations per OBB overlap test" (Using quaternions, quoting the OBB-tree paper)`,
    verdict: isAll ? 'confirmed' : same ? 'partly' : 'refuted',
    why: `${same ? `The relative rotation takes exactly that: ${same.rotation} operations for "${same.name}", and ${ways[0].rotation} for matrices` : 'No way takes so many more'}. ${fewest} more are enough. But a test also needs the difference of the centers in the same frame. With it, no way takes less than ${all} more. gicollide's box test does ${test.mean} operations on average, and at most ${test.most}.`,
  };
}

/** @param {Row} row @returns {Finding} */
function trade(row) {
  const [near, far] = ratios(row, 'single44', 'single64');
  return {
    claim: '"This is the usual trade-off between memory and CPU time" (Using quaternions)',
    verdict: Math.min(near, far) > ALIKE ? 'confirmed' : Math.max(near, far) > ALIKE ? 'partly' : 'refuted',
    why: `In compiled code, a pair of boxes of 44 bytes takes ${near.toFixed(2)} times as long as one of 64 in queries, and ${far.toFixed(2)} times as long anywhere in large trees. More operations take less time.`,
  };
}

/** @param {Row} row @returns {Finding} */
function single(row) {
  const [near, far] = ratios(row, 'doubles136', 'single72');
  return {
    claim:
      '"Since we now use single-precision arithmetic, we actually already have won some CPU time" (Using quaternions)',
    verdict: Math.min(near, far) > ALIKE ? 'confirmed' : Math.max(near, far) > ALIKE ? 'partly' : 'refuted',
    why: `In compiled code without vectors, a pair of boxes in doubles takes ${near.toFixed(2)} times as long as in single precision in queries, where it is in caches, and ${far.toFixed(2)} times as long anywhere in large trees. The memory makes the difference, not the arithmetic.`,
  };
}

/** @param {Row} row @returns {Finding} */
function root(row) {
  const [near, far] = ratios(row, 'single40', 'single44');
  return {
    claim: 'It "introduces an extra square-root, but nowadays it\'s becoming really cheap" (Wiping W out)',
    verdict: Math.max(near, far) < CHEAP ? 'confirmed' : 'refuted',
    why: `With a root for w on both sides, a pair takes ${near.toFixed(2)} times as long as with a stored w, and ${far.toFixed(2)} times anywhere in large trees.`,
  };
}

/** @param {Row} row */
const waysTable = ({ ways }) =>
  table(
    ['way', '+ and -', 'x', 'roots', 'rotation', 'more', 'with the center', 'more', 'JavaScript'],
    ways.map((/** @type {any} */ way) => [
      ...[way.name, way.add, way.multiply, way.root || '', way.rotation, way['more, rotation'] || ''],
      ...[way.all, way['more, all'] || '', `${way.ns} ns`],
    ]),
  );

/** @param {Row} row */
const kernelsTable = ({ kernels, scattered }) =>
  table(
    ['node', '', 'a pair of queries', 'of which touch', 'a pair anywhere'],
    kernels.rows.map((/** @type {any} */ each) => [
      ...[`${each.bytes} bytes`, each.step, `${each.ns} ns`, count(each.touching)],
      `${nsOf(scattered, each.name)} ns`,
    ]),
  );

/** @param {Row} row */
function picture({ ways, kernels, scattered }) {
  const bars = (/** @type {number[]} */ values) => ({
    points: values.map((y, x) => /** @type {[number, number]} */ ([x, y])),
    look: /** @type {const} */ ('bars'),
  });
  const seeds = colorOf("the paper's way");
  const labels = (/** @type {any[]} */ each) => each.map((label, i) => /** @type {const} */ ([i, String(label)]));
  return chart('Operations and times of tests with matrices and quaternions', [
    {
      title: 'Operations to place a box',
      subtitle: 'in the order of the table; 1: two matrices',
      x: {
        name: 'way',
        low: -0.6,
        high: ways.length - 0.4,
        ticks: labels(ways.map((/** @type {any} */ _, /** @type {number} */ i) => i + 1)),
      },
      y: { name: 'operations', low: 0 },
      series: [
        { name: 'the rotation', colour: seeds, ...bars(ways.map((/** @type {any} */ way) => way.rotation)) },
        { name: 'with the center', colour: 'grey', ...bars(ways.map((/** @type {any} */ way) => way.all)) },
      ],
    },
    {
      title: 'Compiled: a pair of boxes',
      subtitle: 'read, placed and tested; 72d: floats, but doubles in arithmetic',
      x: {
        name: 'bytes a node',
        low: -0.6,
        high: kernels.rows.length - 0.4,
        ticks: labels(
          kernels.rows.map((/** @type {any} */ { name, bytes }) => (name.startsWith('widened') ? `${bytes}d` : bytes)),
        ),
      },
      y: { name: 'nanoseconds', low: 0 },
      series: [
        { name: 'pairs of queries', colour: seeds, ...bars(kernels.rows.map((/** @type {any} */ { ns }) => ns)) },
        { name: 'pairs anywhere', colour: 'grey', ...bars(scattered.rows.map((/** @type {any} */ { ns }) => ns)) },
      ],
    },
  ]);
}

/** @type {import('./index.mjs').Experiment} */
export const rapidOperations = {
  paper: 'rapid',
  task: 'papers/rapid-operations',
  title: '13 more operations: matrices and quaternions',
  write: (row) => ({
    findings: [more(row), trade(row), single(row), root(row)],
    text: [
      'Ways to place a box in the frame of another one, as RAPID does in each step down: the relative rotation and the difference of the centers. Their source is rewritten so that each operation counts itself, and then run. RAPID carries a matrix down the trees. So the way that decodes one quaternion is the smallest change to it.',
      waysTable(row),
      `Boxes of each rung are read, decoded, placed and tested in WebAssembly. ${count(row.kernels.tests)} pairs are those in queries of ${row.mesh} against itself in ${row.poses} poses near contact. ${count(row.scattered.tests)} pairs are anywhere in two trees of ${count(row.boxes)} boxes each. Times are minima of many rounds, in which all take turns. No rounding of the rungs changes a verdict here.`,
      kernelsTable(row),
    ],
    pictures: { 'rapid-operations': picture(row) },
  }),
};
