/**
 * The camera: it orbits around a target by mouse, touch and keys, with the document's axis up. The
 * store has its resting place; null there means that everything is in view from the initial side.
 *
 * The controls turn a perspective camera. The drawn camera has its place. If the drawn camera is
 * orthographic, it shows the plane of the target at the same size, and still has the type of a
 * perspective camera.
 */
import { MathUtils, PerspectiveCamera, Quaternion, type Sphere, Spherical, Vector3 } from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { type Box, FIELD_OF_VIEW, fitCamera, laid, stood, tangentOf, type Up } from '../../camera.ts';
import type { ViewState } from '../../view-state.ts';
import type { Store } from '../parts.ts';
import { toCommon, toDrawn } from './drawn.ts';
import { createFlight, type View } from './flight.ts';
import type { Ray } from './pick.ts';
import type { Space } from './space.ts';

/** Radians per key. */
const TURN = Math.PI / 36;
const NEARER = 0.85;
/** Milliseconds of rest before the camera is stored. */
const REST = 150;

export interface Eye {
  readonly camera: PerspectiveCamera;
  setSize(width: number, height: number): void;
  fit(framing: { box: Box; direction?: readonly number[] } | null): void;
  /** Advances the movement; returns true if it continues. */
  step(now: number): boolean;
  land(): void;
  reach(all: Sphere): void;
  press(event: KeyboardEvent): boolean;
  /** The ray in the common frame through a view place, -1 to 1 rightwards and upwards. */
  rayAt(x: number, y: number): Ray;
  /** Unit vector from the target to the eye. */
  way(): [number, number, number];
  target(): [number, number, number];
  /** Looks at the same target from another side; at everything, if that was in view. */
  look(direction: readonly number[]): void;
  /** Called before a drawing from another direction. */
  onTurn(listener: (camera: PerspectiveCamera) => void): void;
  /** Distance from the eye to the target, in the drawn frame. */
  distance(): number;
  follow(state: ViewState, before: ViewState): void;
  dispose(): void;
}

export function createEye(
  space: Space,
  store: Store,
  element: HTMLElement,
  everything: () => Box,
  invalidate: () => void,
): Eye {
  const { up } = space;
  const moves = createMoves(element, up, invalidate);
  const { camera, controls, see, fly, flight } = moves;
  const drawn = createDrawn({ camera, controls }, store, space);
  /** Last value written to the store; ignored when it comes back. */
  let written = store.state.camera;
  const fitted = (box: Box, direction?: readonly number[]): NonNullable<ViewState['camera']> => {
    const { isOrthographic } = store.state;
    return fitCamera(box, camera.aspect, { up, isOrthographic, ...(direction && { direction }) });
  };
  const usual = (): View => drawnView(space, fitted(everything()));
  const target = (): [number, number, number] => toCommon(space, controls.target);
  const distance = (): number => camera.position.distanceTo(controls.target);
  const restore = ({ camera: place }: ViewState): View => (place ? drawnView(space, place) : usual());
  const rest = createRest(() => {
    written = { eye: toCommon(space, camera.position), target: target() };
    store.set({ camera: written });
  });
  // Movement continues for a moment after the hand stops.
  controls.addEventListener('change', rest.prolong);
  controls.addEventListener('start', rest.stop);
  controls.addEventListener('end', rest.wait);
  see(restore(store.state));

  return {
    ...drawn,
    ...{ land: flight.land, step: moves.step },
    setSize(width, height) {
      widen(camera, width / height);
      if (written === null && !flight.isOn()) see(usual());
    },
    fit(framing) {
      rest.stop();
      const direction = framing?.direction ?? camera.position.clone().sub(controls.target).toArray();
      written = framing && fitted(framing.box, direction);
      store.set({ camera: written });
      fly(written ? drawnView(space, written) : usual());
    },
    press(event) {
      const view = viewByKey(event, camera, controls.target, up);
      if (!view) return false;
      flight.end();
      see(view);
      rest.wait();
      return true;
    },
    look(direction) {
      rest.stop();
      const eye = new Vector3(...direction).setLength(distance()).add(controls.target);
      const isAll = store.state.camera === null;
      written = isAll ? fitted(everything(), direction) : { eye: toCommon(space, eye), target: target() };
      store.set({ camera: written });
      fly(drawnView(space, written));
    },
    ...{ target, distance },
    way: () => camera.getWorldDirection(new Vector3()).negate().toArray(),
    follow(state, before) {
      const isOther =
        state.isOrthographic !== before.isOrthographic ||
        // The fit of a finding follows by itself.
        (state.isIsolated !== before.isIsolated && state.finding === before.finding);
      if (isOther && written === null && state.camera === null) fly(usual());
      if (state.camera === before.camera || state.camera === written) return;
      written = state.camera;
      rest.stop();
      fly(restore(state));
    },
    dispose() {
      rest.stop();
      controls.dispose();
    },
  };
}

