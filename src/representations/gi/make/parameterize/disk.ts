/**
 * Embeds a disk in the square [-1,1]^2, its whole rim pinned to the square's sides, coarse to fine.
 *
 * Inner vertices are collapsed while this leaves no chord along a side of the square. The rest is
 * placed by Tutte's method (`placeInMeans`) and relaxed. Then the collapses are undone with the
 * placement and relaxation of embed.ts.
 *
 * The triangles cover the square exactly once. Each is positively oriented, certified by
 * `turnsLeft` on coordinates that are multiples of 2^-46. The rim's vertices lie on the sides
 * exactly and in order, with one at every corner. So the map is continuous, takes the rim onto the
 * square's perimeter once around, and has degree 1 about every point inside. Off the edges each
 * triangle over a point counts 1, so exactly one triangle lies there.
 *
 * It seldom fails: the first embedding has few vertices, and each undone collapse has room beside
 * the vertex it went into (see embed.ts). At a rim vertex the fan's angle is at most pi, and the
 * bisector goes inward. Flat Tutte over all vertices instead puts a tube's far end at
 *   exp(-2 pi height / rim)
 * below 2^-46 for ten rims' lengths.
 */
import { MeshError } from '../../../../base/errors.ts';
import { nextInTriangle as next, previousInTriangle as previous } from '../../../../mesh/topology.ts';
import { limitLength } from './aspect.ts';
import { closeDisk, type Disk, type Inserted, prepareDisk } from './disk-mesh.ts';
import { snap, turnsLeft } from './distortion.ts';
import { DEFAULT_EMBED_OPTIONS, type EmbedOptions, normalise, refine, turnsOf } from './embed.ts';
import { type HalfedgeMesh, simplify } from './simplify.ts';

export interface EmbedDiskOptions extends Omit<EmbedOptions, 'cones' | 'turns'> {
  /** True to include bends in lengths: see distortion.ts. */
  isBent?: boolean;
  /** Limit on the disk's length: see `limitLength` in aspect.ts; no limit if absent. */
  aspect?: number;
}

/**
 * Measured at 129, dB, with 3, 30 and 100 for coarseSweeps: bumpy spheres less one vertex's
 * triangles 75.5, 78.8, 78.9 and 76.6, 80.6, 81.1, the same with 328k triangles 77.8, 78.9, 80.3;
 * bunny less one 64.8, 67.2, 67.4. Aspect 2.5 against none: tubes 5, 10, 30 times as long as thick
 * 81.1 for 78.4, 83.0 for 77.6, 89.9 for 74.6; 1.5 is better still at 65 and worse at 257.
 */
export const DEFAULT_DISK_OPTIONS: EmbedDiskOptions = { ...DEFAULT_EMBED_OPTIONS, coarseSweeps: 100, aspect: 2 };

export interface DiskEmbedding {
  positions: Float64Array;
  triangles: Uint32Array;
  /** The disk's triangle that contains each triangle. */
  source: Int32Array;
  inserted: Inserted;
  /** The result's rim in order, with places around the square. */
  boundary: Int32Array;
  perimeter: Float64Array;
  /** Place in the square of each corner, x, y at 2h for half-edge h = 3t + k. */
  corners: Float64Array;
  /**
   * Sum over the surface of the squared singular values of square -> surface; 8 where isometric.
   * The surface's length is limited by `aspect`, then its area is scaled to 4.
   */
  stretch: number;
}

/**
 * Inner vertices at which coarsening stops. Measured at 129 with 3 coarse sweeps, worst loss
 * against 8 in dB: 0.2 at 0, 0.9 at 16, 1.4 at 32, 3.3 at 64, 36.5 at 400. So flat Tutte, over all
 * vertices, is no choice.
 */
const COARSEST = 8;
const COARSE_SWEEPS = 20;

/**
 * Embeds a disk.
 *
 * @param perimeter place of each vertex of `disk.boundary` around the square, in [0, 4), strictly
 *   increasing but for one wrap: 0 is (-1,-1), 1 (1,-1), 2 (1,1), 3 (-1,1)
 * @throws MeshError if the mesh is no disk or rounding leaves a vertex no room
 */
