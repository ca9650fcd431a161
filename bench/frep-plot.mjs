// The picture of frep-check.mjs, from its row: time by visited cells, cells by the gap, contacts
// that the random search misses.
import { dots, legend, line, logScale, panelFrame, picture, power, powers } from './svg.mjs';

const WIDTH = 400;
const HEIGHT = 330;
const LEFT = 64;
const TOP = 78;
const STEP = WIDTH + 92;

/**
 * What of the row is drawn.
 *
 * @typedef {object} FrepRow
 * @property {{ resolution: number, samples: Record<string, [visits: number, time: number][]> } &
 *   Record<string, any>} constant
 * @property {Record<string, Record<string, number>>} gaps
 * @property {Record<string, Record<string, any>>} missed
 */

/**
 * The frame of a panel.
 *
 * @param {number} index
 * @param {string} title
 * @param {string} subtitle
 * @param {import('./svg.mjs').PlacedAxis} x
 * @param {import('./svg.mjs').PlacedAxis} y
 */
const panel = (index, title, subtitle, x, y) =>
  panelFrame(
    { left: LEFT + index * STEP, top: TOP, width: WIDTH, height: HEIGHT, margin: 46 },
    { title, subtitle },
    x,
    y,
  );

/** @param {FrepRow} row */
function timeByVisits({ constant }) {
  const { samples } = constant;
  /** @type {Record<string, string>} */
  const colours = { 'slices, first': 'orange', 'slices, all': 'red', 'octants, first': 'blue', 'octants, all': 'sky' };
  const x = { scale: logScale(-0.2, 5, LEFT, LEFT + WIDTH), ticks: powers(0, 5), name: 'cells visited' };
  const y = { scale: logScale(-0.2, 6.4, TOP + HEIGHT, TOP), ticks: powers(0, 6), name: 'microseconds a query' };
  const parts = panel(
    0,
    'No constant time: it follows the cells',
    `${samples['slices, all'].length} positions of 6 pairs, 2${power(constant.resolution).slice(2)} cells an axis; R² in a pair`,
    x,
    y,
  );
  for (const name of ['slices, all', 'octants, all', 'slices, first', 'octants, first']) {
    parts.push(
      dots(
        samples[name].map(([visits, time]) => [x.scale(visits), y.scale(time)]),
        colours[name],
      ),
    );
  }
  /** @type {[string, string, null][]} */
  const said = Object.entries(colours).map(([name, colour]) => {
    const [way, end] = name.split(', ');
    const whose = way === 'slices' ? "the seed's slices" : 'octants and mixes';
    return [
      colour,
      `${whose}, ${end === 'all' ? 'all cells' : 'first contact'}: R² ${constant[name].explainedInPair.toFixed(2)}`,
      null,
    ];
  });
  return [...parts, ...legend(LEFT + 6, TOP + 6, said)];
}

/** @param {FrepRow} row */
function visitsByGap({ gaps }) {
  const left = LEFT + STEP;
  /** @type {Record<string, string>} */
  const colours = { 'octants, mixes': 'blue', octants: 'grey', slices: 'red' };
  /** @type {import('./svg.mjs').PlacedAxis} */
  const x = {
    scale: (gap) => left + 20 + ((-1 - Math.log10(gap)) / 9) * (WIDTH - 40),
    ticks: powers(-10, -1),
    name: 'gap between the solids',
  };
  const y = {
    scale: logScale(-0.2, 7, TOP + HEIGHT, TOP),
    ticks: powers(0, 7),
    name: 'cells visited until it is proved',
  };
  const parts = panel(1, 'Clear by a gap', 'medians; two balls: solid, two spheres of 10 perturbations: dashed', x, y);
  for (const [name, values] of Object.entries(gaps)) {
    const [pair, way] = name.split(': ');
    const points = Object.entries(values).map(
      /** @returns {[number, number]} */ ([gap, visits]) => [x.scale(Number(gap)), y.scale(visits)],
    );
    parts.push(line(points, colours[way], pair === 'two balls' ? '' : '6 4'));
  }
  /** @type {[string, string, string][]} */
  const entries = [
    ['red', "the seed's slices", ''],
    ['grey', 'octants', ''],
    ['blue', 'octants and mixes', ''],
  ];
  return [...parts, ...legend(left + WIDTH - 166, TOP + 14, entries)];
}

/** @param {FrepRow} row */
function missedByDepth({ missed }) {
  const left = LEFT + 2 * STEP;
  /** @type {import('./svg.mjs').PlacedAxis} */
  const x = {
    scale: (depth) => left + 20 + ((-1 - Math.log10(depth)) / 7) * (WIDTH - 40),
    ticks: powers(-8, -1),
    name: 'depth of the overlap',
  };
  /** @type {import('./svg.mjs').PlacedAxis} */
  const y = {
    scale: (part) => TOP + HEIGHT - 12 - part * (HEIGHT - 24),
    ticks: [0, 0.25, 0.5, 0.75, 1].map((part) => [part, `${100 * part} %`]),
    name: 'contacts that are missed',
  };
  const parts = panel(2, 'Contacts missed', 'two balls: solid, two hedgehogs: dashed', x, y);
  /** @param {string} name @param {string} key @returns {[number, number][]} */
  const series = (name, key) =>
    Object.entries(missed[name])
      .filter(([depth, values]) => depth.startsWith('1e') && values[key] !== undefined)
      .map(([depth, values]) => [x.scale(Number(depth)), y.scale(values[key])]);
  parts.push(line(series('two hedgehogs', 'random, 1000'), 'orange', '6 4'));
  parts.push(line(series('two balls', 'random, 100'), 'peach'));
  parts.push(line(series('two balls', 'random, 1000'), 'orange'));
  parts.push(line(series('two balls', 'random, 10000'), 'red'));
  parts.push(line(series('two hedgehogs', 'ours'), 'blue', '6 4'));
  parts.push(line(series('two balls', 'ours'), 'blue'));
  /** @type {[string, string, string][]} */
  const entries = [
    ['peach', 'random search, N = 100', ''],
    ['orange', 'N = 1,000', ''],
    ['red', 'N = 10,000', ''],
    ['blue', 'cells: none, proved', ''],
  ];
  return [...parts, ...legend(left + 8, TOP + 8, entries)];
}

/**
 * The picture as SVG.
 *
 * @param {FrepRow} row
 */
export function frepPlot(row) {
  const parts = [...timeByVisits(row), ...visitsByGap(row), ...missedByDepth(row)];
  const title = 'Searching two F-reps: cells and time, cells and gap, missed contacts and depth';
  return picture(LEFT + 3 * STEP - 60, TOP + HEIGHT + 62, title, parts);
}
