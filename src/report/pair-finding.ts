/** Computes the sizes and messages of findings of pairs. */
import { lengthText, short } from '../base/printable.ts';
import type { SolidMode } from '../engine/options.ts';
import type { ReportFinding, Subject } from './finding.ts';

export const LARGEST = Number.MAX_VALUE;

/** Numbers of JSON, where infinity is null. */
type Bounds = { lower: number | null; upper: number | null };

interface Sized {
  class: string;
  thickness?: Bounds | null | undefined;
  distance?: number | null | undefined;
  bracket?: Bounds | null | undefined;
}

interface Told extends Sized {
  inner?: 'a' | 'b' | null | undefined;
  reason?: string | null | undefined;
  asked?: Asked | null | undefined;
}

interface Party {
  name: string;
  file?: string | null | undefined;
  line?: number | null | undefined;
  sha256?: string | null | undefined;
  guid?: string | null | undefined;
}

interface Asked {
  clearance?: number | undefined;
  tolerance?: number | undefined;
  touchGap?: number | undefined;
  solid?: SolidMode | undefined;
}

/** A scene's finding about two objects, in memory or parsed from JSON. */
interface PairRecord extends Told {
  id: string;
  rule: string | null;
  a: Party;
  b: Party;
  point?: number[] | null | undefined;
  box?: { low: number[]; high: number[] } | null | undefined;
  contacts?: { patches?: unknown } | null | undefined;
}

/** Fields that a run adds to a finding. */
export type Marked = Pick<ReportFinding, 'level' | 'state' | 'note' | 'accepted' | 'again'>;

export const NO_SUBJECT = { file: null, line: null, sha256: null, guid: null } as const;
export const UNMARKED = { state: null, note: null, accepted: false, again: null } as const;

export function pairFinding(found: PairRecord, marks: Marked): ReportFinding {
  const subject = ({ name, file, line, sha256, guid }: Party): Subject => {
    return { name, file: file ?? null, line: line ?? null, sha256: sha256 ?? null, guid: guid ?? null };
  };
  return {
    ...marks,
    id: found.id,
    rule: found.rule ?? found.class,
    class: found.class,
    subjects: [subject(found.a), subject(found.b)],
    message: messageOf(found),
    point: found.point ?? null,
    box: found.box ?? null,
    size: sizeOf(found),
    ...askedOf(found),
  };
}

/** Records of `scene` have patches only if they were asked for. */
export function askedOf({ asked, contacts }: Pick<PairRecord, 'asked' | 'contacts'>): Pick<ReportFinding, 'asked'> {
  if (!asked) return {};
  const { clearance = 0, tolerance, touchGap, solid = 'auto' } = asked;
  return {
    asked: {
      clearance,
      ...(contacts?.patches ? { patches: true } : {}),
      ...(tolerance && { tolerance }),
      ...(touchGap && { touchGap }),
      ...(solid !== 'auto' && { solid }),
    },
  };
}

/** A finding that the baseline has and this run did not find. */
interface MissingRecord {
  state: 'gone' | 'unchecked';
  id: string;
  rule: string;
  class: string;
  names: string[];
  note?: string | null | undefined;
  accepted?: boolean | undefined;
}

export function missingFinding({ state, id, rule, class: found, names, note, accepted }: MissingRecord): ReportFinding {
  const why = state === 'gone' ? 'no longer found' : 'not looked for in this run';
  return {
    ...{ id, rule, class: found, level: 'note', state, note: note ?? null, accepted: accepted ?? false },
    ...{ subjects: names.map((name) => ({ ...NO_SUBJECT, name })), message: `${found}, ${why}` },
    ...{ point: null, box: null, size: null, again: null },
  };
}

const known = (x: number | null): number => x ?? Number.POSITIVE_INFINITY;

/**
 * Returns the thickness if known, otherwise the distance. A touching primitive's thickness that may
 * be 0 is left out: it is rounding, and differs from run to run.
 */
export function sizeOf({ class: found, thickness, distance, bracket: gap }: Sized): ReportFinding['size'] {
  const isRounding = found === 'touch' && gap && thickness?.lower === 0;
  if (thickness && known(thickness.upper) > 0 && found !== 'near' && !isRounding)
    return { kind: 'thickness', lower: thickness.lower ?? 0, upper: Math.min(LARGEST, known(thickness.upper)) };
  if (gap) return { kind: 'distance', lower: gap.lower ?? 0, upper: Math.min(LARGEST, known(gap.upper)) };
  return typeof distance === 'number' ? { kind: 'distance', lower: distance, upper: distance } : null;
}

export function messageOf(found: Told): string {
  const size = sizeOf(found);
  const required = found.asked?.clearance;
  const parts = [
    found.class,
    ...(found.inner ? [found.inner === 'a' ? 'the first in the second' : 'the second in the first'] : []),
    ...(size?.kind === 'thickness' ? [`${lengthText(size)} thick`] : []),
    ...(size?.kind === 'distance' ? [`${lengthText(size)} apart`] : []),
    ...(found.class === 'near' && required ? [`${short(required)} required`] : []),
    ...(found.reason ? [found.reason] : []),
  ];
  return parts.join(', ');
}
