/**
 * Layout of the workspace of a kernel that answers for pairs, in bytes from its start.
 *
 * It is AssemblyScript for the kernels and TypeScript for their callers. The records of placed
 * assets belong to their kinds: layout.as.ts beside each kernel, read in the same way.
 */

export const WORKSPACE_BYTES = 1048576;

/** f64 x 16 each: the query's poses, row-major. */
export const POSE_A = 0;
export const POSE_B = 128;
/** 192 bytes for the query's parameters. */
export const QUERY = 256;
/** f64 x 4: contacts in the list; pairs of bounds and of triangles tested so far; deepest level. */
export const RESULT = 448;
/** u32 x 3: bytes on the stack, 1 if all contacts are wanted, room in the list. */
export const STATE = 512;
/** f64: pairs of bounds tested before the search pauses. */
export const TURN = 528;
/** 1,472 bytes for the output of a step of the search. */
export const STEP = 576;
/** 5,136 bytes for triangle-pair.as.ts. */
export const SCRATCH = 2048;
/** 57,344 bytes for data that a query prepares. */
export const PREPARED = 8192;
/** Poses of b for a call, f64 x 16 each; a byte each: 1 for contact, or LEFT_OVER. */
export const POSES = PREPARED;
export const POSES_A_CALL = 256;
export const ANSWERS = POSES + 128 * POSES_A_CALL;
/** Like UNSUITED, for one of many poses. */
export const LEFT_OVER = 255;
export const STACK = 65536;
/** u32 x 2 each: the primitives' numbers, of b and of a, so that a u64 sorts by a, then b. */
export const CONTACTS = 720896;

// Results of a call.
export const ENDED = 1;
/** The list of contacts is full; resume the search. */
export const FULL = 0;
/** The query is beyond the range of the kernel's numbers, or a pose is not rigid. */
export const UNSUITED = -1;

/**
 * Range in which float32 holds squares of lengths. Above, squares overflow. Below, they are
 * subnormal: wrong by up to 2^-150, upward as well as downward, so that the root of a sum of three
 * may be too long by 2^-74 = 5.3e-23. A kernel that uses squares leaves queries beyond this range
 * to the common engine. Its head names the length that it compares, and the quantity that outweighs
 * 2^-74.
 */
export const LEAST_SQUARED = 1e-16;
export const MOST_SQUARED = 1e18;
