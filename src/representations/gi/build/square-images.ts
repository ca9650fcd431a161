/**
 * Places the triangles of an embedding in the pillowcase's square: their images under the group p2.
 */

/** Image k of a triangle: x, y of its three corners at 6k. Grows if needed. */
export interface SquareImages {
  count: number;
  corners: Float64Array;
}

export const createSquareImages = (): SquareImages => ({ count: 0, corners: new Float64Array(6 * 16) });

/**
 * Finds every image of a triangle whose box meets [-1,1]^2, with i + j of the parity of the sign:
 *   p -> sign p + 2 (i, j)
 * Corners, six numbers at `at`, are multiples of 2^-46 below 32 in size (distortion.ts), so images
 * are exact and keep their orientation. Even elements come first.
 */
export function findSquareImages(corners: Float64Array, at: number, out: SquareImages): void {
  const lowX = Math.min(corners[at], corners[at + 2], corners[at + 4]);
  const highX = Math.max(corners[at], corners[at + 2], corners[at + 4]);
  const lowY = Math.min(corners[at + 1], corners[at + 3], corners[at + 5]);
  const highY = Math.max(corners[at + 1], corners[at + 3], corners[at + 5]);
  out.count = 0;
  for (let sign = 1; sign >= -1; sign -= 2) {
    const iLow = Math.ceil((-1 - (sign > 0 ? highX : -lowX)) / 2);
    const iHigh = Math.floor((1 - (sign > 0 ? lowX : -highX)) / 2);
    const jLow = Math.ceil((-1 - (sign > 0 ? highY : -lowY)) / 2);
    const jHigh = Math.floor((1 - (sign > 0 ? lowY : -highY)) / 2);
    for (let i = iLow; i <= iHigh; i++) {
      for (let j = jLow; j <= jHigh; j++) {
        if (((i + j) & 1) !== (sign > 0 ? 0 : 1)) continue;
        const to = 6 * out.count++;
        if (to === out.corners.length) {
          const grown = new Float64Array(2 * to);
          grown.set(out.corners);
          out.corners = grown;
        }
        for (let k = 0; k < 6; k += 2) {
          out.corners[to + k] = sign * corners[at + k] + 2 * i;
          out.corners[to + k + 1] = sign * corners[at + k + 1] + 2 * j;
        }
      }
    }
  }
}
