/**
 * Chooses charts: cuts while that lowers the error, measured on a quick embedding of each part.
 *
 * A chart's cost c is its squared error times the square of its quads, see allocate.ts. With N
 * samples in all, the least total error, and each chart's share for it, are
 *   S^3 / N^2, S the sum of c^(1/3)
 *   n = N c^(1/3) / S
 * One more sample lowers the error by
 *   L = 2 S^3 / N^3
 * so a chart of n samples with the error c / n^2 weighs, in samples,
 *   n + c / (n^2 L) = n + (n / 2)
 * A chart that needs at least m > n samples weighs
 *   m + n^3 / (2 m^2)
 * A cut is worth it if the parts weigh less. Without m this is the sum of cube roots again; with
 * it, a flat chart weighs as many samples as its rim needs. The error is measured because stretch
 * alone cuts too much: a seam costs samples and bends the surface beside it.
 *
 * Halves are always tried. If the image would be poor, other cuts are tried, too: into flat faces
 * and the rest between them, along creases, and for socks along their limbs. Faces have no error at
 * all, while samples that run across an edge cut it off. Measured at 257, pillowcase or halves
 * against these cuts, in dB: pinion 72.9, 89.4; a comb 60.2, 79.8; a spiral 49.1, 82.5; 100 boxes
 * 72.9, 336.
 */
import { type ManifoldMesh, perMesh } from '../../../../mesh/manifold.ts';
import { bisect } from '../segment/halves.ts';
import { measureTopology, topologyOf } from '../segment/regions.ts';
import { cutIntoDisks, cutIntoFewDisks } from '../segment/segment.ts';
import type { PlannedChart } from './sampled-chart.ts';

/** A cut must leave at most this part of a chart's weight, so that seams are few. */
const LEAST_GAIN = 0.94;
/** Stop halving at this many charts, or at half of this above the initial count if more. */
const MOST_CHARTS = 64;
const OTHERS = 4;
const LEAST_SHARE = 0.01;
const MOST_PARTS = 128;
const LEAST_FACE = 1 / 512;
/** With so few triangles faces are always tried: it may be a box. */
const FEW = 64;
/** Least cosine between the normals of a face, and between neighbors without a crease. */
const SMOOTH = 0.9;
/** The least distance between tips is relative to the first one's distance. */
const MOST_TIPS = 12;
const TIP = 0.3;
/** Least 4 pi area / perimeter^2 of a sock; a flat disk has 1. */
const SOCK = 1.5;

export interface PricedChart extends PlannedChart {
  /** Infinite if it could not be embedded. */
  cost: number;
  smallest: number;
  /** False if the cost is a guess. */
  isMeasured?: boolean;
  /** True if it has no error within, only at its rim. */
  isPlanar?: boolean;
  /** Doublings of the samples per side beyond those that the cost gets. */
  doublings?: number;
  /** Place around the square, from 0 to 4, of a boundary vertex when the cost was measured. */
  corner: { vertex: number; place: number };
}

export interface Shared {
  samples: number;
  /** Sum of the cube roots of other costs that share these samples. */
  others: number;
  /** Above this sum of cube roots an image is poor, and faces are tried. */
  poor: number;
  flat: number;
}

/** A chart's weight in samples; `sum` is that of all costs' cube roots. */
export function weightOf(
  { cost, smallest }: Pick<PricedChart, 'cost' | 'smallest'>,
  samples: number,
  sum: number,
): number {
  const least = ((1 << smallest) + 1) ** 2;
  const share = sum > 0 ? (samples * Math.cbrt(cost)) / sum : 0;
  return share >= least ? 1.5 * share : least + (0.5 * share * share * share) / (least * least);
}

