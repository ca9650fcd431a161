/** Programs against the formulas of the language, evaluated here as they are written: sign, value, place, domain. */
import { describe, expect, it } from 'vitest';
import { FormatError, OptionError } from '../../../src/base/errors.ts';
import { compileFrep } from '../../../src/representations/frep/make/compile.ts';
import { type FrepModel, readFrep, type Shape, type Turn } from '../../../src/representations/frep/make/model.ts';
import { evaluate } from '../../../src/representations/frep/tree/evaluate.ts';
import { coefficientsOf, type FrepObject, OP, OP_NAMES } from '../../../src/representations/frep/tree/program.ts';
import { long, some } from '../../support/long.ts';
import { seeded } from '../../support/random.ts';

type Vector = readonly number[];
const CUBE = { min: [-4, -4, -4], max: [4, 4, 4] };

/** By way of its text, so that the language is asked too. */
const compile = (object: Shape, domain: FrepModel['domain'] = CUBE): FrepObject =>
  compileFrep(readFrep(JSON.stringify({ domain, object })));

// ---------------------------------------------------------------------------------------------------- the formulas

const dot = (p: Vector, q: Vector): number => p.reduce((sum, x, k) => sum + x * q[k], 0);
const minus = (p: Vector, q: Vector): number[] => p.map((x, k) => x - q[k]);
const cross = (p: Vector, q: Vector): number[] =>
  [0, 1, 2].map((k) => p[(k + 1) % 3] * q[(k + 2) % 3] - p[(k + 2) % 3] * q[(k + 1) % 3]);
const unit = (p: Vector): number[] => p.map((x) => x / Math.sqrt(dot(p, p)));

/** Vector form of Rodrigues' rotation. */
function turned(p: Vector, { axis, degrees }: Turn): number[] {
  const n = unit(axis);
  const angle = (degrees * Math.PI) / 180;
  const side = cross(n, p);
  const along = dot(n, p);
  return p.map((x, k) => x * Math.cos(angle) + side[k] * Math.sin(angle) + n[k] * along * (1 - Math.cos(angle)));
}

/** The function of a shape at a point, as the language defines it. */
function F(shape: Shape, point: Vector): number {
  let p = minus(point, shape.translate ?? [0, 0, 0]);
  const turns = shape.rotate === undefined ? [] : [shape.rotate].flat();
  for (const turn of turns.reverse()) p = turned(p, { ...turn, degrees: -turn.degrees });
  p = p.map((x, k) => x / (Array.isArray(shape.scale) ? shape.scale[k] : (shape.scale ?? 1)));
  return perturbed(ofKind(shape, p), shape.perturbations, p);
}

function perturbed(value: number, perturbations: Shape['perturbations'], p: Vector): number {
  return (perturbations ?? []).reduce((sum, { by, amount }) => sum + (amount ?? 1) * Math.max(0, F(by, p)) ** 2, value);
}

/** The coordinates of p about c, the axis last, the others in the order x, y, z, x, y after it. */
function about(p: Vector, c: Vector = [0, 0, 0], axis: 'x' | 'y' | 'z' = 'z'): number[] {
  const [x, y, z] = minus(p, c);
  return { x: [y, z, x], y: [z, x, y], z: [x, y, z] }[axis];
}

