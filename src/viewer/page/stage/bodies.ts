/**
 * The objects of the document: where they stand, how they are painted, what of them is drawn. The
 * two in question are drawn by themselves, with matrices in doubles up to the eye; all others in
 * crowds, one an asset.
 */
import { Group, Mesh, type PerspectiveCamera, type ShaderMaterial } from 'three';
import type { Box } from '../../camera.ts';
import type { Paint, Palette } from '../../palette.ts';
import type { Shape } from '../../protocol.ts';
import type { ViewState } from '../../view-state.ts';
import type { Loaded } from '../parts.ts';
import { BOX, type Crowd, createCrowd, type Detail, FULL, OUT } from './crowd.ts';
import { chooseDetails } from './details.ts';
import { placeAt, toCommon } from './drawn.ts';
import { type Blocks, blocksOf, type Target } from './pick.ts';
import { around, type Space, writeMatrix } from './space.ts';
import { type Look, setStyle, setTint, surfaceMaterial } from './surface-material.ts';
import { createThrong } from './throng.ts';

export type Mark = 'error' | 'warning' | 'note';

export interface Bodies {
  readonly group: Group;
  setSurface(asset: number, shape: Shape): void;
  shapeOf(object: number): Shape | undefined;
  setPose(object: number, pose: ArrayLike<number>): void;
  poseOf(object: number): ArrayLike<number>;
  /** In the common frame. */
  boxOf(object: number): Box;
  /** The objects that are in view where the camera sees them, and have a surface. */
  shown(): number[];
  targets(): Iterable<Target>;
  /** Numbers of the two in question. */
  setPair(pair: readonly (number | null)[]): void;
  setMarked(marked: ReadonlyMap<number, Mark>): void;
  setSurfaceStyle(surface: ViewState['surface']): void;
  setIsolated(isIsolated: boolean): void;
  setPalette(palette: Palette): void;
  /**
   * Chooses what is drawn in which detail, so that it is about `most` triangles. @returns whether
   * all that is in view is drawn in full
   */
  arrange(camera: PerspectiveCamera, height: number, most: number): boolean;
  dispose(): void;
}

/** Triangles by detail of what has no surface yet. */
const NOTHING = [0, 0, 0, 0];

