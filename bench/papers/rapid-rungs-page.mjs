// docs/experiments.md on the ladder of P. Terdiman's "RAPID Hack": bytes and time at each rung.
import { chart } from '../chart.mjs';
import { count, geometricMean, table, time } from '../page-text.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */
/** @typedef {import('./index.mjs').Finding} Finding */

/** Times that differ by less are alike. */
const ALIKE = 1.05;
const CHEAP = 1.1;
const EACH = 'us, decoded each time';
const CACHED = 'us, with the cache';

/** The pairs' rungs by name. @param {Row} row @returns {Record<string, any>[]} */
const pairsOf = ({ pairs }) =>
  Object.values(pairs).map(({ rows }) => Object.fromEntries(rows.map((/** @type {any} */ rung) => [rung.name, rung])));

/** How many times as long one rung takes as another, over the pairs. @param {Row} row */
const slower = (row, /** @type {string} */ rung, /** @type {string} */ than, what = EACH) =>
  geometricMean(pairsOf(row).map((rungs) => rungs[rung][what] / rungs[than][what]));

/** @param {Row} row @returns {Finding} */
function bytes({ ladder, paper }) {
  const [first] = ladder;
  const last = ladder.find((/** @type {any} */ { step }) => step.includes('w implicit'));
  const less = first.bytes / last.bytes;
  return {
    claim:
      'A box of 132 bytes becomes one of 40, which is 3.3 times better (steps 1 to 3, then quaternions without w).',
    verdict: less.toFixed(1) === paper.less.toFixed(1) ? 'confirmed' : 'refuted',
    why: `our 40-byte node is that one: ${ladder.map((/** @type {any} */ rung) => rung.bytes).join(', ')} bytes are the sums of the fields, rung by rung, the last two ours; ${first.bytes} to ${last.bytes} is ${less.toFixed(1)} times.`,
  };
}

/** @param {Row} row @returns {Finding} */
function bytesATriangle(row) {
  const own = pairsOf(row).map((rungs) => rungs['132 bytes']['bytes a triangle']);
  const off = Math.max(...own.map((x) => Math.abs(x / row.paper.triangle - 1)));
  return {
    claim: `RAPID needs approximately ${row.paper.triangle} bytes a triangle for boxes.`,
    verdict: off < 0.01 ? 'confirmed' : 'refuted',
    why: `${own.join(' and ')} bytes a triangle in our trees as RAPID has them.`,
  };
}

/** @param {Row} row @returns {Finding} */
function single(row) {
  const factor = slower(row, '72 bytes', '132 bytes');
  return {
    claim: 'Single precision has already won some CPU time.',
    verdict: factor < 1 / ALIKE ? 'confirmed' : 'not comparable',
    why: `all arithmetic in JavaScript is of doubles: floats that are widened for each test take ${factor.toFixed(2)} times as long as doubles that are read where they lie, and ${slower(row, '72 bytes', '132 bytes', CACHED).toFixed(2)} times with a cache.`,
  };
}

/** @param {Row} row @returns {Finding} */
function quaternions(row) {
  const factor = slower(row, '44 bytes', '64 bytes');
  return {
    claim: `Quaternions save space and cost ${row.paper.operations} more operations a test: the usual trade of memory for time.`,
    verdict: factor > ALIKE ? 'confirmed' : 'refuted',
    why: `a query over quaternions takes ${factor.toFixed(2)} times as long as one over matrices of floats, both decoded at each test: nine numbers are made of four instead of read.`,
  };
}

/** @param {Row} row @returns {Finding} */
function root(row) {
  const factor = slower(row, '40 bytes', '44 bytes');
  return {
    claim: 'The square root for w is really cheap.',
    verdict: factor < CHEAP ? 'confirmed' : 'refuted',
    why: `with it a query takes ${factor.toFixed(2)} times as long as with a w that is stored.`,
  };
}

/** @param {Row} row @param {string} pair */
function rungsTable({ pairs }, pair) {
  const { rows, kernel } = pairs[pair];
  return table(
    ['node', 'bytes a triangle', 'pairs tested', 'a box decoded in', 'a query, decoded each time', 'with the cache'],
    [
      ...rows.map((/** @type {any} */ rung) => [
        rung.name,
        rung['bytes a triangle'],
        count(rung.tests),
        rung['ns to decode'] === null ? 'nothing' : `${rung['ns to decode']} ns`,
        time(rung[EACH]),
        time(rung[CACHED]),
      ]),
      ['64 bytes of four, by the kernel', '', '', '', time(kernel), ''],
    ],
  );
}

/** @param {Row} row */
function picture(row) {
  const [name, { rows }] = Object.entries(row.pairs)[0];
  const ticks = rows.map((/** @type {any} */ rung, /** @type {number} */ i) => [i, rung.name.replace(/ bytes.*/, '')]);
  const bars = (/** @type {string} */ what) => ({
    points: rows.map((/** @type {any} */ rung, /** @type {number} */ i) => [i, rung[what]]),
    look: /** @type {const} */ ('bars'),
  });
  const x = { name: 'bytes a node; the last has four boxes', ticks };
  return chart('Bytes and time at each rung', [
    {
      title: 'Nodes of a tree',
      subtitle: name,
      x,
      y: { name: 'bytes a triangle', low: 0 },
      series: [{ name: 'bytes a triangle', ...bars('bytes a triangle') }],
    },
    {
      title: 'First contact',
      subtitle: 'one descent, in JavaScript',
      x,
      y: { name: 'microseconds', low: 0 },
      series: [
        { name: 'decoded at each test', ...bars(EACH), colour: 'orange' },
        { name: 'with a cache of decoded boxes', ...bars(CACHED), colour: 'green' },
      ],
    },
  ]);
}

/** @type {import('./index.mjs').Experiment} */
export const rapidRungs = {
  paper: 'rapid',
  task: 'papers/rapid-rungs',
  title: 'From 132 bytes to 40, and on: bytes and time',
  write: (row) => ({
    findings: [bytes(row), bytesATriangle(row), single(row), quaternions(row), root(row)],
    text: [
      `One descent searches all rungs, over the same boxes from 132 bytes to 40, so that they differ in what they store. Poses are a thousandth clear or in contact; a pose counts by the median of ${row.runs} rounds, in which all take turns. The rungs from 132 bytes to 44 are made for this measurement alone.`,
      ...Object.entries(row.pairs).flatMap(([pair, { triangles }]) => [
        `${pair} (${triangles.map(count).join(' and ')} triangles):`,
        rungsTable(row, pair),
      ]),
      `What nodes of 40 bytes cost by being decoded is ${Math.round(100 * (1 - 1 / slower(row, '40 bytes', '132 bytes')))} % of a query, and with the cache of decoded boxes, which the product has, they take ${slower(row, '40 bytes', '132 bytes', CACHED).toFixed(2)} times as long as doubles.`,
    ],
    pictures: { 'rapid-rungs': picture(row) },
  }),
};