function ofKind(shape: Shape, p: Vector): number {
  if (shape.union) return Math.max(...shape.union.map((part) => F(part, p)));
  if (shape.intersection) return Math.min(...shape.intersection.map((part) => F(part, p)));
  if (shape.sum) return shape.sum.reduce((sum, part) => sum + F(part, p), 0);
  if (shape.difference) return Math.min(...shape.difference.map((part, i) => (i === 0 ? 1 : -1) * F(part, p)));
  if (shape.complement) return -F(shape.complement, p);
  if (shape.quadric) {
    const [x, y, z] = p;
    return dot(shape.quadric as number[], [x * x, y * y, z * z, x * y, x * z, y * z, x, y, z, 1]);
  }
  if (shape.sphere) return shape.sphere.radius ** 2 - dot(about(p, shape.sphere.center), about(p, shape.sphere.center));
  if (shape.ellipsoid) {
    const { center, radii } = shape.ellipsoid;
    return 1 - about(p, center).reduce((sum, x, k) => sum + (x / radii[k]) ** 2, 0);
  }
  if (shape.cylinder) {
    const { center, axis, radius, height } = shape.cylinder;
    const [x, y, z] = about(p, center, axis);
    const side = radius ** 2 - x ** 2 - y ** 2;
    return height === undefined ? side : Math.min(side, (height / 2 - z) * (height / 2 + z));
  }
  if (shape.cone) {
    const { apex, axis, angle, height, slope = Math.tan(((angle ?? 0) * Math.PI) / 180) } = shape.cone;
    const [x, y, z] = about(p, apex, axis);
    const side = (slope * z) ** 2 - x ** 2 - y ** 2;
    return height === undefined ? side : Math.min(side, z * (height - z));
  }
  if (shape.paraboloid) {
    const { apex, axis, radii } = shape.paraboloid;
    const [x, y, z] = about(p, apex, axis);
    return z - (x / radii[0]) ** 2 - (y / radii[1]) ** 2;
  }
  if (shape.hyperboloid) {
    const { center, axis, radii, sheets } = shape.hyperboloid;
    const [x, y, z] = about(p, center, axis).map((coordinate, k) => (coordinate / radii[k]) ** 2);
    return z - x - y + (sheets === 1 ? 1 : -1);
  }
  if (shape.halfSpace) return shape.halfSpace.offset - dot(shape.halfSpace.normal, p);
  if (shape.box) {
    const { box } = shape;
    const [min, max] =
      'min' in box
        ? [box.min, box.max]
        : [-1, 1].map((s) => box.size.map((x, k) => (box.center?.[k] ?? 0) + (s * x) / 2));
    return Math.min(...p.map((x, k) => (x - min[k]) * (max[k] - x)));
  }
  if (shape.torus) {
    const { center, axis, major, minor } = shape.torus;
    const q = about(p, center, axis);
    return 4 * major ** 2 * (q[0] ** 2 + q[1] ** 2) - (dot(q, q) + major ** 2 - minor ** 2) ** 2;
  }
  if (shape.goursat) {
    const { a, b, c, center } = shape.goursat;
    const q = about(p, center);
    const s = dot(q, q);
    return -(q.reduce((sum, x) => sum + x ** 4, 0) + a * s ** 2 + b * s + c);
  }
  if (shape.polynomial) {
    return shape.polynomial.reduce((sum, [c, i, j, k]) => sum + c * p[0] ** i * p[1] ** j * p[2] ** k, 0);
  }
  if (shape.waves) {
    return shape.waves.reduce((sum, [a, x, y, z, s]) => sum + a * Math.sin(dot([x, y, z], p) + s), 0);
  }
  const { vertices, thickness, perturbations } = shape.triangle!;
  const [a, b, c] = vertices;
  const normal = unit(cross(minus(b, a), minus(c, a)));
  const depth = -dot(normal, minus(p, a));
  const edges = [a, b, c].map((v, i) => dot(unit(cross(normal, minus([b, c, a][i], v))), minus(p, v)));
  return Math.min(perturbed(depth, perturbations, p), thickness - depth, ...edges);
}

// ---------------------------------------------------------------------------------------------------- primitives

