/** Finds shells that are inside out, and shells that look like leftovers. */
import { middleOf } from '../geometry/exact-point.ts';
import { type Shells, shellVolumes } from '../mesh/shells.ts';
import type { Surface } from '../mesh/topology.ts';
import { treeOfBoxes } from '../mesh/triangle-tree.ts';
import { windingOfTriangles } from '../solid/winding.ts';
import { counted, type Findings } from './found.ts';

/** A shell is stray if its diagonal is this many times smaller than the largest shell's. */
const DUST = 1000;
/** A shell this many times smaller is stray if it is farther from the largest than that is long. */
const SMALL = 10;

interface Parts {
  start: Uint32Array;
  triangles: Uint32Array;
  boxes: Float64Array;
}

export function lintShells(surface: Surface, shells: Shells, found: Findings): void {
  const isInverted = found.isOn('inverted-shell');
  const isStray = found.isOn('stray-part') && shells.count > 1;
  if (!isInverted && !isStray) return;
  const parts = partsOf(surface, shells);
  if (isInverted) lintInverted(surface, shells, parts, found);
  if (isStray) lintStray(surface, shells, parts, found);
}

function partsOf({ positions }: Surface, { corners, shellOf, count }: Shells): Parts {
  const start = new Uint32Array(count + 1);
  for (let t = 0; t < shellOf.length; t++) start[shellOf[t] + 1]++;
  for (let s = 0; s < count; s++) start[s + 1] += start[s];
  const triangles = new Uint32Array(shellOf.length);
  const next = start.slice();
  const boxes = new Float64Array(6 * count);
  for (let s = 0; s < count; s++)
    boxes.fill(Number.POSITIVE_INFINITY, 6 * s, 6 * s + 3).fill(-Infinity, 6 * s + 3, 6 * s + 6);
  for (let t = 0; t < shellOf.length; t++) {
    const at = 6 * shellOf[t];
    triangles[next[shellOf[t]]++] = t;
    for (let c = 3 * t; c < 3 * t + 3; c++)
      for (let axis = 0; axis < 3; axis++) {
        const x = positions[3 * corners[c] + axis];
        if (x < boxes[at + axis]) boxes[at + axis] = x;
        if (x > boxes[at + 3 + axis]) boxes[at + 3 + axis] = x;
      }
  }
  return { start, triangles, boxes };
}

/**
 * Finds shells that bound a solid and have a negative volume, unless other shells wind around them:
 * those are cavities. A sign that rounding leaves open is not reported.
 */
function lintInverted(surface: Surface, shells: Shells, parts: Parts, found: Findings): void {
  const { positions } = surface;
  const { corners, shellBounds, count } = shells;
  const { volumes, errors } = shellVolumes(surface, shells);
  const isNegative = Uint8Array.from(volumes, (volume, s) => Number(shellBounds[s] === 1 && volume < -errors[s]));
  if (!isNegative.includes(1)) return;
  const around = shellsAround(parts.boxes, isNegative, shellBounds);
  for (let s = 0; s < count; s++) {
    if (isNegative[s] === 0) continue;
    const first = parts.triangles[parts.start[s]];
    const at = 3 * corners[3 * first];
    if (areWoundAbout(surface, shells, parts, around.get(s) ?? [], s)) continue;
    const size = parts.start[s + 1] - parts.start[s];
    found.add('inverted-shell', {
      triangles: [first],
      count: size,
      point: Array.from(positions.subarray(at, at + 3)),
      message: `a shell of ${counted(size, 'triangle')} is inside out: its volume is ${Number(volumes[s].toPrecision(6))}`,
    });
  }
}

/** Triangles of a shell to try: few lie on another shell. */
const MOST_POINTS = 64;

