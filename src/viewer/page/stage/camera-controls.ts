/**
 * The camera: z is up, and it orbits around a target by mouse, touch and keys. The store has its
 * resting place; null there means that everything is in view from the initial side.
 */
import { MathUtils, PerspectiveCamera, type Sphere, Spherical, Vector3 } from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { type Box, FIELD_OF_VIEW, fitCamera, tangentOf } from '../../camera.ts';
import type { ViewState } from '../../view-state.ts';
import type { Store } from '../parts.ts';
import { toCommon, toDrawn } from './drawn.ts';
import type { Ray } from './pick.ts';
import type { Space } from './space.ts';

/** Radians per key. */
const TURN = Math.PI / 36;
const NEARER = 0.85;
/** Milliseconds of a flight between two views. */
const FLIGHT = 280;
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
  follow(state: ViewState, before: ViewState): void;
  dispose(): void;
}

interface View {
  eye: Vector3;
  target: Vector3;
}

export function createEye(
  space: Space,
  store: Store,
  element: HTMLElement,
  everything: () => Box,
  invalidate: () => void,
): Eye {
  const camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 100);
  camera.up.set(0, 0, 1);
  const stillness = matchMedia('(prefers-reduced-motion: reduce)');
  const controls = createControls(camera, element, !stillness.matches);
  /** Last value written to the store; ignored when it comes back. */
  let written = store.state.camera;
  const usual = (): View => drawnView(space, fitCamera(everything(), camera.aspect));
  const restore = ({ camera: place }: ViewState): View => (place ? drawnView(space, place) : usual());
  const see = ({ eye, target }: View): void => {
    camera.position.copy(eye);
    controls.target.copy(target);
    controls.update();
    invalidate();
  };
  const rest = createRest(() => {
    written = { eye: toCommon(space, camera.position), target: toCommon(space, controls.target) };
    store.set({ camera: written });
  });
  const flight = createFlight(see);
  const fly = (to: View): void => {
    if (stillness.matches) see(to);
    else flight.begin({ eye: camera.position.clone(), target: controls.target.clone() }, to);
    invalidate();
  };
  controls.addEventListener('change', invalidate);
  // Movement continues for a moment after the hand stops.
  controls.addEventListener('change', rest.prolong);
  controls.addEventListener('start', () => {
    flight.end();
    rest.stop();
  });
  controls.addEventListener('end', rest.wait);
  see(restore(store.state));

  return {
    ...{ camera, land: flight.land },
    setSize(width, height) {
      widen(camera, width / height);
      if (written === null && !flight.isOn()) see(usual());
    },
    fit(framing) {
      rest.stop();
      const direction = framing?.direction ?? camera.position.clone().sub(controls.target).toArray();
      written = framing && fitCamera(framing.box, camera.aspect, direction);
      store.set({ camera: written });
      fly(written ? drawnView(space, written) : usual());
    },
    step: (now) => (flight.isOn() ? flight.step(now) : controls.update()),
    reach: (all) => reach(camera, controls.target, all),
    press(event) {
      const view = viewByKey(event, camera, controls.target);
      if (!view) return false;
      flight.end();
      see(view);
      rest.wait();
      return true;
    },
    rayAt: (x, y) => ({
      from: toCommon(space, camera.position),
      way: new Vector3(x, y, 0.5).unproject(camera).sub(camera.position).normalize().toArray(),
    }),
    way: () => camera.getWorldDirection(new Vector3()).negate().toArray(),
    follow(state, before) {
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

const drawnView = (space: Space, { eye, target }: NonNullable<ViewState['camera']>): View => ({
  eye: toDrawn(space, eye),
  target: toDrawn(space, target),
});

function createControls(camera: PerspectiveCamera, element: HTMLElement, isDamped: boolean): OrbitControls {
  const controls = new OrbitControls(camera, element);
  controls.zoomToCursor = true;
  controls.minDistance = 1e-9;
  controls.maxDistance = 60;
  // No orbit over the poles, where up is undefined.
  controls.minPolarAngle = 1e-3;
  controls.maxPolarAngle = Math.PI - 1e-3;
  controls.enableDamping = isDamped;
  controls.dampingFactor = 0.18;
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

function createFlight(see: (view: View) => void) {
  let flight: { from: View; to: View; begin: number } | null = null;
  return {
    begin(from: View, to: View): void {
      flight = { from, to, begin: -1 };
    },
    isOn: (): boolean => flight !== null,
    step(now: number): boolean {
      if (!flight) return false;
      if (flight.begin < 0) flight.begin = now;
      const part = Math.min(1, (now - flight.begin) / FLIGHT);
      const eased = part * part * (3 - 2 * part);
      const { from, to } = flight;
      if (part === 1) flight = null;
      see({ eye: from.eye.clone().lerp(to.eye, eased), target: from.target.clone().lerp(to.target, eased) });
      return flight !== null;
    },
    end(): void {
      flight = null;
    },
    land(): void {
      if (flight) see(flight.to);
      flight = null;
    },
  };
}

function widen(camera: PerspectiveCamera, aspect: number): void {
  camera.aspect = aspect;
  camera.fov = MathUtils.radToDeg(2 * Math.atan(tangentOf(aspect)));
  camera.updateProjectionMatrix();
}

function reach(camera: PerspectiveCamera, target: Vector3, { center, radius }: Sphere): void {
  const far = camera.position.distanceTo(center);
  const toTarget = camera.position.distanceTo(target);
  // The ground continues before and behind the scene.
  camera.near = Math.max(0.2 * (far - radius), 0.01 * Math.min(toTarget, far + radius));
  camera.far = far + radius + 8;
  camera.updateProjectionMatrix();
  camera.updateMatrixWorld();
}

function viewByKey({ key, shiftKey }: KeyboardEvent, camera: PerspectiveCamera, target: Vector3): View | null {
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
  // Spherical is about y; the scene's z is up.
  const angles = new Spherical().setFromCartesianCoords(offset.x, offset.z, -offset.y);
  angles.theta += right * TURN;
  angles.phi = Math.min(Math.max(angles.phi - up * TURN, 1e-3), Math.PI - 1e-3);
  const { x, y, z } = new Vector3().setFromSpherical(angles);
  offset.set(x, -z, y);
  return from(target);
}
