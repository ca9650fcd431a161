/**
 * The document's objects: poses, colors, and level of detail. The two chosen ones are drawn singly,
 * all others in crowds per asset, or as boxes.
 */
import { Group, type PerspectiveCamera, type ShaderMaterial } from 'three';
import type { Box } from '../../camera.ts';
import { shadeOf } from '../../marks.ts';
import { type Paint, type Palette, shaded } from '../../palette.ts';
import type { Shape } from '../../protocol.ts';
import type { ViewState } from '../../view-state.ts';
import type { Loaded } from '../parts.ts';
import { BOX, type Detail, FULL, OUT } from './crowd.ts';
import { chooseDetails } from './details.ts';
import { toCommon } from './drawn.ts';
import type { Target } from './pick.ts';
import { createPlaces } from './places.ts';
import { createSingles } from './singles.ts';
import type { Space } from './space.ts';
import { type Look, setStyle, surfaceMaterial } from './surface-material.ts';
import { createSurfaces } from './surfaces.ts';
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
  /** The objects in the camera's view that have a surface. */
  shown(): number[];
  targets(): Iterable<Target>;
  setPair(pair: readonly (number | null)[]): void;
  setMarked(marked: ReadonlyMap<number, Mark>): void;
  setSurfaceStyle(surface: ViewState['surface']): void;
  setIsolated(isIsolated: boolean): void;
  setPalette(palette: Palette): void;
  /** Chooses details for about `most` triangles; returns true if all in view is drawn in full. */
  arrange(camera: PerspectiveCamera, height: number, most: number): boolean;
  dispose(): void;
}

const NOTHING = [0, 0, 0, 0];

export function createBodies(loaded: Loaded, space: Space, look: Look): Bodies {
  const { objects } = loaded.document;
  const numbers = objects.map((_, object) => object);
  const factsOf = (object: number) => loaded.facts[objects[object].asset];
  const [crowdMaterial, boxMaterial] = [surfaceMaterial(look), surfaceMaterial(look)];
  let pair: readonly (number | null)[] = [null, null];
  let marked: ReadonlyMap<number, Mark> = new Map();
  let palette: Palette;
  let isIsolated = false;
  const paintOf = (object: number): Paint => shaded(palette[marked.get(object) ?? 'other'], shadeOf(object));
  const places = createPlaces(loaded, space);
  const surfaces = createSurfaces(loaded, space, places, paintOf, crowdMaterial);
  const singles = createSingles(look, space, places, surfaces);
  const throng = createThrong(objects.length, space, boxMaterial);
  const placeBox = (object: number): void => throng.place(object, factsOf(object), places.poseOf(object));
  const arrange = createArranger(places.spheres, (object) => surfaces.crowdOf(object)?.triangles ?? NOTHING);
  const group = new Group().add(throng.mesh, surfaces.group, singles.group);
  numbers.forEach(placeBox);

  const isShown = (object: number): boolean =>
    surfaces.crowdOf(object) !== undefined && (!isIsolated || pair.includes(object));
  const soil = (): void => {
    surfaces.soil();
    singles.place(pair);
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
      singles.place(pair);
    },
    setPose(object, pose) {
      places.setPose(object, pose);
      placeBox(object);
      if (pair.includes(object)) singles.place(pair);
      else surfaces.moved(object);
    },
    shown: () => numbers.filter(isShown),
    *targets() {
      for (const object of group.visible ? numbers : [])
        if (isShown(object))
          yield { object, pose: places.poseOf(object), box: factsOf(object), grid: surfaces.blocksOf(object) };
    },
    setPair(chosen) {
      pair = chosen;
      soil();
    },
    setMarked(marks) {
      marked = marks;
      repaint();
    },
    setSurfaceStyle: (surface) => restyle(group, [crowdMaterial, boxMaterial, ...singles.materials], surface),
    setIsolated(isAlone) {
      isIsolated = isAlone;
    },
    setPalette(colours) {
      palette = colours;
      singles.setPalette(colours);
      repaint();
    },
    arrange(camera, height, most) {
      const isAll = surfaces.triangles <= most;
      const { details, order } = arrange(camera, height, isAll ? null : most, isIsolated ? numbers : pair);
      surfaces.arrange((object) => details[object] as Detail);
      // Nearest first, so that hidden ones are not painted.
      const boxes = order.filter((object) => details[object] === BOX && surfaces.crowdOf(object));
      // A section shows insides.
      throng.show(boxes, look.isCut.value ? null : toCommon(space, camera.position));
      return isAll || details.every((detail) => detail === OUT || detail === FULL);
    },
    dispose() {
      for (const part of [surfaces, singles, throng, crowdMaterial]) part.dispose();
    },
  };
}

function restyle(group: Group, materials: readonly ShaderMaterial[], surface: ViewState['surface']): void {
  group.visible = surface !== 'hidden';
  if (surface !== 'hidden') for (const material of materials) setStyle(material, surface);
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
