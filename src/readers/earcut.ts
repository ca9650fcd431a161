/**
 * Ear slicing that counts its steps: earcut 3.2.4 (https://github.com/mapbox/earcut) for one ring,
 * with the same triangles in the same order. Its time grows by the square of the vertices and more.
 * Some spirals of 16,000 vertices take a minute.
 *
 * Departures: recursion became a stack, since a ring may be split as often as it has vertices.
 * Nodes became numbers in the order of the Morton curve, along which most steps lead.
 *
 * Copyright (c) 2026, Mapbox
 *
 * Permission to use, copy, modify, and/or distribute this software for any purpose with or without
 * fee is hereby granted, provided that the above copyright notice and this permission notice appear
 * in all copies.
 *
 * THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS
 * SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE
 * AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES
 * WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT,
 * NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE
 * OF THIS SOFTWARE.
 */

/** Rings of more vertices find the neighbors of an ear along the Morton curve. */
const UNHASHED = 80;

/** Nodes of rings: vertex, coordinates, place along the curve, neighbors; -1 is none. */
let capacity = 0;
let vertices = new Int32Array(0);
let xs = new Float64Array(0);
let ys = new Float64Array(0);
let places = new Int32Array(0);
let prevs = new Int32Array(0);
let nexts = new Int32Array(0);
let prevPlaces = new Int32Array(0);
let nextPlaces = new Int32Array(0);
/** How many there are. */
let count = 0;

/** Frame of the Morton curve; without one, the factor is 0. */
let minX = 0;
let minY = 0;
let perUnit = 0;

/** Vertices that may still be looked at. */
let stepsLeft = 0;
/** True if the last `filterPoints` removed a vertex. */
let hasFiltered = false;

/**
 * Slices an outline into triangles.
 *
 * @param outline x, y of vertex i at 2i
 * @param most steps; a step looks at one vertex
 * @returns three numbers a triangle; null if it takes more steps
 * @example sliceEars(Float64Array.of(0, 0, 1, 0, 0, 1), 100) // [1, 0, 2]
 */
export function sliceEars(outline: Float64Array, most: number): number[] | null {
  const triangles: number[] = [];
  perUnit = 0;
  if (outline.length > 2 * UNHASHED) frame(outline);
  const ring = makeRing(outline);
  if (nexts[ring] === prevs[ring]) return triangles;
  stepsLeft = most;
  const waiting = [ring];
  while (waiting.length > 0) {
    const halves = sliceRing(waiting.pop()!, triangles);
    if (stepsLeft < 0) return null;
    // The first half comes first.
    if (halves) waiting.push(halves[1], halves[0]);
  }
  return triangles;
}

function frame(outline: Float64Array): void {
  minX = outline[0];
  minY = outline[1];
  let maxX = minX;
  let maxY = minY;
  for (let i = 2; i < outline.length; i += 2) {
    minX = Math.min(minX, outline[i]);
    minY = Math.min(minY, outline[i + 1]);
    maxX = Math.max(maxX, outline[i]);
    maxY = Math.max(maxY, outline[i + 1]);
  }
  const side = Math.max(maxX - minX, maxY - minY);
  perUnit = side === 0 ? 0 : 32767 / side;
}

/**
 * Makes a ring that turns in earcut's direction, whichever way the outline runs.
 *
 * @returns its last node
 */
function makeRing(outline: Float64Array): number {
  const size = outline.length / 2;
  let sum = 0;
  for (let i = 0, j = size - 1; i < size; j = i++)
    sum += (outline[2 * j] - outline[2 * i]) * (outline[2 * i + 1] + outline[2 * j + 1]);
  reserve(3 * size);
  // The vertices in the order of the ring, and the ring in the order of the curve.
  const vertexAt = (k: number): number => (sum > 0 ? k : size - 1 - k);
  const nodeAt = Int32Array.from({ length: size }, (_, k) => k);
  if (perUnit !== 0) {
    const own = Int32Array.from(nodeAt, (k) => zOrder(outline[2 * vertexAt(k)], outline[2 * vertexAt(k) + 1]));
    const order = Int32Array.from(nodeAt).sort((a, b) => own[a] - own[b]);
    for (let k = 0; k < size; k++) nodeAt[order[k]] = k;
  }
  for (let k = 0; k < size; k++) {
    const i = vertexAt(k);
    const p = nodeAt[k];
    setNode(p, i, outline[2 * i], outline[2 * i + 1]);
    prevs[p] = nodeAt[k === 0 ? size - 1 : k - 1];
    nexts[p] = nodeAt[k + 1 === size ? 0 : k + 1];
  }
  count = size;
  const last = nodeAt[size - 1];
  if (!equals(last, nexts[last])) return last;
  remove(last);
  return nexts[last];
}

