/** Every image of a triangle that meets the square is found once, exactly, and none whose box does not meet it. */
import { expect, test } from 'vitest';
import { createSquareImages, findSquareImages } from '../../../src/representations/gi/make/resample.ts';
import { seeded } from '../../support/random.ts';

test.each([1, 2, 3])('against all elements of the group nearby, seed %i', { tags: ['all'] }, (seed) => {
  const random = seeded(seed);
  const images = createSquareImages();
  for (let i = 0; i < 500; i++) {
    // Large ones have more images than there is room for at first; whole numbers touch the square's sides.
    const size = random.pick([0.1, 2, 12]);
    const whole = random.below(3) === 0;
    const middle = [random.between(-6, 6), random.between(-6, 6)];
    const corners = Float64Array.from({ length: 8 }, (_, k) => {
      const x = middle[k % 2] + random.between(-size, size);
      return whole ? Math.round(x) : Math.round(x * 2 ** 46) / 2 ** 46;
    });
    findSquareImages(corners, 2, images);
    const found = Array.from({ length: images.count }, (_, k) => images.corners.slice(6 * k, 6 * k + 6).join());
    const expected: string[] = [];
    for (let a = -16; a <= 16; a++) {
      for (let b = -16; b <= 16; b++) {
        const sign = (a + b) % 2 === 0 ? 1 : -1;
        const image = corners.slice(2).map((x, k) => sign * x + 2 * (k % 2 === 0 ? a : b));
        const meets = [0, 1].every((k) => {
          const along = [image[k], image[k + 2], image[k + 4]];
          return Math.min(...along) <= 1 && Math.max(...along) >= -1;
        });
        if (meets) expected.push(image.join());
      }
    }
    expect(found.sort()).toEqual(expected.sort());
  }
});
