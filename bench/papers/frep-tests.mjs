// The seed's search, as it is printed: quadrics with perturbations on the cube of +-1, tests 8 to
// 10, cells that are quartered in x and y and halved in z. A model for experiments: no rounding is
// counted, and nothing of src/ is used.
//
// S. Vyatkin, B. Dolgovesov, "Collision Detection of Functionally Defined Objects for Constant
// Time", section 3.3.

/** @typedef {readonly number[]} Quadric ten numbers: A11 A22 A33 A12 A13 A23 A14 A24 A34 A44 */
/** @typedef {{ base: Quadric, perturbations: readonly Quadric[] }} Solid F + the sum of max(Q, 0)^2 */

/**
 * The quadric on one half of the cube along an axis: u = (u' + side) / 2 there.
 *
 * @param {Quadric} q
 * @param {number} axis
 * @param {number} side
 * @returns {Quadric}
 */
export function half([a, b, c, d, e, f, g, h, i, k], axis, side) {
  const s = side / 2;
  if (axis === 0) return [a / 4, b, c, d / 2, e / 2, f, g / 2 + s * a, h + s * d, i + s * e, k + s * g + a / 4];
  if (axis === 1) return [a, b / 4, c, d / 2, e, f / 2, g + s * d, h / 2 + s * b, i + s * f, k + s * h + b / 4];
  return [a, b, c / 4, d, e / 2, f / 2, g + s * e, h + s * f, i / 2 + s * c, k + s * i + c / 4];
}

/** Test 8: how far the quadric may be from its value in the middle. @param {Quadric} q */
const most = (q) => q.slice(0, 9).reduce((sum, x) => sum + Math.abs(x), 0);

/**
 * Test 10: whether the cell is outside of where the perturbation is defined. As it is printed, it
 * asks for the size of A44 and not for its sign: a perturbation that is positive all over the cell
 * is dropped, too.
 *
 * @param {Quadric} q
 * @param {boolean} isPrinted
 */
export const isUndefined = (q, isPrinted) => most(q) < Math.abs(q[9]) && (isPrinted || q[9] < 0);

/**
 * Test 9: whether the cell is outside of the solid.
 *
 * @param {Solid} solid
 * @param {boolean} isPrinted
 */
export function isOutside({ base, perturbations }, isPrinted) {
  let r = base[9];
  for (const q of perturbations) if (!isUndefined(q, isPrinted)) r += Math.max(0, q[9] + most(q)) ** 2;
  return r < 0 && most(base) < -r;
}

/** F in the middle of the cell. @param {Solid} solid */
export const middle = ({ base, perturbations }) =>
  perturbations.reduce((sum, q) => sum + Math.max(0, q[9]) ** 2, base[9]);

/** @param {Solid} solid @param {number} axis @param {number} side @returns {Solid} */
const halfOf = ({ base, perturbations }, axis, side) => ({
  base: half(base, axis, side),
  perturbations: perturbations.map((q) => half(q, axis, side)),
});

/**
 * Do two solids share a point of the cube of +-1? Down to 2^levels cells along each axis.
 *
 * @param {readonly Solid[]} solids
 * @param {number} levels
 * @param {boolean} isPrinted
 * @param {number} [depth]
 * @returns {'contact' | 'clear' | 'undecided'}
 */
export function collide(solids, levels, isPrinted, depth = 0) {
  if (solids.some((solid) => isOutside(solid, isPrinted))) return 'clear';
  if (solids.every((solid) => middle(solid) >= 0)) return 'contact';
  if (depth === 3 * levels) return 'undecided';
  const axis = depth < 2 * levels ? depth % 2 : 2;
  let isOpen = false;
  for (const side of [-1, 1]) {
    const found = collide(
      solids.map((solid) => halfOf(solid, axis, side)),
      levels,
      isPrinted,
      depth + 1,
    );
    if (found === 'contact') return found;
    isOpen ||= found === 'undecided';
  }
  return isOpen ? 'undecided' : 'clear';
}