/**
 * Slices ears off a ring.
 *
 * @returns the two rings that are left to slice, if the ring had to be split
 */
function sliceRing(ring: number, triangles: number[]): [number, number] | null {
  if (perUnit !== 0) indexCurve(ring);
  let ear = ring;
  let stop = ear;
  let isCured = false;
  while (prevs[ear] !== nexts[ear] && --stepsLeft >= 0) {
    const a = prevs[ear];
    const c = nexts[ear];
    if (area(a, ear, c) < 0 && isEar(a, ear, c)) {
      triangles.push(vertices[a], vertices[ear], vertices[c]);
      remove(ear);
      ear = c;
      stop = c;
      continue;
    }
    ear = c;
    if (ear !== stop) continue;
    // There are no more ears in the whole ring.
    hasFiltered = false;
    ear = filterPoints(ear, ear);
    if (hasFiltered) stop = ear;
    else if (isCured) return split(ear);
    else {
      ear = cureLocalIntersections(ear, triangles);
      stop = ear;
      isCured = true;
    }
  }
  return null;
}

/** Whether no reflex vertex lies in the triangle of an ear. */
function isEar(a: number, b: number, c: number): boolean {
  const x0 = Math.min(xs[a], xs[b], xs[c]);
  const y0 = Math.min(ys[a], ys[b], ys[c]);
  const x1 = Math.max(xs[a], xs[b], xs[c]);
  const y1 = Math.max(ys[a], ys[b], ys[c]);
  let steps = 0;
  let isFree = true;
  if (perUnit === 0) {
    for (let p = nexts[c]; p !== a && isFree; p = nexts[p], steps++)
      isFree = !(xs[p] >= x0 && xs[p] <= x1 && ys[p] >= y0 && ys[p] <= y1 && isInTheWay(p, a, b, c));
  } else {
    // Only vertices about the triangle, along the curve.
    const low = zOrder(x0, y0);
    const high = zOrder(x1, y1);
    for (let p = prevPlaces[b]; p >= 0 && places[p] >= low && isFree; p = prevPlaces[p], steps++)
      isFree = !(xs[p] >= x0 && xs[p] <= x1 && ys[p] >= y0 && ys[p] <= y1 && p !== c && isInTheWay(p, a, b, c));
    for (let p = nextPlaces[b]; p >= 0 && places[p] <= high && isFree; p = nextPlaces[p], steps++)
      isFree = !(xs[p] >= x0 && xs[p] <= x1 && ys[p] >= y0 && ys[p] <= y1 && p !== c && isInTheWay(p, a, b, c));
  }
  stepsLeft -= steps;
  return isFree;
}

const isInTheWay = (p: number, a: number, b: number, c: number): boolean =>
  !equals(a, p) && isInTriangle(xs[p], ys[p], a, b, c) && area(prevs[p], p, nexts[p]) >= 0;

const isInTriangle = (x: number, y: number, a: number, b: number, c: number): boolean =>
  (xs[c] - x) * (ys[a] - y) >= (xs[a] - x) * (ys[c] - y) &&
  (xs[a] - x) * (ys[b] - y) >= (xs[b] - x) * (ys[a] - y) &&
  (xs[b] - x) * (ys[c] - y) >= (xs[c] - x) * (ys[b] - y);

/**
 * Removes collinear and coincident vertices from `start` to `until`. If the two are one vertex,
 * removes them from the whole ring until none is left.
 */
function filterPoints(start: number, until: number): number {
  const isWhole = until === start;
  let end = until;
  let p = start;
  let isOn = true;
  while (isOn || p !== end) {
    stepsLeft--;
    isOn = false;
    if (p !== nexts[p] && (equals(p, nexts[p]) || area(prevs[p], p, nexts[p]) === 0)) {
      if (isWhole || p === end) end = prevs[p];
      hasFiltered = true;
      remove(p);
      p = prevs[p];
      isOn = true;
    } else if (isWhole || p !== end) {
      p = nexts[p];
      isOn = !isWhole;
    }
  }
  return end;
}

