/** Surfaces of solids whose volume, genus, edges and corners are known. */
import { describe, expect, test } from 'vitest';
import type { Surface } from '../../../src/mesh/topology.ts';
import { compileFrep } from '../../../src/representations/frep/make/compile.ts';
import type { Shape } from '../../../src/representations/frep/make/model.ts';
import { depthAt } from '../../../src/representations/frep/tree/evaluate.ts';
import { boxesSurface, type Classify, polygonise } from '../../../src/representations/frep/tree/polygonise.ts';
import { type FrepObject, OP } from '../../../src/representations/frep/tree/program.ts';
import { classifyBox } from '../../../src/representations/frep/tree/unfold.ts';
import { some } from '../../support/long.ts';
import { seeded } from '../../support/random.ts';
import { analyseTopology } from '../../support/topology.ts';

const solid = (object: Shape, min = [-1, -1, -1], max = [1, 1, 1]): FrepObject =>
  compileFrep({ domain: { min, max }, object });
const surfaceOf = (object: FrepObject, resolution: number): Surface =>
  polygonise(object, resolution, (...box) => classifyBox(object, box));

function volumeOf({ positions: p, triangles }: Surface): number {
  let sum = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => 3 * triangles[t + k]);
    sum += p[a] * (p[b + 1] * p[c + 2] - p[b + 2] * p[c + 1]);
    sum += p[a + 1] * (p[b + 2] * p[c] - p[b] * p[c + 2]);
    sum += p[a + 2] * (p[b] * p[c + 1] - p[b + 1] * p[c]);
  }
  return sum / 6;
}

/** Every directed edge as often as its reverse: closed and outward wherever one triangle is. */
function isBalanced({ triangles }: Surface): boolean {
  const balance = new Map<string, number>();
  for (let c = 0; c < triangles.length; c++) {
    const [a, b] = [triangles[c], triangles[c % 3 === 2 ? c - 2 : c + 1]];
    const key = a < b ? `${a} ${b}` : `${b} ${a}`;
    balance.set(key, (balance.get(key) ?? 0) + (a < b ? 1 : -1));
  }
  return [...balance.values()].every((x) => x === 0);
}

/** How far vertices are from the surface at most, in the model cube: to first order, so |F| / |grad F|, and the domain's faces. */
function farthestOff({ program, domain, center, half }: FrepObject, { positions }: Surface): number {
  let most = 0;
  const point = new Float64Array(3);
  const normal = new Float64Array(3);
  for (let v = 0; v < positions.length; v += 3) {
    for (let k = 0; k < 3; k++) point[k] = (positions[v + k] - center[k]) / half;
    most = Math.max(most, Math.abs(depthAt(program, domain, point, normal)));
  }
  return most;
}

const distanceTo = ({ positions: p }: Surface, [x, y, z]: readonly number[]): number => {
  let least = Number.POSITIVE_INFINITY;
  for (let v = 0; v < p.length; v += 3) least = Math.min(least, Math.hypot(p[v] - x, p[v + 1] - y, p[v + 2] - z));
  return least;
};

const box: Shape = { box: { size: [1.6, 1.4, 1.2] } };
const hole: Shape = { cylinder: { radius: 0.4 } };
const PI = Math.PI;

/** Volume, genus, and how much of the volume chords may cut off at 48 cells. */
const SOLIDS: Record<string, [object: FrepObject, volume: number, genus: number, share: number]> = {
  sphere: [solid({ sphere: { radius: 0.7, center: [0.05, 0.02, -0.03] } }), (4 / 3) * PI * 0.343, 0, 2e-3],
  torus: [solid({ torus: { major: 0.6, minor: 0.3 } }), 2 * PI * PI * 0.6 * 0.09, 1, 6e-3],
  'torus elsewhere': [
    solid({ torus: { major: 60, minor: 30 }, translate: [500, 0, -300] }, [400, -100, -400], [600, 100, -200]),
    2 * PI * PI * 60 * 900,
    1,
    6e-3,
  ],
  box: [solid(box), 1.6 * 1.4 * 1.2, 0, 1e-9],
  'box with a hole': [solid({ difference: [box, hole] }), 1.2 * (1.6 * 1.4 - PI * 0.16), 1, 1e-3],
  'half-space in a domain': [
    solid({ halfSpace: { normal: [-1, -0.4, -0.3], offset: 0.1 } }, [-1, -0.8, -0.5], [1, 0.8, 0.5]),
    // Its mean along x is at the middle: from x = -0.1 to 1.
    1.1 * 1.6,
    0,
    1e-9,
  ],
  'a domain without a surface': [solid({ sphere: { radius: 9 } }, [1, 1, 1], [3, 2, 1.5]), 2 * 1 * 0.5, 0, 1e-9],
  'two spheres that intersect': [
    solid({
      intersection: [
        { sphere: { radius: 0.8, center: [-0.4, 0, 0] } },
        { sphere: { radius: 0.8, center: [0.4, 0, 0] } },
      ],
    }),
    // Two caps of height 0.4.
    (2 * PI * 0.16 * (3 * 0.8 - 0.4)) / 3,
    0,
    5e-3,
  ],
};

