/** An asset as a solid: what its triangles bound, and where they stand in a pose. */
import { isIdentity, movePoint, type Pose } from '../math/pose.ts';
import { type Box, boxOf } from '../mesh/extent.ts';
import { selfContacts } from '../mesh/self-contacts.ts';
import { type Shells, shellsOf, shellVolumes, whyOpen } from '../mesh/shells.ts';
import type { Surface } from '../mesh/topology.ts';
import { TriangleTree } from '../mesh/triangle-tree.ts';
import { derived } from '../query/derived.ts';
import type { Asset } from '../query/representation.ts';
import { representationOf } from '../representations/kinds.ts';
import { operandOf } from '../representations/operand.ts';
import { type Target, targetOf } from './ray-walk.ts';

/** What is known of an asset of triangles, whatever its pose; good until its geometry changes. */
export interface Body {
  surface: Surface;
  /** The least box of the surface. */
  box: Box;
  /** The surface's tree for nearest points, once that has been asked for: see nearestTree. */
  tree: TriangleTree | null;
  /** Whether the surface meets itself nowhere, once that has been asked for: see isEmbedded. */
  embedded: boolean | null;
  /** How often isEmbedded would have helped, before it was asked. */
  looks: number;
  /** What it encloses, once that has been asked for: see volumeIn and isFull. */
  volume: { signed: number; sure: number } | null;
  /**
   * How far its vertices are from its origin and from their mean at most, once that has been asked
   * for: see spanOf.
   */
  span: { fromOrigin: number; fromMean: number } | null;
  /** The ways in at its vertices, once they have been asked for: see inwardAtVertices. */
  inward: Float64Array | null;
  shells: Shells;
  /**
   * The triangles at each joined vertex v: `around[firstAround[v]]` to before `firstAround[v + 1]`.
   */
  firstAround: Uint32Array;
  around: Uint32Array;
  /** The first triangle of each shell. */
  firstOf: Uint32Array;
}

const bodies = /* @__PURE__ */ derived<Asset, Body>();

/**
 * @param asset of triangles: see isOfTriangles
 */
export function bodyOf(asset: Asset): Body {
  let body = bodies.get(asset);
  if (!body) {
    const surface = representationOf(asset).surface(asset);
    const shells = shellsOf(surface);
    const box = boxOf(surface.positions, surface.triangles);
    body = {
      surface,
      box,
      tree: null,
      embedded: null,
      looks: 0,
      volume: null,
      span: null,
      inward: null,
      shells,
      ...trianglesAround(shells),
      firstOf: firstOfShells(shells),
    };
    bodies.set(asset, body);
  }
  return body;
}

/** Tells how far a point of the asset's own frame is from its surface, about. */
export function nearestTree(body: Body): TriangleTree {
  body.tree ??= new TriangleTree(body.surface);
  return body.tree;
}

/** Surfaces of more triangles are not searched for where they meet themselves: it takes seconds. */
const MOST_SEARCHED = 2 ** 16;

/** Whether the surface is known to meet itself nowhere, but for what its triangles share. */
export function isEmbedded(body: Body): boolean {
  const { surface, shells } = body;
  body.embedded ??= shells.corners.length <= 3 * MOST_SEARCHED && selfContacts(surface, () => true, shells);
  return body.embedded;
}

/** Looks at single triangles that take about as long as to search the whole surface. */
const FEW_LOOKS = 4;

/** Likewise, where that is known or has paid for itself: false, too, where few have asked yet. */
export const isKnownEmbedded = (body: Body): boolean =>
  body.embedded ?? (body.looks++ >= FEW_LOOKS && isEmbedded(body));

/** Less of a body's box than this may be rounding of its moved vertices. */
const SLIGHT = 1e-9;

/**
 * What rounding moves a vertex by, at most, as a part of its coordinates and of the translation.
 */
const ROUNDING = 2 ** -48;

/**
 * Whether a body surely encloses something where it stands: its volume is more than rounding makes
 * of none, as far out as moved vertices fall together.
 *
 * Vertices that move by d at most sweep, with a triangle whose sides are no longer than l, no more
 * than d times the largest area that it has on the way: less than l^2 / 2 + 3 l d + 2 d^2.
 */
