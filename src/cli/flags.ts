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
        `classes of solids: is one inside the other, and how deep? auto: for closed meshes and F-reps; require: refuse all others; off: none [default: ${mode}]`,
      ).choices(['auto', 'require', 'off']),
    )
    .option('--tolerance <len>', 'count overlaps of solids up to this thickness as touch', parseLength)
    .option('--touch-gap <len>', 'count gaps between solids up to this length as touch', parseLength)
    .addOption(
      new Option(
        '--depth <name>',
        `precision of thickness and reach. off: not measured; coarse: the upper end is at most 1.1 times the lower; fine: they are a hundredth apart [default: ${depth}]`,
      ).choices(['off', 'coarse', 'fine']),
    )
    .option(
      '--fail-on <classes>',
      `classes that fail: overlap, inside, same, contact, touch, near, or none${failing}`,
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
    .option(
      '--srdf <file>',
      'SRDF file of a robot: links that may touch, and named states [default: adjacent links may touch]',
    )
    .option(
      '--state <list>',
      'joint values of a robot: joint=value, or states of the SRDF, separated by commas. Separate several values of a joint by spaces',
    )
    .option('--states <file>', 'states of a robot, one frame each: CSV, NDJSON, JSON or YAML, also messages of ROS')
    .addOption(
      new Option('--limits <mode>', 'result of a joint value beyond its limits')
        .choices(['warn', 'error'])
        .default('warn'),
    );

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
    `do share i of n of ${what}; --report blob=dir writes it for gicollide merge`,
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
  if (blobs.length > 1) throw new OptionError('--report blob: expected one folder, found two');
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
    .option('--queue <url>', 'let workers on other machines do the work: the Redis of gicollide worker (docs/queue.md)')
    .option('--assets <folder>', 'with --queue: folder from which workers read assets');

/** @param own options for work on this machine, which exclude a queue */
export async function openQueueOf(
  { queue, assets }: QueueFlags,
  own: Readonly<Record<string, unknown>>,
  session: Session,
): Promise<WorkQueue | undefined> {
  if (queue === undefined) {
    if (assets !== undefined)
      throw new OptionError('--assets needs --queue; it names the place from which workers read assets');
    return undefined;
  }
  const clashing = Object.keys(own).find((option) => own[option] !== undefined && own[option] !== false);
  if (clashing !== undefined)
    throw new OptionError(`--queue uses workers, but ${clashing} applies to this machine; leave one out`);
  const { openWorkQueue } = await import('./queue/work-queue.ts');
  return openWorkQueue({ queue, ...(assets !== undefined && { assets }) }, session);
}
