/**
 * Lays charts out relative to each other: the arcs of their seams, and each chart's boundary as
 * sides.
 *
 * A seam edge is a pair of clean vertices along which a chart's boundary runs, whichever triangles
 * are beside it. All its half-edges are its sides. So an edge that was cut because of three sheets,
 * or to give a surface two sides, is one seam edge. Junctions are the clean vertices
 * - with one seam edge, or with three or more; or with two that have different charts beside them
 *   (counted, not as sets);
 * - where a boundary turns back along the edge it came by;
 * - at the corners of a chart of one triangle, or of an exact chart;
 * - at sharp corners of open rims, no closer together than 1/32 of the boundary;
 * - and the lowest vertex of each loop without any of these.
 *
 * Arcs run between junctions, and a boundary is a row of whole arcs: inside an arc, a vertex has
 * two seam edges. A boundary that arrives along one cannot turn back, since that would make a
 * junction. It runs on seam edges only, so it continues along the other one. Each boundary along an
 * arc's edge is one of that edge's sides, so every edge of an arc has the same sides.
 *
 * The time is linear, except for two sorts: the charts beside an edge of three or more sheets, and
 * the sharp corners of a boundary.
 */

import { type ManifoldMesh, perMesh } from '../../../../mesh/manifold.ts';
import { nextInTriangle, previousInTriangle } from '../../../../mesh/topology.ts';

/**
 * A run of seam edges between junctions, from the lower end. A closed arc first goes to the lower
 * of the two vertices beside its end.
 */
export interface Arc {
  vertices: Uint32Array;
  /** Sum of the edges' lengths, added in the arc's direction. */
  length: number;
  /** Length up to each vertex, from 0 to `length`. */
  along: Float64Array;
  /** True if most of it is a crease or an open rim. */
  isEdge: boolean;
  /** True if it runs through a plane. */
  isFlat: boolean;
}

export interface Side {
  arc: number;
  /** True if the boundary runs against the arc's direction. */
  reversed: boolean;
  /** Index in `boundary` of the side's first vertex. */
  first: number;
}

export interface DiskChart {
  triangles: Int32Array;
  /** The clean vertex of each local one. Two local ones if the boundary passes a vertex twice. */
  vertices: Uint32Array;
  corners: Uint32Array;
  /** Local vertices around the chart, which lies on the left; the first is a junction. */
  boundary: Int32Array;
  /** In boundary order; a cut within the chart comes twice. */
  sides: Side[];
}

export interface Layout {
  arcs: Arc[];
  charts: DiskChart[];
}

/** Cosine of 40 degrees; a sharper turn of the boundary is a corner. */
const SHARP = 0.766;
/** Cosine of 0.08 degrees: coordinates of 32 bits turn straight lines by less. */
const STRAIGHT = 1 - 1e-6;
/** Cosine of 26 degrees, as for faces (choose.ts): a seam between steeper triangles is a crease. */
const CREASE = 0.9;
/** Cosine of 0.3 degrees. */
const FLAT = 0.99999;
/** Least distance of a sharp corner from other junctions, relative to the boundary. */
const SPACING = 1 / 32;

/**
 * Returns arcs and charts, the same on every engine. No triangle may be in two charts. `isExact`
 * tells for each chart if all its corners become junctions.
 *
 * @throws RangeError where a chart is no disk
 */
export function layCharts(mesh: ManifoldMesh, charts: Int32Array[], isExact: readonly boolean[] = []): Layout {
  const sorted = charts.map((triangles) => Int32Array.from(triangles).sort());
  const count = sorted.reduce((sum, { length }) => sum + length, 0);
  const isPart = count < mesh.triangles.length / 12;
  return isPart ? layPart(mesh, sorted, count, isExact) : laySorted(mesh, sorted, isExact);
}

