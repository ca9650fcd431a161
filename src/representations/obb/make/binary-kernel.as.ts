/**
 * The builder of OBB trees of 40 and 20 bytes a node, as functions of a WebAssembly module: pages
 * that build wide trees alone do not load it.
 */

export {
  binaryBuildBegin,
  binaryBuildPart,
  binaryBuildReach,
  binaryBuildRoot,
  binaryBuildScratch,
  binaryBuildTask,
  binaryBuildTaskBytes,
  binaryBuildTop,
} from './binary.as';
