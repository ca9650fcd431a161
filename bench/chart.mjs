// Draws charts of series over two axes as SVG: panels side by side, each with its axes, and the
// names of its series below. The figures of the papers are drawn by this.
import { dots, line, panelFrame, picture, power, text } from './svg.mjs';

/** @typedef {import('./svg.mjs').Point} Point */
/** @typedef {import('./svg.mjs').Scale} Scale */
/** @typedef {import('./svg.mjs').Tick} Tick */

/**
 * @typedef {object} Axis
 * @property {string} name with its unit
 * @property {boolean} [log] powers of ten; values that are not positive are left out
 * @property {number} [low] where the axis begins; at the least value (0 if that is near) without it
 * @property {number} [high]
 * @property {readonly Tick[]} [ticks] places and their labels, where round numbers are not wanted
 */

/**
 * @typedef {object} Series
 * @property {string} name
 * @property {readonly Point[]} points values along both axes; lines follow their order
 * @property {string} [colour] of svg.mjs
 * @property {string} [dash] of the line, as SVG has it
 * @property {'line' | 'dots' | 'bars'} [look] bars stand on the axis, beside those of other series
 */

/**
 * @typedef {object} Panel
 * @property {string} title
 * @property {string} [subtitle]
 * @property {Axis} x
 * @property {Axis} y
 * @property {readonly Series[]} series
 */

const WIDTH = 400;
const HEIGHT = 300;
const LEFT = 78;
const TOP = 62;
/** Below the frame: labels and the axis' name. */
const FOOT = 52;
/** A line of the names of series. */
const LINE = 17;
const COLOURS = ['blue', 'orange', 'green', 'violet', 'red', 'grey', 'navy', 'sky', 'peach'];

/** Steps between ticks. One of them gives about five ticks on any axis. */
const STEPS = [1, 2, 2.5, 5, 10];

/** @param {number} value in as many digits as tell ticks apart */
const label = (value) => Number(value.toPrecision(6)).toLocaleString('en-US', { maximumFractionDigits: 6 });

/** @param {number} low @param {number} high @returns {Tick[]} */
function roundTicks(low, high) {
  const rough = (high - low) / 5;
  const decade = 10 ** Math.floor(Math.log10(rough));
  const step = decade * (STEPS.find((factor) => factor * decade >= rough) ?? 10);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => [(first + i) * step, label((first + i) * step)]);
}

/**
 * Powers of ten; between two of them 2 and 5 as well where there are few.
 *
 * @param {number} low
 * @param {number} high
 * @returns {Tick[]}
 */
function logTicks(low, high) {
  const [from, to] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const factors = to - from > 2 ? [1] : [1, 2, 5];
  const every = Math.ceil((to - from) / 8);
  /** @type {Tick[]} */
  const ticks = [];
  for (let e = from; e <= to; e += every) {
    for (const factor of factors) {
      const value = factor * 10 ** e;
      if (value < low * 0.999 || value > high * 1.001) continue;
      ticks.push([value, factors.length > 1 || (e > -3 && e < 4) ? label(value) : power(e)]);
    }
  }
  return ticks;
}

/** @param {Axis} axis @param {number} value */
const isShown = ({ log }, value) => Number.isFinite(value) && (!log || value > 0);

/**
 * Where values stand between `start` and `end`, and the axis' ticks.
 *
 * @param {Axis} axis
 * @param {readonly number[]} values
 * @param {number} start
 * @param {number} end
 * @returns {{ scale: Scale, ticks: readonly Tick[] }}
 */
function along(axis, values, start, end) {
  const shown = values.filter((value) => isShown(axis, value));
  if (shown.length === 0) throw new Error(`${axis.name}: no values to draw`);
  const least = Math.min(...shown);
  const greatest = Math.max(...shown);
  if (axis.log) {
    const low = axis.low ?? least / 1.3;
    const high = axis.high ?? greatest * 1.3;
    const span = Math.log(high / low);
    return {
      scale: (x) => start + (Math.log(x / low) / span) * (end - start),
      ticks: axis.ticks ?? logTicks(low, high),
    };
  }
  const margin = 0.05 * (greatest - least || Math.abs(greatest) || 1);
  // Nearly all measures begin at nought: a scale that hides it makes small changes look large.
  const low = axis.low ?? (least >= 0 && least < 0.5 * greatest ? 0 : least - margin);
  const high = axis.high ?? greatest + margin;
  return {
    scale: (x) => start + ((x - low) / (high - low)) * (end - start),
    ticks: axis.ticks ?? roundTicks(low, high),
  };
}

