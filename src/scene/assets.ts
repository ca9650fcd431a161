/**
 * Makes the assets of a scene's files, one for each mesh. Rigid motions become poses; scales,
 * shears, mirrors and units are baked into the coordinates of further assets.
 */
import { OptionError } from '../base/errors.ts';
import { isOfTriangles } from '../engine/operand.ts';
import type { Asset, Representation } from '../engine/representation.ts';
import { inUnits } from '../engine/representation.ts';
import { converterOf, isOneUnit } from '../engine/units.ts';
import { compose, identity, isIdentity, isRigid, type Pose, translation } from '../math/pose.ts';
import type { Mesh } from '../mesh/mesh.ts';
import { determinantOf, scalesOf, transformMesh, transformPositions, unscaled } from '../mesh/mesh.ts';
import { welded } from '../mesh/weld.ts';
import { elementsOf, type FileElement, type Split } from '../readers/elements.ts';
import type { ReaderNote } from '../readers/mesh-file.ts';
import { type MeshFile, type Primitive, resized, wholeMesh } from '../readers/mesh-file.ts';
import { compileFrep } from '../representations/frep/make/compile.ts';
import { modelOfPrimitive } from '../representations/frep/make/primitive.ts';
import { kdopTreeLater } from '../representations/kdop/make-later.ts';
import { representationOf } from '../representations/kinds.ts';
import { buildQueryTree } from '../representations/obb/make/index.ts';

export interface Source {
  file: string;
  sha256: string;
  meshes: MeshFile | null;
  asset: Asset | null;
  units: string | null;
  /** Notes on elements that the reader left out or could not make. */
  notes: readonly ReaderNote[];
}

interface Part extends FileElement {
  asset: Asset | null;
  isElement: boolean;
}

interface PlacedAsset {
  asset: Asset;
  within: Pose;
  /** From coordinates of the source to those of the asset. */
  convert(positions: Float64Array): Float64Array;
}

/**
 * k of the k-DOPs. A building of 5,720 elements, loading and finding, processor ms: 2304 with 24,
 * 2128 with 18, 2023 with 14, 1822 with 6; turned about two axes, 9184, 8283, 7374, 12143.
 */
const ELEMENT_DIRECTIONS = 14;
const ELEMENT_BITS = 16;

/** Significant digits of scales, which differ by float rounding. The poses keep the rest. */
const DIGITS = 6;

/** Assets by sources: reloading a scene from the same sources gives the same assets. */
export class MadeAssets {
  private readonly assets = new WeakMap<Source, Map<unknown, Map<string, Asset>>>();
  private readonly parts = new WeakMap<Source, Map<Split | null, Part[]>>();
  private readonly sources = new WeakMap<Source, Map<string, Source>>();

  partsOf(source: Source, split: Split | null): readonly Part[] {
    const own = memberOf(this.parts, source, () => new Map<Split | null, Part[]>());
    return memberOf(own, split, () => partsOf(source, split));
  }

  assetsOf(source: Source, content: unknown): Map<string, Asset> {
    const own = memberOf(this.assets, source, () => new Map<unknown, Map<string, Asset>>());
    return memberOf(own, content, () => new Map<string, Asset>());
  }

  inUnits(source: Source, units: string | null): Source {
    if (source.units !== null || units === null) return source;
    const own = memberOf(this.sources, source, () => new Map<string, Source>());
    return memberOf(own, units, () => ({ ...source, units }));
  }
}

