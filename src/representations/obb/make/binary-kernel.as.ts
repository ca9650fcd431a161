/**
 * The builder of OBB trees of 40 and 20 bytes a node, as functions of a WebAssembly module. Pages
 * that only build wide trees do not load it.
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