function laySorted(mesh: ManifoldMesh, sorted: Int32Array[], isExact: readonly boolean[]): Layout {
  const chartOf = new Int32Array(mesh.triangles.length / 3).fill(-1);
  for (let i = 0; i < sorted.length; i++) for (const t of sorted[i]) chartOf[t] = i;
  const seams = findSeams(mesh, chartOf);
  const laid = sorted.map((triangles, i) => layChart(mesh, chartOf, triangles, i));
  const isJunction = findJunctions(mesh, seams, laid);
  laid.forEach((chart, i) => {
    if (isExact[i]) markCorners(mesh, chart, isJunction);
  });
  const { arcs, arcOf, indexOf } = runArcs(mesh, seams, isJunction);
  markEdges(mesh, seams, arcs, arcOf, indexOf);
  return {
    arcs,
    charts: laid.map((chart) => findSides(chart, seams, isJunction, arcs, arcOf, indexOf)),
  };
}

/** Triangle or vertex -> its number in a part, -1 outside. All -1 between calls. */
const numbersIn = /* @__PURE__ */ perMesh(({ triangles, positions }) =>
  new Int32Array(Math.max(triangles.length / 3, positions.length / 3)).fill(-1),
);
/** Lays out a part as its own mesh in the same order, in time linear in the part. */
function layPart(mesh: ManifoldMesh, sorted: Int32Array[], count: number, isExact: readonly boolean[]): Layout {
  const numberIn = numbersIn(mesh);
  const triangles = new Int32Array(count);
  let filled = 0;
  for (const own of sorted) {
    triangles.set(own, filled);
    filled += own.length;
  }
  triangles.sort();
  number(numberIn, triangles);
  const twin = new Int32Array(3 * count);
  const corners = new Uint32Array(3 * count);
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 3; k++) {
      const h = 3 * triangles[i] + k;
      const g = mesh.twin[h];
      const other = g < 0 ? -1 : numberIn[(g / 3) | 0];
      twin[3 * i + k] = other < 0 ? -1 : 3 * other + (g % 3);
      corners[3 * i + k] = mesh.triangles[h];
    }
  }
  const charts = sorted.map((own) => own.map((t) => numberIn[t]));
  forget(numberIn, triangles);
  const vertices = ascending(corners);
  number(numberIn, vertices);
  const own = corners.map((v) => numberIn[v]);
  forget(numberIn, vertices);
  const clean = ascending(vertices.map((v) => mesh.vertex[v]));
  number(numberIn, clean);
  const vertex = vertices.map((v) => numberIn[mesh.vertex[v]]);
  forget(numberIn, clean);
  const positions = new Float64Array(3 * vertices.length);
  for (let i = 0; i < vertices.length; i++) {
    for (let k = 0; k < 3; k++) positions[3 * i + k] = mesh.positions[3 * vertices[i] + k];
  }
  const layout = laySorted({ positions, triangles: own, twin, vertex }, charts, isExact);
  return {
    arcs: layout.arcs.map((arc) => ({ ...arc, vertices: arc.vertices.map((v) => clean[v]) })),
    charts: layout.charts.map((chart, i) => {
      return { ...chart, triangles: sorted[i], vertices: chart.vertices.map((v) => clean[v]) };
    }),
  };
}

function number(numberIn: Int32Array, list: ArrayLike<number>): void {
  for (let i = 0; i < list.length; i++) numberIn[list[i]] = i;
}

function forget(numberIn: Int32Array, list: ArrayLike<number>): void {
  for (let i = 0; i < list.length; i++) numberIn[list[i]] = -1;
}

function ascending(values: Uint32Array): Uint32Array {
  const all = values.slice().sort();
  return all.filter((v, i) => i === 0 || v !== all[i - 1]);
}

/** Seam edges, numbered in the order of their lower vertex. `edgeOf` is -1 inside a chart. */
interface Seams {
  edgeOf: Int32Array;
  ends: Uint32Array;
  /** Charts beside seam edge e, one per side, ascending: besideStart[e] to besideStart[e + 1]. */
  besideStart: Int32Array;
  beside: Int32Array;
  /** Seam edges of vertex v: `around` from start[v] to start[v + 1]. */
  start: Int32Array;
  around: Int32Array;
}

