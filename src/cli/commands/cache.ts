/** `gicollide cache`: shows and prunes the cache of builds. */
import type { Command } from 'commander';
import { InputError, OptionError } from '../../base/errors.ts';
import { grouped, printable } from '../../base/printable.ts';
import { notes } from '../arguments.ts';
import { isCache, MARKER, placeOf } from '../cache/cache.ts';
import { programDigest } from '../cache/program-digest.ts';
import {
  type Amount,
  amountOf,
  holdingsOf,
  type Pruned,
  type PruneOptions,
  parseSize,
  prune,
  sizeText,
} from '../cache/upkeep.ts';
import { EXIT } from '../exit-codes.ts';
import { kindOf } from '../inputs/name.ts';
import type { Session } from '../session.ts';
import { print } from '../terminal.ts';

interface CacheFlags {
  cacheDir?: string;
  cacheFolder?: string;
  json?: boolean;
}

interface PruneFlags extends CacheFlags {
  maxSize?: number;
  dryRun?: boolean;
}

export function defineCache(command: Command, session: (command: Command) => Session): void {
  command
    .exitOverride((error) => {
      // Without a task, commander would show this command's help as an error.
      throw error.code === 'commander.help' && error.exitCode !== 0
        ? new OptionError('expected prune, info or clear (see gicollide cache --help)')
        : error;
    })
    .addHelpText(
      'after',
      notes(
        `The cache keeps outputs of projects by their content, for all projects of this user. Deleting it costs only time: missing entries
are built again. Builds may run meanwhile (docs/projects.md).`,
        `  $ gicollide cache prune --max-size 2GB
  1,204 entries, 1.9 GB; 310 removed, 1.2 GB freed`,
      ),
    );
  addTask(command, 'prune', 'remove the least recently used entries until the rest fits')
    .option(
      '--max-size <size>',
      'maximum size of all entries: bytes, or with KB, MB, GB or TB [default: that of gicollide.json]',
      parseSize,
    )
    .option('--dry-run', 'remove nothing; print what would be removed')
    .addHelpText(
      'after',
      notes(
        `The last use of an entry is recorded to a day. Leftovers of killed builds are removed, too. The line shows the present content.
Exit code 0: it fits; 2: the folder is no cache, or something could not be removed.`,
      ),
    )
    .action(async ({ maxSize, dryRun, ...given }: PruneFlags, command: Command) => {
      const { flags, most } = await ofProject(given);
      const size = maxSize ?? most;
      if (size === undefined)
        throw new OptionError('--max-size: expected a size, as 2GB; gicollide.json can have it as cache.maxSize');
      await runPrune(flags, { most: size, ...(dryRun && { isDry: true }) }, session(command));
    });
  addTask(command, 'info', 'show the folder and the content of the cache')
    .addHelpText(
      'after',
      notes(
        `Programs with one number share entries.
Exit code 0: printed, also for a cache without entries; 2: the folder is no cache.`,
      ),
    )
    .action(async (flags: CacheFlags) => await runInfo((await ofProject(flags)).flags));
  addTask(command, 'clear', 'remove all entries')
    .addHelpText('after', notes(`Exit code 0: done; 2: the folder is no cache, or something could not be removed.`))
    .action(
      async (flags: CacheFlags, command: Command) =>
        await runPrune((await ofProject(flags)).flags, { most: null }, session(command)),
    );
}

async function ofProject(flags: CacheFlags): Promise<{ flags: CacheFlags; most?: number }> {
  const { projectHere } = await import('../project-file.ts');
  const project = await projectHere();
  const { maxSize } = project?.model.cache ?? {};
  const cacheFolder = project?.cacheFolder;
  return {
    flags: { ...flags, ...(cacheFolder !== undefined && { cacheFolder }) },
    ...(maxSize !== undefined && { most: parseSize(maxSize) }),
  };
}

const addTask = (command: Command, name: string, description: string): Command =>
  command
    .command(name)
    .description(description)
    .option(
      '--cache-dir <dir>',
      "folder of the cache [default: that of gicollide.json, GICOLLIDE_CACHE_DIR, or the user's cache]",
    )
    .option('--json', 'print one JSON object');

async function runPrune(flags: CacheFlags, options: PruneOptions, { global }: Session): Promise<void> {
  const { folder, isBegun } = cacheOf(flags);
  const none = { entries: 0, bytes: 0 };
  const pruned = isBegun ? prune(folder, options) : { held: none, removed: none, leftovers: none, refusal: null };
  if (flags.json) await print(`${JSON.stringify(recordOf(folder, pruned, options))}\n`);
  else if (!global.quiet) await print(`${heldText(pruned.held)}; ${removedText(pruned, options)}\n`);
  if (pruned.refusal !== null) throw new InputError(pruned.refusal);
  process.exitCode = EXIT.expected;
}

const recordOf = (folder: string, { held, removed, leftovers }: Pruned, { isDry = false }: PruneOptions): object => ({
  folder,
  ...held,
  removed,
  leftovers: { files: leftovers.entries, bytes: leftovers.bytes },
  dryRun: isDry,
});

const heldText = ({ entries, bytes }: Amount): string =>
  `${grouped(entries)} ${entries === 1 ? 'entry' : 'entries'}, ${sizeText(bytes)}`;

function removedText({ removed, leftovers }: Pruned, { isDry = false }: PruneOptions): string {
  const { entries: files } = leftovers;
  const others = files > 0 ? ` and ${grouped(files)} left by killed builds` : '';
  const freed = sizeText(removed.bytes + leftovers.bytes);
  return `${grouped(removed.entries)}${others} ${isDry ? 'would be ' : ''}removed, ${freed} freed`;
}

async function runInfo(flags: CacheFlags): Promise<void> {
  const { folder, isBegun } = cacheOf(flags);
  const entries = isBegun ? holdingsOf(folder).entries : [];
  const held = amountOf(entries);
  const [oldest] = entries.map(({ used }) => new Date(used).toISOString());
  // The digest tells whether two programs that share a folder share entries.
  const program = programDigest();
  if (flags.json) await print(`${JSON.stringify({ folder, ...held, oldest: oldest ?? null, program })}\n`);
  else {
    const since = oldest === undefined ? '' : `; the oldest was last used on ${oldest.slice(0, 10)}`;
    await print(
      `${printable(folder)}\n${heldText(held)}${since}\nprogram ${program.slice(0, 16)}: only programs with this number share entries\n`,
    );
  }
  process.exitCode = EXIT.expected;
}

/** Returns a task's folder. A missing cache is empty, but a missing named folder is an error. */
function cacheOf({ cacheDir, cacheFolder }: CacheFlags): { folder: string; isBegun: boolean } {
  const place = placeOf(cacheDir ?? cacheFolder);
  if (place === null) throw new InputError('expected --cache-dir: this system names no folder for caches');
  const { folder } = place;
  if (isCache(folder)) return { folder, isBegun: true };
  if (kindOf(folder) !== null)
    throw new InputError(`${folder}: expected a cache of gicollide, found no ${MARKER} in it`);
  if (cacheDir !== undefined) throw new InputError(`${folder}: no such folder`);
  return { folder, isBegun: false };
}
