/** Charts: where values stand, which are left out, and that the names of all series are there. */
import { expect, test } from 'vitest';
import { chart } from '../../bench/chart.mjs';

const LEFT = 78;
const TOP = 62;
const [WIDTH, HEIGHT] = [400, 300];
const axes = { x: { name: 'x', low: 0, high: 10 }, y: { name: 'y', low: 0, high: 100 } };
/** Ends of the lines that svg.mjs draws, as numbers. */
const pathsOf = (svg: string): number[][] =>
  [...svg.matchAll(/<path d="(M[^"h]*L[^"]*)"/g)].map(([, path]) => path.match(/[\d.]+/g)?.map(Number) ?? []);

test('a value stands where its axes say', () => {
  const points: [number, number][] = [[0, 0], [5, 25], [10, 100]]; // biome-ignore format: points
  const svg = chart('t', [{ title: 'p', ...axes, series: [{ name: 's', points }] }]);
  expect(pathsOf(svg)).toEqual([[LEFT, TOP + HEIGHT, LEFT + WIDTH / 2, TOP + (3 / 4) * HEIGHT, LEFT + WIDTH, TOP]]);
});

test('a power of ten is as far from the next on a logarithmic axis, and what is not positive is left out', () => {
  const log = { x: { name: 'x', log: true, low: 1, high: 100 }, y: { name: 'y', low: 0, high: 1 } };
  const points: [number, number][] = [[1, 0], [0, 0.5], [-3, 0.5], [10, 0.5], [100, 1], [Number.NaN, 1]]; // biome-ignore format: points
  const svg = chart('t', [{ title: 'p', ...log, series: [{ name: 's', points }] }]);
  expect(pathsOf(svg)).toEqual([[LEFT, TOP + HEIGHT, LEFT + WIDTH / 2, TOP + HEIGHT / 2, LEFT + WIDTH, TOP]]);
});

test('an axis without ends begins at nought where that is near, and holds all values', () => {
  const points: [number, number][] = [[3, 7], [90, 41]]; // biome-ignore format: points
  const svg = chart('t', [{ title: 'p', x: { name: 'x' }, y: { name: 'y' }, series: [{ name: 's', points }] }]);
  expect(svg).toContain('>0</text>');
  for (const [x1, y1, x2, y2] of pathsOf(svg)) {
    for (const x of [x1, x2]) expect(x >= LEFT && x <= LEFT + WIDTH).toBe(true);
    for (const y of [y1, y2]) expect(y >= TOP && y <= TOP + HEIGHT).toBe(true);
  }
});

test('every series is named, names are escaped, and panels stand in rows', () => {
  const panel = { title: 'a < b', ...axes, series: [{ name: 'x & y', points: [[1, 1] as [number, number]] }] };
  const bars = { ...panel, series: [{ name: 'bars', look: 'bars' as const, points: [[1, 50] as [number, number]] }] };
  const svg = chart('t', [panel, bars, panel]);
  expect(svg.match(/x &amp; y/g)).toHaveLength(2);
  expect(svg).toContain('a &lt; b');
  expect(svg).not.toMatch(/NaN|undefined/);
});

test('a panel without a value that can be drawn is refused by its name', () => {
  const empty = {
    title: 'p',
    x: { name: 'threads', log: true },
    y: { name: 'y' },
    series: [{ name: 's', points: [] }],
  };
  expect(() => chart('t', [empty])).toThrow('threads: no values to draw');
});
