// Planar meshes as geometry images, and where two of them lie on one another: the example that
// B. Benes, N. Gomez Villanueva, "GI-COLLIDE", SCCG 2005, section 4, gives for its worst case.
import { compose, rotation, translation } from 'gicollide';
import { gridImage } from './grid-image.mjs';

/** @typedef {import('gicollide').GeometryImage} GeometryImage */
/** @typedef {import('gicollide').Pose} Pose */

/** Steps along a side of the unit square: a power of two, so that corners are exact. */
const STEPS = 32768;

/**
 * The unit square at z = 0 in 2^exponent by 2^exponent quads, with the paper's spheres.
 *
 * @param {number} exponent
 * @param {{ isFolded?: boolean }} [options] folded like a map: each quad is all of the square
 * @returns {GeometryImage}
 */
export function plane(exponent, { isFolded = false } = {}) {
  const quads = 2 ** exponent;
  const place = (/** @type {number} */ i) => (isFolded ? (i % 2) * STEPS : (i * STEPS) / quads);
  const samples = new Uint16Array(3 * (quads + 1) ** 2);
  for (let row = 0, at = 0; row <= quads; row++) {
    for (let column = 0; column <= quads; column++, at += 3) samples.set([place(column), place(row), 0], at);
  }
  const grid = { origin: new Float64Array(3), step: 1 / STEPS };
  return gridImage({ name: 'plane', exponent, charts: 1, samples, ...grid }, 'seed');
}

/** Corner on corner, and turned in their plane about the middle, which keeps z exactly 0. */
export const LAYINGS = /** @type {Readonly<Record<string, Pose>>} */ ({
  'corner on corner': translation(0, 0, 0),
  'turned by 30 degrees': [translation(0.5, 0.5, 0), rotation(0, 0, 1, 30), translation(-0.5, -0.5, 0)].reduce(compose),
});
