/**
 * Simplifies a closed genus-0 mesh to a tetrahedron by half-edge collapses, and logs them to undo
 * them.
 *
 * Quadric error: M. Garland, P. Heckbert, "Surface Simplification Using Quadric Error Metrics",
 * SIGGRAPH 1997, with area-weighted quadrics. The log read backwards is a progressive mesh: H.
 * Hoppe, "Progressive Meshes", SIGGRAPH 1996. A collapse moves no vertex, so every coarse mesh has
 * its vertices on the source.
 *
 * Departure: the cost also includes the squared edge length, with a penalty on the valence of the
 * remaining vertex. For the embedding, round, low-valence rings matter more than the last digit of
 * geometric error.
 *
 * Half-edge h = 3t + k runs from corner k of triangle t to the next corner. Collapsing h, from u to
 * v:
 *
 *            w                          w
 *          / | \                       | |
 *    h2, b/  |  \ a, h1                a,b
 *        / h |    \                    | |
 *       u ---+---- v       ->          v
 *        \ t |    /                    | |
 *    t1, c\  |  / d, t2                c,d
 *          \ | /                       | |
 *            x                          x
 *
 * u vanishes, v stays; triangles of h and of its twin t die. Their half-edge entries are left as
 * they were: undoing the collapse reads them back.
 */

import { nextInTriangle as next, previousInTriangle as previous } from '../../../../mesh/topology.ts';

export interface HalfedgeMesh {
  origin: Int32Array;
  twin: Int32Array;
  /** A half-edge that starts at v, or -1 if v has been collapsed. */
  outgoing: Int32Array;
}

/** Collapse i < `count` removed `vertex[i]` into `into[i]` along `halfedge[i]`. */
export interface CollapseLog {
  vertex: Int32Array;
  into: Int32Array;
  halfedge: Int32Array;
  count: number;
  mostNeighbors: number;
}

export function createHalfedgeMesh(triangles: ArrayLike<number>, twin: Int32Array, vertexCount: number): HalfedgeMesh {
  const origin = Int32Array.from(triangles);
  const outgoing = new Int32Array(vertexCount).fill(-1);
  for (let h = 0; h < origin.length; h++) outgoing[origin[h]] = h;
  return { origin, twin: twin.slice(), outgoing };
}

/** Coefficients of a symmetric 4x4 matrix per vertex: xx xy xz xd yy yz yd zz zd dd. */
const QUADRIC = 10;
/** Weight of squared length times mean triangle area. Measured: 0 loses 1 dB, 1e-2 0.5 dB. */
const LENGTH_WEIGHT = 1e-3;
const VALENCE_WEIGHT = 0.02;
/** Collapses that would raise a valence beyond this wait until no others are left. */
const MAX_VALENCE = 24;

/**
 * Above so many vertices `collapseInPasses` goes first. Measured at 257 with 778k triangles: 9 s
 * less of 22, for 0.2 dB less; with 269k 0.6 s less of 6, for 0.1 dB more.
 */
const MANY = 50_000;
/** Part of the vertices that may collapse in a pass, the cheapest ones. */
const PASS_PART = 0.4;
/** Passes end when one leaves more than this part. */
const LEAST_OF_PASS = 0.97;
/** Every so manieth cost is a sample. */
const SAMPLED = 64;

interface CollapseOptions {
  /** Vertices to stop at; at least 4. */
  target: number;
  keep?: ArrayLike<number>;
  onProgress?: (fraction: number) => void;
}

interface SimplifyOptions extends CollapseOptions {
  /** Further condition on legal collapses along h; the log ends early if none is left. */
  mayCollapse?: (mesh: HalfedgeMesh, h: number) => boolean;
}