/** Returns disks priced by `price`; a chart that cannot be embedded is cut down to triangles. */
export function chooseCharts(
  mesh: ManifoldMesh,
  disks: readonly Int32Array[],
  price: (triangles: Int32Array) => PricedChart,
  { samples, others, poor, flat }: Shared,
): PricedChart[] {
  const most = Math.max(MOST_CHARTS, disks.length + MOST_CHARTS / 2);
  const open = disks.map(price);
  const done: PricedChart[] = [];
  let sum = others;
  for (const { cost } of open) if (cost < Number.POSITIVE_INFINITY) sum += Math.cbrt(cost);
  open.sort((a, b) => a.cost - b.cost);
  while (open.length > 0) {
    const chart = open.pop()!;
    const isEmbedded = chart.cost < Number.POSITIVE_INFINITY;
    const isLarge = Math.cbrt(chart.cost) > LEAST_SHARE * sum;
    const room = (isEmbedded ? most : Number.POSITIVE_INFINITY) - done.length - open.length;
    const parts =
      chart.triangles.length === 1 || (isEmbedded && !isLarge)
        ? null
        : cutsOf(mesh, chart, price, { samples, sum, room, othersRoom: room + (OTHERS - 1) * most, poor, flat });
    if (!parts) {
      done.push(chart);
      continue;
    }
    if (isEmbedded) sum -= Math.cbrt(chart.cost);
    for (const { cost } of parts) if (cost < Number.POSITIVE_INFINITY) sum += Math.cbrt(cost);
    open.push(...parts);
    open.sort((a, b) => a.cost - b.cost);
  }
  return done;
}

interface Choice extends Pick<Shared, 'samples' | 'poor' | 'flat'> {
  sum: number;
  /** Most parts: for halves, and for other cuts. */
  room: number;
  othersRoom: number;
}

function cutsOf(
  mesh: ManifoldMesh,
  chart: PricedChart,
  price: (triangles: Int32Array) => PricedChart,
  { samples, sum, room, othersRoom, poor, flat }: Choice,
): PricedChart[] | null {
  const { triangles } = chart;
  if (!(chart.cost < Number.POSITIVE_INFINITY)) return halve(mesh, triangles).map(price);
  let best: PricedChart[] | null = null;
  let least = LEAST_GAIN * weightOf(chart, samples, sum);
  const offer = (parts: Int32Array[] | null): void => {
    const priced = parts && pricedBelow(parts, least, price, samples, sum);
    if (priced) [best, least] = [priced, total(priced, samples, sum)];
  };
  if (room >= 2) offer(halve(mesh, triangles));
  if (!(sum > poor || triangles.length <= FEW)) return best;
  offer(faces(mesh, triangles, flat, othersRoom));
  offer(faces(mesh, triangles, Number.POSITIVE_INFINITY, othersRoom));
  if (isSock(mesh, triangles)) offer(limbs(mesh, triangles, othersRoom));
  return best;
}

function pricedBelow(
  parts: readonly Int32Array[],
  limit: number,
  price: (triangles: Int32Array) => PricedChart,
  samples: number,
  sum: number,
): PricedChart[] | null {
  const order = parts.map((_, i) => i).sort((i, j) => parts[j].length - parts[i].length || i - j);
  const priced: PricedChart[] = [];
  let weight = 0;
  for (const i of order) {
    priced[i] = price(parts[i]);
    weight += weightOf(priced[i], samples, sum);
    if (!(weight < limit)) return null;
  }
  return priced;
}

export const total = (charts: readonly PricedChart[], samples: number, sum: number): number =>
  charts.reduce((all, chart) => all + weightOf(chart, samples, sum), 0);

export const halve = (mesh: ManifoldMesh, triangles: Int32Array): Int32Array[] =>
  bisect(mesh, triangles).flatMap((part) => cutIntoDisks(mesh, part));

/**
 * Cuts a connected region along its creases into at most `room` disks: faces and the rest between
 * them. Faces are at most `flat` from their planes, or curved if it is infinite. Returns null if
 * there are no faces, or too many parts.
 */
export function faces(mesh: ManifoldMesh, triangles: Int32Array, flat: number, room = MOST_PARTS): Int32Array[] | null {
  const most = Math.min(room, MOST_PARTS);
  const parts = facesOf(mesh, triangles, flat, { most, largest: 1, rest: 1 });
  return parts && disksOf(mesh, parts, most);
}

interface FaceLimits {
  most: number;
  /** Largest part of the area in one face, and in none. */
  largest: number;
  rest: number;
}

