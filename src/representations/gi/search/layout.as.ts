/** Byte layout of a placed geometry image: see kernels/layout.as.ts. */

// The record of an image.
/** u32: addresses of the blocks, of the links over the charts, of the charts. */
export const BLOCKS = 0;
export const LINKS = 4;
export const CHARTS = 8;
/** u32: number of slots for the charts' roots and above. */
export const OVER = 12;
export const ROOT_CHART = 16;
export const GRID = 24;
/** f64: decodeError, and a bound on distances from the model's origin. */
export const DECODE_ERROR = 56;
export const REACH = 64;
/** f64, steps: the largest coordinate of a center, or radius; and the largest quad's radius. */
export const GRID_REACH = 72;
export const FINEST = 80;
export const RECORD_BYTES = 128;

// A block: four nodes, f32x4 per number; node k of block i is slot 4 i + k.
export const CENTRES = 0;
export const RADII = 48;
export const NORMALS = 64;
export const HALVES = 112;
/** A side: x, y and z of a vector across the normal. */
export const SIDES = 128;
/** Extent from the center along the side, and across it and the normal. */
export const ALONG = 176;
export const ACROSS = 192;
export const BLOCK_BYTES = 208;

// A chart, u32.
export const FIRST_BLOCK = 0;
/** Number of its blocks before those over quads. */
export const LEAVES = 4;
/** Address of its samples, u16 x 3 each. */
export const SAMPLES = 8;
export const EXPONENT = 12;
export const FIRST_QUAD = 16;
export const HEIGHT = 20;
export const CHART_BYTES = 32;

// The link of a slot over the charts, u32.
export const CHILDREN = 0;
export const CHART = 4;
export const DEPTH = 8;
export const LINK_BYTES = 16;

export const NO_CHART = 0xffffffff;