/** A simplification under way: `collapseTo` continues it. */
export interface Simplification {
  mesh: HalfedgeMesh;
  log: CollapseLog;
  alive: number;
  positions: Float64Array;
  mayCollapse: SimplifyOptions['mayCollapse'];
  quadrics: Float64Array;
  /** Error of each vertex's quadric at itself. */
  ownError: Float64Array;
  lengthWeight: number;
  valence: Int32Array;
  kept: Uint8Array;
  /** 1 if a neighbor has changed since the cost was computed: mostly it has become larger. */
  isStale: Uint8Array;
  /** Cheapest half-edge out of each vertex, or -1, and its cost. */
  best: Int32Array;
  cost: Float64Array;
  /** Null until the first collapse. */
  heap: VertexHeap | null;
  mark: Int32Array;
  stamp: number;
}

/** Begins to simplify `mesh` in place; vertex v is at 3v of `positions`. */
export function startSimplifying(
  mesh: HalfedgeMesh,
  positions: Float64Array,
  mayCollapse?: SimplifyOptions['mayCollapse'],
): Simplification {
  const { origin, outgoing } = mesh;
  const vertexCount = outgoing.length;
  const { quadrics, area } = vertexQuadrics(origin, positions, vertexCount);
  const ownError = new Float64Array(vertexCount);
  let alive = 0;
  for (let v = 0; v < vertexCount; v++) {
    ownError[v] = quadricError(quadrics, v, positions);
    if (outgoing[v] >= 0) alive++;
  }
  const valence = new Int32Array(vertexCount);
  for (let h = 0; h < origin.length; h++) if (outgoing[origin[h]] >= 0) valence[origin[h]]++;
  const numbers = (): Int32Array => new Int32Array(vertexCount);
  return {
    mesh,
    log: {
      vertex: numbers(),
      into: numbers(),
      halfedge: numbers(),
      count: 0,
      mostNeighbors: valence.reduce((a, b) => Math.max(a, b), 0),
    },
    alive,
    positions,
    mayCollapse,
    quadrics,
    ownError,
    lengthWeight: (LENGTH_WEIGHT * area) / vertexCount,
    valence,
    kept: new Uint8Array(vertexCount),
    isStale: new Uint8Array(vertexCount),
    best: numbers(),
    cost: new Float64Array(vertexCount),
    heap: null,
    mark: numbers(),
    stamp: 0,
  };
}

/** True if only w and x neighbor both ends, and neither is left with two neighbors. */
function satisfiesLinkCondition(state: Simplification, h: number): boolean {
  const { origin, twin } = state.mesh;
  const { valence, mark } = state;
  const t = twin[h];
  if (valence[origin[previous(h)]] <= 3 || valence[origin[previous(t)]] <= 3) return false;
  const stamp = ++state.stamp;
  let e = h;
  do {
    mark[origin[next(e)]] = stamp;
    e = twin[previous(e)];
  } while (e !== h);
  let shared = 0;
  e = t;
  do {
    if (mark[origin[next(e)]] === stamp) shared++;
    e = twin[previous(e)];
  } while (e !== t);
  return shared === 2;
}

const isLegal = (state: Simplification, h: number): boolean =>
  satisfiesLinkCondition(state, h) && (state.mayCollapse === undefined || state.mayCollapse(state.mesh, h));

/**
 * Finds the cheapest collapse of u; checks legality only if `legalOnly`, else when it is next. The
 * cost of a collapse into v is the quadric error of u and of v at v, and the length's. The error of
 * u is not negative, so it is computed last, and only if the others leave the collapse a chance.
 */
