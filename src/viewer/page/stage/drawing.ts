/** Draws the scenery after changes, as well as time allows, with the chosen pair and the theme. */

import type { Box } from '../../camera.ts';
import { DARK, LIGHT, type Palette } from '../../palette.ts';
import { standingPose } from '../../standing.ts';
import { poseOf, type Section, type ViewState } from '../../view-state.ts';
import { make } from '../panels/elements.ts';
import type { Loaded, Store } from '../parts.ts';
import type { Bodies } from './bodies.ts';
import { createEye, type Eye } from './camera-controls.ts';
import { type Canvas, createCanvas, type Drawn } from './canvas.ts';
import { type Allowed, createPace } from './frame-budget.ts';
import { createScenery, type Scenery } from './scenery.ts';
import { axisOf } from './section.ts';
import { moved, spaceOf } from './space.ts';

export interface Drawing {
  readonly canvas: Canvas;
  readonly scenery: Scenery;
  readonly eye: Eye;
  readonly pair: Pair;
  show(object: number, pose: ArrayLike<number>): void;
  /** Something moves that the next frame must show soon. */
  stir(): void;
  render(): Drawn;
  picture(): HTMLCanvasElement;
  dispose(): void;
}

/** @throws if the browser has no WebGL */
export function createDrawing(
  parent: HTMLElement,
  loaded: Loaded,
  store: Store,
  onLost: (isLost: boolean) => void,
): Drawing {
  const { document, facts } = loaded;
  const boxes = document.objects.map(({ asset, pose }) => [facts[asset], pose] as const);
  const space = spaceOf(boxes, document.up);
  const canvas: Canvas = createCanvas(parent, {
    frame,
    onSize: (width, height) => eye.setSize(width, height),
    onLost,
    onDone: (ms) => pace.took(ms),
  });
  const { invalidate } = canvas;
  const scenery = createScenery(loaded, space);
  const eye = createEye(space, store, canvas.element, scenery.shown, invalidate);
  const pair = createPair(loaded, store);
  const theme = followTheme(() => paint());
  const pace = createPace(invalidate);
  const hasMoved = createSight(eye);

  function paint(palette = theme.palette(store.state.theme)): void {
    canvas.setBackground(palette.background);
    scenery.setPalette(palette);
    invalidate();
  }
  function draw(allowed: Allowed): Drawn {
    eye.reach(scenery.sphere());
    scenery.cutGhosts(eye.distance());
    const isAll = scenery.prepare(eye.camera, canvas.size, allowed.most);
    scenery.gizmo.place(pair.pivot(scenery.bodies), eye.camera, canvas.size.height);
    scenery.cutter.place(cutPivot(store.state.section, scenery.everything(), eye), eye.camera, canvas.size.height);
    const drawn = canvas.draw(scenery.scene, eye.camera, allowed);
    pace.drew(allowed, { triangles: drawn.triangles, isAll });
    // Picture takers wait for this attribute to vanish.
    parent.toggleAttribute('data-rough', pace.isRough());
    return drawn;
  }
  function frame(now: number): boolean {
    const isMoving = eye.step(now);
    eye.reach(scenery.sphere());
    if (hasMoved() || isMoving) pace.moved();
    draw(pace.allow());
    return isMoving;
  }
  function stir(): void {
    scenery.stir();
    pace.moved();
    invalidate();
  }
  function show(object: number, pose: ArrayLike<number>): void {
    scenery.bodies.setPose(object, pose);
    stir();
  }
  function follow(state: ViewState, before: ViewState): void {
    for (const object of movedBetween(loaded, state, before)) show(object, standingPose(document, state, object));
    if (state.a !== before.a || state.b !== before.b) scenery.setPair(pair.numbers());
    if (state.theme !== before.theme) paint();
    scenery.follow(state, before);
    eye.follow(state, before);
    invalidate();
  }

  parent.toggleAttribute('data-rough', true);
  if (store.state.frame !== null) placeAll(loaded, store.state, scenery);
  follow(store.state, { ...store.state, a: null, b: null, poses: {} });
  paint();
  const unfollow = store.follow(follow);

  return {
    ...{ canvas, scenery, eye, pair, show, stir },
    ...createStills({ canvas, eye }, draw, paint),
    dispose() {
      unfollow();
      for (const part of [theme, pace, eye, scenery, canvas]) part.dispose();
    },
  };
}

