/**
 * The contract that every representation fulfils: records of plain functions. A representation is
 * one folder under representations/, its FORMAT.md, and its row in kinds.ts.
 */
import type { ReadOptions } from '../containers/blob.ts';
import type { PixelCodec } from '../containers/pixels.ts';
import type { Pose } from '../math/pose.ts';
import type { Box } from '../mesh/extent.ts';
import type { Mesh } from '../mesh/mesh.ts';
import type { SurfacePieces } from '../mesh/surface-pieces.ts';
import type { Surface } from '../mesh/topology.ts';
import type { PlacedPrimitive } from '../readers/mesh-file.ts';
import type { NodeWriter } from './bound-tree.ts';
import type { Goal, Nearest } from './nearest.ts';
import type { OnDevice } from './pose-device.ts';
import type { Outcome, Query, Tolerance, Verdict } from './report.ts';

/** Anything that `check` takes: the tag says which representation's functions know the rest. */
export interface Asset {
  representation: string;
}

/** Called with the stage's name and the fraction of the whole that is done, from 0 to 1. */
export type OnProgress = (stage: string, fraction: number) => void;

/** What an asset remembers of its making; recorded in the file's header. */
export interface Provenance {
  source?: { name: string; sha256: string };
  units?: string;
  /** Options of the build that are not the representation's own, such as a scale. */
  options?: Record<string, string | number>;
  onProgress?: OnProgress;
  /**
   * Whether the asset takes over the arrays of the mesh, which nobody changes any more: then they
   * are not copied. Without it an asset has memory of its own.
   */
  take?: boolean;
}

/** The names of options that are one kind's own: all of them, and no others. */
export type OwnNames<Options> = Readonly<Record<Exclude<keyof Options, keyof Provenance>, true>>;

export interface Decoded<A> {
  asset: A;
  /** What the reader had to assume; one line each. */
  warnings: string[];
}

/** What `verify` found. */
export interface Verification {
  /** How many bounds were proved or refuted, and what they are. */
  checked: number;
  what: string;
  /** One line each; empty where all is proved. */
  problems: string[];
}

/** What `info` shows: in order, a label and a value that prints itself. */
export type Description = Record<string, unknown>;

/**
 * What a solid says of a hull: it holds a point of the solid, it holds none, or that is not known.
 */
export type Refined = 'in' | 'out' | 'unsure';

/**
 * An asset as what is known of its source: bounds that hold the source, and at their ends hulls
 * near it, or the source's own triangles.
 */
export interface SourceView {
  /**
   * As `unfold`, of bounds that contain, in doubles, all of the source that is near the hulls
   * below.
   */
  unfold(node: number, into: NodeWriter): void;
  hull(id: number, out: Float64Array): number;
  /**
   * At least how far any of its bounds and hulls, and the source itself, lies from the origin of
   * the asset's frame.
   */
  reach: number;
  /**
   * How far the source may reach beyond hull `id`: its part that this hull stands for is within
   * this length of it.
   */
  margin(id: number): number;
  /**
   * Where hulls are the source's own triangles, and margins 0: the number of that of hull `id`. A
   * triangle may be several hulls; every one has its corners as the source has them.
   */
  triangle?(id: number): number;
}

/** An option of `check` that one kind alone understands: the engine passes its value on unread. */
export interface OwnOption<A extends Asset> {
  /**
   * The asset that is asked in the place of this one, the same object for the same asset and value.
   *
   * @throws OptionError for a value that the asset cannot take
   */
  instead?(asset: A, value: unknown): A;
  /**
   * What the kind's own search finds in `query.own`, under the option's name.
   *
   * @throws OptionError for a value that makes no sense for these two
   */
  value?(value: unknown, a: A, b: A): unknown;
}

/** What reads and writes the files of one kind. */
export interface Codec<A extends Asset = Asset> {
  encode(asset: A, codec: PixelCodec, options: object): Promise<Uint8Array>;
  /**
   * Throws FormatError for bytes that are not this, or not whole. The asset has memory of its own,
   * unless it may take the bytes.
   */
  decode(bytes: Uint8Array, codec: PixelCodec, options?: ReadOptions): Promise<Decoded<A>>;
}

