/**
 * The drawing: the objects where they stand, what is known of the two in question, and the hand that
 * moves them. It follows the store by itself.
 */
import { standingPose } from '../../standing.ts';
import { poseOf, type ViewState } from '../../view-state.ts';
import type { Loaded, Stage, Store } from '../parts.ts';
import { createBlankStage } from './blank.ts';
import { type Canvas, createCanvas, type Drawn } from './canvas.ts';
import { createEye } from './eye.ts';
import { createTouched } from './grips.ts';
import { followPointer } from './hand.ts';
import { type Allowed, createPace, type Patience } from './pace.ts';
import { createScenery } from './scenery.ts';
import { moved, spaceOf } from './space.ts';
import { followTheme } from './theme.ts';

const KEYS = 'arrow keys turn the view, Shift and arrow keys shift it, + and - bring it nearer and farther';

export function createStage(loaded: Loaded, store: Store): Stage {
  const element = document.createElement('div');
  element.className = 'stage';
  element.style.position = 'relative';
  element.style.overflow = 'hidden';
  const lost = document.createElement('p');
  lost.className = 'stage-note';
  lost.setAttribute('role', 'status');
  lost.hidden = true;
  lost.style.position = 'absolute';
  lost.style.height = 'auto';
  lost.style.zIndex = '1';
  element.append(lost);
  try {
    return drawnStage(element, lost, loaded, store);
  } catch {
    lost.remove();
    return createBlankStage(element);
  }
}

/** @throws where the browser has no WebGL */
function drawnStage(element: HTMLElement, lost: HTMLElement, loaded: Loaded, store: Store): Stage {
  const space = spaceOf(loaded.document.objects.map(({ asset, pose }) => [loaded.facts[asset], pose]));
  const canvas: Canvas = createCanvas(element, {
    frame,
    onSize: (width, height) => eye.setSize(width, height),
    onLost: tellLost,
    onDone: (ms) => pace.took(ms),
  });
  const { invalidate } = canvas;
  const scenery = createScenery(loaded, space);
  const eye = createEye(space, store, canvas.element, scenery.everything, invalidate);
  const theme = followTheme(paint);
  const pace = createPace((next) => {
    patience = next;
    invalidate();
  });
  const listeners: Parameters<Stage['onPoint']>[0][] = [];
  /** Of the next frame. */
  let patience: Patience = 0;
  /** What was clicked or dragged last. */
  let handled: number | null = null;

  function tellLost(isLost: boolean): void {
    lost.hidden = !isLost;
    lost.textContent = isLost ? 'The graphics card has lost the drawing, which comes back by itself.' : '';
  }
  function paint(): void {
    const palette = theme.palette(store.state.theme);
    canvas.setBackground(palette.background);
    scenery.setPalette(palette);
    invalidate();
  }
  function draw(patience: Patience, allowed: Allowed): Drawn {
    eye.reach(scenery.sphere());
    const isAll = scenery.prepare(eye.camera, canvas.size, allowed.most);
    scenery.gizmo.place(pivot(), eye.camera, canvas.size.height);
    const drawn = canvas.draw(scenery.scene, eye.camera, allowed.isSmooth, allowed.sharpness);
    pace.drew(patience, drawn.triangles, allowed, isAll);
    return drawn;
  }
  function frame(now: number): boolean {
    const wanted = patience;
    patience = 0;
    const isMoving = eye.step(now);
    draw(wanted, pace.allow(wanted));
    return isMoving;
  }
  function show(object: number, pose: ArrayLike<number>): void {
    scenery.bodies.setPose(object, pose);
    change(scenery.stir);
  }
  function change(what: () => void): void {
    what();
    invalidate();
  }
  const pairOf = ({ a, b }: ViewState): (number | null)[] =>
    [a, b].map((name) => (name === null ? null : (loaded.numbers.get(name) ?? null)));
  /** The object that has the handles: one of the two. */
  const held = (): number | null => {
    const [a, b] = pairOf(store.state);
    return handled !== null && (handled === a || handled === b) ? handled : (b ?? a);
  };
  /** The middle of the box in its own frame, which stays where it is when the object turns. */
  const pivot = (): [number, number, number] | null => {
    const object = held();
    if (object === null) return null;
    const { low, high } = loaded.facts[loaded.document.objects[object].asset];
    return moved(
      scenery.bodies.poseOf(object),
      low.map((x, k) => x / 2 + high[k] / 2),
    );
  };
  /** The objects that a hand has moved, or put back, between two states. */
  const changedBy = (state: ViewState, before: ViewState): number[] => {
    if (state.poses === before.poses) return [];
    const names = new Set([...Object.keys(state.poses), ...Object.keys(before.poses)]);
    return [...names]
      .filter((name) => poseOf(state, name) !== poseOf(before, name))
      .flatMap((name) => loaded.numbers.get(name) ?? []);
  };
  const follow = (state: ViewState, before: ViewState): void => {
    for (const object of changedBy(state, before))
      scenery.bodies.setPose(object, standingPose(loaded.document, state, object));
    if (state.a !== before.a || state.b !== before.b) scenery.setPair(pairOf(state));
    if (state.theme !== before.theme) paint();
    eye.follow(state, before);
    scenery.follow(state);
    invalidate();
  };

  dress(canvas.element);
  if (store.state.frame !== null) {
    loaded.document.objects.forEach((_, object) => {
      scenery.bodies.setPose(object, standingPose(loaded.document, store.state, object));
    });
  }
  follow(store.state, { ...store.state, a: null, b: null, poses: {} });
  paint();
  const unfollow = store.follow(follow);
  const touched = createTouched(
    {
      loaded,
      store,
      scenery,
      eye,
      canvas: canvas.element,
      size: canvas.size,
      handled: held,
      handle: (object) => {
        handled = object;
      },
      show,
      invalidate,
    },
    listeners,
  );
  const letGo = followPointer(element, canvas.element, touched);
  const press = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey || !eye.press(event)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  canvas.element.addEventListener('keydown', press);

  return {
    element,
    setSurface(asset, shape) {
      scenery.bodies.setSurface(asset, shape);
      change(scenery.stir);
    },
    setPose: show,
    setBounds: (a, b) => change(() => scenery.marks.setBounds(a, b)),
    setVisits: (visits) => change(() => scenery.marks.setVisits(visits)),
    setLine: (line) => change(() => scenery.marks.setLine(line)),
    setContacts: (contacts) => change(() => scenery.marks.setContacts(contacts)),
    setMarked: (objects) => change(() => scenery.bodies.setMarked(objects)),
    setPointer: (place) => change(() => scenery.marks.setPointer(place)),
    onPoint: (listener) => listeners.push(listener),
    fit: (framing) => eye.fit(framing ?? null),
    setGizmo: (mode) => change(() => scenery.gizmo.setMode(mode)),
    render() {
      eye.land();
      return draw(2, { most: Infinity, isSmooth: true, sharpness: 1 });
    },
    dispose() {
      unfollow();
      letGo();
      theme.dispose();
      pace.dispose();
      eye.dispose();
      scenery.dispose();
      canvas.dispose();
      element.remove();
    },
  };
}

/** What a canvas needs to be operated by keys, and by those who do not see it. */
function dress(canvas: HTMLCanvasElement): void {
  canvas.style.position = 'absolute';
  canvas.style.display = 'block';
  canvas.tabIndex = 0;
  canvas.setAttribute('role', 'application');
  canvas.setAttribute('aria-label', `The objects in space: ${KEYS}`);
}
