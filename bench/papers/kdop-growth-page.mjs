// Section of docs/experiments.md on section 3.1 of Raabe et al. 2006: whether tests grow with the
// logarithm of the number of triangles.
import { chart } from '../chart.mjs';
import { count, percent, ratio, table } from '../page-text.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */
/** @typedef {import('./index.mjs').Finding} Finding */
/**
 * @typedef {object} Fit
 * @property {string} name
 * @property {'first' | 'all' | 'miss'} kind
 * @property {number} a
 * @property {number} b of a + b log2 n
 * @property {number} missedByLog root of the mean squared difference, over the mean
 * @property {number} scale
 * @property {number} exponent of scale n^exponent
 * @property {number} missedByPower
 */
/**
 * @typedef {{ triangles: number, levels: number, tests: number[], contacts: number[],
 *   asMeant: number[] }} Size
 */
/**
 * @typedef {object} Surface
 * @property {string} name
 * @property {readonly Size[]} sizes
 * @property {readonly Fit[]} fits
 */

const KINDS = /** @type {const} */ ({ first: 'first contact', all: 'all contacts', miss: 'near misses' });

/** Tests do not grow, or a logarithm fits at least as well as a power. @param {Fit} fit */
const isLogarithm = ({ exponent, missedByLog, missedByPower }) => exponent <= 0 || missedByLog <= missedByPower;

/**
 * For one kind of query: on how many curves a logarithm holds, and by which powers the others grow.
 *
 * @param {readonly Surface[]} surfaces
 * @param {'first' | 'all' | 'miss'} kind
 * @returns {Finding}
 */
function finding(surfaces, kind) {
  const fits = surfaces.flatMap(({ name, fits: found }) =>
    found.filter((fit) => fit.kind === kind).map((fit) => ({ ...fit, surface: name })),
  );
  const logarithms = fits.filter(isLogarithm);
  const powers = fits.filter((fit) => !isLogarithm(fit));
  const named = (/** @type {typeof powers[0]} */ { surface, name, exponent }) => `n^${exponent} (${surface}, ${name})`;
  return {
    claim: `"In practical cases, the complexity is in O(log n)" (section 3.1): ${KINDS[kind]}.`,
    verdict: powers.length === 0 ? 'confirmed' : logarithms.length === 0 ? 'refuted' : 'partly',
    why: `On ${logarithms.length} of ${fits.length} curves, a + b log n fits the tests at least as well as a power of n, or they do not grow.${powers.length === 0 ? '' : ` The others grow as ${powers.map(named).join(', ')}.`}`,
  };
}

/** @param {Row} row */
function picture({ surfaces, cases }) {
  return chart(
    'Tests of nodes by the number of triangles',
    surfaces.flatMap((/** @type {Surface} */ { name, sizes }) =>
      [
        { title: `${name}: one answer`, isAll: false },
        { title: `${name}: all contacts`, isAll: true },
      ].map(({ title, isAll }) => ({
        title,
        subtitle: 'a straight line is a logarithm',
        x: { name: 'triangles n of each', log: true },
        y: { name: 'pairs of nodes tested', low: 0 },
        series: cases.flatMap((/** @type {any} */ each, /** @type {number} */ i) =>
          each.isAll === isAll
            ? [
                {
                  name: each.name,
                  points: sizes.map(({ triangles, tests }) => [triangles, tests[i]]),
                  ...(each.kind === 'miss' ? { dash: '6 4' } : {}),
                },
              ]
            : [],
        ),
      })),
    ),
  );
}

/** @param {Surface} surface @param {readonly { name: string }[]} cases */
const testsTable = ({ name, sizes }, cases) =>
  table(
    [name, ...sizes.map(({ triangles }) => count(triangles))],
    [
      ...cases.map((each, i) => [each.name, ...sizes.map(({ tests }) => count(tests[i]))]),
      ...cases.flatMap((each, i) =>
        sizes[0].contacts[i] > 1
          ? [
              [`contacts, ${each.name}`, ...sizes.map(({ contacts }) => count(contacts[i]))],
              ['tests a contact', ...sizes.map(({ contacts, tests }) => ratio(tests[i] / contacts[i]))],
            ]
          : [],
      ),
    ],
  );

/** @param {Surface} surface */
const fitsTable = ({ name, fits }) =>
  table(
    [name, 'a + b log2 n', 'misses by', 'power of n', 'misses by'],
    fits.map((fit) => [
      fit.name,
      `${fit.a} ${fit.b < 0 ? '-' : '+'} ${Math.abs(fit.b)} log2 n`,
      percent(fit.missedByLog),
      `${fit.scale} n^${fit.exponent}`,
      percent(fit.missedByPower),
    ]),
  );

/** @type {import('./index.mjs').Experiment} */
export const kdopGrowth = {
  paper: 'kdop',
  task: 'papers/kdop-growth',
  title: 'Section 3.1: tests by the number of triangles',
  write: (row) => ({
    findings: /** @type {const} */ (['first', 'all', 'miss']).map((kind) => finding(row.surfaces, kind)),
    text: [
      `24-DOPs of 16 bits, a surface against itself, means over ${row.poses} seeded rotations and directions. At each size, the distance at which they barely touch is bisected, and then changed by a part of the diagonal. The ball has its vertices on one surface at every size. The headlight's triangles are cut in four, so its surface stays the same. Both fits have two parameters and least squares. "Misses by" is the root of the mean squared difference over the mean.`,
      ...row.surfaces.flatMap((/** @type {Surface} */ surface) => [testsTable(surface, row.cases), fitsTable(surface)]),
      'A logarithm needs a slice of constant width. Contacts lie along curves, which cross about as many triangles as the root of n, so tests grow with the contacts. If the gap or the depth is smaller than a triangle, nodes along the whole place of contact cannot distinguish it from a touch. Tests stop growing once triangles are smaller than the gap.',
    ],
    pictures: { 'kdop-growth': picture(row) },
  }),
};
