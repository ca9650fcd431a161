/**
 * The contract that every representation fulfils: records of plain functions. A representation is
 * one folder under representations/, its FORMAT.md, and its row in kinds.ts. Also the header that
 * all blobs share, and strict reading of one with any contents.
 */

import { FormatError } from '../base/errors.ts';
import type { ReadOptions } from '../containers/blob.ts';
import type { PixelCodec } from '../containers/pixels.ts';
import type { Pose } from '../math/pose.ts';
import type { Box } from '../mesh/extent.ts';
import type { Mesh } from '../mesh/mesh.ts';
import type { Surface, SurfacePieces } from '../mesh/topology.ts';
import type { PlacedPrimitive } from '../readers/mesh-file.ts';
import { TOOL } from '../version.ts';
import type { NodeWriter } from './bound-tree.ts';
import type { Refined } from './leaves.ts';
import type { OnDevice } from './pose-device.ts';
import type { Goal, Nearest, Outcome, Query, Tolerance, Verdict } from './records.ts';

/** Any input of `check`; the tag selects the representation's functions. */
export interface Asset {
  representation: string;
}

/** Receives the stage's name and the finished fraction of the whole, from 0 to 1. */
export type OnProgress = (stage: string, fraction: number) => void;

/** An asset's origin, recorded in the file's header. */
export interface Provenance {
  source?: { name: string; sha256: string };
  units?: string;
  /** Options of the build beside the representation's own, such as a scale. */
  options?: Record<string, string | number>;
  onProgress?: OnProgress;
  /** True to keep the mesh's arrays, which must not change any more, instead of copies. */
  take?: boolean;
}

/** The names of one kind's own options: all of them, and no others. */
export type OwnNames<Options> = Readonly<Record<Exclude<keyof Options, keyof Provenance>, true>>;

/** A decoded asset, and warnings about its file. */
export interface Decoded<A> {
  asset: A;
  /** Assumptions of the reader, one line each. */
  warnings: string[];
}

/** The result of `verify`: bounds proved, and problems found. */
export interface Verification {
  /** Number of bounds proved or refuted, and their kind. */
  checked: number;
  what: string;
  /** One line each; empty if all is proved. */
  problems: string[];
}

/** Output of `info`: in order, a label and a value that prints itself. */
export type Description = Record<string, unknown>;

export type { Refined } from './leaves.ts';

/**
 * An asset seen as its source: bounds that hold the source, and at their ends hulls near it, or the
 * source's own triangles.
 */
export interface SourceView {
  /** Like `unfold`; bounds contain, in doubles, the part of the source near the hulls below. */
  unfold(node: number, into: NodeWriter): void;
  hull(id: number, out: Float64Array): number;
  /** Bound of its bounds', hulls' and the source's distance from the frame's origin. */
  reach: number;
  /** Bound of the source's distance from hull `id`, for the part that this hull stands for. */
  margin(id: number): number;
  /**
   * If hulls are the source's own triangles, and margins 0: the triangle of hull `id`. A triangle
   * may be several hulls; each has its exact corners.
   */
  triangle?(id: number): number;
}

/** An option of `check` for one kind alone: the engine passes its value on unread. */
interface OwnOption<A extends Asset> {
  /** Replaces the asset; same object for same asset and value. Throws OptionError for bad ones. */
  instead?(asset: A, value: unknown): A;
  /**
   * The value for `query.own`. Throws OptionError if it makes no sense for these two, or beside the
   * other options.
   */
  value?(value: unknown, a: A, b: A, options: Readonly<Record<string, unknown>>): unknown;
  /** True if the kind's own search alone answers with it, within a budget too. */
  isSearched?: boolean;
}

/** Reads and writes the files of one kind. */
export interface Codec<A extends Asset = Asset> {
  encode(asset: A, codec: PixelCodec, options: object): Promise<Uint8Array>;
  /** Throws FormatError for other or incomplete bytes. Copies unless it may take the bytes. */
  decode(bytes: Uint8Array, codec: PixelCodec, options?: ReadOptions): Promise<Decoded<A>>;
}