/**
 * Bars of one series, beside those of the others.
 *
 * @param {readonly Point[]} points on the paper
 * @param {string} colour
 * @param {number} base height of the axis
 * @param {number} width of a bar
 * @param {number} shift of its middle
 */
function bars(points, colour, base, width, shift) {
  const outlines = points.map(([x, y]) => {
    const from = (x + shift - width / 2).toFixed(1);
    return `M${from} ${base}V${y.toFixed(1)}h${width.toFixed(1)}V${base}Z`;
  });
  return `<path d="${outlines.join('')}" class="f-${colour}"/>`;
}

/**
 * @param {Panel} panel
 * @param {number} left of its frame
 * @param {number} top
 */
function panelParts({ title, subtitle = '', x, y, series }, left, top) {
  const points = series.flatMap((each) => each.points);
  const hasBars = series.some((each) => each.look === 'bars');
  const inset = hasBars ? 34 : 0;
  const places = points.map(([value]) => value);
  const across = along(
    hasBars ? { low: Math.min(...places), high: Math.max(...places), ...x } : x,
    places,
    left + inset,
    left + WIDTH - inset,
  );
  const up = along(
    y,
    points.map(([, value]) => value),
    top + HEIGHT,
    top,
  );
  const place = { left, top, width: WIDTH, height: HEIGHT, margin: 60 };
  const parts = panelFrame(place, { title, subtitle }, { ...across, name: x.name }, { ...up, name: y.name });
  const standing = series.filter((each) => each.look === 'bars');
  const width = Math.min(16, 60 / standing.length);
  for (const [i, each] of series.entries()) {
    const colour = each.colour ?? COLOURS[i % COLOURS.length];
    const placed = each.points
      .filter(([a, b]) => isShown(x, a) && isShown(y, b))
      .map(/** @returns {Point} */ ([a, b]) => [across.scale(a), up.scale(b)]);
    const shift = (standing.indexOf(each) - (standing.length - 1) / 2) * width;
    if (each.look === 'bars') parts.push(bars(placed, colour, top + HEIGHT, width, shift));
    else parts.push(each.look === 'dots' ? dots(placed, colour) : line(placed, colour, each.dash));
    parts.push(...nameOf(each, colour, left, top + HEIGHT + FOOT + LINE * i));
  }
  return parts;
}

/**
 * The line below a panel that tells which series this is.
 *
 * @param {Series} series
 * @param {string} colour
 * @param {number} left
 * @param {number} y
 */
function nameOf({ name, look = 'line', dash = '' }, colour, left, y) {
  const sign = {
    line: `<path d="M${left} ${y}h24" class="s-${colour}" stroke-width="2"${dash && ` stroke-dasharray="${dash}"`}/>`,
    dots: `<circle cx="${left + 12}" cy="${y}" r="4" class="f-${colour}"/>`,
    bars: `<rect x="${left + 4}" y="${y - 6}" width="16" height="12" class="f-${colour}"/>`,
  };
  return [sign[look], text(left + 32, y + 4, name)];
}

/**
 * Panels side by side as one picture.
 *
 * @param {string} title what a screen reader says
 * @param {readonly Panel[]} panels
 * @param {{ columns?: number }} [options] panels in a row; 2
 * @returns {string} SVG
 * @example
 * chart('Squares', [{ title: 'x²', x: { name: 'x' }, y: { name: 'y' },
 *   series: [{ name: 'squares', points: [[1, 1], [2, 4]] }] }]);
 */
export function chart(title, panels, { columns = 2 } = {}) {
  const names = Math.max(...panels.map(({ series }) => series.length));
  const height = TOP + HEIGHT + FOOT + LINE * names + 6;
  const width = LEFT + WIDTH + 24;
  const parts = panels.flatMap((panel, i) =>
    panelParts(panel, LEFT + (i % columns) * width, TOP + Math.floor(i / columns) * height),
  );
  const rows = Math.ceil(panels.length / columns);
  return picture(Math.min(columns, panels.length) * width, rows * height, title, parts);
}