function findSeams(mesh: ManifoldMesh, chartOf: Int32Array): Seams {
  const { triangles, twin, vertex } = mesh;
  let cleanCount = 0;
  for (let v = 0; v < vertex.length; v++) if (vertex[v] >= cleanCount) cleanCount = vertex[v] + 1;
  // For every clean vertex, a list of the half-edges to higher ones, as in topology.ts.
  const listHead = new Int32Array(cleanCount).fill(-1);
  const link = new Int32Array(twin.length);
  for (let h = twin.length - 1; h >= 0; h--) {
    const chart = chartOf[(h / 3) | 0];
    if (chart < 0 || (twin[h] >= 0 && chartOf[(twin[h] / 3) | 0] === chart)) continue;
    const low = Math.min(vertex[triangles[h]], vertex[triangles[nextInTriangle(h)]]);
    link[h] = listHead[low];
    listHead[low] = h;
  }
  const edgeOf = new Int32Array(twin.length).fill(-1);
  const ends: number[] = [];
  const first = new Int32Array(cleanCount);
  const seenFrom = new Int32Array(cleanCount).fill(-1);
  for (let low = 0; low < cleanCount; low++) {
    for (let h = listHead[low]; h >= 0; h = link[h]) {
      const high = Math.max(vertex[triangles[h]], vertex[triangles[nextInTriangle(h)]]);
      if (seenFrom[high] !== low) {
        seenFrom[high] = low;
        first[high] = ends.push(low, high) / 2 - 1;
      }
      edgeOf[h] = first[high];
    }
  }
  const edges = ends.length / 2;
  const besideStart = new Int32Array(edges + 1);
  for (let h = 0; h < edgeOf.length; h++) if (edgeOf[h] >= 0) besideStart[edgeOf[h] + 1]++;
  for (let e = 0; e < edges; e++) besideStart[e + 1] += besideStart[e];
  const beside = new Int32Array(besideStart[edges]);
  const besideFilled = besideStart.slice(0, edges);
  for (let h = 0; h < edgeOf.length; h++) if (edgeOf[h] >= 0) beside[besideFilled[edgeOf[h]]++] = chartOf[(h / 3) | 0];
  for (let e = 0; e < edges; e++) {
    const from = besideStart[e];
    const count = besideStart[e + 1] - from;
    if (count > 2) beside.subarray(from, from + count).sort();
    else if (count === 2 && beside[from] > beside[from + 1]) {
      const low = beside[from + 1];
      beside[from + 1] = beside[from];
      beside[from] = low;
    }
  }
  const start = new Int32Array(cleanCount + 1);
  for (let i = 0; i < ends.length; i++) start[ends[i] + 1]++;
  for (let v = 0; v < cleanCount; v++) start[v + 1] += start[v];
  const filled = start.slice(0, cleanCount);
  const around = new Int32Array(ends.length);
  for (let i = 0; i < ends.length; i++) around[filled[ends[i]]++] = i >> 1;
  return {
    edgeOf,
    ends: Uint32Array.from(ends),
    besideStart,
    beside,
    start,
    around,
  };
}

interface BareChart {
  triangles: Int32Array;
  vertices: Uint32Array;
  corners: Uint32Array;
  border: Int32Array;
  boundary: Int32Array;
}