/** Makes assets of one kind from meshes. */
export interface Builder<A extends Asset = Asset> {
  /** Throws MeshError if the mesh can't become this kind, OptionError for invalid options. */
  build(mesh: Mesh, options: object & Provenance): A;
  /** The kind's options of `build`, and of `write`; other kinds refuse them by name. */
  options: Readonly<Record<string, true>>;
  encodeOptions?: Readonly<Record<string, true>>;
}

interface SurfaceTreeOptions {
  /** True to keep the surface's arrays, which must not change any more. */
  take?: boolean;
}

/** Facts about a kind's assets beyond those that answers need. */
export interface Representation<A extends Asset> extends Asked<A> {
  describe(asset: A, bytes: Uint8Array | null): Promise<Description>;
  /** Proves every bound, trusting only the stored surface. */
  verify(asset: A): Verification;
  /** The deepest level of the hierarchy; the root's is 0. */
  depth(asset: A): number;
  /** The bounding volumes of one level as a surface for display. */
  boundsOfLevel(asset: A, level: number): Surface;
}

/** The parts of a kind that answers need. Some kinds have three more groups, at the end. */
export interface Asked<A extends Asset> {
  name: A['representation'];
  /** Null if not computed, or after an update. */
  tolerance(asset: A): Tolerance;
  /** The unit of the coordinates as passed to `build`, or null. */
  units(asset: A): string | null;
  /**
   * The stored surface; for a solid that a function defines its boundary, drawn with 2^resolution
   * cells along its longest side.
   */
  surface(asset: A, resolution?: number): Surface;
  /**
   * Writes the root (for ROOT) or the children of a branch: bounds that contain, in doubles,
   * everything below them. An empty branch may have no children; the root is always one node.
   */
  unfold(asset: A, node: number, into: NodeWriter): void;
  /** Writes hull `id`'s points, x, y, z each, in the asset's frame; returns 1 to 8. */
  hull(asset: A, id: number, out: Float64Array): number;
  /** Bound of the distance of any vertex or bound from the origin of the asset's frame. */
  reach(asset: A): number;
  /** The kind's own search: readable, no preparation; undefined if it cannot answer this query. */
  search?(a: A, b: A, query: Query): Outcome | undefined;
  /**
   * Returns the asset with its surface's vertices at other positions: the same triangles under the
   * same numbers, in arrays of its own, with the header of `updatedHeader`. Bounds hold the new
   * triangles as a build's would, if not as tightly.
   *
   * @param positions x, y, z of every vertex of `surface`, in that order; read, not kept; finite
   * @param options `inPlace`: the result replaces the asset, which is not used any more: its place
   *   in a kernel's memory may then be overwritten and handed on (movePlacement)
   * @throws MeshError for coordinates beyond the kind's range; OptionError for another number of
   *   them
   */
  update?(asset: A, positions: Float64Array | Float32Array, options: { inPlace: boolean }): A;
  /** For kinds of solids that a function defines. */
  solid?: SolidMembers<A>;
  /** Answers of a kernel or a device. Only speed depends on them. */
  kernel?: KernelMembers<A>;
  /** Called when the kind is registered: gives the engine its leaves other than triangles. */
  engines?(): void;
  /** Members of one kind only, or members that the other kinds don't need. */
  own?: OwnMembers<A>;
}

/**
 * A closed set that a function defines, without a list of its surface. Its bounds and hulls contain
 * the solid below them, but may hold nothing. So two hulls that meet prove nothing, and the solid
 * itself must be asked if it touches something.
 */
export interface SolidMembers<A extends Asset> {
  /**
   * Tests the WHOLE solid, wherever in the tree the question came up, against the convex hull of
   * `count` points: 1 to 8, with x, y, z each from offset 0, in the asset's frame. Each point is
   * known only to within `slack`, a length from 0 to Infinity.
   *
   * - 'in': every hull of points that are within `slack` of these holds a point of the solid
   * - 'out': none of these hulls does
   * - 'unsure': otherwise, or if an answer would take too long
   *
   * 'in' and 'out' are proofs, rounding included. `effort` is the number of parts of the hull that
   * it may look at. `points` is neither kept nor written. It is called once for each hull and
   * query, for all hulls of a tree, so it allocates nothing.
   */
  refine(asset: A, points: Float64Array, count: number, slack: number, effort: number): Refined;
  /**
   * Writes the points of a convex hull that lies in the solid AND in hull `id`. Returns their
   * number, 1 to 8, or 0 if no such hull is known. These points alone bound distances from above;
   * without them no distance to the solid is found.
   */
  core(asset: A, id: number, out: Float64Array): number;
  /**
   * The closed complement of the solid, for `refine`, and for `search` as its second argument only.
   * Returns the same object for the same asset.
   */
  outside(asset: A): A;
  /** True if the two, in one pose, are surely the same set of points. */
  isSame(a: A, b: A): boolean;
  /** The primitive that the solid is, or null. More is known about primitives. */
  primitive(asset: A): PlacedPrimitive | null;
}

