/** The options of a check, and their validation. */
import { OptionError } from '../base/errors.ts';
import { type OptionTypes, requireOptions, requireOptionTypes, requireThat } from '../base/require.ts';
import { type Pose, UNMOVED, validatePose } from '../math/pose.ts';
import { KINDS, type Kind, representationNamed, representationOf } from '../representations/kinds.ts';
import type { ContactPair, ContactPatch, ContactPoint, OnContact, OnVisit, Query, Solids, Verdict } from './records.ts';
import type { Asset } from './representation.ts';
import type { Operand } from './traverse.ts';
import { requireSameUnits } from './units.ts';

/** How to classify a pair as solids. */
export type SolidMode = 'auto' | 'require' | 'off';

/** Precision of depths. `off`: not measured; `coarse`: within 10 %; `fine`: within 1 %. */
export type Depth = 'off' | 'coarse' | 'fine';

export interface SolidQuestion {
  mode: Exclude<SolidMode, 'off'>;
  tolerance: number;
  touchGap: number;
  /** Relative width of brackets of depths; null: none. Thickness alone, unless `reach` is set. */
  relative: number | null;
  reach: boolean;
  names?: readonly [string, string];
}

export interface SurfaceAnswers {
  /** Contact or, for a positive clearance, being no farther apart than it. */
  verdict(clearance: number): Verdict;
  /** Triangles in contact or near it, as far as found so far. */
  met: readonly ContactPair[];
  /** All pairs of triangles that share a point, of assets that replace the two. */
  contacts(a: Asset, b: Asset): ContactPair[];
}

/** Classifies pairs as solids: `solids` of gicollide/solid. */
export interface SolidClassifier {
  classOf(
    a: Asset,
    b: Asset,
    query: Pick<Query, 'poseA' | 'poseB' | 'clearance'>,
    asked: SolidQuestion,
    answers: SurfaceAnswers,
  ): Solids;
}

/** Finds where the listed pairs touch: `contacts` of gicollide/contacts. */
export interface ContactFinder {
  points(a: Operand, b: Operand, pairs: readonly ContactPair[]): ContactPoint[];
  patches(a: Operand, b: Operand, pairs: readonly ContactPair[]): ContactPatch[];
  /** The middle of the common part of two triangles that touch, nine numbers each. */
  middle(a: Float64Array, b: Float64Array): number[];
}

