/**
 * An asset as a solid: the body of its triangles, and its pose. Makes an operand of one triangle or
 * convex hull.
 */
import { derived } from '../engine/asset-cache.ts';
import { BoundTree } from '../engine/bound-tree.ts';
import { hullLoader } from '../engine/narrow-phase.ts';
import { operandOf } from '../engine/operand.ts';
import type { RelativePose } from '../engine/pair-kernel.ts';
import type { Asset } from '../engine/representation.ts';
import type { Operand } from '../engine/traverse.ts';
import { BOX_NUMBERS } from '../geometry/rounded-box.ts';
import { isIdentity, moveErrorBound, movePoint, type Pose } from '../math/pose.ts';
import { type Box, boxOf } from '../mesh/extent.ts';
import { selfContacts } from '../mesh/self-contacts.ts';
import { type Shells, shellsOf, whyOpen } from '../mesh/shells.ts';
import type { Surface } from '../mesh/topology.ts';
import { TriangleTree } from '../mesh/triangle-tree.ts';
import { shellVolumes } from '../mesh/volumes.ts';
import { representationOf } from '../representations/kinds.ts';
import { type Target, targetOf } from './walk.ts';

/** An asset of triangles in its own frame, until its geometry changes; null: not computed yet. */
export interface Body {
  surface: Surface;
  box: Box;
  tree: TriangleTree | null;
  /** True if the surface does not meet itself: see isEmbedded. */
  embedded: boolean | null;
  /** Queries that isEmbedded would have helped. */
  looks: number;
  volume: { signed: number; sure: number } | null;
  span: { fromOrigin: number; fromMean: number } | null;
  inward: Float64Array | null;
  shells: Shells;
  around: Around | null;
  /** Per shell its first triangle. */
  firstOf: Uint32Array;
}

/** The triangles at joined vertex v: `around[firstAround[v]]` to before the next one's. */
interface Around {
  firstAround: Uint32Array;
  around: Uint32Array;
}

const bodies = /* @__PURE__ */ derived<Asset, Body>();

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
      around: null,
      firstOf: firstOfShells(shells),
    };
    bodies.set(asset, body);
  }
  return body;
}

/** For approximate distances in the asset's frame. */
export function nearestTree(body: Body): TriangleTree {
  body.tree ??= new TriangleTree(body.surface);
  return body.tree;
}

/** Larger surfaces are not searched for self-contacts: it takes seconds. */
const MOST_SEARCHED = 2 ** 16;

/** True if the surface surely meets itself nowhere, except at shared vertices and edges. */
export function isEmbedded(body: Body): boolean {
  const { surface, shells } = body;
  body.embedded ??= shells.corners.length <= 3 * MOST_SEARCHED && selfContacts(surface, () => true, shells);
  return body.embedded;
}

/** Queries that cost about as much as searching the whole surface. */
const FEW_LOOKS = 4;

/** False also if it is unknown, since there were too few queries to make the search worthwhile. */
export const isKnownEmbedded = (body: Body): boolean =>
  body.embedded ?? (body.looks++ >= FEW_LOOKS && isEmbedded(body));

/** Smaller parts of a body's box may be rounding of its moved vertices. */
const SLIGHT = 1e-9;

/** Largest move of a vertex by rounding, as a part of its coordinates and of the translation. */
const ROUNDING = 2 ** -48;

/**
 * True if a body surely encloses something in its pose: its volume exceeds all effects of rounding.
 *
 * If vertices move by d at most, a triangle of sides up to l sweeps no more than d times its
 * largest area on the way, which is less than
 *   l^2 / 2 + 3 l d + 2 d^2
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

/** Largest distances of vertices from the origin and the mean corner; invariant to rotations. */
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

function lengthOf(x: number, y: number, z: number): number {
  const most = Math.max(Math.abs(x), Math.abs(y), Math.abs(z));
  return most > 0 ? most * Math.sqrt((x / most) ** 2 + (y / most) ** 2 + (z / most) ** 2) : 0;
}

/** In cubed units of its asset; negative if it is inside out. */
export const volumeIn = (body: Body): number => enclosed(body).signed;

/** `sure`: a lower bound of its size at rest, rounding included. */
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

export function trianglesAround(body: Body): Around {
  body.around ??= listAround(body.shells);
  return body.around;
}

function listAround({ corners }: Shells): Around {
  let vertices = 0;
  for (const v of corners) vertices = Math.max(vertices, v + 1);
  const firstAround = new Uint32Array(vertices + 2);
  // Counts are two places ahead, so that filling moves them to their own.
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

/** Continues a sentence after the body's name; null if the triangles bound a solid. */
export const openEdgeOf = ({ shells }: Body): string | null =>
  shells.count === 0 ? 'has no triangles' : whyOpen(shells);

export interface PlacedBody extends Target {
  body: Body;
  /** Loads a moved triangle, without a tree. Valid until the next call. */
  load: Operand['load'];
}

/** Its tree is made when `operand` is first read: most small or convex bodies need none. */
class BodyInPose implements PlacedBody {
  private loader: Operand['load'] | undefined;
  private target: Target | undefined;

  constructor(
    private readonly asset: Asset,
    readonly pose: Pose,
    readonly body: Body,
  ) {}

  get load(): Operand['load'] {
    const { asset, pose } = this;
    this.loader ??= hullLoader((id, out) => representationOf(asset).hull(asset, id, out), pose);
    return this.loader;
  }

  get operand(): Operand {
    return this.found.operand;
  }

  get toOwn(): RelativePose {
    return this.found.toOwn;
  }

  private get found(): Target {
    this.target ??= targetOf(operandOf(this.asset, this.pose), this.pose);
    return this.target;
  }
}

export const placeBody = (asset: Asset, pose: Pose): PlacedBody => new BodyInPose(asset, pose, bodyOf(asset));

/** As `moveErrorBound`, for the body's vertices. */
export const moveErrorOf = (placed: PlacedBody): number =>
  isIdentity(placed.pose) ? 0 : moveErrorBound(placed.pose, placed.operand.reach);

/** x, y, z each; the body's own array if it is not moved. */
export function movedVertices({ body, pose }: PlacedBody): Float64Array {
  const { positions } = body.surface;
  if (isIdentity(pose) && positions instanceof Float64Array) return positions;
  const moved = Float64Array.from(positions);
  if (!isIdentity(pose))
    for (let k = 0; k < moved.length; k += 3)
      movePoint(pose, positions[k], positions[k + 1], positions[k + 2], moved, k);
  return moved;
}

/**
 * A triangle (or segment or point, without area), or the hull of up to 8 points, which it keeps.
 */
export function lone(corners: Float64Array, count = 3): Operand {
  const hull = { points: corners, count };
  let reach = 0;
  const tree = new BoundTree((_, into) => {
    const at = into.leaf(0, 1);
    const { bounds } = into;
    bounds.fill(0, at, at + BOX_NUMBERS);
    for (let k = 0; k < 3; k++) {
      let low = corners[k];
      let high = low;
      for (let i = 1; i < count; i++) {
        low = Math.min(low, corners[3 * i + k]);
        high = Math.max(high, corners[3 * i + k]);
      }
      const centre = low / 2 + high / 2;
      bounds[at + k] = centre;
      bounds[at + 4 + 5 * k] = 1;
      bounds[at + 7 + 4 * k] = Math.max(centre - low, high - centre) * (1 + 2 ** -50);
      reach = Math.max(reach, Math.abs(low), Math.abs(high));
    }
  });
  return { tree, reach: 4 * reach, load: () => hull };
}
