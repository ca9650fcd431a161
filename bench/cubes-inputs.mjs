// Inputs of the tasks about cubes: halls with any number of shells.
import { build } from 'gicollide';
import { seeded } from './inputs.mjs';

/** @typedef {import('gicollide').Mesh} Mesh */

/** Cubes of a shell of so many cells an edge: |C|. @param {number} size */
export const cubesOfShell = (size) => size ** 3 - (size - 2) ** 3;

/**
 * The surface of a box of so many cells of 1 an edge.
 *
 * @param {readonly number[]} corner its first cell
 * @param {number} size
 * @returns {Mesh}
 */
function shell(corner, size) {
  const ends = corner.map((x) => [x + 0.5, x + size - 0.5]);
  const positions = Float64Array.from({ length: 24 }, (_, i) => ends[i % 3][(Math.floor(i / 3) >> (i % 3)) & 1]);
  const quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]; // biome-ignore format: a table
  const triangles = Uint32Array.from(quads.flatMap(([p, q, r, s]) => [p, q, r, p, r, s]));
  return { positions, triangles, groups: [] };
}

/**
 * Shells in a hall that grows with their number: each meets about as many others whatever N.
 *
 * @param {number} models
 * @param {number} size
 */
export function hallOf(models, size) {
  const random = seeded(2016);
  const hall = Math.ceil(2.5 * size * Math.cbrt(models));
  return Array.from({ length: models }, () => {
    const corner = [0, 0, 0].map(() => Math.floor((random() - 0.5) * hall));
    return shell(corner, size);
  });
}

/**
 * The same as cubes.
 *
 * @param {number} models
 * @param {number} size
 */
export const cubesOfHall = (models, size) =>
  hallOf(models, size).map((mesh) => build(mesh, { format: 'voxel', precision: 1 }));
