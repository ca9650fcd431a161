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

/** Times that differ by less are the same. */
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
      why: `A processor has its floating-point units: in JavaScript 16 bits take ${ratio(narrow.microseconds / doubles.microseconds)} times the time of doubles and ${ratio(narrow.microseconds / floats.microseconds)} times that of floats. Here fixed point gains bytes, ${narrow.bytes} a node in place of ${doubles.bytes} and ${floats.bytes}, and its proof: of ${row.touches} poses at which the lamps touch in a vertex, eqs. 3 to 6 miss ${doubles.missed} in doubles and ${floats.missed} in floats; all kinds of fixed point together miss ${fixedMissed}.`,
    },
    {
      claim: '"Possible solutions could be compression of DOP coefficients" (section 7), in software.',
      verdict: isFaster(plain, narrow) ? 'confirmed' : 'refuted',
      why: `${worth(plain)}: the fastest, ${plain.name}, take ${plain.bytes} bytes a node in place of ${narrow.bytes}, ${beside(plain)} and ${percent(plain.nodes / narrow.nodes - 1)} more tests of nodes. A tree of ${count(kilobytes)} kB fits into the processor's caches: bandwidth, which the paper wants to save, is not the limit here.`,
    },
    {
      claim: '"... and the introduction of a cache" (section 7), in software.',
      verdict: isFaster(kept, narrow) ? 'confirmed' : isFaster(kept, plain) ? 'partly' : 'refuted',
      why: `${worth(kept)}: ${kept.name}, takes ${ratio(kept.microseconds / plain.microseconds)} times the time of the fastest whose stack holds what is decoded, and ${beside(kept)} as they are. To keep a node's images, which only poses change, gains more: the product's search keeps them and takes ${beside(at(rows, "the product's search"))}.`,
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
      `All contacts of two headlights of ${count(row.triangles)} triangles, k = ${row.k}, ${row.poses} poses. One search in JavaScript, each contestant with compiled code of its own: eqs. 3 to 6 over doubles or floats, eqs. 7 to 10 over whole numbers (bits with the sign; P' as many bits), every axis test with its twelve products. What section 4.1 prepares once for two poses is not timed. Differences are from the parent's coefficients, of 16 bits, rounded outward, with one shift a node; they are decoded when a pair is opened, onto the stack or into a cache of so many nodes a side, which also needs a node's parent. A pose counts by the least of ${row.runs} rounds in which all take turns. "Touches missed" are those of ${row.touches} further poses that find no contact: there a's lowest vertex along a direction lies on b's highest, so diff is 0 on that axis. k-DOP trees have no kernel in WebAssembly, so fixed point is timed in JavaScript alone; "the product's check" is \`check\` without an option: after some queries it [builds wide OBB trees](engines.md) over the same triangles and asks a kernel about these. The product's search keeps images.`,
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
