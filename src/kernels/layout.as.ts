/**
 * Where things stand in the workspace of a kernel that answers for pairs, in bytes from its start.
 * Typed once: this is AssemblyScript to the kernels and TypeScript to what calls them. The records
 * of placed assets are their kinds' own: layout.as.ts beside each kernel, read likewise.
 */

export const WORKSPACE_BYTES = 1048576;

/** f64 x 16 each: the query's poses, row-major. */
export const POSE_A = 0;
export const POSE_B = 128;
/** 192 bytes for what a query is computed from. */
export const QUERY = 256;
/** f64 x 4: contacts in the list; pairs of bounds and of triangles tested so far; deepest level. */
export const RESULT = 448;
/** u32 x 3: bytes on the stack, whether all contacts are wanted, room in the list. */
export const STATE = 512;
/** f64: pairs of bounds that are tested before the search is left, to be resumed. */
export const TURN = 528;
/** 1,472 bytes for what a step of the search writes. */
export const STEP = 576;
/** Of triangle-pair.as.ts: 5,136 bytes. */
export const SCRATCH = 2048;
/** 57,344 bytes for what a query prepares on its way. */
export const PREPARED = 8192;
/** Pending pairs. */
export const STACK = 65536;
/** u32 x 2 each: the primitives' numbers, of a and of b. */
export const CONTACTS = 720896;

// What a call returns.
/** The search has come to its end. */
export const ENDED = 1;
/** The list of contacts is full; the search is to be resumed. */
export const FULL = 0;
/** The query is beyond what the kernel's numbers hold. */
export const UNSUITED = -1;

/**
 * Float32 holds squares of lengths between these. Above, squares overflow. Below, they are
 * subnormal: wrong by up to 2^-150, upward as well as downward, so that the root of a sum of three
 * may be too long by 2^-74 = 5.3e-23. A kernel that takes squares leaves a query beyond these to
 * the common engine; its head says which length it compares, and what outweighs 2^-74.
 */
export const LEAST_SQUARED = 1e-16;
export const MOST_SQUARED = 1e18;
