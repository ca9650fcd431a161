/**
 * Handles on an object, of constant size on the screen, and the poses that result from a drag. An
 * arrow along each axis of the common frame moves the object, a ring about each axis turns it, and
 * a dot in the middle moves it in the screen's plane.
 */
import { Group, type PerspectiveCamera, Vector3 } from 'three';
import { cross, dot, minus } from '../../../math/linear.ts';
import type { Palette } from '../../palette.ts';
import { depthOf, isFlat } from './camera-controls.ts';
import { toDrawn } from './drawn.ts';
import type { Ray } from './pick.ts';
import { type Space, shifted, turned } from './space.ts';
import { createStrokes, type Strokes, segmentsOf } from './strokes.ts';
import type { Look } from './surface-material.ts';

type Mode = 'none' | 'move' | 'turn';

/** Pixels of an axis and of a ring's radius. */
const LENGTH = 84;
/** Maximum pixels to a handle, for mouse and finger. */
const REACH = 9;
const REACH_OF_FINGER = 22;
const PIECES = 72;
/** Cosine of the angle to the view above which an axis cannot be dragged. */
const END_ON = 0.97;
/** Cosine of a ring axis to the view below which the ring is dragged as a line. */
const EDGE_ON = 0.25;

export interface Gizmo {
  readonly group: Group;
  /** @param axis the one with a handle; null: all have */
  setMode(mode: Mode, axis?: number | null): void;
  place(pivot: Place | null, camera: PerspectiveCamera, height: number): void;
  /** Highlights the handle under the pointer. @returns true if there is one */
  hover(pixel: readonly [number, number] | null): boolean;
  grab(touch: Touch, ray: Ray, pose: ArrayLike<number>): Drag | null;
  setPalette(palette: Palette): void;
  dispose(): void;
}

interface Touch {
  pixel: readonly [number, number];
  isFinger: boolean;
}

interface Handle {
  mode: Mode;
  axis: number;
  path: Place[];
  strokes: Strokes[];
}

export function createGizmo(look: Look, space: Space): Gizmo {
  const group = new Group();
  const handles = [0, 1, 2].flatMap((axis) => [axisHandle(look, axis), ringHandle(look, axis)]);
  handles.push(middleHandle(look));
  for (const { strokes } of handles) group.add(...strokes.map((stroke) => stroke.group));
  let mode: Mode = 'none';
  let only: number | null = null;
  let pivot: Place | null = null;
  let camera: PerspectiveCamera | null = null;
  let palette: Palette | undefined;
  let over: Handle | null = null;

  const isUsable = (handle: Handle): boolean => {
    if (handle.mode !== mode || !camera || handle.axis !== (only ?? handle.axis)) return false;
    const along = Math.abs(viewOf(camera, group.position).getComponent(Math.min(handle.axis, 2)));
    return handle.axis === 3 || mode === 'turn' || along < END_ON;
  };

  const paintAll = (): void => {
    if (!palette) return;
    for (const handle of handles) {
      // A single handle appears beside those of all axes, and looks different.
      const isInk = (handle === over) !== (only !== null) || handle.axis === 3;
      const paint = isInk ? palette.pointer : palette.axes[handle.axis];
      for (const stroke of handle.strokes) stroke.setPaint(paint);
    }
  };

  const onScreen = ([x, y, z]: Place): [number, number] => {
    const { x: right, y: up } = new Vector3(x, y, z).multiplyScalar(group.scale.x).add(group.position).project(camera!);
    return [(0.5 + right / 2) * look.size.value.x, (0.5 - up / 2) * look.size.value.y];
  };

  const nearest = (pixel: readonly [number, number], reach: number): Handle | null =>
    group.visible ? nearestOf(handles.filter(isUsable), pixel, reach, onScreen) : null;

  return {
    group,
    setMode(wanted, axis = null) {
      mode = wanted;
      only = axis;
      paintAll();
      over = null;
    },
    place(about, by, height) {
      pivot = about;
      camera = by;
      group.visible = about !== null && mode !== 'none';
      if (!about) return;
      toDrawn(space, about, group.position);
      const pixel = (2 * depthOf(by, group.position)) / (height * by.projectionMatrix.elements[5]);
      group.scale.setScalar(LENGTH * pixel);
      for (const handle of handles) for (const stroke of handle.strokes) stroke.group.visible = isUsable(handle);
    },
    hover(pixel) {
      const found = pixel ? nearest(pixel, REACH) : null;
      if (found !== over) {
        over = found;
        paintAll();
      }
      return found !== null;
    },
    grab({ pixel, isFinger }, ray, pose) {
      const handle = nearest(pixel, isFinger ? REACH_OF_FINGER : REACH);
      if (!handle || !pivot || !camera) return null;
      const way = viewOf(camera, group.position);
      return dragOf(handle, { way, pivot, pose, ray, pixel, onScreen });
    },
    setPalette(colours) {
      palette = colours;
      paintAll();
    },
    dispose() {
      for (const { strokes } of handles) for (const stroke of strokes) stroke.dispose();
    },
  };
}

function nearestOf(
  handles: readonly Handle[],
  pixel: readonly [number, number],
  reach: number,
  onScreen: (place: Place) => [number, number],
): Handle | null {
  let least = reach;
  let found: Handle | null = null;
  for (const handle of handles) {
    const path = handle.path.map(onScreen);
    for (let i = 1; i < path.length; i++) {
      const away = awayFrom(pixel, path[i - 1], path[i]);
      if (away < least) [least, found] = [away, handle];
    }
  }
  return found;
}

interface Grasp {
  way: Vector3;
  pivot: Place;
  pose: ArrayLike<number>;
  ray: Ray;
  pixel: readonly [number, number];
  onScreen(place: Place): [number, number];
}

