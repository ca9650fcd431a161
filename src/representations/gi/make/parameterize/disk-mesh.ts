/**
 * Prepares a disk for the square: adds vertices at the square's corners and on chords, and a vertex
 * at infinity.
 *
 * A disk whose rim goes once around a convex polygon embeds with any positive weights if no
 * interior edge has both ends on one side (W. Tutte, "How to draw a graph", 1963; M. Floater,
 * "Parametrization and smooth approximation of surface triangulations", 1997, section 6). Here a
 * side of the square holds many rim vertices, so such chords are common. A vertex in the middle of
 * each makes two edges, each with an end inside. A rim edge across a corner of the square is cut
 * there. No other edge is changed, and no cut changes the surface.
 *
 * With a vertex at infinity and a triangle from it to every rim edge, the disk is a closed mesh of
 * genus 0. So collapses and their reversal need not know about a rim. Its position is NaN, so that
 * its triangles have no plane.
 */
import { MeshError } from '../../../../base/errors.ts';
import { halfedges, nextInTriangle as next, OPEN, previousInTriangle as previous } from '../../../../mesh/topology.ts';
import { createHalfedgeMesh, type HalfedgeMesh } from './simplify.ts';

export interface Disk {
  positions: Float64Array;
  /** Counterclockwise. */
  triangles: Uint32Array;
  /** Rim vertices, the surface on the left: edge i goes from boundary[i] to boundary[i + 1]. */
  boundary: ArrayLike<number>;
}

/** Vertex `first` + i lies at (1 - t) a + t b, where a and b have lower numbers. */
export interface Inserted {
  first: number;
  a: Int32Array;
  b: Int32Array;
  t: Float64Array;
}

interface PreparedDisk extends Disk {
  boundary: Int32Array;
  /** Place around the square, a multiple of 2^-47, or a corner if within 2^-30 of it. */
  perimeter: Float64Array;
  source: Int32Array;
  inserted: Inserted;
  /** Bit k is set if the vertex lies on side k of the square. */
  sides: Uint8Array;
  /** Twin of each half-edge, or OPEN at the rim. */
  twin: Int32Array;
}

/**
 * Cuts rim edges at the square's corners and chords in the middle. Throws MeshError for bad
 * perimeter places or no disk.
 */
export function prepareDisk(disk: Disk, perimeter: ArrayLike<number>): PreparedDisk {
  const { boundary: rim } = disk;
  const places = snapPerimeter(rim, perimeter);
  const { twin, rimEdges } = requireDisk(disk);
  const cornered = new CutMesh(disk.positions, Int32Array.from(disk.triangles), twin, null, 4);
  const boundary: number[] = [];
  const round: number[] = [];
  for (let i = 0; i < rim.length; i++) {
    const after = i + 1 < rim.length ? i + 1 : 0;
    const from = places[i];
    const to = places[after] > from ? places[after] : places[after] + 4;
    boundary.push(rim[i]);
    round.push(from);
    let h = cornered.now[rimEdges[i]];
    for (let corner = Math.floor(from) + 1; corner < to; corner++) {
      boundary.push(cornered.vertexCount);
      round.push(corner % 4);
      h = cornered.cut(h, rim[i], rim[after], (corner - from) / (to - from));
    }
  }
  const sides = new Uint8Array(cornered.vertexCount);
  boundary.forEach((v, i) => {
    const side = Math.floor(round[i]);
    sides[v] = 1 << side;
    if (side === round[i]) sides[v] |= 1 << ((side + 3) % 4);
  });
  const chords: number[] = [];
  for (let h = 0; h < 3 * cornered.triangleCount; h++) {
    const ends = sides[cornered.origin[h]] & sides[cornered.origin[next(h)]];
    if (cornered.twin[h] > h && ends !== 0) chords.push(h);
  }
  const cut = new CutMesh(cornered.positions, cornered.origin, cornered.twin, cornered, chords.length);
  for (const chord of chords) {
    const h = cut.now[chord];
    cut.cut(h, cut.origin[h], cut.origin[next(h)], 0.5);
  }
  const allSides = new Uint8Array(cut.vertexCount);
  allSides.set(sides);
  return {
    positions: cut.positions.slice(0, 3 * cut.vertexCount),
    triangles: Uint32Array.from(cut.origin.subarray(0, 3 * cut.triangleCount)),
    boundary: Int32Array.from(boundary),
    perimeter: Float64Array.from(round),
    source: cut.source.slice(0, cut.triangleCount),
    inserted: {
      first: disk.positions.length / 3,
      a: Int32Array.from(cut.a),
      b: Int32Array.from(cut.b),
      t: Float64Array.from(cut.t),
    },
    sides: allSides,
    twin: cut.twin.slice(0, 3 * cut.triangleCount),
  };
}

