/** What is placed for the kernel of geometry images, in bytes: see kernels/layout.as.ts. */

// The record of an image.
/** u32: addresses of the blocks, of the links over the charts, of the charts. */
export const BLOCKS = 0;
export const LINKS = 4;
export const CHARTS = 8;
/** u32: how many slots are over the charts or their roots. */
export const OVER = 12;
/** u32: the root's chart, NO_CHART where it is over them. */
export const ROOT_CHART = 16;
/** f64 x 4: x, y and z of the grid's origin, and its step. */
export const GRID = 24;
/** f64: decodeError, and at least how far all that it holds is from the model's origin. */
export const DECODE_ERROR = 56;
export const REACH = 64;
/** f64: steps; the largest coordinate of a centre, or radius; and the radius of the largest quad. */
export const GRID_REACH = 72;
export const FINEST = 80;
export const RECORD_BYTES = 128;

// A block: four nodes, f32x4 each; node k of block i is slot 4 i + k.
/** x, y and z. */
export const CENTRES = 0;
export const RADII = 48;
/** x, y and z. */
export const NORMALS = 64;
export const HALVES = 112;
/** x, y and z of a side: across the normal. */
export const SIDES = 128;
/** How far all is from the centre along the side at most, and across it and the normal. */
export const ALONG = 176;
export const ACROSS = 192;
export const BLOCK_BYTES = 208;

// A chart, u32.
export const FIRST_BLOCK = 0;
/** How many of its blocks come before those over quads. */
export const LEAVES = 4;
/** The address of its samples, u16 x 3 each. */
export const SAMPLES = 8;
export const EXPONENT = 12;
export const FIRST_QUAD = 16;
/** Levels above its root. */
export const HEIGHT = 20;
export const CHART_BYTES = 32;

// What is known of a slot over the charts, u32.
/** The block of its children. */
export const CHILDREN = 0;
/** The chart whose root it is. */
export const CHART = 4;
/** The deepest level of its children. */
export const DEPTH = 8;
export const LINK_BYTES = 16;

/** The chart of a node over the charts. */
export const NO_CHART = 0xffffffff;