function chooseCollapse(state: Simplification, u: number, legalOnly: boolean): void {
  const { origin, twin, outgoing } = state.mesh;
  const { valence, positions: p, quadrics, ownError, lengthWeight } = state;
  const q = QUADRIC * u;
  const qxx = quadrics[q];
  const qxy = quadrics[q + 1];
  const qxz = quadrics[q + 2];
  const qxd = quadrics[q + 3];
  const qyy = quadrics[q + 4];
  const qyz = quadrics[q + 5];
  const qyd = quadrics[q + 6];
  const qzz = quadrics[q + 7];
  const qzd = quadrics[q + 8];
  const qdd = quadrics[q + 9];
  const ux = p[3 * u];
  const uy = p[3 * u + 1];
  const uz = p[3 * u + 2];
  const own = valence[u];
  let cheapest = Number.POSITIVE_INFINITY;
  let choice = -1;
  const first = outgoing[u];
  let e = first;
  do {
    const v = origin[next(e)];
    const others = valence[v];
    const grows = own > 4 && others + own - 4 >= MAX_VALENCE;
    if ((legalOnly || !grows) && (!legalOnly || isLegal(state, e))) {
      const x = p[3 * v];
      const y = p[3 * v + 1];
      const z = p[3 * v + 2];
      const dx = x - ux;
      const dy = y - uy;
      const dz = z - uz;
      const length = lengthWeight * (dx * dx + dy * dy + dz * dz) * (1 + VALENCE_WEIGHT * others * others);
      if (ownError[v] + length < cheapest) {
        const error =
          x * (qxx * x + 2 * (qxy * y + qxz * z + qxd)) +
          y * (qyy * y + 2 * (qyz * z + qyd)) +
          z * (qzz * z + 2 * qzd) +
          qdd;
        const c = (error > 0 ? error : 0) + ownError[v] + length;
        if (c < cheapest) {
          cheapest = c;
          choice = e;
        }
      }
    }
    e = twin[previous(e)];
  } while (e !== first);
  state.cost[u] = cheapest;
  state.best[u] = choice;
}

function offer(state: Simplification, heap: VertexHeap, v: number): void {
  state.isStale[v] = 0;
  if (state.kept[v]) return;
  chooseCollapse(state, v, false);
  if (state.best[v] >= 0) heap.update(v);
  else heap.remove(v);
}

/** Leaves a vertex in the heap to be measured again when it comes out: that is seldom its turn. */
function touch(state: Simplification, heap: VertexHeap, v: number): void {
  if (heap.has(v)) state.isStale[v] = 1;
  else offer(state, heap, v);
}

function offerLegal(state: Simplification, heap: VertexHeap): void {
  const { outgoing } = state.mesh;
  for (let v = 0; v < outgoing.length; v++) {
    if (outgoing[v] < 0 || state.kept[v]) continue;
    chooseCollapse(state, v, true);
    if (state.best[v] >= 0) heap.update(v);
  }
}

function collapse(state: Simplification, h: number): void {
  const { origin, twin, outgoing } = state.mesh;
  const { quadrics, valence, log } = state;
  const t = twin[h];
  const u = origin[h];
  const v = origin[t];
  const a = twin[next(h)];
  const b = twin[previous(h)];
  const c = twin[next(t)];
  const d = twin[previous(t)];
  const w = origin[previous(h)];
  const x = origin[previous(t)];
  let e = h;
  do {
    origin[e] = v;
    e = twin[previous(e)];
  } while (e !== h);
  twin[a] = b;
  twin[b] = a;
  twin[c] = d;
  twin[d] = c;
  outgoing[u] = -1;
  outgoing[v] = b;
  outgoing[w] = a;
  outgoing[x] = c;
  for (let k = 0; k < QUADRIC; k++) quadrics[QUADRIC * v + k] += quadrics[QUADRIC * u + k];
  state.ownError[v] = quadricError(quadrics, v, state.positions);
  valence[v] += valence[u] - 4;
  if (valence[v] > log.mostNeighbors) log.mostNeighbors = valence[v];
  valence[w]--;
  valence[x]--;
  log.vertex[log.count] = u;
  log.into[log.count] = v;
  log.halfedge[log.count++] = h;
  state.alive--;
}

/** Collapses `mesh` in place: `startSimplifying` and `collapseTo`. */
export const simplify = (mesh: HalfedgeMesh, positions: Float64Array, options: SimplifyOptions): CollapseLog =>
  collapseTo(startSimplifying(mesh, positions, options.mayCollapse), options);

