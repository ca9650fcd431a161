/** Meshes that deform: closed forms, and every pair of triangles at sampled times. */
import { describe, expect, test } from 'vitest';
import { trianglesIntersectAt } from '../../src/geometry/triangle-triangle.ts';
import type { Surface } from '../../src/mesh/topology.ts';
import { impactOfDeforming, selfImpactOfDeforming } from '../../src/motion/deforming.ts';
import type { Impact } from '../../src/motion/motion.ts';
import { long } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';

/** A sheet of n x n squares over [0, 1]^2 whose heights are a function's. */
function sheet(n: number, height: (x: number, y: number) => number): Surface {
  const positions: number[] = [];
  const triangles: number[] = [];
  for (let i = 0; i <= n; i++) for (let j = 0; j <= n; j++) positions.push(i / n, j / n, height(i / n, j / n));
  for (let i = 0; i < n; i++)
    for (let j = 0; j < n; j++) {
      const v = i * (n + 1) + j;
      triangles.push(v, v + n + 1, v + n + 2, v, v + n + 2, v + 1);
    }
  return { positions: Float64Array.from(positions), triangles: Uint32Array.from(triangles) };
}

const shifted = (p: Float64Array, x: number, y: number, z: number): Float64Array =>
  p.map((c, k) => c + [x, y, z][k % 3]);

const at = (from: Float64Array, to: Float64Array, t: number): Float64Array =>
  from.map((x, k) => x * (1 - t) + to[k] * t);

function corners(p: Float64Array, triangles: Uint32Array, t: number): Float64Array {
  const out = new Float64Array(9);
  for (let k = 0; k < 9; k++) out[k] = p[3 * triangles[3 * t + Math.floor(k / 3)] + (k % 3)];
  return out;
}

/** Whether triangles of two surfaces meet, but for those that share a vertex where it is one. */
function meet(a: Surface, p: Float64Array, b: Surface, q: Float64Array): boolean {
  const isOne = a === b && p === q;
  for (let t = 0; t < a.triangles.length / 3; t++)
    for (let u = isOne ? t + 1 : 0; u < b.triangles.length / 3; u++) {
      const ids = Array.from(a.triangles.subarray(3 * t, 3 * t + 3));
      if (isOne && Array.from(b.triangles.subarray(3 * u, 3 * u + 3)).some((v) => ids.includes(v))) continue;
      if (trianglesIntersectAt(corners(p, a.triangles, t), 0, corners(q, b.triangles, u), 0)) return true;
    }
  return false;
}

/** Positions of few bits, so that those at a sampled time are exact. */
const rough = (random: Random, count: number, size: number): Float64Array =>
  Float64Array.from({ length: count }, () => Math.floor(random.between(-size, size) * 64) / 64);

function expectApart(found: Impact, meetsAt: (t: number) => boolean): void {
  const until = found.first?.from ?? Infinity;
  for (let k = 0; k <= 16; k++) if (k / 16 < until) expect(meetsAt(k / 16)).toBe(false);
}

