/** Describes the run of `check --json`, so that `check --finding` can repeat it. */
import type { Pose } from '../../math/pose.ts';
import { findingId } from '../../scene/finding-id.ts';
import { TOOL } from '../../version.ts';
import { kindOf, type NamedPlace } from '../inputs/name.ts';
import { fileDigest } from '../inputs/open.ts';

/** Flags that affect the answer, by their names in the record. */
const ASKED = [
  ...(['all', 'maxContacts', 'clearance', 'distance', 'budget', 'level', 'lod', 'maxError', 'resolution'] as const),
  ...([
    'search',
    'subdivision',
    'trials',
    'source',
    'contactPoints',
    'patches',
    'axes',
    'engine',
    'bounds',
    'solid',
    'tolerance',
    'touchGap',
  ] as const),
  ...(['failOn', 'depth', 'exactDepth', 'expect', 'time', 'units', 'unitsA', 'unitsB'] as const),
];

type Asked = Partial<Record<(typeof ASKED)[number], unknown>>;

interface CheckRun {
  id: string;
  tool: string;
  /** SHA-256 of both files; null for a pipe, and for images read in parts. */
  sha256: [string | null, string | null];
  /** Row-major 4x4. */
  poses: [number[], number[]];
  asked: Asked;
}

export function describeRun(
  files: readonly [string, string],
  poses: readonly [Pose, Pose],
  flags: Asked,
  { isWhole }: { isWhole: boolean },
): CheckRun {
  const given = ASKED.flatMap((key) => (flags[key] === undefined || flags[key] === false ? [] : [[key, flags[key]]]));
  return {
    id: findingId('check', `a ${files[0]}`, `b ${files[1]}`),
    tool: TOOL,
    sha256: [files[0], files[1]].map((file) => (isWhole ? digestOf(file) : null)) as CheckRun['sha256'],
    poses: [Array.from(poses[0]), Array.from(poses[1])],
    asked: Object.fromEntries(given),
  };
}

/** Returns the SHA-256 of a file; null for a pipe. */
export const digestOf = (file: string, named?: NamedPlace): string | null =>
  kindOf(file) === 'file' ? fileDigest(file, named) : null;