function facesOf(
  mesh: ManifoldMesh,
  triangles: Int32Array,
  flat: number,
  { most, largest, rest: mostRest }: FaceLimits,
): Int32Array[] | null {
  const count = triangles.length;
  const region = regionNormals(mesh, triangles);
  const { twice, area } = region;
  const order = Array.from(triangles, (_, i) => i).sort((i, j) => twice[j] - twice[i] || i - j);
  const isTaken = new Uint8Array(count);
  const found: number[][] = [];
  const rest: number[] = [];
  let covered = 0;
  for (const seed of order) {
    if (isTaken[seed]) continue;
    const face = growFace(mesh, region, seed, flat, isTaken);
    const size = face.reduce((sum, i) => sum + twice[i], 0);
    if (size > largest * area) return null;
    if (size >= LEAST_FACE * area) {
      found.push(face);
      covered += size;
    } else for (const i of face) rest.push(i);
    if (found.length > most) return null;
  }
  if (area - covered > mostRest * area) return null;
  if (found.length === 0 || 2 * found.length > count || (found.length === 1 && rest.length === 0)) return null;
  const parts: Int32Array[] = found.map((face) => Int32Array.from(face, (i) => triangles[i]).sort());
  parts.push(...piecesOf(mesh, Int32Array.from(rest, (i) => triangles[i]).sort()));
  return parts;
}

function disksOf(mesh: ManifoldMesh, parts: readonly Int32Array[], most: number): Int32Array[] | null {
  const least = parts.map((part) => (topologyOf(mesh, part).eulerCharacteristic === 1 ? 1 : 2));
  let count = least.reduce((sum, n) => sum + n, 0);
  const disks: Int32Array[] = [];
  for (let i = 0; i < parts.length; i++) {
    if (count > most) return null;
    const own = cutIntoFewDisks(mesh, parts[i], most - count + least[i]);
    if (!own) return null;
    count += own.length - least[i];
    disks.push(...own);
  }
  return count > most ? null : disks;
}

/** A region's triangles by place: normals with twice the area's length, and their sum. */
export interface RegionNormals {
  triangles: Int32Array;
  /** Place of each triangle in the region. Other entries hold a place of another triangle. */
  own: Int32Array;
  normal: Float64Array;
  twice: Float64Array;
  area: number;
}

const placesIn = /* @__PURE__ */ perMesh(({ triangles }) => new Int32Array(triangles.length / 3));
export function regionNormals(mesh: ManifoldMesh, triangles: Int32Array): RegionNormals {
  const { positions: p, triangles: corners } = mesh;
  const placeIn = placesIn(mesh);
  const normal = new Float64Array(3 * triangles.length);
  const twice = new Float64Array(triangles.length);

  let area = 0;
  for (let i = 0; i < triangles.length; i++) {
    placeIn[triangles[i]] = i;
    const [a, b, c] = [0, 1, 2].map((k) => 3 * corners[3 * triangles[i] + k]);
    const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
    const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
    const n = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    normal.set(n, 3 * i);
    twice[i] = Math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    area += twice[i];
  }
  return { triangles, own: placeIn, normal, twice, area };
}

/** Returns a face's places around `seed` in the order reached, and marks them as used. */
export function growFace(
  { positions: p, triangles: corners, twin }: ManifoldMesh,
  { triangles, own, normal, twice }: RegionNormals,
  seed: number,
  flat: number,
  isTaken: Uint8Array,
): number[] {
  const face = [seed];
  isTaken[seed] = 1;
  if (!(twice[seed] > 0)) return face;
  const [x, y, z] = [0, 1, 2].map((k) => normal[3 * seed + k] / twice[seed]);
  const from = 3 * corners[3 * triangles[seed]];
  const height = x * p[from] + y * p[from + 1] + z * p[from + 2];
  for (let head = 0; head < face.length; head++) {
    const j = face[head];
    for (let k = 0; k < 3; k++) {
      const g = twin[3 * triangles[j] + k];
      if (g < 0) continue;
      const i = own[(g / 3) | 0];
      if (triangles[i] !== ((g / 3) | 0) || isTaken[i]) continue;
      const [nx, ny, nz] = [normal[3 * i], normal[3 * i + 1], normal[3 * i + 2]];
      let isFlat =
        flat === Number.POSITIVE_INFINITY
          ? normal[3 * j] * nx + normal[3 * j + 1] * ny + normal[3 * j + 2] * nz >= SMOOTH * twice[i] * twice[j]
          : x * nx + y * ny + z * nz >= SMOOTH * twice[i];
      for (let c = 0; c < 3 && isFlat; c++) {
        const v = 3 * corners[3 * triangles[i] + c];
        isFlat = !(Math.abs(x * p[v] + y * p[v + 1] + z * p[v + 2] - height) > flat);
      }
      if (!isFlat) continue;
      isTaken[i] = 1;
      face.push(i);
    }
  }
  return face;
}

const waitingIn = /* @__PURE__ */ perMesh(({ twin }) => new Uint8Array(twin.length / 3));