/** True if other shells wind around a point of this shell that is on none of them. */
function areWoundAbout(
  { positions }: Surface,
  { corners }: Shells,
  parts: Parts,
  others: readonly number[],
  s: number,
): boolean {
  if (others.length === 0) return false;
  const around = others.map((other) => trianglesOf(parts, other));
  let isOnInside = false;
  for (const triangle of trianglesOf(parts, s).subarray(0, MOST_POINTS)) {
    const points = [0, 1, 2].map((k) => 3 * corners[3 * triangle + k]);
    const middle = middleOf(Float64Array.from(points.flatMap((at) => Array.from(positions.subarray(at, at + 3)))));
    const winding = windingOfTriangles({ positions, triangles: corners }, around, middle);
    if (winding && winding.ahead === winding.behind) return winding.ahead > 0;
    if (winding && Math.max(winding.ahead, winding.behind) > 0) isOnInside = true;
  }
  return isOnInside;
}

/** Returns, for each asked shell, the bounding shells whose boxes contain its box. */
function shellsAround(boxes: Float64Array, isAsked: Uint8Array, shellBounds: Uint8Array): Map<number, number[]> {
  const around = new Map<number, number[]>();
  const add = (inner: number, outer: number): void => {
    if (isAsked[inner] === 0 || shellBounds[outer] === 0 || !holds(boxes, outer, inner)) return;
    const list = around.get(inner);
    if (list) list.push(outer);
    else around.set(inner, [outer]);
  };
  const ids = Uint32Array.from({ length: boxes.length / 2 }, (_, i) => Math.floor(i / 3));
  treeOfBoxes(boxes).forPairs(ids, (i, j) => {
    add(i, j);
    add(j, i);
    return false;
  });
  return around;
}

const trianglesOf = ({ start, triangles }: Parts, s: number): Uint32Array => triangles.subarray(start[s], start[s + 1]);

function holds(boxes: Float64Array, outer: number, inner: number): boolean {
  for (let k = 0; k < 3; k++) {
    if (boxes[6 * outer + k] > boxes[6 * inner + k] || boxes[6 * outer + 3 + k] < boxes[6 * inner + 3 + k])
      return false;
  }
  return true;
}

function lintStray({ positions }: Surface, { corners, count }: Shells, parts: Parts, found: Findings): void {
  const diagonals = Float64Array.from({ length: count }, (_, s) => diagonalOf(parts.boxes, s));
  let largest = 0;
  for (let s = 0; s < count; s++) if (diagonals[s] > diagonals[largest]) largest = s;
  const size = diagonals[largest];
  for (let s = 0; s < count; s++) {
    // A shell of zero size is a point; another rule covers it.
    if (s === largest || diagonals[s] === 0) continue;
    const isDust = diagonals[s] * DUST < size;
    const far = distanceOf(parts.boxes, s, largest);
    if (!isDust && !(diagonals[s] * SMALL < size && far > size)) continue;
    const first = parts.triangles[parts.start[s]];
    const many = counted(parts.start[s + 1] - parts.start[s], 'triangle');
    const smaller = `${Number((size / diagonals[s]).toPrecision(3)).toLocaleString('en-US')} times smaller than the largest`;
    const where = isDust ? '' : `, ${Number(far.toPrecision(6))} away from it`;
    found.add('stray-part', {
      triangles: [first],
      count: parts.start[s + 1] - parts.start[s],
      point: Array.from(positions.subarray(3 * corners[3 * first], 3 * corners[3 * first] + 3)),
      message: `a part of ${many}, ${smaller}${where}`,
    });
  }
}

function diagonalOf(boxes: Float64Array, s: number): number {
  let sum = 0;
  for (let k = 6 * s; k < 6 * s + 3; k++) sum += (boxes[k + 3] - boxes[k]) ** 2;
  return Math.sqrt(sum);
}

function distanceOf(boxes: Float64Array, a: number, b: number): number {
  let sum = 0;
  for (let k = 0; k < 3; k++) {
    const gap = Math.max(boxes[6 * a + k] - boxes[6 * b + 3 + k], boxes[6 * b + k] - boxes[6 * a + 3 + k], 0);
    sum += gap * gap;
  }
  return Math.sqrt(sum);
}
