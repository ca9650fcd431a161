/** All drawn content, with lighting, section and colors. */
import { type PerspectiveCamera, Scene, Sphere } from 'three';
import type { Box } from '../../camera.ts';
import type { Paint, Palette } from '../../palette.ts';
import type { Section, ViewState } from '../../view-state.ts';
import type { Loaded } from '../parts.ts';
import { type Bodies, createBodies } from './bodies.ts';
import { createContours } from './contours.ts';
import { drawnBox } from './drawn.ts';
import { createGizmo, type Gizmo } from './gizmo.ts';
import { createGround } from './ground.ts';
import { createMarks, type Marks } from './marks.ts';
import { around, type Space } from './space.ts';
import { createLook, lookThrough } from './surface-material.ts';

export interface Scenery {
  readonly scene: Scene;
  readonly bodies: Bodies;
  readonly marks: Marks;
  readonly gizmo: Gizmo;
  /** The box around all objects, and the sphere in the drawn frame. */
  everything(): Box;
  sphere(): Sphere;
  stir(): void;
  setPair(pair: readonly (number | null)[]): void;
  setPalette(palette: Palette): void;
  follow(state: ViewState, before: ViewState): void;
  /** Prepares a drawing in about `most` triangles; returns true if all in view is drawn in full. */
  prepare(camera: PerspectiveCamera, size: { width: number; height: number }, most: number): boolean;
  dispose(): void;
}

export function createScenery(loaded: Loaded, space: Space): Scenery {
  const look = createLook();
  const scene = new Scene();
  const bodies = createBodies(loaded, space, look);
  const marks = createMarks(look, space);
  const gizmo = createGizmo(look, space);
  const ground = createGround(space);
  const contours = createContours(look, space);
  scene.add(ground.mesh, bodies.group, contours.group, marks.group, gizmo.group);
  let section: Section | null = null;
  let pair: readonly (number | null)[] = [null, null];
  let isStirred = true;
  let isFollowing = false;
  let box: Box;
  const sphere = new Sphere();

  const settle = (): void => {
    if (!isStirred) return;
    isStirred = false;
    const { document, facts } = loaded;
    box = around(document.objects.map(({ asset }, object) => [facts[asset], bodies.poseOf(object)]));
    drawnBox(space, box).getBoundingSphere(sphere);
    contours.set(bodies, section, pair);
    marks.place(pair.map((object) => (object === null ? undefined : bodies.poseOf(object))));
  };

  return {
    scene,
    bodies,
    marks,
    gizmo,
    everything() {
      settle();
      return box;
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
      const set = ({ value }: typeof look.rim, paint: Paint) => value.set(...paint);
      set(look.rim, palette.rim);
      set(look.halo, palette.halo);
      ground.setPaint(palette.grid);
      contours.setPaint(palette.pointer);
      for (const part of [bodies, marks, gizmo]) part.setPalette(palette);
    },
    follow(state, before) {
      const isNew = !isFollowing;
      isFollowing = true;
      if (isNew || state.surface !== before.surface) bodies.setSurfaceStyle(state.surface);
      marks.follow(state);
      if (!isNew && state.section === before.section && state.isIsolated === before.isIsolated) return;
      section = state.section;
      lookThrough(look, section, space);
      bodies.setIsolated(state.isIsolated);
      isStirred = true;
    },
    prepare(camera, { width, height }, most) {
      settle();
      look.size.value.set(width, height);
      return bodies.arrange(camera, height, most);
    },
    dispose() {
      for (const part of [bodies, marks, gizmo, ground, contours]) part.dispose();
    },
  };
}
