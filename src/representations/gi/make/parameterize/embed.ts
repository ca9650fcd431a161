/**
 * Embeds a closed genus-0 mesh in the pillowcase, coarse to fine. The pillowcase is a folded
 * square, whose group comes last in this file.
 *
 * The mesh is simplified to a tetrahedron whose corners are pinned to the four cone points. Then
 * the collapses are undone one by one: each vertex is put where it sees its ring, and it and the
 * ring relax. The whole mesh relaxes whenever it has grown by a factor. The coarse-to-fine scheme
 * is that of E. Praun, H. Hoppe, "Spherical Parametrization and Remeshing", SIGGRAPH 2003, section
 * 3, moved from the sphere to the flat pillowcase, so that no triangle is ever curved.
 *
 * It can fail only by rounding: undoing u from v gives u the triangles of a fan at v whose angle is
 * below 2 pi (below pi at a cone). A point next to v on the fan's bisector sees all of them, so the
 * kernel of u's ring is never empty. Every triangle is positively oriented at every moment,
 * certified by `turnsLeft`.
 */
import { MeshError, OptionError } from '../../../../base/errors.ts';
import { runBuild, type Workshop, whyNotBuilt } from '../../../../kernels/memory.ts';
import { nextInTriangle as next, previousInTriangle as previous, vertexNormals } from '../../../../mesh/topology.ts';
import { placed, placeInKernel, type Ring, surfaceArea, TURN, tryPlace, turnsLeft, weigh } from './distortion.ts';
import { KERNEL, type KernelName } from './kernel.generated.ts';
import {
  LENGTHS,
  MOVES,
  ORDER,
  ORDER_ENERGY,
  ORIGIN,
  OUTGOING,
  PINNED,
  PLACES,
  RECORD_BYTES,
  RING,
  RING_ROW,
  TWIN,
  VERTICES,
  WEIGHTS,
} from './layout.as.ts';
import {
  type CollapseLog,
  collapseTo,
  createHalfedgeMesh,
  type HalfedgeMesh,
  type Simplification,
  startSimplifying,
} from './simplify.ts';

export interface ClosedMesh {
  /** Normalized (see `normalise`): the energies expect the surface's area to be the domain's, 4. */
  positions: Float64Array;
  triangles: ArrayLike<number>;
  /** The same edge in the other triangle, per half-edge 3t + k. */
  twin: Int32Array;
  /** Begun by `simplifying`; whoever simplifies the mesh continues it. */
  simplification?: Simplification;
}

export interface EmbedOptions {
  /** The four vertices pinned to the cones; number `opposite` is opposite the first. */
  cones?: { vertices: ArrayLike<number>; opposite: 1 | 2 | 3 };
  sweeps: number;
  finalSweeps: number;
  /**
   * Most relaxations at a growth while the mesh is small: together at most the work of one at the
   * end. Changes over long distances happen there or hardly at all. Default `sweeps`.
   */
  coarseSweeps?: number;
  growth: number;
  settle?: boolean;
  /** Three more coordinates of each vertex, included in lengths: see `turnsOf`. */
  turns?: Float64Array;
  onProgress?: (stage: 'simplify' | 'embed', fraction: number) => void;
}

/**
 * Measured as in distortion.ts at 257. Growths from 1.2 to 2, sweeps from 2 to 5 and final sweeps
 * from 5 to 20 lower the stretch, but stay within 0.2 dB. By then the mesh has settled, and no
 * choice is better for all. Growth 1.2 takes 5 to 25 % more time, 2 takes 10 % less, 20 final
 * sweeps 10 to 30 % more.
 */
export const DEFAULT_EMBED_OPTIONS: EmbedOptions = { sweeps: 3, finalSweeps: 10, growth: 1.35 };

export interface Embedding {
  /** Place of each corner, x, y at 2h for half-edge h; a triangle's corners share a chart. */
  corners: Float64Array;
  cones: Int32Array;
  /** Sum over the surface of squared singular values of domain -> surface; at least 8. */
  stretch: number;
}

