/** Normals of triangles of every size and shape, against cross products of whole numbers. */
import { expect, test } from 'vitest';
import { triangleNormal } from '../../src/geometry/triangle.ts';
import { seeded } from '../support/random.ts';

const big = (x: number): bigint => BigInt(x);

test.each([0, 1, 20, 40, 50])('of slivers as thin as 2^-%i, seed 5', (thin) => {
  const random = seeded(5);
  for (let n = 0; n < 50; n++) {
    const whole = (size: number): number => Math.floor(random.between(-size, size));
    // c is b and a little more.
    const b = [whole(2 ** 50), whole(2 ** 50), whole(2 ** 50)];
    const c = b.map((x) => x + whole(2 ** (51 - thin)) + 1);
    const cross = [0, 1, 2].map((k) => {
      const [i, j] = [(k + 1) % 3, (k + 2) % 3];
      return big(b[i]) * big(c[j]) - big(b[j]) * big(c[i]);
    });
    for (const scale of [1, 2 ** 900, 2 ** -1000]) {
      const normal = triangleNormal(Float64Array.of(0, 0, 0, ...b, ...c).map((x) => x * scale));
      if (cross.every((x) => x === 0n)) {
        expect(normal).toBeUndefined();
        continue;
      }
      const most = Math.max(...cross.map((x) => Math.abs(Number(x))));
      const numbers = cross.map((x) => Number(x) / most);
      const length = Math.hypot(...numbers);
      for (let k = 0; k < 3; k++) expect(normal![k]).toBeCloseTo(numbers[k] / length, 8);
    }
  }
});

test('none has what is a point or a segment', () => {
  expect(triangleNormal(new Float64Array(9))).toBeUndefined();
  expect(triangleNormal(Float64Array.of(0, 0, 0, 1, 2, 3, 2, 4, 6))).toBeUndefined();
});