/** The options of `check`. Lengths are in the units of the assets. */
export interface CheckOptions {
  /**
   * Rigid transforms that place a and b in one frame. Each is the 16 numbers of a row-major 4x4
   * matrix, the 12 of its first three rows, or x y z qx qy qz qw. Default: identity.
   */
  poseA?: ArrayLike<number>;
  poseB?: ArrayLike<number>;
  /** True to list every contact, not only the first. */
  all?: boolean;
  /** The longest list of contacts. Default: 10,000. */
  maxContacts?: number;
  /**
   * Distances up to this length count as contact. If the distance equals it to within rounding,
   * about 1e-14 of the sizes, the answer is `undecided`. 0, the default, is exact. With `budget` or
   * `level`, bounding volumes may prove contact without a pair to list.
   */
  clearance?: number;
  /** True to compute the least distance of the two surfaces, and the two nearest points. */
  distance?: boolean;
  /**
   * Time limit in milliseconds. If it runs out, the verdict is `undecided`, with a bracket of the
   * distance. Not together with `all`.
   */
  budget?: number;
  /** The deepest level to descend to; pairs that still overlap there are `undecided`. */
  level?: number;
  /**
   * True to check the source meshes instead of the stored surfaces. `clear`: the stored surfaces
   * are farther apart than the sum of both tolerances. `contact` is only reported if both assets
   * keep the sources' triangles. Otherwise the verdict is `undecided`, with a bracket of the
   * sources' distance.
   */
  source?: boolean;
  /**
   * Level of detail: checks geometry images with 2^lod + 1 samples a side, or as many as charts
   * need for their seams. Triangles are then numbered in the coarser image.
   */
  lod?: number;
  /**
   * Checks geometry images at the least `lod` whose surface is proved to be within this length of
   * the stored one. The report's `tolerance` is the bound on its distance from the source.
   */
  maxError?: number;
  /**
   * Resolution of the search of F-reps: 2^resolution cells along an axis. With a higher one, fewer
   * checks are undecided and brackets of the distance are narrower, but queries are slower.
   */
  resolution?: number;
  /**
   * The time at which F-reps that depend on time are checked, within their models' times. Default:
   * the first of these.
   */
  time?: number;
  /**
   * How two F-reps are searched. `octants` (default) halves all axes in turn. `slices` halves x and
   * y down to the resolution, and then z. This is the seed paper's order, with gicollide's bounds.
   * The first contact of a slice is then its nearest along a's z. It visits hundreds of times as
   * many cells.
   *
   * `seed` is the paper's search to the letter, with its tests 8 to 10 as printed. `random` is the
   * search that the paper compares with. They prove nothing, so the report has their answers apart
   * from the verdict, as `seed` and `random`. The verdict is `contact` if they find a point and
   * contact is proved, `clear` if gicollide's own search proves it, otherwise `undecided`.
   */
  search?: 'octants' | 'slices' | 'seed' | 'random';
  /** @deprecated old name of `search`, kept for one version */
  subdivision?: 'octants' | 'slices';
  /**
   * For two geometry images: `spheres` tests only their bounding spheres, as the seed paper does,
   * without slabs. The verdict and the list of all contacts are the same. `tests.bounds` counts
   * pairs of spheres, `tests.hulls` pairs of triangles. With `budget`, an `undecided` report has a
   * bracket of the distance from the spheres tested so far. Not together with `clearance`,
   * `distance`, `source` or `solid`.
   */
  bounds?: 'spheres';
  /** For `search: 'random'`: the maximum number of start points. Default: 1000. */
  trials?: number;
  /**
   * True to give a contact a `witness`, too: where the first listed pair touches, or with
   * `clearance` comes near. Without it, only `distance` and two F-reps have one.
   */
  witness?: boolean;
  /** True to compute where each listed pair touches, with a normal. Triangles only. */
  contactPoints?: boolean;
  /**
   * True to join the listed contacts to areas, curves and points. For assets of triangles, with
   * `all`. If the list of pairs is cut, there are no patches. With `clearance`, surfaces that share
   * a point are listed as without it; those that are only near have no patch.
   */
  patches?: boolean;
  /**
   * For two k-DOP trees: the maximum number of axes to test a pair of nodes on, 1 to (kA + kB) / 2.
   * Default: all. With fewer axes, each test is faster, but more pairs remain to be tested. Without
   * `level`, the verdict and the list of all contacts are the same.
   */
  axes?: number;
  /**
   * `common` uses only the engines that work for all kinds of assets, for tests and measurements.
   * The verdict and the list of all contacts are the same. The first contact, and the pairs found
   * before `level` ends the search, may differ.
   */
  path?: 'common';
  /**
   * `search` always uses the search of the assets' own kind, for any number of questions. For k-DOP
   * trees this is the search of their paper, in integers. It decides if two assets of one kind
   * touch. The verdict and the list of all contacts are the same.
   */
  engine?: 'search';
  /**
   * Receives every contact when it is found, in no particular order; the report's list is sorted.
   * Return false to end the search with an incomplete list.
   */
  onContact?: OnContact;
  /**
   * Receives every pair of nodes whose bounds the search compares, then every pair of primitives:
   * as many as the report's `tests` counts. Kernels and tiles report no visits, so the kinds' own
   * searches or the common engine answer. The verdict and the list of all contacts are the same.
   *
   * The common engine answers for two F-reps; its bounds are the cells of each. A pair that it
   * decides may be `undecided` in their own search, and the reverse. Searches for `solid` are not
   * reported.
   */
  onVisit?: OnVisit;
  /**
   * How to classify the two as solids, `class` in the report. `auto`: if one of them bounds no
   * solid, the class is `contact`, with the reason. With `require`, that case is an error. With
   * `off` (default), there is no class. Not together with `source`, `level` or `budget`.
   */
  solid?: SolidMode;
  /** With `solid`: overlaps up to this thickness are `touch`. Default: 0. */
  tolerance?: number;
  /** With `solid`: gaps up to this length are `touch`, too. Default: 0. */
  touchGap?: number;
  /**
   * With `solid`: the precision of `thickness` and `reach`. With `off`, the fastest, they are not
   * measured. With `coarse`, `upper` is at most 1.1 times `lower`. With `fine` (default), the two
   * are at most a hundredth apart. The class is the same.
   */
  depth?: Depth;
  /** With `solid`: brackets of depths have a relative width of a millionth. Not with `depth`. */
  exactDepth?: boolean;
  /**
   * Needed for `solid` if `check` is from a subpath such as gicollide/obb: `solids` of
   * gicollide/solid. The main entry has it already.
   */
  solids?: SolidClassifier;
  /** Needed for `contactPoints` and `patches` there: `contacts` of gicollide/contacts. */
  contacts?: ContactFinder;
  /** File names for the report. */
  fileA?: string;
  fileB?: string;
  /** Milliseconds that loading took, for the report. */
  loadMs?: number;
}

