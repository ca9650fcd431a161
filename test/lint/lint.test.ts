/** Every rule of lint on meshes that break it and on meshes that do not; levels, limits, elements; the samples of assets/. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { build, OptionError, readFrep, readObj } from '../../src/index.ts';
import { lint } from '../../src/lint/lint.ts';
import type { LintOptions, LintRule } from '../../src/lint/report.ts';
import type { Mesh } from '../../src/mesh/mesh.ts';
import type { Surface } from '../../src/mesh/topology.ts';
import { seeded } from '../support/random.ts';
import { box, bumpySphere, icosphere, soup, tetrahedron, torus } from '../support/shapes.ts';

/** Rules and how often, of all but those that are 0. */
function countsOf(mesh: Surface | Mesh, options?: LintOptions): Partial<Record<LintRule, number>> {
  const { counts } = lint(mesh, options).summary;
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
}

const movedBy = (mesh: Surface, [x, y, z]: number[], scale = 1): Surface => ({
  positions: mesh.positions.map((p, i) => scale * p + [x, y, z][i % 3]),
  triangles: mesh.triangles,
});

const turned = (mesh: Surface): Surface => ({ ...mesh, triangles: mesh.triangles.toReversed() });

function together(...meshes: Surface[]): Surface {
  let vertices = 0;
  const parts = meshes.map(({ positions, triangles }) => {
    const part = triangles.map((v) => v + vertices);
    vertices += positions.length / 3;
    return { positions, part };
  });
  return {
    positions: Float64Array.from(parts.flatMap(({ positions }) => Array.from(positions))),
    triangles: Uint32Array.from(parts.flatMap(({ part }) => Array.from(part))),
  };
}

const withTriangles = (mesh: Surface, change: (triangles: number[]) => number[]): Surface => ({
  ...mesh,
  triangles: Uint32Array.from(change(Array.from(mesh.triangles))),
});

const ALL_ON: LintOptions = { severity: { 'self-touch': 'warning' } };

test.each([
  ['box', box()],
  ['tetrahedron', tetrahedron()],
  ['ball', icosphere(2)],
  ['bumpy ball', bumpySphere(1, 2)],
  ['torus', torus(10, 6)],
  ['box as a soup', soup(box())],
  ['two boxes apart', together(box(), movedBy(box(), [3, 0, 0]))],
  ['a box with a cavity', together(box(4), turned(box(1)))],
  ['a box in a cavity of a box', together(box(4), turned(box(2)), box(1))],
  ['boxes that share an edge have no open one', together(box(), movedBy(box(), [1, 1, 0]))],
])('%s: nothing is wrong', (name, mesh) => {
  const expected = name.startsWith('boxes that share an edge') ? { 'non-manifold-edge': 1 } : {};
  expect(countsOf(mesh, ALL_ON)).toEqual(expected);
});