function piecesOf(mesh: ManifoldMesh, triangles: Int32Array): Int32Array[] {
  const { twin } = mesh;
  const isWaiting = waitingIn(mesh);
  for (const t of triangles) isWaiting[t] = 1;
  const pieces: Int32Array[] = [];
  for (const start of triangles) {
    if (isWaiting[start] === 0) continue;
    const piece = [start];
    isWaiting[start] = 0;
    for (let head = 0; head < piece.length; head++) {
      for (let h = 3 * piece[head]; h < 3 * piece[head] + 3; h++) {
        const t = twin[h] < 0 ? -1 : Math.floor(twin[h] / 3);
        if (t < 0 || isWaiting[t] === 0) continue;
        isWaiting[t] = 0;
        piece.push(t);
      }
    }
    pieces.push(Int32Array.from(piece).sort());
  }
  return pieces;
}

/**
 * Cuts a disk or a sphere along its limbs into at most `room` disks. With a hole at each tip it has
 * several rims, and cutIntoDisks cuts lengthwise along the paths that join two rims. Afterward the
 * holes are filled again. A limb in one chart would be a sock that must be stretched over the
 * square. Returns null if there are no two tips (or a rim and a tip), or too many parts.
 */
export function limbs(mesh: ManifoldMesh, triangles: Int32Array, room = Number.POSITIVE_INFINITY): Int32Array[] | null {
  const tips = tipsOf(mesh, triangles);
  if (tips === null) return null;
  const holes = new Set(tips);
  const parts = cutIntoFewDisks(
    mesh,
    triangles.filter((_, i) => !holes.has(i)),
    room,
  );
  if (!parts) return null;
  fillHoles(
    mesh,
    parts,
    tips.map((tip) => triangles[tip]),
  );
  return parts.length > room ? null : parts;
}

/**
 * Finds the places of triangles far from each other and from the rim, in hops. Returns null if
 * there are no two of them, or a rim and one.
 */
function tipsOf({ twin }: ManifoldMesh, triangles: Int32Array): number[] | null {
  const own = new Map<number, number>();
  triangles.forEach((t, i) => {
    own.set(t, i);
  });
  const neighbours = new Int32Array(3 * triangles.length);
  const hops = new Int32Array(triangles.length);
  const queue: number[] = [];
  triangles.forEach((t, i) => {
    for (let k = 0; k < 3; k++) {
      neighbours[3 * i + k] = twin[3 * t + k] < 0 ? -1 : (own.get(Math.floor(twin[3 * t + k] / 3)) ?? -1);
    }
  });
  for (let i = 0; i < triangles.length; i++) {
    hops[i] = triangles.length;
    if (neighbours[3 * i] < 0 || neighbours[3 * i + 1] < 0 || neighbours[3 * i + 2] < 0) start(i);
  }
  function start(i: number): void {
    hops[i] = 0;
    queue.push(i);
  }
  function spread(): number {
    let last = queue[0];
    for (let head = 0; head < queue.length; head++) {
      last = queue[head];
      for (let k = 0; k < 3; k++) {
        const i = neighbours[3 * last + k];
        if (i < 0 || hops[i] <= hops[last] + 1) continue;
        hops[i] = hops[last] + 1;
        queue.push(i);
      }
    }
    queue.length = 0;
    return last;
  }
  const furthest = (): number => {
    let most = 0;
    for (let i = 1; i < hops.length; i++) if (hops[i] > hops[most]) most = i;
    return most;
  };
  const hasRim = queue.length > 0;
  const tips: number[] = [];
  if (!hasRim) {
    start(0);
    const first = spread();
    hops.fill(triangles.length);
    tips.push(first);
    start(first);
  }
  spread();
  let length = 0;
  while (tips.length < MOST_TIPS) {
    const tip = furthest();
    length = Math.max(length, hops[tip]);
    if (hops[tip] < 4 || hops[tip] < TIP * length) break;
    tips.push(tip);
    start(tip);
    spread();
  }
  return tips.length < (hasRim ? 1 : 2) ? null : tips;
}

function fillHoles(mesh: ManifoldMesh, parts: Int32Array[], holes: readonly number[]): void {
  for (const t of holes) {
    const beside = parts.findIndex((part, p) => {
      if (!part.some((other) => isBeside(mesh, t, other))) return false;
      const filled = Int32Array.from([...part, t]).sort();
      if (topologyOf(mesh, filled).eulerCharacteristic !== 1) return false;
      parts[p] = filled;
      return true;
    });
    if (beside < 0) parts.push(Int32Array.of(t));
  }
}

