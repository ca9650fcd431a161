/** The nodes that a query looked at, level by level. */
import { OptionError } from '../math/errors.ts';
import type { Asset } from '../query/representation.ts';
import type { PairQuestion, Visits } from './protocol.ts';

/** Asks the two for a first contact, and tells which nodes that took. */
export function visitsOf(_a: Asset, _b: Asset, _poses: Pick<PairQuestion, 'poseA' | 'poseB'>, _level: number): Visits {
  throw new OptionError('visits: not yet');
}
