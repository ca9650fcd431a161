/** Record of a mesh for kernel.as.ts: u32 each, addresses unless said otherwise, in bytes. */

/** i32 per half-edge. */
export const ORIGIN = 0;
export const TWIN = 4;
/** i32 per half-edge: shifts by x and y of its transition (see embed.ts), 16 bits each. */
export const MOVES = 8;
/** f64 per half-edge: squared length on the surface. */
export const LENGTHS = 12;
/** f64 x 2 per triangle: stretchWeight, inverseWeight. */
export const WEIGHTS = 16;
/** f64 x 2 per vertex. */
export const PLACES = 20;
/** i32 per vertex, -1 if it is not in. */
export const OUTGOING = 24;
/** u8 per vertex. */
export const PINNED = 28;
/** i32 and f64 per vertex. */
export const ORDER = 32;
export const ORDER_ENERGY = 36;
/** Six rows of f64, each RING_ROW bytes long. */
export const RING = 40;
export const RING_ROW = 44;
/** Number of vertices. */
export const VERTICES = 48;
export const RECORD_BYTES = 64;
