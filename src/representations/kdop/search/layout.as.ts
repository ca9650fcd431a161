/** What is placed for the kernel of k-DOP trees, in bytes: see kernels/layout.as.ts. */

// The record of a tree.
/** u32: address of the groups, bytes of a group. */
export const GROUPS = 0;
export const GROUP_BYTES = 4;
/**
 * u32: addresses of the leaves, four words each, and of the coordinates; whether these are float32.
 */
export const LEAVES = 8;
export const POSITIONS = 12;
export const IS_FLOAT = 16;
/** u32: k / 2; address of the record of the directions. */
export const HALF_K = 20;
export const DIRECTIONS = 24;
/** i32: the quantum is two to this power. */
export const QUANTUM_EXPONENT = 28;
/** f64 x 3. */
export const ORIGIN = 32;
/**
 * f64: at least how far all that the tree holds is from the model's origin, and from the tree's
 * own.
 */
export const REACH = 56;
export const RADIUS = 64;
/** u32: whether coefficients are f64, not i16. */
export const IS_WIDE = 72;
export const RECORD_BYTES = 128;

// The record of directions: from its start the cells of facets.ts, two bytes each.
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
/** u16 x 3: where in a group of i16 the coefficients of the opposite faces are; and of the faces. */
export const PLACES = 168;
export const FACET_BYTES = 192;

// A group: groups.ts says what it is.
/** Nodes of a group, at most; their links, u32 each, are its first words. */
export const GROUP_WIDTH = 4;
/** f32 each. */
export const GROUP_WIDTHS = 16;
/** u32. */
export const GROUP_COUNT = 32;
export const GROUP_LEVEL = 36;
/** i16 or f64 x GROUP_WIDTH for each direction. */
export const GROUP_COEFFICIENTS = 48;

// What a query for a device is made of: for-device.as.ts.
/** u32 x 2 each: records and poses, addresses of a's and b's; and their trees' numbers there. */
export const ASKED_RECORDS = 0;
export const ASKED_POSES = 8;
export const ASKED_NUMBERS = 16;
export const ASKED_BYTES = 24;

// Such a query: Query of gpu/kdop-trees.wgsl.
/** f64 x 9, x 3 and x 1: T, oA - T oB, and twice the slack of T. */
export const QUERY_TURN = 0;
export const QUERY_APART = 72;
export const QUERY_SLACK = 96;
/** u32 x 2: the trees' numbers. */
export const QUERY_NUMBERS = 104;
/** f32 x 12: M and t, row by row; f32: how far a coordinate may be from where it is. */
export const QUERY_ROWS = 112;
export const QUERY_ERROR = 160;
/** u32: whether it is left to the processor. */
export const QUERY_IS_LEFT = 164;
export const QUERY_BYTES = 176;