/** The longest list of contacts, unless `maxContacts` is given. */
export const DEFAULT_MAX_CONTACTS = 10_000;
/** Bounds of longer ones would leave the range of doubles. */
const LARGEST_CLEARANCE = 1e150;

export interface Question {
  /** The given assets or their replacements, such as subsampled images. */
  a: Asset;
  b: Asset;
  query: Query;
  distance: boolean;
  budget: number | undefined;
  source: boolean;
  contactPoints: boolean;
  patches: boolean;
  /** Null if neither points nor patches are asked for. */
  contacts: ContactFinder | null;
  isCommon: boolean;
  /** True if only the kind's own search may answer. */
  isBySearch: boolean;
  solid: SolidQuestion | null;
  /** Null if no class is asked for. */
  solids: SolidClassifier | null;
  /** `performance.now()`: budgets count from here. */
  start: number;
}

/** @throws OptionError for options that make no sense, for these two or at all */
export function questionOf(a: Asset, b: Asset, options: CheckOptions): Question {
  const start = performance.now();
  requireOptions(options);
  requireSameUnits(representationOf(a).units(a), representationOf(b).units(b));
  const asked = hasOptionOfKind(options) ? instead(a, b, options) : { a, b, own: undefined, isSearched: false };
  const query = queryOf(options, asked.own, placeA, placeB);
  if (options.budget !== undefined) query.deadline = start + options.budget;
  const solid = solidQuestionOf(options);
  return {
    a: asked.a,
    b: asked.b,
    query,
    distance: options.distance ?? false,
    budget: options.budget,
    source: options.source ?? false,
    contactPoints: options.contactPoints ?? false,
    patches: options.patches ?? false,
    contacts: contactFinderOf(options),
    isCommon: options.path === 'common',
    isBySearch: options.engine === 'search' || asked.isSearched,
    solid,
    solids: solid && solidClassifierOf(options),
    start,
  };
}

const BY_TILES: readonly (keyof CheckOptions)[] = ['lod', 'maxError', 'bounds'];

/** True if tiles of opened images can answer. */
export function isAnsweredByTiles(options: CheckOptions): boolean {
  const { clearance, distance, source, contactPoints, patches, path, lod, maxError, budget, solid } = options;
  if (clearance || distance || contactPoints || patches || options.onVisit || path === 'common') return false;
  if (options.engine !== undefined) return false;
  if (solid !== undefined && solid !== 'off') return false;
  if (source && (lod ?? maxError ?? budget) !== undefined) return false;
  return optionsOfKinds().every(({ name }) => BY_TILES.includes(name) || options[name] === undefined);
}

const OF_KINDS: OptionTypes = Object.fromEntries(
  KINDS.flatMap((kind) => Object.keys(kind.options).map((name) => [name, 'any'])),
);

const TYPES: OptionTypes = {
  ...{ poseA: 'numbers', poseB: 'numbers', all: 'boolean', maxContacts: 'number', clearance: 'number' },
  ...{ distance: 'boolean', budget: 'number', level: 'number', source: 'boolean', contactPoints: 'boolean' },
  ...{ witness: 'boolean' },
  ...{ solid: 'string', tolerance: 'number', touchGap: 'number', depth: 'string', exactDepth: 'boolean' },
  ...{ patches: 'boolean', solids: 'any', contacts: 'any' },
  ...{ path: 'string', engine: 'string' },
  ...{ onContact: 'function', onVisit: 'function', fileA: 'string', fileB: 'string', loadMs: 'number' },
  ...OF_KINDS,
};

