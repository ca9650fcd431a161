/** What a check may be asked, and every refusal of it: options to a query. */
import { OptionError } from '../math/errors.ts';
import { identity, type Pose, validatePose } from '../math/pose.ts';
import { type OptionTypes, requireOptions, requireOptionTypes, requireThat } from '../math/require.ts';
import type { OnContact, Query } from '../query/report.ts';
import type { Asset } from '../query/representation.ts';
import { requireSameUnits } from '../query/units.ts';
import type { OnVisit } from '../query/visit.ts';
import { KINDS, type Kind, representationNamed, representationOf } from '../representations/kinds.ts';
import type { SolidMode, SolidQuestion } from './solids.ts';

export interface CheckOptions {
  /**
   * 16 numbers each, row-major 4x4 rigid transforms that place a and b in one frame; identity by
   * default.
   */
  poseA?: ArrayLike<number>;
  poseB?: ArrayLike<number>;
  /** Every contact, not only the first. */
  all?: boolean;
  /** The longest list of contacts; 10,000 by default. */
  maxContacts?: number;
  /**
   * Contact is also what is closer than this length, or as close. Decided outside the rounding of
   * distances, about 1e-14 of the sizes, and `undecided` within. 0, the default, is exact. With
   * `budget` or `level`, bounds may prove it without a pair to list.
   */
  clearance?: number;
  /** The least distance of the two surfaces, with witness points. */
  distance?: boolean;
  /**
   * The best answer within so many milliseconds: `undecided` comes with a bracket of the distance.
   * Not together with `all`.
   */
  budget?: number;
  /** Descend no deeper than this level; what still overlaps there is `undecided`. */
  level?: number;
  /**
   * Speak of the source meshes: `clear` when the stored surfaces are farther apart than both may be
   * from their sources, `contact` only where both keep the sources' triangles; all between is
   * `undecided`, with a bracket of the sources' distance.
   */
  source?: boolean;
  /**
   * Geometry images are checked subsampled to 2^lod + 1 samples a side, or as many as charts need
   * for their seams; triangles are then numbered in the coarser image.
   */
  lod?: number;
  /**
   * Geometry images are checked subsampled as far as this length allows: the least `lod` whose
   * surface is proved to be no farther from the stored one. The report's `tolerance` says how far
   * it is from the source.
   */
  maxError?: number;
  /**
   * How finely F-reps are searched: 2^resolution cells along an axis. Verdicts of what they leave
   * undecided, and brackets of the distance, get better with it, and queries slower.
   */
  resolution?: number;
  /**
   * When F-reps that depend on time are asked about: within the times that their models are of, at
   * the first of these unless given.
   */
  time?: number;
  /**
   * How two F-reps halve space: `octants`, all axes in turns, unless given; `slices`, as the seed
   * paper does, x and y down to the resolution and then z: the first contact of a slice is its
   * nearest along a's z, for hundreds of times the cells.
   */
  subdivision?: 'octants' | 'slices';
  /** Where each listed pair touches, with a normal: triangles only. */
  contactPoints?: boolean;
  /**
   * What the two have in common, as areas, curves and points, in place of pairs: triangles only,
   * with `all`, without `clearance`. Nothing is said of them where the list of pairs is cut.
   */
  patches?: boolean;
  /**
   * For two k-DOP trees: how many axes a pair of nodes is tested on at most, 1 to (kA + kB) / 2,
   * all by default. Fewer cost less a pair and leave more pairs. Without `level` the verdict and
   * the list of all contacts are the same.
   */
  axes?: number;
  /**
   * `common` leaves out the kinds' own searches and kernels; for tests and measurements: the same
   * verdict and list of all contacts. Which contact is met first, and what is met before `level`
   * ends the search, may differ.
   */
  path?: 'common';
  /**
   * Is handed every contact as it is found, before the search goes on; what returns false ends the
   * search, as a list that is cut. In no particular order; the report's list is sorted.
   */
  onContact?: OnContact;
  /**
   * Is handed every pair of nodes whose bounds the search compares, and every pair of primitives,
   * in that order: as many as the report's `tests` counts. Kernels and tiles, which tell nobody,
   * leave the question to the kinds' own searches or the common engine: the same verdict and list
   * of all contacts. That of two F-reps goes to the common engine, whose bounds are the cells of
   * each, and which may leave `undecided` what their own search decides, or decide what that
   * leaves. Of what `solid` asks besides, nothing is told.
   */
  onVisit?: OnVisit;
  /**
   * What the two are as solids, `class` in the report: `auto` says `contact` and why where one of
   * them bounds none, `require` refuses it, `off` does not ask, which is so unless given. Not
   * together with `source`, `level` or `budget`.
   */
  solid?: SolidMode;
  /** With `solid`: overlaps no thicker than this length are `touch`; 0 unless given. */
  tolerance?: number;
  /** With `solid`: so are solids no farther apart than this; 0 unless given. */
  touchGap?: number;
  /** With `solid`: brackets of depths a millionth of their size wide, not a hundredth. */
  exactDepth?: boolean;
  /** File names for the report. */
  fileA?: string;
  fileB?: string;
  /** Milliseconds that loading took, for the report. */
  loadMs?: number;
}