describe('rules', () => {
  test('open-edge: a hole is one finding, with its edges', () => {
    const open = withTriangles(icosphere(2), (triangles) => triangles.slice(3));
    const { findings } = lint(open);
    expect(findings.map(({ rule, severity, count }) => [rule, severity, count])).toEqual([['open-edge', 'error', 3]]);
    const two = withTriangles(torus(10, 6), (triangles) => triangles.slice(3, -60));
    expect(countsOf(two)).toEqual({ 'open-edge': 2 });
  });

  test('orientation: a triangle turned over', () => {
    const mesh = withTriangles(box(), ([a, b, c, ...rest]) => [a, c, b, ...rest]);
    const [finding, ...others] = lint(mesh).findings;
    expect(finding).toMatchObject({ rule: 'orientation', severity: 'error', count: 3 });
    expect(finding.triangles).toContain(0);
    expect(others).toEqual([]);
  });

  test('non-manifold-edge: three triangles at an edge are open there, too', () => {
    const fin = together(box(), {
      positions: Float64Array.of(-0.5, -0.5, -0.5, 0.5, -0.5, -0.5, 0, -2, -2),
      triangles: Uint32Array.of(0, 1, 2),
    });
    const { findings } = lint(fin);
    expect(findings.map(({ rule, triangles }) => [rule, triangles])).toEqual([
      ['open-edge', expect.arrayContaining([12])],
      ['non-manifold-edge', expect.arrayContaining([12])],
    ]);
  });

  test('inverted-shell: inside out, but not as a cavity', () => {
    expect(countsOf(turned(torus(10, 6)))).toEqual({ 'inverted-shell': 1 });
    expect(countsOf(together(box(4), movedBy(turned(box(1)), [9, 0, 0])))).toEqual({ 'inverted-shell': 1 });
    // A cavity that opens to a face, and one that is all there is.
    for (const hole of [movedBy(turned(box(2)), [1, 0, 0]), turned(box(4))])
      expect(countsOf(together(box(4), hole))).not.toHaveProperty('inverted-shell');
    // The outer one is inside out; what is within it is no cavity of a solid, and no shell inside out.
    expect(countsOf(turned(together(box(4), turned(box(1)))))).toEqual({ 'inverted-shell': 1 });
    expect(countsOf(together(box(4), turned(box(3)), turned(box(1))))).toEqual({ 'inverted-shell': 1 });
  });

  test('self-intersection: pairs that cross, and neighbours folded onto each other', () => {
    const { findings } = lint(together(box(), movedBy(box(), [0.3, 0.2, 0.1])));
    expect(new Set(findings.map(({ rule }) => rule))).toEqual(new Set(['self-intersection']));
    for (const { point, triangles } of findings) {
      expect(triangles[0]).toBeLessThan(12);
      expect(triangles[1]).toBeGreaterThanOrEqual(12);
      for (const x of point as number[]) expect(Math.abs(x)).toBeLessThanOrEqual(0.8);
    }
    const folded = {
      positions: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 2, 0),
      triangles: Uint32Array.of(0, 1, 2, 1, 0, 3),
    };
    const fold = lint(folded).findings.find(({ rule }) => rule === 'self-intersection');
    expect(fold?.message).toMatch(/folded/);
  });

  test('self-touch: off unless asked for', () => {
    const standing = together(box(), movedBy(tetrahedron(), [0, 0, 0.5 + 0.125], 0.125));
    expect(countsOf(standing)).toEqual({});
    expect(countsOf(standing, ALL_ON)['self-touch']).toBeGreaterThan(0);
  });

  test('duplicate-face, coincident-face, degenerate-face', () => {
    const again = withTriangles(box(), (triangles) => [...triangles, ...triangles.slice(0, 3)]);
    expect(countsOf(again)).toMatchObject({ 'duplicate-face': 1 });
    expect(lint(again).findings.find(({ rule }) => rule === 'duplicate-face')?.triangles).toEqual([0, 12]);
    const sheet = withTriangles(box(), ([a, b, c]) => [a, b, c, a, c, b]);
    expect(countsOf(sheet)).toEqual({ 'coincident-face': 1 });
    const flat = withTriangles(box(), (triangles) => [...triangles, 0, 0, 1, 2, 2, 2]);
    expect(countsOf(flat)).toEqual({ 'degenerate-face': 2 });
    const line = { positions: Float64Array.of(0, 0, 0, 1, 1, 1, 3, 3, 3), triangles: Uint32Array.of(0, 1, 2) };
    expect(countsOf(line)).toEqual({ 'open-edge': 1, 'degenerate-face': 1 });
  });

  test('stray-part: dust, and what is small and far away', () => {
    expect(countsOf(together(box(), movedBy(box(), [0.7, 0, 0], 0.0009)))).toEqual({ 'stray-part': 1 });
    expect(countsOf(together(box(), movedBy(box(), [0.7, 0, 0], 0.09)))).toEqual({});
    expect(countsOf(together(box(), movedBy(box(), [9, 0, 0], 0.09)))).toEqual({ 'stray-part': 1 });
    expect(countsOf(together(box(), movedBy(box(), [9, 0, 0], 0.11)))).toEqual({});
  });

  test('scale: among objects of a file, and by units', () => {
    const sizes = (last: number): Mesh => {
      const mesh = together(...[1, 2, 1.5, last].map((s, i) => movedBy(box(), [5 * i, 0, 0], s)));
      const groups = [0, 1, 2, 3].map((i) => ({ kind: 'object' as const, name: `o${i}`, first: 12 * i, count: 12 }));
      return { ...mesh, groups };
    };
    expect(countsOf(sizes(900))).toEqual({});
    const { findings } = lint(sizes(2500), { file: 'a.obj' });
    expect(findings).toMatchObject([
      { rule: 'scale', severity: 'warning', file: 'a.obj', element: 'o3', triangles: [36] },
    ]);
    expect(countsOf(sizes(0.001))).toEqual({ scale: 1 });
    expect(countsOf(box(), { units: 'mm' })).toEqual({});
    expect(countsOf(box(), { units: 'nm' })).toEqual({ scale: 1 });
    expect(countsOf(box(), { units: 'km', severity: { scale: 'off' } })).toEqual({});
  });
});

test('objects are looked at one by one, with the numbers of the file; whole: as one', () => {
  const mesh = together(box(), movedBy(box(), [0.5, 0.5, 0.5]));
  const groups = ['left', 'right'].map((name, i) => ({ kind: 'object' as const, name, first: 12 * i, count: 12 }));
  expect(countsOf({ ...mesh, groups })).toEqual({});
  expect(countsOf({ ...mesh, groups }, { whole: true })['self-intersection']).toBeGreaterThan(0);
  mesh.triangles.copyWithin(69, 66, 69);
  const { findings, summary } = lint({ ...mesh, groups });
  expect(summary).toMatchObject({ elements: 2, triangles: 24, shells: 2 });
  expect(new Set(findings.map(({ element }) => element))).toEqual(new Set(['right']));
  expect(findings.find(({ rule }) => rule === 'duplicate-face')?.triangles).toEqual([22, 23]);
});

