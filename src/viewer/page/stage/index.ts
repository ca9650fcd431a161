/**
 * The stage: the objects at their places, the known facts about the chosen two, and moving them by
 * hand. It follows the store by itself. A browser without WebGL gets a blank stage.
 */
import { make } from '../panels/elements.ts';
import type { Loaded, Stage, Store } from '../parts.ts';
import type { Eye } from './camera-controls.ts';
import { createTouched, followPointer, type PointListener } from './drag.ts';
import { createDrawing, type Drawing } from './drawing.ts';
import { createViewCube } from './view-cube.ts';

const KEYS = 'arrow keys turn the view, Shift and arrow keys shift it, + and - bring it nearer and farther';

export function createStage(loaded: Loaded, store: Store): Stage {
  const lost = make('p', { class: 'stage-note', role: 'status', hidden: true });
  Object.assign(lost.style, { position: 'absolute', height: 'auto', zIndex: '1' });
  const element = make('div', { class: 'stage' }, lost);
  Object.assign(element.style, { position: 'relative', overflow: 'hidden' });
  try {
    const drawing = createDrawing(element, loaded, store, (isLost) => {
      lost.hidden = !isLost;
      lost.textContent = isLost ? 'The graphics card lost the drawing. It comes back by itself.' : '';
    });
    return stageOf(element, drawing, loaded, store);
  } catch {
    lost.remove();
    return createBlankStage(element);
  }
}

function stageOf(element: HTMLElement, drawing: Drawing, loaded: Loaded, store: Store): Stage {
  const { canvas, scenery, eye } = drawing;
  const { bodies, marks, gizmo } = scenery;
  const listeners: PointListener[] = [];
  const letGo = followPointer(element, canvas.element, createTouched(drawing, loaded, store, listeners));
  dress(canvas.element);
  followKeys(canvas.element, eye);
  const change = (what: () => void): void => {
    what();
    canvas.invalidate();
  };
  return {
    element,
    cube: createViewCube(eye, loaded.document.up),
    setSurface(asset, shape) {
      bodies.setSurface(asset, shape);
      drawing.stir();
    },
    setPose: drawing.show,
    setBounds: (a, b) => change(() => marks.setBounds(a, b)),
    setVisits: (visits) => change(() => marks.setVisits(visits)),
    setLine: (line) => change(() => marks.setLine(line)),
    setContacts: (contacts) => change(() => marks.setContacts(contacts)),
    setMarked: (objects) => change(() => bodies.setMarked(objects)),
    setPointer(place) {
      marks.setPointer(place);
      drawing.stir();
    },
    onPoint: (listener) => listeners.push(listener),
    // Everything is shown from the initial side.
    fit: (framing) => eye.fit(framing ?? (scenery.shown() === scenery.everything() ? null : { box: scenery.shown() })),
    setGizmo: (mode) => change(() => gizmo.setMode(mode)),
    render: drawing.render,
    picture: drawing.picture,
    dispose() {
      letGo();
      drawing.dispose();
      element.remove();
    },
  };
}

function dress(canvas: HTMLCanvasElement): void {
  canvas.style.position = 'absolute';
  canvas.style.display = 'block';
  canvas.tabIndex = 0;
  canvas.setAttribute('role', 'application');
  canvas.setAttribute('aria-label', `The objects in space: ${KEYS}`);
}

function followKeys(canvas: HTMLCanvasElement, eye: Eye): void {
  canvas.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || !eye.press(event)) return;
    event.preventDefault();
    event.stopPropagation();
  });
}

const nothing = (): void => {};

/** The stage of a browser without 3D drawing: it shows a message, and everything else works. */
export function createBlankStage(element: HTMLElement): Stage {
  const note =
    'This browser has no WebGL 2, so it cannot draw the objects. Verdicts, distances, findings, poses and commands work as always.';
  element.append(make('div', { class: 'blank', role: 'status' }, make('h2', {}, 'No picture'), make('p', {}, note)));
  return {
    element,
    cube: make('div'),
    setSurface: nothing,
    setPose: nothing,
    setBounds: nothing,
    setVisits: nothing,
    setLine: nothing,
    setContacts: nothing,
    setMarked: nothing,
    setPointer: nothing,
    onPoint: nothing,
    fit: nothing,
    setGizmo: nothing,
    render: () => ({ calls: 0, triangles: 0 }),
    picture: () => null,
    dispose: () => element.remove(),
  };
}
