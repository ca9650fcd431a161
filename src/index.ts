/**
 * gicollide for Node: bytes in, objects out, no file system. sharp decodes and encodes images. If
 * sharp cannot be loaded, utif does, and the process gets one warning (GICOLLIDE_NO_SHARP).
 *
 * @example import { readFile } from 'node:fs/promises';
 *          import { build, check, readObj, translation } from 'gicollide';
 *          const bunny = build(readObj(await readFile('assets/bunny.obj')));
 *          check(bunny, bunny, { poseB: translation(2, 0, 0) }).verdict; // 'clear'
 */
import { completePair, openImageOf, SCENE_PARTS } from './complete.ts';
import type { ReadOptions } from './containers/blob.ts';
import type { ByteSource } from './containers/byte-source.ts';
import { nodeCodec } from './containers/pixels-node.ts';
import { createPair } from './engine/prepared.ts';
import type { Asset, Decoded } from './engine/representation.ts';
import { readBy, writeBy } from './library.ts';
import { type openPair as openHere, withMotions } from './motion/moving-pair.ts';
import { checkPoses } from './representations/check-poses.ts';
import type { GiEncodeOptions } from './representations/gi/format/codec.ts';
import type { OpenImage, OpenImageOptions } from './representations/opened.ts';
import { answerOnThreads } from './scene/answer-pairs.ts';
import { type OpenedScene, type OpenSceneOptions, openSceneBy } from './scene/load.ts';
import type { Scene, SceneObjectGiven, SceneOptions } from './scene/records.ts';
import { placeScene, type SceneParts } from './scene/scene.ts';
import type { SceneModel } from './scene/scene-file.ts';

export * from './api.ts';
export { sharpCodec } from './containers/pixels-sharp.ts';
export { utifCodec } from './containers/pixels-utif.ts';
export { type CheckPosesOptions, checkPoses } from './representations/check-poses.ts';
export { type OpenWorkers, openWorkers } from './representations/voxel/bulk/cube-workers.ts';

/**
 * Decodes an asset, which owns its memory: later changes to `bytes` don't affect it. With `take`
 * the asset may keep `bytes` instead of a copy, and nothing may change them anymore. Each warning
 * is one line about an assumption.
 *
 * @throws FormatError for bytes that are no asset, or a damaged one
 * @example await writeFile('out/bunny.obb', await write(bunny));
 *          const { asset, warnings } = await read(await readFile('out/bunny.obb'));
 *          check(asset, blob, { poseB: translation(2, 0, 0) }).verdict // 'clear'
 */
export const read = (bytes: Uint8Array, options?: ReadOptions): Promise<Decoded<Asset>> =>
  readBy(nodeCodec, bytes, options);

/**
 * Encodes an asset. The same asset and options give the same bytes (for deflate: with the same
 * codec).
 *
 * @example const image = build(readObj(bytes), { size: 33 });
 *          await writeFile('out/bunny.tiff', await write(image, { compression: 'lzw' }));
 */
export const write = (asset: Asset, options?: GiEncodeOptions): Promise<Uint8Array> =>
  writeBy(nodeCodec, asset, options);

/**
 * Opens a geometry image without reading all of it. `check` of two opened images reads the
 * directories and the top of the trees. Of the tiles, it reads those that it enters, about one per
 * level. Parts that are not read are not checked either. A tile is checked against its own
 * checksum, not against the digests of whole pages.
 *
 * @param source `memorySource(bytes)`, `await httpSource(url)`, or your own
 * @throws FormatError for bytes that are no geometry image, or a damaged one
 * @throws InputError if the source cannot be read
 * @example const file = await write(build(readObj(bytes), { size: 33 })); // or a file on a server: await httpSource(url)
 *          const image = await openImage(memorySource(file));
 *          (await image.check(image, { poseB: translation(2, 0, 0) })).verdict // 'clear'
 */
export const openImage = (source: ByteSource, options?: OpenImageOptions): Promise<OpenImage> =>
  openImageOf(nodeCodec, source, options);

/**
 * Opens a scene: assets, and instances of them with their poses (docs/scene.md). If an asset cannot
 * be read, its instances are `unchecked` and the others are still there.
 *
 * @param scene the text of a scene file, or the value parsed from its JSON
 * @throws FormatError if it is no scene
 * @throws OptionError for names and rules that match nothing, and if only some units are known
 * @example const scene = await openScene(
 *            { gicollide: 'scene/1', assets: { bunny: 'bunny.obj' }, instances: [
 *              { name: 'one', asset: 'bunny' }, { name: 'two', asset: 'bunny', translate: [0.4, 0, 0] }] },
 *            { read: (file) => readFile(`assets/${file}`) },
 *          );
 *          const { findings } = await scene.findings({ distance: true });
 *          findings[0].class // 'overlap'
 */
export const openScene = (scene: string | Uint8Array | SceneModel, options: OpenSceneOptions): Promise<OpenedScene> =>
  openSceneBy((bytes) => read(bytes, { take: true }), scene, options, onThreads());

const onThreads = (): SceneParts => ({ ...SCENE_PARTS, answerPairs: answerOnThreads() });

/**
 * Puts objects together. Findings are computed on all processors if that is faster.
 *
 * @throws OptionError for duplicate names, for invalid poses, for rules that match no object, and
 *   for assets whose recorded units differ or are partly missing
 * @example const scene = createScene([
 *            { name: 'left', asset: bunny },
 *            { name: 'right', asset: bunny, pose: translation(0.4, 0, 0) },
 *            { name: 'far', asset: blob, pose: translation(9, 0, 0) },
 *          ]);
 *          const { findings, summary } = await scene.findings({ jobs: 2 });
 *          findings.map(({ a, b }) => `${a.name} ${b.name}`) // ['left right']
 *          summary.pairs // 3
 */
export const createScene = (objects: readonly SceneObjectGiven[], options?: SceneOptions): Scene =>
  placeScene(objects, options, onThreads());

/**
 * Opens two assets for any number of questions. Work that only helps many questions is done after
 * many have been asked, or at once if `questions` announces them. `verdicts` uses all processors if
 * that is faster.
 *
 * @throws OptionError for assets whose recorded units differ, or if only one records a unit
 * @example const pair = openPair(bunny, blob);
 *          pair.report({ poseB: translation(0.4, 0, 0), all: true }).contacts.complete // true
 *          pair.verdict(translation(2, 0, 0)) // 'clear'
 *          await pair.verdicts(Float64Array.of(...translation(2, 0, 0), ...translation(0.4, 0, 0))) // [0, 1]
 *          const motion = straight(translation(9, 0, 0), identity());
 *          const { verdict, first } = pair.impact(still(identity()), motion);
 *          verdict // 'contact'
 *          first.to - first.from < 2 ** -19 // true
 */
export const openPair: typeof openHere = (a, b, options) =>
  completePair(withMotions(createPair(a, b, options, checkPoses), a, b));
