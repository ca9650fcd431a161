/** What a watch prints of a round: for people, and as JSON. */
import { counted, grouped, printable } from '../../base/printable.ts';
import { EXIT } from '../exit-codes.ts';
import { shown } from '../make/lines.ts';
import { alignedLines, rowOf } from '../scene/finding-lines.ts';
import { accountOf, outputsInWords } from '../scene/print-scene.ts';
import { isShown } from '../scene/tally.ts';
import { coloured, colouredBy } from '../terminal.ts';
import type { Marked, SceneChange } from './watched-scene.ts';

export interface SceneResult extends SceneChange {
  scene: string;
  code: number;
}

export interface RoundResult {
  number: number;
  changed: readonly string[];
  built: number;
  cached: number;
  failed: number;
  /** Outputs without a source, with its name. */
  stale: readonly (readonly [output: string, source: string])[];
  scenes: readonly SceneResult[];
  code: number;
  ms: number;
}

const MOST_SHOWN = 3;

const STATES: Record<number, string> = {
  [EXIT.expected]: 'green',
  [EXIT.other]: 'findings',
  [EXIT.undecided]: 'undecided',
  [EXIT.failed]: 'failed',
};

export function headOf(changed: readonly string[], at: Date): string {
  const time = at.toTimeString().slice(0, 8);
  if (changed.length === 0) return `${time}  all is looked at`;
  const more = changed.length > MOST_SHOWN ? ` and ${grouped(changed.length - MOST_SHOWN)} more` : '';
  return `${time}  ${changed
    .slice(0, MOST_SHOWN)
    .map((path) => shown(path))
    .join(', ')}${more} changed`;
}

export const staleLine = ([output, source]: RoundResult['stale'][number]): string =>
  `${printable(output)}  stale: no longer built from ${printable(source)}`;

export function sceneLines({ scene, ...change }: SceneResult, { verbose = false, quiet = false }): string[] {
  const { appeared, gone, still, summary, asked, outputs } = change;
  if (summary === null) return [];
  const textsOf = (findings: readonly Marked[]): string[] => [
    ...alignedLines(findings.flatMap((own) => (isShown(own, { quiet, verbose }) ? [rowOf(own, '')] : []))),
  ];
  const pairs = `${grouped(asked)} of ${counted(summary.pairs, 'pair')} asked again`;
  const states = `${grouped(appeared.length)} new, ${grouped(gone.length)} gone, ${grouped(still)} still`;
  return [
    ...textsOf(gone).map((line) => `${coloured('green', 'gone')}  ${line}`),
    ...textsOf(appeared).map((line) => `${coloured('red', 'new')}   ${line}`),
    ...(verbose ? accountOf(summary, NO_FACTS) : []),
    [`${printable(scene)}: ${states}`, pairs, ...(outputs?.stale ? outputsInWords({ outputs }) : [])].join('; '),
  ];
}

/** Facts about files, which a round does not repeat. */
const NO_FACTS = { unchecked: 0, baked: 0, converted: 0, unitless: 0, skipped: 0, units: null };

export function lastLineOf({ built, cached, failed, scenes, code, ms }: RoundResult): string {
  const parts = [
    ...(built > 0 ? [`${grouped(built)} built`] : []),
    ...(cached > 0 ? [`${grouped(cached)} cached`] : []),
    ...(failed > 0 ? [`${grouped(failed)} failed`] : []),
    ...(scenes.length > 0 ? [`${counted(scenes.length, 'scene')} checked`] : []),
    `${(ms / 1000).toFixed(2)} s`,
  ];
  return `${colouredBy(code, STATES[code])}: ${parts.join(', ')}`;
}

export function sceneRecords({ scene, appeared, gone, unchecked, missing }: SceneResult): object[] {
  const told = (change: string) => (finding: Marked) => ({ ...finding, scene, change });
  return [
    ...gone.map(told('gone')),
    ...appeared.map(told('new')),
    ...[...unchecked, ...missing].map((record) => ({ ...record, scene })),
  ];
}

export function roundRecord({ number, changed, built, cached, failed, stale, scenes, code, ms }: RoundResult): object {
  return {
    type: 'round',
    ...{ number, changed, built, cached, failed },
    stale: stale.map(([file, source]) => ({ file, source })),
    scenes: scenes.map(({ scene, appeared, gone, still, asked, summary, outputs, ...rest }) => {
      const counts = { new: appeared.length, gone: gone.length, still, asked, pairs: summary?.pairs ?? null };
      const stale = outputs?.stale ? { stale: outputs.stale } : {};
      return { scene, ...(summary && counts), ...stale, code: rest.code };
    }),
    ...{ code, ms: Math.round(ms) },
  };
}
