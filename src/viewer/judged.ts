/**
 * The question by which two objects are judged: that of the chosen finding, otherwise that of the
 * scene's rules about the pair.
 */
import type { SolidMode } from '../engine/options.ts';
import type { ReportFinding } from '../report/finding.ts';
import type { Ask, Choice, Rules } from '../scene/rules.ts';
import type { Asked, ViewDocument } from './document.ts';

export interface Judged {
  /** The rule's id; null without rules. Several rules are joined with commas. */
  rule: string | null;
  /** Lengths; 0 for none. */
  clearance: number;
  tolerance: number;
  touchGap: number;
  solid: SolidMode;
  /** The question's origin. `allowed` and `unasked`: the scene has none about the pair. */
  by: 'finding' | 'scene' | 'allowed' | 'unasked';
}

export interface Questions {
  asks: readonly Ask[];
  isAllowed: boolean;
}

export function judgedBy(finding: ReportFinding, { solid = 'auto', touchGap = 0 }: Asked): Judged | null {
  const { asked, rule, class: found } = finding;
  if (!asked) return null;
  const lengths = { clearance: asked.clearance, tolerance: asked.tolerance ?? 0, touchGap: asked.touchGap ?? touchGap };
  return { ...lengths, rule: rule === found ? null : rule, solid: asked.solid ?? solid, by: 'finding' };
}

/** With several rules, the strictest lengths: the scene reports the strongest class of all. */
export function strictest({ asks, isAllowed }: Questions, { solid = 'auto', touchGap = 0 }: Asked): Judged {
  const rules = asks.flatMap(({ rule }) => rule || []);
  const tolerance = Math.min(...asks.map((ask) => ask.tolerance));
  return {
    rule: rules.length > 0 ? rules.join(', ') : null,
    clearance: Math.max(0, ...asks.map((ask) => ask.clearance)),
    tolerance: tolerance < Number.POSITIVE_INFINITY ? tolerance : 0,
    ...{ touchGap, solid, by: asks.length > 0 ? 'scene' : isAllowed ? 'allowed' : 'unasked' },
  };
}

/** The rule about pairs that a file of findings does not list. */
export const UNLISTED = '';

/**
 * A file of findings has the lengths of its rules, but not their objects. So each listed pair has a
 * rule of its own, named by the finding's id. All other pairs are asked with the least clearance.
 *
 * @returns null if the document has the rules of its scene
 */
export function listedRules({ again, asked, findings, objects }: ViewDocument): Rules | null {
  if (again.findings === undefined || asked.rules) return null;
  const names = new Set(objects.map(({ name }) => name));
  const rules = new Map<string, NonNullable<Rules['rules']>[number]>();
  for (const { id, asked, subjects } of findings) {
    const [a, b] = subjects.map(({ name }) => name);
    if (!asked || id === UNLISTED || !names.has(a) || !names.has(b) || a === b) continue;
    const { clearance, tolerance = 0 } = asked;
    rules.set(id, { id, a: named(a), b: named(b), clearance, tolerance });
  }
  const clearances = [...rules.values()].map((rule) => rule.clearance ?? 0);
  const least = clearances.reduce((least, each) => Math.min(least, each), clearances[0] ?? asked.clearance ?? 0);
  return { rules: [{ id: UNLISTED, a: '*', b: '*', clearance: least }, ...rules.values()] };
}

const named = (name: string): Choice => (/[*?]/.test(name) ? { names: [name] } : name);