export function closeDisk(disk: Pick<PreparedDisk, 'positions' | 'triangles' | 'boundary' | 'twin'>): {
  mesh: HalfedgeMesh;
  positions: Float64Array;
  infinity: number;
} {
  const { boundary, triangles, twin } = disk;
  const infinity = disk.positions.length / 3;
  const rim = boundary.length;
  const first = triangles.length;
  const origin = new Int32Array(first + 3 * rim);
  const across = new Int32Array(first + 3 * rim);
  origin.set(triangles);
  across.set(twin);
  const openFrom = new Int32Array(infinity);
  for (let h = 0; h < first; h++) if (twin[h] === OPEN) openFrom[triangles[h]] = h;
  for (let i = 0; i < rim; i++) {
    const after = i + 1 < rim ? i + 1 : 0;
    const before = i > 0 ? i - 1 : rim - 1;
    const h = first + 3 * i;
    const open = openFrom[boundary[i]];
    origin[h] = boundary[after];
    origin[h + 1] = boundary[i];
    origin[h + 2] = infinity;
    across[h] = open;
    across[open] = h;
    across[h + 1] = first + 3 * before + 2;
    across[h + 2] = first + 3 * after + 1;
  }
  const positions = new Float64Array(3 * infinity + 3).fill(Number.NaN);
  positions.set(disk.positions);
  return { mesh: createHalfedgeMesh(origin, across, infinity + 1), positions, infinity };
}

/** A vertex inserted closer to a corner of the square would have no room. */
const AT_CORNER = 2 ** -30;

/** Rounds places to multiples of 2^-47 in [0, 4): coordinates are multiples of 2^-46. */
function snapPerimeter(boundary: ArrayLike<number>, perimeter: ArrayLike<number>): Float64Array {
  const count = boundary.length;
  if (perimeter.length !== count) {
    throw new RangeError(`${perimeter.length} places round the square for a rim of ${count} vertices`);
  }
  const places = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    if (!(perimeter[i] >= 0 && perimeter[i] <= 4)) throw new RangeError(`place ${perimeter[i]} is not in [0, 4)`);
    const corner = Math.round(perimeter[i]);
    places[i] = (Math.abs(perimeter[i] - corner) < AT_CORNER ? corner : perimeter[i] + 48 - 48) % 4;
  }
  let wraps = 0;
  for (let i = 0; i < count; i++) {
    const to = places[i + 1 < count ? i + 1 : 0];
    if (to === places[i]) {
      throw new MeshError(`expected rim vertices apart on the square's sides, found two within 2^-47 at ${to}`);
    }
    if (to < places[i]) wraps++;
  }
  if (wraps !== 1) throw new RangeError(`the rim's places go ${wraps} times round the square, not once`);
  return places;
}

/** Returns twins and rim half-edges in order. Throws MeshError unless it has this rim. */
export function requireDisk({ positions, triangles, boundary }: Disk): { twin: Int32Array; rimEdges: Int32Array } {
  const vertexCount = positions.length / 3;
  const twin = halfedges(triangles as Uint32Array<ArrayBuffer>, vertexCount);
  const openFrom = new Int32Array(vertexCount).fill(-1);
  const corner = new Int32Array(vertexCount).fill(-1);
  const corners = new Int32Array(vertexCount);
  let open = 0;
  for (let h = 0; h < twin.length; h++) {
    const from = triangles[h];
    corner[from] = h;
    corners[from]++;
    if (twin[h] === OPEN) {
      if (openFrom[from] >= 0) throw new MeshError(`expected a disk, found two rims that touch at vertex ${from}`);
      openFrom[from] = h;
      open++;
    } else if (twin[h] < 0 || triangles[twin[h]] !== triangles[next(h)]) {
      throw new MeshError('expected a disk, found an edge whose triangles do not join');
    }
  }
  // Every vertex's triangles form one fan; on the rim the walk starts at the open half-edge.
  for (let v = 0; v < vertexCount; v++) {
    const first = openFrom[v] >= 0 ? openFrom[v] : corner[v];
    if (first < 0) throw new MeshError(`expected a disk, found vertex ${v} without a triangle`);
    let n = 0;
    let h = first;
    do {
      n++;
      h = twin[previous(h)];
    } while (h !== first && h >= 0 && n <= corners[v]);
    if (n !== corners[v]) throw new MeshError(`expected a disk, found two surfaces that touch at vertex ${v}`);
  }
  const rimEdges = new Int32Array(boundary.length);
  for (let i = 0; i < boundary.length; i++) {
    const h = openFrom[boundary[i]];
    if (!(h >= 0) || triangles[next(h)] !== boundary[i + 1 < boundary.length ? i + 1 : 0]) {
      throw new MeshError(`expected a disk with the rim given, found no rim edge from vertex ${boundary[i]} on`);
    }
    rimEdges[i] = h;
  }
  const euler = vertexCount - (twin.length + open) / 2 + twin.length / 3;
  if (open !== boundary.length || new Set(Array.from(boundary)).size !== open || euler !== 1 || !isConnected(twin)) {
    throw new MeshError(`expected a disk, found ${open} rim edges and an Euler characteristic of ${euler}`);
  }
  return { twin, rimEdges };
}