/** Of each: a shape, points inside, points outside, known without any formula. */
const primitives: Record<string, [Shape, Vector[], Vector[]]> = {
  sphere: [
    { sphere: { radius: 1, center: [1, 0, 0] } },
    [
      [1, 0, 0],
      [1.9, 0, 0],
      [0.1, 0, 0],
    ],
    [
      [-0.1, 0, 0],
      [1, 1.1, 0],
    ],
  ],
  ellipsoid: [
    { ellipsoid: { radii: [1, 2, 3] } },
    [
      [0.9, 0, 0],
      [0, 1.9, 0],
      [0, 0, -2.9],
    ],
    [
      [1.1, 0, 0],
      [0, 2.1, 0],
      [0, 0, 3.1],
      [0.8, 1.6, 0],
    ],
  ],
  cylinder: [
    { cylinder: { radius: 1 } },
    [
      [0, 0, 100],
      [0.7, 0.7, -3],
    ],
    [
      [0.8, 0.8, 0],
      [1.1, 0, 5],
    ],
  ],
  'cylinder x': [
    { cylinder: { radius: 1, axis: 'x', height: 4, center: [1, 0, 0] } },
    [
      [2.9, 0, 0],
      [-0.9, 0.9, 0],
    ],
    [
      [3.1, 0, 0],
      [-1.1, 0, 0],
      [0, 1.1, 0],
    ],
  ],
  'cylinder y': [
    { cylinder: { radius: 1, axis: 'y', height: 4 } },
    [
      [0, 1.9, 0],
      [0.9, 0, 0],
    ],
    [
      [0, 2.1, 0],
      [0, 0, 1.1],
    ],
  ],
  cone: [
    { cone: { angle: 45 } },
    [
      [1, 0, 1.1],
      [1, 0, -1.1],
    ],
    [
      [1, 0, 0.9],
      [1, 0, 0],
    ],
  ],
  'cone y': [
    { cone: { slope: 0.5, axis: 'y', apex: [0, 1, 0], height: 2 } },
    [
      [0, 1.1, 0],
      [0.9, 2.9, 0],
      [0, 2.9, 0.9],
    ],
    [
      [0, 0.9, 0],
      [0, -1, 0],
      [1.1, 2.9, 0],
      [0, 3.1, 0],
    ],
  ],
  paraboloid: [
    { paraboloid: { radii: [1, 2] } },
    [
      [0, 0, 9],
      [0.9, 0, 1],
      [0, 1.9, 1],
    ],
    [
      [0, 0, -0.1],
      [1.1, 0, 1],
      [0, 2.1, 1],
    ],
  ],
  'paraboloid x': [
    { paraboloid: { radii: [1, 2], axis: 'x' } },
    [
      [9, 0, 0],
      [1, 0.9, 0],
      [1, 0, 1.9],
    ],
    [
      [-0.1, 0, 0],
      [1, 1.1, 0],
      [1, 0, 2.1],
    ],
  ],
  'hyperboloid 1': [
    { hyperboloid: { radii: [1, 2, 3], sheets: 1 } },
    [
      [0, 0, 0],
      [0.9, 0, 0],
      [0, 1.9, 0],
      [1.4, 0, 3],
    ],
    [
      [1.1, 0, 0],
      [0, 2.1, 0],
      [1.5, 0, 3],
    ],
  ],
  'hyperboloid 2': [
    { hyperboloid: { radii: [1, 2, 3], sheets: 2, axis: 'y' } },
    [
      [0, 3.1, 0],
      [0, -3.1, 0],
      [0, 5, 1.3],
    ],
    [
      [0, 0, 0],
      [0, 2.9, 0],
      [1.3, 3.1, 0],
    ],
  ],
  halfSpace: [{ halfSpace: { normal: [0, 0, -2], offset: -2 } }, [[5, 5, 1.1]], [[0, 0, 0.9]]],
  box: [
    { box: { min: [-1, 0, 2], max: [0, 1, 3] } },
    [
      [-0.9, 0.1, 2.1],
      [-0.1, 0.9, 2.9],
    ],
    [
      [-1.1, 0.5, 2.5],
      [-0.5, 1.1, 2.5],
      [-0.5, 0.5, 1.9],
    ],
  ],
  'box size': [
    { box: { size: [2, 4, 6], center: [0, 0, 1] } },
    [
      [0.9, 1.9, 3.9],
      [-0.9, -1.9, -1.9],
    ],
    [
      [1.1, 0, 0],
      [0, 2.1, 0],
      [0, 0, -2.1],
    ],
  ],
  torus: [
    { torus: { major: 2, minor: 0.5 } },
    [
      [2, 0, 0],
      [0, 2.4, 0],
      [0, 1.6, 0],
      [2, 0, 0.4],
    ],
    [
      [0, 0, 0],
      [1.4, 0, 0],
      [2.6, 0, 0],
      [2, 0, 0.6],
    ],
  ],
  'torus x': [
    { torus: { major: 2, minor: 0.5, axis: 'x', center: [1, 0, 0] } },
    [
      [1, 2, 0],
      [1.4, 0, 2],
    ],
    [
      [1, 0, 0],
      [3, 0, 0],
      [1.6, 0, 2],
    ],
  ],
  goursat: [
    { goursat: { a: 0, b: 0, c: -1, center: [0, 0, 1] } },
    [
      [0.9, 0, 1],
      [0.7, 0.7, 1.7],
    ],
    [
      [1.1, 0, 1],
      [0.8, 0.8, 1.8],
    ],
  ],
  quadric: [
    { quadric: [0, 0, 0, 1, 0, 0, 0, 0, 0, -1] },
    [
      [2, 1, 0],
      [-2, -1, 7],
    ],
    [
      [0, 0, 0],
      [2, -1, 0],
    ],
  ],
  polynomial: [
    {
      polynomial: [
        [1, 1, 1, 1],
        [-1, 0, 0, 0],
      ],
    },
    [
      [1, 2, 1],
      [-1, -2, 1],
    ],
    [
      [1, 1, 0.9],
      [-1, 2, 1],
    ],
  ],
  'polynomial 12': [
    {
      polynomial: [
        [1, 0, 0, 0],
        [-1, 12, 0, 0],
        [-1, 0, 12, 0],
        [-1, 4, 4, 4],
      ],
    },
    [[0.9, 0.9, 0]],
    [
      [1.1, 0, 0],
      [0, 1.1, 1],
    ],
  ],
  waves: [
    {
      waves: [
        [2, 0, 3, 0, 0],
        [1, 1, 1, 1, 1.5],
      ],
    },
    [
      [0, 0.5, 0],
      [0, 2.6, 0],
    ],
    [
      [0, -0.5, 0],
      [0, 1.57, 0],
    ],
  ],
  triangle: [
    {
      triangle: {
        vertices: [
          [0, 0, 1],
          [2, 0, 1],
          [0, 2, 1],
        ],
        thickness: 0.5,
      },
    },
    [
      [0.1, 0.1, 0.9],
      [0.9, 0.9, 0.6],
    ],
    [
      [0.1, 0.1, 1.1],
      [0.5, 0.5, 0.4],
      [1.1, 1.1, 0.9],
      [-0.1, 1, 0.9],
      [1, -0.1, 0.9],
    ],
  ],
};

