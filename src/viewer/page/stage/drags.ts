/** What a drag makes of a pose, as the pointer goes: a ray of the common frame, and its pixel. */

import { cross, dot, minus } from '../../../math/linear.ts';
import type { Ray } from './pick.ts';
import { shifted, turned } from './rigid.ts';

export type Place = readonly [number, number, number];

export type Drag = (ray: Ray, pixel: readonly [number, number]) => number[];

function meetsPlane({ from, way }: Ray, place: Place, normal: readonly number[]): Place | null {
  const far = dot(minus(place, from), normal) / dot(way, normal);
  if (!(far > 0 && far < Infinity)) return null;
  return [from[0] + far * way[0], from[1] + far * way[1], from[2] + far * way[2]];
}

export function dragInPlane(pose: ArrayLike<number>, place: Place, normal: readonly number[], begin: Ray): Drag {
  const start = meetsPlane(begin, place, normal) ?? place;
  let last = Array.from(pose);
  return (ray) => {
    const now = meetsPlane(ray, place, normal);
    if (now) last = shifted(pose, minus(now, start));
    return last;
  };
}

export function dragAlong(pose: ArrayLike<number>, pivot: Place, axis: Place, begin: Ray): Drag {
  const along = ({ from, way }: Ray): number => {
    const cosine = dot(axis, way);
    const apart = minus(from, pivot);
    return (dot(apart, axis) - dot(apart, way) * cosine) / (1 - cosine * cosine);
  };
  const start = along(begin);
  return (ray) => {
    const far = along(ray) - start;
    return shifted(pose, [far * axis[0], far * axis[1], far * axis[2]]);
  };
}

export function dragAbout(pose: ArrayLike<number>, pivot: Place, axis: Place, begin: Ray): Drag {
  const spoke = (ray: Ray): Place | null => {
    const place = meetsPlane(ray, pivot, axis);
    return place && minus(place, pivot);
  };
  const start = spoke(begin) ?? [0, 0, 0];
  let angle = 0;
  return (ray) => {
    const now = spoke(ray);
    if (now) angle = Math.atan2(dot(cross(start, now), axis), dot(start, now));
    return turnedBy(pose, pivot, axis, angle);
  };
}

/** For a ring seen edge-on: moving by one radius turns by one radian. */
export function dragEdge(
  pose: ArrayLike<number>,
  pivot: Place,
  axis: Place,
  begin: readonly [number, number],
  radius: readonly [number, number],
): Drag {
  const square = radius[0] * radius[0] + radius[1] * radius[1];
  return (_, pixel) => {
    const went = (pixel[0] - begin[0]) * radius[0] + (pixel[1] - begin[1]) * radius[1];
    return turnedBy(pose, pivot, axis, went / (square || 1));
  };
}

function turnedBy(pose: ArrayLike<number>, pivot: Place, axis: Place, angle: number): number[] {
  const sine = Math.sin(angle / 2);
  return turned(pose, [axis[0] * sine, axis[1] * sine, axis[2] * sine, Math.cos(angle / 2)], pivot);
}
