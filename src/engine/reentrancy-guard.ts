/**
 * Tracks whether this thread is answering a question: traversals keep their stacks for the next
 * query, so callbacks may neither ask nor change an asset.
 */
import { OptionError } from '../base/errors.ts';
import { isHeld } from './asset-cache.ts';

let isAsking = false;

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
      'check: called within onContact or onVisit; collect their arguments, and call check after it has returned',
    );
}

/** Throws within `onContact`, and while many poses of the asset are being answered. */
export function requireUnasked(asset: object): void {
  if (isAsking)
    throw new OptionError(
      'inPlace: called within onContact; collect the contacts, and update after check has returned',
    );
  if (isHeld(asset))
    throw new OptionError('inPlace: a check of many poses uses this asset; wait for its verdicts, or make a new asset');
}
