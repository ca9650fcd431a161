/** A scene in a form that can be sent to threads or other machines. */

import { contacts } from '../../query/contact-patches.ts';
import type { Asset } from '../../query/representation.ts';
import * as solids from '../../solid/class-of.ts';
import type { FindingsOptions, SceneObject, SceneOptions } from '../report.ts';
import { type PlacedScene, placeAgain } from '../scene.ts';

export interface SceneData {
  objects: (Omit<Required<SceneObject>, 'asset' | 'pose'> & { asset: number })[];
  /** Sixteen numbers an object. */
  poses: Float64Array;
  pairs: Float64Array;
  boxes: Float64Array;
  options: SceneOptions;
  asks: FindingsOptions;
  isMoving: boolean;
}

export function sceneData(
  scene: PlacedScene,
  pairs: Float64Array,
  options: FindingsOptions,
): { assets: Asset[]; data: SceneData } {
  const numbers = new Map<Asset, number>();
  const numberOf = (asset: Asset): number => {
    const number = numbers.get(asset) ?? numbers.size;
    numbers.set(asset, number);
    return number;
  };
  const { onFinding: _, onProgress: __, signal: ___, ...asks } = options;
  const data: SceneData = {
    objects: scene.objects.map(({ pose: _, asset, ...rest }) => ({ ...rest, asset: numberOf(asset) })),
    poses: Float64Array.from(scene.objects.flatMap(({ pose }) => Array.from(pose))),
    pairs,
    boxes: scene.boxes,
    options: optionsOf(scene),
    asks,
    isMoving: scene.isMoving,
  };
  return { assets: [...numbers.keys()], data };
}

/** The kinds of the assets must be loaded. */
export function sceneOf(assets: readonly Asset[], data: SceneData): PlacedScene {
  const objects = data.objects.map(({ asset, ...rest }, i) => ({
    ...rest,
    asset: assets[asset],
    pose: data.poses.slice(16 * i, 16 * i + 16),
  }));
  const scene = placeAgain(objects, data.options, data.boxes, { solids, contacts });
  return data.isMoving ? scene.expectSteps() : scene;
}

/** The options that can be sent: only a model's rules, no callbacks. */
function optionsOf({ options }: PlacedScene): SceneOptions {
  const { onUnmatched: _, rules, ...plain } = options;
  const { groups, rules: own, allow } = rules ?? {};
  return { ...plain, rules: { groups, rules: own, allow } };
}
