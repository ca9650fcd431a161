// The triangle unit of section 5.2: whether two triangles touch, a pair at a time.
//
// Departure: the paper's transforms both so that one becomes the unit triangle, with rounding that
// it does not bound. The verdict here is the library's exact one; only the time is the model's.

import { beginQuery, createMovedTriangle, loadTriangle } from '#src/engine/narrow-phase';
import { trianglesIntersectAt } from '#src/geometry/triangle-triangle';

/** @typedef {import('gicollide').KdopTree} KdopTree */
/** @typedef {import('gicollide').Pose} Pose */

/**
 * @param {KdopTree} a
 * @param {KdopTree} b
 * @param {Pose} poseA
 * @param {Pose} poseB
 * @param {number} cycles of a test
 */
export function createTriangleUnit(a, b, poseA, poseB, cycles) {
  const [loadedA, loadedB] = [createMovedTriangle(), createMovedTriangle()];
  beginQuery(loadedA, poseA);
  beginQuery(loadedB, poseB);
  let left = 0;
  let number = [-1, -1];
  /** @type {[number, number][]} */
  const contacts = [];
  let tests = 0;
  return {
    contacts,
    get tests() {
      return tests;
    },
    get isIdle() {
      return left === 0;
    },
    /** @param {number} triangleA @param {number} triangleB */
    take(triangleA, triangleB) {
      number = [triangleA, triangleB];
      left = cycles;
      tests++;
    },
    /** A cycle; with the last of a test the contact is reported to the host. */
    step() {
      if (left === 0 || --left > 0) return;
      loadTriangle(loadedA, a, number[0]);
      loadTriangle(loadedB, b, number[1]);
      if (trianglesIntersectAt(loadedA.corners, 0, loadedB.corners, 0)) contacts.push([number[0], number[1]]);
    },
  };
}