export function embedDisk(
  disk: Disk,
  perimeter: ArrayLike<number>,
  options: EmbedDiskOptions = DEFAULT_DISK_OPTIONS,
): DiskEmbedding {
  const prepared = prepareDisk(disk, perimeter);
  const { triangles, sides, boundary } = prepared;
  const { aspect } = options;
  const limited = aspect ? limitLength(prepared.positions, triangles, aspect) : prepared.positions;
  const scaled = normalise(limited, triangles);
  const { mesh, positions, infinity } = closeDisk({ ...prepared, positions: scaled });
  const log = simplify(mesh, positions, {
    target: boundary.length + 1 + COARSEST,
    keep: [...boundary, infinity],
    mayCollapse: (m, h) => leavesNoChord(m, h, sides),
    ...(options.onProgress && { onProgress: (f: number) => options.onProgress?.('simplify', f) }),
  });
  const places = new Float64Array(2 * infinity);
  boundary.forEach((v, i) => {
    const p = prepared.perimeter[i];
    const side = Math.floor(p);
    const along = 2 * (p - side) - 1;
    places[2 * v] = [along, 1, -along, -1][side];
    places[2 * v + 1] = [-1, along, 1, -along][side];
  });
  const free = placeCoarse(mesh, infinity, sides, places);
  const refineOptions = { ...options, settle: true, ...(options.isBent && { turns: turnsOf(scaled, triangles) }) };
  const { corners, stretch } = refine({ mesh, log }, positions, refineOptions, (refinement) => {
    refinement.pin(infinity, 0, 0);
    for (const v of boundary) refinement.pin(v, places[2 * v], places[2 * v + 1]);
    for (const v of free) refinement.activate(v, places[2 * v], places[2 * v + 1]);
    refinement.sweep(COARSE_SWEEPS);
    refinement.run();
    return layOut(triangles, scaled, refinement.places);
  });
  return {
    positions: prepared.positions,
    triangles,
    source: prepared.source,
    inserted: prepared.inserted,
    boundary,
    perimeter: prepared.perimeter,
    corners,
    stretch,
  };
}

/** True if u hands v no neighbor that shares a side with v. */
function leavesNoChord(mesh: HalfedgeMesh, h: number, sides: Uint8Array): boolean {
  const { origin, twin } = mesh;
  const onV = sides[origin[next(h)]];
  if (onV === 0) return true;
  const last = previous(twin[h]);
  // From the neighbor after the one shared in h's triangle to the one before that in its twin's.
  let e = twin[previous(twin[previous(h)])];
  for (; origin[next(e)] !== origin[last]; e = twin[previous(e)]) {
    if ((sides[origin[next(e)]] & onV) !== 0) return false;
  }
  return true;
}

/** Places the inner vertices, and returns their numbers. */
function placeCoarse(mesh: HalfedgeMesh, infinity: number, sides: Uint8Array, places: Float64Array): Int32Array {
  const free = Int32Array.from({ length: infinity }, (_, v) => v).filter(
    (v) => mesh.outgoing[v] >= 0 && sides[v] === 0,
  );
  placeInMeans(mesh, free, places);
  for (const v of free) {
    places[2 * v] = snap(places[2 * v]);
    places[2 * v + 1] = snap(places[2 * v + 1]);
  }
  for (const v of free) {
    if (!seesItsRing(mesh, v, places)) {
      throw new MeshError('expected a disk that flattens within 46 bits, found no room for its coarsest form');
    }
  }
  return free;
}

function seesItsRing({ origin, twin, outgoing }: HalfedgeMesh, v: number, places: Float64Array): boolean {
  const x = places[2 * v];
  const y = places[2 * v + 1];
  const first = outgoing[v];
  let e = first;
  do {
    const a = 2 * origin[next(e)];
    const back = previous(e);
    const b = 2 * origin[back];
    if (!turnsLeft(places[a] - x, places[a + 1] - y, places[b] - x, places[b + 1] - y)) return false;
    e = twin[back];
  } while (e !== first);
  return true;
}

function layOut(triangles: Uint32Array, p: Float64Array, places: Float64Array) {
  const corners = new Float64Array(2 * triangles.length);
  let stretch = 0;
  for (let h = 0; h < triangles.length; h += 3) {
    const u = triangles[h];
    const a = triangles[h + 1];
    const b = triangles[h + 2];
    const ux = places[2 * u];
    const uy = places[2 * u + 1];
    const ax = places[2 * a] - ux;
    const ay = places[2 * a + 1] - uy;
    const bx = places[2 * b] - ux;
    const by = places[2 * b + 1] - uy;
    if (!turnsLeft(ax, ay, bx, by))
      throw new MeshError(`expected a disk that flattens within 46 bits, found a flat triangle`);
    for (let k = 0; k < 3; k++) {
      corners[2 * (h + k)] = places[2 * triangles[h + k]];
      corners[2 * (h + k) + 1] = places[2 * triangles[h + k] + 1];
    }
    stretch += triangleStretch(p, 3 * u, 3 * a, 3 * b, ax, ay, bx, by);
  }
  return { corners, stretch };
}

/**
 * Surface area times the squared lengths of the derivatives by x and y, for the surface's edges A,
 * B:
 *   (by A - ay B) / d and (ax B - bx A) / d
 * Sums of squares give a sliver's stretch correctly, where the cotangent formula gives noise.
 */
