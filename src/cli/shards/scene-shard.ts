/** Writes a share of a scene: its description, and its findings. */
import type { FindingClass } from '../../scene/classes.ts';
import type { Covered } from '../../scene/coverage.ts';
import type { Finding, FindingsOptions, SceneSummary } from '../../scene/report.ts';
import type { PlacedScene } from '../../scene/scene.ts';
import type { Facts } from '../scene-lines.ts';
import type { WarningRecord } from '../session.ts';
import { contentDigest } from './content-digest.ts';
import type { SceneHeader, ShardError, ShardUnchecked } from './shard-file.ts';
import type { Share } from './shard-flags.ts';
import { ShardWriter } from './write-shard.ts';

export interface SceneShare {
  inputs: readonly string[];
  covered: Covered;
  warnings: readonly WarningRecord[];
  facts: Omit<Facts, 'seconds'>;
  failOn: readonly FindingClass[];
  options: FindingsOptions;
  incomplete: boolean;
}

export interface SceneKeeper {
  add(finding: Finding, level: string): void;
  end(summary: SceneSummary, seconds: number): Promise<void>;
}

export function keepScene({ shard, folder }: Share, scene: PlacedScene, run: SceneShare): SceneKeeper | null {
  if (!shard || folder === null) return null;
  const { covered, warnings, facts } = run;
  const { failures, findings, open } = covered;
  // Other machines may have the outputs without their sources.
  const { outputs: _, ...common } = facts;
  const names = scene.objects.map(({ name }) => name);
  const numbers = new Map(names.map((name, n) => [name, n]));
  const writer = new ShardWriter(folder, shard, {
    command: 'scene',
    inputs: [...run.inputs],
    content: contentDigest(scene.objects, failures, common, findings, warnings),
    names,
    partial: names.flatMap((name, n) => (open.has(name) ? [n] : [])),
    incomplete: run.incomplete,
    asked: askedOf(scene, run, numbers),
    facts,
  });
  const errors = failures.map(({ names, problem }): ShardError => ({ type: 'error', names, message: problem }));
  const unchecked = findings.map((finding): ShardUnchecked => ({ ...finding, type: 'unchecked' }));
  return {
    add: (finding, level) => {
      writer.add(numbers.get(finding.a.name)!, numbers.get(finding.b.name)!, { ...finding, level });
    },
    end: (summary, seconds) =>
      writer.end(...errors, ...warnings, ...unchecked, {
        ...summary,
        ms: { ...summary.ms, all: Math.round(1000 * seconds) },
      }),
  };
}

function askedOf(
  { options: { rules = {}, ...asked } }: PlacedScene,
  { failOn, options }: SceneShare,
  numbers: ReadonlyMap<string, number>,
): SceneHeader['asked'] {
  const { clearance = 0, tolerance = 0, touchGap = 0, solid = 'auto', against, still, absent = [] } = asked;
  const { all = false, patches = false, distance = false, maxContacts = 0 } = options;
  const numbersOf = (some: ReadonlySet<string>): number[] =>
    [...some].flatMap((name) => numbers.get(name) ?? []).sort((p, q) => p - q);
  const { groups, rules: own, allow } = rules;
  return {
    rules: { groups, rules: own, allow } as SceneHeader['asked']['rules'],
    ...{ clearance, tolerance, touchGap, solid },
    ...(against && { against: numbersOf(against) }),
    ...(still && { still: numbersOf(still) }),
    absent: [...absent],
    ...{ failOn: [...failOn] as SceneHeader['asked']['failOn'], all, patches, distance, maxContacts },
  };
}
