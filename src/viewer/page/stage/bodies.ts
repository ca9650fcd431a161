/**
 * The objects of the document: where they stand, how they are painted, what of them is drawn. The
 * two in question are drawn by themselves, with matrices in doubles up to the eye; all others in
 * crowds, one an asset.
 */
import { Frustum, Group, Matrix4, Mesh, type PerspectiveCamera, type ShaderMaterial, Sphere } from 'three';
import type { Shape } from '../../protocol.ts';
import type { ViewState } from '../../view-state.ts';
import type { Loaded } from '../parts.ts';
import { COARSE, type Crowd, createCrowd, type Detail, FULL, OUT } from './crowd.ts';
import type { Paint, Palette } from './palette.ts';
import { type Blocks, blocksOf, type Target } from './pick.ts';
import { type Box, movedBox, placeAt, type Space, writeMatrix } from './space.ts';
import { type Look, setStyle, setTint, surfaceMaterial } from './surface-material.ts';

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
  /** Chooses what is drawn in which detail. @param least pixels of what is drawn in full */
  arrange(camera: PerspectiveCamera, height: number, least: number): void;
  dispose(): void;
}

/** Fewer triangles than this are drawn in full, and nobody asks which of them are in view. */
const LIGHT_SCENE = 300_000;

export function createBodies({ document, facts }: Loaded, space: Space, look: Look): Bodies {
  const { objects } = document;
  const group = new Group();
  const poses: ArrayLike<number>[] = objects.map(({ pose }) => pose);
  const spheres = new Float64Array(4 * objects.length);
  const byAsset = facts.map((): number[] => []);
  objects.forEach(({ asset }, object) => {
    byAsset[asset]?.push(object);
  });
  const shapes: (Shape | undefined)[] = [];
  const blocks: (Blocks | undefined)[] = [];
  const crowds: (Crowd | undefined)[] = [];
  const crowdMaterial = surfaceMaterial(look);
  const singles = [surfaceMaterial(look), surfaceMaterial(look)].map((material) => singleOf(material));
  let pair: readonly (number | null)[] = [null, null];
  let marked: ReadonlyMap<number, Mark> = new Map();
  let palette: Palette;
  let isIsolated = false;
  /** Of all objects that have a surface. */
  let triangles = 0;
  objects.forEach((_, object) => {
    place(object);
  });

  function singleOf(material: ShaderMaterial): Mesh<Crowd['geometry'], ShaderMaterial> {
    const mesh = new Mesh<Crowd['geometry'], ShaderMaterial>(undefined, material);
    mesh.matrixAutoUpdate = false;
    mesh.frustumCulled = false;
    mesh.visible = false;
    group.add(mesh);
    return mesh;
  }

  function boxOf(object: number): Box {
    return movedBox(facts[objects[object].asset], poses[object]);
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

  const isShown = (object: number): boolean =>
    crowds[objects[object].asset] !== undefined && (!isIsolated || pair.includes(object));

  return {
    group,
    setSurface(asset, shape) {
      const before = crowds[asset];
      if (before) group.remove(...before.meshes);
      before?.dispose();
      shapes[asset] = shape;
      blocks[asset] = undefined;
      const crowd = createCrowd(shape, membersOf(asset), crowdMaterial);
      crowds[asset] = crowd;
      group.add(...crowd.meshes);
      triangles += (crowd.triangles - (before?.triangles ?? 0)) * byAsset[asset].length;
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
    shown: () => objects.map((_, object) => object).filter(isShown),
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
      soil();
    },
    setSurfaceStyle(surface) {
      group.visible = surface !== 'hidden';
      if (surface === 'hidden') return;
      for (const material of [crowdMaterial, ...singles.map((mesh) => mesh.material)]) setStyle(material, surface);
    },
    setIsolated(isAlone) {
      isIsolated = isAlone;
    },
    setPalette(colours) {
      palette = colours;
      setTint(singles[0].material, palette.a);
      setTint(singles[1].material, palette.b);
      soil();
    },
    arrange(camera, height, least) {
      const detailOf = triangles > LIGHT_SCENE ? detailsSeenBy(camera, spheres, height, least) : () => FULL as Detail;
      const wanted = (object: number): Detail =>
        isIsolated || pair[0] === object || pair[1] === object ? OUT : detailOf(object);
      for (const crowd of crowds) crowd?.arrange(wanted);
    },
    dispose() {
      for (const crowd of crowds) crowd?.dispose();
      for (const mesh of singles) mesh.material.dispose();
      crowdMaterial.dispose();
    },
  };
}

const frustum = new Frustum();
const sphere = new Sphere();
const matrix = new Matrix4();

/** Whether an object is in view, and how large. @param spheres x, y, z and radius each */
function detailsSeenBy(camera: PerspectiveCamera, spheres: Float64Array, height: number, least: number) {
  frustum.setFromProjectionMatrix(matrix.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse));
  // Pixels of what is 1 long, 1 away.
  const pixels = 0.5 * height * camera.projectionMatrix.elements[5];
  return (object: number): Detail => {
    sphere.center.fromArray(spheres, 4 * object);
    sphere.radius = spheres[4 * object + 3];
    if (!frustum.intersectsSphere(sphere)) return OUT;
    const far = sphere.center.distanceTo(camera.position);
    return 2 * sphere.radius * pixels >= least * far ? FULL : COARSE;
  };
}
