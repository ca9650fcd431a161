/** The bytes of a wide node (see wide-node.ts), for kernels and TypeScript. */

export const WIDE_BYTES = 64;
export const WIDTH = 4;
/** Three rows of the frame, ROW_BYTES each: i16 x 3, and at ROW_HALF half a float32. */
export const ROW_BYTES = 8;
export const ROW_HALF = 6;
/** f32 x 3. */
export const CENTRE = 24;
/** u32. */
export const LINK = 36;
/** u8 x 4 for each of three axes: the children's lowest bounds, and their highest. */
export const LOW = 40;
export const HIGH = 52;
