/** How much the findings of a scene matter. */
import type { Level } from '../../report/model.ts';
import type { FindingClass } from '../../scene/classes.ts';
import type { Finding } from '../../scene/report.ts';
import type { Rules } from '../../scene/rules.ts';

/** How much a finding matters, by its class and its rule. */
export function levelsOf(failOn: readonly FindingClass[], rules: Rules['rules'] = []): (finding: Finding) => Level {
  const own = new Map(rules.map((rule) => [rule.id, rule]));
  return ({ rule: id, class: found }) => {
    if (found === 'undecided') return 'warning';
    const rule = id === null ? undefined : own.get(id);
    return (rule?.fail ?? failOn).includes(found) ? (rule?.severity ?? 'error') : 'note';
  };
}
