/** How much findings of pairs matter: what fails, what warns, what is told only. */
import type { FindingClass } from '../scene/classes.ts';
import type { Finding } from '../scene/report.ts';
import type { Rules } from '../scene/rules.ts';
import type { Level } from './model.ts';

/** What fails in a scene unless somebody says: not what touches. */
export const FAILING: FindingClass[] = ['overlap', 'inside', 'same', 'contact', 'near'];

/** Of a class, where no run has said which classes fail. */
export function levelOf(found: string): Level {
  if (found === 'undecided') return 'warning';
  return (FAILING as readonly string[]).includes(found) ? 'error' : 'note';
}

/** Of a finding, by its class and its rule. */
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