function memberOf<K, V>(map: { get(key: K): V | undefined; set(key: K, value: V): unknown }, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

interface AssetBuilderOptions {
  units: string | null;
  moves: boolean;
  weld?: number | undefined;
  made?: MadeAssets;
}

export class AssetBuilder {
  baked = 0;
  converted = 0;
  private readonly met = new Set<Asset>();
  private readonly scales = new Map<string, readonly number[]>();

  private readonly units: string | null;
  private readonly moves: boolean;
  private readonly weld: number | undefined;
  private readonly made: MadeAssets;

  constructor({ units, moves, weld, made = new MadeAssets() }: AssetBuilderOptions) {
    this.weld = weld;
    this.units = units;
    this.moves = moves;
    this.made = made;
  }

  partsOf(source: Source, split: Split | null): readonly Part[] {
    return this.made.partsOf(source, split);
  }

  place(source: Source, part: Part, linear: Pose | null): PlacedAsset {
    const convert = this.converterOf(source);
    const own = convert ? part.matrix.map((x, i) => (i % 4 === 3 && i < 12 ? convert(x) : x)) : part.matrix;
    const { pose, baked } = this.factor(linear ? compose(linear, own) : own);
    const assets = this.made.assetsOf(source, part.asset ?? part.mesh ?? JSON.stringify(part.primitive));
    const asset = memberOf(assets, JSON.stringify([this.units, this.moves, this.weld, baked && [...baked]]), () =>
      part.primitive ? this.makeSolid(part.primitive, baked, convert) : this.make(source, part, baked, convert),
    );
    if (!this.met.has(asset)) {
      this.met.add(asset);
      if (baked) this.baked++;
      if (convert) this.converted++;
    }
    const toUnits = (positions: Float64Array): Float64Array => (convert ? positions.map(convert) : positions);
    return {
      asset,
      within: pose,
      convert: (positions) => (baked ? transformPositions(toUnits(positions), baked) : toUnits(positions)),
    };
  }

  /** Bakes the part that a pose can't hold: only scales if they are enough, else all of the map. */
  private factor(matrix: Pose): { pose: Pose; baked: Pose | null } {
    if (isRigid(matrix)) return { pose: matrix, baked: null };
    const own = scalesOf(matrix);
    if (own) {
      const key = own.map((scale) => scale.toPrecision(DIGITS)).join();
      const scales = this.scales.get(key) ?? own;
      this.scales.set(key, scales);
      const pose = unscaled(matrix, scales);
      if (isRigid(pose)) return { pose, baked: linearOf(scales[0], 0, 0, 0, scales[1], 0, 0, 0, scales[2]) };
    }
    const [a, b, c, , d, e, f, , g, h, i] = matrix;
    return { pose: translation(matrix[3], matrix[7], matrix[11]), baked: linearOf(a, b, c, d, e, f, g, h, i) };
  }

  private converterOf({ units }: Source): ((length: number) => number) | null {
    if (units === null || this.units === null || isOneUnit(units, this.units)) return null;
    return converterOf(units, this.units);
  }

  private optionsOf({ units }: { units: string | null }): { units?: string } {
    const known = this.units ?? units;
    return known === null ? {} : { units: known };
  }

  /**
   * Wide OBB trees are fastest; k-DOP trees, for resting elements, build in a third of the time,
   * and only if something asks for them.
   */
  private make(
    source: Source,
    { asset, mesh, isElement }: Part,
    baked: Pose | null,
    convert: ((length: number) => number) | null,
  ): Asset {
    if (asset && !baked && !convert) return this.inKnownUnits(asset, source);
    if (asset && !isOfTriangles(asset)) {
      const { name } = representationOf(asset) as Representation<Asset>;
      throw new OptionError(`${name} cannot be scaled here; build it in the size that you need`);
    }
    const { positions, triangles } = mesh ?? representationOf(asset!).surface(asset!);
    // The asset gets memory of its own.
    const doubles = positions instanceof Float64Array ? positions : Float64Array.from(positions);
    const inUnits = convert ? doubles.map(convert) : doubles;
    if (!inUnits.every(Number.isFinite)) throw new OptionError('its units make coordinates infinite');
    const plain: Mesh = { positions: inUnits, triangles, groups: [] };
    const placed = baked ? transformMesh(plain, baked) : plain;
    // The meshes of assets were joined, or not, when the assets were built.
    const weld = asset ? undefined : this.weld;
    const known = this.optionsOf(source);
    const { mesh: own, options } = weld ? welded(placed, { ...known, weld }) : { mesh: placed, options: known };
    if (isElement && !this.moves) return kdopTreeLater(own, { k: ELEMENT_DIRECTIONS, bits: ELEMENT_BITS, ...options });
    return buildQueryTree(own, options);
  }

  private inKnownUnits(asset: Asset, source: Source): Asset {
    const { units } = this.optionsOf(source);
    return units === undefined || representationOf(asset).units(asset) ? asset : inUnits(asset, units);
  }

  private makeSolid(primitive: Primitive, baked: Pose | null, convert: ((length: number) => number) | null): Asset {
    const own = convert ? resized(primitive, convert) : primitive;
    return compileFrep(modelOfPrimitive(own, baked ?? identity()), this.optionsOf({ units: null }));
  }
}

function partsOf({ meshes, asset }: Source, split: Split | null): Part[] {
  if (!meshes && split) throw new OptionError('split: expected a mesh, found an asset, which has no elements');
  if (meshes && split)
    return elementsOf(meshes, split).map((element) => ({ ...element, asset: null, isElement: true }));
  if (meshes?.nodes.some(({ primitive }) => primitive))
    throw new OptionError(
      'it has solids other than triangles (boxes, cylinders, capsules, spheres): add "split": "elements"',
    );
  const mesh = meshes && wholeMesh(meshes);
  return [{ name: '', mesh, asset, primitive: null, matrix: identity(), isElement: false }];
}

const linearOf = (...m: number[]): Pose =>
  Float64Array.of(...m.slice(0, 3), 0, ...m.slice(3, 6), 0, ...m.slice(6), 0, 0, 0, 0, 1);

/** True if a map has no volume. Entries are divided by the largest, so that small ones count. */
export function isFlat(m: Pose): boolean {
  const largest = m.subarray(0, 11).reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  return largest === 0 || determinantOf(m.map((x) => x / largest)) === 0;
}

/** `within` comes first. Returns `pose` itself, to the bit, if `within` is the identity. */
export const composed = (pose: Pose, within: Pose): Pose => (isIdentity(within) ? pose : compose(pose, within));