/** The camera of the controls: by hand, at once, or in flights. */
function createMoves(element: HTMLElement, up: Up, invalidate: () => void) {
  const camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 100);
  camera.up.set(...laid([0, 0, 1], up));
  const stillness = matchMedia('(prefers-reduced-motion: reduce)');
  const controls = createControls(camera, element, !stillness.matches);
  let steppedAt = 0;
  const see = ({ eye, target }: View): void => {
    camera.position.copy(eye);
    controls.target.copy(target);
    controls.update();
    invalidate();
  };
  const flight = createFlight(see, up);
  controls.addEventListener('change', invalidate);
  controls.addEventListener('start', flight.end);
  return {
    ...{ camera, controls, see, flight },
    fly(to: View): void {
      if (stillness.matches) see(to);
      else flight.begin({ eye: camera.position.clone(), target: controls.target.clone() }, to);
      invalidate();
    },
    step(now: number): boolean {
      // Slow frames come to rest as soon as quick ones.
      controls.dampingFactor = 1 - (1 - DAMPING) ** ((now - steppedAt) / FRAME);
      steppedAt = now;
      return flight.isOn() ? flight.step(now) : controls.update();
    },
  };
}

/** The drawn camera, which has the place of another one. */
function createDrawn(
  { camera, controls }: Pick<ReturnType<typeof createMoves>, 'camera' | 'controls'>,
  store: Store,
  space: Space,
): Pick<Eye, 'camera' | 'reach' | 'rayAt' | 'onTurn'> {
  const drawn = new PerspectiveCamera();
  let turned: (camera: PerspectiveCamera) => void = () => {};
  const shown = new Quaternion(0, 0, 0, 0);
  return {
    camera: drawn,
    reach(all) {
      drawn.copy(camera);
      reach(drawn, controls.target, all, store.state.isOrthographic);
      if (shown.equals(drawn.quaternion)) return;
      shown.copy(drawn.quaternion);
      turned(drawn);
    },
    rayAt(x, y) {
      // The near plane is before the scene, or parallel rays would begin within it.
      const from = new Vector3(x, y, -1).unproject(drawn);
      const way = new Vector3(x, y, 1).unproject(drawn).sub(from).normalize().toArray();
      return { from: toCommon(space, isFlat(drawn) ? from : drawn.position), way };
    },
    onTurn(listener) {
      turned = listener;
      shown.set(0, 0, 0, 0);
    },
  };
}

const drawnView = (space: Space, { eye, target }: NonNullable<ViewState['camera']>): View => ({
  eye: toDrawn(space, eye),
  target: toDrawn(space, target),
});

/** Share of a movement that ends in each frame of so many milliseconds. */
const DAMPING = 0.18;
const FRAME = 16;