describe.each(Object.entries(primitives))('%s', (_, [shape, inside, outside]) => {
  const object = compile(shape);
  const inverse = compile({ complement: shape });

  it('is where it should be, and its complement is the rest', () => {
    for (const [x, y, z] of inside) expect(evaluate(object, x, y, z)).toBeGreaterThan(0);
    for (const [x, y, z] of outside) expect(evaluate(object, x, y, z)).toBeLessThan(0);
    expect(inside.length + outside.length).toBeGreaterThan(1);
  });

  it('has the complement with the very values negated', () => {
    for (const [x, y, z] of [...inside, ...outside])
      expect(evaluate(inverse, x, y, z)).toBe(-evaluate(object, x, y, z));
  });

  it('far away, turned, stretched and mirrored: the same, moved', () => {
    const far: Vector = [2 ** 30, -(2 ** 31), 2 ** 29];
    const domain = { min: far.map((x) => x - 16), max: far.map((x) => x + 16) };
    const rotate = [
      { axis: [1, 0, 0], degrees: 90 },
      { axis: [0, 0, -2], degrees: 90 },
    ];
    const moved = compile({ ...shape, scale: [2, -1, 0.5], rotate, translate: [...far] }, domain);
    for (const [points, sign] of [
      [inside, 1],
      [outside, -1],
    ] as const) {
      for (const p of points) {
        if (p.some((x) => Math.abs(x) > 7)) continue;
        // By hand: (x, y, z) -> (2x, -y, z/2); about x: (x, -z, y); about -z: (y, -x, z).
        const [x, y, z] = [2 * p[0], -p[1], p[2] / 2];
        // What a coordinate of that size cannot say is taken from it: 2^-21 is its unit, and 0.1 the distance to the surface.
        const q = [-z, -x, y].map((coordinate, k) => far[k] + coordinate);
        expect(Math.sign(evaluate(moved, q[0], q[1], q[2]))).toBe(sign);
      }
    }
  });
});

// ---------------------------------------------------------------------------------------------------- values

const noiseless = Object.values(primitives).map(([shape]) => shape);

/** A shape of the language, any but noise. */
function randomShape(random: ReturnType<typeof seeded>, depth: number): Shape {
  const around = (x: number) => random.between(-x, x);
  const parts = (least: number) =>
    Array.from({ length: least + random.below(3) }, () => randomShape(random, depth - 1));
  let shape: Shape = { ...random.pick(noiseless) };
  if (depth > 0) {
    const kind = random.below(8);
    if (kind === 0) shape = { union: parts(1) };
    if (kind === 1) shape = { intersection: parts(1) };
    if (kind === 2) shape = { difference: parts(2) };
    if (kind === 3) shape = { complement: randomShape(random, depth - 1) };
    if (kind === 4) shape = { sum: parts(1) };
    if (kind === 5) shape.perturbations = parts(1).map((by) => ({ by, amount: around(1) || 1 }));
    if (kind === 6 && shape.triangle)
      shape.triangle = { ...shape.triangle, perturbations: [{ by: randomShape(random, depth - 1) }] };
  }
  if (random.below(3) === 0) shape.scale = random.between(0.5, 2);
  if (random.below(3) === 0) shape.scale = [random.between(0.5, 2), -random.between(0.5, 2), random.between(0.5, 2)];
  if (random.below(3) === 0) shape.rotate = { axis: [around(1), around(1), 1], degrees: around(360) };
  if (random.below(3) === 0) shape.rotate = [1, 2].map(() => ({ axis: [1, around(1), 1], degrees: around(1000) }));
  if (random.below(3) === 0) shape.translate = [around(2), around(2), around(2)];
  return shape;
}

describe.each(some(1, [1, 2, 3, 4]))('seed %i', (seed) => {
  it('shapes of any depth have the values of their formulas', { tags: ['quick', 'long'] }, () => {
    const random = seeded(seed);
    let inside = 0;
    let perturbed = 0;
    for (let n = 0; n < (long ? 150 : 80); n++) {
      const shape = randomShape(random, n % 4);
      const object = compile(shape);
      if (object.program.ops.includes(OP.PERTURBATION)) perturbed++;
      for (let i = 0; i < 20; i++) {
        const p = [0, 0, 0].map(() => random.between(-4, 4));
        const value = evaluate(object, p[0], p[1], p[2]);
        const expected = F(shape, p);
        if (value >= 0) inside++;
        // A polynomial of degree 12 that is stretched by 2 and moved by 2 has values up to 1e14, and errors of their size.
        const large = /12,|polynomial|perturbations/.test(JSON.stringify(shape)) ? 1e-5 : 1e-9;
        const error = Math.abs(value - expected) / (1 + Math.abs(expected));
        if (!(error < large)) expect({ seed, n, p, value, expected, shape }).toBeNull();
      }
    }
    expect(inside).toBeGreaterThan(long ? 400 : 200);
    expect(perturbed).toBeGreaterThan(10);
  });
});

