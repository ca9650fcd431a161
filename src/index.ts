/**
 * gicollide for Node: bytes in, objects out, no file system.
 *
 * @example
 * import { readFile } from 'node:fs/promises';
 * import { build, check, readObj, translation } from 'gicollide';
 * const bunny = build(readObj(await readFile('assets/bunny.obj')));
 * check(bunny, bunny, { poseB: translation(2, 0, 0) }).verdict; // 'clear'
 */
import { sharpCodec } from './containers/pixels-sharp.ts';
import { createLibrary } from './library.ts';

export { type CheckPosesOptions, checkPoses, VERDICTS } from './pair/threads/check-poses.ts';
export { type OpenWorkers, openWorkers } from './pair/threads/cube-workers.ts';
export * from './public.ts';
export { sharpCodec };

export const { read, write, openImage } = createLibrary(sharpCodec);
