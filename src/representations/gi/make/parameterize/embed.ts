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
import { MeshError } from '../../../../base/errors.ts';
import { nextInTriangle as next, previousInTriangle as previous, vertexNormals } from '../../../../mesh/topology.ts';
import { placeInKernel, Ring, relax, relaxed, surfaceArea, TURN, tryPlace, turnsLeft } from './distortion.ts';
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
 * from 5 to 20 lower the stretch, but stay within 0.2 dB: by then the mesh has settled, and no
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

/** Vertices with more neighbors only relax in sweeps: growing a fan of n would cost n^2. */
const CROWDED = 96;
const LEAST_WORK = 30_000;
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

export const copyOf = ({ origin, twin, outgoing }: HalfedgeMesh): HalfedgeMesh => {
  return { origin: origin.slice(), twin: twin.slice(), outgoing: outgoing.slice() };
};

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
export function embedFrom({ mesh, log }: Coarse, positions: Float64Array, options: EmbedOptions): Embedding {
  const refinement = new Refinement(mesh, positions, options);
  const cones = refinement.pinTetrahedron();
  refinement.run(log);
  return { ...refinement.layOut(), cones };
}

/** An embedding on its way to the source. Pin and place the coarse mesh first. */
export class Refinement {
  readonly x: Float64Array;
  readonly y: Float64Array;
  private readonly pinned: Uint8Array;
  private readonly transitions: Transitions;
  private readonly active: Int32Array;
  private activeCount = 0;
  private readonly ring = new Ring();

  constructor(
    private readonly mesh: HalfedgeMesh,
    private readonly positions: Float64Array,
    private readonly options: EmbedOptions,
  ) {
    const vertices = mesh.outgoing.length;
    this.x = new Float64Array(vertices);
    this.y = new Float64Array(vertices);
    this.pinned = new Uint8Array(vertices);
    this.transitions = createTransitions(mesh.origin.length);
    this.active = new Int32Array(vertices);
  }

  pin(v: number, x: number, y: number): void {
    this.x[v] = x;
    this.y[v] = y;
    this.pinned[v] = 1;
  }

  activate(v: number, x: number, y: number): void {
    this.x[v] = x;
    this.y[v] = y;
    this.active[this.activeCount++] = v;
  }

  run(log: CollapseLog): void {
    const { sweeps, finalSweeps, growth, onProgress, coarseSweeps = sweeps } = this.options;
    const work = Math.max(LEAST_WORK, this.active.length);
    let nextSweep = 8;
    for (let i = log.count - 1; i >= 0; i--) {
      this.split(log.vertex[i], log.into[i], log.halfedge[i]);
      if (this.activeCount >= nextSweep) {
        this.sweep(Math.max(sweeps, Math.min(coarseSweeps, Math.round(work / this.activeCount))));
        nextSweep = Math.ceil(this.activeCount * growth);
        onProgress?.('embed', (0.7 * this.activeCount) / this.active.length);
      }
    }
    for (let k = 0; k < finalSweeps; k++) {
      this.sweep(1);
      onProgress?.('embed', 0.7 + (0.3 * (k + 1)) / finalSweeps);
    }
  }

  /** Pins the last four vertices: two faces are the square of cones, the other two its back. */
  pinTetrahedron(): Int32Array {
    const { origin, twin, outgoing } = this.mesh;
    const { cones } = this.options;
    const wanted = cones ? Array.from(cones.vertices) : [];
    const first = cones ? wanted[0] : outgoing.findIndex((h) => h >= 0);
    // The front's diagonal runs from cone 0 to cone 2, so the opposite vertex becomes cone 2.
    let h = outgoing[first];
    if (cones) while (origin[previous(h)] !== wanted[cones.opposite]) h = twin[previous(h)];
    const labels = Int32Array.of(first, origin[next(h)], origin[previous(h)], origin[previous(twin[previous(h)])]);
    labels.forEach((v, k) => {
      this.x[v] = CONE_X[k];
      this.y[v] = CONE_Y[k];
      this.pinned[v] = 1;
      this.active[this.activeCount++] = v;
    });
    // Every edge is straight but the back's diagonal (cones 1 and 3), which crosses two folds.
    const { sign, shiftX, shiftY } = this.transitions;
    const start = outgoing[labels[1]];
    let e = start;
    do {
      if (origin[next(e)] === labels[3]) {
        sign[e] = 1;
        shiftX[e] = 2;
        shiftY[e] = 2;
        setInverse(this.transitions, e, twin[e]);
      }
      e = twin[previous(e)];
    } while (e !== start);
    return labels;
  }

