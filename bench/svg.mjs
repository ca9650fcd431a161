// Writes pictures as SVG: text, lines and dots, legible on light and dark pages. Each picture has
// its own background and follows the reader's color scheme.

const ESCAPES = /** @type {Record<string, string>} */ ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' });
const escaped = (/** @type {string} */ text) => text.replaceAll(/[&<>]/g, (character) => ESCAPES[character]);
const short = (/** @type {number} */ x) => Number(x.toFixed(1));

/**
 * Colours by name, on light paper and on dark. Hues differ in lightness, too, for readers who
 * cannot tell red from green.
 *
 * @type {Record<string, readonly [string, string]>}
 */
const COLOURS = {
  paper: ['#ffffff', '#14181d'],
  ink: ['#222222', '#e3e6ea'],
  grey: ['#6b6b6b', '#a3a9b0'],
  grid: ['#e4e4e4', '#2b323a'],
  frame: ['#999999', '#5a636d'],
  navy: ['#0b3d75', '#9ccbff'],
  blue: ['#1f6fb4', '#4f9fe6'],
  sky: ['#7fb8e6', '#2f6ea8'],
  green: ['#1a8f6a', '#48c79c'],
  violet: ['#7f5fc0', '#b39ae8'],
  peach: ['#f6cba1', '#8a5a2b'],
  orange: ['#e08a1e', '#f0a35e'],
  red: ['#c8442c', '#ff7d63'],
};

/**
 * The color of each contestant, by its plain name: the same in every picture. The paper's own way
 * has a warm color, ours cold ones, peers violet and green.
 *
 * @type {Record<string, string>}
 */
const CONTESTANTS = {
  "the paper's way": 'orange',
  "the paper's way, all slices": 'red',
  'spheres alone': 'orange',
  pointers: 'red',
  ours: 'blue',
  images: 'blue',
  'tight spheres': 'sky',
  'OBB 20': 'sky',
  'slices, our bounds': 'sky',
  'octants, one by one': 'navy',
  'random search': 'violet',
  'OBB 40': 'green',
  'OBB 64': 'navy',
  quaternions: 'red',
  'quaternions without w': 'peach',
  'Euler angles': 'violet',
  'OBB 64, prepared': 'sky',
  'k-DOP': 'peach',
  FCL: 'violet',
  RAPID: 'violet',
  'three-mesh-bvh': 'red',
  'all pairs': 'grey',
};

/** Throws for a name that has no color yet: add it above. @param {string} contestant */
export function colorOf(contestant) {
  const color = CONTESTANTS[contestant];
  if (color === undefined) throw new Error(`svg.mjs has no color for ${contestant}`);
  return color;
}

/** Of fills `f-name`, of strokes `s-name`. */
function style() {
  const rules = (/** @type {0 | 1} */ scheme) =>
    Object.entries(COLOURS).map(
      ([name, values]) => `.f-${name}{fill:${values[scheme]}}.s-${name}{stroke:${values[scheme]}}`,
    );
  return `<style>${rules(0).join('')}@media (prefers-color-scheme: dark){${rules(1).join('')}}</style>`;
}

/**
 * @param {number} width
 * @param {number} height
 * @param {string} title
 * @param {readonly string[]} parts
 */
export function picture(width, height, title, parts) {
  const size = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="Helvetica, Arial, sans-serif">
<title>${escaped(title)}</title>
${style()}
<rect width="${width}" height="${height}" class="f-paper"/>
${parts.join('\n')}
</svg>
`;
}

/**
 * @typedef {{ size?: number, anchor?: 'start' | 'middle' | 'end', colour?: string, weight?: number,
 *   turn?: number }} TextOptions
 */

/**
 * @param {number} x
 * @param {number} y
 * @param {string} content
 * @param {TextOptions} [options]
 */
export function text(x, y, content, { size = 12, anchor = 'start', colour = 'ink', weight = 400, turn = 0 } = {}) {
  const turned = turn ? ` transform="rotate(${turn} ${short(x)} ${short(y)})"` : '';
  const look = `font-size="${size}" text-anchor="${anchor}" class="f-${colour}"${weight === 400 ? '' : ` font-weight="${weight}"`}`;
  return `<text x="${short(x)}" y="${short(y)}" ${look}${turned}>${escaped(content)}</text>`;
}

/** 10^e as characters. @param {number} e */
export const power = (e) => `10${[...String(e)].map((c) => (c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(c)])).join('')}`;

/** @typedef {(value: number) => number} Scale */
/** @typedef {readonly [value: number, label: string]} Tick */
/** @typedef {readonly [x: number, y: number]} Point */

/**
 * From powers of ten to places.
 *
 * @param {number} from the exponent at `low`
 * @param {number} to the exponent at `high`
 * @param {number} low
 * @param {number} high
 * @returns {Scale}
 */
export const logScale = (from, to, low, high) => (x) => low + ((Math.log10(x) - from) / (to - from)) * (high - low);

/** @param {number} from @param {number} to @returns {Tick[]} */
export const powers = (from, to) =>
  Array.from({ length: to - from + 1 }, (_, i) => [10 ** (from + i), power(from + i)]);

/** @param {number} x @param {number} y @param {number} width @param {number} height */
export const frame = (x, y, width, height) =>
  `<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" fill="none" class="s-frame"/>`;

