// bench/frep-constant-time.svg of what frep-check.mjs has measured: time by cells visited, cells by the gap, contacts that the random
// search misses. Text, lines and dots are written by hand.
import { writeFileSync } from 'node:fs';

const WIDTH = 400;
const HEIGHT = 330;
const LEFT = 64;
const TOP = 78;
const STEP = WIDTH + 92;
const BLUE = '#1f6fb4';
const SKY = '#7fb8e6';
const RED = '#c8442c';
const ORANGE = '#f0a35e';
const GREY = '#777777';
const INK = '#222222';

const escaped = (text) => String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const short = (x) => Number(x.toFixed(1));

function text(x, y, content, { size = 12, anchor = 'start', fill = INK, weight = 400, turn = 0 } = {}) {
  const turned = turn ? ` transform="rotate(${turn} ${short(x)} ${short(y)})"` : '';
  return `<text x="${short(x)}" y="${short(y)}" font-size="${size}" text-anchor="${anchor}" fill="${fill}" font-weight="${weight}"${turned}>${escaped(content)}</text>`;
}

/** 10^-3 as characters. */
const power = (e) => `10${[...String(e)].map((c) => (c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[c])).join('')}`;

const logScale = (from, to, low, high) => (x) => low + ((Math.log10(x) - from) / (to - from)) * (high - low);

/** A frame with its title, grid and labels; x and y are axes: a scale, ticks as [value, label], and a name. */
function panel(index, title, subtitle, x, y) {
  const left = LEFT + index * STEP;
  const parts = [
    text(left, TOP - 34, title, { size: 15, weight: 600 }),
    text(left, TOP - 15, subtitle, { size: 12, fill: GREY }),
  ];
  for (const [value, label] of x.ticks) {
    const at = short(x.scale(value));
    parts.push(`<path d="M${at} ${TOP}v${HEIGHT}" stroke="#e4e4e4"/>`);
    parts.push(text(at, TOP + HEIGHT + 18, label, { anchor: 'middle' }));
  }
  for (const [value, label] of y.ticks) {
    const at = short(y.scale(value));
    parts.push(`<path d="M${left} ${at}h${WIDTH}" stroke="#e4e4e4"/>`);
    parts.push(text(left - 8, at + 4, label, { anchor: 'end' }));
  }
  parts.push(`<rect x="${left}" y="${TOP}" width="${WIDTH}" height="${HEIGHT}" fill="none" stroke="#999999"/>`);
  parts.push(text(left + WIDTH / 2, TOP + HEIGHT + 40, x.name, { size: 13, anchor: 'middle' }));
  parts.push(text(left - 46, TOP + HEIGHT / 2, y.name, { size: 13, anchor: 'middle', turn: -90 }));
  return parts;
}

const dots = (points, fill) =>
  `<path d="${points.map(([x, y]) => `M${short(x)} ${short(y)}h0`).join('')}" stroke="${fill}" stroke-width="3.6" stroke-linecap="round" stroke-opacity="0.55" fill="none"/>`;

