/**
 * Cuts a mesh into its named elements: the objects of a file, or its groups if it has no objects.
 *
 * Modeling programs write an object for one thing. Groups below it are its materials and layers,
 * and do not cut it. Linear in the mesh, except for sorting the vertex numbers of each element.
 */
import { MeshError } from '../base/errors.ts';
import { requireMeshShape, shown } from '../base/require.ts';
import type { Mesh } from './mesh.ts';

interface MeshElement {
  /** As in the file; `unnamed` for triangles under no name. */
  name: string;
  /** The element's triangles, in file order, on its own vertices, in their old order; no groups. */
  mesh: Mesh;
  /** Numbers of the element's triangles in the whole mesh; ascending. */
  source: Uint32Array;
}

const UNNAMED = 'unnamed';

/**
 * Returns the elements of a mesh, in the order of their first triangles. A name that comes several
 * times is one element; triangles without a name, and those named `unnamed`, are the element
 * `unnamed`. Every triangle is in exactly one element; if runs overlap, which no file gives, the
 * later one counts. Unused vertices are left out.
 *
 * @example const elements = splitByGroups(readObj(new TextEncoder().encode(
 *            'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\no floor\nf 1 2 3\no wall\nf 1 2 4\no floor\nf 2 3 4\n')));
 *          elements.map(({ name, source }) => [name, ...source]); // [['floor', 0, 2], ['wall', 1]]
 */
export function splitByGroups(mesh: Mesh): MeshElement[] {
  requireMeshShape(mesh);
  if (!Array.isArray(mesh.groups)) throw new MeshError(`mesh.groups: expected an array, found ${shown(mesh.groups)}`);
  const triangleCount = mesh.triangles.length / 3;
  const kind = mesh.groups.some((run) => run.kind === 'object') ? 'object' : 'group';

  // The name's number of every triangle; 0 is UNNAMED.
  const names = [UNNAMED];
  const numbers = new Map([[UNNAMED, 0]]);
  const nameOf = new Uint32Array(triangleCount);
  for (const run of mesh.groups) {
    if (run.kind !== kind) continue;
    let number = numbers.get(run.name);
    if (number === undefined) {
      number = names.push(run.name) - 1;
      numbers.set(run.name, number);
    }
    nameOf.fill(number, run.first, run.first + run.count);
  }

  // A counting sort: stable, so triangles keep their order.
  const count = new Uint32Array(names.length);
  for (let t = 0; t < triangleCount; t++) count[nameOf[t]]++;
  const sources: (Uint32Array | null)[] = names.map(() => null);
  const order: number[] = [];
  const filled = new Uint32Array(names.length);
  for (let t = 0; t < triangleCount; t++) {
    const number = nameOf[t];
    let source = sources[number];
    if (!source) {
      source = sources[number] = new Uint32Array(count[number]);
      order.push(number);
    }
    source[filled[number]++] = t;
  }

  const numberOf = new Int32Array(mesh.positions.length / 3).fill(-1);
  return order.map((number) => {
    const source = sources[number]!;
    return { name: names[number], mesh: extract(mesh, source, numberOf), source };
  });
}

/** Vertices of an element are mostly neighbors in the file: then they are looked through in order. */
const SPREAD = 8;

/** `numberOf` is -1 for every vertex before and after the call. */
function extract({ positions, triangles }: Mesh, source: Uint32Array, numberOf: Int32Array): Mesh {
  const corners = new Uint32Array(3 * source.length);
  let own = new Uint32Array(corners.length);
  let used = 0;
  let lowest = numberOf.length;
  let highest = -1;
  for (let c = 0, t = 0; t < source.length; t++) {
    const from = 3 * source[t];
    for (let k = from; k < from + 3; k++) {
      const v = triangles[k];
      corners[c++] = v;
      if (numberOf[v] >= 0) continue;
      numberOf[v] = used;
      own[used++] = v;
      if (v < lowest) lowest = v;
      if (v > highest) highest = v;
    }
  }
  if (highest - lowest < SPREAD * used) {
    let k = 0;
    for (let v = lowest; v <= highest; v++) if (numberOf[v] >= 0) own[k++] = v;
  } else own = own.subarray(0, used).sort();
  const ownPositions = new Float64Array(3 * used);
  for (let k = 0; k < used; k++) {
    const at = 3 * own[k];
    ownPositions[3 * k] = positions[at];
    ownPositions[3 * k + 1] = positions[at + 1];
    ownPositions[3 * k + 2] = positions[at + 2];
    numberOf[own[k]] = k;
  }
  for (let c = 0; c < corners.length; c++) corners[c] = numberOf[corners[c]];
  for (let k = 0; k < used; k++) numberOf[own[k]] = -1;
  return { positions: ownPositions, triangles: corners, groups: [] };
}