function dragOf({ mode, axis: number }: Handle, { way, pivot, pose, ray, pixel, onScreen }: Grasp): Drag {
  if (number === 3) return dragInPlane(pose, pivot, way.toArray(), ray);
  const axis = [0, 1, 2].map((k) => Number(k === number)) as [number, number, number];
  if (mode === 'move') return dragAlong(pose, pivot, axis, ray);
  if (Math.abs(way.getComponent(number)) > EDGE_ON) return dragAbout(pose, pivot, axis, ray);
  const sideways = new Vector3(...axis).cross(way).normalize();
  const [from, to] = [onScreen([0, 0, 0]), onScreen(sideways.toArray())];
  return dragEdge(pose, pivot, axis, pixel, [to[0] - from[0], to[1] - from[1]]);
}

const viewOf = (camera: PerspectiveCamera, place: Vector3): Vector3 =>
  isFlat(camera) ? camera.getWorldDirection(new Vector3()).negate() : camera.position.clone().sub(place).normalize();

const STYLE = { paint: [0, 0, 0], halo: 1, hidden: 1, isCut: false } as const;

function strokesOf(look: Look, path: readonly Place[], width: number, order: number): Strokes {
  const strokes = createStrokes(look, { ...STYLE, width, order });
  strokes.set(Float32Array.from(segmentsOf(path)));
  return strokes;
}

function axisHandle(look: Look, axis: number): Handle {
  const at = (far: number): Place => [0, 1, 2].map((k) => (k === axis ? far : 0)) as [number, number, number];
  const path = [at(0.2), at(1)];
  return {
    mode: 'move',
    axis,
    path,
    strokes: [strokesOf(look, path, 3, 40), strokesOf(look, [at(1), at(1)], 13, 42)],
  };
}

function ringHandle(look: Look, axis: number): Handle {
  const path = Array.from({ length: PIECES + 1 }, (_, i): Place => {
    const angle = (2 * Math.PI * i) / PIECES;
    const place = [0, 0, 0] as [number, number, number];
    place[(axis + 1) % 3] = Math.cos(angle);
    place[(axis + 2) % 3] = Math.sin(angle);
    return place;
  });
  return { mode: 'turn', axis, path, strokes: [strokesOf(look, path, 3, 40)] };
}

function middleHandle(look: Look): Handle {
  const path: Place[] = [
    [0, 0, 0],
    [0, 0, 0],
  ];
  return { mode: 'move', axis: 3, path, strokes: [strokesOf(look, path, 13, 44)] };
}

function awayFrom(place: readonly number[], from: readonly number[], to: readonly number[]): number {
  const [x, y] = [to[0] - from[0], to[1] - from[1]];
  const square = x * x + y * y;
  const along = square > 0 ? ((place[0] - from[0]) * x + (place[1] - from[1]) * y) / square : 0;
  const part = Math.min(1, Math.max(0, along));
  return Math.hypot(place[0] - from[0] - part * x, place[1] - from[1] - part * y);
}

export type Place = readonly [number, number, number];

/** Returns the pose for the pointer: its ray in the common frame, and its pixel. */
export type Drag = (ray: Ray, pixel: readonly [number, number]) => number[];

function meetsPlane({ from, way }: Ray, place: Place, normal: readonly number[]): Place | null {
  const far = dot(minus(place, from), normal) / dot(way, normal);
  if (!(far > 0 && far < Infinity)) return null;
  return [from[0] + far * way[0], from[1] + far * way[1], from[2] + far * way[2]];
}

export function dragInPlane(pose: ArrayLike<number>, place: Place, normal: readonly number[], begin: Ray): Drag {
  const start = meetsPlane(begin, place, normal) ?? place;
  let last = Array.from(pose);
  return (ray) => {
    const now = meetsPlane(ray, place, normal);
    if (now) last = shifted(pose, minus(now, start));
    return last;
  };
}

function dragAlong(pose: ArrayLike<number>, pivot: Place, axis: Place, begin: Ray): Drag {
  const along = ({ from, way }: Ray): number => {
    const cosine = dot(axis, way);
    const apart = minus(from, pivot);
    return (dot(apart, axis) - dot(apart, way) * cosine) / (1 - cosine * cosine);
  };
  const start = along(begin);
  return (ray) => {
    const far = along(ray) - start;
    return shifted(pose, [far * axis[0], far * axis[1], far * axis[2]]);
  };
}

function dragAbout(pose: ArrayLike<number>, pivot: Place, axis: Place, begin: Ray): Drag {
  const spoke = (ray: Ray): Place | null => {
    const place = meetsPlane(ray, pivot, axis);
    return place && minus(place, pivot);
  };
  const start = spoke(begin) ?? [0, 0, 0];
  let angle = 0;
  return (ray) => {
    const now = spoke(ray);
    if (now) angle = Math.atan2(dot(cross(start, now), axis), dot(start, now));
    return turnedBy(pose, pivot, axis, angle);
  };
}

/** For a ring seen edge-on: moving by one radius turns by one radian. */
function dragEdge(
  pose: ArrayLike<number>,
  pivot: Place,
  axis: Place,
  begin: readonly [number, number],
  radius: readonly [number, number],
): Drag {
  const square = radius[0] * radius[0] + radius[1] * radius[1];
  return (_, pixel) => {
    const went = (pixel[0] - begin[0]) * radius[0] + (pixel[1] - begin[1]) * radius[1];
    return turnedBy(pose, pivot, axis, went / (square || 1));
  };
}

function turnedBy(pose: ArrayLike<number>, pivot: Place, axis: Place, angle: number): number[] {
  const sine = Math.sin(angle / 2);
  return turned(pose, [axis[0] * sine, axis[1] * sine, axis[2] * sine, Math.cos(angle / 2)], pivot);
}
