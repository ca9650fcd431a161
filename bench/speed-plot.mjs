// The chart of docs/speed.md, from a row of `speed`: microseconds a query, pair by pair, for the
// library's assets and for its peers.
import { colorOf, frame, gridLine, logScale, mark, picture, text } from './svg.mjs';

/**
 * Contestants as the row names them, the names of the chart, and their colours; peers are squares.
 */
const LOOKS = /** @type {const} */ ([
  ['obb, 64 bytes, prepared', 'OBB trees of 64 bytes, prepared', colorOf('OBB 64, prepared'), false],
  ['obb, 64 bytes', 'OBB trees of 64 bytes', colorOf('OBB 64'), false],
  ['obb, 40 bytes', 'OBB trees of 40 bytes', colorOf('OBB 40'), false],
  ['k-DOPs', 'k-DOP trees', colorOf('k-DOP'), false],
  ['geometry images', 'geometry images', colorOf('images'), false],
  ['FCL, OBB', 'FCL (C++)', colorOf('FCL'), true],
  ['three-mesh-bvh', 'three-mesh-bvh', colorOf('three-mesh-bvh'), true],
]);

const LEFT = 212;
const TOP = 96;
const PANEL = 356;
const GAP = 28;
const LANE = 9;
const ROW = LANE * (LOOKS.length + 1);
/** A microsecond to a tenth of a second. */
const TICKS = ['1 us', '10 us', '100 us', '1 ms', '10 ms', '100 ms'];

/** @typedef {{ triangles: number[], rows: Record<string, Record<string, number | null>> }} Pair */

/**
 * Times of one measure.
 *
 * @param {number} index
 * @param {string} title
 * @param {string} measure as the row names it
 * @param {readonly Pair[]} pairs
 */
function panel(index, title, measure, pairs) {
  const left = LEFT + index * (PANEL + GAP);
  const height = ROW * pairs.length;
  const scale = logScale(-0.1, TICKS.length - 0.9, left, left + PANEL);
  const parts = [text(left, TOP - 12, title, { size: 14, weight: 600 })];
  for (const [exponent, label] of TICKS.entries()) {
    const x = scale(10 ** exponent);
    parts.push(gridLine(x, TOP, 'v', height));
    parts.push(text(x, TOP + height + 18, label, { anchor: 'middle' }));
  }
  for (const [i, { rows }] of pairs.entries()) {
    if (i > 0) parts.push(gridLine(left, TOP + ROW * i, 'h', PANEL));
    for (const [lane, [name, , colour, isPeer]] of LOOKS.entries()) {
      const time = rows[name]?.[measure];
      const y = TOP + ROW * i + LANE * (lane + 1);
      if (typeof time === 'number') parts.push(mark([scale(time), y], colour, isPeer));
    }
  }
  parts.push(frame(left, TOP, PANEL, height));
  return parts;
}

/**
 * The chart as SVG.
 *
 * @param {Record<string, Pair>} pairs
 */
export function speedPlot(pairs) {
  const measured = Object.values(pairs);
  const width = LEFT + 2 * PANEL + GAP + 24;
  const height = TOP + ROW * measured.length + 52;
  const parts = LOOKS.flatMap(([, label, colour, isPeer], i) => {
    const [x, y] = [20 + 244 * (i % 4), 22 + 24 * Math.floor(i / 4)];
    return [mark([x, y], colour, isPeer), text(x + 12, y + 4, label)];
  });
  for (const [i, [name, { triangles }]] of Object.entries(pairs).entries()) {
    const middle = TOP + ROW * (i + 0.5);
    const counts = triangles.map((count) => count.toLocaleString('en-US')).join(' x ');
    parts.push(text(LEFT - 12, middle - 4, name, { anchor: 'end', weight: 600 }));
    parts.push(text(LEFT - 12, middle + 13, `${counts} triangles`, { anchor: 'end', colour: 'grey', size: 11 }));
  }
  parts.push(...panel(0, 'First contact', 'any median', measured));
  parts.push(...panel(1, 'All contacts', 'all: any median', measured));
  const under = 'median time of a query, logarithmic: further to the left is faster';
  parts.push(text(LEFT + PANEL + GAP / 2, height - 12, under, { anchor: 'middle', size: 13 }));
  return picture(width, height, 'Time of a query: gicollide, FCL and three-mesh-bvh', parts);
}
