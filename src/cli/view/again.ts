/** Makes the command line that checks two objects of a view. */
import type { Again } from '../../viewer/document.ts';
import { STDIN } from '../inputs/name.ts';
import type { Session } from '../session.ts';
import { solidOptionsOf } from '../solid-flags.ts';
import type { ViewFlags } from './view-flags.ts';

/** Flags that `check --scene` shares with `scene`. */
const OF_SCENES = { units: '--units', srdf: '--srdf', state: '--state' } as const;

export function againOf(
  command: Again['command'],
  files: readonly string[],
  flags: ViewFlags,
  { global }: Session,
): Again {
  const { solid = 'auto', tolerance, touchGap } = solidOptionsOf(flags);
  const word = (name: string, value: number | string | undefined): string[] =>
    value === undefined ? [] : [name, String(value)];
  const ofScene = [
    ...Object.entries(OF_SCENES).flatMap(([key, name]) => word(name, flags[key as keyof typeof OF_SCENES])),
  ];
  const ofFiles = [
    ...(global.allowOutside ? ['--allow-outside'] : []),
    ...[...(global.package ?? [])].flatMap(([name, folder]) => ['--package', `${name}=${folder}`]),
  ];
  return {
    command,
    files: [...files],
    options: [
      ...['--solid', solid],
      ...word('--clearance', flags.clearance),
      ...word('--tolerance', tolerance),
      ...word('--touch-gap', touchGap),
      ...(command === 'scene' ? ofScene : [...word('--units-a', flags.unitsA), ...word('--units-b', flags.unitsB)]),
      ...ofFiles,
      ...(files.includes(STDIN) ? word('--name', global.name) : []),
    ],
  };
}