/**
 * Collapses the cheaper vertices where none of their neighbors has changed, over and
 * over, in numeric order. Neighbors lie near each other in memory, so this takes a fraction of the
 * time of the cheapest one first, and so does undoing it.
 */
function collapseInPasses(state: Simplification, target: number): void {
  const { origin, twin, outgoing } = state.mesh;
  const { best, cost, kept } = state;
  const count = outgoing.length;
  const touched = new Int32Array(count);
  for (let pass = 1, before = Number.POSITIVE_INFINITY; state.alive < LEAST_OF_PASS * before; pass++) {
    before = state.alive;
    const sample: number[] = [];
    for (let v = 0, n = 0; v < count; v++) {
      if (outgoing[v] < 0 || kept[v] === 1) continue;
      chooseCollapse(state, v, false);
      if (best[v] >= 0 && n++ % SAMPLED === 0) sample.push(cost[v]);
    }
    sample.sort((a, b) => a - b);
    const limit = sample[Math.floor(PASS_PART * sample.length)];
    for (let u = 0; u < count; u++) {
      if (outgoing[u] < 0 || kept[u] === 1 || touched[u] === pass || best[u] < 0 || !(cost[u] <= limit)) continue;
      const h = best[u];
      if (touched[origin[next(h)]] === pass || !isLegal(state, h)) continue;
      let e = h;
      do {
        touched[origin[next(e)]] = pass;
        e = twin[previous(e)];
      } while (e !== h);
      collapse(state, h);
      if (state.alive <= target) return;
    }
  }
}

/**
 * Collapses to `target` vertices, and returns the log from the beginning. Vertices that are kept
 * now are kept from now on.
 *
 * A closed triangulated sphere of more than four vertices has a collapsible edge (Steinitz), also
 * one that spares up to three given vertices' opposite corner. Throws Error if the link condition
 * leaves none for the kept set; then choose other cones.
 */
export function collapseTo(state: Simplification, { target, keep = [], onProgress }: CollapseOptions): CollapseLog {
  const { origin, twin, outgoing } = state.mesh;
  const { best, cost, log, kept, isStale } = state;
  const start = state.alive + log.count;
  for (let i = 0; i < keep.length; i++) kept[keep[i]] = 1;
  if (!state.heap && state.alive > MANY) collapseInPasses(state, Math.max(target, MANY));
  const heap = state.heap ?? new VertexHeap(cost);
  if (state.heap) for (let i = 0; i < keep.length; i++) heap.remove(keep[i]);
  else for (let v = 0; v < outgoing.length; v++) if (outgoing[v] >= 0) offer(state, heap, v);
  state.heap = heap;
  while (state.alive > target) {
    if (heap.size === 0) {
      offerLegal(state, heap);
      if (heap.size === 0 && state.mayCollapse !== undefined) break;
      if (heap.size === 0) throw new Error(`no legal collapse is left at ${state.alive} vertices`);
    }
    const u = heap.pop();
    if (isStale[u] === 1) {
      offer(state, heap, u);
      continue;
    }
    if (!isLegal(state, best[u])) {
      chooseCollapse(state, u, true);
      if (best[u] < 0) continue;
      if (heap.size > 0 && cost[u] > heap.leastCost()) {
        heap.update(u);
        continue;
      }
    }
    const v = origin[twin[best[u]]];
    collapse(state, best[u]);
    touch(state, heap, v);
    const first = outgoing[v];
    let e = first;
    do {
      touch(state, heap, origin[next(e)]);
      e = twin[previous(e)];
    } while (e !== first);
    if (onProgress && (log.count & 4095) === 0) onProgress(log.count / (start - target));
  }
  return log;
}