describe.each(Object.entries(SOLIDS))('%s', (_, [object, volume, genus, share]) => {
  const surface = surfaceOf(object, 48);

  test('is closed, outward and of its genus', { tags: ['all'] }, () => {
    const found = analyseTopology(surface);
    expect(found).toMatchObject({ closed: true, consistentlyOriented: true, components: 1, genus });
    expect(isBalanced(surface)).toBe(true);
  });

  test('has its volume', () => {
    expect(volumeOf(surface) / volume).toBeGreaterThan(1 - share);
    expect(volumeOf(surface) / volume).toBeLessThan(1 + share);
  });

  test('has its vertices on the surface', () => {
    expect(farthestOff(object, surface)).toBeLessThan(2 ** -43);
  });
});

test('corners of boxes and of domains are vertices', () => {
  const pierced = surfaceOf(SOLIDS['box with a hole'][0], 20);
  for (const x of [-0.8, 0.8]) {
    for (const y of [-0.7, 0.7]) for (const z of [-0.6, 0.6]) expect(distanceTo(pierced, [x, y, z])).toBeLessThan(1e-9);
  }
  // The plane cuts the domain's edges along x.
  const cut = surfaceOf(SOLIDS['half-space in a domain'][0], 20);
  for (const y of [-0.8, 0.8]) {
    for (const z of [-0.5, 0.5]) {
      expect(distanceTo(cut, [1, y, z])).toBeLessThan(1e-9);
      expect(distanceTo(cut, [-0.1 - 0.4 * y - 0.3 * z, y, z])).toBeLessThan(1e-9);
    }
  }
});

test('creases of curved faces are sharp: the circle in which two spheres meet', () => {
  const surface = surfaceOf(SOLIDS['two spheres that intersect'][0], 32);
  for (let angle = 0; angle < 6.28; angle += 0.01) {
    const radius = Math.sqrt(0.64 - 0.16);
    const on = [0, radius * Math.cos(angle), radius * Math.sin(angle)];
    // Vertices stand along it, no more than a cell apart.
    expect(distanceTo(surface, on)).toBeLessThan(2 / 32);
  }
  // None of them reaches beyond it, and the farthest from the axis lie on it.
  let most = 0;
  const { positions: p } = surface;
  for (let v = 0; v < p.length; v += 3) most = Math.max(most, Math.hypot(p[v + 1], p[v + 2]));
  expect(Math.abs(most - Math.sqrt(0.48))).toBeLessThan(1e-6);
});

test('a solid without a point in its domain has no triangles, nor has one without an inside', () => {
  for (const object of [
    solid({ sphere: { radius: 0.1, center: [5, 0, 0] } }),
    solid({ quadric: [-1, -1, -1, 0, 0, 0, 0, 0, 0, -1] }),
  ]) {
    expect(surfaceOf(object, 32)).toEqual({ positions: new Float64Array(0), triangles: new Uint32Array(0) });
  }
});

const unsure: Classify = () => 0;

test('bounds change nothing but the time', () => {
  for (const [object] of Object.values(SOLIDS)) {
    const slow = polygonise(object, 16, unsure);
    const fast = surfaceOf(object, 16);
    expect(fast.triangles.length).toBe(slow.triangles.length);
    expect(Buffer.compare(Buffer.from(fast.triangles.buffer), Buffer.from(slow.triangles.buffer))).toBe(0);
    expect(Buffer.compare(Buffer.from(fast.positions.buffer), Buffer.from(slow.positions.buffer))).toBe(0);
  }
});

test('is closed where nothing is resolved, and where bounds and signs disagree (seed 72)', {
  tags: ['quick', 'long'],
}, () => {
  const random = seeded(72);
  const waves = Array.from({ length: 5 }, () => [1, ...[0, 1, 2].map(() => random.between(-40, 40)), 1]).flat();
  const object = solid({ sphere: { radius: 1 } });
  object.program.ops[0] = OP.WAVES;
  object.program.right[0] = 5;
  object.program.numbers = Float64Array.from(waves);
  for (const resolution of some(5, [1, 2, 3, 5, 8, 13, 21])) {
    const all = polygonise(object, resolution, unsure);
    if (resolution > 4) expect(all.triangles.length).toBeGreaterThan(0);
    expect(isBalanced(all)).toBe(true);
    // Half of the boxes are said to be out or in, whatever they are.
    const wrong = polygonise(object, resolution, (_u, _v, _w, hu) =>
      hu < 0.3 ? random.pick([-1, 0, 0, 1] as const) : 0,
    );
    expect(isBalanced(wrong)).toBe(true);
  }
});

test('too many cells are refused', () => {
  expect(() => polygonise(SOLIDS.sphere[0], 2048, unsure)).toThrow('cells along a side of a surface, found 2048');
});

test('boxes as a surface', () => {
  const surface = boxesSurface([1, 2, 3, 0.5, 1, 1.5, -4, 0, 0, 1, 1, 1]);
  expect(analyseTopology(surface)).toMatchObject({ components: 2, closed: true, genus: 0, consistentlyOriented: true });
  expect(volumeOf(surface)).toBeCloseTo(1 * 2 * 3 + 8, 12);
  expect(surface.positions.slice(0, 3)).toEqual(Float64Array.of(0.5, 1, 1.5));
});
