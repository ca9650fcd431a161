/** Byte layouts for the kernels of wide OBB trees (see kernels/layout.as.ts). */

// The record of a tree.

/** u32: addresses of the nodes, of the triangles' vertices in leaf order, of the coordinates. */
export const NODES = 0;
export const CORNERS = 4;
export const POSITIONS = 8;
/** u32: 1 if coordinates are float32. */
export const IS_FLOAT = 12;
/** u32: address of the triangles' numbers in leaf order. */
export const ORDER = 16;
/** f64 x 3. */
export const ORIGIN = 24;
/** f64: bound of the content's distance from the model's origin, and from the tree's own. */
export const REACH = 48;
export const LOCAL_REACH = 56;
export const RECORD_BYTES = 64;

/** f64 x 9 x 4 each: moved corners of the candidates. */
export const CORNERS_OF_A = 0;
export const CORNERS_OF_B = 288;
/** f32 x 3 from the caller: a vector in a's frame, at most 1 long, from a to b; 0 if unknown. */
export const NORMAL = 864;
/**
 * f64 x 6 from the caller, in the common frame. First, a vector from a to b along which the nearest
 * pair is proved apart; then the same for the pair measured last. 0 if unknown.
 */
export const BETWEEN = 880;
/** u32 x 2: places in leaf order of the first triangles of the candidates' leaves. */
export const FIRST = 928;
/** f32, and f64, in the result: least lower bound of nodes and of triangles that are left out. */
export const LEFT = 32;
export const REST = 40;

/** A candidate, from CONTACTS; a stack entry also ends with the gap. */
export const CANDIDATE_BYTES = 16;
/** u32: 4 i + j for the i-th corners of a and the j-th of b, after the triangles' numbers. */
export const PLACES = 8;
/** f32. */
export const GAP = 12;