/**
 * A line of the grid, down or across.
 *
 * @param {number} x
 * @param {number} y
 * @param {'v' | 'h'} way
 * @param {number} length
 */
export const gridLine = (x, y, way, length) =>
  `<path d="M${short(x)} ${short(y)}${way}${short(length)}" class="s-grid"/>`;

/** Many dots of one colour. @param {readonly Point[]} points @param {string} colour */
export const dots = (points, colour) =>
  `<path d="${points.map(([x, y]) => `M${short(x)} ${short(y)}h0`).join('')}" class="s-${colour}" stroke-width="3.6" stroke-linecap="round" stroke-opacity="0.55" fill="none"/>`;

/** One mark: a disc, or a square for peers. @param {Point} point @param {string} colour */
export function mark([x, y], colour, isSquare = false) {
  return isSquare
    ? `<rect x="${short(x - 5)}" y="${short(y - 5)}" width="10" height="10" class="f-${colour} s-paper" stroke-width="1"/>`
    : `<circle cx="${short(x)}" cy="${short(y)}" r="5.5" class="f-${colour} s-paper" stroke-width="1"/>`;
}

/** A line with its points. @param {readonly Point[]} points @param {string} colour */
export function line(points, colour, dash = '') {
  const path = points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${short(x)} ${short(y)}`).join('');
  const marks = points.map(([x, y]) => `M${short(x)} ${short(y)}h0`).join('');
  return (
    `<path d="${path}" class="s-${colour}" stroke-width="2" fill="none"${dash && ` stroke-dasharray="${dash}"`}/>` +
    `<path d="${marks}" class="s-${colour}" stroke-width="6" stroke-linecap="round" fill="none"/>`
  );
}

/**
 * Lines below each other from (x, y); a dot where `dash` is null.
 *
 * @param {number} x
 * @param {number} y
 * @param {readonly (readonly [colour: string, content: string, dash: string | null])[]} entries
 */
export function legend(x, y, entries) {
  const height = 17 * entries.length + 8;
  const width = 40 + 6.3 * Math.max(...entries.map(([, content]) => content.length));
  const parts = [
    `<rect x="${x}" y="${y}" width="${short(width)}" height="${height}" class="f-paper" fill-opacity="0.88"/>`,
  ];
  for (const [i, [colour, content, dash]] of entries.entries()) {
    const at = y + 17 * i + 14;
    parts.push(
      dash === null
        ? `<circle cx="${x + 17}" cy="${at}" r="4" class="f-${colour}"/>`
        : `<path d="M${x + 5} ${at}h24" class="s-${colour}" stroke-width="2"${dash && ` stroke-dasharray="${dash}"`}/>`,
    );
    parts.push(text(x + 36, at + 4, content));
  }
  return parts;
}

/** @typedef {{ scale: Scale, ticks: readonly Tick[], name: string }} PlacedAxis */

/**
 * A frame with its title, grid, labels and the names of its axes; what stands in it comes after.
 *
 * @param {{ left: number, top: number, width: number, height: number, margin: number }} place of the
 *   frame, and how far left of it the axis' name stands
 * @param {{ title: string, subtitle: string }} said
 * @param {PlacedAxis} x
 * @param {PlacedAxis} y
 */
export function panelFrame({ left, top, width, height, margin }, { title, subtitle }, x, y) {
  const parts = [
    text(left, top - 34, title, { size: 15, weight: 600 }),
    text(left, top - 15, subtitle, { size: 12, colour: 'grey' }),
  ];
  for (const [value, label] of x.ticks) {
    const at = x.scale(value);
    parts.push(gridLine(at, top, 'v', height));
    parts.push(text(at, top + height + 18, label, { anchor: 'middle' }));
  }
  for (const [value, label] of y.ticks) {
    const at = y.scale(value);
    parts.push(gridLine(left, at, 'h', width));
    parts.push(text(left - 8, at + 4, label, { anchor: 'end' }));
  }
  parts.push(frame(left, top, width, height));
  parts.push(text(left + width / 2, top + height + 40, x.name, { size: 13, anchor: 'middle' }));
  parts.push(text(left - margin, top + height / 2, y.name, { size: 13, anchor: 'middle', turn: -90 }));
  return parts;
}
