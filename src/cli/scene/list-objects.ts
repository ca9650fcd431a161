/** `gicollide scene --list`: prints the names that rules, patterns and allowances can use. */
import { InputError, OptionError } from '../../base/errors.ts';
import { counted, printable } from '../../base/printable.ts';
import type { SceneObject } from '../../scene/records.ts';
import { type Choice, testOf } from '../../scene/rules.ts';
import { EXIT } from '../exit-codes.ts';
import type { Session } from '../session.ts';
import { print } from '../terminal.ts';
import { loadObjects, type OpenFlags } from './open-scene.ts';

/** Options that need a run, by their flags. */
const OF_RUNS = {
  ...{ report: '--report', updateBaseline: '--update-baseline', pruneBaseline: '--prune-baseline' },
  ...{ note: '--note', accept: '--accept', shard: '--shard', queue: '--queue', learnAllowed: '--learn-allowed' },
} as const;

type ListFlags = OpenFlags & { json?: boolean } & Partial<Record<keyof typeof OF_RUNS, unknown>>;

/** Prints an object a line with its file, then the groups of the scene file. */
export async function listObjects(args: readonly string[], flags: ListFlags, session: Session): Promise<number> {
  const run = Object.entries(OF_RUNS).find(([key]) => flags[key as keyof typeof OF_RUNS]);
  if (run) throw new OptionError(`${run[1]}: not with --list, which checks nothing`);
  const { loaded, others, objects, covered, isIncomplete } = await loadObjects(args, flags, session);
  if (objects.length === 0) throw new InputError(`${args.join(' ')}: expected objects, found none`);
  const { groups = {} } = { ...loaded.rules, ...others?.rules };
  const lines = [
    ...objects.map((object) => (flags.json ? jsonOf(object) : lineOf(object))),
    ...Object.entries(groups).map(([name, choices]) => groupOf(name, choices, objects, flags.json ?? false)),
  ];
  await print(lines.map((line) => `${line}\n`).join(''));
  return isIncomplete || covered.coverage.unchecked > 0 ? EXIT.failed : EXIT.expected;
}

const lineOf = ({ name, origin }: SceneObject): string =>
  origin ? `${printable(name)}  ${printable(origin.file)}` : printable(name);

function jsonOf({ name, origin }: SceneObject): string {
  const { file = null, element, guid, ifc } = origin ?? {};
  return JSON.stringify({
    type: 'object',
    name,
    file,
    element,
    guid,
    ...(ifc && { ifc: { ...ifc, kinds: undefined } }),
  });
}

function groupOf(name: string, choices: readonly Choice[], objects: readonly SceneObject[], json: boolean): string {
  const tests = choices.map(testOf);
  const own = objects.filter((object) => tests.some((test) => test({ name: object.name, ifc: object.origin?.ifc })));
  if (json) return JSON.stringify({ type: 'group', name, objects: own.map((object) => object.name) });
  return `${printable(name)}  group of ${counted(own.length, 'object')}`;
}
