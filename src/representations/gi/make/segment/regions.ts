/**
 * Finds a region's topology: a disk, a tube, or anything else.
 *
 * A region is its triangles glued across the edges that two of them share, and nowhere else: a
 * vertex in two fans counts twice. So it is a manifold with border. With F triangles, b border
 * edges and I inner vertices, it has as many border vertices as border edges, so
 *
 *   V - E + F = (I + b) - (3 F + b) / 2 + F = I + (b - F) / 2,
 *
 * If it is connected, V - E + F = 2 - 2 genus - loops: it is a disk exactly if that is 1.
 */
import { type ManifoldMesh, perMesh } from '../../../../mesh/manifold.ts';
import { nextInTriangle, previousInTriangle } from '../../../../mesh/topology.ts';

interface RegionTopology {
  /** V - E + F, counting each fan as a vertex: 2 - 2 genus - boundaryLoops. */
  eulerCharacteristic: number;
  boundaryLoops: number;
  genus: number;
}

export interface Component extends RegionTopology {
  triangles: Int32Array;
}

/** Triangle of the mesh -> triangle of the patch, -1 outside; all -1 between calls. */
const localsOf = /* @__PURE__ */ perMesh(({ triangles }) => new Int32Array(triangles.length / 3).fill(-1));

export function localTwins(mesh: ManifoldMesh, source: Int32Array): Int32Array {
  const localOf = localsOf(mesh);
  for (let t = 0; t < source.length; t++) localOf[source[t]] = t;
  const twin = new Int32Array(3 * source.length);
  for (let t = 0; t < source.length; t++) {
    for (let k = 0; k < 3; k++) {
      const g = mesh.twin[3 * source[t] + k];
      if (g < 0) {
        twin[3 * t + k] = -1;
        continue;
      }
      const triangle = (g / 3) | 0;
      const neighbour = localOf[triangle];
      twin[3 * t + k] = neighbour < 0 ? -1 : 3 * neighbour + (g - 3 * triangle);
    }
  }
  for (let t = 0; t < source.length; t++) localOf[source[t]] = -1;
  return twin;
}

export function numberFans(twin: Int32Array): { fan: Int32Array; isInner: Uint8Array; inner: number } {
  const fan = new Int32Array(twin.length).fill(-1);
  const isInner = new Uint8Array(twin.length);
  let fans = 0;
  let inner = 0;
  for (let corner = 0; corner < twin.length; corner++) {
    if (fan[corner] >= 0) continue;
    let h = corner;
    do {
      fan[h] = fans;
      h = twin[previousInTriangle(h)];
    } while (h >= 0 && h !== corner);
    if (h === corner) {
      isInner[fans] = 1;
      inner++;
    } else {
      for (h = twin[corner]; h >= 0; h = twin[h]) {
        h = nextInTriangle(h);
        fan[h] = fans;
      }
    }
    fans++;
  }
  return { fan, isInner: isInner.slice(0, fans), inner };
}

/** Loops of half-edges without a twin, each continued by the next one around its end. */
function countLoops(twin: Int32Array): { border: number; loops: number } {
  const seen = new Uint8Array(twin.length);
  let border = 0;
  let loops = 0;
  for (let start = 0; start < twin.length; start++) {
    if (twin[start] >= 0 || seen[start] !== 0) continue;
    loops++;
    for (let h = start; seen[h] === 0; ) {
      seen[h] = 1;
      border++;
      h = nextInTriangle(h);
      while (twin[h] >= 0) h = nextInTriangle(twin[h]);
    }
  }
  return { border, loops };
}

export function topologyOf(mesh: ManifoldMesh, triangles: Int32Array): RegionTopology {
  const { eulerCharacteristic, boundaryLoops, genus } = measureTopology(mesh, triangles);
  return { eulerCharacteristic, boundaryLoops, genus };
}

export function measureTopology(mesh: ManifoldMesh, triangles: Int32Array): RegionTopology & { border: number } {
  const twin = localTwins(mesh, triangles);
  const { inner } = numberFans(twin);
  const { border, loops } = countLoops(twin);
  const eulerCharacteristic = inner + (border - triangles.length) / 2;
  return { eulerCharacteristic, boundaryLoops: loops, genus: (2 - loops - eulerCharacteristic) / 2, border };
}

/** Returns the edge-connected pieces of a surface, ordered by first triangle. Linear. */
export function components(mesh: ManifoldMesh): Component[] {
  const { twin } = mesh;
  const count = twin.length / 3;
  const number = new Int32Array(count).fill(-1);
  const queue = new Int32Array(count);
  const sizes: number[] = [];
  for (let start = 0, tail = 0; start < count; start++) {
    if (number[start] >= 0) continue;
    const first = tail;
    number[start] = sizes.length;
    queue[tail++] = start;
    for (let head = first; head < tail; head++) {
      for (let h = 3 * queue[head]; h < 3 * queue[head] + 3; h++) {
        if (twin[h] < 0) continue;
        const neighbour = (twin[h] / 3) | 0;
        if (number[neighbour] >= 0) continue;
        number[neighbour] = sizes.length;
        queue[tail++] = neighbour;
      }
    }
    sizes.push(tail - first);
  }
  return gather(number, null, sizes).map((triangles) => ({ triangles, ...topologyOf(mesh, triangles) }));
}

export function gather(label: Int32Array, source: Int32Array | null, sizes: ArrayLike<number>): Int32Array[] {
  const parts = Array.from(sizes, (size) => new Int32Array(size));
  const filled = new Int32Array(parts.length);
  for (let t = 0; t < label.length; t++) parts[label[t]][filled[label[t]]++] = source === null ? t : source[t];
  return parts;
}
