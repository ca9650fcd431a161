/**
 * Layout of the memory of the module that reads files, and the function of it that
 * containers/crc32.ts describes. AssemblyScript for the module and TypeScript for its callers.
 */

/** The last lanes that `fold` has folded are before the chunk. */
export const CHUNK = 4800;
export const CHUNK_BYTES = 126272;
/** What a pass over chunks notes, from here to the end of the memory. */
export const NOTES = 131072;
