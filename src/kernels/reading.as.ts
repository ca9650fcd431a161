/**
 * Layout of the memory of the module that reads files, and its function for containers/crc32.ts,
 * which has the description. AssemblyScript for the module and TypeScript for its callers.
 */

/** The last lanes that `fold` has folded are before the chunk. */
export const CHUNK = 4800;
export const CHUNK_BYTES = 126272;
/** Notes of a pass over chunks, from here to the end of the memory. */
export const NOTES = 131072;
