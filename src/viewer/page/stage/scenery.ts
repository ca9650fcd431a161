/** All drawn content, with lighting, section, colors, the ground, and a section's contours. */
import {
  DoubleSide,
  type IUniform,
  Matrix4,
  Mesh,
  type PerspectiveCamera,
  PlaneGeometry,
  Scene,
  ShaderMaterial,
  Sphere,
  Vector2,
  Vector3,
} from 'three';
import { type Box, GHOSTS_FROM, laid, roundLength, stood } from '../../camera.ts';
import type { Paint, Palette } from '../../palette.ts';
import type { Section, ViewState } from '../../view-state.ts';
import type { Loaded } from '../parts.ts';
import { type Bodies, createBodies } from './bodies.ts';
import { drawnBox } from './drawn.ts';
import { createGizmo, type Gizmo } from './gizmo.ts';
import { createMarks, type Marks } from './marks.ts';
import { axisOf, cut } from './section.ts';
import { around, type Space } from './space.ts';
import { createStrokes } from './strokes.ts';
import { createLook, type Look, lookThrough } from './surface-material.ts';

export interface Scenery {
  readonly scene: Scene;
  readonly bodies: Bodies;
  readonly marks: Marks;
  readonly gizmo: Gizmo;
  /** The handle of the section. */
  readonly cutter: Gizmo;
  /** The box around all objects, and the sphere in the drawn frame. */
  everything(): Box;
  /** The chosen objects, if the others are not drawn in full; otherwise everything. */
  shown(): Box;
  sphere(): Sphere;
  stir(): void;
  setPair(pair: readonly (number | null)[]): void;
  setPalette(palette: Palette): void;
  follow(state: ViewState, before: ViewState): void;
  /** Cuts ghosts away that are much nearer than the target of the camera, so far away. */
  cutGhosts(distance: number): void;
  /** Prepares a drawing of about `most` triangles; true if all objects in view are in full. */
  prepare(camera: PerspectiveCamera, size: { width: number; height: number }, most: number): boolean;
  dispose(): void;
}

export function createScenery(loaded: Loaded, space: Space): Scenery {
  const look = createLook(space);
  const scene = new Scene();
  const bodies = createBodies(loaded, space, look);
  const marks = createMarks(look, space);
  const gizmo = createGizmo(look, space);
  const cutter = createGizmo(look, space);
  const ground = createGround(space);
  const contours = createContours(look, space);
  scene.add(ground.mesh, bodies.group, contours.group, marks.group, gizmo.group, cutter.group);
  let section: Section | null = null;
  let pair: readonly (number | null)[] = [null, null];
  let [isStirred, isFollowing, isIsolated] = [true, false, false];
  let box: Box;
  const sphere = new Sphere();
  const numberOf = (name: string | null): number | null => (name === null ? null : (loaded.numbers.get(name) ?? null));

  const placed = (object: number) =>
    [loaded.facts[loaded.document.objects[object].asset], bodies.poseOf(object)] as const;
  const settle = (): Box => {
    if (!isStirred) return box;
    isStirred = false;
    box = around(loaded.document.objects.map((_, object) => placed(object)));
    drawnBox(space, box).getBoundingSphere(sphere);
    contours.set(bodies, section, pair);
    marks.place(pair.map((object) => (object === null ? undefined : bodies.poseOf(object))));
    return box;
  };

  return {
    ...{ scene, bodies, marks, gizmo, cutter },
    everything: settle,
    shown() {
      const both = isIsolated ? pair.flatMap((object) => object ?? []) : [];
      return both.length > 0 ? around(both.map(placed)) : settle();
    },
    sphere() {
      settle();
      return sphere;
    },
    stir() {
      isStirred = true;
    },
    setPair(numbers) {
      pair = numbers;
      bodies.setPair(numbers);
      isStirred = true;
    },
    setPalette(palette) {
      for (const key of ['rim', 'halo', 'background'] as const) look[key].value.set(...palette[key]);
      ground.setPaint(palette.grid);
      contours.setPaint(palette.pointer);
      for (const part of [bodies, marks, gizmo, cutter]) part.setPalette(palette);
    },
    follow(state, before) {
      const isNew = !isFollowing;
      isFollowing = true;
      if (isNew || state.surface !== before.surface) bodies.setSurfaceStyle(state.surface);
      marks.follow(state);
      isIsolated = state.isIsolated;
      bodies.setOthers(state, numberOf(state.through));
      if (!isNew && state.section === before.section && state.isIsolated === before.isIsolated) return;
      section = state.section;
      lookThrough(look, section, space);
      cutter.setMode(section ? 'move' : 'none', section && axisOf(section));
      isStirred = true;
    },
    cutGhosts(distance) {
      // A section shows its remaining part.
      look.ghostsFrom.value = section ? 0 : GHOSTS_FROM * distance;
    },
    prepare(camera, { width, height }, most) {
      settle();
      look.size.value.set(width, height);
      return bodies.arrange(camera, height, most);
    },
    dispose() {
      for (const part of [bodies, marks, gizmo, cutter, ground, contours]) part.dispose();
    },
  };
}

