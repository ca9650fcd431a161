/**
 * The public API, but for the image codec and the threads, which index.ts (Node) and browser.ts bring.
 */
import type { ByteSource } from './containers/byte-source.ts';
import type { PixelCodec } from './containers/pixels.ts';
import { FormatError, MeshError, OptionError } from './math/errors.ts';
import type { Mesh } from './mesh/mesh.ts';
import { type OpenImage, type OpenImageOptions, openImageBy } from './pair/opened.ts';
import { type AnswerPoses, createPair, type Pair, type PairOptions } from './pair/pair.ts';
import type { Asset, Decoded, Provenance, Representation } from './query/representation.ts';
import { compileFrep } from './representations/frep/build/compile.ts';
import type { FrepModel } from './representations/frep/build/model.ts';
import type { FrepObject } from './representations/frep/tree/program.ts';
import type { GiBuildOptions } from './representations/gi/build/index.ts';
import type { GiEncodeOptions } from './representations/gi/format/codec.ts';
import type { GeometryImage } from './representations/gi/tree/geometry-image.ts';
import type { KdopBuildOptions } from './representations/kdop/build.ts';
import type { KdopTree } from './representations/kdop/tree/kdop-tree.ts';
import type { ObbBuildOptions } from './representations/obb/build/index.ts';
import type { ObbTree } from './representations/obb/tree/obb-tree.ts';
import { loadedRepresentations, representationNamed, representationOf, sniffKind } from './representations/registry.ts';
import type { VoxelBuildOptions } from './representations/voxel/build/index.ts';
import type { VoxelSet } from './representations/voxel/tree/voxel-set.ts';

export { type ByteSource, memorySource } from './containers/byte-source.ts';
export { type HttpSourceOptions, httpSource } from './containers/http-source.ts';
export type { Compression, PixelCodec, PixelPage } from './containers/pixels.ts';
export { trianglesIntersect } from './geometry/triangle-triangle.ts';
export { FormatError, InputError, MeshError, OptionError, type Place } from './math/errors.ts';
export { compose, identity, type Pose, rotation, translation } from './math/pose.ts';
export { type Deviation, type DeviationOptions, measureDeviation } from './mesh/deviation.ts';
export type { Mesh, MeshGroup } from './mesh/mesh.ts';
export { splitByGroups } from './mesh/split.ts';
export type { Surface } from './mesh/topology.ts';
export type { OpenImage, OpenImageOptions } from './pair/opened.ts';
export { type CheckOptions, DEFAULT_MAX_CONTACTS } from './pair/options.ts';
export { type Checker, check, type Pair, type PairOptions, prepare, VERDICTS } from './pair/pair.ts';
export type {
  Bracket,
  Cell,
  CellSearch,
  ContactPair,
  ContactPoint,
  Contacts,
  OnContact,
  Report,
  Tolerance,
  Verdict,
  Witness,
} from './query/report.ts';
export type { Asset, Decoded, OnProgress, Representation } from './query/representation.ts';
export { type ObjMesh, readObj, writeObj } from './readers/obj.ts';
export { type FrepModel, readFrep } from './representations/frep/build/model.ts';
export type { FrepObject } from './representations/frep/tree/program.ts';
export { type GeometryImage, toMesh } from './representations/gi/tree/geometry-image.ts';
export type { KdopTree } from './representations/kdop/tree/kdop-tree.ts';
export type { ObbTree } from './representations/obb/tree/obb-tree.ts';
export { representationOf } from './representations/registry.ts';
export { type Collisions, collideAllPairs, collideSorted, commonCubes } from './representations/voxel/bulk/collide.ts';
export { partitionAll } from './representations/voxel/bulk/partition-all.ts';
export type { VoxelSet } from './representations/voxel/tree/voxel-set.ts';
export { VERSION } from './version.ts';

export interface BuildOptions extends GiBuildOptions, KdopBuildOptions, ObbBuildOptions, VoxelBuildOptions {
  /** `gi` (default): a geometry image; `kdop`: a k-DOP tree in fixed point; `obb`: a compressed OBB tree; `voxel`: cubes. */
  format?: 'gi' | 'kdop' | 'obb' | 'voxel';
}

/**
 * Turns a mesh, or the model of an F-rep, into a collision asset. Synchronous: hundreds of milliseconds for thousands of triangles, so call
 * it from a worker where that matters.
 *
 * @throws MeshError when the mesh cannot become the format; OptionError for options that make no sense
 * @example const mesh = readObj(await readFile('assets/bunny.obj'));
 *          const image = build(mesh, { size: 129 });
 *          const tree = build(mesh, { format: 'obb' });
 *          const integers = build(mesh, { format: 'kdop', k: 18, bits: 12 });
 *          const cubes = build(mesh, { format: 'voxel', precision: 0.02 });
 *          check(image, tree).verdict // 'contact'
 *          const ball = build(readFrep('{"object": {"sphere": {"radius": 0.2}}}'));
 *          check(image, ball).verdict // 'contact'
 */
