/**
 * Handles the pointer beyond the camera's own moves: it points, chooses by a click, drags handles,
 * and with Shift an object in the screen's plane. The camera does not hear of anything that it
 * takes. The store gets the results.
 */

import { printable } from '../../../base/printable.ts';
import { snapped } from '../panels/pose-text.ts';
import type { Loaded, Stage, Store } from '../parts.ts';
import { createTurn } from './canvas.ts';
import type { Drawing } from './drawing.ts';
import { type Drag, dragInPlane } from './gizmo.ts';
import { chosen, type Hit, pick, type Ray } from './pick.ts';
import { isLeft } from './section.ts';
import { moved } from './space.ts';

export type Pixel = readonly [number, number];

interface Grip {
  object: number;
  drag: Drag;
}

interface Touched {
  point(pixel: Pixel | null): void;
  click(pixel: Pixel, keys: { isAlt: boolean }): void;
  grab(pixel: Pixel, by: { isFinger: boolean; isShift: boolean }): Grip | null;
  move(grip: Grip, pixel: Pixel): void;
  /** Undoes the drag unless it is done. */
  drop(grip: Grip, end: { isDone: boolean }): void;
}

/** Maximum movement of a click in pixels. */
const STILL = 5;

export function followPointer(element: HTMLElement, canvas: HTMLCanvasElement, touched: Touched): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  let held: { grip: Grip; pointer: number } | null = null;
  let pressed: { pixel: Pixel; pointer: number } | null = null;
  /** Of pixels, which come more often than frames are drawn, each frame tells the last. */
  let last: Pixel | null = null;
  const turn = createTurn(() => touched.point(last));
  const point = (pixel: Pixel | null): void => {
    last = pixel;
    turn.ask();
  };

  const drop = (isDone: boolean): void => {
    if (!held) return;
    const { grip, pointer } = held;
    held = null;
    if (canvas.hasPointerCapture(pointer)) canvas.releasePointerCapture(pointer);
    touched.drop(grip, { isDone });
  };
  const down = (event: PointerEvent): void => {
    if (event.target !== canvas) return;
    if (held) {
      // A second finger would zoom meanwhile.
      event.stopPropagation();
      return;
    }
    canvas.focus({ preventScroll: true });
    const pixel = pixelOf(event, canvas);
    pressed = event.button === 0 && event.isPrimary ? { pixel, pointer: event.pointerId } : null;
    if (!pressed) return;
    const grip = touched.grab(pixel, { isFinger: event.pointerType === 'touch', isShift: event.shiftKey });
    if (!grip) return;
    event.stopPropagation();
    event.preventDefault();
    canvas.setPointerCapture(event.pointerId);
    pressed = null;
    held = { grip, pointer: event.pointerId };
  };
  const move = (event: PointerEvent): void => {
    if (held) {
      event.stopPropagation();
      if (event.pointerId === held.pointer) touched.move(held.grip, pixelOf(event, canvas));
    } else if (event.buttons === 0 && event.target === canvas) point(pixelOf(event, canvas));
  };
  const up = (event: PointerEvent): void => {
    if (held?.pointer === event.pointerId) {
      event.stopPropagation();
      drop(true);
      return;
    }
    const begin = pressed;
    pressed = null;
    if (!begin || begin.pointer !== event.pointerId) return;
    const pixel = pixelOf(event, canvas);
    if (Math.hypot(pixel[0] - begin.pixel[0], pixel[1] - begin.pixel[1]) > STILL) return;
    touched.click(pixel, { isAlt: event.altKey });
    point(pixel);
  };
  const cancel = (): void => {
    pressed = null;
    drop(false);
  };
  const key = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !held) return;
    event.stopPropagation();
    drop(false);
  };
  // Capture phase of the canvas's parent: before the camera's controls.
  const early = { signal, capture: true };
  element.addEventListener('pointerdown', down, early);
  element.addEventListener('pointermove', move, early);
  element.addEventListener('pointerup', up, early);
  element.addEventListener('pointercancel', cancel, early);
  element.addEventListener('keydown', key, early);
  canvas.addEventListener('pointerleave', () => point(null), { signal });
  return () => {
    ending.abort();
    turn.stop();
  };
}

