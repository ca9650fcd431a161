/** A scene as it goes to others, threads or other machines: assets, and data that can be sent. */
import type { Asset } from '../../query/representation.ts';
import type { FindingsOptions, SceneObject, SceneOptions } from '../report.ts';
import { type PlacedScene, placeAgain } from '../scene.ts';

/** The scene as it stands, its assets by their numbers. */
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

/** Assets, each once, and a scene that says them by their numbers. */
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

/** The scene again, of whose assets the kinds are loaded. */
export function sceneOf(assets: readonly Asset[], data: SceneData): PlacedScene {
  const objects = data.objects.map(({ asset, ...rest }, i) => ({
    ...rest,
    asset: assets[asset],
    pose: data.poses.slice(16 * i, 16 * i + 16),
  }));
  const scene = placeAgain(objects, data.options, data.boxes);
  return data.isMoving ? scene.expectSteps() : scene;
}

/** A scene's options as they can be sent: a model's rules alone, and nobody who listens. */
function optionsOf({ options }: PlacedScene): SceneOptions {
  const { onUnmatched: _, rules, ...plain } = options;
  const { groups, rules: own, allow } = rules ?? {};
  return { ...plain, rules: { groups, rules: own, allow } };
}
