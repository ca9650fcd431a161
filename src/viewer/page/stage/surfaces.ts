/** The assets' triangles, and the crowds that draw the objects of each. */
import { Group, type ShaderMaterial } from 'three';
import type { Shape } from '../../protocol.ts';
import type { Loaded } from '../parts.ts';
import { type Crowd, createCrowd, type Detail, FULL, type Members } from './crowd.ts';
import { type Blocks, blocksOf } from './pick.ts';
import type { Places } from './places.ts';
import { type Space, writeMatrix } from './space.ts';

export interface Surfaces {
  readonly group: Group;
  readonly triangles: number;
  set(asset: number, shape: Shape): void;
  shapeOf(object: number): Shape | undefined;
  crowdOf(object: number): Crowd | undefined;
  blocksOf(object: number): Blocks;
  moved(object: number): void;
  /** Marks the appearance of all objects as changed. */
  soil(): void;
  arrange(detailOf: (object: number) => Detail): void;
  dispose(): void;
}

export function createSurfaces(
  { document: { objects }, facts }: Loaded,
  space: Space,
  { poseOf }: Places,
  paintOf: Members['paintOf'],
  material: ShaderMaterial,
): Surfaces {
  const group = new Group();
  const shapes: (Shape | undefined)[] = [];
  const blocks: (Blocks | undefined)[] = [];
  const crowds: (Crowd | undefined)[] = [];
  const byAsset = facts.map((): number[] => []);
  for (const [object, { asset }] of objects.entries()) byAsset[asset].push(object);
  let triangles = 0;
  return {
    group,
    get triangles() {
      return triangles;
    },
    set(asset, shape) {
      const before = crowds[asset];
      if (before) group.remove(before.group);
      before?.dispose();
      shapes[asset] = shape;
      blocks[asset] = undefined;
      const members: Members = {
        ...{ numbers: byAsset[asset], paintOf },
        writeMatrix: (object, out, offset) => writeMatrix(space, poseOf(object), shape.origin, out, offset),
      };
      const crowd = createCrowd(shape, members, material);
      crowds[asset] = crowd;
      group.add(crowd.group);
      triangles += (crowd.triangles[FULL] - (before?.triangles[FULL] ?? 0)) * byAsset[asset].length;
    },
    shapeOf: (object) => shapes[objects[object].asset],
    crowdOf: (object) => crowds[objects[object].asset],
    blocksOf(object) {
      const { asset } = objects[object];
      blocks[asset] ??= blocksOf(shapes[asset]!);
      return blocks[asset];
    },
    moved: (object) => crowds[objects[object].asset]?.soil(),
    soil() {
      for (const crowd of crowds) crowd?.soil();
    },
    arrange(detailOf) {
      for (const crowd of crowds) crowd?.arrange(detailOf);
    },
    dispose() {
      for (const crowd of crowds) crowd?.dispose();
    },
  };
}
