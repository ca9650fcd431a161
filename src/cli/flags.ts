/** Options that several commands share: of solids, robots, shards and queues. */

import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { InputError, OptionError } from '../base/errors.ts';
import type { Shard } from '../base/shares.ts';
import type { Depth, SolidMode } from '../engine/options.ts';
import type { FindingClass } from '../scene/classes.ts';
import type { SceneObject } from '../scene/records.ts';
import { parseClasses, parseLength, parseShard } from './arguments.ts';
import type { ReportFlags } from './findings/report-flags.ts';
import { kindOf } from './inputs/name.ts';
import type { WorkQueue } from './queue/work-queue.ts';
import type { RobotFlags, RobotInput, RobotScene } from './scene/robot.ts';
import type { Session } from './session.ts';

export interface SolidFlags {
  solid?: SolidMode;
  tolerance?: number;
  touchGap?: number;
  depth?: Depth;
  failOn?: FindingClass[];
}

export const addSolidOptions = (command: Command, mode: string, depth: string, failing: string): Command =>
  command
    .addOption(
      new Option(
        '--solid <mode>',
        `closed meshes and F-reps are solids (auto), others are refused (require), or none is (off): ${mode}`,
      ).choices(['auto', 'require', 'off']),
    )
    .option('--tolerance <len>', 'overlaps of solids no thicker than this are touch', parseLength)
    .option('--touch-gap <len>', 'so are solids no farther apart than this', parseLength)
    .addOption(
      new Option(
        '--depth <name>',
        `how finely thickness and reach are measured: off (not at all), coarse (the upper end is at most 1.1 times the lower) or fine (a hundredth apart); ${depth}`,
      ).choices(['off', 'coarse', 'fine']),
    )
    .option(
      '--fail-on <classes>',
      `which classes fail: overlap, inside, same, contact, touch, near, or none; ${failing}`,
      parseClasses,
    );

export const solidOptionsOf = ({ solid, tolerance, touchGap, depth }: SolidFlags): Omit<SolidFlags, 'failOn'> => ({
  ...(solid !== undefined && { solid }),
  ...(tolerance !== undefined && { tolerance }),
  ...(touchGap !== undefined && { touchGap }),
  ...(depth !== undefined && { depth }),
});

export const addRobotOptions = (command: Command): Command =>
  command
    .option('--srdf <file>', 'of a robot: which links may touch, states; else links that hang on each other may')
    .option(
      '--state <list>',
      'of a robot: where its joints are, joint=value or a state of the SRDF, commas between; several values of a joint have spaces between',
    )
    .option(
      '--states <file>',
      'of a robot: one state after the other, CSV, NDJSON, JSON or YAML, messages of ROS too; a frame each',
    )
    .addOption(new Option('--limits <mode>', 'a joint beyond its limits').choices(['warn', 'error']).default('warn'));

/** Loads `placeRobots` only if needed, and calls it; null without robots and their options. */
export async function moveRobots(
  robots: readonly RobotInput[],
  objects: readonly SceneObject[],
  absent: ReadonlySet<string>,
  flags: RobotFlags,
  session: Session,
): Promise<RobotScene | null> {
  const { srdf, state, states } = flags;
  if (robots.length === 0 && (srdf ?? state ?? states) === undefined) return null;
  const { placeRobots } = await import('./scene/robot.ts');
  return placeRobots(robots, objects, absent, flags, session);
}

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
    const { shardFileOf } = await import('./shards/shard-file.ts');
    const { requireWritable } = await import('./atomic-write.ts');
    requireWritable(join(folder, shardFileOf(shard ?? WHOLE)));
  }
  const { report: _, ...others } = flags;
  const rest = report.filter(({ format }) => format !== BLOB);
  const kept = (rest.length > 0 ? { ...others, report: rest } : others) as Flags;
  return { share: { shard: shard ?? (folder === null ? null : WHOLE), folder }, flags: kept };
}

export interface QueueFlags {
  queue?: string;
  assets?: string;
}

export const addQueueOptions = (command: Command): Command =>
  command
    .option('--queue <url>', 'workers on any number of machines answer: the Redis of gicollide worker (docs/queue.md)')
    .option('--assets <folder>', 'with --queue: where workers get assets from');

/** @param own options for work on this machine, which exclude a queue */
export async function openQueueOf(
  { queue, assets }: QueueFlags,
  own: Readonly<Record<string, unknown>>,
  session: Session,
): Promise<WorkQueue | undefined> {
  if (queue === undefined) {
    if (assets !== undefined)
      throw new OptionError('--assets: where workers get assets from; --queue says which workers');
    return undefined;
  }
  const clashing = Object.keys(own).find((option) => own[option] !== undefined && own[option] !== false);
  if (clashing !== undefined)
    throw new OptionError(`--queue: workers answer, and ${clashing} is of this machine; leave one out`);
  const { openWorkQueue } = await import('./queue/work-queue.ts');
  return openWorkQueue({ queue, ...(assets !== undefined && { assets }) }, session);
}
