/**
 * Part of a mesh, copied so that caches hold it: its vertices, each once, its triangles, their
 * moments, and their spans along axes.
 *
 * Axes are judged (judge.as.ts) by some of the vertices, relative to one of them and divided by the
 * part's size. This affects the bytes only through the choice of axes. Stored numbers are fitted to
 * doubles: corners less the origin, projected by the operations of box-writer.ts.
 */

import { BOX, pair } from '../../../kernels/binned-split.as';
import { dotTwo } from '../../../kernels/lanes.as';
import { addMoments, MOMENT_BYTES, normalX, normalY, normalZ, setNormal, spanOfTriangle } from './axes.as';
import { judgePoints, judgeUpTo } from './judge.as';

/** Most triangles of a part. */
export const LARGEST_PART: i32 = 1024;

const VERTICES: usize = 3 * <usize>LARGEST_PART;
const XYZ: usize = 0; // 32 bytes each: x, y, z
const PROJECTED: usize = XYZ + 32 * VERTICES; // 32 bytes each: along the axes, and minus the last
const NUMBERS: usize = PROJECTED + 32 * VERTICES; // words: in the mesh
const PLACES: usize = NUMBERS + 4 * VERTICES; // words: in the list
const LIST: usize = PLACES + 4 * VERTICES; // words: offsets of the vertices of a range
const TRIANGLES: usize = LIST + 4 * VERTICES; // 4 words each: offsets of corners; number
const MOMENTS: usize = TRIANGLES + 16 * <usize>LARGEST_PART;
/** Bytes of the moments, and of x, y, z of the normal, whose length is twice the area. */
const MEASURE_BYTES: usize = MOMENT_BYTES + 32;
const SPANS: usize = MOMENTS + MEASURE_BYTES * <usize>LARGEST_PART;
const ORDER: usize = SPANS + BOX * <usize>LARGEST_PART;
const SUMS: usize = ORDER + 4 * <usize>LARGEST_PART;
const CORNERS: usize = SUMS + 96; // 9 doubles
export const PART_BYTES: usize = CORNERS + 96;

let part: usize = 0;
let positions: usize = 0;
let triangles: usize = 0;
let slots: usize = 0;
let originX: f64 = 0;
let originY: f64 = 0;
let originZ: f64 = 0;
let vertices: u32 = 0;
let listed: u32 = 0;
let scale: f64 = 1;

/**
 * @param toSlots address of a word for each vertex of the mesh, with any content
 * @param origin 3 doubles
 */
export function beginParts(toPart: usize, toPositions: usize, toTriangles: usize, toSlots: usize, origin: usize): void {
  part = toPart;
  positions = toPositions;
  triangles = toTriangles;
  slots = toSlots;
  originX = load<f64>(origin);
  originY = load<f64>(origin, 8);
  originZ = load<f64>(origin, 16);
}

@inline
export function orderOfPart(): usize {
  return part + ORDER;
}
@inline
export function spansOfPart(): usize {
  return part + SPANS;
}
@inline
export function sumsOfPart(): usize {
  return part + SUMS;
}