export const DEFAULT_MAX_CONTACTS = 10_000;
/** Beyond, bounds would leave the range of doubles. */
const LARGEST_CLEARANCE = 1e150;

/** Where no pose is given; nothing writes to poses. */
export const UNMOVED = identity();

/** A question as the engines take it. */
export interface Question {
  /** What is asked: the assets themselves, or what stands for them, such as images subsampled. */
  a: Asset;
  b: Asset;
  query: Query;
  distance: boolean;
  budget: number | undefined;
  source: boolean;
  contactPoints: boolean;
  patches: boolean;
  isCommon: boolean;
  /** Null where nobody asks what they are as solids. */
  solid: SolidQuestion | null;
  /** `performance.now()` when it was asked: budgets count from here. */
  start: number;
}

/**
 * The question that options ask of two assets.
 *
 * @throws OptionError for options that make no sense, for these two or at all
 */
export function questionOf(a: Asset, b: Asset, options: CheckOptions): Question {
  const start = performance.now();
  requireOptions(options);
  requireSameUnits(representationOf(a).units(a), representationOf(b).units(b));
  const asked = hasOptionOfKind(options) ? instead(a, b, options) : { a, b, own: undefined };
  const query = queryOf(options, asked.own, placeA, placeB);
  if (options.budget !== undefined) query.deadline = start + options.budget;
  return {
    a: asked.a,
    b: asked.b,
    query,
    distance: options.distance ?? false,
    budget: options.budget,
    source: options.source ?? false,
    contactPoints: options.contactPoints ?? false,
    patches: options.patches ?? false,
    isCommon: options.path === 'common',
    solid: solidQuestionOf(options),
    start,
  };
}

/**
 * Whether images that are opened, not read, may answer by their tiles: a first contact, or all of
 * them, to a level and within a time, too, and subsampled; and whether their sources are apart.
 */
export function isAnsweredByTiles(options: CheckOptions): boolean {
  const { clearance, distance, source, contactPoints, patches, path, lod, maxError, budget, solid } = options;
  if (clearance || distance || contactPoints || patches || options.onVisit || path === 'common') return false;
  if (solid !== undefined && solid !== 'off') return false;
  if (source && (lod ?? maxError ?? budget) !== undefined) return false;
  return optionsOfKinds().every(([name]) => name === 'lod' || name === 'maxError' || options[name] === undefined);
}

/** What the options of `check` are, those of one kind alone among them. */
const TYPES: OptionTypes = {
  ...{ poseA: 'numbers', poseB: 'numbers', all: 'boolean', maxContacts: 'number', clearance: 'number' },
  ...{ distance: 'boolean', budget: 'number', level: 'number', source: 'boolean', contactPoints: 'boolean' },
  ...{ solid: 'string', tolerance: 'number', touchGap: 'number', exactDepth: 'boolean' },
  ...{ patches: 'boolean' },
  ...{ path: 'string', onContact: 'function', onVisit: 'function', fileA: 'string', fileB: 'string', loadMs: 'number' },
  ...Object.fromEntries(KINDS.flatMap((kind) => Object.keys(kind.options).map((name) => [name, 'any']))),
};

/**
 * The poses of the question at hand, for no question is asked within another: an array for each
 * costs a tenth of a first contact.
 */
const placeA = new Float64Array(16);
const placeB = new Float64Array(16);