describe('perturbations', () => {
  const base: Shape = { sphere: { radius: 1 } };
  const bump: Shape = { sphere: { radius: 0.5, center: [1, 0, 0] } };
  const object = compile({
    ...base,
    perturbations: [
      {
        by: { ...bump, perturbations: [{ by: { halfSpace: { normal: [0, 0, 1], offset: 0 } }, amount: 3 }] },
        amount: 2,
      },
      { by: { sphere: { radius: 0.5, center: [-1, 0, 0] } }, amount: -4 },
    ],
  });

  it('add amount Q^2 where Q is above 0, Q perturbed itself', () => {
    expect(evaluate(object, 1, 0, 0)).toBeCloseTo(0 + 2 * 0.25 ** 2, 14);
    expect(evaluate(object, 1, 0, -0.25)).toBeCloseTo(-0.0625 + 2 * (0.25 - 0.0625 + 3 * 0.0625) ** 2, 14);
    expect(evaluate(object, 1, 0, 0.25)).toBeCloseTo(-0.0625 + 2 * (0.25 - 0.0625) ** 2, 14);
    expect(evaluate(object, -1, 0, 0)).toBeCloseTo(-4 * 0.25 ** 2, 14);
    expect(evaluate(object, 0, 0, 0.5)).toBeCloseTo(0.75, 14);
  });

  it('come before the placement, which moves them too', () => {
    const moved = compile({ ...base, perturbations: [{ by: bump }], scale: 2, translate: [1, 1, 1] });
    expect(evaluate(moved, 3, 1, 1)).toBeCloseTo(0.25 ** 2, 14);
  });

  it('bulge a triangle within its prism, the face alone', () => {
    const vertices = [
      [0, 0, 0],
      [1, 0, 0],
      [0, 1, 0],
    ];
    const by: Shape = { halfSpace: { normal: [-1, -1, 0], offset: 0 } };
    const face = compile({ triangle: { vertices, thickness: 1, perturbations: [{ by }] } });
    // The face is at z = (x + y)^2.
    expect(evaluate(face, 0.25, 0.25, 0.2)).toBeGreaterThan(0);
    expect(evaluate(face, 0.25, 0.25, 0.3)).toBeLessThan(0);
    expect(evaluate(face, 0.25, 0.25, -1.01)).toBeLessThan(0);
    expect(evaluate(face, -0.01, 0.5, 0.1)).toBeLessThan(0);
    expect(evaluate(face, 0.6, 0.6, 0.1)).toBeLessThan(0);
  });
});

describe('noise', () => {
  const random = seeded(5);
  const noise = { amplitude: 0.25, frequency: 3, octaves: 3, seed: 11 };
  const object = compile({ noise });

  it('is a product of three series, 4 n^3 waves, and never above its amplitude', { tags: ['quick', 'long'] }, () => {
    for (const octaves of [1, 2, 3]) {
      const { program } = compile({ noise: { ...noise, octaves } });
      expect([...program.ops, program.right[0]]).toEqual([OP.WAVES, 4 * octaves ** 3]);
      const total = program.numbers.filter((_, i) => i % 5 === 0).reduce((sum, a) => sum + Math.abs(a), 0);
      expect(total).toBeGreaterThan(0);
    }
    let most = 0;
    for (let i = 0; i < (long ? 8_000 : 4000); i++) {
      const [x, y, z] = [0, 0, 0].map(() => random.between(-4, 4));
      most = Math.max(most, Math.abs(evaluate(object, x, y, z)));
    }
    expect(most).toBeLessThanOrEqual(0.25 * (1 + 1e-12));
    expect(most).toBeGreaterThan(0.1);
  });

  it('is a product: f(x, y, z) f(0, 0, 0)^2 = f(x, 0, 0) f(0, y, 0) f(0, 0, z)', () => {
    const f = (x: number, y: number, z: number) => evaluate(object, x, y, z) / 0.25;
    for (let i = 0; i < 100; i++) {
      const [x, y, z] = [0, 0, 0].map(() => random.between(-4, 4));
      expect(f(x, y, z) * f(0, 0, 0) ** 2).toBeCloseTo(f(x, 0, 0) * f(0, y, 0) * f(0, 0, z), 12);
    }
    expect(Math.abs(f(0, 0, 0))).toBeGreaterThan(1e-3);
  });

  it('differs by its seed, and adds to what it is summed with', () => {
    const ball: Shape = { sphere: { radius: 1 } };
    const sum = compile({ sum: [ball, { noise }] });
    expect(evaluate(sum, 0.5, 0.6, 0.7)).toBeCloseTo(1 - 1.1 + evaluate(object, 0.5, 0.6, 0.7), 12);
    const other = compile({ noise: { ...noise, seed: 12 } });
    expect(evaluate(other, 0.5, 0.6, 0.7)).not.toBeCloseTo(evaluate(object, 0.5, 0.6, 0.7), 3);
  });
});

// ---------------------------------------------------------------------------------------------------- the program