/** Gathers `count` of the triangles that `size` words name, evenly spread. */
export function gather(from: usize, size: i32, count: i32): void {
  vertices = 0;
  let radius = 0.0;
  for (let i = 0; i < count; i++) {
    const at = count == size ? i : <i32>((<u64>i * <u64>size) / <u64>count);
    const t = load<u32>(from + (<usize>at << 2));
    const record = part + TRIANGLES + (<usize>i << 4);
    const corners = triangles + 12 * <usize>t;
    for (let c: usize = 0; c < 12; c += 4) {
      const v = load<u32>(corners + c);
      // A set after P. Briggs, L. Torczon, 1993: a slot counts if the vertex that it names agrees.
      const slot = slots + (<usize>v << 2);
      let l = load<u32>(slot);
      if (l >= vertices || load<u32>(part + NUMBERS + (<usize>l << 2)) != v) {
        l = vertices++;
        store<u32>(slot, l);
        store<u32>(part + NUMBERS + (<usize>l << 2), v);
        const p = positions + 24 * <usize>v;
        const to = part + XYZ + (<usize>l << 5);
        store<f64>(to, load<f64>(p) - originX);
        store<f64>(to, load<f64>(p, 8) - originY, 8);
        store<f64>(to, load<f64>(p, 16) - originZ, 16);
        const first = part + XYZ;
        radius = Math.max(radius, Math.abs(load<f64>(to) - load<f64>(first)));
        radius = Math.max(radius, Math.abs(load<f64>(to, 8) - load<f64>(first, 8)));
        radius = Math.max(radius, Math.abs(load<f64>(to, 16) - load<f64>(first, 16)));
      }
      store<u32>(record + c, l << 5);
    }
    store<u32>(record, t, 12);
    store<u32>(part + ORDER + (<usize>i << 2), i);
    const moments = part + MOMENTS + MEASURE_BYTES * <usize>i;
    memory.fill(moments, 0, MOMENT_BYTES);
    const p = cornersOfRecord(record);
    addMoments(p, moments);
    setNormal(p);
    store<f64>(moments + MOMENT_BYTES, normalX);
    store<f64>(moments + MOMENT_BYTES, normalY, 8);
    store<f64>(moments + MOMENT_BYTES, normalZ, 16);
  }
  scale = radius > 0 ? 1.0 / radius : 1.0;
}

/**
 * Adds the normals of a range, each turned to the side of the unit vector at `unit`. Writes the sum
 * there, scaled to length 1; false if it is zero.
 */
export function meanNormal(start: i32, end: i32, unit: usize): bool {
  const ux = load<f64>(unit);
  const uy = load<f64>(unit, 8);
  const uz = load<f64>(unit, 16);
  let x = 0.0;
  let y = 0.0;
  let z = 0.0;
  for (let i = start; i < end; i++) {
    const n = measureAt(i) + MOMENT_BYTES;
    const nx = load<f64>(n);
    const ny = load<f64>(n, 8);
    const nz = load<f64>(n, 16);
    const sign = nx * ux + ny * uy + nz * uz < 0 ? -1.0 : 1.0;
    x += sign * nx;
    y += sign * ny;
    z += sign * nz;
  }
  const length = Math.sqrt(x * x + y * y + z * z);
  if (!(length > 0)) return false;
  store<f64>(unit, x / length);
  store<f64>(unit, y / length, 8);
  store<f64>(unit, z / length, 16);
  return true;
}

@inline
function measureAt(place: i32): usize {
  return part + MOMENTS + MEASURE_BYTES * <usize>load<u32>(part + ORDER + (<usize>place << 2));
}

@inline
function recordAt(place: i32): usize {
  return part + TRIANGLES + (<usize>load<u32>(part + ORDER + (<usize>place << 2)) << 4);
}

/** The number in the mesh of the triangle at a place of the part's order. */
@inline
export function numberAt(place: i32): u32 {
  return load<u32>(recordAt(place), 12);
}

/** The address of 9 doubles: the corners of the triangle at a place of the order. */
@inline
export function cornersAt(place: i32): usize {
  return cornersOfRecord(recordAt(place));
}

function cornersOfRecord(record: usize): usize {
  const to = part + CORNERS;
  for (let c: usize = 0; c < 3; c++) {
    const p = part + XYZ + load<u32>(record + 4 * c);
    v128.store(to + 24 * c, v128.load(p));
    store<f64>(to + 24 * c, load<f64>(p, 16), 16);
  }
  return to;
}

@inline
function areaOfPlace(place: i32): f64 {
  return load<f64>(measureAt(place));
}

/** Twice the area of the triangle at a place of the order, as in areaOfTriangleAlong. */
@inline
export function areaInPart(place: i32): f32 {
  return <f32>(2.0 * areaOfPlace(place) * scale * scale);
}

