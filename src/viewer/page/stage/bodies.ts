/**
 * The document's objects: poses, colors, and level of detail. The two chosen ones are drawn singly,
 * all others in crowds per asset, or as boxes. In a heavy scene, screen size and a budget of
 * triangles choose the detail.
 */
import {
  BufferAttribute,
  BufferGeometry,
  Frustum,
  Group,
  Matrix4,
  Mesh,
  type PerspectiveCamera,
  type ShaderMaterial,
  Sphere,
} from 'three';
import type { Box } from '../../camera.ts';
import { type Paint, type Palette, shaded, shadeOf } from '../../palette.ts';
import type { Shape } from '../../protocol.ts';
import type { ViewState } from '../../view-state.ts';
import type { Loaded } from '../parts.ts';
import { depthOf, isFlat } from './camera-controls.ts';
import { createPlaces, type Places, placeAt, toCommon } from './drawn.ts';
import {
  BOX,
  COARSE,
  type Crowd,
  createCrowd,
  createThrong,
  type Detail,
  FULL,
  type Members,
  OUT,
} from './instanced-bodies.ts';
import { type Blocks, blocksOf, type Target } from './pick.ts';
import { type Space, writeMatrix } from './space.ts';
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
  /** The objects in the camera's view that have a surface. */
  shown(): number[];
  targets(): Iterable<Target>;
  setPair(pair: readonly (number | null)[]): void;
  setMarked(marked: ReadonlyMap<number, Mark>): void;
  setSurfaceStyle(surface: ViewState['surface']): void;
  /** @param through one of the two that is translucent */
  setOthers(others: Others, through: number | null): void;
  setPalette(palette: Palette): void;
  /** Chooses details for about `most` triangles; true if all objects in view are drawn in full. */
  arrange(camera: PerspectiveCamera, height: number, most: number): boolean;
  dispose(): void;
}

/** How objects other than the two are drawn. */
type Others = Pick<ViewState, 'isIsolated' | 'showsGhosts'>;

const NOTHING = [0, 0, 0, 0];

const MOST_OF_GHOSTS = 300_000;

export function createBodies(loaded: Loaded, space: Space, look: Look): Bodies {
  const { objects } = loaded.document;
  const numbers = objects.map((_, object) => object);
  const factsOf = (object: number) => loaded.facts[objects[object].asset];
  const [crowdMaterial, boxMaterial] = [surfaceMaterial(look), surfaceMaterial(look)];
  let marked: ReadonlyMap<number, Mark> = new Map();
  let palette: Palette;
  const paintOf = (object: number): Paint => shaded(palette[marked.get(object) ?? 'other'], shadeOf(object));
  const places = createPlaces(loaded, space);
  const surfaces = createSurfaces(loaded, space, places, paintOf, crowdMaterial);
  const singles = createSingles(look, space, places, surfaces);
  const throng = createThrong(objects.length, space, boxMaterial);
  const placeBox = (object: number): void => throng.place(object, factsOf(object), places.poseOf(object));
  const curtain = createCurtain(look);
  const group = new Group().add(throng.mesh, surfaces.group, curtain.mesh, singles.group);
  const styles = createStyles({ group, curtain: curtain.mesh }, [crowdMaterial, boxMaterial], singles.materials);
  numbers.forEach(placeBox);

  const isShown = (object: number): boolean => surfaces.crowdOf(object) !== undefined && styles.rankOf(object) < 2;
  const soil = (): void => {
    surfaces.soil();
    singles.place(styles.pair());
  };
  const repaint = (): void => {
    for (const object of numbers) throng.paint(object, paintOf(object));
    soil();
  };

  return {
    group,
    ...{ shapeOf: surfaces.shapeOf, poseOf: places.poseOf, boxOf: places.boxOf },
    setSurface(asset, shape) {
      surfaces.set(asset, shape);
      singles.place(styles.pair());
    },
    setPose(object, pose) {
      places.setPose(object, pose);
      placeBox(object);
      if (styles.pair().includes(object)) singles.place(styles.pair());
      else surfaces.moved(object);
    },
    shown: () => numbers.filter(isShown),
    *targets() {
      for (const object of group.visible ? numbers : []) {
        const isGhost = styles.areGhosts() && surfaces.crowdOf(object) !== undefined;
        if (!isGhost && !isShown(object)) continue;
        const rank = styles.rankOf(object);
        const from = rank === 2 ? look.ghostsFrom.value / space.scale : 0;
        const [pose, box, grid] = [places.poseOf(object), factsOf(object), surfaces.blocksOf(object)];
        yield { object, pose, box, grid, rank, from };
      }
    },
    setPair(chosen) {
      styles.setPair(chosen);
      soil();
    },
    setMarked(marks) {
      marked = marks;
      repaint();
    },
    ...{ setSurfaceStyle: styles.setSurface, setOthers: styles.setOthers },
    setPalette(colours) {
      palette = colours;
      singles.setPalette(colours);
      repaint();
    },
    arrange: createArrangement({ surfaces, throng, styles, places, look, space }),
    dispose() {
      for (const part of [surfaces, singles, throng, curtain, crowdMaterial]) part.dispose();
    },
  };
}