const LEAST_WORK = 30_000;
/**
 * With more vertices than this, a new one relaxes without its neighbors; the next sweep relaxes
 * them all. Measured at 257: a quarter of the embedding's time, and within 0.1 dB with 43k, 134k
 * and 389k vertices. Beyond 5000 the bound of the first grows by a fifth.
 */
const ALONE = 20_000;
const NARROW = 20;
const SETTLE_ROUNDS = 60;

/** Centers the mesh and scales its area to 4, the area of the domain. */
export function normalise(positions: Float64Array, triangles: ArrayLike<number>): Float64Array {
  const count = positions.length / 3;
  const centre = [0, 0, 0];
  for (let i = 0; i < positions.length; i++) centre[i % 3] += positions[i] / count;
  const moved = positions.map((x, i) => x - centre[i % 3]);
  let area = 0;
  for (let t = 0; t < triangles.length; t += 3) {
    area += Math.sqrt(squaredCross(moved, 3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2]));
  }
  if (!(area > 0) || !Number.isFinite(area)) throw new MeshError('expected a surface with an area, found none');
  const scale = Math.sqrt(8 / area);
  return moved.map((x) => x * scale);
}

/** Unit normals of a normalized mesh's vertices, times TURN. */
export const turnsOf = (positions: Float64Array, triangles: ArrayLike<number>): Float64Array =>
  vertexNormals(positions, triangles).map((x) => TURN * x);

function squaredCross(p: Float64Array, a: number, b: number, c: number): number {
  const ux = p[b] - p[a];
  const uy = p[b + 1] - p[a + 1];
  const uz = p[b + 2] - p[a + 2];
  const vx = p[c] - p[a];
  const vy = p[c + 1] - p[a + 1];
  const vz = p[c + 2] - p[a + 2];
  const x = uy * vz - uz * vy;
  const y = uz * vx - ux * vz;
  const z = ux * vy - uy * vx;
  return x * x + y * y + z * z;
}

export interface Coarse {
  mesh: HalfedgeMesh;
  log: CollapseLog;
}

export const simplifying = ({ triangles, twin, positions }: ClosedMesh): Simplification =>
  startSimplifying(createHalfedgeMesh(triangles, twin, positions.length / 3), positions);

/** Simplifies `source` to the tetrahedron of its cones, or to any. */
export function coarsenToTetrahedron(source: ClosedMesh, options: Pick<EmbedOptions, 'cones' | 'onProgress'>): Coarse {
  const simplification = source.simplification ?? simplifying(source);
  const log = collapseTo(simplification, {
    target: 4,
    ...(options.cones && { keep: options.cones.vertices }),
    ...(options.onProgress && { onProgress: (f: number) => options.onProgress?.('simplify', f) }),
  });
  return { mesh: simplification.mesh, log };
}

/** Throws MeshError if rounding leaves a vertex no room. */
export const embedFrom = (coarse: Coarse, positions: Float64Array, options: EmbedOptions): Embedding =>
  refine(coarse, positions, options, (refinement) => {
    const cones = refinement.pinTetrahedron();
    refinement.run();
    return { ...refinement.layOut(), cones };
  });

/** Passes on a refinement of a coarse mesh, which stays as it is. */
export function refine<T>(
  coarse: Coarse,
  positions: Float64Array,
  options: EmbedOptions,
  work: (refinement: Refinement) => T,
): T {
  const done = runBuild(KERNEL, (workshop) => ({ result: work(new Refinement(workshop, coarse, positions, options)) }));
  if (!done) throw new OptionError(`geometry images are embedded in WebAssembly, ${whyNotBuilt()}`);
  return done.result;
}

