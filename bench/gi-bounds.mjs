// Proved distances of geometry images beside sampled ones, in both directions, by the image's size.
import { build, measureDeviation, toMesh } from 'gicollide';
import { fan, normalised, sample, seeded, sheet } from './inputs.mjs';

/** @typedef {import('gicollide').Mesh} Mesh */

/**
 * Triangles in a cube; with `vertices` on so many that they share.
 *
 * @param {number} count
 * @param {number} [vertices]
 */
function tangle(count, vertices = 3 * count) {
  const random = seeded(28);
  const positions = Array.from({ length: 3 * vertices }, random);
  const corner = () => Math.floor(vertices * random());
  const triangles = Array.from({ length: 3 * count }, (_, i) => (vertices === 3 * count ? i : corner()));
  return normalised({ positions, triangles });
}

/** A strip with half a turn in it, of 60 quads. */
const strip = () =>
  normalised(
    sheet(60, 1, (u, v) => {
      const turn = 2 * Math.PI * u;
      const r = 1 + (v - 0.5) * 0.6 * Math.cos(turn / 2);
      return [r * Math.cos(turn), r * Math.sin(turn), (v - 0.5) * 0.6 * Math.sin(turn / 2)];
    }),
  );

/** @type {Record<string, () => Mesh>} */
const BODIES = {
  bunny: () => sample('bunny'),
  blob: () => sample('blob'),
  'plate of needles': fan,
  strip,
  '300 loose triangles': () => tangle(300),
  'tangle of 400': () => tangle(400, 80),
};

/**
 * Prints a line a body and size: bound, sampled, ratio, from the source to the image and back.
 *
 * @param {boolean} quick
 */
export function printBounds(quick) {
  const rows = [];
  console.log('proved and sampled distances, % of the diagonal: source to image, image to source');
  for (const [name, mesh] of Object.entries(BODIES)) {
    for (const size of quick ? [33] : [33, 65, 257]) {
      const source = mesh();
      const image = build(source, { size });
      const { missing, excess } = image.tolerance ?? { missing: Number.NaN, excess: Number.NaN };
      const sampled = measureDeviation(source, toMesh(image), { samples: quick ? 20_000 : 500_000 });
      const [to, back] = [
        { bound: missing, sampled: sampled.maxAB },
        { bound: excess, sampled: sampled.maxBA },
      ].map((way) => ({
        bound: (100 * way.bound) / sampled.diagonal,
        sampled: (100 * way.sampled) / sampled.diagonal,
      }));
      const cells = [to, back].map(
        (way) => `${way.bound.toFixed(4)} ${way.sampled.toFixed(4)} ${(way.bound / way.sampled).toFixed(2)}`,
      );
      console.log(`  ${name.padEnd(20)} ${String(size).padStart(4)}  ${cells.join('   ')}`);
      rows.push({ name, size, to, back });
    }
  }
  return rows;
}
