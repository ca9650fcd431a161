/**
 * Whether a question is being answered in this thread: traversals keep their stacks for the next
 * query, so what they call meanwhile may neither ask nor change an asset.
 */
import { OptionError } from '../math/errors.ts';
import { isHeld } from './derived.ts';

let isAsking = false;

/** Runs what answers a question. */
export function whileAsking<T>(answer: () => T): T {
  requireNoCheck();
  isAsking = true;
  try {
    return answer();
  } finally {
    isAsking = false;
  }
}

/** Throws within `onContact` and `onVisit`. */
export function requireNoCheck(): void {
  if (isAsking)
    throw new OptionError(
      'check: called within onContact or onVisit; collect what they are handed and check when it has returned',
    );
}

/**
 * Throws where an asset cannot be changed in place: within `onContact`, and while answers to many
 * poses of it are on their way.
 */
export function requireUnasked(asset: object): void {
  if (isAsking)
    throw new OptionError('inPlace: called within onContact; collect the contacts and update when it has returned');
  if (isHeld(asset))
    throw new OptionError(
      'inPlace: many poses of this asset are being answered; wait for their verdicts, or make a new asset',
    );
}
