/** Finds the distance below which joining vertices closes the open edges of a mesh. */
import { diagonalOf } from '../mesh/extent.ts';
import { OPEN_EDGE, type Shells, shellsOf } from '../mesh/shells.ts';
import { nextInTriangle, type Surface } from '../mesh/topology.ts';
import { closingDistance, weldMesh } from '../mesh/weld.ts';

/** Open edges of an element that joining vertices closes. */
export interface Seam {
  /** Joining vertices closer than this closes them. */
  distance: number;
  /** The farthest that a vertex then moves: a bit less than `distance`. */
  gap: number;
  isClosed(edge: number): boolean;
  /** The number of edges that stay open. */
  left: number;
}

/** More open edges are no seams, and each takes a hundred bytes. */
const MOST_SEAMS = 2 ** 18;

/** Returns null if no distance closes an edge, or all such distances take a triangle's area. */
export function seamOf(positions: Float64Array, { corners, edgeKinds, openEdges }: Shells): Seam | null {
  if (openEdges > MOST_SEAMS) return null;
  const open: number[] = [];
  for (let edge = 0; edge < edgeKinds.length; edge++) if (edgeKinds[edge] & OPEN_EDGE) open.push(edge);
  const surface = { positions, triangles: corners };
  const ends = open.map((edge) => [corners[edge], corners[nextInTriangle(edge)]] as const);
  const found = closingDistance(positions, ends, diagonalOf(surface));
  if (!found) return null;
  const { distance, gap, isClosed } = found;
  const left = isClosed.filter((is) => !is).length;
  // Vertices within the surface are joined, too.
  const { mesh, collapsed } = weldMesh(surface, distance);
  if (collapsed > 0 || shellsOf(mesh).openEdges !== left) return null;
  const closed = new Set(open.filter((_, i) => isClosed[i]));
  return { distance, gap, isClosed: (edge) => closed.has(edge), left };
}

export interface Joined {
  surface: Surface;
  openEdges: number;
  seam: Seam | null;
}

/** Distances to try for a mesh of many elements, each for the time of a weld of all. */
const MOST_TRIES = 4;

/**
 * Returns a distance that closes the seams of all elements that it is long enough for, and harms no
 * other element: the longest such one. The option `weld` takes one for the whole mesh.
 */
export function commonWeld(elements: readonly Joined[]): number | null {
  const all = [...new Set(elements.flatMap(({ seam }) => seam?.distance ?? []))].sort((a, b) => b - a);
  const tried = all.length > MOST_TRIES ? [...all.slice(0, MOST_TRIES - 1), all[all.length - 1]] : all;
  return tried.find((distance) => elements.every((element) => staysWhole(element, distance))) ?? null;
}

function staysWhole({ surface, openEdges, seam }: Joined, distance: number): boolean {
  if (seam?.distance === distance) return true; // as seamOf has found
  const { mesh, joined, collapsed } = weldMesh(surface, distance);
  if (joined === 0 || collapsed > 0) return collapsed === 0;
  const now = shellsOf(mesh).openEdges;
  return seam && seam.distance < distance ? now === seam.left : now <= openEdges;
}
