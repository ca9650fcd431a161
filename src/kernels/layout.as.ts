/**
 * Where things stand in the workspace of a kernel that answers for pairs, in bytes from its start: typed once, and read by AssemblyScript and
 * TypeScript alike. Each kernel keeps what it needs besides in what is left free. The records of placed assets are their kinds'
 * own: search/layout.as.ts.
 */

export const WORKSPACE_BYTES = 1048576;

/** f64 x 16 each: the query's poses, row-major. */
export const POSE_A = 0;
export const POSE_B = 128;
/** f64 x 4: contacts in the list, pairs of bounds and pairs of triangles tested so far, the deepest level. */
export const RESULT = 448;
/** What a search goes on from where its list was full. */
export const STATE = 512;
/** Of triangle-pair.as.ts. */
export const SCRATCH = 2048;
/** Pending pairs. */
export const STACK = 65536;
/** u32 x 2 each: the triangles' numbers, of a and of b. */
export const CONTACTS = 720896;

// What a call returns.
/** The search has come to its end. */
export const ENDED = 1;
/** The list of contacts is full: to be resumed. */
export const FULL = 0;
/** The numbers are beyond what the kernel's hold. */
export const UNSUITED = -1;