/** How objects are drawn: the chosen two, and the others beside them. */
function createStyles(
  { group, curtain }: { group: Group; curtain: Mesh },
  shared: readonly ShaderMaterial[],
  singles: readonly ShaderMaterial[],
) {
  let pair: readonly (number | null)[] = [null, null];
  let others: Others = { isIsolated: false, showsGhosts: true };
  let through: number | null = null;
  let surface: ViewState['surface'] = 'solid';
  const areGhosts = (): boolean => others.isIsolated && others.showsGhosts;
  const restyle = (): void => {
    group.visible = surface !== 'hidden';
    if (surface === 'hidden') return;
    curtain.visible = areGhosts();
    for (const material of shared) setStyle(material, areGhosts() ? 'ghost' : surface);
    for (const [k, material] of singles.entries()) {
      const isThrough = others.isIsolated && through !== null && pair[k] === through;
      setStyle(material, isThrough && surface === 'solid' ? 'glass' : surface);
    }
  };
  return {
    areGhosts,
    isAlone: (): boolean => others.isIsolated && !others.showsGhosts,
    pair: () => pair,
    /** 0: drawn in full; 1: translucent, since it hides the contact; 2: a ghost, or hidden. */
    rankOf: (object: number): number =>
      !others.isIsolated ? 0 : !pair.includes(object) ? 2 : object === through ? 1 : 0,
    setPair(chosen: typeof pair): void {
      pair = chosen;
      restyle();
    },
    setSurface(style: typeof surface): void {
      surface = style;
      restyle();
    },
    setOthers({ isIsolated, showsGhosts }: Others, hider: number | null): void {
      others = { isIsolated, showsGhosts };
      through = hider;
      restyle();
    },
  };
}

interface Arranging {
  surfaces: Surfaces;
  throng: ReturnType<typeof createThrong>;
  styles: ReturnType<typeof createStyles>;
  places: Places;
  look: Look;
  space: Space;
}

function createArrangement({ surfaces, throng, styles, places, look, space }: Arranging): Bodies['arrange'] {
  const arrange = createArranger(places.spheres, (object) => surfaces.crowdOf(object)?.triangles ?? NOTHING);
  const all = Array.from({ length: places.spheres.length / 4 }, (_, object) => object);
  return (camera, height, allowed) => {
    const most = styles.areGhosts() ? Math.min(allowed, MOST_OF_GHOSTS) : allowed;
    const isAll = surfaces.triangles <= most;
    const { details, order } = arrange(camera, height, isAll ? null : most, styles.isAlone() ? all : styles.pair());
    surfaces.arrange((object) => details[object] as Detail);
    // Drawn before the curtain.
    const turn = styles.areGhosts() ? -3 : 0;
    for (const object of [throng.mesh, ...surfaces.group.children]) object.renderOrder = turn;
    // Nearest first, so that hidden ones cost no painting.
    const boxes = order.filter((object) => details[object] === BOX && surfaces.crowdOf(object));
    // A section shows insides.
    throng.show(boxes, look.isCut.value || isFlat(camera) ? null : toCommon(space, camera.position));
    return isAll || most < allowed || details.every((detail) => detail === OUT || detail === FULL);
  };
}

/** Forgets depths once the ghosts are drawn, so that they hide nothing. */
function createCurtain(look: Look) {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(new Float32Array(9), 3));
  const material = surfaceMaterial(look);
  const mesh = new Mesh(geometry, material);
  mesh.frustumCulled = false;
  mesh.renderOrder = -2;
  mesh.onBeforeRender = (renderer) => {
    const gl = renderer.getContext();
    gl.clear(gl.DEPTH_BUFFER_BIT);
  };
  return {
    mesh,
    dispose() {
      geometry.dispose();
      material.dispose();
    },
  };
}