export function build(model: FrepModel, options?: Provenance): FrepObject;
export function build(mesh: Mesh, options: BuildOptions & { format: 'kdop' }): KdopTree;
export function build(mesh: Mesh, options: BuildOptions & { format: 'obb' }): ObbTree;
export function build(mesh: Mesh, options: BuildOptions & { format: 'voxel' }): VoxelSet;
export function build(mesh: Mesh, options?: BuildOptions & { format?: 'gi' }): GeometryImage;
export function build(mesh: Mesh, options?: BuildOptions): Asset;
export function build(source: Mesh | FrepModel, options: BuildOptions = {}): Asset {
  if ('object' in source) return compileFrep(source, options);
  const mesh = source;
  const format = options.format ?? 'gi';
  const make = representationNamed(format)?.build;
  if (!make) throw new OptionError(`format ${format}: expected ${representationNames()}`);
  const vertices = mesh.positions.length / 3;
  const wild = mesh.triangles.findIndex((v) => v >= vertices);
  if (wild >= 0) {
    const found = `${mesh.triangles[wild]} in triangle ${Math.floor(wild / 3)}`;
    throw new MeshError(`expected vertex numbers below ${vertices}, found ${found}`);
  }
  return make(mesh, options);
}

/** What meshes can become, for messages: "gi, kdop or obb". */
export function representationNames(): string {
  const names = loadedRepresentations()
    .filter(({ build }) => build)
    .map(({ name }) => name);
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/**
 * `read`, `write`, `openImage` and `openPair` by one codec: sharp's in Node, utif's in a browser, or one of your own.
 *
 * @param answerPoses what answers the many poses of `openPair(a, b).verdicts`: this thread, unless given
 * @example const { read, write } = createLibrary(sharpCodec); // what the package exports in Node
 *          (await read(await write(bunny))).asset.representation // 'obb'
 */
export function createLibrary(codec: PixelCodec, answerPoses?: AnswerPoses) {
  return {
    /**
     * Opens two assets for any number of questions; what pays for many is prepared when many have been asked, or at once where
     * `questions` says that they will come.
     *
     * @throws OptionError for assets in different recorded units
     * @example const pair = openPair(bunny, blob);
     *          pair.report({ poseB: translation(0.4, 0, 0), all: true }).contacts.complete // true
     *          pair.verdict(translation(2, 0, 0)) // 'clear'
     *          await pair.verdicts(Float64Array.of(...translation(2, 0, 0), ...translation(0.4, 0, 0))) // [0, 1]
     */
    openPair: (a: Asset, b: Asset, options?: PairOptions): Pair => createPair(a, b, options, answerPoses),

    /**
     * Decodes an asset. The warnings say what had to be assumed, one line each.
     *
     * @throws FormatError for bytes that are no asset, or a damaged one
     * @example await writeFile('out/bunny.obb', await write(bunny));
     *          const { asset, warnings } = await read(await readFile('out/bunny.obb'));
     *          check(asset, blob, { poseB: translation(2, 0, 0) }).verdict // 'clear'
     */
    async read(bytes: Uint8Array): Promise<Decoded<Asset>> {
      const kind = sniffKind(bytes);
      const representation = kind && representationNamed(kind.name);
      if (!representation) {
        const known = 'a collision asset (a geometry image, a k-DOP tree, an OBB tree, cubes or an F-rep)';
        throw new FormatError({ byte: 0 }, known, describeStart(bytes));
      }
      return representation.decode(bytes, codec);
    },

    /**
     * Opens a geometry image without reading it: `check` of two reads the directories, the top of the trees and the tiles that it enters, about
     * one a level. What of a file is not read is not checked either: a tile is held to its own checksum, not to the digests of whole pages.
     *
     * @param source `memorySource(bytes)`, `await httpSource(url)`, or your own
     * @throws FormatError for bytes that are no geometry image, or a damaged one; InputError when the source cannot be read
     * @example const file = await write(build(readObj(bytes), { size: 33 })); // or a file on a server: await httpSource(url)
     *          const image = await openImage(memorySource(file));
     *          (await image.check(image, { poseB: translation(2, 0, 0) })).verdict // 'clear'
     */
    async openImage(source: ByteSource, options?: OpenImageOptions): Promise<OpenImage> {
      return openImageBy(codec, source, options);
    },

    /**
     * Encodes an asset: the same asset and options give the same bytes (for deflate: with the same codec).
     *
     * @example const image = build(readObj(bytes), { size: 33 });
     *          await writeFile('out/bunny.tiff', await write(image, { compression: 'lzw' }));
     */
    async write(asset: Asset, options: GiEncodeOptions = {}): Promise<Uint8Array> {
      return representationOf(asset).encode(asset, codec, options);
    },
  };
}

function describeStart(bytes: Uint8Array): string {
  if (bytes.length === 0) return 'an empty file';
  const shown = Array.from(bytes.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join(' ');
  return `bytes ${shown}${bytes.length > 8 ? ' ...' : ''}`;
}

/** All kinds: the functions of each. */
export const representations: readonly Representation<Asset>[] = /* @__PURE__ */ loadedRepresentations();