describe('the program', () => {
  const ball = (x: number): Shape => ({ sphere: { radius: 1, center: [x, 0, 0] }, name: `ball ${x}` });

  it('is a balanced tree, each part just before what reads it, named as in the source', () => {
    const { program, names } = compile({ union: [ball(0), ball(1), ball(2), ball(3), { ...ball(4), name: 'last' }] });
    expect([...program.ops].map((op) => OP_NAMES[op][0]).join('')).toBe('qququqquu');
    expect(names).toEqual(['ball 0', 'ball 1', '', 'ball 2', '', 'ball 3', 'last', '', 'union']);
    expect([...program.left].slice(-1)).toEqual([4]);
  });

  it('gives a perturbed shape its name, and its base its kind', () => {
    const { names } = compile({
      ...ball(0),
      name: 'organ',
      perturbations: [{ by: ball(1) }, { by: { torus: { major: 2, minor: 1 } } }],
    });
    expect(names).toEqual(['sphere', 'ball 1', '', 'torus', 'organ']);
    expect(compile({ box: { size: [1, 1, 1] } }).names).toEqual(['', '', '', '', 'box']);
    expect(compile({ union: [{ complement: ball(1) }] }).names).toEqual(['ball 1']);
    expect(compile({ name: 'rest', complement: ball(1) }).names).toEqual(['rest']);
  });

  it('has quadrics for polynomials of degree 2', () => {
    const { program } = compile({
      polynomial: [
        [1, 1, 1, 0],
        [2, 1, 1, 0],
        [-1, 0, 0, 2],
        [0, 5, 0, 0],
      ],
    });
    expect([...program.ops]).toEqual([OP.QUADRIC]);
    expect([...program.numbers]).toEqual([0, 0, -16, 48, 0, 0, 0, 0, 0, 0]);
    const torus = compile({ torus: { major: 2, minor: 1 } }).program;
    expect([torus.ops[0], torus.right[0], torus.numbers.length]).toEqual([OP.POLYNOMIAL, 4, coefficientsOf(4)]);
  });

  it('pushes a complement down to coefficients and amounts', () => {
    const shape: Shape = { union: [{ ...ball(0), perturbations: [{ by: ball(1), amount: 3 }] }, ball(2)] };
    const [plain, negated] = [compile(shape), compile({ complement: shape })].map(({ program }) => program);
    expect([...negated.ops]).toEqual([OP.QUADRIC, OP.QUADRIC, OP.PERTURBATION, OP.QUADRIC, OP.INTERSECTION]);
    expect(negated.numbers[negated.third[2]]).toBe(-3);
    expect([...negated.numbers].map((x, i) => (i < 10 || i >= 20 ? -x + 0 : x))).toEqual([...plain.numbers]);
    expect(compile({ complement: { complement: shape } }).program).toEqual(plain);
  });

  it('is the same again', () => {
    const model = readFrep(
      JSON.stringify({
        domain: CUBE,
        object: { sum: [randomShape(seeded(9), 3), { noise: { amplitude: 1, frequency: 2 } }] },
      }),
    );
    expect(compileFrep(model)).toEqual(compileFrep(model));
  });

  it('records what it was made of, and multiplies by a scale', () => {
    const model = readFrep('{"object": {"sphere": {"radius": 2, "center": [3, 0, 0]}}}');
    const plain = compileFrep(model);
    const scaled = compileFrep(model, { units: 'mm', options: { scale: 10 }, source: { name: 'a', sha256: 'b' } });
    expect(scaled.header).toMatchObject({ units: 'mm', options: { scale: 10 }, source: { name: 'a' } });
    expect(scaled.program).toEqual(plain.program);
    expect(scaled.half).toBe(10 * plain.half);
    expect(evaluate(scaled, 49, 0, 0)).toBeGreaterThan(0);
    expect(evaluate(scaled, 51, 0, 0)).toBeLessThan(0);
  });
});

// ---------------------------------------------------------------------------------------------------- domains

const derived = (object: Shape) => {
  const { center, half, domain } = compileFrep({ object });
  // Without the margin, which is a hundredth of the largest extent on every side.
  const margin = half * (1 - 1 / 1.02);
  return [0, 1, 2].map((k) => [-1, 1].map((s) => center[k] + s * (domain[k] * half - margin)));
};

/** A unit cube turned by 45 degrees reaches this far. */
const D = Math.SQRT1_2;
const quarter = { axis: [0, 0, 1], degrees: 45 };