/** Cuts off pairs of sides that cross each other. */
function cureLocalIntersections(ring: number, triangles: number[]): number {
  let start = ring;
  let p = ring;
  let isCured = false;
  do {
    stepsLeft--;
    const a = prevs[p];
    const b = nexts[nexts[p]];
    if (crosses(a, p, nexts[p], b) && isLocallyInside(a, b) && isLocallyInside(b, a)) {
      triangles.push(vertices[a], vertices[p], vertices[b]);
      remove(p);
      remove(nexts[p]);
      start = b;
      p = b;
      isCured = true;
    }
    p = nexts[p];
  } while (p !== start);
  return isCured ? filterPoints(p, p) : p;
}

/** Splits a ring by its first valid diagonal. */
function split(start: number): [number, number] | null {
  let a = start;
  do {
    for (let b = nexts[nexts[a]]; b !== prevs[a] && --stepsLeft >= 0; b = nexts[b]) {
      if (vertices[a] === vertices[b] || !isValidDiagonal(a, b)) continue;
      const c = splitRing(a, b);
      return [filterPoints(a, nexts[a]), filterPoints(c, nexts[c])];
    }
    a = nexts[a];
  } while (a !== start && stepsLeft >= 0);
  return null;
}

/** Links the vertices of a ring along the Morton curve. */
function indexCurve(ring: number): void {
  const nodes: number[] = [];
  let p = ring;
  do {
    places[p] = zOrder(xs[p], ys[p]);
    nodes.push(p);
    p = nexts[p];
  } while (p !== ring);
  stepsLeft -= nodes.length;
  nodes.sort((a, b) => places[a] - places[b]);
  for (let k = 0; k < nodes.length; k++) {
    prevPlaces[nodes[k]] = k === 0 ? -1 : nodes[k - 1];
    nextPlaces[nodes[k]] = k + 1 === nodes.length ? -1 : nodes[k + 1];
  }
}

/** Place of a point along the Morton curve, in 15 bits a coordinate. */
function zOrder(px: number, py: number): number {
  let x = ((px - minX) * perUnit) | 0;
  let y = ((py - minY) * perUnit) | 0;
  x = (x | (x << 8)) & 0x00ff00ff;
  x = (x | (x << 4)) & 0x0f0f0f0f;
  x = (x | (x << 2)) & 0x33333333;
  x = (x | (x << 1)) & 0x55555555;
  y = (y | (y << 8)) & 0x00ff00ff;
  y = (y | (y << 4)) & 0x0f0f0f0f;
  y = (y | (y << 2)) & 0x33333333;
  y = (y | (y << 1)) & 0x55555555;
  return x | (y << 1);
}

function isValidDiagonal(a: number, b: number): boolean {
  const isPoint = equals(a, b) && area(prevs[a], a, nexts[a]) > 0 && area(prevs[b], b, nexts[b]) > 0;
  return (
    vertices[nexts[a]] !== vertices[b] &&
    (isPoint ||
      (isLocallyInside(a, b) &&
        isLocallyInside(b, a) &&
        // No sectors that face away from each other.
        (area(prevs[a], a, prevs[b]) !== 0 || area(a, prevs[b], b) !== 0))) &&
    !meetsRing(a, b) &&
    (isPoint || isMiddleInside(a, b))
  );
}

const area = (p: number, q: number, r: number): number =>
  (ys[q] - ys[p]) * (xs[r] - xs[q]) - (xs[q] - xs[p]) * (ys[r] - ys[q]);

const equals = (p: number, q: number): boolean => xs[p] === xs[q] && ys[p] === ys[q];

/** Whether two segments cross inside of both. */
function crosses(p1: number, q1: number, p2: number, q2: number): boolean {
  const o1 = area(p1, q1, p2);
  const o2 = area(p1, q1, q2);
  const o3 = area(p2, q2, p1);
  const o4 = area(p2, q2, q1);
  return ((o1 > 0 && o2 < 0) || (o1 < 0 && o2 > 0)) && ((o3 > 0 && o4 < 0) || (o3 < 0 && o4 > 0));
}

/** Whether two segments cross or touch. */
const meets = (p1: number, q1: number, p2: number, q2: number): boolean =>
  crosses(p1, q1, p2, q2) ||
  (area(p1, q1, p2) === 0 && isOnSegment(p1, p2, q1)) ||
  (area(p1, q1, q2) === 0 && isOnSegment(p1, q2, q1)) ||
  (area(p2, q2, p1) === 0 && isOnSegment(p2, p1, q2)) ||
  (area(p2, q2, q1) === 0 && isOnSegment(p2, q1, q2));

