// Section of docs/experiments.md on the ladder of P. Terdiman's "RAPID Hack": bytes and time at
// each rung.
import { chart } from '../chart.mjs';
import { count, geometricMean, table, time } from '../page-text.mjs';
import { colorOf } from '../svg.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */
/** @typedef {import('./index.mjs').Finding} Finding */

/** Allowed relative difference from the text's bytes a triangle: it leaves out one box. */
const NEAR = 0.01;

/** The pairs' rungs by name. @param {Row} row @returns {Record<string, any>[]} */
const pairsOf = ({ pairs }) =>
  Object.values(pairs).map(({ rows, product }) =>
    Object.fromEntries([...rows, ...product].map((/** @type {any} */ rung) => [rung.name, rung])),
  );

/** How many times as long one rung takes as another, over the pairs. @param {Row} row */
const slower = (row, /** @type {string} */ rung, /** @type {string} */ than) =>
  geometricMean(pairsOf(row).map((rungs) => rungs[rung].us / rungs[than].us));

/** @param {Row} row @returns {Finding} */
function bytes({ ladder, paper }) {
  const own = ladder.map((/** @type {any} */ rung) => rung.bytes);
  const less = own[0] / own[own.length - 1];
  const isSame = own.join() === paper.ladder.join() && less.toFixed(1) === paper.less.toFixed(1);
  return {
    claim: `"Anyway, ${paper.ladder[5]} bytes, which is ${paper.less} times better than the original code" (Wiping W out), by way of ${paper.ladder.slice(0, 5).join(', ')}`,
    verdict: isSame ? 'confirmed' : 'refuted',
    why: `Nodes that were written byte by byte and searched take ${own.join(', ')} bytes. From ${own[0]} to ${own[own.length - 1]} is a factor of ${less.toFixed(1)}.`,
  };
}

/** @param {Row} row @returns {Finding} */
function bytesATriangle(row) {
  const own = pairsOf(row).map((rungs) => rungs['132 bytes']['bytes a triangle']);
  const off = Math.max(...own.map((x) => Math.abs(x / row.paper.triangle - 1)));
  return {
    claim: `"We need approximately 132 * 2 = ${row.paper.triangle} bytes per triangle" (before the first step)`,
    verdict: off < NEAR ? 'confirmed' : 'refuted',
    why: `The nodes of gicollide's trees take ${own.join(', ')} bytes a triangle.`,
  };
}

/** @param {Row} row @returns {Finding} */
function reported({ rapid, paper }) {
  const missing = paper.reported - rapid.all;
  return {
    claim: `RAPID 2.01 takes "about ${paper.reported} bytes per triangle, as reported in the original OBB Tree paper" (the introduction)`,
    verdict: Math.abs(missing) < NEAR * paper.reported ? 'confirmed' : 'refuted',
    why: `By its struct, a triangle has two boxes (${rapid.boxes} bytes), three vertices of doubles (${rapid.vertices}) and a number (${rapid.id}). That is ${rapid.all} bytes, or ${rapid.aligned} if doubles are aligned. ${missing} bytes are missing, as many as three more vertices have, but the text does not explain them. With triangles of three indices, as in the text, it is ${rapid.indexed}.`,
  };
}

/** @param {Row} row @returns {Finding} */
function works(row) {
  const pairs = Object.values(row.pairs);
  const poses = pairs.reduce((sum, pair) => sum + pair.poses, 0);
  const alike = pairs.every(({ rows }) => rows.every((/** @type {any} */ rung) => rung.tests === rows[0].tests));
  return {
    claim: '"Trust me, it works" (Wiping the negative box pointer out), and so on down the ladder',
    verdict: 'confirmed',
    why: `With extents rounded outward, all ${pairs[0].rows.length} layouts give the right verdict in ${poses} poses, half of them in contact${alike ? ', and test the same pairs of boxes' : ''}. Without that they don't: see the next experiments.`,
  };
}