interface Arranged {
  details: Uint8Array;
  /** Objects, nearest first if some are coarse. */
  order: number[];
}

function createArranger(spheres: Float64Array, costOf: (object: number) => readonly number[]) {
  const details = new Uint8Array(spheres.length / 4);
  const order = Array.from(details, (_, object) => object);
  return (
    camera: PerspectiveCamera,
    height: number,
    most: number | null,
    without: readonly (number | null)[],
  ): Arranged => {
    if (most === null) details.fill(FULL);
    else chooseDetails({ camera, height, most, spheres, costOf, details, order });
    for (const object of without) if (object !== null) details[object] = OUT;
    return { details, order };
  };
}

const FEW_FROM = 2;
const FULL_FROM = 12;
const COARSER = 1.5;
const TRIES = 16;

interface Choice {
  camera: PerspectiveCamera;
  height: number;
  most: number;
  /** x, y, z and radius of each object, in the drawn frame. */
  spheres: Float64Array;
  costOf(object: number): readonly number[];
  details: Uint8Array;
  order: number[];
}

/** Chooses details by screen size, coarser until they are within the triangle budget. */
function chooseDetails(choice: Choice): void {
  const { most, costOf, details } = choice;
  const { sizes, far } = sizesOf(choice);
  choice.order.sort((one, other) => far[one] - far[other]);
  let factor = 1;
  for (let tries = 0; tries < TRIES; tries++, factor *= COARSER) {
    let sum = 0;
    for (let object = 0; object < sizes.length; object++) {
      details[object] = detailOf(sizes[object] / factor);
      sum += costOf(object)[details[object]];
    }
    if (sum <= most) return;
  }
}

const detailOf = (pixels: number): Detail =>
  pixels < 0 ? OUT : pixels < FEW_FROM ? BOX : pixels < FULL_FROM ? COARSE : FULL;

/** Returns each object's distance in drawn lengths, and diameter in pixels; -1 if not seen. */
function sizesOf({ camera, height, spheres }: Choice): { sizes: Float64Array; far: Float64Array } {
  const frustum = new Frustum();
  const sphere = new Sphere();
  frustum.setFromProjectionMatrix(new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse));
  // Pixels of unit length at unit distance.
  const pixels = 0.5 * height * camera.projectionMatrix.elements[5];
  const sizes = new Float64Array(spheres.length / 4);
  const far = new Float64Array(sizes.length);
  for (let object = 0; object < sizes.length; object++) {
    sphere.center.fromArray(spheres, 4 * object);
    sphere.radius = spheres[4 * object + 3];
    far[object] = sphere.center.distanceTo(camera.position);
    sizes[object] = frustum.intersectsSphere(sphere)
      ? (2 * sphere.radius * pixels) / depthOf(camera, sphere.center)
      : -1;
  }
  return { sizes, far };
}

/** The chosen two, drawn singly with matrices in doubles up to the eye. */
function createSingles(look: Look, space: Space, places: Places, surfaces: Surfaces) {
  const group = new Group();
  const materials = [surfaceMaterial(look), surfaceMaterial(look)];
  const meshes = materials.map((material) => {
    const mesh = new Mesh<BufferGeometry, ShaderMaterial>(undefined, material);
    mesh.matrixAutoUpdate = false;
    mesh.frustumCulled = false;
    mesh.visible = false;
    group.add(mesh);
    return mesh;
  });
  return {
    ...{ group, materials },
    /** Draws these two at their current places; null: nothing. */
    place(pair: readonly (number | null)[]): void {
      for (const [k, mesh] of meshes.entries()) {
        const object = pair[k];
        const crowd = object === null ? undefined : surfaces.crowdOf(object);
        mesh.visible = crowd !== undefined;
        if (!crowd || object === null) continue;
        mesh.geometry = crowd.geometry;
        placeAt(mesh.matrix, space, places.poseOf(object), surfaces.shapeOf(object)!.origin);
        mesh.matrixWorldNeedsUpdate = true;
      }
    },
    setPalette({ a, b }: Palette): void {
      setTint(materials[0], a);
      setTint(materials[1], b);
    },
    dispose() {
      for (const material of materials) material.dispose();
    },
  };
}

/** The assets' triangles, and the crowds that draw the objects of each. */
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

function createSurfaces(
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