function line(points, stroke, dash = '') {
  const path = points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${short(x)} ${short(y)}`).join('');
  const marks = points.map(([x, y]) => `M${short(x)} ${short(y)}h0`).join('');
  return (
    `<path d="${path}" stroke="${stroke}" stroke-width="2" fill="none"${dash && ` stroke-dasharray="${dash}"`}/>` +
    `<path d="${marks}" stroke="${stroke}" stroke-width="6" stroke-linecap="round" fill="none"/>`
  );
}

/** Lines of a legend below each other from (x, y): [colour, text, dash]; a dot where dash is null. */
function legend(x, y, entries) {
  const height = 17 * entries.length + 8;
  const width = 40 + 6.3 * Math.max(...entries.map(([, content]) => content.length));
  const parts = [
    `<rect x="${x}" y="${y}" width="${short(width)}" height="${height}" fill="#ffffff" fill-opacity="0.88"/>`,
  ];
  for (const [i, [colour, content, dash]] of entries.entries()) {
    const at = y + 17 * i + 14;
    parts.push(
      dash === null
        ? `<circle cx="${x + 17}" cy="${at}" r="4" fill="${colour}"/>`
        : `<path d="M${x + 5} ${at}h24" stroke="${colour}" stroke-width="2"${dash && ` stroke-dasharray="${dash}"`}/>`,
    );
    parts.push(text(x + 36, at + 4, content));
  }
  return parts;
}

const powers = (from, to, step = 1) =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => [
    10 ** (from + step * i),
    power(from + step * i),
  ]);

function timeByVisits(samples, row) {
  const colours = { 'slices, first': ORANGE, 'slices, all': RED, 'octants, first': BLUE, 'octants, all': SKY };
  const x = { scale: logScale(-0.2, 5, LEFT, LEFT + WIDTH), ticks: powers(0, 5), name: 'cells visited' };
  const y = { scale: logScale(-0.2, 6.4, TOP + HEIGHT, TOP), ticks: powers(0, 6), name: 'microseconds a query' };
  const parts = panel(
    0,
    'No constant time: it follows the cells',
    `${samples['slices, all'].length} positions of 6 pairs, 2${power(row.constant.resolution).slice(2)} cells an axis; R² in a pair`,
    x,
    y,
  );
  for (const name of ['slices, all', 'octants, all', 'slices, first', 'octants, first']) {
    parts.push(
      dots(
        samples[name].map((s) => [x.scale(s.visits), y.scale(s.time)]),
        colours[name],
      ),
    );
  }
  const said = Object.entries(colours).map(([name, colour]) => {
    const [way, end] = name.split(', ');
    const whose = way === 'slices' ? "the seed's slices" : 'octants and mixes';
    return [
      colour,
      `${whose}, ${end === 'all' ? 'all cells' : 'first contact'}: R² ${row.constant[name].explainedInPair.toFixed(2)}`,
      null,
    ];
  });
  return [...parts, ...legend(LEFT + 6, TOP + 6, said)];
}

function visitsByGap({ gaps }) {
  const left = LEFT + STEP;
  const colours = { 'octants, mixes': BLUE, octants: GREY, slices: RED };
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
    const points = Object.entries(values).map(([gap, visits]) => [x.scale(Number(gap)), y.scale(visits)]);
    parts.push(line(points, colours[way], pair === 'two balls' ? '' : '6 4'));
  }
  const entries = [
    [RED, "the seed's slices", ''],
    [GREY, 'octants', ''],
    [BLUE, 'octants and mixes', ''],
  ];
  return [...parts, ...legend(left + WIDTH - 166, TOP + 14, entries)];
}

function missedByDepth({ missed }) {
  const left = LEFT + 2 * STEP;
  const x = {
    scale: (depth) => left + 20 + ((-1 - Math.log10(depth)) / 7) * (WIDTH - 40),
    ticks: powers(-8, -1),
    name: 'depth of the overlap',
  };
  const y = {
    scale: (part) => TOP + HEIGHT - 12 - part * (HEIGHT - 24),
    ticks: [0, 0.25, 0.5, 0.75, 1].map((part) => [part, `${100 * part} %`]),
    name: 'contacts that are missed',
  };
  const parts = panel(2, 'Contacts missed', 'two balls: solid, two hedgehogs: dashed', x, y);
  const series = (name, key) =>
    Object.entries(missed[name])
      .filter(([depth, values]) => depth.startsWith('1e') && values[key] !== undefined)
      .map(([depth, values]) => [x.scale(Number(depth)), y.scale(values[key])]);
  parts.push(line(series('two hedgehogs', 'random, 1000'), ORANGE, '6 4'));
  parts.push(line(series('two balls', 'random, 100'), '#f6cba1'));
  parts.push(line(series('two balls', 'random, 1000'), ORANGE));
  parts.push(line(series('two balls', 'random, 10000'), RED));
  parts.push(line(series('two hedgehogs', 'ours'), BLUE, '6 4'));
  parts.push(line(series('two balls', 'ours'), BLUE));
  const entries = [
    ['#f6cba1', 'random search, N = 100', ''],
    [ORANGE, 'N = 1,000', ''],
    [RED, 'N = 10,000', ''],
    [BLUE, 'cells: none, proved', ''],
  ];
  return [...parts, ...legend(left + 8, TOP + 8, entries)];
}

/** Writes the two files beside this one. */
export function drawPlot({ samples, row }) {
  const width = LEFT + 3 * STEP - 60;
  const height = TOP + HEIGHT + 62;
  const parts = [...timeByVisits(samples, row), ...visitsByGap(row), ...missedByDepth(row)];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="Helvetica, Arial, sans-serif">
<title>Searching two F-reps: cells and time, cells and gap, missed contacts and depth</title>
<rect width="${width}" height="${height}" fill="#ffffff"/>
${parts.join('\n')}
</svg>
`;
  writeFileSync(new URL('frep-constant-time.svg', import.meta.url), svg);
}
