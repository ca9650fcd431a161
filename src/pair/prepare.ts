/**
 * Many queries of one pair: what does not depend on the poses is done once, and a query allocates nothing.
 *
 * Two assets of one kind keep their own trees where these have a kernel. All others that are made of triangles (40-byte OBB trees, mixed
 * pairs) get a wide OBB tree each over the triangles that they store: the exact test at the leaves is of the same triangles in the same poses,
 * so the answers are the same.
 */

import { MeshError, OptionError } from '../math/errors.ts';
import { identity, type Pose, requirePose } from '../math/pose.ts';
import { HULL_NUMBERS } from '../query/narrow-phase.ts';
import type { Verdict } from '../query/report.ts';
import type { Asset, ContactTest } from '../query/representation.ts';
import { requireSameUnits } from '../query/units.ts';
import { representationNamed, representationOf } from '../representations/registry.ts';
import { check, requireNoCheck } from './check.ts';

/** A pair of assets, ready for any number of poses. */
export interface Checker {
  /**
   * Whether the two touch: exactly what `check` answers. Where `isFast`, nothing is allocated, so nothing is ever collected.
   *
   * @param poseB where b stands, 16 numbers, row-major 4x4, rigid; read before the call returns, not kept
   * @param poseA where a stands; at its own coordinates unless given
   * @throws OptionError for what is no pose; where the answer is `undecided`, which F-reps can be: ask `verdict` of those; and within `onContact`
   */
  contact(poseB: Pose, poseA?: Pose): boolean;
  /** The same with three answers. */
  verdict(poseB: Pose, poseA?: Pose): Verdict;
  /** Whether a query allocates nothing and runs in WebAssembly; false where it is a plain `check`. */
  readonly isFast: boolean;
}

const UNMOVED = identity();

/** The most triangles of an asset of another kind that a tree is built over: a second or two, 300 MB. */
const MOST_TRIANGLES = 2 ** 21;

/**
 * Prepares two assets for many queries. Cubes and F-reps are checked as `check` does; of anything else trees may be built here, once for
 * as long as an asset lives, which takes microseconds a triangle.
 *
 * @throws OptionError for assets in different recorded units
 * @example const checker = prepare(bunny, blob);
 *          const pose = translation(2, 0, 0);
 *          checker.contact(pose) // false
 *          pose[3] = 0.4;
 *          checker.contact(pose) // true: the same array, moved
 */
export function prepare(a: Asset, b: Asset): Checker {
  requireSameUnits(representationOf(a).units(a), representationOf(b).units(b));
  const fast = ownTest(...answeringPair(a, b));
  const test: ContactTest = fast ?? ((poseA, poseB) => check(a, b, { poseA, poseB }).verdict);
  const verdict = (poseB: Pose, poseA: Pose = UNMOVED): Verdict => {
    requireNoCheck();
    requirePose(poseB, 'pose of b');
    if (poseA !== UNMOVED) requirePose(poseA, 'pose of a');
    return test(poseA, poseB);
  };
  return {
    verdict,
    contact(poseB, poseA = UNMOVED) {
      const answer = verdict(poseB, poseA);
      if (answer === 'undecided')
        throw new OptionError('contact: the two come closer than can be resolved; ask verdict');
      return answer === 'contact';
    },
    isFast: fast !== undefined,
  };
}

/** The two whose trees `prepare` asks: the assets themselves, or wide trees over their triangles. */
export function answeringPair(a: Asset, b: Asset): [Asset, Asset] {
  if (ownTest(a, b)) return [a, b];
  const [wideA, wideB] = [wideOf(a), wideOf(b)];
  return wideA && wideB && ownTest(wideA, wideB) ? [wideA, wideB] : [a, b];
}

const ownTest = (a: Asset, b: Asset): ContactTest | undefined =>
  a.representation === b.representation ? representationOf(a).kernel?.(a, b)?.verdict : undefined;

/** Wide trees over stored triangles, as long as the assets live; null of what has none. */
const wideTrees = new WeakMap<Asset, Asset | null>();

function wideOf(asset: Asset): Asset | null {
  let wide = wideTrees.get(asset);
  if (wide === undefined) {
    wide = buildWide(asset);
    wideTrees.set(asset, wide);
  }
  return wide;
}

function buildWide(asset: Asset): Asset | null {
  const { refine, hull, surface } = representationOf(asset);
  if (refine || hull(asset, 0, new Float64Array(HULL_NUMBERS)) !== 3) return null;
  const { positions, triangles } = surface(asset);
  if (triangles.length > 3 * MOST_TRIANGLES) return null;
  const wideNodes: object = { nodeBytes: 64 };
  try {
    return representationNamed('obb')?.build?.({ positions, triangles, groups: [] }, wideNodes) ?? null;
  } catch (error) {
    // Coordinates beyond the range of its boxes, which k-DOP trees may have.
    if (error instanceof MeshError) return null;
    throw error;
  }
}
