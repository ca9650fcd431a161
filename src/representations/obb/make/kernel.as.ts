/** The builders of OBB trees, as functions of the WebAssembly module. */

export {
  wideBuildBegin,
  wideBuildDone,
  wideBuildNodes,
  wideBuildReach,
  wideBuildRun,
  wideBuildScratch,
} from './wide.as';
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