/** An embedding on its way to the source, in kernel.as.ts. Pin and place the coarse mesh first. */
class Refinement {
  /** x, y of vertex v at 2v. */
  readonly places: Float64Array;
  private readonly log: CollapseLog;
  private readonly origin: Int32Array;
  private readonly twin: Int32Array;
  private readonly outgoing: Int32Array;
  private readonly pinned: Uint8Array;
  private readonly moves: Int32Array;
  private readonly lengths: Float64Array;
  private readonly weights: Float64Array;
  private readonly order: Int32Array;
  private readonly orderEnergy: Float64Array;
  private readonly ring: Ring;
  private readonly record: number;
  private readonly functions: Workshop<KernelName>['functions'];
  private activeCount = 0;

  constructor(
    { memory, functions, hold }: Workshop<KernelName>,
    { mesh, log }: Coarse,
    private readonly positions: Float64Array,
    private readonly options: EmbedOptions,
  ) {
    const halfedges = mesh.origin.length;
    const vertices = mesh.outgoing.length;
    const row = 8 * (log.mostNeighbors + 2);
    // Doubles first, so that all are aligned.
    const parts = [
      [LENGTHS, 8 * halfedges],
      [WEIGHTS, (16 * halfedges) / 3],
      [PLACES, 16 * vertices],
      [ORDER_ENERGY, 8 * vertices],
      [RING, 6 * row],
      [ORIGIN, 4 * halfedges],
      [TWIN, 4 * halfedges],
      [MOVES, 4 * halfedges],
      [OUTGOING, 4 * vertices],
      [ORDER, 4 * vertices],
      [PINNED, vertices],
    ] as const;
    const record = hold(parts.reduce((sum, [, bytes]) => sum + bytes, RECORD_BYTES));
    const { buffer } = memory;
    const fields = new Uint32Array(buffer, record, RECORD_BYTES / 4);
    let address = record + RECORD_BYTES;
    for (const [field, bytes] of parts) {
      fields[field / 4] = address;
      address += bytes;
    }
    fields[RING_ROW / 4] = row;
    fields[VERTICES / 4] = vertices;
    const numbers = (field: number, count: number): Int32Array => new Int32Array(buffer, fields[field / 4], count);
    const doubles = (field: number, count: number): Float64Array => new Float64Array(buffer, fields[field / 4], count);
    this.record = record;
    this.functions = functions;
    this.log = log;
    this.origin = numbers(ORIGIN, halfedges);
    this.twin = numbers(TWIN, halfedges);
    this.moves = numbers(MOVES, halfedges).fill(0);
    this.outgoing = numbers(OUTGOING, vertices);
    this.order = numbers(ORDER, vertices);
    this.orderEnergy = doubles(ORDER_ENERGY, vertices);
    this.pinned = new Uint8Array(buffer, fields[PINNED / 4], vertices).fill(0);
    this.lengths = doubles(LENGTHS, halfedges);
    this.weights = doubles(WEIGHTS, (2 * halfedges) / 3);
    this.places = doubles(PLACES, 2 * vertices).fill(0);
    this.ring = {
      count: 0,
      x: doubles(RING, row / 8),
      y: new Float64Array(buffer, fields[RING / 4] + row, row / 8),
      energyAt: (x, y) => functions.ringEnergy(record, this.ring.count, x, y),
    };
    this.origin.set(mesh.origin);
    this.twin.set(mesh.twin);
    this.outgoing.set(mesh.outgoing);
    for (let v = 0; v < vertices; v++) if (this.outgoing[v] >= 0) this.measureAround(v);
  }

  pin(v: number, x: number, y: number): void {
    this.places[2 * v] = x;
    this.places[2 * v + 1] = y;
    this.pinned[v] = 1;
  }

  activate(v: number, x: number, y: number): void {
    this.places[2 * v] = x;
    this.places[2 * v + 1] = y;
    this.activeCount++;
  }

