/** Byte layout for the search of near quads: see kernels/layout.as.ts. */

// A block: centers, radii, normals and half thicknesses of four nodes, as in ../layout.as.ts.
export const DISCS_BYTES = 128;

// The query, f32, at QUERY of kernels/layout.as.ts, written by the caller.
/** M, row-major, and t: b's grid in a's. */
export const LINEAR = 0;
export const SHIFT = 36;
/** M without its scale. */
export const TURN = 48;
export const SCALE = 84;
export const SLACK = 88;
/** 2 skew + 2^-18, and 1 more than that. */
export const SKEW = 92;
export const PARALLEL = 96;

// Results, f32, at RESULT of kernels/layout.as.ts, in steps of a's grid.
/** Least gap of the pairs left out. */
export const LEFT = 32;
/** Bound on the least distance between both, from all nodes met. */
export const NEAR = 36;

/** A pair of quads, from CONTACTS: their numbers in the images, u32 x 2, and their gap, f32. */
export const PAIR_BYTES = 12;