function pixelOf({ clientX, clientY }: PointerEvent, canvas: HTMLCanvasElement): Pixel {
  const { left, top } = canvas.getBoundingClientRect();
  return [clientX - left, clientY - top];
}

export type PointListener = Parameters<Stage['onPoint']>[0];

/** Connects what the pointer grabs on the stage with the store. */
export function createTouched(
  { canvas, scenery, eye, pair, show }: Drawing,
  loaded: Loaded,
  store: Store,
  listeners: readonly PointListener[],
): Touched {
  const { objects } = loaded.document;
  let pointed: number | null = null;
  let wasOnHandle = false;
  let before: { pose: number[]; poses: Store['state']['poses']; size: number } | null = null;

  const rayAt = ([x, y]: Pixel): Ray => eye.rayAt((2 * x) / canvas.size.width - 1, 1 - (2 * y) / canvas.size.height);
  const hitBy = (ray: Ray): Hit | null =>
    pick(ray, scenery.bodies.targets(), (far) => isLeft(store.state.section, along(ray, far)));

  const begin = (object: number): void => {
    const { low, high } = scenery.everything();
    const size = Math.max(...low.map((x, k) => high[k] - x));
    before = { pose: Array.from(scenery.bodies.poseOf(object)), poses: store.state.poses, size };
  };

  const point = (pixel: Pixel | null): void => {
    const isOnHandle = scenery.gizmo.hover(pixel);
    const hit = pixel && !isOnHandle ? hitBy(rayAt(pixel)) : null;
    const object = hit?.object ?? null;
    canvas.element.style.cursor = isOnHandle ? 'grab' : hit ? 'pointer' : '';
    if (object !== pointed) canvas.element.title = object === null ? '' : printable(objects[object].name);
    if (hit || pointed !== null)
      for (const listener of listeners) listener(hit && { object: hit.object, place: hit.place });
    pointed = object;
    if (isOnHandle || wasOnHandle) canvas.invalidate();
    wasOnHandle = isOnHandle;
  };

  const grab: Touched['grab'] = (pixel, { isFinger, isShift }) => {
    const ray = rayAt(pixel);
    const handled = pair.handled();
    const drag = handled === null ? null : scenery.gizmo.grab({ pixel, isFinger }, ray, scenery.bodies.poseOf(handled));
    if (handled !== null && drag) {
      begin(handled);
      return { object: handled, drag };
    }
    const hit = isShift ? hitBy(ray) : null;
    if (!hit) return null;
    const { name } = objects[hit.object];
    store.set(chosen(store.state, name, { isAlt: false }));
    pair.handle(hit.object);
    begin(hit.object);
    const pose = scenery.bodies.poseOf(hit.object);
    return { object: hit.object, drag: dragInPlane(pose, moved(pose, hit.place), eye.way(), ray) };
  };

  return {
    point,
    grab,
    click(pixel, keys) {
      const hit = hitBy(rayAt(pixel));
      if (!hit) return;
      pair.handle(hit.object);
      store.set(chosen(store.state, objects[hit.object].name, keys));
    },
    move({ object, drag }, pixel) {
      if (!before) return;
      const pose = snapped(drag(rayAt(pixel), pixel), before.pose, before.size);
      show(object, pose);
      store.set({ poses: { ...store.state.poses, [objects[object].name]: pose } });
    },
    drop({ object }, { isDone }) {
      if (isDone || !before) return;
      show(object, before.pose);
      store.set({ poses: before.poses });
    },
  };
}

const along = ({ from, way }: Ray, far: number): number[] => from.map((x, k) => x + far * way[k]);
