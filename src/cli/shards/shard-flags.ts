/** `--shard` and `--report blob` on the command line. */
import { join } from 'node:path';
import type { Command } from 'commander';
import { InputError, OptionError } from '../../base/errors.ts';
import type { Shard } from '../../base/shares.ts';
import { parseShard } from '../arguments.ts';
import type { ReportFlags } from '../findings/report-flags.ts';
import { kindOf } from '../inputs/name.ts';

export interface ShardFlags {
  shard?: Shard;
}

export const BLOB = 'blob';
const WHOLE: Shard = { index: 1, count: 1 };

export const addShardOption = (command: Command, what: string): Command =>
  command.option(
    '--shard <i/n>',
    `the share i of n shares of ${what}, for n machines; --report blob=dir keeps it for gicollide merge`,
    parseShard,
  );

/** A run's share, and the folder for its file; null if not requested. */
export interface Share {
  shard: Shard | null;
  folder: string | null;
}

/** Separates --report blob from the reports, which are files of one format each. */
export async function takeShare<Flags extends ReportFlags & ShardFlags>(
  flags: Flags,
): Promise<{ share: Share; flags: Flags }> {
  const { report = [], shard = null } = flags;
  const blobs = report.filter(({ format }) => format === BLOB);
  if (blobs.length > 1) throw new OptionError('--report blob: one folder, and this names two');
  const folder = blobs[0]?.file ?? null;
  if (folder !== null && kindOf(folder) !== 'folder' && kindOf(folder) !== null)
    throw new InputError(`${folder}: expected a folder for --report blob, found a file`);
  if (folder !== null) {
    const { shardFileOf } = await import('./shard-file.ts');
    const { requireWritable } = await import('../write-whole.ts');
    requireWritable(join(folder, shardFileOf(shard ?? WHOLE)));
  }
  const { report: _, ...others } = flags;
  const rest = report.filter(({ format }) => format !== BLOB);
  const kept = (rest.length > 0 ? { ...others, report: rest } : others) as Flags;
  return { share: { shard: shard ?? (folder === null ? null : WHOLE), folder }, flags: kept };
}