/** Pictures of the view once all movements have ended. */
function createStills(
  { canvas, eye }: Pick<Drawing, 'canvas' | 'eye'>,
  draw: (allowed: Allowed) => Drawn,
  paint: (palette?: Palette) => void,
): Pick<Drawing, 'render' | 'picture'> {
  return {
    render() {
      eye.land();
      return draw({ most: Infinity, isSmooth: true, sharpness: 1 });
    },
    picture() {
      eye.land();
      paint(LIGHT);
      draw({ most: Infinity, isSmooth: true, sharpness: devicePixelRatio > 1 ? 1 : 2 });
      // In the same task: the browser may clear what it has shown.
      const copy = copyOf(canvas.element);
      paint();
      return copy;
    },
  };
}

function copyOf(canvas: HTMLCanvasElement): HTMLCanvasElement {
  const { width, height } = canvas;
  const copy = make('canvas', { width, height });
  copy.getContext('2d')?.drawImage(canvas, 0, 0);
  return copy;
}

/** Part of the distance, a quarter of a pixel: a damped movement ends in many unseen steps. */
const LEAST_MOVE = 2e-4;

/** Returns true if the camera has visibly moved since the last call. */
function createSight({ camera, distance }: Eye): () => boolean {
  let seen: number[] = [];
  return () => {
    const sight = [...camera.position, ...camera.quaternion, camera.zoom];
    const isSeen = (x: number, i: number) => !(Math.abs(x - seen[i]) < LEAST_MOVE * (i < 3 ? distance() : 1));
    const hasMoved = sight.some(isSeen);
    seen = sight;
    return hasMoved;
  };
}

/** The place of the section's handle: in the plane, near the target of the camera. */
function cutPivot(section: Section | null, { low, high }: Box, eye: Eye): [number, number, number] | null {
  if (!section) return null;
  const place = eye.target();
  for (const k of [0, 1, 2]) place[k] = Math.min(high[k], Math.max(low[k], place[k]));
  place[axisOf(section)] = section.at;
  return place;
}

function placeAll({ document }: Loaded, state: ViewState, { bodies }: Scenery): void {
  for (const object of document.objects.keys()) bodies.setPose(object, standingPose(document, state, object));
}

function movedBetween({ numbers }: Loaded, state: ViewState, before: ViewState): number[] {
  if (state.poses === before.poses) return [];
  const names = new Set([...Object.keys(state.poses), ...Object.keys(before.poses)]);
  return [...names]
    .filter((name) => poseOf(state, name) !== poseOf(before, name))
    .flatMap((name) => numbers.get(name) ?? []);
}

/** The chosen pair, and which of the two has the handles. */
export interface Pair {
  numbers(): (number | null)[];
  handled(): number | null;
  handle(object: number): void;
  pivot(bodies: Bodies): [number, number, number] | null;
}

export function createPair({ document, facts, numbers }: Loaded, store: Store): Pair {
  let last: number | null = null;
  const numberOf = (name: string | null): number | null => (name === null ? null : (numbers.get(name) ?? null));
  const both = (): (number | null)[] => [numberOf(store.state.a), numberOf(store.state.b)];
  const handled = (): number | null => {
    const [a, b] = both();
    return last !== null && (last === a || last === b) ? last : (b ?? a);
  };
  return {
    numbers: both,
    handled,
    handle(object) {
      last = object;
    },
    pivot(bodies) {
      const object = handled();
      if (object === null) return null;
      // The middle of the box in its own frame stays fixed when the object turns.
      const { low, high } = facts[document.objects[object].asset];
      const middle = low.map((x, k) => x / 2 + high[k] / 2);
      return moved(bodies.poseOf(object), middle);
    },
  };
}

/**
 * Light or dark: by the view, otherwise by the system.
 *
 * @param onChange the system has changed its mind
 */
function followTheme(onChange: () => void) {
  const isDark = matchMedia('(prefers-color-scheme: dark)');
  isDark.addEventListener('change', onChange);
  return {
    palette: (theme: ViewState['theme']): Palette =>
      theme === 'dark' || (theme === 'auto' && isDark.matches) ? DARK : LIGHT,
    dispose: () => isDark.removeEventListener('change', onChange),
  };
}
