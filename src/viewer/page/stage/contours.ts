/** The contours of a section: where its plane cuts the objects that are in view. */

import type { Section } from '../../view-state.ts';
import type { Bodies } from './bodies.ts';
import { axisOf, cut } from './section.ts';
import type { Space } from './space.ts';
import { createStrokes } from './strokes.ts';
import type { Look } from './surface-material.ts';

/** Most triangles to cut, which fit a frame; the first objects come first. */
const MOST_TRIANGLES = 2_000_000;

export function createContours(look: Look, space: Space) {
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
