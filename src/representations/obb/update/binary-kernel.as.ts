/** The refit of OBB trees of 40 and 20 bytes a node, as functions of a WebAssembly module. */

export { binaryUpdate, binaryUpdateScratch } from './binary.as';