export function isFull({ body, pose }: PlacedBody): boolean {
  const { sure } = enclosed(body);
  if (isIdentity(pose)) return sure > 0;
  const { box } = body;
  const side = Math.sqrt((box[3] - box[0]) ** 2 + (box[4] - box[1]) ** 2 + (box[5] - box[2]) ** 2);
  const reach = box.reduce((sum, x) => sum + Math.abs(x), 0);
  const d = ROUNDING * (reach + Math.abs(pose[3]) + Math.abs(pose[7]) + Math.abs(pose[11]));
  const triangles = body.shells.corners.length / 3;
  return triangles * d * (side * side + 3 * side * d + 2 * d * d) < sure;
}

/**
 * How far the vertices of a body are from its origin, and from the mean of its triangles' corners,
 * at most. A body that is turned about either has the same, but for rounding.
 */
export function spanOf(body: Body): { fromOrigin: number; fromMean: number } {
  if (body.span) return body.span;
  const { positions, triangles } = body.surface;
  const mean = [0, 0, 0];
  for (const v of triangles) for (let k = 0; k < 3; k++) mean[k] += positions[3 * v + k] / triangles.length;
  let fromOrigin = 0;
  let fromMean = 0;
  for (const v of triangles) {
    const [x, y, z] = [positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]];
    fromOrigin = Math.max(fromOrigin, lengthOf(x, y, z));
    fromMean = Math.max(fromMean, lengthOf(x - mean[0], y - mean[1], z - mean[2]));
  }
  body.span = { fromOrigin, fromMean };
  return body.span;
}

/** The length of a vector, however large it is. */
function lengthOf(x: number, y: number, z: number): number {
  const most = Math.max(Math.abs(x), Math.abs(y), Math.abs(z));
  return most > 0 ? most * Math.sqrt((x / most) ** 2 + (y / most) ** 2 + (z / most) ** 2) : 0;
}

/** The signed volume of a body, in cubed units of its asset; less than 0 where it is inside out. */
export const volumeIn = (body: Body): number => enclosed(body).signed;

/** `sure`: what its size is more than none by, whatever was rounded; at rest. */
function enclosed(body: Body): { signed: number; sure: number } {
  if (!body.volume) {
    const { volumes, errors } = shellVolumes(body.surface, body.shells);
    const [low, high] = [body.box.slice(0, 3), body.box.slice(3)];
    const box = low.reduce((product, x, k) => product * (high[k] - x), 1);
    const signed = volumes.reduce((sum, x) => sum + x, 0);
    const sure = Math.abs(signed) - errors.reduce((sum, x) => sum + x, 0) - SLIGHT * box;
    body.volume = { signed, sure };
  }
  return body.volume;
}

function trianglesAround({ corners }: Shells): { firstAround: Uint32Array; around: Uint32Array } {
  let vertices = 0;
  for (const v of corners) vertices = Math.max(vertices, v + 1);
  const firstAround = new Uint32Array(vertices + 2);
  // Each count stands two further on, so that filling moves it to where it belongs.
  for (const v of corners) firstAround[v + 2]++;
  for (let v = 2; v < firstAround.length; v++) firstAround[v] += firstAround[v - 1];
  const around = new Uint32Array(corners.length);
  for (let c = 0; c < corners.length; c++) around[firstAround[corners[c] + 1]++] = Math.floor(c / 3);
  return { firstAround: firstAround.subarray(0, vertices + 1), around };
}

function firstOfShells({ shellOf, count }: Shells): Uint32Array {
  const first = new Uint32Array(count);
  for (let t = shellOf.length - 1; t >= 0; t--) first[shellOf[t]] = t;
  return first;
}

/** Why the triangles of a body bound no solid, to read on after its name; null where they do. */
export const openEdgeOf = ({ shells }: Body): string | null =>
  shells.count === 0 ? 'has no triangles' : whyOpen(shells);

/** A body in its pose. */
export interface PlacedBody extends Target {
  body: Body;
}

/**
 * @param pose a validated one
 */
export const placeBody = (asset: Asset, pose: Pose): PlacedBody => ({
  body: bodyOf(asset),
  ...targetOf(operandOf(asset, pose), pose),
});

/** Where each vertex of a body stands, x, y, z: its own array where it is not moved. */
export function movedVertices({ body, pose }: PlacedBody): Float64Array {
  const { positions } = body.surface;
  if (isIdentity(pose) && positions instanceof Float64Array) return positions;
  const moved = Float64Array.from(positions);
  if (!isIdentity(pose))
    for (let k = 0; k < moved.length; k += 3)
      movePoint(pose, positions[k], positions[k + 1], positions[k + 2], moved, k);
  return moved;
}
