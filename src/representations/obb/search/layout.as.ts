/**
 * The record of a wide OBB tree that is placed for the kernel, in bytes: see kernels/layout.as.ts.
 */

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