/** Whether q, which is collinear with p and r, lies between them. */
const isOnSegment = (p: number, q: number, r: number): boolean =>
  xs[q] <= Math.max(xs[p], xs[r]) &&
  xs[q] >= Math.min(xs[p], xs[r]) &&
  ys[q] <= Math.max(ys[p], ys[r]) &&
  ys[q] >= Math.min(ys[p], ys[r]);

/** Whether a diagonal meets a side of the ring. */
function meetsRing(a: number, b: number): boolean {
  const x0 = Math.min(xs[a], xs[b]);
  const x1 = Math.max(xs[a], xs[b]);
  const y0 = Math.min(ys[a], ys[b]);
  const y1 = Math.max(ys[a], ys[b]);
  const isEnd = (p: number): boolean => vertices[p] === vertices[a] || vertices[p] === vertices[b];
  let p = a;
  do {
    stepsLeft--;
    const n = nexts[p];
    const isApart =
      (xs[p] > x1 && xs[n] > x1) ||
      (xs[p] < x0 && xs[n] < x0) ||
      (ys[p] > y1 && ys[n] > y1) ||
      (ys[p] < y0 && ys[n] < y0);
    if (!isApart && !isEnd(p) && !isEnd(n) && meets(p, n, a, b)) return true;
    p = n;
  } while (p !== a);
  return false;
}

/** Whether a diagonal begins inside of the ring. */
const isLocallyInside = (a: number, b: number): boolean =>
  area(prevs[a], a, nexts[a]) < 0
    ? area(a, b, nexts[a]) >= 0 && area(a, prevs[a], b) >= 0
    : area(a, b, prevs[a]) < 0 || area(a, nexts[a], b) < 0;

/** Whether the middle of a diagonal is inside of the ring. */
function isMiddleInside(a: number, b: number): boolean {
  const px = (xs[a] + xs[b]) / 2;
  const py = (ys[a] + ys[b]) / 2;
  let isInside = false;
  let p = a;
  do {
    stepsLeft--;
    const n = nexts[p];
    if (ys[p] > py !== ys[n] > py && px < ((xs[n] - xs[p]) * (py - ys[p])) / (ys[n] - ys[p]) + xs[p])
      isInside = !isInside;
    p = n;
  } while (p !== a);
  return isInside;
}

/** Cuts a ring in two by a diagonal. @returns a node of the second one; `a` is in the first */
function splitRing(a: number, b: number): number {
  reserve(count + 2);
  const a2 = count++;
  const b2 = count++;
  setNode(a2, vertices[a], xs[a], ys[a]);
  setNode(b2, vertices[b], xs[b], ys[b]);
  const an = nexts[a];
  const bp = prevs[b];
  nexts[a] = b;
  prevs[b] = a;
  nexts[a2] = an;
  prevs[an] = a2;
  nexts[b2] = a2;
  prevs[a2] = b2;
  nexts[bp] = b2;
  prevs[b2] = bp;
  return b2;
}

function setNode(p: number, vertex: number, x: number, y: number): void {
  vertices[p] = vertex;
  xs[p] = x;
  ys[p] = y;
  prevPlaces[p] = -1;
  nextPlaces[p] = -1;
}

function remove(p: number): void {
  prevs[nexts[p]] = prevs[p];
  nexts[prevs[p]] = nexts[p];
  if (prevPlaces[p] >= 0) nextPlaces[prevPlaces[p]] = nextPlaces[p];
  if (nextPlaces[p] >= 0) prevPlaces[nextPlaces[p]] = prevPlaces[p];
}

/** Makes room for nodes. */
function reserve(least: number): void {
  if (capacity >= least) return;
  capacity = 2 * least;
  [vertices, places, prevs, nexts, prevPlaces, nextPlaces] = [
    vertices,
    places,
    prevs,
    nexts,
    prevPlaces,
    nextPlaces,
  ].map((old) => grown(old, new Int32Array(capacity)));
  xs = grown(xs, new Float64Array(capacity));
  ys = grown(ys, new Float64Array(capacity));
}

function grown<T extends Int32Array | Float64Array>(old: T, larger: T): T {
  larger.set(old);
  return larger;
}