function createControls(camera: PerspectiveCamera, element: HTMLElement, isDamped: boolean): OrbitControls {
  const controls = new OrbitControls(camera, element);
  controls.zoomToCursor = true;
  controls.minDistance = 1e-9;
  controls.maxDistance = 60;
  // No orbit over the poles, where up is undefined.
  controls.minPolarAngle = 1e-3;
  controls.maxPolarAngle = Math.PI - 1e-3;
  controls.enableDamping = isDamped;
  return controls;
}

function createRest(tell: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  const wait = (): void => {
    stop();
    timer = setTimeout(() => {
      timer = undefined;
      tell();
    }, REST);
  };
  const prolong = (): void => {
    if (timer !== undefined) wait();
  };
  return { stop, wait, prolong };
}

function widen(camera: PerspectiveCamera, aspect: number): void {
  camera.aspect = aspect;
  camera.fov = MathUtils.radToDeg(2 * Math.atan(tangentOf(aspect)));
  camera.updateProjectionMatrix();
}

/** True for the projection that `reach` has made parallel. */
export const isFlat = ({ projectionMatrix }: PerspectiveCamera): boolean => projectionMatrix.elements[15] === 1;

/** Distance of a place at which sizes on the screen are taken: 1 if all have the same. */
export const depthOf = (camera: PerspectiveCamera, place: Vector3): number =>
  isFlat(camera) ? 1 : place.distanceTo(camera.position);

function reach(
  camera: PerspectiveCamera & { isOrthographicCamera?: boolean },
  target: Vector3,
  { center, radius }: Sphere,
  isOrthographic: boolean,
): void {
  const far = camera.position.distanceTo(center);
  const toTarget = camera.position.distanceTo(target);
  // The ground continues before and behind the scene.
  camera.near = Math.max(0.2 * (far - radius), 0.01 * Math.min(toTarget, far + radius));
  camera.far = far + radius + 8;
  camera.updateProjectionMatrix();
  // The shaders need this.
  camera.isOrthographicCamera = isOrthographic;
  if (isOrthographic) {
    const { elements } = camera.projectionMatrix;
    // The ground extends 8 behind the eye, too: with parallel rays there is no eye behind which it
    // could be.
    const depth = 2 * camera.far;
    elements[0] /= toTarget;
    elements[5] /= toTarget;
    elements[10] = -2 / depth;
    elements[14] = 0;
    elements[11] = 0;
    elements[15] = 1;
    camera.projectionMatrixInverse.copy(camera.projectionMatrix).invert();
  }
  camera.updateMatrixWorld();
}

function viewByKey(
  { key, shiftKey }: KeyboardEvent,
  camera: PerspectiveCamera,
  target: Vector3,
  above: Up,
): View | null {
  const offset = camera.position.clone().sub(target);
  const from = (place: Vector3): View => ({ eye: place.clone().add(offset), target: place.clone() });
  if (key === '+' || key === '=') {
    offset.multiplyScalar(NEARER);
    return from(target);
  }
  if (key === '-' || key === '_') {
    offset.multiplyScalar(1 / NEARER);
    return from(target);
  }
  const [right, up] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[key] ?? [];
  if (right === undefined || up === undefined) return null;
  if (shiftKey) {
    const step = 0.05 * offset.length();
    const along = (axis: number): Vector3 => new Vector3().setFromMatrixColumn(camera.matrix, axis);
    return from(
      target
        .clone()
        .addScaledVector(along(0), right * step)
        .addScaledVector(along(1), up * step),
    );
  }
  // Spherical is about y.
  const [x, y, z] = stood(offset.toArray(), above);
  const angles = new Spherical().setFromCartesianCoords(x, z, -y);
  angles.theta += right * TURN;
  angles.phi = Math.min(Math.max(angles.phi - up * TURN, 1e-3), Math.PI - 1e-3);
  const turned = new Vector3().setFromSpherical(angles);
  offset.set(...laid([turned.x, -turned.z, turned.y], above));
  return from(target);
}