/** True if a disk has more area than its rim could enclose in a plane. */
function isSock({ positions: p, triangles: corners, twin }: ManifoldMesh, triangles: Int32Array): boolean {
  const inside = new Set(triangles);
  let area = 0;
  let perimeter = 0;
  for (const t of triangles) {
    const [a, b, c] = [3 * corners[3 * t], 3 * corners[3 * t + 1], 3 * corners[3 * t + 2]];
    const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
    const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
    const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    area += Math.sqrt(x * x + y * y + z * z) / 2;
    for (let k = 0; k < 3; k++) {
      const g = twin[3 * t + k];
      if (g >= 0 && inside.has(Math.floor(g / 3))) continue;
      const [from, to] = [3 * corners[3 * t + k], 3 * corners[3 * t + ((k + 1) % 3)]];
      const [dx, dy, dz] = [p[to] - p[from], p[to + 1] - p[from + 1], p[to + 2] - p[from + 2]];
      perimeter += Math.sqrt(dx * dx + dy * dy + dz * dz);
    }
  }
  return 4 * Math.PI * area > SOCK * perimeter * perimeter;
}

const isBeside = ({ twin }: ManifoldMesh, t: number, other: number): boolean =>
  [0, 1, 2].some((k) => twin[3 * t + k] >= 0 && Math.floor(twin[3 * t + k] / 3) === other);

export function cutFurther(mesh: ManifoldMesh, chart: PricedChart): PricedChart[] {
  const { cost, smallest, corner, least } = chart;
  const parts = halve(mesh, chart.triangles);
  return parts.map((triangles) => {
    if (triangles.length === 1) return { triangles, cost: 0, smallest, corner };
    return { triangles, cost: cost / parts.length ** 3, smallest, corner, ...(least !== undefined && { least }) };
  });
}

/**
 * A surface with holes or handles is cut along its creases if its faces cover most of it and no
 * face is nearly all of it. Then the surface consists of faces, and the holes are faces, too.
 */
const CREASED = { most: 4096, largest: 0.9, rest: 0.1 } satisfies FaceLimits;

/** Flat parts with more boundary edges are halved, so that rims have a sample at each corner. */
const LONG_RIM = 16;

/**
 * Cuts a connected surface along its creases into disks, the flat ones with short rims. Corners
 * need samples, and a larger chart has a smaller part of its samples on its rim. Returns null if
 * the surface isn't made of faces.
 */
export function cutAlongCreases(mesh: ManifoldMesh, triangles: Int32Array, flat: number): Int32Array[] | null {
  const parts = facesOf(mesh, triangles, Number.POSITIVE_INFINITY, CREASED);
  if (!parts) return null;
  return parts.flatMap((part) => cutIntoDisks(mesh, part)).flatMap((part) => shortRims(mesh, part, flat));
}

function shortRims(mesh: ManifoldMesh, triangles: Int32Array, flat: number): Int32Array[] {
  if (triangles.length < 2 || measureTopology(mesh, triangles).border <= LONG_RIM) return [triangles];
  if (!isPlanar(mesh, triangles, flat)) return [triangles];
  return halve(mesh, triangles).flatMap((part) => shortRims(mesh, part, flat));
}

/** True if all corners are within `flat` of a plane, and no triangle faces the other way. */
export function isPlanar(mesh: ManifoldMesh, triangles: Int32Array, flat: number): boolean {
  const { positions: p, triangles: corners } = mesh;
  const { normal, twice } = regionNormals(mesh, triangles);
  let largest = 0;
  for (let i = 1; i < twice.length; i++) if (twice[i] > twice[largest]) largest = i;
  if (!(twice[largest] > 0)) return false;
  const [x, y, z] = [0, 1, 2].map((k) => normal[3 * largest + k] / twice[largest]);
  const from = 3 * corners[3 * triangles[largest]];
  const height = x * p[from] + y * p[from + 1] + z * p[from + 2];
  for (let i = 0; i < triangles.length; i++) {
    if (x * normal[3 * i] + y * normal[3 * i + 1] + z * normal[3 * i + 2] < 0) return false;
    for (let k = 0; k < 3; k++) {
      const v = 3 * corners[3 * triangles[i] + k];
      if (Math.abs(x * p[v] + y * p[v + 1] + z * p[v + 2] - height) > flat) return false;
    }
  }
  return true;
}
