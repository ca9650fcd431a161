/**
 * The camera: z is up, it orbits round a target by mouse, touch and keys. Where it comes to rest
 * stands in the store; null there means that everything is in view, from the usual side.
 */
import { MathUtils, PerspectiveCamera, type Sphere, Spherical, Vector3 } from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { type Box, FIELD_OF_VIEW, fitCamera, tangentOf } from '../../camera.ts';
import type { ViewState } from '../../view-state.ts';
import type { Store } from '../parts.ts';
import { toCommon, toDrawn } from './drawn.ts';
import type { Ray } from './pick.ts';
import type { Space } from './space.ts';

/** A key turns by this, radians. */
const TURN = Math.PI / 36;
/** How much nearer a key brings what is seen. */
const NEARER = 0.85;
/** Of a flight from one view to the next, milliseconds. */
const FLIGHT = 280;
/** For so long the camera must rest before the store hears of it, milliseconds. */
const REST = 150;

export interface Eye {
  readonly camera: PerspectiveCamera;
  setSize(width: number, height: number): void;
  /** Without a box: everything, from the usual side. */
  fit(framing: { box: Box; direction?: readonly number[] } | null): void;
  /** Takes the next step of what moves. @returns whether it moves on */
  step(now: number): boolean;
  /** Ends a flight where it leads. */
  land(): void;
  /** Sets what is near and far enough to be drawn, by the sphere round everything. */
  reach(all: Sphere): void;
  /** Whether it understood the key. */
  press(event: KeyboardEvent): boolean;
  /** The ray of the common frame through a place of the view, -1 to 1 rightwards and upwards. */
  rayAt(x: number, y: number): Ray;
  /** From what is seen to the eye, of length 1. */
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
  const controls = new OrbitControls(camera, element);
  const stillness = matchMedia('(prefers-reduced-motion: reduce)');
  controls.zoomToCursor = true;
  controls.minDistance = 1e-9;
  controls.maxDistance = 60;
  // Nobody orbits over the poles, where up is nowhere.
  controls.minPolarAngle = 1e-3;
  controls.maxPolarAngle = Math.PI - 1e-3;
  /** What this wrote to the store last: no news when it comes back. */
  let written: ViewState['camera'] = null;
  let flight: { from: View; to: View; begin: number } | null = null;
  let isResting = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const see = ({ eye, target }: View): void => {
    camera.position.copy(eye);
    controls.target.copy(target);
    controls.update();
    invalidate();
  };

  /** Tells the store nothing. */
  const stay = (): void => {
    clearTimeout(timer);
    isResting = false;
  };

  /** Tells the store, once nothing has moved for a moment. */
  const rest = (): void => {
    stay();
    isResting = true;
    timer = setTimeout(() => {
      isResting = false;
      written = { eye: toCommon(space, camera.position), target: toCommon(space, controls.target) };
      store.set({ camera: written });
    }, REST);
  };

  const drawnView = ({ eye, target }: NonNullable<ViewState['camera']>): View => ({
    eye: toDrawn(space, eye),
    target: toDrawn(space, target),
  });
  const usual = (): View => drawnView(fitCamera(everything(), camera.aspect));

  const fly = (to: View): void => {
    if (stillness.matches) {
      see(to);
      return;
    }
    flight = { from: { eye: camera.position.clone(), target: controls.target.clone() }, to, begin: -1 };
    invalidate();
  };

  const restore = ({ camera: place }: ViewState): View => (place ? drawnView(place) : usual());

  controls.addEventListener('change', () => {
    invalidate();
    // What a hand has set going swings on for a moment.
    if (isResting) rest();
  });
  controls.addEventListener('start', () => {
    flight = null;
    stay();
  });
  controls.addEventListener('end', rest);
  controls.enableDamping = !stillness.matches;
  controls.dampingFactor = 0.18;
  written = store.state.camera;
  see(restore(store.state));

  return {
    camera,
    setSize(width, height) {
      camera.aspect = width / height;
      camera.fov = MathUtils.radToDeg(2 * Math.atan(tangentOf(camera.aspect)));
      camera.updateProjectionMatrix();
      if (written === null && !flight) see(usual());
    },
    fit(framing) {
      stay();
      if (!framing) {
        written = null;
        store.set({ camera: null });
        fly(usual());
        return;
      }
      const { box, direction = camera.position.clone().sub(controls.target).toArray() } = framing;
      written = fitCamera(box, camera.aspect, direction);
      store.set({ camera: written });
      fly(drawnView(written));
    },
    step(now) {
      if (flight) {
        if (flight.begin < 0) flight.begin = now;
        const part = Math.min(1, (now - flight.begin) / FLIGHT);
        const eased = part * part * (3 - 2 * part);
        const { from, to } = flight;
        if (part === 1) flight = null;
        see({ eye: from.eye.clone().lerp(to.eye, eased), target: from.target.clone().lerp(to.target, eased) });
        return flight !== null;
      }
      return controls.update();
    },
    land() {
      if (flight) see(flight.to);
      flight = null;
    },
    reach({ center, radius }) {
      const far = camera.position.distanceTo(center);
      const toTarget = camera.position.distanceTo(controls.target);
      // The ground goes on before and behind the scene.
      camera.near = Math.max(0.2 * (far - radius), 0.01 * Math.min(toTarget, far + radius));
      camera.far = far + radius + 8;
      camera.updateProjectionMatrix();
      camera.updateMatrixWorld();
    },
    press(event) {
      const offset = camera.position.clone().sub(controls.target);
      if (!moveByKey(event.key, event.shiftKey, camera, controls.target, offset)) return false;
      flight = null;
      see({ eye: controls.target.clone().add(offset), target: controls.target.clone() });
      rest();
      return true;
    },
    rayAt(x, y) {
      const way = new Vector3(x, y, 0.5).unproject(camera).sub(camera.position).normalize();
      return { from: toCommon(space, camera.position), way: [way.x, way.y, way.z] };
    },
    way: () => camera.getWorldDirection(new Vector3()).negate().toArray(),
    follow(state, before) {
      if (state.camera === before.camera || state.camera === written) return;
      written = state.camera;
      stay();
      fly(restore(state));
    },
    dispose() {
      stay();
      controls.dispose();
    },
  };
}

/** Changes the target, or the offset of the eye from it. @returns whether the key says so */
function moveByKey(
  key: string,
  isShifted: boolean,
  camera: PerspectiveCamera,
  target: Vector3,
  offset: Vector3,
): boolean {
  if (key === '+' || key === '=') offset.multiplyScalar(NEARER);
  else if (key === '-' || key === '_') offset.multiplyScalar(1 / NEARER);
  else {
    const [right, up] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[key] ?? [];
    if (right === undefined || up === undefined) return false;
    if (isShifted) {
      const step = 0.05 * offset.length();
      target.addScaledVector(new Vector3().setFromMatrixColumn(camera.matrix, 0), right * step);
      target.addScaledVector(new Vector3().setFromMatrixColumn(camera.matrix, 1), up * step);
    } else {
      // Spherical is about y; the scene's z is up.
      const angles = new Spherical().setFromCartesianCoords(offset.x, offset.z, -offset.y);
      angles.theta += right * TURN;
      angles.phi = Math.min(Math.max(angles.phi - up * TURN, 1e-3), Math.PI - 1e-3);
      const { x, y, z } = new Vector3().setFromSpherical(angles);
      offset.set(x, -z, y);
    }
  }
  return true;
}
