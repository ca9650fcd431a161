// Section of docs/experiments.md on orientations of three floats, by P. Terdiman's "RAPID Hack".
import { chart } from '../chart.mjs';
import { count, geometricMean, table, time } from '../page-text.mjs';
import { colorOf } from '../svg.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */
/** @typedef {import('./index.mjs').Finding} Finding */

/** Smaller differences of times count as equal. */
const ALIKE = 1.02;

/** @param {Row} row @returns {Record<string, any>[]} */
const pairsOf = ({ pairs }) =>
  Object.values(pairs).map(({ rows }) => Object.fromEntries(rows.map((/** @type {any} */ code) => [code.name, code])));

/** @param {Row} row @param {string} what @param {string} code @param {string} than */
const ratio = (row, what, code, than) =>
  geometricMean(pairsOf(row).map((codes) => codes[code][what] / codes[than][what]));

/** @param {Row} row @param {string} what @param {string} code */
const worst = (row, what, code) => Math.max(...pairsOf(row).map((codes) => codes[code][what]));

/** @param {number} x */
const short = (x) => x.toExponential(1);

/** @param {Row} row @returns {Finding} */
function forced(row) {
  const signs = Object.values(row.pairs).map((pair) => pair.signs);
  const total = (/** @type {string} */ what) => signs.reduce((sum, each) => sum + each[what], 0);
  return {
    claim:
      '"We don\'t need to save the extra bit, we can just force W to be positive by negating the whole quat if it is not. Works like the proverbial charm" (the update of August 2002)',
    verdict: total('lost') === 0 ? 'confirmed' : 'refuted',
    why: `w is negative in ${count(total('negative'))} of ${count(total('nodes'))} boxes. Compared to the last bit of the doubles, ${total('lost')} boxes decode to another box than with the bit.`,
  };
}

/** @param {Row} row @returns {Finding} */
function approximated(row) {
  const [one, two] = ['w >= 0, one step', 'w >= 0, two steps'].map((code) => ratio(row, 'us', code, 'w >= 0'));
  return {
    claim: '"If needed we may use square root approximations" (Wiping W out)',
    verdict: Math.min(one, two) < 1 / ALIKE ? 'confirmed' : 'refuted',
    why: `With one step of Newton's method, w is off by up to ${short(row.errors[1])} of itself. The test then needs ${short(worst(row, 'margin', 'w >= 0, one step'))} of the extents as a margin. There are ${ratio(row, 'tests', 'w >= 0, one step', 'w >= 0').toFixed(2)} times as many tests, and queries take ${one.toFixed(2)} times as long. With two steps, w is off by ${short(row.errors[2])}, and queries take ${two.toFixed(2)} times as long. The exact root is cheaper.`,
  };
}

/** @param {Row} row @returns {Finding} */
function euler(row) {
  const slower = ratio(row, 'us', 'Euler angles', 'w >= 0');
  return {
    claim: '"Another approach would have been to use Euler angles only" (Wiping W out)',
    verdict: slower < ALIKE ? 'confirmed' : 'partly',
    why: `Three angles also take 40 bytes. They are off by at most ${short(worst(row, 'angle', 'Euler angles'))}, and w >= 0 by ${short(worst(row, 'angle', 'w >= 0'))}, because w is near 0 somewhere. But with three sines and cosines a box, decoding takes ${ratio(row, 'ns', 'Euler angles', 'w >= 0').toFixed(1)} times as long, and queries ${slower.toFixed(2)} times.`,
  };
}

/** @param {Row} row @param {string} pair */
const codesTable = ({ pairs }, pair) =>
  table(
    [
      'orientation',
      'an axis is off by',
      'an extent grows by',
      'margin of the test',
      'no root',
      'pairs tested',
      'a box decoded in',
      'a query',
    ],
    pairs[pair].rows.map((/** @type {any} */ code) => [
      ...[code.name, short(code.angle), short(code.growth), short(code.margin), code.rootless || ''],
      ...[count(code.tests), `${code.ns} ns`, time(code.us)],
    ]),
  );

/** @param {Row} row */
function picture({ pairs }) {
  const [name, { rows }] = Object.entries(pairs)[0];
  const of = (/** @type {string} */ code) => rows.find((/** @type {any} */ each) => each.name === code);
  const x = {
    ...{ name: 'w, or angles', low: -0.4, high: 4.4 },
    ticks: ['one step', 'two steps', 'root', 'sign bit', 'angles'].map((label, i) => /** @type {const} */ ([i, label])),
  };
  const points = (/** @type {string} */ what, /** @type {readonly string[]} */ codes, first = 0) =>
    codes.map((code, i) => /** @type {[number, number]} */ ([first + i, of(code)[what]]));
  const roots = (/** @type {string} */ w) => [`${w}, one step`, `${w}, two steps`, w];
  const series = (/** @type {string} */ what) => [
    {
      name: 'axes as they come',
      colour: colorOf("the paper's way"),
      points: points(what, [...roots('w >= 0'), 'the sign of w in a bit']),
    },
    { name: 'axes called so that w is largest', colour: colorOf('OBB 40'), points: points(what, roots('w largest')) },
    { name: 'Euler angles', colour: colorOf('Euler angles'), points: points(what, ['Euler angles'], 4) },
  ];
  return chart('Orientations of three floats: error and time', [
    {
      title: 'An axis is off by',
      subtitle: name,
      x,
      y: { name: 'radians, at most', log: true },
      series: series('angle'),
    },
    { title: 'Time of a query', subtitle: name, x, y: { name: 'microseconds', low: 0 }, series: series('us') },
  ]);
}

/** @type {import('./index.mjs').Experiment} */
export const rapidOrientations = {
  paper: 'rapid',
  task: 'papers/rapid-orientations',
  title: 'Without w: roots, signs and angles',
  write: (row) => ({
    findings: [forced(row), approximated(row), euler(row)],
    text: [
      `Nodes of 40 bytes with an orientation of three floats, in several ways, beside nodes of 44 bytes. "w largest" is gicollide's way: of the 24 orientations in which a box looks the same, it takes the one whose quaternion has the largest w. The other ways take the axes in their order, as in the text. If w is near 0, rounding x, y and z turns a box. "No root" means that x² + y² + z² was above 1, so that w is taken as 0. Extents are fitted to the decoded box, in parts of half the diagonal. The margin, a part of the other box's extents, is for axes that are not orthonormal after decoding. Every verdict is right. Times are measured as in the previous experiment.`,
      ...Object.keys(row.pairs).flatMap((pair) => [`${pair}:`, codesTable(row, pair)]),
      `The approximate root is 1 / sqrt from the bits of a float. It is off by ${short(row.errors[0])}, and by ${short(row.errors[1])}, ${short(row.errors[2])} and ${short(row.errors[3])} after one, two and three steps of Newton's method.`,
    ],
    pictures: { 'rapid-orientations': picture(row) },
  }),
};
