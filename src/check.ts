/** Two assets and their poses to a report: by the representation's own path where both are of one, else by the common one. */
import { OptionError } from './math/errors.ts';
import { identity, type Pose, validatePose } from './math/pose.ts';
import { BoundTree } from './query/bound-tree.ts';
import { hullLoader } from './query/narrow-phase.ts';
import type { Query, Report, Tolerance } from './query/report.ts';
import type { Asset } from './query/representation.ts';
import { type Operand, traverse } from './query/traverse.ts';
import { representationOf } from './representations/registry.ts';

export interface CheckOptions {
  /** 16 numbers each, row-major 4x4 rigid transforms that place a and b in one frame; identity by default. */
  poseA?: ArrayLike<number>;
  poseB?: ArrayLike<number>;
  /** Every contact, not only the first. */
  all?: boolean;
  /** The longest list of contacts; 10,000 by default. */
  maxContacts?: number;
  /** Descend no deeper than this level; what still overlaps there is `undecided`. */
  level?: number;
  /**
   * `common` leaves out the representations' own traversals; for tests and measurements: the same verdict and list of all contacts. Which
   * contact is met first, and what is met before `level` ends the search, may differ.
   */
  path?: 'common';
  /** File names for the report. */
  fileA?: string;
  fileB?: string;
  /** Milliseconds that loading took, for the report. */
  loadMs?: number;
}

export const DEFAULT_MAX_CONTACTS = 10_000;

/**
 * Do the stored surfaces of two assets, each moved by its pose, share a point?
 *
 * @throws OptionError for a pose that is not rigid and for options that make no sense
 * @example const report = check(bunny, blob, { poseB: translation(0.4, 0, 0) });
 *          report.verdict // 'contact' | 'clear' | 'undecided'
 */
export function check(a: Asset, b: Asset, options: CheckOptions = {}): Report {
  const query = queryOf(options);
  const isNative = a.representation === b.representation && options.path !== 'common';
  const start = performance.now();
  const native = isNative ? representationOf(a).native?.(a, b, query) : undefined;
  const outcome = native ?? traverse(operandOf(a, query.poseA), operandOf(b, query.poseB), query);
  const end = performance.now();
  return {
    verdict: outcome.verdict,
    a: { file: options.fileA ?? null, representation: a.representation },
    b: { file: options.fileB ?? null, representation: b.representation },
    path: native ? 'native' : 'common',
    tolerance: addTolerances(representationOf(a).tolerance(a), representationOf(b).tolerance(b)),
    contacts: outcome.contacts,
    distance: null,
    witness: null,
    level: outcome.level,
    tests: outcome.tests,
    ms: { load: round(options.loadMs ?? 0), query: round(end - start) },
  };
}

/** Trees that have been unfolded so far, each as long as its asset is alive. */
const trees = new WeakMap<Asset, BoundTree>();

function operandOf(asset: Asset, pose: Pose): Operand {
  const representation = representationOf(asset);
  let tree = trees.get(asset);
  if (!tree) {
    tree = new BoundTree((node, into) => representation.unfold(asset, node, into));
    trees.set(asset, tree);
  }
  const load = hullLoader((id, out) => representation.hull(asset, id, out), pose);
  return { tree, reach: representation.reach(asset), load };
}

/** How far both together may be from their sources. */
function addTolerances(a: Tolerance, b: Tolerance): Tolerance {
  return a && b && { missing: a.missing + b.missing, excess: a.excess + b.excess };
}

/** To a microsecond. */
const round = (ms: number): number => Math.round(ms * 1000) / 1000;

/** Where no pose is given; nothing writes to poses. */
const UNMOVED = identity();

function queryOf(options: CheckOptions): Query {
  const maxContacts = options.maxContacts ?? DEFAULT_MAX_CONTACTS;
  if (!Number.isInteger(maxContacts) || maxContacts < 1) {
    throw new OptionError(`maxContacts ${maxContacts}: expected a whole number from 1`);
  }
  const level = options.level ?? null;
  if (level !== null && (!Number.isInteger(level) || level < 0)) {
    throw new OptionError(`level ${level}: expected a whole number from 0`);
  }
  return {
    poseA: options.poseA ? validatePose(options.poseA, 'pose of a') : UNMOVED,
    poseB: options.poseB ? validatePose(options.poseB, 'pose of b') : UNMOVED,
    all: options.all ?? false,
    maxContacts,
    level,
  };
}