/** Triangle -> its index in the chart. Only entries of the current chart are valid. */
const indicesIn = /* @__PURE__ */ perMesh(({ triangles }) => new Int32Array(triangles.length / 3));
function layChart(mesh: ManifoldMesh, chartOf: Int32Array, triangles: Int32Array, number: number): BareChart {
  const { twin } = mesh;
  const indexIn = indicesIn(mesh);
  for (let i = 0; i < triangles.length; i++) indexIn[triangles[i]] = i;
  const isInside = (h: number) => h >= 0 && chartOf[(h / 3) | 0] === number;
  const corners = new Uint32Array(3 * triangles.length).fill(UNSET);
  const localCorner = (h: number) => 3 * indexIn[(h / 3) | 0] + (h % 3);
  const vertices: number[] = [];
  let firstBorder = -1;
  let borderCount = 0;
  for (let i = 0; i < triangles.length; i++) {
    for (let corner = 3 * triangles[i]; corner < 3 * triangles[i] + 3; corner++) {
      if (!isInside(twin[corner])) {
        borderCount++;
        if (firstBorder < 0) firstBorder = corner;
      }
      if (corners[localCorner(corner)] !== UNSET) continue;
      const local = vertices.push(mesh.vertex[mesh.triangles[corner]]) - 1;
      let h = corner;
      do {
        corners[localCorner(h)] = local;
        h = twin[previousInTriangle(h)];
      } while (isInside(h) && h !== corner);
      if (h === corner) continue;
      for (h = twin[corner]; isInside(h); h = twin[h]) {
        h = nextInTriangle(h);
        corners[localCorner(h)] = local;
      }
    }
  }
  const border = new Int32Array(borderCount);
  const boundary = new Int32Array(borderCount);
  let length = 0;
  for (let h = firstBorder; h >= 0 && (length === 0 || h !== firstBorder); ) {
    border[length] = h;
    boundary[length++] = corners[localCorner(h)];
    h = nextInTriangle(h);
    while (isInside(twin[h])) h = nextInTriangle(twin[h]);
  }
  // A disk, if it is connected: one loop, and V - E + F = 1 with E = (3 F + borderCount) / 2.
  if (length !== borderCount || 2 * vertices.length - triangles.length - borderCount !== 2)
    throw new RangeError(`chart ${number} is no disk`);
  return { triangles, vertices: Uint32Array.from(vertices), corners, border, boundary };
}

const UNSET = 0xffffffff;

function findJunctions(mesh: ManifoldMesh, seams: Seams, charts: BareChart[]): Uint8Array {
  const { edgeOf, start, around } = seams;
  const isJunction = new Uint8Array(start.length - 1);
  for (let v = 0; v < isJunction.length; v++) {
    const degree = start[v + 1] - start[v];
    if (degree === 0) continue;
    if (degree !== 2 || !sameCharts(seams, around[start[v]], around[start[v] + 1])) isJunction[v] = 1;
  }
  for (const { border, boundary, vertices, triangles } of charts) {
    for (let i = 0; i < border.length; i++) {
      const next = i + 1 < border.length ? i + 1 : 0;
      if (triangles.length === 1 || edgeOf[border[i]] === edgeOf[border[next]])
        isJunction[vertices[boundary[next]]] = 1;
    }
  }
  for (const chart of charts) markSharpCorners(mesh, seams, chart, isJunction);
  return isJunction;
}

function sameCharts({ besideStart, beside }: Seams, e: number, f: number): boolean {
  const count = besideStart[e + 1] - besideStart[e];
  if (besideStart[f + 1] - besideStart[f] !== count) return false;
  for (let i = 0; i < count; i++) if (beside[besideStart[e] + i] !== beside[besideStart[f] + i]) return false;
  return true;
}

function markSharpCorners(mesh: ManifoldMesh, seams: Seams, chart: BareChart, isJunction: Uint8Array): void {
  if (chart.triangles.length === 1) return;
  const { edgeOf, besideStart } = seams;
  const isOpen = (h: number) => besideStart[edgeOf[h] + 1] - besideStart[edgeOf[h]] === 1;
  const { border, boundary, vertices } = chart;
  const n = border.length;
  const direction = new Float64Array(3);
  const before = new Float64Array(3);
  const position = new Float64Array(n + 1);
  for (let i = 0; i < n; i++) position[i + 1] = position[i] + edgeVector(mesh, border[i], direction);
  const total = position[n];
  if (!(total > 0)) return;
  const candidates: { at: number; cosine: number; vertex: number }[] = [];
  for (let i = 0; i < n; i++) {
    const previous = i > 0 ? i - 1 : n - 1;
    if (!isOpen(border[i]) || !isOpen(border[previous])) continue;
    const vertex = vertices[boundary[i]];
    if (isJunction[vertex] === 1) continue;
    const product = edgeVector(mesh, border[i], direction) * edgeVector(mesh, border[previous], before);
    const cosine = (direction[0] * before[0] + direction[1] * before[1] + direction[2] * before[2]) / product;
    if (cosine < SHARP) candidates.push({ at: position[i], cosine, vertex });
  }
  if (candidates.length === 0) return;
  candidates.sort((one, other) => one.cosine - other.cosine || one.vertex - other.vertex);
  const slots = Math.round(1 / SPACING);
  const lowest = new Float64Array(slots).fill(Number.POSITIVE_INFINITY);
  const highest = new Float64Array(slots).fill(Number.NEGATIVE_INFINITY);
  const spacing = total * SPACING;
  const slotOf = (at: number) => Math.min(slots - 1, Math.floor(at / spacing));
  const enter = (at: number) => {
    const slot = slotOf(at);
    lowest[slot] = Math.min(lowest[slot], at);
    highest[slot] = Math.max(highest[slot], at);
  };
  for (let i = 0; i < n; i++) if (isJunction[vertices[boundary[i]]] === 1) enter(position[i]);
  for (const { at, vertex } of candidates) {
    const slot = slotOf(at);
    if (lowest[slot] <= highest[slot]) continue;
    const back = slot > 0 ? at - highest[slot - 1] : at + total - highest[slots - 1];
    const ahead = slot < slots - 1 ? lowest[slot + 1] - at : lowest[0] + total - at;
    // A rim may have even steps of exactly this length. The factor keeps rounding from deciding.
    if (back < spacing * (1 - 1e-9) || ahead < spacing * (1 - 1e-9)) continue;
    isJunction[vertex] = 1;
    enter(at);
  }
}

