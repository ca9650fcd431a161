/** Counts the findings of a scene: for the last line, and for hints. */
import { counted, grouped, lengthText } from '../../base/printable.ts';
import type { Finding } from '../../scene/records.ts';
import { isRed, type Marks } from '../findings/finding-log.ts';
import { type Colour, coloured } from '../terminal.ts';

type Counted = Marks & { class: string };

/** Harmless pairs, as the last line names them. */
const HARMLESS: Readonly<Record<string, string>> = {
  ...{ touch: 'touching', contact: 'in contact', overlap: 'overlapping', inside: 'inside another', same: 'the same' },
};

const isFailing = (marks: Counted): boolean => isRed(marks) && (marks.level === 'error' || marks.class === 'undecided');

/** True if a line of text shows the finding. */
export function isShown(marks: Counted, { quiet, verbose }: { quiet?: boolean; verbose?: boolean }): boolean {
  if (quiet) return isFailing(marks);
  return verbose || (isRed(marks) && marks.level !== 'note');
}

export class Tally {
  private warnings = 0;
  private known = 0;
  private readonly harmless = new Map<string, number>();

  /** @param errors elements that are not readable */
  constructor(public errors: number) {}

  add(marks: Counted): void {
    if (!isRed(marks)) this.known++;
    else if (marks.level === 'error') this.errors++;
    else if (marks.level === 'warning') this.warnings++;
    else this.harmless.set(marks.class, (this.harmless.get(marks.class) ?? 0) + 1);
  }

  /** `12 touch, 3 known; --verbose lists them`; nothing if every finding is listed. */
  hidden(): string[] {
    const counts = [...this.harmless, ...(this.known > 0 ? [['known', this.known] as const] : [])];
    if (counts.length === 0) return [];
    const total = counts.reduce((sum, [, count]) => sum + count, 0);
    const list = counts.map(([found, count]) => `${grouped(count)} ${found}`).join(', ');
    return [`${list}; --verbose lists ${total === 1 ? 'it' : 'them'}`];
  }

  /** `4 problems (3 errors, 1 warning), 12 touching, 5 allowed`. */
  outcome(allowed: number): string {
    const { errors, warnings, known } = this;
    const color: Colour = errors > 0 ? 'red' : warnings > 0 ? 'yellow' : 'green';
    const levels = ` (${counted(errors, 'error')}, ${counted(warnings, 'warning')})`;
    return [
      coloured(color, `${counted(errors + warnings, 'problem')}${errors + warnings > 0 ? levels : ''}`),
      ...[...this.harmless].map(([found, count]) => `${grouped(count)} ${HARMLESS[found] ?? found}`),
      ...(known > 0 ? [`${grouped(known)} known`] : []),
      ...(allowed > 0 ? [`${grouped(allowed)} allowed`] : []),
    ].join(', ');
  }
}

/** Rounding, as a part of a scene's size: float32 has 6e-8 a coordinate. */
const ROUNDING = 1e-6;

/** Failing overlaps by their thickness, to find those that are as thin as rounding. */
export class Slivers {
  /** By the power of ten that the thickness does not exceed. */
  private readonly counts = new Map<number, { count: number; thickest: number }>();
  private hasRules = false;
  private readonly low = [Infinity, Infinity, Infinity];
  private readonly high = [-Infinity, -Infinity, -Infinity];

  add(finding: Finding & Marks): void {
    const { class: found, thickness, level, box } = finding;
    for (const k of this.low.keys()) {
      this.low[k] = Math.min(this.low[k], box.low[k]);
      this.high[k] = Math.max(this.high[k], box.high[k]);
    }
    if (found !== 'overlap' || level !== 'error' || !isRed(finding) || !thickness) return;
    this.hasRules ||= finding.rule !== null;
    const power = powerBelow(thickness.upper) + 1;
    const { count, thickest } = this.counts.get(power) ?? { count: 0, thickest: 0 };
    this.counts.set(power, { count: count + 1, thickest: Math.max(thickest, thickness.upper) });
  }

  /** @param unit with a space before it, or nothing */
  hint(unit: string): string[] {
    const size = Math.max(...this.high.map((high, k) => high - this.low[k]));
    const power = size > 0 ? powerBelow(ROUNDING * size) : Number.NEGATIVE_INFINITY;
    const thin = [...this.counts].filter(([own]) => own <= power).map(([, own]) => own);
    if (thin.length === 0) return [];
    const count = thin.reduce((sum, own) => sum + own.count, 0);
    const thickest = Math.max(...thin.map((own) => own.thickest));
    const most = lengthText({ lower: thickest, upper: thickest });
    const [are, them] = count === 1 ? ['is', 'it'] : ['are', 'them'];
    const tolerance = power > -4 ? String(Number(`1e${power}`)) : `1e${power}`;
    const first = this.hasRules ? ', unless the rule has a tolerance of its own' : '';
    return [
      `${counted(count, 'overlap')} ${are} at most ${most}${unit} thick, as thin as rounding: --tolerance ${tolerance} counts ${them} as touching${first}`,
    ];
  }
}

/** The exponent of the largest power of ten that does not exceed a positive number. */
const powerBelow = (x: number): number => Number(x.toExponential().split('e')[1]);
