/**
 * Handles the pointer beyond the camera's own moves. It points, chooses by a click, drags handles,
 * and with Shift moves an object in the screen's plane. The camera does not see events that are
 * handled here. The store gets the results.
 */

import { printable } from '../../../base/printable.ts';
import { identity } from '../../../math/pose.ts';
import type { Section } from '../../view-state.ts';
import { snapped } from '../panels/pose-text.ts';
import type { Loaded, Stage, Store } from '../parts.ts';
import { createTurn } from './canvas.ts';
import type { Drawing } from './drawing.ts';
import { type Drag, dragInPlane } from './gizmo.ts';
import { chosen, type Hit, pick, type Ray } from './pick.ts';
import { axisOf, isLeft, placeIn } from './section.ts';
import { moved } from './space.ts';

export type Pixel = readonly [number, number];

interface Grip {
  move(pixel: Pixel): void;
  /** Puts back what was dragged. */
  undo(): void;
}

interface Touched {
  point(pixel: Pixel | null): void;
  click(pixel: Pixel, keys: { isAlt: boolean }): void;
  grab(pixel: Pixel, by: { isFinger: boolean; isShift: boolean }): Grip | null;
  /** Puts back what was dragged unless it is done. */
  drop(grip: Grip, end: { isDone: boolean }): void;
}

/** Maximum movement of a click in pixels. */
const STILL = 5;

export function followPointer(element: HTMLElement, canvas: HTMLCanvasElement, touched: Touched): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  let held: { grip: Grip; pointer: number } | null = null;
  let pressed: { pixel: Pixel; pointer: number } | null = null;
  /** Pixels come more often than frames are drawn, so each frame handles the last one. */
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
      if (event.pointerId === held.pointer) held.grip.move(pixelOf(event, canvas));
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

  const rayAt = ([x, y]: Pixel): Ray => eye.rayAt((2 * x) / canvas.size.width - 1, 1 - (2 * y) / canvas.size.height);
  const hitBy = (ray: Ray): Hit | null =>
    pick(ray, scenery.bodies.targets(), (far) => isLeft(store.state.section, along(ray, far)));

  const gripOf = (object: number, drag: Drag): Grip => {
    const { poses } = store.state;
    const pose = Array.from(scenery.bodies.poseOf(object));
    const { low, high } = scenery.everything();
    const size = Math.max(...low.map((x, k) => high[k] - x));
    return {
      move(pixel) {
        const now = snapped(drag(rayAt(pixel), pixel), pose, size);
        show(object, now);
        store.set({ poses: { ...store.state.poses, [objects[object].name]: now } });
      },
      undo() {
        show(object, pose);
        store.set({ poses });
      },
    };
  };
  const gripOfSection = (section: Section, drag: Drag): Grip => ({
    move(pixel) {
      const k = axisOf(section);
      const at = placeIn(scenery.everything(), k, section.at + drag(rayAt(pixel), pixel)[4 * k + 3]);
      store.set({ section: { ...section, at } });
    },
    undo: () => store.set({ section }),
  });
  const gripAt: Touched['grab'] = (pixel, { isFinger, isShift }) => {
    const ray = rayAt(pixel);
    const { section } = store.state;
    const cutting = section && scenery.cutter.grab({ pixel, isFinger }, ray, identity());
    if (cutting) return gripOfSection(section, cutting);
    const handled = pair.handled();
    const drag = handled === null ? null : scenery.gizmo.grab({ pixel, isFinger }, ray, scenery.bodies.poseOf(handled));
    if (handled !== null && drag) return gripOf(handled, drag);
    const hit = isShift ? hitBy(ray) : null;
    if (!hit) return null;
    store.set(chosen(store.state, objects[hit.object].name, { isAlt: false }));
    pair.handle(hit.object);
    const pose = scenery.bodies.poseOf(hit.object);
    return gripOf(hit.object, dragInPlane(pose, moved(pose, hit.place), eye.way(), ray));
  };

  return {
    point: createPointing({ canvas, scenery }, (pixel) => hitBy(rayAt(pixel)), objects, listeners),
    grab(...by) {
      const grip = gripAt(...by);
      store.isHeld = grip !== null;
      return grip;
    },
    click(pixel, keys) {
      const hit = hitBy(rayAt(pixel));
      if (!hit) return;
      pair.handle(hit.object);
      store.set(chosen(store.state, objects[hit.object].name, keys));
    },
    drop(grip, { isDone }) {
      store.isHeld = false;
      if (!isDone) grip.undo();
    },
  };
}

/** Shows and reports the place under the pointer. */
function createPointing(
  { canvas, scenery: { gizmo, cutter } }: Pick<Drawing, 'canvas' | 'scenery'>,
  hitAt: (pixel: Pixel) => Hit | null,
  objects: Loaded['document']['objects'],
  listeners: readonly PointListener[],
): Touched['point'] {
  let pointed: number | null = null;
  let wasOnHandle = false;
  return (pixel) => {
    const isOnHandle = [gizmo.hover(pixel), cutter.hover(pixel)].includes(true);
    const hit = pixel && !isOnHandle ? hitAt(pixel) : null;
    const object = hit?.object ?? null;
    canvas.element.style.cursor = isOnHandle ? 'grab' : hit ? 'pointer' : '';
    if (object !== pointed) canvas.element.title = object === null ? '' : printable(objects[object].name);
    if (hit || pointed !== null)
      for (const listener of listeners) listener(hit && { object: hit.object, place: hit.place });
    pointed = object;
    if (isOnHandle || wasOnHandle) canvas.invalidate();
    wasOnHandle = isOnHandle;
  };
}

const along = ({ from, way }: Ray, far: number): number[] => from.map((x, k) => x + far * way[k]);
