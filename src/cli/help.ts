/** Help texts in two lengths: the options of everyday use, or all of them in groups by purpose. */
import type { Command, Help, Option } from 'commander';

/** An option with a different meaning in one command has that command's name. */
const GROUPS: readonly (readonly [heading: string, options: string])[] = [
  [
    'Input:',
    'name strict exclude finding scene project allow-outside scene:build stale srdf state states limits units units-a units-b scale weld chord-tolerance parser split whole include',
  ],
  ['Output:', 'format out flat build:json list learn-allowed'],
  ['Geometry images:', 'build:size psnr fit build:max-error charts embed-source pages compression spheres'],
  ['Trees of boxes and slabs:', 'k bits node-bytes'],
  ['Cubes:', 'precision fill'],
  ['Rebuilding:', 'build:force check dry-run cache-dir cache watch poll'],
  ['Files for other tools:', 'manifest depfile obj'],
  [
    'Poses:',
    'pose-a pose-b translate-a translate-b rotate-a rotate-b check:time check:poses check:angles check:summary',
  ],
  ['Pairs:', 'against with a b allow allow-unmatched allow-incomplete ifc-relations all-pairs'],
  ['Questions:', 'all max-contacts contact-points patches clearance distance source severity max-findings'],
  ['Solids:', 'solid tolerance touch-gap depth exact-depth'],
  ['Motion:', 'motion time-resolution all-intervals events continuous'],
  ['Precision and time:', 'budget check:level lod check:max-error check:resolution search trials axes engine bounds'],
  ['Results and exit codes:', 'expect fail-on json'],
  ['Reports:', 'report group bcf-version csv-separator csv-bom'],
  [
    'Baseline:',
    'baseline worse update-baseline prune-baseline note accept fail-on-gone scene:force cubes:force lint:force merge:force',
  ],
  ['Page and picture:', 'html port open coop view picture:size theme up'],
  ['Threads and machines:', 'jobs device shard queue assets'],
];

/** Options of everyday use. Commands without an entry show all of theirs. */
const EVERYDAY: Readonly<Record<string, string>> = {
  build: 'format out size split units watch',
  check: 'translate-b rotate-b distance clearance solid all poses json',
  scene: 'clearance with allow exclude baseline update-baseline report json',
  cubes: 'precision split fill baseline report json',
  lint: 'severity exclude baseline report json',
  merge: 'baseline report json',
  report: 'report',
  view: 'translate-b clearance baseline up html open port',
  picture: 'out translate-b view finding size theme',
};

/** Options without a group, and all options of a command that has few. */
const OTHERS = 'Options:';
const MOST_TOGETHER = 8;

const headings = new Map(GROUPS.flatMap(([heading, names]) => names.split(' ').map((name) => [name, heading])));

function headingOf(option: Option, command: Command): string {
  const name = nameOf(option);
  return headings.get(`${command.name()}:${name}`) ?? headings.get(name) ?? OTHERS;
}

const nameOf = (option: Option): string => option.name().replace(/^no-/, '');

/** What a user would type: names without quotes, and defaults as they are. */
function describe({ description, argChoices, defaultValue, defaultValueDescription }: Option): string {
  const isShown = defaultValue !== undefined && typeof defaultValue !== 'boolean' && defaultValue !== '';
  const choices = argChoices ? ` [${argChoices.join(', ')}]` : '';
  const [, text, own = ''] = /^(.*?)( \[default: [^\]]*\])?$/s.exec(description)!;
  return `${text}${choices}${isShown ? ` [default: ${defaultValueDescription ?? defaultValue}]` : own}`;
}

/** All options, in the groups above. */
export const WHOLE: Partial<Help> = {
  showGlobalOptions: true,
  optionDescription: describe,
  /** Orders groups like GROUPS; commander would use the order of the options. */
  groupItems<T extends Command | Option>(_: T[], visible: T[], groupOf: (item: T) => string): Map<string, T[]> {
    const groups = new Map(GROUPS.map(([heading]) => [heading, [] as T[]]));
    for (const item of visible) groups.set(groupOf(item), [...(groups.get(groupOf(item)) ?? []), item]);
    return new Map([...groups].filter(([, items]) => items.length > 0));
  },
};

/** The options of everyday use, in one list, and all commands by their names. */
export const SHORT: Partial<Help> = {
  optionDescription: describe,
  subcommandTerm: (command) => command.name(),
  visibleOptions(command) {
    const shown = EVERYDAY[command.name()]?.split(' ');
    const isShown = (option: Option): boolean =>
      shown ? shown.includes(nameOf(option)) : command.parent !== null && nameOf(option) !== 'any';
    return command.options.filter((option) => !option.hidden && isShown(option));
  },
  groupItems<T extends Command | Option>(_: T[], visible: T[]): Map<string, T[]> {
    const isOptions = visible.some((item) => 'flags' in item);
    return new Map(visible.length > 0 ? [[isOptions ? OTHERS : 'Commands:', visible]] : []);
  },
};

/** Says how to see the rest of a short help. */
export function addRest(command: Command): void {
  const count = command.options.filter(({ hidden }) => !hidden).length;
  const rest = EVERYDAY[command.name()] ? `all ${count} options` : 'more';
  command.addHelpText('after', `\n--help-all shows ${rest}.`);
}

/** Gives the options of a command their headings, unless they are few. */
export function groupOptions(command: Command): void {
  if (command.options.length <= MOST_TOGETHER) return;
  for (const option of command.options) option.helpGroup(headingOf(option, command));
}