test('an asset is what it stores; cubes and F-reps are refused', () => {
  const mesh = { ...withTriangles(icosphere(2), (triangles) => triangles.slice(3)), groups: [] };
  for (const format of ['obb', 'kdop'] as const) {
    expect(countsOf(build(mesh, { format }) as never)).toEqual({ 'open-edge': 1 });
  }
  expect(() => lint(build(mesh, { format: 'voxel', precision: 0.2 }))).toThrow(OptionError);
  expect(() => lint(build(readFrep('{"object": {"sphere": {"radius": 0.2}}}')))).toThrow(/lint: takes triangles/);
});

test('levels and limits', () => {
  const broken = withTriangles(torus(10, 6), (triangles) => triangles.filter((_, c) => Math.floor(c / 3) % 7 !== 0));
  const all = lint(broken);
  expect(all.summary).toMatchObject({ errors: all.findings.length, warnings: 0, unlisted: 0, complete: true });
  const some = lint(broken, { maxFindings: 1, severity: { 'open-edge': 'warning' } });
  expect(some.findings).toEqual([{ ...all.findings[0], severity: 'warning' }]);
  expect(some.summary).toMatchObject({ errors: 0, warnings: all.findings.length, unlisted: all.findings.length - 1 });
  expect(lint(broken, { maxFindings: 0 }).findings).toEqual([]);
  expect(() => lint(broken, { severity: { 'open-edges': 'off' } as never })).toThrow(/did you mean open-edge\?/);
  expect(() => lint(broken, { severity: { 'open-edge': 'fatal' } as never })).toThrow(/error or warning or off/);
  const off = Object.fromEntries(Object.keys(all.summary.counts).map((rule) => [rule, 'off' as const]));
  expect(() => lint(broken, { severity: off })).toThrow(/all rules are off/);
  expect(() => lint({ positions: new Float64Array(2), triangles: new Uint32Array(0) })).toThrow(/^source\.positions/);
});

test("ids are the triangles', whatever else there is; findings come in one order, seed 5", () => {
  const random = seeded(5);
  const mesh = withTriangles(torus(12, 8), (triangles) => triangles.filter(() => true));
  for (let i = 0; i < 9; i++) mesh.triangles[random.below(mesh.triangles.length)] = random.below(50);
  const { findings } = lint(mesh, ALL_ON);
  expect(lint(mesh, ALL_ON).findings).toEqual(findings);
  expect(new Set(findings.map(({ id }) => id)).size).toBe(findings.length);
  const fewer = lint(mesh, { severity: { 'self-intersection': 'off' } }).findings;
  const ids = new Set(findings.map(({ id }) => id));
  expect(fewer.every(({ id }) => ids.has(id))).toBe(true);
});

describe('samples', () => {
  const folder = new URL('../../assets/', import.meta.url);
  const names = readdirSync(folder).filter((name) => name.endsWith('.obj'));
  test.each(names)('%s', (name) => {
    const { summary, findings } = lint(readObj(readFileSync(new URL(name, folder))));
    expect(findings.map(({ rule, message }) => [rule, message])).toEqual([]);
    expect(summary.complete).toBe(true);
  });
});

describe('hostile', () => {
  test('no triangle', () => {
    const { findings, summary } = lint({ positions: new Float64Array(0), triangles: new Uint32Array(0) });
    expect([findings, summary.errors, summary.shells]).toEqual([[], 0, 0]);
  });

  test.each([1e300, 1e-300])('coordinates of %f', (scale) => {
    expect(countsOf(movedBy(icosphere(1), [0, 0, 0], scale))).toEqual({});
    const open = withTriangles(movedBy(icosphere(1), [0, 0, 0], scale), (triangles) => triangles.slice(3));
    expect(countsOf(open)).toEqual({ 'open-edge': 1 });
    const both = together(box(), movedBy(box(), [0.3, 0.2, 0.1]));
    expect(countsOf(movedBy(both, [0, 0, 0], scale))).toEqual(countsOf(both));
  });

  test('20,000 boxes, all inside out', { tags: ['all'] }, () => {
    const one = turned(box());
    const copies = Array.from({ length: 20_000 }, (_, i) => movedBy(one, [2 * (i % 100), 2 * Math.floor(i / 100), 0]));
    expect(countsOf(together(...copies))).toEqual({ 'inverted-shell': 20_000 });
  });

  test('one triangle 100,000 times, and as many crossing pairs as are counted', { tags: ['long'] }, () => {
    const many = {
      positions: Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0),
      triangles: Uint32Array.from({ length: 300_000 }, (_, c) => c % 3),
    };
    const { findings } = lint(many);
    expect(findings.find(({ rule }) => rule === 'duplicate-face')).toMatchObject({ count: 100_000 });
    const random = seeded(1);
    const positions = Float64Array.from({ length: 9 * 6000 }, () => random.between(-1, 1));
    const { summary } = lint({ positions, triangles: Uint32Array.from({ length: 3 * 6000 }, (_, c) => c) });
    expect(summary).toMatchObject({ complete: false, counts: { 'self-intersection': 1_000_000 } });
    expect(summary.unlisted).toBe(990_000);
  });
});