  run(): void {
    const { log } = this;
    const { sweeps, finalSweeps, growth, onProgress, coarseSweeps = sweeps } = this.options;
    const count = this.outgoing.length;
    const work = Math.max(LEAST_WORK, count);
    let nextSweep = 8;
    for (let i = log.count - 1; i >= 0; i--) {
      this.split(log.vertex[i], log.into[i], log.halfedge[i]);
      if (this.activeCount >= nextSweep) {
        this.sweep(Math.max(sweeps, Math.min(coarseSweeps, Math.round(work / this.activeCount))));
        nextSweep = Math.ceil(this.activeCount * growth);
        onProgress?.('embed', (0.7 * this.activeCount) / count);
      }
    }
    for (let k = 0; k < finalSweeps; k++) {
      this.sweep(1);
      onProgress?.('embed', 0.7 + (0.3 * (k + 1)) / finalSweeps);
    }
  }

  /** Pins the last four vertices: two faces are the square of cones, the other two its back. */
  pinTetrahedron(): Int32Array {
    const { origin, twin, outgoing, moves } = this;
    const { cones } = this.options;
    const wanted = cones ? Array.from(cones.vertices) : [];
    const first = cones ? wanted[0] : outgoing.findIndex((h) => h >= 0);
    // The front's diagonal runs from cone 0 to cone 2, so the opposite vertex becomes cone 2.
    let h = outgoing[first];
    if (cones) while (origin[previous(h)] !== wanted[cones.opposite]) h = twin[previous(h)];
    const labels = Int32Array.of(first, origin[next(h)], origin[previous(h)], origin[previous(twin[previous(h)])]);
    labels.forEach((v, k) => {
      this.pin(v, CONE_X[k], CONE_Y[k]);
      this.activeCount++;
    });
    // Every edge is straight but the back's diagonal (cones 1 and 3), which crosses two folds.
    const start = outgoing[labels[1]];
    let e = start;
    do {
      if (origin[next(e)] === labels[3]) {
        moves[e] = moveBy(2, 2);
        moves[twin[e]] = inverseOf(moves[e]);
      }
      e = twin[previous(e)];
    } while (e !== start);
    return labels;
  }

  /** Undoes a collapse: see simplify.ts. The new vertex shares its neighbor's chart. */
  private split(u: number, v: number, h: number): void {
    const { origin, twin, outgoing, moves, places, lengths } = this;
    const t = twin[h];
    const h1 = next(h);
    const t1 = next(t);
    const a = twin[h1];
    const b = twin[previous(h)];
    const c = twin[t1];
    const d = twin[previous(t)];
    twin[a] = h1;
    twin[b] = previous(h);
    twin[c] = t1;
    twin[d] = previous(t);
    moves[h1] = moves[b];
    moves[t1] = moves[d];
    moves[h] = moves[t] = 0;
    moves[a] = inverseOf(moves[h1]);
    moves[previous(t)] = inverseOf(moves[d]);
    lengths[h1] = lengths[a];
    lengths[previous(t)] = lengths[d];
    origin[h] = u;
    outgoing[u] = h;
    outgoing[v] = t;
    // u's other half-edges were v's. At a cone they are known up to a half-turn: choose it so that
    // u sees a fan. (At a pinned disk vertex, nothing is turned.)
    const atCone = this.pinned[v] === 1;
    const vx = places[2 * v];
    const vy = places[2 * v + 1];
    let lastX = 0;
    let lastY = 0;
    let e = b;
    for (;;) {
      origin[e] = u;
      if (atCone) {
        const n = origin[next(e)];
        let nx = signOf(moves[e]) * places[2 * n] + shiftXOf(moves[e]) - vx;
        let ny = signOf(moves[e]) * places[2 * n + 1] + shiftYOf(moves[e]) - vy;
        if (e !== b && lastX * ny - lastY * nx < 0) {
          // Appends the half-turn about the cone.
          moves[e] = moveBy(2 * vx - shiftXOf(moves[e]), 2 * vy - shiftYOf(moves[e]));
          nx = -nx;
          ny = -ny;
        }
        lastX = nx;
        lastY = ny;
      }
      moves[twin[e]] = inverseOf(moves[e]);
      if (e === t1) break;
      e = twin[previous(e)];
    }
    this.activeCount++;
    this.measureAround(u);
    this.place(u, v);
    if (this.activeCount <= ALONE) this.functions.relaxAround(this.record, u);
    else this.functions.relaxVertex(this.record, u, 3);
  }