interface KernelMembers<A extends Asset> {
  /**
   * The pair, placed for the kind's kernel. Undefined without WebAssembly, without room in its
   * memory, and for assets that the kernel does not read. The first call for an asset copies it,
   * and the first of a process compiles the kernels, which takes as long as dozens of searches. The
   * first query of a process, with the kernel and by the search: 44 ms and 3 ms for images of 257 x
   * 257; 12 ms and 5 ms for wide OBB trees of 3,700 triangles.
   */
  pair?(a: A, b: A): PairKernel | undefined;
  /**
   * The address of the asset's record in the kernels' memory (`search/layout.as.ts`), for kernels
   * that read assets of two kinds. The first call places the record. Returns 0 if `pair` would be
   * undefined.
   */
  place?(asset: A): number;
  /**
   * Finds the distance of two sources that are not kept: a bracket, and the nearest stored
   * primitives. Undefined if the kind has no such search, or nothing is known of one source. The
   * first question places the data of both.
   */
  nearestSources?(a: A, b: A): PairKernel['nearest'];
  /** Answers of a device in place of kernels; the ladder answers the rest. */
  onDevice?: OnDevice<A>;
}

export interface OwnMembers<A extends Asset> {
  /**
   * The kind's own options of `check`, by name. kinds.ts says if one or both assets must be of the
   * kind.
   */
  options?: Readonly<Record<string, OwnOption<A>>>;
  /**
   * For OBB trees: builds a tree over a stored surface while a question is asked, to answer in its
   * place. Throws MeshError if the tree cannot hold such coordinates.
   *
   * @param options `isHasty` for a tree that takes less time to make, and a tenth
   *   longer to ask
   */
  over?(surface: Surface, options: SurfaceTreeOptions & { isHasty?: boolean }): A;
  /**
   * More precise knowledge of the source than the tolerance, or null. Returns the same object for
   * the same asset.
   */
  source?(asset: A): SourceView | null;
  /**
   * Like `search`, for the two sources: `clear` or `undecided`, down to the query's level.
   * Undefined if the common engine knows more about them.
   */
  searchSources?(a: A, b: A, query: Query): Outcome | undefined;
  /**
   * Like `hull`, but returns the closed hull if hulls leave some of their faces to others. Its
   * points are no farther from those of the hull than rounding is from bounds.
   */
  closedHull?(asset: A, id: number, out: Float64Array): number;
  /** The least box of the stored surface, in the asset's frame; by default, the root's bounds. */
  box?(asset: A): Box;
  /** Approximate number of primitives of its hierarchy; omitted if unknown beforehand. */
  primitives?(asset: A): number;
  /** Like `surface`, one piece at a time, for surfaces that may not fit in memory. */
  pieces?(asset: A): SurfacePieces;
  /**
   * Like `boundsOfLevel`, for any nodes, each once and in their order, by the numbers of `unfold`.
   * Draws the volumes that the kind's own search tests, with the option `bounds` if given.
   */
  volumes?(asset: A, nodes: readonly number[], bounds?: 'spheres'): Surface;
  /** The format's sizes, for `info --layout`. */
  layout?(): Description;
}