export function queryOf(options: CheckOptions, own?: Query['own'], poseA?: Pose, poseB?: Pose): Query {
  requireOptionTypes(options, TYPES);
  requireThat(options.path === undefined || options.path === 'common', 'path', '"common"', options.path);
  const maxContacts = options.maxContacts ?? DEFAULT_MAX_CONTACTS;
  if (!Number.isInteger(maxContacts) || maxContacts < 1) {
    throw new OptionError(`maxContacts ${maxContacts}: expected a whole number from 1`);
  }
  const clearance = requireClearance(options.clearance ?? 0);
  const { budget } = options;
  if (budget !== undefined && !(budget >= 0)) throw new OptionError(`budget ${budget}: expected milliseconds from 0`);
  if (budget !== undefined && options.all) {
    throw new OptionError(
      'budget: it buys a verdict and a bracket, not the list of all contacts; leave out one of the two',
    );
  }
  if (options.patches && !options.all)
    throw new OptionError('patches: they are made of all contacts, add all (not together with budget)');
  if (options.patches && clearance > 0)
    throw new OptionError('patches: of surfaces that share points; leave out clearance');
  if (options.maxError !== undefined && options.lod !== undefined)
    throw new OptionError('maxError: it chooses the lod; leave out one of the two');
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
    own,
    onContact: options.onContact,
    onVisit: options.onVisit,
  };
}

const SOLID_MODES: readonly (string | undefined)[] = ['auto', 'require', 'off', undefined] satisfies (
  | SolidMode
  | undefined
)[];

/** @throws OptionError for another mode, and for what solids are not asked together with */
function solidQuestionOf(options: CheckOptions): SolidQuestion | null {
  const { solid } = options;
  requireThat(SOLID_MODES.includes(solid), 'solid', '"auto", "require" or "off"', solid);
  if (solid === undefined || solid === 'off') {
    const name = (['tolerance', 'touchGap', 'exactDepth'] as const).find((name) => options[name] !== undefined);
    if (name) throw new OptionError(`${name}: of solids; ask for them with solid`);
    return null;
  }
  for (const name of ['source', 'level', 'budget'] as const)
    if (options[name]) throw new OptionError(`solid: decided on the whole of both; leave out ${name}`);
  return {
    mode: solid,
    tolerance: requireLength(options.tolerance, 'tolerance'),
    touchGap: requireLength(options.touchGap, 'touchGap'),
    relative: options.exactDepth ? EXACT : COARSE,
    reach: true,
  };
}

/** How near the ends of depths' brackets are, as parts of them. */
export const COARSE = 0.01;
const EXACT = 1e-6;

/** @throws OptionError for what is no length that bounds can be compared with */
export const requireClearance = (clearance: number): number => requireLength(clearance, 'clearance');

export function requireLength(length: number | undefined, name: string): number {
  if (length === undefined) return 0;
  if (!(length >= 0 && length <= LARGEST_CLEARANCE)) {
    throw new OptionError(`${name} ${length}: expected a length from 0 to ${LARGEST_CLEARANCE}`);
  }
  return length;
}

/** Whether any option is some kind's alone: every check looks, so nothing is allocated. */
function hasOptionOfKind(options: CheckOptions): boolean {
  for (const [name] of optionsOfKinds()) if (options[name] !== undefined) return true;
  return false;
}

/** The options that are some kind's alone, with their kinds; made anew when the table has grown. */
let known: [name: keyof CheckOptions, kind: Kind][] = [];
let knownKinds = 0;

function optionsOfKinds(): typeof known {
  if (knownKinds !== KINDS.length) {
    known = KINDS.flatMap((kind) => Object.keys(kind.options).map((name) => [name, kind])) as never;
    knownKinds = KINDS.length;
  }
  return known;
}

/**
 * What is asked in the assets' place, and what their own search finds in the query, by options of
 * one kind alone.
 */
function instead(a: Asset, b: Asset, options: CheckOptions): { a: Asset; b: Asset; own: Query['own'] } {
  let sides: [Asset, Asset] = [a, b];
  let own: Record<string, unknown> | undefined;
  for (const [name, kind] of optionsOfKinds()) {
    const value: unknown = options[name];
    if (value === undefined) continue;
    requireKind(name, kind.options[name], kind, a, b);
    const option = representationNamed(kind.name)?.own?.options?.[name];
    const inPlaceOf = (side: Asset): Asset =>
      option?.instead && side.representation === kind.name ? option.instead(side, value) : side;
    const asked: [Asset, Asset] = [inPlaceOf(sides[0]), inPlaceOf(sides[1])];
    sides = asked;
    if (option?.value) own = { ...own, [name]: option.value(value, a, b) };
  }
  return { a: sides[0], b: sides[1], own };
}

function requireKind(option: string, needed: 'one' | 'both', { name, noun, plural }: Kind, a: Asset, b: Asset): void {
  const others = [a, b].map(({ representation }) => representation).filter((other) => other !== name);
  if (needed === 'both' && others.length > 0)
    throw new OptionError(`${option}: both must be ${plural}, found ${others[0]}`);
  if (others.length === 2)
    throw new OptionError(`${option}: one of the two must be ${noun}, found ${others.join(' and ')}`);
}
