/** Pictures of findings: both objects are seen, and a mark where they meet. */
// @module-tag all
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { pngOfFinding } from '../../src/cli/png-file.ts';
import { build, translation } from '../../src/index.ts';

const box = (size: number) => {
  const corners = [0, 1].flatMap((z) => [0, 1].flatMap((y) => [0, 1].map((x) => [x, y, z])));
  const faces = [
    0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5,
  ];
  const positions = Float64Array.from(corners.flat(), (x) => x * size);
  return build({ positions, triangles: Uint32Array.from(faces), groups: [] }, { format: 'obb' });
};

/** Pixels that are more red, or more blue, than anything else. */
async function hues(png: Uint8Array): Promise<{ red: number; blue: number; orange: number; middle: number[] }> {
  const { data, info } = await sharp(png).raw().toBuffer({ resolveWithObject: true });
  const counts = { red: 0, blue: 0, orange: 0 };
  for (let i = 0; i < data.length; i += 3) {
    const [r, g, b] = data.subarray(i, i + 3);
    if (r > 120 && g < 80 && b < 90) counts.red++;
    else if (b > r + 40) counts.blue++;
    else if (r > b + 40) counts.orange++;
  }
  const middle = 3 * (info.width * (info.height >> 1) + (info.width >> 1));
  return { ...counts, middle: [...data.subarray(middle, middle + 3)] };
}

test('a small box at the corner of a large one: the picture shows the place, with a mark in its middle', async () => {
  const a = { name: 'a', asset: box(100) };
  const b = { name: 'b', asset: box(1), pose: translation(99.5, 99.5, 99.5) };
  const finding = { box: { low: [99.5, 99.5, 99.5], high: [100, 100, 100] }, point: [100, 99.5, 100] };
  const seen = await hues((await pngOfFinding(finding, a, b))!);
  expect(seen.red).toBeGreaterThan(50);
  expect(seen.blue).toBeGreaterThan(5000);
  expect(seen.orange).toBeGreaterThan(5000);
  expect(seen.middle[0]).toBeGreaterThan(120);
  expect(seen.middle[1]).toBeLessThan(110);
});

test('without a box or a point both are shown whole', async () => {
  const a = { name: 'a', asset: box(1) };
  const b = { name: 'b', asset: box(1), pose: translation(3, 0, 0) };
  const seen = await hues((await pngOfFinding({ box: null, point: null }, a, b))!);
  expect(seen.red).toBe(0);
  expect(Math.min(seen.blue, seen.orange)).toBeGreaterThan(3000);
});