  /** Measures u's edges, and then its triangles. */
  private measureAround(u: number): void {
    const { origin, twin, lengths, weights, positions: p } = this;
    const { turns } = this.options;
    const first = this.outgoing[u];
    let e = first;
    do {
      const n = origin[next(e)];
      const length = squaredDistance(p, u, n) + (turns ? squaredDistance(turns, u, n) : 0);
      lengths[e] = lengths[twin[e]] = length;
      e = twin[previous(e)];
    } while (e !== first);
    do {
      const back = previous(e);
      const triangle = (Math.min(e, back) / 3) | 0;
      weigh(weights, 2 * triangle, lengths[3 * triangle], lengths[3 * triangle + 1], lengths[3 * triangle + 2]);
      e = twin[back];
    } while (e !== first);
  }

  private place(u: number, v: number): void {
    this.ring.count = this.functions.gatherRing(this.record, u);
    if (!placeInKernel(this.ring) && !this.placeBeside(v)) {
      throw new MeshError(
        `expected a mesh that flattens within 46 bits, found no room for vertex ${u} beside vertex ${v}: its neighbourhood is too degenerate`,
      );
    }
    this.places[2 * u] = placed.x;
    this.places[2 * u + 1] = placed.y;
  }

  private placeBeside(v: number): boolean {
    const { ring } = this;
    const x = this.places[2 * v];
    const y = this.places[2 * v + 1];
    // Neighbor 0 is v itself, since outgoing[u] leads to v. w follows it and x precedes it.
    const wx = ring.x[1] - x;
    const wy = ring.y[1] - y;
    const zx = ring.x[ring.count - 1] - x;
    const zy = ring.y[ring.count - 1] - y;
    const w = Math.sqrt(wx * wx + wy * wy);
    const z = Math.sqrt(zx * zx + zy * zy);
    const convex = wx * zy - wy * zx > 0 ? 1 : -1;
    let dx = convex * (wx / w + zx / z);
    let dy = convex * (wy / w + zy / z);
    if (dx * dx + dy * dy < 1e-12) {
      dx = -wy / w;
      dy = wx / w;
    }
    for (let step = Math.min(w, z); step > 2 ** -45; step /= 4) {
      if (tryPlace(ring, x + step * dx, y + step * dy)) return true;
    }
    return false;
  }

  sweep(times: number): void {
    const count = this.functions.relaxAll(this.record, times);
    if (this.options.settle) this.settle(this.order.slice(0, count), this.orderEnergy.subarray(0, count));
  }

  /**
   * Relaxes rings of high energy (`energy`: per vertex of `order`, by the last sweep). Near a
   * triangle of almost no area the energy is as 1 / D^2, and a Newton step enlarges D by at most a
   * third. So a vertex in a narrow kernel and its neighbors need dozens of steps; a sweep gives
   * one.
   */
  private settle(order: Int32Array, energy: Float64Array): void {
    let mean = 0;
    for (let i = 0; i < order.length; i++) mean += (Math.min(energy[i], NARROW * (mean || energy[i])) - mean) / (i + 1);
    const most = NARROW * mean;
    let narrow = order.filter((_, i) => energy[i] > most);
    for (let round = 0; round < SETTLE_ROUNDS && narrow.length > 0; round++) {
      narrow = narrow.filter((v) => this.functions.relaxVertex(this.record, v, 2) > most);
    }
  }

