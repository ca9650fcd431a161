/** `gicollide merge`: merges the shards of a run, and reports them as one run. */
import type { Command } from 'commander';
import { OptionError } from '../../base/errors.ts';
import { loadKinds } from '../../representations/kinds.ts';
import { addOutside, givenOptions, notes } from '../arguments.ts';
import { addBaselineOptions, type BaselineFlags } from '../findings/baseline-file.ts';
import { FindingLog } from '../findings/finding-log.ts';
import { addReportOptions, isDrawn, type ReportFlags } from '../findings/report-flags.ts';
import { ANYWHERE, placeOfFindings } from '../inputs/name.ts';
import type { Session } from '../session.ts';
import { auditCubes, mergeCubes } from '../shards/cubes.ts';
import { type Audit, openShards } from '../shards/read-shards.ts';
import { auditScene, mergeScene } from '../shards/scene.ts';

interface MergeFlags extends ReportFlags, BaselineFlags {
  json?: boolean;
  manifest?: string;
}

export function defineMerge(command: Command, session: (command: Command) => Session): void {
  command.option('--json', 'print the JSON lines of the run');
  addBaselineOptions(addReportOptions(addOutside(command)))
    .option('--manifest <file>', 'join manifests of build --shard i/n --manifest to this file')
    .addHelpText(
      'after',
      notes(
        `Reads the files of scene and cubes with --shard i/n --report blob=dir: the folder, or the files. Every shard of the run must be
there once, from one version, one scene and the same options. The output and the reports equal those of one run without
--shard, except that times are sums. Lines of source files and pictures need the files of the run; they are left out if these
are missing. docs/projects.md shows it in CI.
Exit code: as of scene or cubes; also 2 if a shard is missing, cut, or from another run.`,
        `  $ gicollide scene building.obj --shard 1/2 --report blob=found
  $ gicollide scene building.obj --shard 2/2 --report blob=found
  $ gicollide merge found`,
      ),
    )
    .action(async (args: string[], flags: MergeFlags, command: Command) => {
      requireAlone(flags, givenOptions(command));
      process.exitCode = await runMerge(args, flags, session(command));
    });
}

/** Manifests have no findings, so options of findings are refused. */
function requireAlone({ manifest }: MergeFlags, given: ReadonlyMap<string, string>): void {
  const other = [...given].find(([name]) => name !== 'manifest');
  if (manifest !== undefined && other)
    throw new OptionError(
      `${other[1]} applies to findings, but --manifest merges the manifests of builds; leave it out`,
    );
}

async function runMerge(args: string[], flags: MergeFlags, asking: Session): Promise<number> {
  if (flags.manifest !== undefined) {
    const { mergeManifestFiles } = await import('../make/side-files.ts');
    return mergeManifestFiles(args, flags.manifest, asking);
  }
  const audit: Audit = (header, summary, counts) =>
    header.command === 'scene' ? auditScene(header, summary, counts) : auditCubes(header, summary, counts);
  const shards = await openShards(args, audit, asking);
  const files = shards.map(({ file }) => file);
  const named = placeOfFindings(files[0], asking);
  const session = { ...asking, named };
  const log = await FindingLog.open(flags, files, ANYWHERE);
  if (shards[0].header.command === 'cubes') return mergeCubes(shards, log, flags, session);
  const draws = isDrawn(flags);
  if (draws) await loadKinds();
  return mergeScene(shards, log, { json: flags.json ?? false, draws }, session);
}
