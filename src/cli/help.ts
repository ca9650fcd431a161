/** Groups options in help texts by purpose. */
import type { Command, Help, Option } from 'commander';

/** An option with a different meaning in one command has that command's name. */
const GROUPS: readonly (readonly [heading: string, options: string])[] = [
  [
    'What is read:',
    'name strict exclude finding scene project allow-outside scene:build stale srdf state states limits units units-a units-b scale weld chord-tolerance parser split whole include',
  ],
  ['What is written:', 'format out flat build:json learn-allowed'],
  ['Geometry images:', 'build:size psnr fit build:max-error charts embed-source pages compression spheres'],
  ['Trees of boxes and slabs:', 'k bits node-bytes'],
  ['Cubes:', 'precision fill'],
  ['What is built again:', 'build:force check dry-run cache-dir cache watch poll'],
  ['Files for other tools:', 'manifest depfile obj'],
  [
    'Where the two are:',
    'pose-a pose-b translate-a translate-b rotate-a rotate-b check:time check:poses check:angles check:summary',
  ],
  ['Which pairs are asked:', 'against with a b allow allow-unmatched allow-incomplete ifc-relations all-pairs'],
  ['What is asked of them:', 'all max-contacts contact-points patches clearance distance source severity max-findings'],
  ['Solids:', 'solid tolerance touch-gap depth exact-depth'],
  ['While they move:', 'motion time-resolution all-intervals events continuous'],
  [
    'How exactly, and how long:',
    'budget check:level lod check:max-error check:resolution search trials axes engine bounds',
  ],
  ['Answers and exit codes:', 'expect fail-on json'],
  ['Reports:', 'report group bcf-version csv-separator csv-bom'],
  [
    'What is known already:',
    'baseline worse update-baseline prune-baseline note accept fail-on-gone scene:force cubes:force lint:force merge:force',
  ],
  ['The page, the picture:', 'html port open coop view picture:size theme'],
  ['Who does the work:', 'jobs device shard queue assets'],
];

/** Options without a group, and all options of a command that has few. */
const OTHERS = 'Options:';
const MOST_TOGETHER = 8;

const headings = new Map(GROUPS.flatMap(([heading, names]) => names.split(' ').map((name) => [name, heading])));

function headingOf(option: Option, command: Command): string {
  const name = option.name().replace(/^no-/, '');
  return headings.get(`${command.name()}:${name}`) ?? headings.get(name) ?? OTHERS;
}

export const ORDER: Partial<Help> = {
  /** Orders groups like GROUPS; commander would use the order of the options. */
  groupItems<T extends Command | Option>(_: T[], visible: T[], groupOf: (item: T) => string): Map<string, T[]> {
    const groups = new Map(GROUPS.map(([heading]) => [heading, [] as T[]]));
    for (const item of visible) groups.set(groupOf(item), [...(groups.get(groupOf(item)) ?? []), item]);
    return new Map([...groups].filter(([, items]) => items.length > 0));
  },
};

/** Gives the options of a command their headings, unless they are few. */
export function groupOptions(command: Command): void {
  if (command.options.length <= MOST_TOGETHER) return;
  for (const option of command.options) option.helpGroup(headingOf(option, command));
}