function isConnected(twin: Int32Array): boolean {
  const seen = new Uint8Array(twin.length / 3);
  const stack = new Int32Array(twin.length / 3);
  let size = 1;
  let reached = 1;
  seen[0] = 1;
  while (size > 0) {
    const t = stack[--size];
    for (let k = 0; k < 3; k++) {
      const other = twin[3 * t + k];
      if (other < 0) continue;
      const o = Math.floor(other / 3);
      if (seen[o] === 1) continue;
      seen[o] = 1;
      reached++;
      stack[size++] = o;
    }
  }
  return reached === seen.length;
}

class CutMesh {
  readonly positions: Float64Array;
  readonly origin: Int32Array;
  readonly twin: Int32Array;
  readonly source: Int32Array;
  vertexCount: number;
  triangleCount: number;
  readonly a: number[];
  readonly b: number[];
  readonly t: number[];
  /** Current number of each old half-edge; for a cut one, its first part. */
  readonly now: Int32Array;
  private readonly was: Int32Array;

  /** @param from the mesh of these arrays, if it was cut before */
  constructor(positions: Float64Array, origin: Int32Array, twin: Int32Array, from: CutMesh | null, cuts: number) {
    this.vertexCount = from ? from.vertexCount : positions.length / 3;
    this.triangleCount = from ? from.triangleCount : origin.length / 3;
    const corners = 3 * this.triangleCount;
    this.positions = new Float64Array(3 * (this.vertexCount + cuts));
    this.positions.set(positions.subarray(0, 3 * this.vertexCount));
    this.origin = new Int32Array(corners + 6 * cuts);
    this.origin.set(origin.subarray(0, corners));
    this.twin = new Int32Array(corners + 6 * cuts);
    this.twin.set(twin.subarray(0, corners));
    this.source = new Int32Array(this.triangleCount + 2 * cuts);
    for (let t = 0; t < this.triangleCount; t++) this.source[t] = from ? from.source[t] : t;
    this.a = from ? from.a : [];
    this.b = from ? from.b : [];
    this.t = from ? from.t : [];
    this.now = Int32Array.from({ length: corners }, (_, h) => h);
    this.was = new Int32Array(corners + 6 * cuts).fill(-1);
    this.was.set(this.now);
  }

  /** Puts a vertex at (1 - t) a + t b onto half-edge h, and returns the rest of h. */
  cut(h: number, a: number, b: number, t: number): number {
    const { positions, twin } = this;
    const m = this.vertexCount++;
    this.a.push(a);
    this.b.push(b);
    this.t.push(t);
    for (let k = 0; k < 3; k++) {
      const p = positions[3 * a + k];
      positions[3 * m + k] = p + t * (positions[3 * b + k] - p);
    }
    const g = twin[h];
    const rest = this.halve(h, m);
    twin[rest] = g;
    if (g !== OPEN) {
      const back = this.halve(g, m);
      twin[rest] = g;
      twin[g] = rest;
      twin[h] = back;
      twin[back] = h;
    }
    return rest;
  }

  /** Halves h's triangle at m on h. The new half-edges: m to h's end, the next one, back. */
  private halve(h: number, m: number): number {
    const { origin, twin, now, was } = this;
    const n = next(h);
    const far = previous(h);
    const rest = 3 * this.triangleCount++;
    origin[rest] = m;
    origin[rest + 1] = origin[n];
    origin[rest + 2] = origin[far];
    origin[n] = m;
    twin[rest + 1] = twin[n];
    if (twin[n] >= 0) twin[twin[n]] = rest + 1;
    twin[n] = rest + 2;
    twin[rest + 2] = n;
    if (was[n] >= 0) now[was[n]] = rest + 1;
    was[rest + 1] = was[n];
    was[n] = was[rest] = was[rest + 2] = -1;
    this.source[rest / 3] = this.source[Math.floor(h / 3)];
    return rest;
  }
}