  layOut(): Omit<Embedding, 'cones'> {
    const { origin, twin, moves, places, pinned, positions } = this;
    const corners = new Float64Array(2 * origin.length);
    let stretch = 0;
    for (let f = 0; f < origin.length; f += 3) {
      // In the chart of a corner that is no cone, which all but a bare tetrahedron have.
      let h = f;
      while (h < f + 3 && pinned[origin[h]] === 1) h++;
      if (h === f + 3) h = f;
      const h1 = next(h);
      const h2 = previous(h);
      const u = origin[h];
      const b = origin[h1];
      const c = origin[h2];
      const back = twin[h2];
      const ux = places[2 * u];
      const uy = places[2 * u + 1];
      const bx = signOf(moves[h]) * places[2 * b] + shiftXOf(moves[h]);
      const by = signOf(moves[h]) * places[2 * b + 1] + shiftYOf(moves[h]);
      let cx = signOf(moves[back]) * places[2 * c] + shiftXOf(moves[back]);
      let cy = signOf(moves[back]) * places[2 * c + 1] + shiftYOf(moves[back]);
      if (pinned[u] === 1 && (bx - ux) * (cy - uy) - (by - uy) * (cx - ux) < 0) {
        cx = 2 * ux - cx;
        cy = 2 * uy - cy;
      }
      const ax = bx - ux;
      const ay = by - uy;
      const zx = cx - ux;
      const zy = cy - uy;
      if (!turnsLeft(ax, ay, zx, zy)) throw new Error(`triangle ${f / 3} is not certainly oriented in the domain`);
      corners[2 * h] = ux;
      corners[2 * h + 1] = uy;
      corners[2 * h1] = bx;
      corners[2 * h1 + 1] = by;
      corners[2 * h2] = cx;
      corners[2 * h2 + 1] = cy;
      const la = squaredDistance(positions, u, b);
      const lb = squaredDistance(positions, u, c);
      const lc = squaredDistance(positions, b, c);
      const d = ax * zy - ay * zx;
      const n =
        (ax * zx + ay * zy) * lc - (ax * (zx - ax) + ay * (zy - ay)) * lb + (zx * (zx - ax) + zy * (zy - ay)) * la;
      stretch += (surfaceArea(la, lb, lc) * n) / (d * d);
    }
    return { corners, stretch };
  }
}

function squaredDistance(p: Float64Array, a: number, b: number): number {
  const x = p[3 * a] - p[3 * b];
  const y = p[3 * a + 1] - p[3 * b + 1];
  const z = p[3 * a + 2] - p[3 * b + 2];
  return x * x + y * y + z * z;
}

/*
 * The pillowcase: the square [-1,1]^2 with each side folded about its midpoint, a flat sphere with
 * four cone points.
 *
 * It is the plane modulo the group p2 generated by the half-turns about the side midpoints (1,0),
 * (0,1), (-1,0), (0,-1): the flat orbifold of type (2,2,2,2) of N. Aigerman, Y. Lipman, "Orbifold
 * Tutte Embeddings", SIGGRAPH Asia 2015, and the octahedral unfolding's boundary rule of E. Praun,
 * H. Hoppe, "Spherical Parametrization and Remeshing", SIGGRAPH 2003.
 *
 * An element of the group, with s = 1 if i + j is even and s = -1 if it is odd, is
 *   p -> s p + 2 (i, j)
 * Every vertex has a place in its own chart. Every half-edge from u to v carries the element that
 * takes v's place into u's chart. The shifts are even integers, so moves between charts never
 * round.
 */

/** Cone points in cyclic order; the square of cones (0,1,2,3) is the front of the pillow. */
const CONE_X = [1, 0, -1, 0] as const;
const CONE_Y = [0, 1, 0, -1] as const;

/*
 * A half-edge's element as 32 bits: the shifts by x and y, 16 each. They tell s, too: each is twice
 * a whole number.
 */
const moveBy = (x: number, y: number): number => (x << 16) | (y & 0xffff);
const shiftXOf = (move: number): number => move >> 16;
const shiftYOf = (move: number): number => (move << 16) >> 16;
const signOf = (move: number): number => 1 - ((shiftXOf(move) + shiftYOf(move)) & 2);
const inverseOf = (move: number): number => moveBy(-signOf(move) * shiftXOf(move), -signOf(move) * shiftYOf(move));