function triangleStretch(
  p: Float64Array,
  u: number,
  a: number,
  b: number,
  ax: number,
  ay: number,
  bx: number,
  by: number,
): number {
  const d = ax * by - ay * bx;
  const p0 = p[a] - p[u];
  const p1 = p[a + 1] - p[u + 1];
  const p2 = p[a + 2] - p[u + 2];
  const q0 = p[b] - p[u];
  const q1 = p[b + 1] - p[u + 1];
  const q2 = p[b + 2] - p[u + 2];
  const x0 = (by * p0 - ay * q0) / d;
  const x1 = (by * p1 - ay * q1) / d;
  const x2 = (by * p2 - ay * q2) / d;
  const y0 = (ax * q0 - bx * p0) / d;
  const y1 = (ax * q1 - bx * p1) / d;
  const y2 = (ax * q2 - bx * p2) / d;
  const n0 = p1 * q2 - p2 * q1;
  const n1 = p2 * q0 - p0 * q2;
  const n2 = p0 * q1 - p1 * q0;
  const area = Math.sqrt(n0 * n0 + n1 * n1 + n2 * n2) / 2;
  return area * (x0 * x0 + x1 * x1 + x2 * x2 + y0 * y0 + y1 * y1 + y2 * y2);
}

/*
 * Places the inner vertices of a mesh with a fixed rim in the means of their neighbors.
 *
 * W. Tutte, "How to draw a graph", Proceedings of the London Mathematical Society 13, 1963: with
 * the rim on a convex polygon no triangle turns over. The linear system is symmetric and positive.
 * Conjugate gradients with the diagonal as preconditioner solve it (J. Shewchuk, "An Introduction
 * to the Conjugate Gradient Method Without the Agonizing Pain", 1994, section 12). Equal weights
 * suffice, since the mesh is coarse and later every vertex moves.
 */

const TOLERANCE = 1e-15;

/** Sets the places of the vertices `free`; their neighbors are free, too, or placed already. */
function placeInMeans(mesh: HalfedgeMesh, free: Int32Array, places: Float64Array): void {
  const { origin, twin, outgoing } = mesh;
  const row = new Int32Array(outgoing.length).fill(-1);
  free.forEach((v, i) => {
    row[v] = i;
  });
  const start = new Int32Array(free.length + 1);
  const column: number[] = [];
  const valence = new Float64Array(free.length);
  const knownX = new Float64Array(free.length);
  const knownY = new Float64Array(free.length);
  for (let i = 0; i < free.length; i++) {
    const first = outgoing[free[i]];
    let e = first;
    do {
      const n = origin[next(e)];
      valence[i]++;
      if (row[n] >= 0) column.push(row[n]);
      else {
        knownX[i] += places[2 * n];
        knownY[i] += places[2 * n + 1];
      }
      e = twin[previous(e)];
    } while (e !== first);
    start[i + 1] = column.length;
  }
  const matrix = { start, column: Int32Array.from(column), valence };
  const solvedX = solve(matrix, knownX);
  const solvedY = solve(matrix, knownY);
  free.forEach((v, i) => {
    places[2 * v] = solvedX[i];
    places[2 * v + 1] = solvedY[i];
  });
}

/** Valence on the diagonal, -1 in each column of row i. */
interface MeanMatrix {
  start: Int32Array;
  column: Int32Array;
  valence: Float64Array;
}

function solve({ start, column, valence }: MeanMatrix, known: Float64Array): Float64Array {
  const n = known.length;
  const x = new Float64Array(n);
  const residual = known.slice();
  const direction = new Float64Array(n);
  const image = new Float64Array(n);
  let rho = 0;
  let size = 0;
  for (let i = 0; i < n; i++) {
    direction[i] = residual[i] / valence[i];
    rho += residual[i] * direction[i];
    size += residual[i] * residual[i];
  }
  const enough = TOLERANCE * TOLERANCE * size;
  for (let step = 0; step < 10 * n + 100 && size > enough; step++) {
    let curvature = 0;
    for (let i = 0; i < n; i++) {
      let sum = valence[i] * direction[i];
      for (let k = start[i]; k < start[i + 1]; k++) sum -= direction[column[k]];
      image[i] = sum;
      curvature += sum * direction[i];
    }
    if (!(curvature > 0)) break;
    const length = rho / curvature;
    const before = rho;
    rho = 0;
    size = 0;
    for (let i = 0; i < n; i++) {
      x[i] += length * direction[i];
      residual[i] -= length * image[i];
      rho += (residual[i] * residual[i]) / valence[i];
      size += residual[i] * residual[i];
    }
    const turn = rho / before;
    for (let i = 0; i < n; i++) direction[i] = residual[i] / valence[i] + turn * direction[i];
  }
  return x;
}
