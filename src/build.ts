/** Builds assets from meshes and models. */
import { OptionError } from './base/errors.ts';
import { requireOptions, requireThat } from './base/require.ts';
import { requireBuildNames, requireProvenance } from './engine/build-options.ts';
import type { Asset, Builder, OwnNames, Provenance } from './engine/representation.ts';
import { meshInDoubles, type SourceMesh } from './mesh/mesh.ts';
import { type WeldOptions, welded } from './mesh/weld.ts';
import { compileFrep } from './representations/frep/make/compile.ts';
import type { FrepModel } from './representations/frep/make/model.ts';
import type { FrepObject } from './representations/frep/tree/program.ts';
import { type GiBuildOptions, giBuilder } from './representations/gi/make/index.ts';
import type { GeometryImage } from './representations/gi/tree/geometry-image.ts';
import { type KdopBuildOptions, kdopBuilder } from './representations/kdop/make.ts';
import type { KdopTree } from './representations/kdop/tree/kdop-tree.ts';
import { type ObbBuildOptions, obbBuilder } from './representations/obb/make/index.ts';
import type { ObbTree } from './representations/obb/tree/obb-tree.ts';
import { type VoxelBuildOptions, voxelBuilder } from './representations/voxel/make/index.ts';
import type { VoxelSet } from './representations/voxel/tree/cube-set.ts';

/**
 * The builder of each kind, by name. Pages that only `check` and `read` don't need it, and it is a
 * sixth of the code that they would load.
 */
const BUILDERS: Record<string, Builder> = {
  gi: giBuilder,
  kdop: kdopBuilder,
  obb: obbBuilder,
  voxel: voxelBuilder,
};

/** Each format with its own options. `gi` (default): a geometry image. */
export type BuildOptions = WeldOptions &
  (
    | (GiBuildOptions & { format?: 'gi' })
    | (KdopBuildOptions & { format: 'kdop' })
    | (ObbBuildOptions & { format: 'obb' })
    | (VoxelBuildOptions & { format: 'voxel' })
  );

/**
 * Builds a collision asset from a mesh, or from the model of an F-rep. Coordinates may be a
 * Float64Array or, as in three.js, a Float32Array. The call is synchronous and needs hundreds of
 * milliseconds for thousands of triangles, so run it in a worker if that blocks your program. The
 * asset owns its memory, so you may change the mesh afterwards. With `take` the asset keeps the
 * mesh's arrays instead.
 *
 * @throws MeshError if the mesh cannot become the format
 * @throws OptionError for unknown or invalid options, for options of another format, and for a
 *   misspelled unit
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
export function build(mesh: SourceMesh, options: KdopBuildOptions & WeldOptions & { format: 'kdop' }): KdopTree;
export function build(mesh: SourceMesh, options: ObbBuildOptions & WeldOptions & { format: 'obb' }): ObbTree;
export function build(mesh: SourceMesh, options: VoxelBuildOptions & WeldOptions & { format: 'voxel' }): VoxelSet;
export function build(mesh: SourceMesh, options?: GiBuildOptions & WeldOptions & { format?: 'gi' }): GeometryImage;
export function build(mesh: SourceMesh, options?: BuildOptions): Asset;
export function build(source: SourceMesh | FrepModel, options: BuildOptions = {}): Asset {
  requireOptions(options);
  const isModel = typeof source === 'object' && source !== null && 'object' in source;
  const format = isModel ? 'frep' : (options.format ?? 'gi');
  refuseOthers(options, format);
  if (isModel) {
    requireThat(options.weld === undefined, 'weld', 'no weld for an F-rep model', options.weld);
    return compileFrep(source, options);
  }
  if (!Object.hasOwn(BUILDERS, format)) {
    const known = Object.keys(BUILDERS).join(', ');
    throw new OptionError(`format ${format}: expected ${known.replace(/, (?=\w+$)/, ' or ')}`);
  }
  const { mesh, options: own } = welded(meshInDoubles(source), options);
  return BUILDERS[format].build(mesh, own);
}

const NAMES: OwnNames<{ format: string; weld?: number }> = { format: true, weld: true };

function refuseOthers(options: object, format: string): void {
  const { options: own = {}, encodeOptions = {} } = BUILDERS[format] ?? {};
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(own, name)) continue;
    if (Object.hasOwn(encodeOptions, name)) throw new OptionError(`${name}: an option of write, not of build`);
    const owners = Object.keys(BUILDERS).filter((kind) => hasOption(BUILDERS[kind], name));
    if (owners.length > 0) throw new OptionError(`${name}: an option of ${owners.join(' and ')}, not of ${format}`);
  }
  requireBuildNames(options, { ...NAMES, ...own });
  requireProvenance(options);
}

/** True if the builder has this option of `build`, or of `write` after it. */
const hasOption = ({ options, encodeOptions }: Builder, name: string): boolean =>
  Object.hasOwn({ ...options, ...encodeOptions }, name);