export function createBodies({ document, facts }: Loaded, space: Space, look: Look): Bodies {
  const { objects } = document;
  const group = new Group();
  const poses: ArrayLike<number>[] = objects.map(({ pose }) => pose);
  /** x, y, z and radius each, in the frame that is drawn. */
  const spheres = new Float64Array(4 * objects.length);
  const details = new Uint8Array(objects.length);
  const byAsset = facts.map((): number[] => []);
  objects.forEach(({ asset }, object) => {
    byAsset[asset]?.push(object);
  });
  const shapes: (Shape | undefined)[] = [];
  const blocks: (Blocks | undefined)[] = [];
  const crowds: (Crowd | undefined)[] = [];
  const crowdMaterial = surfaceMaterial(look);
  const boxMaterial = surfaceMaterial(look);
  boxMaterial.vertexColors = true;
  const throng = createThrong(objects.length, space, boxMaterial);
  group.add(throng.mesh);
  const numbers = objects.map((_, object) => object);
  const order = [...numbers];
  const singles = [surfaceMaterial(look), surfaceMaterial(look)].map((material) => singleOf(material));
  let pair: readonly (number | null)[] = [null, null];
  let marked: ReadonlyMap<number, Mark> = new Map();
  let palette: Palette;
  let isIsolated = false;
  /** Of all objects that have a surface. */
  let triangles = 0;
  for (const object of numbers) place(object);

  function singleOf(material: ShaderMaterial): Mesh<Crowd['geometry'], ShaderMaterial> {
    const mesh = new Mesh<Crowd['geometry'], ShaderMaterial>(undefined, material);
    mesh.matrixAutoUpdate = false;
    mesh.frustumCulled = false;
    mesh.visible = false;
    group.add(mesh);
    return mesh;
  }

  function boxOf(object: number): Box {
    return around([[facts[objects[object].asset], poses[object]]]);
  }

  /** Writes where an object's sphere is drawn. */
  function place(object: number): void {
    const { low, high } = boxOf(object);
    let square = 0;
    for (let k = 0; k < 3; k++) {
      const half = space.scale * (high[k] / 2 - low[k] / 2);
      square += half * half;
      spheres[4 * object + k] = space.scale * (low[k] - space.origin[k]) + half;
    }
    spheres[4 * object + 3] = Math.sqrt(square);
    throng.place(object, facts[objects[object].asset], poses[object]);
  }

  function placeSingles(): void {
    singles.forEach((mesh, k) => {
      const object = pair[k];
      const asset = object === null ? -1 : objects[object].asset;
      const crowd = crowds[asset];
      mesh.visible = crowd !== undefined;
      if (!crowd || object === null) return;
      mesh.geometry = crowd.geometry;
      placeAt(mesh.matrix, space, poses[object], shapes[asset]!.origin);
      mesh.matrixWorldNeedsUpdate = true;
    });
  }

  function soil(): void {
    for (const crowd of crowds) crowd?.soil();
    placeSingles();
  }

  function repaint(): void {
    for (const object of numbers) throng.paint(object, paintOf(object));
    soil();
  }

  function paintOf(object: number): Paint {
    const mark = marked.get(object);
    const paint = mark ? palette[mark] : palette.other;
    // Neighbours differ a little, so that each can be told from the next.
    const shade = 0.94 + 0.12 * ((object * 0.618034) % 1);
    return [paint[0] * shade, paint[1] * shade, paint[2] * shade];
  }

  /** @param asset must have a shape */
  const membersOf = (asset: number) => ({
    numbers: byAsset[asset],
    writeMatrix: (object: number, out: Float32Array, offset: number) =>
      writeMatrix(space, poses[object], shapes[asset]!.origin, out, offset),
    paintOf,
  });

  const costOf = (object: number): readonly number[] => crowds[objects[object].asset]?.triangles ?? NOTHING;

  const isShown = (object: number): boolean =>
    crowds[objects[object].asset] !== undefined && (!isIsolated || pair.includes(object));

  return {
    group,
    setSurface(asset, shape) {
      const before = crowds[asset];
      if (before) group.remove(before.group);
      before?.dispose();
      shapes[asset] = shape;
      blocks[asset] = undefined;
      const crowd = createCrowd(shape, membersOf(asset), crowdMaterial);
      crowds[asset] = crowd;
      group.add(crowd.group);
      triangles += (crowd.triangles[FULL] - (before?.triangles[FULL] ?? 0)) * byAsset[asset].length;
      placeSingles();
    },
    shapeOf: (object) => shapes[objects[object].asset],
    setPose(object, pose) {
      poses[object] = Float64Array.from(pose);
      place(object);
      if (pair.includes(object)) placeSingles();
      else crowds[objects[object].asset]?.soil();
    },
    poseOf: (object) => poses[object],
    boxOf,
    shown: () => numbers.filter(isShown),
    *targets() {
      for (let object = 0; object < objects.length; object++) {
        if (!isShown(object) || !group.visible) continue;
        const { asset } = objects[object];
        blocks[asset] ??= blocksOf(shapes[asset]!);
        yield { object, pose: poses[object], box: facts[asset], grid: blocks[asset] };
      }
    },
    setPair(numbers) {
      pair = numbers;
      soil();
    },
    setMarked(marks) {
      marked = marks;
      repaint();
    },
    setSurfaceStyle(surface) {
      group.visible = surface !== 'hidden';
      if (surface === 'hidden') return;
      for (const material of [crowdMaterial, boxMaterial, ...singles.map((mesh) => mesh.material)])
        setStyle(material, surface);
    },
    setIsolated(isAlone) {
      isIsolated = isAlone;
    },
    setPalette(colours) {
      palette = colours;
      setTint(singles[0].material, palette.a);
      setTint(singles[1].material, palette.b);
      repaint();
    },
    arrange(camera, height, most) {
      const isAll = triangles <= most;
      if (isAll) details.fill(FULL);
      else chooseDetails({ camera, height, most, spheres, costOf, details, order });
      for (const object of pair) if (object !== null) details[object] = OUT;
      if (isIsolated) details.fill(OUT);
      for (const crowd of crowds) crowd?.arrange((object) => details[object] as Detail);
      // The nearest first: what they hide is not painted.
      const boxes = order.filter((object) => details[object] === BOX && crowds[objects[object].asset]);
      // Where something is cut away, insides are seen.
      throng.show(boxes, look.isCut.value ? null : toCommon(space, camera.position));
      return isAll || details.every((detail) => detail === OUT || detail === FULL);
    },
    dispose() {
      for (const crowd of crowds) crowd?.dispose();
      for (const mesh of singles) mesh.material.dispose();
      crowdMaterial.dispose();
      throng.dispose();
    },
  };
}