/** Half the area of the box along axes of a triangle's 9 doubles, in units of the part. */
export function areaOfTriangleAlong(p: usize, axes: usize): f32 {
  const x = f32x4(<f32>load<f64>(axes), <f32>load<f64>(axes, 24), <f32>load<f64>(axes, 48), 0);
  const y = f32x4(<f32>load<f64>(axes, 8), <f32>load<f64>(axes, 32), <f32>load<f64>(axes, 56), 0);
  const z = f32x4(<f32>load<f64>(axes, 16), <f32>load<f64>(axes, 40), <f32>load<f64>(axes, 64), 0);
  const u = edgeAlong(p, p + 24, x, y, z);
  const v = edgeAlong(p, p + 48, x, y, z);
  const o = f32x4.splat(0);
  const d = f32x4.sub(f32x4.pmax(f32x4.pmax(u, v), o), f32x4.pmin(f32x4.pmin(u, v), o));
  const areas = f32x4.mul(d, v128.shuffle<i32>(d, d, 1, 2, 0, 3));
  return f32x4.extract_lane(areas, 0) + f32x4.extract_lane(areas, 1) + f32x4.extract_lane(areas, 2);
}

@inline
function edgeAlong(p: usize, q: usize, x: v128, y: v128, z: v128): v128 {
  const a = f32x4.mul(f32x4.splat(<f32>((load<f64>(q) - load<f64>(p)) * scale)), x);
  const b = f32x4.mul(f32x4.splat(<f32>((load<f64>(q, 8) - load<f64>(p, 8)) * scale)), y);
  const c = f32x4.mul(f32x4.splat(<f32>((load<f64>(q, 16) - load<f64>(p, 16)) * scale)), z);
  return f32x4.add(f32x4.add(a, b), c);
}

/** The place of the largest triangle of a range. */
export function largestOf(start: i32, end: i32): i32 {
  let best = start;
  let most = -1.0;
  for (let i = start; i < end; i++) {
    const area = areaOfPlace(i);
    if (area > most) {
      most = area;
      best = i;
    }
  }
  return best;
}

export function sumMoments(start: i32, end: i32): void {
  let s0 = f64x2.splat(0);
  let s1 = s0;
  let s2 = s0;
  let s3 = s0;
  let s4 = s0;
  for (let i = start; i < end; i++) {
    const m = measureAt(i);
    s0 = f64x2.add(s0, v128.load(m));
    s1 = f64x2.add(s1, v128.load(m, 16));
    s2 = f64x2.add(s2, v128.load(m, 32));
    s3 = f64x2.add(s3, v128.load(m, 48));
    s4 = f64x2.add(s4, v128.load(m, 64));
  }
  const to = part + SUMS;
  v128.store(to, s0);
  v128.store(to, s1, 16);
  v128.store(to, s2, 32);
  v128.store(to, s3, 48);
  v128.store(to, s4, 64);
}

/** Lists the vertices of a range, each once, and makes up to `most` of them judges. */
export function listVertices(start: i32, end: i32, most: u32): void {
  listed = 0;
  for (let i = start; i < end; i++) {
    const record = recordAt(i);
    list(load<u32>(record));
    list(load<u32>(record, 4));
    list(load<u32>(record, 8));
  }
  const picks = listed < most ? listed : most;
  const first = part + XYZ + load<u32>(part + LIST);
  const x = load<f64>(first);
  const y = load<f64>(first, 8);
  const z = load<f64>(first, 16);
  let to = judgePoints();
  const padded = (picks + 3) & ~3;
  for (let i: u32 = 0; i < padded; i++) {
    const at = i < picks ? (picks == listed ? i : (i * listed) / picks) : picks - 1;
    const p = part + XYZ + load<u32>(part + LIST + (<usize>at << 2));
    store<f32>(to, <f32>((load<f64>(p) - x) * scale));
    store<f32>(to, <f32>((load<f64>(p, 8) - y) * scale), 16);
    store<f32>(to, <f32>((load<f64>(p, 16) - z) * scale), 32);
    to += (i & 3) == 3 ? 36 : 4;
  }
  judgeUpTo(to);
}

@inline
function list(offset: u32): void {
  const place = part + PLACES + (<usize>offset >> 3);
  const i = load<u32>(place);
  if (i < listed && load<u32>(part + LIST + (<usize>i << 2)) == offset) return;
  store<u32>(place, listed);
  store<u32>(part + LIST + (<usize>listed << 2), offset);
  listed++;
}

/** The first two axes, and the third one and its opposite. */
let row0: v128 = f64x2.splat(0);
let row1: v128 = f64x2.splat(0);
let row2: v128 = f64x2.splat(0);
let third0: v128 = f64x2.splat(0);
let third1: v128 = f64x2.splat(0);
let third2: v128 = f64x2.splat(0);

