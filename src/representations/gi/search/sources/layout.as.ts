/** What is placed and written for the search of near quads, in bytes: see kernels/layout.as.ts. */

// A block: centres, radii, normals and half thicknesses of four nodes, as ../layout.as.ts has them.
export const DISCS_BYTES = 128;

// The query, f32, from kernels/layout.as.ts's QUERY, written by the caller.
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

// What a search leaves, f32, from kernels/layout.as.ts's RESULT: steps of a's grid.
/** The least gap of what was left out. */
export const LEFT = 32;
/** How far apart two points of both are at most, of all nodes that it has met. */
export const NEAR = 36;

/** A pair of quads, from CONTACTS: u32 x 2, their numbers in the images, and f32, their gap. */
export const PAIR_BYTES = 12;