/** Marks every vertex where a chart's boundary turns. */
function markCorners(mesh: ManifoldMesh, { border, boundary, vertices }: BareChart, isJunction: Uint8Array): void {
  const direction = new Float64Array(3);
  const before = new Float64Array(3);
  for (let i = 0; i < border.length; i++) {
    const previous = border[i > 0 ? i - 1 : border.length - 1];
    const product = edgeVector(mesh, border[i], direction) * edgeVector(mesh, previous, before);
    const cosine = direction[0] * before[0] + direction[1] * before[1] + direction[2] * before[2];
    if (cosine < STRAIGHT * product) isJunction[vertices[boundary[i]]] = 1;
  }
}

function edgeVector(mesh: ManifoldMesh, h: number, out: Float64Array): number {
  const from = 3 * mesh.triangles[h];
  const to = 3 * mesh.triangles[nextInTriangle(h)];
  for (let k = 0; k < 3; k++) out[k] = mesh.positions[to + k] - mesh.positions[from + k];
  return Math.sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
}

/** Arcs from every junction, ascending; then loops without one, whose lowest vertex becomes one. */
function runArcs(mesh: ManifoldMesh, seams: Seams, isJunction: Uint8Array) {
  const { ends, start, around } = seams;
  const edges = ends.length / 2;
  const arcOf = new Int32Array(edges).fill(-1);
  const indexOf = new Int32Array(edges);
  const arcs: Arc[] = [];
  const copy = new Uint32Array(isJunction.length);
  for (let v = 0; v < mesh.vertex.length; v++) copy[mesh.vertex[v]] = v;

  const run = (from: number, firstEdge: number) => {
    const vertices = [from];
    const passed: number[] = [];
    for (let e = firstEdge, v = from; ; ) {
      passed.push(e);
      v = ends[2 * e] === v ? ends[2 * e + 1] : ends[2 * e];
      vertices.push(v);
      if (isJunction[v] === 1) break;
      e = around[start[v]] === e ? around[start[v] + 1] : around[start[v]];
    }
    const last = vertices.length - 1;
    if (vertices[0] > vertices[last] || (vertices[0] === vertices[last] && vertices[1] > vertices[last - 1])) {
      vertices.reverse();
      passed.reverse();
    }
    const along = new Float64Array(vertices.length);
    for (let i = 0; i < passed.length; i++) {
      arcOf[passed[i]] = arcs.length;
      indexOf[passed[i]] = i;
      along[i + 1] = along[i] + distanceBetween(mesh, copy[vertices[i]], copy[vertices[i + 1]]);
    }
    arcs.push({ vertices: Uint32Array.from(vertices), length: along[last], along, isEdge: false, isFlat: false });
  };
  for (let pass = 0; pass < 2; pass++) {
    for (let v = 0; v < isJunction.length; v++) {
      for (let i = start[v]; i < start[v + 1]; i++) {
        if (arcOf[around[i]] >= 0) continue;
        if (pass === 1) isJunction[v] = 1;
        if (isJunction[v] === 1) run(v, around[i]);
      }
    }
  }
  return { arcs, arcOf, indexOf };
}

