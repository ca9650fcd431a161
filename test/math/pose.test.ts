import { describe, expect, test } from 'vitest';
import { OptionError } from '../../src/base/errors.ts';
import {
  compose,
  identity,
  isIdentity,
  minNormBound,
  moveErrorBound,
  movePoint,
  normBound,
  type Pose,
  rotation,
  translation,
  validatePose,
} from '../../src/math/pose.ts';
import { movePoints } from '../support/move-points.ts';
import { type Random, seeded } from '../support/random.ts';
import { commonIntegers } from '../support/rational.ts';

const anyRotation = (r: Random) => rotation(r.between(-1, 1), r.between(-1, 1), r.between(-1, 1), r.between(-720, 720));
const diagonal = (x: number, y: number, z: number) => [x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 0, 0, 1];

describe('rotation', () => {
  test('quarter turns about the axes are exact', () => {
    for (const turns of [-5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 1e6]) {
      const [c, s] = [
        [1, 0],
        [0, 1],
        [-1, 0],
        [0, -1],
      ][((turns % 4) + 4) % 4] as [number, number];
      for (const size of [1, -1, 3, 1e300, 5e-324]) {
        const t = s * Math.sign(size);
        const close = (pose: Pose, numbers: number[]) =>
          expect([...pose].map((x) => x + 0)).toEqual(numbers.map((x) => x + 0));
        close(rotation(size, 0, 0, 90 * turns), [1, 0, 0, 0, 0, c, -t, 0, 0, t, c, 0, 0, 0, 0, 1]);
        close(rotation(0, size, 0, 90 * turns), [c, 0, t, 0, 0, 1, 0, 0, -t, 0, c, 0, 0, 0, 0, 1]);
        close(rotation(0, 0, size, 90 * turns), [c, -t, 0, 0, t, c, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
      }
    }
  });

  test('about (1,1,1) by 120 degrees takes x to y', () => {
    const out = new Float64Array(3);
    movePoint(rotation(2, 2, 2, 120), 1, 0, 0, out, 0);
    expect(out[0]).toBeCloseTo(0, 14);
    expect(out[1]).toBeCloseTo(1, 14);
    expect(out[2]).toBeCloseTo(0, 14);
  });

  test('is always a valid pose, seed 1', () => {
    const r = seeded(1);
    for (let i = 0; i < 1000; i++) expect(() => validatePose(anyRotation(r), 'pose')).not.toThrow();
  });

  test.each([
    [0, 0, 0, 90],
    [0, 0, NaN, 90],
    [Infinity, 0, 0, 90],
    [1, 0, 0, Infinity],
  ])('refuses %d,%d,%d,%d', (x, y, z, degrees) => {
    expect(() => rotation(x, y, z, degrees)).toThrow(OptionError);
  });
});

test('translation refuses what is not finite', () => {
  expect(() => translation(0, NaN, 0)).toThrow(OptionError);
});

test('compose applies its second argument first', () => {
  const out = new Float64Array(3);
  movePoint(compose(translation(10, 0, 0), rotation(0, 0, 1, 90)), 1, 0, 0, out, 0);
  expect([...out]).toEqual([10, 1, 0]);
});

describe('movePoints', () => {
  test('rounds as the contract says, in any place, seed 2', () => {
    const r = seeded(2);
    const positions = Float64Array.from({ length: 300 }, () => r.between(-9, 9));
    const m = compose(translation(r.next(), r.next(), r.next()), anyRotation(r));
    const expected = positions.map((_, i) => {
      const [x, y, z] = positions.subarray(i - (i % 3)) as unknown as [number, number, number];
      const row = 4 * (i % 3);
      const xy = m[row]! * x + m[row + 1]! * y;
      const xyz = xy + m[row + 2]! * z;
      return xyz + m[row + 3]!;
    });
    expect(movePoints(m, positions, new Float64Array(300))).toEqual(expected);
    expect(movePoints(m, positions, positions)).toBe(positions);
    expect(positions).toEqual(expected);
  });

  test('the identity moves nothing, not even a zero’s sign', () => {
    const positions = Float64Array.of(-0, 0, 5e-324, Number.MAX_VALUE, -1, 0.1);
    expect(isIdentity(identity())).toBe(true);
    expect(isIdentity(translation(0, 5e-324, 0))).toBe(false);
    expect(movePoints(identity(), positions, new Float64Array(6))).toEqual(positions);
  });
});

describe('validatePose', () => {
  const rigid = rotation(1, 2, 3, 40);
  test('accepts six printed digits, copies, and corrects nothing', () => {
    const printed = [...rigid].map((x) => Number(x.toFixed(6)));
    const pose = validatePose(printed, 'pose');
    expect([...pose]).toEqual(printed);
    expect(pose).not.toBe(printed);
  });

  test('the limit is 1e-5 on an entry of the transpose times the matrix', () => {
    expect(() => validatePose(diagonal(Math.sqrt(1 + 0.99e-5), 1, 1), 'pose')).not.toThrow();
    expect(() => validatePose(diagonal(Math.sqrt(1 + 1.01e-5), 1, 1), 'pose')).toThrow(OptionError);
    expect(() => validatePose(identity().with(1, 0.99e-5), 'pose')).not.toThrow();
    expect(() => validatePose(identity().with(1, 1.01e-5), 'pose')).toThrow(OptionError);
  });

  test.each<[string, ArrayLike<number>, RegExp]>([
    ['too few', rigid.slice(0, 11), /--pose-b has 11 numbers; a pose has 16, 12 or 7/],
    ['too many', [...rigid, 0], /has 17 numbers/],
    ['not a number', rigid.with(6, NaN), /entry 6 is NaN/],
    ['not finite', rigid.with(3, Infinity), /entry 3 is Infinity/],
    ['a string', ['1', ...rigid.subarray(1)] as unknown as number[], /entry 0 is 1, not a finite number/],
    ['a last row', compose(translation(1, 2, 3), rigid).with(13, 0.5), /last row is 0 0.5 0 1, not 0 0 0 1$/],
    ['column-major', [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1], /column-major/],
    [
      'a scale',
      diagonal(2, 2, 2),
      /--pose-b scales by 2; a pose is rigid; scale the mesh \(gicollide build --scale\)$/,
    ],
    ['a scaled rotation', rigid.map((x, i) => (i < 12 ? 0.001 * x : x)), /scales by 0.001;/],
    ['three scales', diagonal(1, 2, 3), /scales by 1, 2, 3 along its columns/],
    ['a mirror', diagonal(1, 1, -1), /mirrors/],
    ['a scaled mirror', diagonal(-2, 2, 2), /mirrors and scales by 2/],
    ['a shear', [1, 0.5, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], /shears/],
    ['nothing', diagonal(0, 0, 0), /flattens/],
    ['one plane', [1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], /flattens/],
    ['huge', diagonal(1e200, 1, 1), /too large/],
  ])('refuses %s', (_, numbers, message) => {
    expect(() => validatePose(numbers, '--pose-b')).toThrow(OptionError);
    expect(() => validatePose(numbers, '--pose-b')).toThrow(message);
  });
});

describe('bounds', () => {
  /** A rotation with printed digits, a little stretched and sheared: on both sides of what is accepted. */
  function worn(r: Random): Pose | null {
    const pose = anyRotation(r).map((x, i) => (i < 12 ? x + r.between(-6e-6, 6e-6) : x));
    for (const i of [3, 7, 11]) pose[i] = r.between(-9, 9);
    try {
      return validatePose(pose, 'pose');
    } catch {
      return null;
    }
  }

  test('normBound and minNormBound hold, exactly, and are tight, seed 3', () => {
    const r = seeded(3);
    let valid = 0;
    for (let i = 0; i < 2000; i++) {
      const pose = worn(r);
      if (pose === null) continue;
      valid++;
      const [low, high] = [minNormBound(pose), normBound(pose)];
      expect(high - low).toBeLessThan(7e-5);
      const x = [r.between(-1, 1), r.between(-1, 1), r.between(-1, 1)];
      // Integers over one power of two for M, over another for x, and a third for the bounds: compare after clearing all.
      const q = commonIntegers([...pose.subarray(0, 3), ...pose.subarray(4, 7), ...pose.subarray(8, 11), low, high, 1]);
      const v = commonIntegers(x);
      const moved = [0, 3, 6].map((row) => q[row]! * v[0]! + q[row + 1]! * v[1]! + q[row + 2]! * v[2]!);
      const square = (w: bigint[]) => w.reduce((sum, c) => sum + c * c, 0n);
      expect(square(moved) <= q[10]! * q[10]! * square(v)).toBe(true);
      expect(square(moved) >= q[9]! * q[9]! * square(v)).toBe(true);
    }
    expect(valid).toBeGreaterThan(500);
  });

  test('of the identity are 1 but for rounding', () => {
    expect(normBound(identity())).toBeGreaterThanOrEqual(1);
    expect(normBound(identity()) - minNormBound(identity())).toBeLessThan(1e-13);
  });

  test('moveErrorBound holds, exactly, seed 4', () => {
    const r = seeded(4);
    let worst = 0;
    for (let i = 0; i < 2000; i++) {
      const pose = worn(r);
      if (pose === null) continue;
      const scale = r.pick([1, 1e-3, 1e3]);
      const p = [r.between(-1, 1) * scale, r.between(-1, 1) * scale, r.between(-1, 1) * scale];
      const moved = new Float64Array(3);
      movePoint(pose, p[0]!, p[1]!, p[2]!, moved, 0);
      const all = commonIntegers([...pose.subarray(0, 12), ...p, ...moved, 1]);
      const [m, x, got, one] = [all.slice(0, 12), all.slice(12, 15), all.slice(15, 18), all[18]!];
      let square = 0;
      for (let k = 0; k < 3; k++) {
        const row = m.slice(4 * k, 4 * k + 4) as [bigint, bigint, bigint, bigint];
        const exact = row[0] * x[0]! + row[1] * x[1]! + row[2] * x[2]! + row[3] * one;
        const off = Number(exact - got[k]! * one) / Number(one) ** 2;
        square += off * off;
      }
      const share = Math.sqrt(square) / moveErrorBound(pose, Math.sqrt(p[0]! ** 2 + p[1]! ** 2 + p[2]! ** 2));
      worst = Math.max(worst, share);
    }
    expect(worst).toBeLessThan(1);
    expect(worst).toBeGreaterThan(0.02);
    expect(moveErrorBound(identity(), 5)).toBe(0);
  });
});
