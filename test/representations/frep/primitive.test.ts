/** Primitives of mesh files as F-reps: inside where the primitive is, wherever a matrix puts it. */
import { describe, expect, test } from 'vitest';
import { containsPoint } from '../../../src/index.ts';
import { compose, identity, type Pose, rotation, translation } from '../../../src/math/pose.ts';
import { type PlacedPrimitive, type Primitive, resized } from '../../../src/readers/mesh-file.ts';
import { frep } from '../../../src/representations/frep/index.ts';
import { compileFrep } from '../../../src/representations/frep/make/compile.ts';
import { modelOfPrimitive } from '../../../src/representations/frep/make/primitive.ts';
import { some } from '../../support/long.ts';
import { seeded } from '../../support/random.ts';

/** Primitives, and half the boxes round them. */
const PRIMITIVES: { primitive: Primitive; halves: number[] }[] = [
  { primitive: { shape: 'box', size: [1, 2, 0.5] }, halves: [0.5, 1, 0.25] },
  { primitive: { shape: 'cylinder', radius: 0.7, length: 3 }, halves: [0.7, 0.7, 1.5] },
  { primitive: { shape: 'capsule', radius: 0.7, length: 1.6 }, halves: [0.7, 0.7, 1.5] },
  { primitive: { shape: 'sphere', radius: 1.3 }, halves: [1.3, 1.3, 1.3] },
];

/** How far inside of the primitive a point of its own frame is; below 0 outside. By its definition. */
function inside(primitive: Primitive, [x, y, z]: number[]): number {
  switch (primitive.shape) {
    case 'box':
      return Math.min(...[x, y, z].map((c, k) => primitive.size[k] / 2 - Math.abs(c)));
    case 'cylinder':
      return Math.min(primitive.radius - Math.hypot(x, y), primitive.length / 2 - Math.abs(z));
    case 'capsule':
      return primitive.radius - Math.hypot(x, y, Math.max(0, Math.abs(z) - primitive.length / 2));
    default:
      return primitive.radius - Math.hypot(x, y, z);
  }
}

const apply = (m: Pose, [x, y, z]: number[]): number[] =>
  [0, 4, 8].map((row) => m[row] * x + m[row + 1] * y + m[row + 2] * z + m[row + 3]);

describe.each(PRIMITIVES)('$primitive.shape', ({ primitive, halves }) => {
  test.each(some(3, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]))(
    'seed %i: turned, scaled, mirrored, sheared',
    { tags: ['quick', 'long'] },
    (seed) => {
      const random = seeded(seed);
      // The first is diagonal; the others are any that are not all but flat.
      const entry = (): number => random.between(-2, 2);
      let matrix: Pose;
      let volume = 0;
      do {
        const linear = Array.from({ length: 9 }, entry);
        if (seed === 1) for (const i of [1, 2, 3, 5, 6, 7]) linear[i] = 0;
        const [a, b, c, d, e, f, g, h, i] = linear;
        volume = Math.abs(a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g));
        matrix = Float64Array.of(a, b, c, 5, d, e, f, -3, g, h, i, 100, 0, 0, 0, 1);
      } while (volume < 0.5);
      const solid = compileFrep(modelOfPrimitive(primitive, matrix));
      let count = 0;
      for (let n = 0; n < 300; n++) {
        const own = halves.map((half) => half * random.between(-1.4, 1.4));
        const depth = inside(primitive, own);
        if (Math.abs(depth) < 1e-9) continue;
        const found = containsPoint(solid, apply(matrix, own) as [number, number, number]);
        expect(found, own.join()).toBe(depth > 0 ? 'inside' : 'outside');
        if (depth > 0) count++;
      }
      expect(count).toBeGreaterThan(10);
    },
  );

  test('is held to its program by verify', { tags: ['all'] }, () => {
    const turned = compose(translation(1, -2, 3), rotation(1, 2, 3, 50));
    for (const matrix of [identity(), translation(9, 0, 1), turned]) {
      const object = compileFrep(modelOfPrimitive(primitive, matrix));
      expect(object.primitive).toMatchObject({ shape: primitive.shape });
      expect(frep.verify(object).problems).toEqual([]);
      const larger = { ...object, primitive: { ...resized(object.primitive!, (x) => 1.2 * x), ...framed(object) } };
      expect(frep.verify(larger).problems.at(-1)).toMatch(/and not in the other/);
    }
  });

  const framed = ({ primitive: own }: { primitive?: PlacedPrimitive }) => own?.frame && { frame: own.frame };
});

test('what a scale or a shear makes of a primitive is no primitive, unless it is one', () => {
  const scaled = (primitive: Primitive, x: number, y: number, z: number) =>
    modelOfPrimitive(primitive, Float64Array.of(x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 0, 0, 1)).primitive;
  expect(scaled({ shape: 'box', size: [1, 2, 3] }, -1, 2, 3)).toEqual({ shape: 'box', size: [1, 4, 9] });
  expect(scaled({ shape: 'cylinder', radius: 1, length: 2 }, 2, -2, 3)).toMatchObject({ radius: 2, length: 6 });
  expect(scaled({ shape: 'cylinder', radius: 1, length: 2 }, 2, 1, 3)).toBeUndefined();
  expect(scaled({ shape: 'sphere', radius: 1 }, 2, 2, 2)).toEqual({ shape: 'sphere', radius: 2 });
  expect(scaled({ shape: 'capsule', radius: 1, length: 3 }, 1, 1, 2)).toBeUndefined();
  const sheared = Float64Array.of(1, 0.5, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
  expect(modelOfPrimitive({ shape: 'box', size: [1, 1, 1] }, sheared).primitive).toBeUndefined();
});