/** Finds arcs that are creases or open rims for more than half of their length, and flat ones. */
function markEdges(mesh: ManifoldMesh, seams: Seams, arcs: Arc[], arcOf: Int32Array, indexOf: Int32Array): void {
  const { edgeOf, besideStart } = seams;
  const normals = new Float64Array(3 * arcOf.length);
  const isSeen = new Uint8Array(arcOf.length);
  const isSharp = new Uint8Array(arcOf.length);
  const isBent = new Uint8Array(arcs.length);
  const normal = new Float64Array(3);
  for (let h = 0; h < edgeOf.length; h++) {
    const e = edgeOf[h];
    if (e < 0) continue;
    if (besideStart[e + 1] - besideStart[e] !== 2) {
      isSharp[e] = 1;
      isBent[arcOf[e]] = 1;
      continue;
    }
    unitNormal(mesh, (h / 3) | 0, normal);
    if (isSeen[e] === 0) normals.set(normal, 3 * e);
    else {
      const cosine = normal[0] * normals[3 * e] + normal[1] * normals[3 * e + 1] + normal[2] * normals[3 * e + 2];
      if (cosine < CREASE) isSharp[e] = 1;
      if (cosine < FLAT) isBent[arcOf[e]] = 1;
    }
    isSeen[e] = 1;
  }
  const sharp = new Float64Array(arcs.length);
  for (let e = 0; e < arcOf.length; e++) {
    const { along } = arcs[arcOf[e]];
    if (isSharp[e] === 1) sharp[arcOf[e]] += along[indexOf[e] + 1] - along[indexOf[e]];
  }
  arcs.forEach((arc, i) => {
    arc.isEdge = 2 * sharp[i] > arc.length;
    arc.isFlat = isBent[i] === 0;
  });
}

function unitNormal({ positions: p, triangles }: ManifoldMesh, t: number, out: Float64Array): void {
  const [a, b, c] = [3 * triangles[3 * t], 3 * triangles[3 * t + 1], 3 * triangles[3 * t + 2]];
  const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
  const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
  const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
  const length = Math.sqrt(x * x + y * y + z * z);
  out[0] = length > 0 ? x / length : 0;
  out[1] = length > 0 ? y / length : 0;
  out[2] = length > 0 ? z / length : 0;
}

function distanceBetween({ positions }: ManifoldMesh, v: number, w: number): number {
  const dx = positions[3 * w] - positions[3 * v];
  const dy = positions[3 * w + 1] - positions[3 * v + 1];
  const dz = positions[3 * w + 2] - positions[3 * v + 2];
  return Math.sqrt(dx * dx + dy * dy + dz * dz);
}

function findSides(
  { triangles, vertices, corners, border, boundary }: BareChart,
  seams: Seams,
  isJunction: Uint8Array,
  arcs: Arc[],
  arcOf: Int32Array,
  indexOf: Int32Array,
): DiskChart {
  const n = boundary.length;
  let turn = -1;
  for (let i = 0; i < n; i++) {
    const v = vertices[boundary[i]];
    if (isJunction[v] === 1 && (turn < 0 || v < vertices[boundary[turn]])) turn = i;
  }
  const turned = new Int32Array(n);
  const sides: Side[] = [];
  for (let i = 0; i < n; i++) {
    const at = i + turn < n ? i + turn : i + turn - n;
    turned[i] = boundary[at];
    const v = vertices[boundary[at]];
    if (isJunction[v] === 0) continue;
    const edge = seams.edgeOf[border[at]];
    const arc = arcOf[edge];
    // The boundary leaves v along an end of the arc: its first edge, or its last one backwards.
    // Only in an arc of one edge are both the same, and then its ends differ.
    const reversed = indexOf[edge] !== 0 || arcs[arc].vertices[0] !== v;
    sides.push({ arc, reversed, first: i });
  }
  return { triangles, vertices, corners, boundary: turned, sides };
}
