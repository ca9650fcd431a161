/** Connects what the pointer grabs on the stage with the store. */
import { printable } from '../../../base/printable.ts';
import type { Loaded, Stage, Store } from '../parts.ts';
import { chosen } from './choice.ts';
import { dragInPlane } from './drags.ts';
import type { Drawing } from './drawing.ts';
import type { Pixel, Touched } from './hand.ts';
import { type Hit, pick, type Ray } from './pick.ts';
import { isLeft } from './section.ts';
import { moved } from './space.ts';

export type PointListener = Parameters<Stage['onPoint']>[0];

export function createTouched(
  { canvas, scenery, eye, pair, show }: Drawing,
  loaded: Loaded,
  store: Store,
  listeners: readonly PointListener[],
): Touched {
  const { objects } = loaded.document;
  let pointed: number | null = null;
  let wasOnHandle = false;
  let before: { pose: number[]; poses: Store['state']['poses'] } | null = null;

  const rayAt = ([x, y]: Pixel): Ray => eye.rayAt((2 * x) / canvas.size.width - 1, 1 - (2 * y) / canvas.size.height);
  const hitBy = (ray: Ray): Hit | null =>
    pick(ray, scenery.bodies.targets(), (far) => isLeft(store.state.section, along(ray, far)));

  const begin = (object: number): void => {
    before = { pose: Array.from(scenery.bodies.poseOf(object)), poses: store.state.poses };
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
      const pose = drag(rayAt(pixel), pixel);
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
