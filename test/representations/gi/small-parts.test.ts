/** Components that are small beside the whole, counted and put in words. */
import { expect, test } from 'vitest';
import { buildGeometryImage } from '../../../src/representations/gi/make/index.ts';
import { describeSmallParts, findSmallParts } from '../../../src/representations/gi/make/small-parts.ts';
import { box, mapped, together } from '../../support/shapes.ts';

const at = (x: number, size: number) => mapped(box(), (u, v, w) => [x + size * u, size * v, size * w]);

test('components under 50 steps are counted, with the smallest', () => {
  // An extent of 65535, from -0.5 to 65534.5: a step of 1.
  const mesh = together(at(0, 1), at(100, 49), at(200, 51), at(300, 3), at(65433.5, 202));
  const small = findSmallParts(mesh);
  expect(small.count).toBe(3);
  expect(small.steps).toBeCloseTo(1, 6);
  expect(describeSmallParts(small)).toBe(
    "3 components are under 50 steps of the image's grid (the smallest is 1 step, 1 across): build them separately, or with -f obb",
  );
  let told = 0;
  buildGeometryImage(mesh, {
    size: 17,
    onLosses: (_losses, _cuts, parts) => {
      told = parts.count;
    },
  });
  expect(told).toBe(3);
});

test('a mesh without small components says nothing', () => {
  expect(describeSmallParts(findSmallParts(together(box(), at(2, 0.01))))).toBeNull();
});