describe('domains', () => {
  it.each<[string, Shape, number[][]]>([
    [
      'a sphere',
      { sphere: { radius: 2, center: [1, 0, 0] } },
      [
        [-1, 3],
        [-2, 2],
        [-2, 2],
      ],
    ],
    [
      'a turned sphere, tight',
      { sphere: { radius: 2 }, rotate: quarter },
      [
        [-2, 2],
        [-2, 2],
        [-2, 2],
      ],
    ],
    [
      'a mirrored, stretched ellipsoid',
      { ellipsoid: { radii: [1, 2, 3], center: [1, 0, 0] }, scale: [-2, 1, 1] },
      [
        [-4, 0],
        [-2, 2],
        [-3, 3],
      ],
    ],
    [
      'a box, turned',
      { box: { size: [1, 1, 1] }, rotate: quarter, translate: [1, 0, 0] },
      [
        [1 - D, 1 + D],
        [-D, D],
        [-0.5, 0.5],
      ],
    ],
    [
      'a box',
      { box: { min: [0, 0, 0], max: [1, 2, 3] } },
      [
        [0, 1],
        [0, 2],
        [0, 3],
      ],
    ],
    [
      'a cylinder',
      { cylinder: { radius: 1, height: 4, axis: 'y' } },
      [
        [-1, 1],
        [-2, 2],
        [-1, 1],
      ],
    ],
    [
      'a cylinder, turned',
      { cylinder: { radius: 1, height: 4, axis: 'y' }, rotate: quarter },
      [
        [-3 * D, 3 * D],
        [-3 * D, 3 * D],
        [-1, 1],
      ],
    ],
    [
      'a cone',
      { cone: { slope: 0.5, height: 4, axis: 'x', apex: [1, 0, 0] } },
      [
        [1, 5],
        [-2, 2],
        [-2, 2],
      ],
    ],
    [
      'a torus',
      { torus: { major: 3, minor: 1, axis: 'x' } },
      [
        [-1, 1],
        [-4, 4],
        [-4, 4],
      ],
    ],
    [
      'a torus, turned',
      { torus: { major: 3, minor: 1, axis: 'x' }, rotate: quarter },
      [
        [-3 * D - 1, 3 * D + 1],
        [-3 * D - 1, 3 * D + 1],
        [-4, 4],
      ],
    ],
    [
      'a triangle',
      {
        triangle: {
          vertices: [
            [0, 0, 1],
            [2, 0, 1],
            [0, 3, 1],
          ],
          thickness: 0.5,
        },
      },
      [
        [0, 2],
        [0, 3],
        [0.5, 1],
      ],
    ],
    [
      'a union',
      { union: [{ sphere: { radius: 1 } }, { sphere: { radius: 1, center: [5, 0, 0] } }] },
      [
        [-1, 6],
        [-1, 1],
        [-1, 1],
      ],
    ],
    [
      'an intersection with what is unbounded',
      { intersection: [{ paraboloid: { radii: [1, 1] } }, { sphere: { radius: 1 } }] },
      [
        [-1, 1],
        [-1, 1],
        [-1, 1],
      ],
    ],
    [
      'an intersection',
      { intersection: [{ sphere: { radius: 1 } }, { box: { min: [0, 0, 0], max: [2, 2, 2] } }] },
      [
        [0, 1],
        [0, 1],
        [0, 1],
      ],
    ],
    [
      'a difference',
      { difference: [{ sphere: { radius: 1 } }, { cylinder: { radius: 0.5 } }] },
      [
        [-1, 1],
        [-1, 1],
        [-1, 1],
      ],
    ],
    [
      'complements of complements',
      { complement: { union: [{ complement: { sphere: { radius: 1 } } }, { noise: { amplitude: 1, frequency: 1 } }] } },
      [
        [-1, 1],
        [-1, 1],
        [-1, 1],
      ],
    ],
    [
      'what perturbations only take from',
      { sphere: { radius: 1 }, perturbations: [{ by: { cylinder: { radius: 1 } }, amount: -1 }] },
      [
        [-1, 1],
        [-1, 1],
        [-1, 1],
      ],
    ],
    [
      'what a complement only takes from',
      { complement: { complement: { sphere: { radius: 1 } }, perturbations: [{ by: { sphere: { radius: 1 } } }] } },
      [
        [-1, 1],
        [-1, 1],
        [-1, 1],
      ],
    ],
  ])('%s', (_, object, expected) => {
    derived(object).forEach((range, k) => {
      range.forEach((x, side) => {
        expect(x).toBeCloseTo(expected[k][side], 12);
      });
    });
  });

  const SEEDS = long ? 48 : 24;
  it(`hold everything: seeds 1 to ${SEEDS}`, { tags: ['quick', 'long'] }, () => {
    let found = 0;
    let empty = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const random = seeded(seed);
      const shape = randomShape(random, 2);
      const model = {
        object: {
          intersection: [shape, { sphere: { radius: 3 } }, ...(seed % 2 === 0 ? [randomShape(random, 0)] : [])],
        },
      };
      let object: FrepObject;
      try {
        object = compileFrep(model);
      } catch (error) {
        expect((error as FormatError).message).toContain('found an intersection of disjoint parts');
        empty++;
        for (let i = 0; i < 300; i++)
          expect(
            F(
              model.object,
              [0, 0, 0].map(() => random.between(-4, 4)),
            ),
          ).toBeLessThan(0);
        continue;
      }
      const boxes = object.domain.map((d, k) => [
        object.center[k] - d * object.half,
        object.center[k] + d * object.half,
      ]);
      for (let i = 0; i < 300; i++) {
        const p = [0, 0, 0].map(() => random.between(-4, 4));
        if (F(model.object, p) < 0) continue;
        found++;
        expect(p.every((x, k) => boxes[k][0] <= x && x <= boxes[k][1])).toBe(true);
      }
    }
    expect(found).toBeGreaterThan(long ? 300 : 150);
    expect(empty).toBeLessThan(SEEDS / 2);
  });

  it('come back as they were given, but for two units in the last place of the largest coordinate', {
    tags: ['quick', 'long'],
  }, () => {
    const random = seeded(3);
    for (let i = 0; i < (long ? 600 : 300); i++) {
      const size = 2 ** random.between(-90, 90);
      const min = [0, 0, 0].map(() => size * random.between(-1, 1));
      const max = min.map((x) => x + size * random.between(0.001, 2));
      const { center, half, domain } = compile({ sphere: { radius: 1 } }, { min, max });
      expect(Math.max(...domain)).toBe(1);
      for (let k = 0; k < 3; k++) {
        const ulp = Math.max(Math.abs(min[k]), Math.abs(max[k])) * 2 ** -52;
        expect(Math.abs(center[k] - domain[k] * half - min[k])).toBeLessThanOrEqual(2 * ulp);
        expect(Math.abs(center[k] + domain[k] * half - max[k])).toBeLessThanOrEqual(2 * ulp);
      }
    }
  });
});

