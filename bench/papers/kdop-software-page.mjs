// Section of docs/experiments.md on Raabe et al. 2006 in software: floating point beside fixed
// point, and section 7's compression and cache.
import { chart } from '../chart.mjs';
import { count, percent, ratio, table, time } from '../page-text.mjs';
import { sum } from '../race.mjs';
import { colorOf } from '../svg.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */
/** @typedef {import('./index.mjs').Finding} Finding */
/**
 * @typedef {object} Figures
 * @property {string} name
 * @property {string} group
 * @property {number | null} bytes of a node
 * @property {number} nodes pairs tested, mean over the poses
 * @property {number} triangles
 * @property {number} contacts
 * @property {number} microseconds
 * @property {number} nanosecondsANode
 * @property {number} missed touches in a vertex that are not found
 */

/** Smaller differences of times count as equal. */
const SAME = 0.05;

/** @param {readonly Figures[]} rows @param {string} name @returns {Figures} */
function at(rows, name) {
  const found = rows.find((row) => row.name === name);
  if (found === undefined) throw new Error(`no row of ${name}`);
  return found;
}

/** @param {Row} row @returns {Finding[]} */
function findings(row) {
  /** @type {Figures[]} */
  const rows = row.rows;
  const [doubles, floats, narrow] = ['doubles', 'floats', '16 bits'].map((name) => at(rows, name));
  const compressed = rows.filter(({ group }) => group === 'compressed');
  const cached = rows.filter(({ group }) => group === 'compressed, cached');
  const fastest = (/** @type {Figures[]} */ some) => some.reduce((p, q) => (q.microseconds < p.microseconds ? q : p));
  const [plain, kept] = [fastest(compressed), fastest(cached)];
  const isFaster = (/** @type {Figures} */ x, /** @type {Figures} */ than) =>
    x.microseconds < (1 - SAME) * than.microseconds;
  const kilobytes = Math.round(((narrow.bytes ?? 0) * (2 * row.triangles - 1)) / 1000);
  const fixedMissed = sum(rows.filter(({ group }) => group !== 'floating point').map(({ missed }) => missed));
  /** @param {Figures} x */
  const worth = (x) => (isFaster(x, narrow) ? 'Worth it' : 'Not worth it');
  const beside = (/** @type {Figures} */ x) =>
    `${ratio(x.microseconds / narrow.microseconds)} times the time of 16 bits`;
  return [
    {
      claim:
        '"In hardware floating-point arithmetic is very expensive with respect to circuit size and depth" (section 4.3).',
      verdict: 'not comparable',
      why: `A processor has floating-point units. In JavaScript, 16 bits take ${ratio(narrow.microseconds / doubles.microseconds)} times the time of doubles and ${ratio(narrow.microseconds / floats.microseconds)} times that of floats. Fixed point saves bytes: a node has ${narrow.bytes} instead of ${doubles.bytes} and ${floats.bytes}. It is also proved: in ${row.touches} poses the lamps touch in a vertex, and eqs. 3 to 6 miss ${doubles.missed} of these in doubles and ${floats.missed} in floats. All kinds of fixed point together miss ${fixedMissed}.`,
    },
    {
      claim: '"Possible solutions could be compression of DOP coefficients" (section 7), in software.',
      verdict: isFaster(plain, narrow) ? 'confirmed' : 'refuted',
      why: `${worth(plain)}. The fastest, ${plain.name}, take ${plain.bytes} bytes a node instead of ${narrow.bytes}, ${beside(plain)} and ${percent(plain.nodes / narrow.nodes - 1)} more tests of nodes. A tree of ${count(kilobytes)} kB fits into the processor's caches, so bandwidth, which the paper wants to save, is not the limit.`,
    },
    {
      claim: '"... and the introduction of a cache" (section 7), in software.',
      verdict: isFaster(kept, narrow) ? 'confirmed' : isFaster(kept, plain) ? 'partly' : 'refuted',
      why: `${worth(kept)}. ${kept.name[0].toUpperCase()}${kept.name.slice(1)}, takes ${ratio(kept.microseconds / plain.microseconds)} times the time of the fastest way with decoded coefficients on the stack, and ${beside(kept)} without compression. It is better to keep a node's images, which change only with the pose. gicollide's search keeps them and takes ${beside(at(rows, "the product's search"))}.`,
    },
  ];
}

const COLORS = /** @type {Record<string, string>} */ ({
  'floating point': 'navy',
  'fixed point': colorOf("the paper's way"),
  compressed: 'green',
  'compressed, cached': 'sky',
});

/** @param {Row} row */
function picture({ rows }) {
  return chart('Time by bytes of a node', [
    {
      title: 'Time by bytes of a node',
      subtitle: 'all contacts in JavaScript, minima, mean over the poses',
      x: { name: 'bytes of a node', low: 0 },
      y: { name: 'microseconds', low: 0 },
      series: Object.entries(COLORS).map(([name, colour]) => ({
        name,
        colour,
        points: rows
          .filter((/** @type {Figures} */ { group }) => group === name)
          .map((/** @type {Figures} */ { bytes, microseconds }) => [bytes, microseconds]),
      })),
    },
    {
      title: 'Tests by bytes of a node',
      subtitle: 'pairs of nodes, mean over the poses',
      x: { name: 'bytes of a node', low: 0 },
      y: { name: 'pairs of nodes', low: 0 },
      series: Object.entries(COLORS)
        .filter(([name]) => name !== 'compressed, cached')
        .map(([name, colour]) => ({
          name,
          colour,
          points: rows
            .filter((/** @type {Figures} */ { group }) => group === name)
            .map((/** @type {Figures} */ { bytes, nodes }) => [bytes, nodes]),
        })),
    },
  ]);
}

/** @type {import('./index.mjs').Experiment} */
export const kdopSoftware = {
  paper: 'kdop',
  task: 'papers/kdop-software',
  title: 'Sections 4.3 and 7 in software: floating point, compression, a cache',
  write: (row) => ({
    findings: findings(row),
    text: [
      `All contacts of two headlights of ${count(row.triangles)} triangles, k = ${row.k}, ${row.poses} poses. All contestants use one search in JavaScript, each with its own compiled code. Those with doubles or floats use eqs. 3 to 6, those with whole numbers eqs. 7 to 10. Bits include the sign; P' has as many bits. Every axis test has its twelve products. The preparation of section 4.1, once for two poses, is not timed. Differences are from the parent's coefficients of 16 bits, rounded outward, with one shift a node. They are decoded when a pair is opened, onto the stack or into a cache of the given number of nodes a side. The cache also needs a node's parent. The time of a pose is the minimum of ${row.runs} rounds, in which all take turns. "Touches missed" counts poses without a found contact among ${row.touches} further poses. In these, a's lowest vertex along a direction lies on b's highest, so diff is 0 on that axis. k-DOP trees have no kernel in WebAssembly, so fixed point is timed only in JavaScript. "The product's check" is \`check\` without options. After some queries it [builds wide OBB trees](engines.md) over the same triangles and asks their kernel. The product's search keeps images.`,
      table(
        [
          'stored',
          'bytes a node',
          'pairs of nodes',
          'pairs of triangles',
          'time',
          'ns a pair of nodes',
          'touches missed',
        ],
        row.rows.map((/** @type {Figures} */ x) => [
          x.name,
          x.bytes ?? '',
          count(Math.round(x.nodes)),
          count(Math.round(x.triangles)),
          time(x.microseconds),
          x.nanosecondsANode,
          x.missed,
        ]),
      ),
    ],
    pictures: { 'kdop-software': picture(row) },
  }),
};
