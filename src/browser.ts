/**
 * gicollide where sharp cannot run. Pixels use the platform's own Deflate, and utif decodes LZW.
 *
 * @example const image = build(readObj(bytes), { size: 33 });
 *          const { asset } = await read(await write(image));
 *          check(asset, blob).verdict // 'contact'
 */

import { completePair, openImageOf, SCENE_PARTS } from './complete.ts';
import type { ReadOptions } from './containers/blob.ts';
import type { ByteSource } from './containers/byte-source.ts';
import { utifCodec } from './containers/pixels-utif.ts';
import { answerHere, createPair } from './engine/prepared.ts';
import type { Asset, Decoded } from './engine/representation.ts';
import { readBy, writeBy } from './library.ts';
import { type openPair as openHere, withMotions } from './motion/moving-pair.ts';
import type { GiEncodeOptions } from './representations/gi/format/codec.ts';
import type { OpenImage, OpenImageOptions } from './representations/opened.ts';
import { type OpenedScene, type OpenSceneOptions, openSceneBy } from './scene/load.ts';
import type { Scene, SceneObjectGiven, SceneOptions } from './scene/records.ts';
import { placeScene } from './scene/scene.ts';
import type { SceneModel } from './scene/scene-file.ts';

export * from './api.ts';
export { utifCodec };

/** Decodes an asset, as in Node (index.ts). */
export const read = (bytes: Uint8Array, options?: ReadOptions): Promise<Decoded<Asset>> =>
  readBy(utifCodec, bytes, options);

/** Encodes an asset, as in Node, but without LZW. */
export const write = (asset: Asset, options?: GiEncodeOptions): Promise<Uint8Array> =>
  writeBy(utifCodec, asset, options);

/** Opens a geometry image without reading it, as in Node. */
export const openImage = (source: ByteSource, options?: OpenImageOptions): Promise<OpenImage> =>
  openImageOf(utifCodec, source, options);

/** Opens a scene, as in Node. */
export const openScene = (scene: string | Uint8Array | SceneModel, options: OpenSceneOptions): Promise<OpenedScene> =>
  openSceneBy((bytes) => read(bytes, { take: true }), scene, options, SCENE_PARTS);

/** Puts objects together, as in Node; this thread computes findings. */
export const createScene = (objects: readonly SceneObjectGiven[], options?: SceneOptions): Scene =>
  placeScene(objects, options, SCENE_PARTS);

/** Opens two assets for any number of questions, as in Node; this thread computes `verdicts`. */
export const openPair: typeof openHere = (a, b, options) =>
  completePair(withMotions(createPair(a, b, options, answerHere), a, b));