function vertexQuadrics(origin: Int32Array, positions: Float64Array, vertexCount: number) {
  const quadrics = new Float64Array(QUADRIC * vertexCount);
  let area = 0;
  for (let h = 0; h < origin.length; h += 3) {
    const a = 3 * origin[h];
    const b = 3 * origin[h + 1];
    const c = 3 * origin[h + 2];
    const ux = positions[b] - positions[a];
    const uy = positions[b + 1] - positions[a + 1];
    const uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[a];
    const vy = positions[c + 1] - positions[a + 1];
    const vz = positions[c + 2] - positions[a + 2];
    let nx = uy * vz - uz * vy;
    let ny = uz * vx - ux * vz;
    let nz = ux * vy - uy * vx;
    const length = Math.sqrt(nx * nx + ny * ny + nz * nz);
    if (!(length > 0)) continue;
    nx /= length;
    ny /= length;
    nz /= length;
    const d = -(nx * positions[a] + ny * positions[a + 1] + nz * positions[a + 2]);
    const weight = length / 2;
    area += weight;
    for (let k = 0; k < 3; k++) {
      const q = QUADRIC * origin[h + k];
      quadrics[q] += weight * nx * nx;
      quadrics[q + 1] += weight * nx * ny;
      quadrics[q + 2] += weight * nx * nz;
      quadrics[q + 3] += weight * nx * d;
      quadrics[q + 4] += weight * ny * ny;
      quadrics[q + 5] += weight * ny * nz;
      quadrics[q + 6] += weight * ny * d;
      quadrics[q + 7] += weight * nz * nz;
      quadrics[q + 8] += weight * nz * d;
      quadrics[q + 9] += weight * d * d;
    }
  }
  return { quadrics, area };
}

/** Quadric of vertex v at itself, clamped to 0 against rounding. */
function quadricError(quadrics: Float64Array, v: number, positions: Float64Array): number {
  const q = QUADRIC * v;
  const x = positions[3 * v];
  const y = positions[3 * v + 1];
  const z = positions[3 * v + 2];
  const error =
    x * (quadrics[q] * x + 2 * (quadrics[q + 1] * y + quadrics[q + 2] * z + quadrics[q + 3])) +
    y * (quadrics[q + 4] * y + 2 * (quadrics[q + 5] * z + quadrics[q + 6])) +
    z * (quadrics[q + 7] * z + 2 * quadrics[q + 8]) +
    quadrics[q + 9];
  return error > 0 ? error : 0;
}

/** Binary heap of vertices by cost; with each vertex's place a cost changes in O(log n). */
class VertexHeap {
  size = 0;
  private readonly heap: Int32Array;
  private readonly place: Int32Array;
  constructor(private readonly cost: Float64Array) {
    this.heap = new Int32Array(cost.length);
    this.place = new Int32Array(cost.length).fill(-1);
  }
  leastCost(): number {
    return this.cost[this.heap[0]];
  }
  has(v: number): boolean {
    return this.place[v] >= 0;
  }
  update(v: number): void {
    let i = this.place[v];
    if (i < 0) {
      i = this.size++;
      this.set(i, v);
    }
    this.sink(this.rise(i));
  }
  remove(v: number): void {
    const i = this.place[v];
    if (i < 0) return;
    this.place[v] = -1;
    const last = this.heap[--this.size];
    if (last === v) return;
    this.set(i, last);
    this.sink(this.rise(i));
  }
  pop(): number {
    const v = this.heap[0];
    this.remove(v);
    return v;
  }
  private set(i: number, v: number): void {
    this.heap[i] = v;
    this.place[v] = i;
  }
  private rise(from: number): number {
    const v = this.heap[from];
    let i = from;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (this.cost[this.heap[parent]] <= this.cost[v]) break;
      this.set(i, this.heap[parent]);
      i = parent;
    }
    this.set(i, v);
    return i;
  }
  private sink(from: number): void {
    const v = this.heap[from];
    let i = from;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= this.size) break;
      if (child + 1 < this.size && this.cost[this.heap[child + 1]] < this.cost[this.heap[child]]) child++;
      if (this.cost[this.heap[child]] >= this.cost[v]) break;
      this.set(i, this.heap[child]);
      i = child;
    }
    this.set(i, v);
  }
}
