// Section of docs/experiments.md on what the cubes of Z. Peng, B. Wu, "Collision Detection
// Algorithm Based on Data Parallelism", find of a building's clashes, by their size.
import { chart } from '../chart.mjs';
import { count, ofMs, table } from '../page-text.mjs';
import { colorOf } from '../svg.mjs';

/** @typedef {import('../page-text.mjs').Row} Row */
/** @typedef {import('./index.mjs').Finding} Finding */

/** Levels of a row, the largest cubes first. @param {Row} row @returns {any[]} */
const levels = ({ precisions }) => Object.values(precisions);

/** @param {{ build: number, findings: number }} exact */
const whole = (exact) => exact.build + exact.findings;

/** @param {Row} row @returns {Finding} */
function approximates(row) {
  const { clashes, touches } = row;
  const all = levels(row);
  const finest = all[all.length - 1];
  const missed = all.some((each) => each.clashes < clashes);
  const exact = finest.pairs === clashes;
  return {
    claim:
      '"As long as the cubes from these models are small enough, these collided cubes can approximate the final collision results" (section III).',
    verdict: missed ? 'refuted' : exact ? 'confirmed' : 'partly',
    why: `Cubes of every size report ${missed ? 'not all of' : 'all'} the ${clashes} clashes. They also report all ${count(touches)} pairs that only touch, at every size. Reported clear pairs go from ${count(all[0].clear)} at ${all[0].precision} mm to ${count(finest.clear)} at ${finest.precision} mm.`,
  };
}

/** The exact answer, by counts. @param {Row} row @returns {Finding} */
function tells(row) {
  const { clashes, touches, exact } = row;
  const told = levels(row).find((each) => each.deepClashes === clashes && each.deepTouches + each.deepClear === 0);
  const time = whole(exact.classes);
  const named = [exact.classes.overlap === clashes, exact.classes.touch === touches].filter(Boolean).length;
  const cubes = told
    ? `Filled cubes separate all ${clashes} clashes from touches from ${told.precision} mm on, with ${count(told.filled)} cubes in ${ofMs(told.filledMs)}.`
    : `No cubes down to ${levels(row).at(-1).precision} mm separate all ${clashes} clashes from touches.`;
  return {
    claim:
      '"There are some problems in these algorithms. First, accurate locations and shapes of the collision cannot be obtained" (section II, of bounding volumes, space partitions and images).',
    // The claim is refuted where trees of boxes obtain both.
    verdict: named === 2 ? 'refuted' : named === 1 ? 'partly' : 'confirmed',
    why: `Trees of boxes find ${exact.classes.overlap} overlaps and ${count(exact.classes.touch)} touches, with a place for each, in ${ofMs(time)}. By construction there are ${clashes} clashes and ${count(touches)} touches. ${cubes}`,
  };
}

/** @param {Row} row */
const levelsTable = (row) =>
  table(
    [
      'cubes of',
      'cubes',
      'pairs',
      'clashes',
      'touches',
      'clear',
      'time',
      'filled cubes',
      'clashes told',
      'others like them',
      'time',
    ],
    levels(row).map((each) => [
      `${each.precision} mm`,
      ...[each.cubes, each.pairs].map(count),
      `${each.clashes} of ${row.clashes}`,
      ...[each.touches, each.clear].map(count),
      ofMs(each.ms),
      count(each.filled),
      `${each.deepClashes} of ${row.clashes}`,
      count(each.deepTouches + each.deepClear),
      ofMs(each.filledMs),
    ]),
  );

/** @param {Row} row */
const clashesTable = ({ told }) =>
  table(
    ['clash', 'depth', 'told by cubes of'],
    told.map((/** @type {any} */ { a, b, depth, precisions }) => [
      `${a}, ${b}`,
      `${Math.round(depth)} mm`,
      precisions.length > 0 ? `${precisions[0]} mm${precisions.length > 1 ? ' and less' : ''}` : 'none',
    ]),
  );

/** @param {Row} row */
function picture(row) {
  const x = {
    name: 'edge of a cube, mm',
    log: true,
    ticks: levels(row).map(({ precision }) => /** @type {[number, string]} */ ([precision, String(precision)])),
  };
  const series = (/** @type {string} */ name, /** @type {(each: any) => number} */ of, colour = 'blue', dash = '') => ({
    name,
    points: levels(row).map((each) => /** @type {[number, number]} */ ([each.precision, of(each)])),
    colour,
    dash,
  });
  const { classes, contacts } = row.exact;
  return chart('What cubes find of the clashes of a building, by their size', [
    {
      title: 'Pairs that cubes report',
      subtitle: `${row.elements} elements, ${row.clashes} clashes, ${count(row.touches)} touches`,
      x,
      y: { name: 'pairs', log: true, low: 1 },
      series: [
        series('clear', ({ clear }) => clear, 'grey'),
        series('touches', ({ touches }) => touches, 'orange'),
        series('clashes', ({ clashes }) => clashes, 'red'),
        series('clashes told from touches', ({ deepClashes }) => deepClashes, 'blue'),
      ],
    },
    {
      title: 'Time from meshes to pairs',
      subtitle: 'one thread',
      x,
      y: { name: 'ms', log: true },
      series: [
        series('cubes of surfaces', ({ ms }) => ms, colorOf('ours'), '6 4'),
        series('filled cubes', ({ filledMs }) => filledMs, colorOf('ours')),
        series('exact, OBB trees: contacts', () => whole(contacts), colorOf('OBB 64'), '2 3'),
        series('exact, OBB trees: overlaps and touches', () => whole(classes), colorOf('OBB 64'), '8 3 2 3'),
      ],
    },
  ]);
}

/** @type {import('./index.mjs').Experiment} */
export const cubesPrecision = {
  paper: 'cubes',
  task: 'papers/cubes-precision',
  title: 'Clashes of a building by the size of cubes',
  write: (row) => ({
    findings: [approximates(row), tells(row)],
    text: [
      `A generated building of ${row.elements} elements in millimeters. Its generator lists the pairs that clash (${row.clashes}) and those that only touch (${count(row.touches)}). Cubes of surfaces find the pairs with a common cell. Filled cubes can separate a clash from a touch: two solids that meet in a plane along the grid share one layer of cells, so never all eight cubes in a cube of twice the edge. Times are those of one thread, from meshes to pairs.`,
      levelsTable(row),
      `The exact answer, including its trees, takes ${ofMs(whole(row.exact.contacts))} for the ${count(row.exact.contacts.contact)} pairs in contact, and ${ofMs(whole(row.exact.classes))} for the ${row.exact.classes.overlap} that overlap and the ${count(row.exact.classes.touch)} that touch.`,
      clashesTable(row),
    ],
    pictures: { 'cubes-precision': picture(row) },
  }),
};
