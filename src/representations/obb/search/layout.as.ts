/** What is placed for the kernels of wide OBB trees, in bytes: see kernels/layout.as.ts. */

// The record of a tree.

/**
 * u32: addresses of the nodes, of the triangles' vertices in the order of the leaves, of the
 * coordinates.
 */
export const NODES = 0;
export const CORNERS = 4;
export const POSITIONS = 8;
/** u32: whether coordinates are float32. */
export const IS_FLOAT = 12;
/** u32: address of the triangles' numbers, in the order of the leaves. */
export const ORDER = 16;
/** f64 x 3. */
export const ORIGIN = 24;
/**
 * f64: at least how far all that the tree holds is from the model's origin, and from the tree's
 * own.
 */
export const REACH = 48;
export const LOCAL_REACH = 56;
export const RECORD_BYTES = 64;

// What a search for the nearest leaves in the workspace, in bytes from kernels/layout.as.ts's STEP.
/** f64 x 9 x 4 each: corners of the candidates, moved. */
export const CORNERS_OF_A = 0;
export const CORNERS_OF_B = 288;
/**
 * f32 x 3, written by the caller: a vector of a's frame, no longer than 1, from a to b; 0 where none
 * is known.
 */
export const NORMAL = 864;
/** And from its RESULT, f32: the least gap of what was left out. */
export const LEFT = 32;

/** A candidate, from CONTACTS; and an entry of the stack, whose last word is the gap, too. */
export const CANDIDATE_BYTES = 16;
/** u32: 4 i + j for the i-th corners of a and the j-th of b, after the triangles' numbers. */
export const PLACES = 8;
/** f32. */
export const GAP = 12;