/** How assets of one kind are made of meshes. */
export interface Builder<A extends Asset = Asset> {
  /** Throws MeshError when this mesh cannot, OptionError for options that make no sense. */
  build(mesh: Mesh, options: object & Provenance): A;
  /**
   * Its own options of `build`, and of `write` after it; where the kind is not what is built, one
   * of them is refused by its name.
   */
  options: Readonly<Record<string, true>>;
  encodeOptions?: Readonly<Record<string, true>>;
}

export interface SurfaceTreeOptions {
  /** Whether the tree takes over the surface's arrays, which nobody changes any more. */
  take?: boolean;
}

/** What every kind knows of its assets; what only some know stands in three groups at the end. */
export interface Representation<A extends Asset> {
  name: A['representation'];
  /** Null where it was not computed; so it is of an asset that was updated. */
  tolerance(asset: A): Tolerance;
  /** The unit of the coordinates as `build` was given it; null where it was not. */
  units(asset: A): string | null;
  describe(asset: A, bytes: Uint8Array | null): Promise<Description>;
  /** Proves that every bound contains what it bounds, trusting nothing but the stored surface. */
  verify(asset: A): Verification;
  /**
   * The stored surface; of a solid that a function defines its boundary, drawn with 2^resolution
   * cells along its longest side.
   */
  surface(asset: A, resolution?: number): Surface;
  /** The number of the deepest level of the hierarchy; the root's is 0. */
  depth(asset: A): number;
  /** The bounding volumes of one level as a surface to look at. */
  boundsOfLevel(asset: A, level: number): Surface;
  /**
   * Writes the root (for ROOT) or the children of a branch: bounds that contain, in doubles, what
   * is below them. A branch in which nothing is found may have no children; the root is always one
   * node.
   */
  unfold(asset: A, node: number, into: NodeWriter): void;
  /**
   * Writes the points of hull `id`, x, y, z each, in the asset's frame; returns how many, 1 to 8.
   */
  hull(asset: A, id: number, out: Float64Array): number;
  /** At least how far any vertex or bound lies from the origin of the asset's frame. */
  reach(asset: A): number;
  /**
   * The kind's own search: readable, no preparation; undefined where it cannot answer this query.
   */
  search?(a: A, b: A, query: Query): Outcome | undefined;
  /**
   * The asset about other positions of its surface's vertices: the same triangles under the same
   * numbers, in arrays of its own, of a header that `updatedHeader` gives. Bounds hold the new
   * triangles as a build's would, if not as tightly.
   *
   * @param positions x, y, z of every vertex of `surface`, in that order; read, not kept; finite
   * @param inPlace whether the result takes the asset's place, which is asked no more as it is now:
   *   what a kernel has of it may then be overwritten and handed on (movePlacement)
   * @throws MeshError for coordinates that the kind cannot hold; OptionError for another number of
   *   them
   */
  update?(asset: A, positions: Float64Array | Float32Array, inPlace: boolean): A;
  /** Of a solid that a function defines. */
  solid?: SolidMembers<A>;
  /** What a kernel answers, or a device. Nothing depends on it but speed. */
  kernel?: KernelMembers<A>;
  /** What only one kind has, or what the others are asked without. */
  own?: OwnMembers<A>;
}

/**
 * A solid that a function defines, a closed set whose surface nobody has listed. Its bounds and
 * hulls contain what is below them, but may hold nothing; so that two of them meet says nothing,
 * and what touches the solid is asked here.
 */
export interface SolidMembers<A extends Asset> {
  /**
   * It speaks of the WHOLE solid, wherever in the tree the question came up, and of the convex hull
   * of `count` points (1 to 8; x, y, z each from offset 0; in the asset's frame), each known only
   * to within `slack`, a length from 0 to Infinity: 'in' when every hull of points that are within
   * slack of these holds a point of the solid, 'out' when none of them does, 'unsure' otherwise, or
   * where it would take too long to know. Both are proofs, rounding included. `effort` is how many
   * parts of the hull it may look at. `points` is neither kept nor written. Called once for a hull
   * and query, as often as a tree has hulls: it allocates nothing.
   */
  refine(asset: A, points: Float64Array, count: number, slack: number, effort: number): Refined;
  /**
   * Writes the points of a convex hull that lies in the solid AND in hull `id`, and returns how
   * many, 1 to 8; 0 where none is known. Distances are bounded from above by these alone, so
   * without them no distance to the solid is found.
   */
  core(asset: A, id: number, out: Float64Array): number;
  /**
   * The closed complement of the solid, for `refine`, and for `search` as the second of two, alone.
   * The same object for the same asset.
   */
  outside(asset: A): A;
  /** Whether two in one pose are surely one set of points. */
  isSame(a: A, b: A): boolean;
  /** The primitive that the solid is, of which more is known; null where it is none. */
  primitive(asset: A): PlacedPrimitive | null;
}