export function loadRows(axes: usize): void {
  row0 = pair(load<f64>(axes), load<f64>(axes, 24));
  row1 = pair(load<f64>(axes, 8), load<f64>(axes, 32));
  row2 = pair(load<f64>(axes, 16), load<f64>(axes, 40));
  third0 = pair(load<f64>(axes, 48), -load<f64>(axes, 48));
  third1 = pair(load<f64>(axes, 56), -load<f64>(axes, 56));
  third2 = pair(load<f64>(axes, 64), -load<f64>(axes, 64));
}

/** Projects the listed vertices along axes, and writes their box. */
export function projectVertices(axes: usize, box: usize): void {
  loadRows(axes);
  const r0 = row0;
  const r1 = row1;
  const r2 = row2;
  const t0 = third0;
  const t1 = third1;
  const t2 = third2;
  let low = f64x2.splat(Infinity);
  let high = f64x2.splat(-Infinity);
  let ends = low;
  const last = part + LIST + (<usize>listed << 2);
  for (let at = part + LIST; at < last; at += 4) {
    const p = part + XYZ + load<u32>(at);
    const x = v128.load64_splat(p);
    const y = v128.load64_splat(p, 8);
    const z = v128.load64_splat(p, 16);
    const u = dotTwo(r0, r1, r2, x, y, z);
    const w = dotTwo(t0, t1, t2, x, y, z);
    v128.store(p, u, PROJECTED - XYZ);
    v128.store(p, w, PROJECTED - XYZ + 16);
    low = f64x2.pmin(low, u);
    high = f64x2.pmax(high, u);
    ends = f64x2.pmin(ends, w);
  }
  v128.store(box, low);
  v128.store(box, f64x2.neg(high), 16);
  v128.store(box, ends, 32);
}

/** Writes the spans of a range's triangles along the axes of the last projection. */
export function storeSpans(start: i32, end: i32): void {
  const projected = part + PROJECTED;
  let to = part + SPANS + BOX * <usize>start;
  for (let i = start; i < end; i++) {
    const record = recordAt(i);
    const p = projected + load<u32>(record);
    const q = projected + load<u32>(record, 4);
    const r = projected + load<u32>(record, 8);
    const a = v128.load(p);
    const b = v128.load(q);
    const c = v128.load(r);
    v128.store(to, f64x2.pmin(f64x2.pmin(a, b), c));
    v128.store(to, f64x2.neg(f64x2.pmax(f64x2.pmax(a, b), c)), 16);
    v128.store(to, f64x2.pmin(f64x2.pmin(v128.load(p, 16), v128.load(q, 16)), v128.load(r, 16)), 32);
    to += BOX;
  }
}

/** Writes the box along axes of the triangle whose 9 doubles are at t. */
export function boxOfTriangle(t: usize, axes: usize, box: usize): void {
  loadRows(axes);
  spanOfTriangle(t, box, row0, row1, row2, third0, third1, third2);
}

/** Writes the span of any triangle of the mesh along the axes of loadRows. */
export function spanOf(t: u32, to: usize): void {
  const corners = triangles + 12 * <usize>t;
  const r0 = row0;
  const r1 = row1;
  const r2 = row2;
  const t0 = third0;
  const t1 = third1;
  const t2 = third2;
  let low = f64x2.splat(Infinity);
  let high = f64x2.splat(-Infinity);
  let ends = low;
  for (let c: usize = 0; c < 12; c += 4) {
    const p = positions + 24 * <usize>load<u32>(corners + c);
    const x = f64x2.splat(load<f64>(p) - originX);
    const y = f64x2.splat(load<f64>(p, 8) - originY);
    const z = f64x2.splat(load<f64>(p, 16) - originZ);
    const u = dotTwo(r0, r1, r2, x, y, z);
    low = f64x2.pmin(low, u);
    high = f64x2.pmax(high, u);
    ends = f64x2.pmin(ends, dotTwo(t0, t1, t2, x, y, z));
  }
  v128.store(to, low);
  v128.store(to, f64x2.neg(high), 16);
  v128.store(to, ends, 32);
}
