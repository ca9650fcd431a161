/** The words about two objects, on the page and below pictures: how they meet, and how far. */
import { lengthText, printable, short } from '../base/printable.ts';
import type { Bracket, Report } from '../engine/records.ts';
import type { Judged } from './judged.ts';

/** How a headline is colored. `touch` also: contacts that the scene allows. */
export type Kind = 'contact' | 'touch' | 'near' | 'clear' | 'undecided';

type Distance = Pick<Report, 'distance' | 'bracket'>;
type Found = Distance & { verdict: Report['verdict'] | 'near'; class?: Report['class'] };

/** @param unit with a space before it, or nothing */
export function headlineOf(found: Found, judged: Judged, unit: string): { words: string; kind: Kind } {
  const { clearance, by } = judged;
  const isApart = (boundsOf(found)?.lower ?? 0) > 0;
  const isNear = found.class === undefined && found.verdict === 'contact' && clearance > 0 && isApart;
  const word = isNear ? 'near' : (found.class ?? found.verdict);
  const kind = kindOf(word);
  const isAsked = by === 'finding' || by === 'scene';
  const far = word === 'near' ? boundsOf(found) : null;
  return {
    words: far ? `near, ${lengthText(far)} of ${short(clearance)}${unit}` : word,
    kind: kind === 'contact' && !isAsked ? 'touch' : kind,
  };
}

function kindOf(word: string): Kind {
  switch (word) {
    case 'near':
    case 'clear':
    case 'touch':
    case 'undecided':
      return word;
  }
  return 'contact';
}

/** Null if nothing is known. */
export function distanceText(found: Distance, unit: string): string | null {
  const bounds = boundsOf(found);
  return bounds && `${lengthText(bounds)}${unit}`;
}

/** The missing distance between two objects that are too close. */
export function missingText(found: Distance, clearance: number, unit: string): string {
  const { lower, upper } = boundsOf(found) ?? { lower: 0, upper: clearance };
  const missing = { lower: Math.max(0, clearance - upper), upper: Math.max(0, clearance - lower) };
  return `${lengthText(missing)}${unit} too little`;
}

function boundsOf({ distance, bracket }: Distance): Bracket | null {
  const bounds = bracket ?? (distance === null ? null : { lower: distance, upper: distance });
  return bounds?.lower === Number.POSITIVE_INFINITY ? null : bounds;
}

/** The question in words. */
export function requiredText({ rule, clearance, tolerance, touchGap, by }: Judged, unit: string): string {
  if (by === 'allowed') return 'nothing: the scene allows this pair';
  if (by === 'unasked') return 'nothing: no rule checks this pair';
  return [
    clearance > 0 ? `${short(clearance)}${unit} apart` : 'no contact',
    ...(tolerance > 0 ? [`overlaps up to ${short(tolerance)}${unit} count as touch`] : []),
    ...(touchGap > 0 ? [`gaps up to ${short(touchGap)}${unit} count as touch`] : []),
    ...(rule === null ? [] : [`by ${printable(rule)}`]),
  ].join(', ');
}