export interface KernelMembers<A extends Asset> {
  /**
   * The pair placed for the kind's kernel; undefined where there is none: no WebAssembly, no room
   * in its memory, assets that it does not read. The first call for an asset copies it, and the
   * first of a process compiles the kernels, which takes as long as dozens of searches.
   * Milliseconds of a process's first query, with the kernel and by the search: images of 257 x 257
   * 44 and 3, k-DOP trees of 3,700 triangles 58 and 8, wide OBB trees of as many 12 and 5.
   */
  pair(a: A, b: A): PairKernel | undefined;
  /**
   * The address of the asset's record in the kernels' memory (`search/layout.as.ts`), placed now
   * where it was not, for kernels that read assets of two kinds; 0 where `pair` would be undefined.
   */
  place?(asset: A): number;
  /**
   * What finds how far apart two sources are that are not kept: a bracket, and the nearest stored
   * primitives. Undefined where there is none, or nothing is known of one. The first question
   * places what it needs of both.
   */
  nearestSources?(a: A, b: A): PairKernel['nearest'];
  /** What a device answers in place of `pair`; what that leaves is for the kernel. */
  onDevice?: OnDevice<A>;
}

export interface OwnMembers<A extends Asset> {
  /**
   * What `check` may be asked of this kind alone, by the option's name; kinds.ts says of how many
   * of the two.
   */
  options?: Readonly<Record<string, OwnOption<A>>>;
  /**
   * Of OBB trees: one over a stored surface, which is made while a question is asked, and answers
   * in that surface's place. Throws MeshError where it can hold no such coordinates.
   */
  over?(surface: Surface, options: SurfaceTreeOptions): A;
  /**
   * More of the source than the tolerance says; null where that is all. The same object for the
   * same asset.
   */
  source?(asset: A): SourceView | null;
  /**
   * As `search`, of the two sources: `clear` or `undecided`, down to the query's level; undefined
   * where the common engine knows more of them.
   */
  searchSources?(a: A, b: A, query: Query): Outcome | undefined;
  /**
   * As `hull`, of the closed hull, where hulls leave some of their faces to others. Its points are
   * no farther from those of the hull than rounding is from bounds.
   */
  closedHull?(asset: A, id: number, out: Float64Array): number;
  /**
   * The least box of the stored surface, in the asset's frame; without it, the root's bounds tell
   * where an asset is.
   */
  box?(asset: A): Box;
  /** About how many primitives its hierarchy ends at; without it, nobody knows before it is searched. */
  primitives?(asset: A): number;
  /** As `surface`, a piece at a time, where it may be larger than memory likes. */
  pieces?(asset: A): SurfacePieces;
  /**
   * As `boundsOfLevel`, of any nodes, each once and in their order, by the numbers that `unfold`
   * gives them: as the kind's own search tests them.
   */
  volumes?(asset: A, nodes: readonly number[]): Surface;
  /** How the format came to its bytes, for `info --layout`. */
  layout?(): Description;
}

/**
 * Two assets that a kernel has in its memory, for as long as this record lives and neither is
 * updated in place.
 */
export interface PairKernel {
  /** First contact in validated poses; allocates nothing, and answers within `onContact` too. */
  verdict: ContactTest;
  /**
   * Undefined for what is not the kernel's: a level, lengths beyond its numbers, a query within
   * another's `onContact`.
   */
  search(query: Query): Outcome | undefined;
  /**
   * The nearest primitives in validated poses, as far as the goal asks; undefined where another
   * engine is to say: lengths beyond its numbers, thousands at one distance, a query within
   * another's `onContact`. Allocates nothing: the record is good until the next call.
   */
  nearest?(poseA: Pose, poseB: Pose, goal: Goal): Nearest | undefined;
}

/** Whether two assets touch in validated poses. */
export type ContactTest = (poseA: Pose, poseB: Pose) => Verdict;