  /** Undoes a collapse: see simplify.ts. The new vertex shares its neighbor's chart. */
  private split(u: number, v: number, h: number): void {
    const { origin, twin, outgoing } = this.mesh;
    const { transitions: g, x, y } = this;
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
    copyTransition(g, b, h1);
    copyTransition(g, d, t1);
    g.sign[h] = g.sign[t] = 1;
    g.shiftX[h] = g.shiftX[t] = g.shiftY[h] = g.shiftY[t] = 0;
    setInverse(g, h1, a);
    setInverse(g, d, previous(t));
    origin[h] = u;
    outgoing[u] = h;
    outgoing[v] = t;
    // u's other half-edges were v's. At a cone they are known up to a half-turn: choose it so that
    // u sees a fan. (At a pinned disk vertex, nothing is turned.)
    const atCone = this.pinned[v] === 1;
    let lastX = 0;
    let lastY = 0;
    let e = b;
    for (;;) {
      origin[e] = u;
      if (atCone) {
        const n = origin[next(e)];
        let nx = g.sign[e] * x[n] + g.shiftX[e] - x[v];
        let ny = g.sign[e] * y[n] + g.shiftY[e] - y[v];
        if (e !== b && lastX * ny - lastY * nx < 0) {
          turnAbout(g, e, x[v], y[v]);
          nx = -nx;
          ny = -ny;
        }
        lastX = nx;
        lastY = ny;
      }
      setInverse(g, e, twin[e]);
      if (e === t1) break;
      e = twin[previous(e)];
    }
    this.active[this.activeCount++] = u;
    this.place(u, v);
    this.relaxVertex(u, 3);
    this.relaxRing(u);
    this.relaxVertex(u, 1);
  }

  private place(u: number, v: number): void {
    this.gather(u);
    if (!placeInKernel(this.ring) && !this.placeBeside(v)) {
      throw new MeshError(
        `expected a mesh that flattens within 46 bits, found no room for vertex ${u} beside vertex ${v}: its neighbourhood is too degenerate`,
      );
    }
    this.x[u] = relaxed.x;
    this.y[u] = relaxed.y;
  }