/** @param {Row} row @param {string} pair */
function rungsTable({ pairs }, pair) {
  const { rows, product } = pairs[pair];
  return table(
    [
      'node',
      'step',
      'bytes a triangle',
      'pairs of boxes',
      'of triangles',
      'a box decoded in',
      'in contact',
      'near miss',
    ],
    [
      ...rows.map((/** @type {any} */ rung) => [
        ...[rung.name, rung.step, rung['bytes a triangle'], count(rung.tests), count(rung['triangle tests'])],
        ...[`${rung['ns to decode']} ns`, time(rung.hit), time(rung.miss)],
      ]),
      ...product.map((/** @type {any} */ ours) => [
        ...[ours.name, 'ours', ours['bytes a triangle'], count(ours.tests), '', ''],
        ...[time(ours.hit), time(ours.miss)],
      ]),
    ],
  );
}

/** @param {Row} row */
function picture(row) {
  const [name, { rows, product }] = Object.entries(row.pairs)[0];
  const plain = rows.filter((/** @type {any} */ { bytes }) => bytes !== 136);
  const x = { name: 'bytes a node' };
  const ticks = [40, 64, 72, 132].map((bytes) => /** @type {const} */ ([bytes, String(bytes)]));
  const at = (/** @type {any[]} */ rungs, /** @type {string} */ what) =>
    rungs.map((rung) => /** @type {[number, number]} */ ([rung.bytes, rung[what]]));
  const series = (/** @type {string} */ what, dash = '') => [
    { name: 'the rungs', colour: colorOf("the paper's way"), points: at(plain, what), dash },
    ...product.map((/** @type {any} */ ours) => ({
      name: `ours, ${ours.name}${ours.bytes === 64 ? ' by its kernel' : ''}`,
      colour: colorOf(ours.name),
      points: at([ours], what),
    })),
  ];
  const panel = (/** @type {string} */ title, /** @type {string} */ unit, /** @type {string} */ what) => ({
    ...{ title, subtitle: name, x: { ...x, ticks, low: 30, high: 140 }, y: { name: unit, low: 0 } },
    series: series(what),
  });
  return chart('Bytes and time at each rung', [
    panel('Nodes of a tree', 'bytes a triangle', 'bytes a triangle'),
    panel('First contact and near misses', 'microseconds', 'us'),
  ]);
}

/** @type {import('./index.mjs').Experiment} */
export const rapidRungs = {
  paper: 'rapid',
  task: 'papers/rapid-rungs',
  reads: ({ rapid }) => rapid !== undefined,
  title: 'From 132 bytes to 40: bytes and time',
  write: (row) => ({
    findings: [bytes(row), bytesATriangle(row), reported(row), works(row)],
    text: [
      `Each rung is a tree in one block of bytes, with the fields and pointers of the text. Only the frame of the boxes differs: it is the model's. One search asks all rungs, over the same boxes, with extents rounded outward. Poses are a thousandth apart or in contact. The time of a pose is the minimum of ${row.runs} rounds, in which all take turns; a cell is the mean over the poses. 136 bytes are RAPID's box if the compiler aligns doubles.`,
      ...Object.entries(row.pairs).flatMap(([pair, { triangles }]) => [
        `${pair} (${triangles.map(count).join(' and ')} triangles):`,
        rungsTable(row, pair),
      ]),
      `Nodes of 72 bytes take ${slower(row, '72 bytes', '136 bytes').toFixed(2)} of the time of aligned doubles, 44 bytes ${slower(row, '44 bytes', '64 bytes').toFixed(2)} of 64, and 40 bytes ${slower(row, '40 bytes', '44 bytes').toFixed(2)} of 44. Here all arithmetic is in doubles, and the JavaScript engine decides what to inline. The next experiment counts operations, and times compiled code in single precision.`,
    ],
    pictures: { 'rapid-rungs': picture(row) },
  }),
};
