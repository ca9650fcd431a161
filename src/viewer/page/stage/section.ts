/** Cuts surfaces with a plane into contour segments. */

import { type Box, boxAround } from '../../camera.ts';
import type { ViewDocument } from '../../document.ts';
import type { Shape } from '../../protocol.ts';
import { standingPose } from '../../standing.ts';
import { FIRST_VIEW, type Section, type ViewState } from '../../view-state.ts';
import { moved, type Space } from './space.ts';

export const axisOf = ({ axis }: Section): number => 'xyz'.indexOf(axis);

/** True if the section leaves a place of the common frame visible. */
export const isLeft = (section: Section | null, place: ArrayLike<number>): boolean => {
  if (!section) return true;
  const beyond = place[axisOf(section)] - section.at;
  return section.isFlipped ? beyond >= 0 : beyond <= 0;
};

/** The least box of all objects as they were placed, with the axes of the common frame. */
export function placedBox({
  document,
  facts,
}: {
  document: Pick<ViewDocument, 'objects' | 'frames'>;
  facts: readonly Box[];
}): Box {
  const placed = document.objects.map(
    ({ asset }, object) => [facts[asset], standingPose(document, FIRST_VIEW, object)] as const,
  );
  return boxAround(placed) ?? { low: [0, 0, 0], high: [1, 1, 1] };
}

/** Steps of a section through the box. */
export const STEPS = 1000;

/** A place on an axis in the box, in as few digits as distinguish it: addresses hold it. */
export function placeIn({ low, high }: Box, k: number, place: number): number {
  const digits = Math.max(0, Math.min(100, Math.ceil(-Math.log10((high[k] - low[k]) / STEPS)))) || 0;
  return Number(Math.min(high[k], Math.max(low[k], place)).toFixed(digits));
}

/**
 * The same plane along another axis. It goes through the middle of the box, or through the camera's
 * target if only two objects are drawn in full.
 */
export function sectionAlong(axis: Section['axis'], box: Box, { section: now, camera, isIsolated }: Cut): Section {
  const k = 'xyz'.indexOf(axis);
  const middle = isIsolated && camera ? camera.target[k] : box.low[k] / 2 + box.high[k] / 2;
  return { axis, at: now?.axis === axis ? now.at : placeIn(box, k, middle), isFlipped: now?.isFlipped ?? false };
}

type Cut = Pick<ViewState, 'section' | 'camera' | 'isIsolated'>;

/** Appends the segments of a surface in the plane: x, y, z of both ends, in the drawn frame. */
export function cut(shape: Shape, pose: ArrayLike<number>, section: Section, space: Space, out: number[]): void {
  const { positions, triangles } = shape;
  const k = axisOf(section);
  const row = [pose[4 * k], pose[4 * k + 1], pose[4 * k + 2]];
  const base = moved(pose, shape.origin)[k] - section.at;
  const heights = new Float64Array(positions.length / 3);
  for (let v = 0; v < heights.length; v++) {
    heights[v] = base + row[0] * positions[3 * v] + row[1] * positions[3 * v + 1] + row[2] * positions[3 * v + 2];
  }
  for (let t = 0; t < triangles.length; t += 3) {
    const [p, q, r] = [triangles[t], triangles[t + 1], triangles[t + 2]];
    const isAbove = heights[p] > 0;
    if (isAbove === heights[q] > 0 && isAbove === heights[r] > 0) continue;
    for (const [from, to] of [[p, q] as const, [q, r] as const, [r, p] as const]) {
      if (heights[from] > 0 !== heights[to] > 0) crossing(from, to);
    }
  }

  function crossing(from: number, to: number): void {
    const part = heights[from] / (heights[from] - heights[to]);
    const place = [0, 1, 2].map((axis) => {
      const start = positions[3 * from + axis];
      return shape.origin[axis] + start + part * (positions[3 * to + axis] - start);
    });
    const there = moved(pose, place);
    for (let axis = 0; axis < 3; axis++) out.push(space.scale * (there[axis] - space.origin[axis]));
  }
}
