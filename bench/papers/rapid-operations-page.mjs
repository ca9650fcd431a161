// Section of docs/experiments.md on what quaternions cost, by P. Terdiman's "RAPID Hack":
// operations, counted.
import { chart } from '../chart.mjs';
import { count, table } from '../page-text.mjs';
import { colorOf } from '../svg.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */
/** @typedef {import('./index.mjs').Finding} Finding */

/** Times that differ by less are alike. */
const ALIKE = 1.03;
/** A part of a test's time that is cheap. */
const CHEAP = 1.1;

/** @param {any} times @param {string} name */
const nsOf = ({ rows }, name) => rows.find((/** @type {any} */ each) => each.name === name).ns;

/**
 * How many times as long as another one a kernel takes, where boxes lie in caches and where not.
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
    why: `${same ? `the relative rotation takes exactly that: ${same.rotation} operations for "${same.name}" where matrices take ${ways[0].rotation}` : 'no way takes so many more'}. ${fewest} more are enough. But a test needs the difference of the centres in the same frame, too, and with it no way takes less than ${all} more. Our box test does ${test.mean} operations on average, at most ${test.most}.`,
  };
}

/** @param {Row} row @returns {Finding} */
function trade(row) {
  const [near, far] = ratios(row, 'single44', 'single64');
  return {
    claim: '"This is the usual trade-off between memory and CPU time" (Using quaternions)',
    verdict: Math.min(near, far) > ALIKE ? 'confirmed' : Math.max(near, far) > ALIKE ? 'partly' : 'refuted',
    why: `in compiled code a pair of boxes of 44 bytes takes ${near.toFixed(2)} times as long as one of 64 where queries meet it, and ${far.toFixed(2)} times as long anywhere in large trees: more operations, and less time.`,
  };
}

/** @param {Row} row @returns {Finding} */
function single(row) {
  const [near, far] = ratios(row, 'doubles136', 'single72');
  return {
    claim:
      '"Since we now use single-precision arithmetic, we actually already have won some CPU time" (Using quaternions)',
    verdict: Math.min(near, far) > ALIKE ? 'confirmed' : Math.max(near, far) > ALIKE ? 'partly' : 'refuted',
    why: `in compiled code without vectors a pair of boxes in doubles takes ${near.toFixed(2)} times as long as in single precision where queries meet it, in caches, and ${far.toFixed(2)} times as long anywhere in large trees: the memory wins, not the arithmetic.`,
  };
}

/** @param {Row} row @returns {Finding} */
function root(row) {
  const [near, far] = ratios(row, 'single40', 'single44');
  return {
    claim: 'It "introduces an extra square-root, but nowadays it\'s becoming really cheap" (Wiping W out)',
    verdict: Math.max(near, far) < CHEAP ? 'confirmed' : 'refuted',
    why: `with a root for w on either side a pair takes ${near.toFixed(2)} times as long as with w stored, and ${far.toFixed(2)} times anywhere in large trees.`,
  };
}

/** @param {Row} row */
const waysTable = ({ ways }) =>
  table(
    ['way', '+ and -', 'x', 'roots', 'rotation', 'more', 'with the centre', 'more', 'JavaScript'],
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
        { name: 'with the centre', colour: 'grey', ...bars(ways.map((/** @type {any} */ way) => way.all)) },
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
      'Ways to place a box in the frame of another one, which RAPID does at each step down: the relative rotation and the difference of the centres. Their source is rewritten so that each operation counts itself, and run. RAPID carries a matrix down the trees, so that the way that decodes one quaternion is the least change to it.',
      waysTable(row),
      `Boxes of each rung are read, decoded, placed and tested in WebAssembly: the ${count(row.kernels.tests)} pairs that queries of ${row.mesh} against itself meet at ${row.poses} poses near contact, and ${count(row.scattered.tests)} pairs anywhere in two trees of ${count(row.boxes)} boxes each. The least time of many rounds counts, in which all take turns. No rounding of the rungs changes a verdict here.`,
      kernelsTable(row),
    ],
    pictures: { 'rapid-operations': picture(row) },
  }),
};