/** Scratch, since questions do not nest: arrays for each cost a tenth of a first contact. */
const placeA = new Float64Array(16);
const placeB = new Float64Array(16);

export function queryOf(options: CheckOptions, own?: Query['own'], poseA?: Pose, poseB?: Pose): Query {
  requireOptionTypes(options, TYPES);
  requireThat(options.path === undefined || options.path === 'common', 'path', '"common"', options.path);
  requireEngine(options);
  requireTouching(options);
  const maxContacts = options.maxContacts ?? DEFAULT_MAX_CONTACTS;
  if (!Number.isInteger(maxContacts) || maxContacts < 1) {
    throw new OptionError(`maxContacts ${maxContacts}: expected a whole number from 1`);
  }
  const clearance = requireClearance(options.clearance ?? 0);
  const { budget } = options;
  if (budget !== undefined && !(budget >= 0)) throw new OptionError(`budget ${budget}: expected milliseconds from 0`);
  if (budget !== undefined && options.all) {
    throw new OptionError('budget: it gives a verdict and bounds, not a list of all contacts; leave out budget or all');
  }
  if (options.patches && !options.all)
    throw new OptionError('patches: they need all contacts; add all (not together with budget)');
  if (options.maxError !== undefined && options.lod !== undefined)
    throw new OptionError('maxError: it chooses the lod; leave out maxError or lod');
  const level = options.level ?? null;
  if (level !== null && (!Number.isInteger(level) || level < 0)) {
    throw new OptionError(`level ${level}: expected a whole number from 0`);
  }
  return {
    poseA: options.poseA ? validatePose(options.poseA, 'pose of a', poseA) : UNMOVED,
    poseB: options.poseB ? validatePose(options.poseB, 'pose of b', poseB) : UNMOVED,
    all: options.all ?? false,
    maxContacts,
    level,
    clearance,
    findsWitness: options.witness ?? false,
    own,
    onContact: options.onContact,
    onVisit: options.onVisit,
  };
}

function requireEngine(options: CheckOptions): void {
  requireThat(options.engine === undefined || options.engine === 'search', 'engine', '"search"', options.engine);
  if (options.engine === undefined) return;
  for (const name of ['path', 'source', 'distance', 'clearance', 'budget'] as const)
    if (options[name] || (options[name] === 0 && name === 'budget'))
      throw new OptionError(`engine: a search decides only contact; leave out ${name}`);
}

function requireTouching(options: CheckOptions): void {
  if (options.bounds === undefined) return;
  const asked = (['path', 'source', 'distance', 'clearance', 'solid'] as const).find((name) => options[name]);
  if (asked && options[asked] !== 'off')
    throw new OptionError(`bounds: "spheres" decides only contact; leave out ${asked}`);
}

const SOLID_MODES: readonly (string | undefined)[] = ['auto', 'require', 'off', undefined] satisfies (
  | SolidMode
  | undefined
)[];

const OF_SOLIDS = ['tolerance', 'touchGap', 'depth', 'exactDepth'] as const;

function solidQuestionOf(options: CheckOptions): SolidQuestion | null {
  const { solid } = options;
  requireThat(SOLID_MODES.includes(solid), 'solid', '"auto", "require" or "off"', solid);
  if (solid === undefined || solid === 'off') {
    const name = OF_SOLIDS.find((name) => options[name] !== undefined);
    if (name) throw new OptionError(`${name}: it applies to solids; add solid`);
    return null;
  }
  const depth = requireDepth(options.depth ?? 'fine');
  if (options.depth !== undefined && options.exactDepth)
    throw new OptionError('exactDepth: it is finer than any depth; leave out exactDepth or depth');
  for (const name of ['source', 'level', 'budget'] as const)
    if (options[name]) throw new OptionError(`solid: it needs both objects in full; leave out ${name}`);
  return {
    mode: solid,
    tolerance: requireLength(options.tolerance, 'tolerance'),
    touchGap: requireLength(options.touchGap, 'touchGap'),
    relative: options.exactDepth ? EXACT : relativeOf(depth),
    reach: true,
  };
}