describe('two meshes', () => {
  test('flat sheets meet when their heights do', () => {
    const a = sheet(8, () => 0);
    const b = sheet(5, () => 0);
    const [from, to] = [shifted(b.positions, 0.1, 0.2, 3), shifted(b.positions, 0.1, 0.2, -1)];
    const found = impactOfDeforming(a, b, a.positions, a.positions, from, to);
    expect(found.verdict).toBe('contact');
    expect(found.first!.from).toBeLessThanOrEqual(0.75);
    expect(found.first!.to).toBeGreaterThanOrEqual(0.75);
    expect(found.first!.to - found.first!.from).toBeLessThanOrEqual(2 ** -18);
    expect(found.pair).not.toBeNull();
    const near = impactOfDeforming(a, b, a.positions, a.positions, from, to, { clearance: 0.5 });
    expect(near.verdict).toBe('contact');
    expect(near.first!.from).toBeLessThanOrEqual(0.625);
    expect(near.first!.to).toBeGreaterThanOrEqual(0.625);
    expect(near.first!.to - near.first!.from).toBeLessThanOrEqual(2 ** -18);
  });

  test('a mesh beside itself, and without triangles', () => {
    const a = sheet(4, (x, y) => x * y);
    const to = shifted(a.positions, 0, 0, 4);
    expect(impactOfDeforming(a, a, a.positions, a.positions, to, a.positions).verdict).toBe('contact');
    expect(impactOfDeforming(a, a, a.positions, to, shifted(to, 0, 0, 0.5), shifted(to, 0, 0, 4)).verdict).toBe(
      'clear',
    );
    const none = { positions: new Float64Array(0), triangles: new Uint32Array(0) };
    const nothing = none.positions;
    expect(impactOfDeforming(a, none, a.positions, to, nothing, nothing).verdict).toBe('clear');
  });

  test('what touches at the beginning is in contact from there', () => {
    const a = sheet(3, () => 0);
    const up = shifted(a.positions, 0, 0, 2);
    const found = impactOfDeforming(a, a, a.positions, a.positions, a.positions, up);
    expect(found.verdict).toBe('contact');
    expect(found.first).toEqual({ from: 0, to: 0 });
  });

  test.each(long ? [1, 2, 3, 4, 5] : [1])(
    'random steps of a few triangles, seed %i',
    { tags: ['all', 'long'] },
    (seed) => {
      const random = seeded(seed);
      const verdicts = new Set<string>();
      for (let n = 0; n < (long ? 1000 : 500); n++) {
        const [a, b] = [1 + random.below(3), 1 + random.below(3)].map((k) => sheet(k, () => 0));
        const apart = random.between(0, 3);
        const [a0, a1] = [0, 0].map(() => rough(random, a.positions.length, 1));
        const [b0, b1] = [0, 0].map(() => shifted(rough(random, b.positions.length, 1), Math.floor(apart), 0, 1));
        const found = impactOfDeforming(a, b, a0, a1, b0, b1);
        verdicts.add(found.verdict);
        expectApart(found, (t) => meet(a, at(a0, a1, t), b, at(b0, b1, t)));
        if (found.verdict === 'contact') expect(found.first!.to).toBeLessThanOrEqual(1);
      }
      expect(verdicts).toContain('clear');
      expect(verdicts).toContain('contact');
    },
  );

  test('the tree is made anew, and the answer stays', () => {
    const a = sheet(16, () => 0);
    const random = seeded(3);
    const torn = a.positions.map((x) => x + Math.floor(random.between(-64, 64)) / 64);
    const b = sheet(16, () => 0);
    const up = shifted(b.positions, 0, 0, 8);
    for (const shape of [a.positions, torn, a.positions]) {
      const fresh = { ...a };
      for (const mesh of [a, fresh]) {
        const found = impactOfDeforming(mesh, b, shape, shape, up, b.positions);
        const { first } = impactOfDeforming(fresh, { ...b }, shape, shape, up, b.positions);
        expect(found.first!.from).toBeCloseTo(first!.from, 5);
        expect(found.first!.to).toBeCloseTo(first!.to, 5);
      }
    }
  });

  test('a budget that is spent says nothing but that', () => {
    const a = sheet(16, (x, y) => x * y);
    const up = shifted(a.positions, 0, 0, 2 ** -10);
    const found = impactOfDeforming(a, a, a.positions, a.positions, up, up, { budget: 0 });
    expect(found.verdict).toBe('undecided');
    expect(found.first).toEqual({ from: 0, to: 1 });
  });

  test('what is no step is refused', () => {
    const a = sheet(2, () => 0);
    const p = a.positions;
    const ask = (q: Float64Array, options = {}): Impact => impactOfDeforming(a, a, p, q, p, p, options);
    expect(() => ask(p.subarray(3))).toThrow(/positionsA1: expected 27 numbers/);
    expect(() => ask(p.map(() => Number.NaN))).toThrow(/finite/);
    expect(() => ask(p, { timeResolution: 0 })).toThrow(/timeResolution/);
    expect(() => ask(p, { clearance: -1 })).toThrow(/clearance/);
    expect(() => ask(p, { budget: -1 })).toThrow(/budget/);
    expect(() => ask(p, { distance: true })).toThrow(/no such option/);
  });
});

describe('one mesh', () => {
  test('a sheet that is folded over meets itself when its flap comes down', () => {
    // Its right half turns over: x > 1/2 goes to 1 - x, at a height from 1/4 down to -1/4.
    const a = sheet(8, () => 0);
    const over = (height: number): Float64Array =>
      a.positions.map((c, k) => {
        const x = a.positions[k - (k % 3)];
        if (x <= 0.75) return c;
        return k % 3 === 0 ? 1.25 - x : k % 3 === 2 ? height : c;
      });
    const found = selfImpactOfDeforming(a, over(0.25), over(-0.25));
    expect(found.verdict).toBe('contact');
    expect(found.first!.from).toBeLessThanOrEqual(0.5);
    expect(found.first!.to).toBeGreaterThanOrEqual(0.5);
    expect(found.first!.to - found.first!.from).toBeLessThanOrEqual(2 ** -18);
    expect(selfImpactOfDeforming(a, over(0.25), over(0.125)).verdict).toBe('clear');
  });

  test('vertices at one point are one while they stay together', () => {
    const p = Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0);
    const seam = { positions: p, triangles: Uint32Array.of(0, 1, 2, 3, 5, 4) };
    const up = shifted(p, 0, 0, 1);
    expect(selfImpactOfDeforming(seam, p, up).verdict).toBe('clear');
    const torn = p.map((c, k) => (k >= 9 ? c + 1 : c));
    expect(selfImpactOfDeforming(seam, p, torn).verdict).toBe('contact');
  });

  test.each(long ? [1, 2, 3] : [1])('random steps, seed %i', { tags: ['all', 'long'] }, (seed) => {
    const random = seeded(seed);
    const verdicts = new Set<string>();
    for (let n = 0; n < (long ? 500 : 250); n++) {
      const a = sheet(1 + random.below(4), () => 0);
      const wild = 2 ** -random.below(5);
      const from = rough(random, a.positions.length, wild).map((x, k) => x + Math.round(a.positions[k] * 64) / 16);
      const to = from.map((x) => x + Math.floor(random.between(-64, 64) * wild) / 64);
      const found = selfImpactOfDeforming(a, from, to);
      verdicts.add(found.verdict);
      expectApart(found, (t) => {
        const p = at(from, to, t);
        return meet(a, p, a, p);
      });
    }
    expect(verdicts).toContain('clear');
    expect(verdicts).toContain('contact');
  });
});