describe('what is refused', () => {
  const sphere: Shape = { sphere: { radius: 1 } };
  const noise: Shape = { noise: { amplitude: 1, frequency: 1e6 } };
  it.each<[Shape, FrepModel['domain'] | undefined, string]>([
    [
      { union: [sphere, { cylinder: { radius: 1 } }] },
      undefined,
      'expected a domain, since object.union[1].cylinder is unbounded, found none',
    ],
    [
      { halfSpace: { normal: [1, 0, 0], offset: 0 } },
      undefined,
      'expected a domain, since object.halfSpace is unbounded, found none',
    ],
    [{ cone: { slope: 1 } }, undefined, 'expected a domain, since object.cone is unbounded, found none'],
    [{ sum: [sphere, noise] }, undefined, 'expected a domain, since object.sum has no known bound, found none'],
    [
      { quadric: [-1, -1, -1, 0, 0, 0, 0, 0, 0, 1] },
      undefined,
      'expected a domain, since object.quadric has no known bound, found none',
    ],
    [
      { goursat: { a: 0, b: 0, c: -1 } },
      undefined,
      'expected a domain, since object.goursat has no known bound, found none',
    ],
    [
      { complement: sphere },
      undefined,
      'expected a domain, since object.complement.sphere has no bound outside, found none',
    ],
    [
      { intersection: [{ complement: sphere }, { complement: sphere }] },
      undefined,
      'expected a domain, since object.intersection[0].complement.sphere has no bound outside, found none',
    ],
    [
      { ...sphere, perturbations: [{ by: sphere, amount: -1 }, { by: { cylinder: { radius: 1 } } }] },
      undefined,
      'expected a domain, since object.perturbations[1].by.cylinder is unbounded, found none',
    ],
    [
      {
        triangle: {
          vertices: [
            [0, 0, 0],
            [1, 0, 0],
            [0, 1, 0],
          ],
          thickness: 1,
          perturbations: [{ by: { halfSpace: { normal: [0, 0, 1], offset: 0 } } }],
        },
      },
      undefined,
      'expected a domain, since object.triangle.perturbations[0].by.halfSpace is unbounded, found none',
    ],
    [
      {
        triangle: {
          vertices: [
            [0, 0, 0],
            [1, 1, 1],
            [3, 3, 3],
          ],
          thickness: 1,
        },
      },
      CUBE,
      'expected a triangle with an area above 0 at object.triangle, found vertices on one line',
    ],
    [
      {
        triangle: {
          vertices: [
            [0, 0, 0],
            [0, 0, 0],
            [0, 1, 0],
          ],
          thickness: 1,
        },
      },
      CUBE,
      'expected a triangle with an area above 0 at object.triangle, found vertices on one line',
    ],
    [
      { intersection: [sphere, { sphere: { radius: 1, center: [9, 0, 0] } }] },
      undefined,
      'expected an object that is not empty, or a domain, found an intersection of disjoint parts',
    ],
    [
      { union: [sphere, { sphere: { radius: 1e40 } }] },
      CUBE,
      'expected coefficients of at most 1e60 at object.union[1].sphere, found 1e80',
    ],
    [
      { ...sphere, scale: 1e-50 },
      CUBE,
      'expected coefficients of at most 1e60 at object.sphere, found -1.6000000000000003e101',
    ],
    [
      { sphere: { radius: 1 }, translate: [1e-300, 0, 0], scale: 1e-300 },
      CUBE,
      'expected coefficients of at most 1e60 at object.sphere, found far larger ones',
    ],
    [noise, CUBE, 'expected waves of at most 65536 radians in the domain at object.noise, found far larger ones'],
    [
      { ...sphere, translate: [1e60, 0, 0] },
      undefined,
      'expected coefficients of at most 1e60 at object.sphere, found -1.2731474852090538e91',
    ],
    [
      sphere,
      { min: [0, 0, 0], max: [1e-70, 1e-70, 1e-70] },
      'expected a domain with a size of at least 2e-60, found extents of 1e-70, 1e-70, 1e-70',
    ],
    [
      sphere,
      { min: [-1e60, 0, 0], max: [1e60, 1e-320, 1e-320] },
      'expected a domain with a size of at least 2e-60, found extents of 2e60, 1e-320, 1e-320',
    ],
    [
      { union: new Array(65537).fill(sphere) },
      CUBE,
      'expected at most 65536 instructions and 4194304 numbers, reached at object.union, found more',
    ],
  ])('%#', { tags: ['all'] }, (object, domain, line) => {
    let message = '';
    try {
      compileFrep({ object, ...(domain && { domain }) });
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      message = error.message;
    }
    expect(message).toBe(line);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e300, 1e-300, 'x'])('a scale of %s', (scale) => {
    expect(() => compileFrep({ object: sphere }, { options: { scale } })).toThrow(OptionError);
  });
});