function solidClassifierOf({ solids }: CheckOptions): SolidClassifier {
  if (!solids) throw missing('solid', 'solids', 'gicollide/solid');
  requireThat(typeof solids.classOf === 'function', 'solids', 'the solids of gicollide/solid', solids);
  return solids;
}

function contactFinderOf({ contactPoints, patches, contacts }: CheckOptions): ContactFinder | null {
  if (!contactPoints && !patches) return null;
  if (!contacts) throw missing(patches ? 'patches' : 'contactPoints', 'contacts', 'gicollide/contacts');
  const isFinder = typeof contacts.points === 'function' && typeof contacts.patches === 'function';
  requireThat(isFinder, 'contacts', 'the contacts of gicollide/contacts', contacts);
  return contacts;
}

const missing = (option: string, name: string, subpath: string): OptionError =>
  new OptionError(
    `${option}: add import { ${name} } from '${subpath}' and pass ${name} as an option; check of gicollide needs neither`,
  );

const DEPTHS: readonly Depth[] = ['off', 'coarse', 'fine'];

/** Relative widths of the brackets of depths. Coarse: a little below 1 - 1 / 1.1. */
const COARSE = 0.09;
export const FINE = 0.01;
const EXACT = 1e-6;

/** The relative width of brackets; null if depths are not measured. */
export const relativeOf = (depth: Depth): number | null =>
  depth === 'off' ? null : depth === 'coarse' ? COARSE : FINE;

export function requireDepth(depth: Depth): Depth {
  requireThat(DEPTHS.includes(depth), 'depth', '"off", "coarse" or "fine"', depth);
  return depth;
}

export const requireClearance = (clearance: number): number => requireLength(clearance, 'clearance');

export function requireLength(length: number | undefined, name: string): number {
  if (length === undefined) return 0;
  if (!(length >= 0 && length <= LARGEST_CLEARANCE)) {
    throw new OptionError(`${name} ${length}: expected a length from 0 to ${LARGEST_CLEARANCE}`);
  }
  return length;
}

/** Runs for every check, so it allocates nothing. */
function hasOptionOfKind(options: CheckOptions): boolean {
  for (const name in options)
    if (Object.hasOwn(OF_KINDS, name) && options[name as keyof CheckOptions] !== undefined) return true;
  return false;
}

const optionsOfKinds = (): { name: keyof CheckOptions; kind: Kind }[] =>
  KINDS.flatMap((kind) => Object.keys(kind.options).map((name) => ({ name: name as keyof CheckOptions, kind })));

/** Replaces the assets by the options of one kind, or leaves these to its own search. */
function instead(
  a: Asset,
  b: Asset,
  options: CheckOptions,
): { a: Asset; b: Asset; own: Query['own']; isSearched: boolean } {
  let sides: [Asset, Asset] = [a, b];
  let own: Record<string, unknown> | undefined;
  let isSearched = false;
  for (const { name, kind } of optionsOfKinds()) {
    const value: unknown = options[name];
    if (value === undefined) continue;
    requireKind(name, kind.options[name], kind, a, b);
    const option = representationNamed(kind.name)?.own?.options?.[name];
    const inPlaceOf = (side: Asset): Asset =>
      option?.instead && side.representation === kind.name ? option.instead(side, value) : side;
    const asked: [Asset, Asset] = [inPlaceOf(sides[0]), inPlaceOf(sides[1])];
    sides = asked;
    if (option?.value) own = { ...own, [name]: option.value(value, a, b, { ...options }) };
    isSearched ||= option?.isSearched ?? false;
  }
  return { a: sides[0], b: sides[1], own, isSearched };
}

function requireKind(option: string, needed: 'one' | 'both', { name, noun, plural }: Kind, a: Asset, b: Asset): void {
  const others = [a, b].map(({ representation }) => representation).filter((other) => other !== name);
  if (needed === 'both' && others.length > 0)
    throw new OptionError(`${option}: both must be ${plural}, found ${others[0]}`);
  if (others.length === 2)
    throw new OptionError(`${option}: one of the two must be ${noun}, found ${others.join(' and ')}`);
}