const EXTENT = 12;
const LINES = 5;

const VERTEX = `
varying vec2 vPlace;
void main() {
  vPlace = position.xy;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

/** Every tenth line is stronger. Dense and distant lines fade. */
const FRAGMENT = `
uniform vec3 paint;
uniform vec2 phase;
uniform float lines;
uniform float reach;
varying vec2 vPlace;
float line(vec2 place) {
  vec2 wide = fwidth(place);
  vec2 away = abs(fract(place + 0.5) - 0.5) / wide;
  vec2 shown = (1.0 - clamp(away - 0.3, 0.0, 1.0)) * (1.0 - smoothstep(0.1, 0.4, wide));
  return max(shown.x, shown.y);
}
void main() {
  vec2 place = vPlace * lines + phase;
  float strength = max(0.22 * line(place), 0.42 * line(place / 10.0));
  strength *= 1.0 - smoothstep(0.15, 0.9, length(vPlace) / reach);
  if (strength < 0.004) discard;
  gl_FragColor = vec4(paint, strength);
}`;

/** A grid below the scene, with lines a round length apart. */
function createGround({ origin, scale, box, up }: Space) {
  const step = roundLength(1 / scale / LINES);
  const [right, back, above] = [0, 1, 2].map(
    (k) =>
      new Vector3(
        ...laid(
          [0, 1, 2].map((i) => Number(i === k)),
          up,
        ),
      ),
  );
  const [x, y, middle] = stood(origin, up);
  const lowest = Math.min(stood(box.low, up)[2], stood(box.high, up)[2]);
  const past = (x: number): number => (((x / step) % 10) + 10) % 10;
  const paint: IUniform<Vector3> = { value: new Vector3() };
  const material = new ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    uniforms: {
      paint,
      phase: { value: new Vector2(past(x), past(y)) },
      lines: { value: 1 / (step * scale) },
      reach: { value: EXTENT / 2 },
    },
    transparent: true,
    depthWrite: false,
    side: DoubleSide,
  });
  const mesh = new Mesh(new PlaneGeometry(EXTENT, EXTENT), material);
  mesh.quaternion.setFromRotationMatrix(new Matrix4().makeBasis(right, back, above));
  mesh.position.copy(above).multiplyScalar(scale * (lowest - middle) - 1e-3);
  mesh.renderOrder = -1;
  return {
    mesh,
    setPaint: ([red, green, blue]: Paint) => paint.value.set(red, green, blue),
    dispose() {
      mesh.geometry.dispose();
      material.dispose();
    },
  };
}

/** Most triangles to cut, which fit a frame; the first objects come first. */
const MOST_TRIANGLES = 2_000_000;

/** The contours of a section: its plane cuts the objects that are in view. */
function createContours(look: Look, space: Space) {
  // The plane must not clip its own contours.
  const strokes = createStrokes(look, { paint: [0, 0, 0], width: 2, hidden: 0.12, isCut: false, order: 4 });
  return {
    group: strokes.group,
    set(bodies: Bodies, section: Section | null, first: readonly (number | null)[]): void {
      const segments: number[] = [];
      const shown = section ? bodies.shown() : [];
      // The chosen two come first, so that even a large scene shows their contours.
      const ordered = [
        ...shown.filter((object) => first.includes(object)),
        ...shown.filter((object) => !first.includes(object)),
      ];
      let left = MOST_TRIANGLES;
      for (const object of ordered) {
        const shape = bodies.shapeOf(object);
        const { low, high } = bodies.boxOf(object);
        const k = axisOf(section!);
        if (!shape || low[k] > section!.at || high[k] < section!.at) continue;
        left -= shape.triangles.length / 3;
        if (left < 0) break;
        cut(shape, bodies.poseOf(object), section!, space, segments);
      }
      strokes.set(Float32Array.from(segments));
    },
    setPaint: strokes.setPaint,
    dispose: strokes.dispose,
  };
}
