/**
 * Computes the contacts of two objects while they move. Two balls of 69,000 triangles take 20 to 60
 * ms, longer than a frame. So the page asks beside the verdict, one question at a time.
 */
import { InputError } from '../../base/errors.ts';
import { contacts } from '../../contacts/patches.ts';
import type { Pair } from '../../engine/prepared.ts';
import type { Asset } from '../../engine/representation.ts';
import type { Asked } from '../document.ts';
import type { FullAnswer, PairQuestion } from '../protocol.ts';
import { everythingOf } from './full.ts';

type Contacts = FullAnswer['contacts'];

/** @returns nothing for cubes, functions, and queries with a clearance, which have no curves */
export function contactsAnswer(
  pair: Pair,
  [a, b]: readonly [Asset, Asset],
  { poseA, poseB }: Pick<PairQuestion, 'poseA' | 'poseB'>,
  asked: Asked,
): Contacts {
  const none: Contacts = { count: 0, complete: false, pairs: [] };
  const { all = false, maxContacts, patches = false } = everythingOf(a, b, asked).options;
  if (!patches) return none;
  try {
    const most = maxContacts === undefined ? {} : { maxContacts };
    return pair.report({ poseA, poseB, all, ...most, patches, contacts }).contacts;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return none;
  }
}