  private placeBeside(v: number): boolean {
    const { ring, x, y } = this;
    // Neighbor 0 is v itself, since outgoing[u] leads to v. w follows it and x precedes it.
    const wx = ring.x[1] - x[v];
    const wy = ring.y[1] - y[v];
    const zx = ring.x[ring.count - 1] - x[v];
    const zy = ring.y[ring.count - 1] - y[v];
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
      if (tryPlace(ring, x[v] + step * dx, y[v] + step * dy)) return true;
    }
    return false;
  }

  private gather(u: number): void {
    const { origin, twin, outgoing } = this.mesh;
    const { positions, ring, x, y } = this;
    const { turns } = this.options;
    const { sign, shiftX, shiftY } = this.transitions;
    const first = outgoing[u];
    const ux = positions[3 * u];
    const uy = positions[3 * u + 1];
    const uz = positions[3 * u + 2];
    let n = 0;
    let e = first;
    do {
      if (n + 1 >= ring.x.length) ring.ensure(n + 2);
      const b = origin[next(e)];
      const back = previous(e);
      const c = origin[back];
      ring.x[n] = sign[e] * x[b] + shiftX[e];
      ring.y[n] = sign[e] * y[b] + shiftY[e];
      const bx = positions[3 * b];
      const by = positions[3 * b + 1];
      const bz = positions[3 * b + 2];
      const dx = bx - ux;
      const dy = by - uy;
      const dz = bz - uz;
      ring.spoke[n] = dx * dx + dy * dy + dz * dz + (turns ? squaredDistance(turns, b, u) : 0);
      const ex = positions[3 * c] - bx;
      const ey = positions[3 * c + 1] - by;
      const ez = positions[3 * c + 2] - bz;
      ring.rim[n] = ex * ex + ey * ey + ez * ez + (turns ? squaredDistance(turns, b, c) : 0);
      n++;
      e = twin[back];
    } while (e !== first);
    ring.count = n;
    ring.close();
  }

  private relaxVertex(u: number, steps: number): void {
    if (this.pinned[u] === 1) return;
    this.gather(u);
    relax(this.ring, this.x[u], this.y[u], steps);
    this.x[u] = relaxed.x;
    this.y[u] = relaxed.y;
  }

  private relaxRing(u: number): void {
    const { origin, twin, outgoing } = this.mesh;
    const first = outgoing[u];
    let e = first;
    do {
      const n = origin[next(e)];
      if (!this.isCrowded(n)) this.relaxVertex(n, 1);
      e = twin[previous(e)];
    } while (e !== first);
  }

  private isCrowded(u: number): boolean {
    const { twin, outgoing } = this.mesh;
    const first = outgoing[u];
    let e = first;
    let n = 0;
    do {
      if (++n > CROWDED) return true;
      e = twin[previous(e)];
    } while (e !== first);
    return false;
  }

  /** Relaxes vertices in numeric order: neighbors in a file are neighbors in memory. */
  sweep(times: number): void {
    const order = this.active.slice(0, this.activeCount).sort();
    const energy = new Float64Array(order.length);
    for (let k = 0; k < times; k++) {
      for (let i = 0; i < order.length; i++) {
        this.relaxVertex(order[i], 1);
        energy[i] = relaxed.energy;
      }
    }
    if (this.options.settle) this.settle(order, energy);
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
      narrow = narrow.filter((v) => {
        this.relaxVertex(v, 2);
        return relaxed.energy > most;
      });
    }
  }

  layOut(): Omit<Embedding, 'cones'> {
    const { origin, twin } = this.mesh;
    const { x, y, pinned, positions } = this;
    const { sign, shiftX, shiftY } = this.transitions;
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
      const bx = sign[h] * x[b] + shiftX[h];
      const by = sign[h] * y[b] + shiftY[h];
      let cx = sign[back] * x[c] + shiftX[back];
      let cy = sign[back] * y[c] + shiftY[back];
      if (pinned[u] === 1 && (bx - x[u]) * (cy - y[u]) - (by - y[u]) * (cx - x[u]) < 0) {
        cx = 2 * x[u] - cx;
        cy = 2 * y[u] - cy;
      }
      const ax = bx - x[u];
      const ay = by - y[u];
      const zx = cx - x[u];
      const zy = cy - y[u];
      if (!turnsLeft(ax, ay, zx, zy)) throw new Error(`triangle ${f / 3} is not certainly oriented in the domain`);
      corners[2 * h] = x[u];
      corners[2 * h + 1] = y[u];
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

/** Per half-edge: neighbor's place as seen from the origin's chart = sign * place + shift. */
interface Transitions {
  sign: Int8Array;
  shiftX: Int16Array;
  shiftY: Int16Array;
}

function createTransitions(halfedges: number): Transitions {
  return {
    sign: new Int8Array(halfedges).fill(1),
    shiftX: new Int16Array(halfedges),
    shiftY: new Int16Array(halfedges),
  };
}

function setInverse(t: Transitions, from: number, to: number): void {
  t.sign[to] = t.sign[from];
  t.shiftX[to] = -t.sign[from] * t.shiftX[from];
  t.shiftY[to] = -t.sign[from] * t.shiftY[from];
}

/** Appends the half-turn about the cone at (x, y), h's origin, to h's element. */
export function turnAbout(t: Transitions, h: number, x: number, y: number): void {
  t.sign[h] = -t.sign[h];
  t.shiftX[h] = 2 * x - t.shiftX[h];
  t.shiftY[h] = 2 * y - t.shiftY[h];
}

function copyTransition(t: Transitions, from: number, to: number): void {
  t.sign[to] = t.sign[from];
  t.shiftX[to] = t.shiftX[from];
  t.shiftY[to] = t.shiftY[from];
}