/** Two assets in a kernel's memory while this record lives; not after an update in place. */
export interface PairKernel {
  /**
   * First contact in poses of 16 numbers; allocates nothing, and answers within `onContact` too.
   *
   * @throws OptionError for a pose that is not rigid
   */
  verdict(poseA: Pose, poseB: Pose): Verdict;
  /**
   * Writes first contacts in many poses of b, 16 numbers each: 0 clear, 1 contact, LEFT_OVER if
   * `verdict` must answer. Returns false within `onContact`.
   */
  verdicts?(poses: Float64Array, verdicts: Uint8Array): boolean;
  /** Undefined for a level, lengths beyond its numbers, or a query within another's `onContact`. */
  search(query: Query): Outcome | undefined;
  /**
   * The nearest primitives in validated poses, as far as the goal asks. Undefined if another engine
   * must answer: lengths beyond its numbers, or a query within another's `onContact`. Allocates
   * nothing: the record is valid until the next call.
   */
  nearest?(poseA: Pose, poseB: Pose, goal: Goal): Nearest | undefined;
}

export interface AssetHeader {
  tool: string;
  source: { name: string; sha256: string } | null;
  units: string | null;
  options: Record<string, string | number>;
}

export function assetHeader(provenance: Provenance, own: Record<string, string | number>): AssetHeader {
  return {
    tool: TOOL,
    source: provenance.source ? { ...provenance.source } : null,
    units: provenance.units ?? null,
    options: { ...own, ...provenance.options },
  };
}

/** How far vertices were moved to join them: a distance from the source beside the kind's own. */
export const weldOf = ({ options }: Pick<AssetHeader, 'options'>): number =>
  typeof options.welded === 'number' && options.welded > 0 ? options.welded : 0;

/** The maximum distance of chords from the curves of the source. */
const chordOf = ({ options }: Pick<AssetHeader, 'options'>): number =>
  typeof options.chord === 'number' && options.chord > 0 ? options.chord : 0;

/**
 * Adds the distances caused by chords in place of curves and by joining vertices: a point of a
 * triangle moves no farther than its corners.
 */
export function beyondSource(tolerance: Tolerance, header: Pick<AssetHeader, 'options'>): Tolerance {
  const more = weldOf(header) + chordOf(header);
  if (tolerance === null || more === 0) return tolerance;
  const sum = (length: number): number => (length + more) * (1 + 2 ** -50);
  return { missing: sum(tolerance.missing), excess: sum(tolerance.excess) };
}

const UPDATED = 'updated';

/**
 * The header for updated geometry keeps only the build options in `kept`. It names no source: the
 * old one is another surface, and its promises are void.
 */
export function updatedHeader({ units, options }: AssetHeader, kept: readonly string[]): AssetHeader {
  const own = Object.fromEntries(Object.entries(options).filter(([name]) => kept.includes(name)));
  return { tool: TOOL, source: null, units, options: { ...own, geometry: UPDATED } };
}

export const isUpdated = ({ options }: AssetHeader): boolean => options.geometry === UPDATED;

export const inUnits = <A extends Asset>(asset: A, units: string): A => ({
  ...asset,
  header: { ...(asset as A & { header: AssetHeader }).header, units },
});

/** Throws FormatError, with `found` as JSON, unless the condition holds. */
export function requireField(condition: boolean, expected: string, found: unknown): void {
  if (condition) return;
  const text = found === undefined ? 'nothing' : (JSON.stringify(found) ?? String(found));
  throw new FormatError(null, `${expected} in the header`, text.length > 60 ? `${text.slice(0, 57)}...` : text);
}

export const isCount = (x: unknown): x is number =>
  Number.isInteger(x) && (x as number) >= 1 && (x as number) <= 2 ** 30;

export const areNumbers = (x: unknown, length: number, test: (v: number) => boolean): x is number[] =>
  Array.isArray(x) && x.length === length && x.every((v) => typeof v === 'number' && test(v));

/** @throws FormatError if a field is missing or of another type */
export function readAssetHeader(json: Record<string, unknown>): AssetHeader {
  const { tool, source, units, options } = json;
  requireField(typeof tool === 'string', 'tool', tool);
  requireField(units === null || typeof units === 'string', 'units', units);
  const record = source as Record<string, unknown> | null;
  const isSource =
    record === null ||
    (typeof record === 'object' && typeof record.name === 'string' && typeof record.sha256 === 'string');
  requireField(isSource, 'source, a name and a digest,', source);
  const isOptions =
    typeof options === 'object' &&
    options !== null &&
    !Array.isArray(options) &&
    Object.values(options).every((option) => typeof option === 'string' || typeof option === 'number');
  requireField(isOptions, 'options', options);
  return { tool, source, units, options } as AssetHeader;
}
