/** Byte layouts of the data that for-device.as.ts and a device read. */

// The record of a tree.
/** i32: the quantum is 2^this model units. */
export const QUANTUM_EXPONENT = 0;
/** f64 x 3. */
export const ORIGIN = 8;
/** f64: upper bound of the content's distance from the model's origin, and from its own. */
export const REACH = 32;
export const RADIUS = 40;
export const RECORD_BYTES = 64;

// The record of directions. It begins with the cells of facets.ts, two bytes each.
/** f64 x 3 each. */
export const VECTORS = 128;
/** FACET_BYTES each. */
export const FACETS = 768;

// A facet.
/** f64 x 3. */
export const NORMAL = 0;
/** f64 x 3 x 3, row-major: the weights for its three faces, times 2^15. */
export const WEIGHTS = 24;
/** f64 x 3 x 3: its three directions, over 2^15. */
export const DIRECTIONS_OF = 96;
/** u16 x 3: offsets of the opposite faces' coefficients in an i16 group; then the faces'. */
export const PLACES = 168;
export const FACET_BYTES = 192;

// A group (groups.ts).
/** Largest number of nodes in a group; a group begins with their links, u32 each. */
export const GROUP_WIDTH = 4;
/** f32 each. */
export const GROUP_WIDTHS = 16;
/** u32. */
export const GROUP_COUNT = 32;
export const GROUP_LEVEL = 36;
/** i16 x GROUP_WIDTH for each direction. */
export const GROUP_COEFFICIENTS = 48;

// Input of a query for a device (for-device.as.ts).
/** u32 x 2 each: addresses of a's and b's records and poses; the trees' device numbers. */
export const ASKED_RECORDS = 0;
export const ASKED_POSES = 8;
export const ASKED_NUMBERS = 16;
export const ASKED_BYTES = 24;

// Output of a query for a device: Query of gpu/kdop-trees.wgsl.
/** f64 x 9, x 3 and x 1: T, oA - T oB, and twice the slack of T. */
export const QUERY_TURN = 0;
export const QUERY_APART = 72;
export const QUERY_SLACK = 96;
/** u32 x 2: the trees' numbers. */
export const QUERY_NUMBERS = 104;
/** f32 x 12: M and t, row by row; f32: error bound of a coordinate. */
export const QUERY_ROWS = 112;
export const QUERY_ERROR = 160;
/** u32: 1 if the query is left to the processor. */
export const QUERY_IS_LEFT = 164;
export const QUERY_BYTES = 176;
