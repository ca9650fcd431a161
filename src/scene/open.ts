/** A scene file to a scene: what Node and browsers share. */
import { requireJson, requireOptions, requireThat } from '../base/require.ts';
import { type LoadedScene, type LoadOptions, loadScene } from './load.ts';
import { readScene, type SceneModel } from './model.ts';
import type { Scene, SceneOptions } from './report.ts';
import { placeScene, type SceneParts } from './scene.ts';

export interface OpenSceneOptions extends Omit<SceneOptions, 'rules'> {
  /** Returns the bytes of a file, by its path in the scene. */
  read(file: string): Uint8Array | Promise<Uint8Array>;
}

/** A scene, and the reports about its files. */
export interface OpenedScene extends Scene, Omit<LoadedScene, 'objects'> {}

export async function openSceneBy(
  decode: LoadOptions['decode'],
  scene: string | Uint8Array | SceneModel,
  options: OpenSceneOptions,
  parts: SceneParts,
): Promise<OpenedScene> {
  requireThat(options !== undefined, 'options', 'an object with a read function', options);
  requireOptions(options);
  requireThat(typeof options.read === 'function', 'read', 'a function from a path to bytes', options.read);
  requireJson(scene, 'scene');
  const model = readScene(scene);
  const { objects, ...told } = await loadScene(model, { read: options.read, decode });
  const { clearance, against } = options;
  const absent = told.unchecked.flatMap(({ names }) => names);
  const asked = { rules: model, absent, ...(clearance !== undefined && { clearance }), ...(against && { against }) };
  const placed = placeScene(objects, asked, parts);
  return Object.assign(placed, told);
}
