/**
 * The parts that the whole library hands to the engine and to scenes, which import none of them:
 * classes of solids, places where listed pairs touch, and motions between frames. Callers of a
 * subpath of one kind hand over their own.
 */

import { contacts } from './contacts/patches.ts';
import type { ByteSource } from './containers/byte-source.ts';
import type { PixelCodec } from './containers/pixels.ts';
import type { CheckOptions } from './engine/options.ts';
import type { Pair } from './engine/prepared.ts';
import { type OpenImage, type OpenImageOptions, openImageBy } from './representations/opened.ts';
import { openWays } from './scene/continuous.ts';
import type { SceneParts } from './scene/scene.ts';
import { classOf, openReasonOf, solidOf, solids } from './solid/class-of.ts';

export function completed(options?: CheckOptions): CheckOptions | undefined {
  if (!options?.solid && !options?.contactPoints && !options?.patches) return options;
  const all: Record<string, unknown> = { solids, contacts };
  // Inherited options count, as they do where nothing is added.
  for (const name in options) all[name] = options[name as keyof CheckOptions] ?? all[name];
  return all;
}

export const SCENE_PARTS: SceneParts = { solids: { classOf, openReasonOf, solidOf }, contacts, openWays };

/** Changes the pair itself; pass one that you alone use. */
export function completePair<P extends Pair>(pair: P): P {
  const { report } = pair;
  return Object.assign(pair, { report: (options?: CheckOptions) => report(completed(options)) });
}

/** Opens an image, as `openImageBy` does, whose checks answer all options. */
export async function openImageOf(
  codec: PixelCodec,
  source: ByteSource,
  options?: OpenImageOptions,
): Promise<OpenImage> {
  const image = await openImageBy(codec, source, options);
  const { check } = image;
  return Object.assign(image, {
    check: (other: Parameters<OpenImage['check']>[0], wanted?: CheckOptions) => check(other, completed(wanted)),
  });
}
