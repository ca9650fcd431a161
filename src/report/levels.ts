/** Assigns levels to findings of pairs: error, warning or note. */
import type { FindingClass } from '../scene/classes.ts';
import type { Finding } from '../scene/report.ts';
import type { Rules } from '../scene/rules.ts';
import type { Level } from './model.ts';

/** Classes that fail in a scene by default; `touch` does not. */
export const FAILING: FindingClass[] = ['overlap', 'inside', 'same', 'contact', 'near'];

/** Returns the level of a class if no run has said which classes fail. */
export function levelOf(found: string): Level {
  if (found === 'undecided') return 'warning';
  return (FAILING as readonly string[]).includes(found) ? 'error' : 'note';
}

export function levelsOf(
  failOn: readonly FindingClass[],
  rules: Rules['rules'] = [],
): (finding: Pick<Finding, 'rule' | 'class'>) => Level {
  const own = new Map(rules.map((rule) => [rule.id, rule]));
  return ({ rule: id, class: found }) => {
    if (found === 'undecided') return 'warning';
    const rule = id === null ? undefined : own.get(id);
    return (rule?.fail ?? failOn).includes(found) ? (rule?.severity ?? 'error') : 'note';
  };
}
