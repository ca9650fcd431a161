/** The builder of wide OBB trees, as functions of the WebAssembly module. */

export {
  wideBuildBegin,
  wideBuildDone,
  wideBuildNodes,
  wideBuildReach,
  wideBuildRun,
  wideBuildScratch,
} from './wide.as';
