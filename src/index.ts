/**
 * gicollide for Node: bytes in, objects out, no file system. Images go by sharp, or by utif with one warning of the process
 * (GICOLLIDE_NO_SHARP) where sharp cannot be loaded.
 *
 * @example
 * import { readFile } from 'node:fs/promises';
 * import { build, check, readObj, translation } from 'gicollide';
 * const bunny = build(readObj(await readFile('assets/bunny.obj')));
 * check(bunny, bunny, { poseB: translation(2, 0, 0) }).verdict; // 'clear'
 */

import { createLibrary } from './api.ts';
import { nodeCodec } from './containers/pixels-node.ts';
import { checkPoses } from './pair/threads/check-poses.ts';

export * from './api.ts';
export { sharpCodec } from './containers/pixels-sharp.ts';
export { utifCodec } from './containers/pixels-utif.ts';
export { type CheckPosesOptions, checkPoses } from './pair/threads/check-poses.ts';
export { type OpenWorkers, openWorkers } from './pair/threads/cube-workers.ts';

export const { read, write, openImage, openPair } = /* @__PURE__ */ createLibrary(nodeCodec, checkPoses);
