/**
 * Defines the file of a share's findings: `shard-2-of-5.ndjson`, which `gicollide merge` reads.
 *
 * Its lines are JSON. The first describes the share and its questions, enough to derive the checked
 * pairs without any asset. Then follow the findings as --json prints them, each with the number of
 * its pair, ascending, and the failures. The summary comes last; a file without it is truncated.
 */
import { createHash, type Hash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { FormatError } from '../../base/errors.ts';
import { schemaNotes } from '../../base/schema-notes.ts';
import { MOST_SHARES, type Shard } from '../../base/shares.ts';
import { held } from '../../report/records.ts';
import { FAIL_CLASSES, FINDING_CLASSES } from '../../scene/classes.ts';
import type { Covered, UncheckedFinding } from '../../scene/coverage.ts';
import { TOOL } from '../../version.ts';
import { writeWhole } from '../atomic-write.ts';
import { sceneRunSchema } from '../findings/scene-run.ts';
import type { WarningRecord } from '../session.ts';

const SHARD_FORMAT = 'shard/1';

const text = z.string();
const count = z.number().check(z.multipleOf(1), z.gte(0), z.lte(Number.MAX_SAFE_INTEGER));
const length = z.number().check(z.gte(0));
const digest = z.string().check(z.regex(/^[0-9a-f]{64}$/, { error: 'a digest: 64 hexadecimal digits' }));
const id = z.string().check(z.regex(/^[0-9a-f]{16}$/, { error: 'an id: 16 hexadecimal digits' }));
const level = z.enum(['error', 'warning', 'note']);
const vector = z.array(z.number()).check(z.length(3));
const classes = z.array(z.enum(FAIL_CLASSES));

const SHARE = {
  type: z.literal('shard'),
  gicollide: z.literal(SHARD_FORMAT).register(schemaNotes, { description: 'The format and its version' }),
  index: z.number().check(z.multipleOf(1), z.gte(1), z.lte(MOST_SHARES)),
  count: z.number().check(z.multipleOf(1), z.gte(1), z.lte(MOST_SHARES)),
  run: digest.register(schemaNotes, {
    description: 'SHA-256 of the JSON of [tool, command, content, asked]: the same in all shares of a run',
  }),
  tool: text,
  inputs: z.array(text).register(schemaNotes, { description: 'The arguments of the run' }),
  content: digest.register(schemaNotes, {
    description: 'Digest of the objects: names, sources, poses, geometry; and of what could not be read',
  }),
  names: z.array(text).register(schemaNotes, {
    description: 'All objects or models; the pair of numbers i < j is i * (their number) + j',
  }),
  incomplete: z.boolean().register(schemaNotes, { description: 'Whether --strict failed for what was skipped' }),
};

const numbers = z.array(count);
/** Counts of all elements; absent in files of 0.1. */
const coverage = z.object({ elements: count, checked: count, leftOut: count, allowed: count, unchecked: count });
/** A group, a pattern, or objects by their names: the file has no facts of IFC. */
const choice = z.union([text, z.object({ names: z.array(text) })]);
const rules = z.object({
  groups: z.optional(z.record(text, z.array(choice))),
  rules: z.optional(
    z.array(
      z.object({
        ...{ id: text, a: choice, b: choice, clearance: z.optional(length), tolerance: z.optional(length) },
        ...{ fail: z.optional(classes), severity: z.optional(z.enum(['error', 'warning'])) },
      }),
    ),
  ),
  allow: z.optional(z.array(z.object({ a: choice, b: z.optional(choice), reason: z.optional(text) }))),
});

const allowed = z.array(z.object({ a: text, reason: z.nullable(text), elements: count }));
const partial = z
  .optional(numbers)
  .register(schemaNotes, { description: 'Numbers of the objects whose surface is missing in part' });

const sceneHeader = z.object({
  ...SHARE,
  command: z.literal('scene'),
  asked: z.object({
    ...{ rules, clearance: length, tolerance: length, touchGap: length, solid: z.enum(['auto', 'require', 'off']) },
    depth: z.optional(z.enum(['off', 'coarse', 'fine'])),
    against: z.optional(numbers).register(schemaNotes, { description: 'Numbers of the objects of --against' }),
    still: z.optional(numbers).register(schemaNotes, { description: 'Of those that are not asked about each other' }),
    sides: z.optional(z.object({ a: z.optional(z.array(choice)), b: z.optional(z.array(choice)) })),
    related: z.optional(z.array(z.object({ a: count, b: count, why: text }))).register(schemaNotes, {
      description: 'Pairs of numbers of objects that are allowed because they belong together',
    }),
    absent: z.array(text),
    ...{ failOn: classes, all: z.boolean(), patches: z.boolean(), distance: z.boolean(), maxContacts: count },
  }),
  facts: z.object({
    ...{ unchecked: count, baked: count, converted: count, unitless: count, skipped: count },
    ...{ units: z.nullable(text), adjacent: z.optional(count), beyondLimits: z.optional(count) },
    related: z.optional(count),
    coverage: z.optional(coverage),
    incomplete: z.optional(allowed),
    outputs: z.optional(z.object({ fresh: count, stale: count, unknown: count })).register(schemaNotes, {
      description: 'Outputs of a project that the scene uses',
    }),
    run: z.optional(sceneRunSchema).register(schemaNotes, {
      description: 'The inputs and options by which the scene can be opened again',
    }),
  }),
  partial,
});

const cubesHeader = z.object({
  ...SHARE,
  command: z.literal('cubes'),
  asked: z.object({
    ...{ precision: length, fill: z.boolean(), method: z.enum(['sorted', 'all-pairs']) },
    expect: z.enum(['clear', 'contact']),
  }),
  coverage: z.optional(coverage),
  allowed: z.optional(allowed),
  partial,
});

const header = z.discriminatedUnion('command', [sceneHeader, cubesHeader]);

/** Infinity is null in JSON. */
const bracket = z.object({ lower: z.nullable(z.number()), upper: z.nullable(z.number()) });
const party = z.looseObject({ name: text, pose: z.array(z.number()).check(z.length(16)) });
const patch = z.looseObject({
  kind: z.enum(['area', 'curve', 'point']),
  ...{ area: length, length },
});
const finding = z.looseObject({
  ...{ pair: count, type: z.literal('finding'), id, level, rule: z.nullable(text) },
  ...{ class: z.enum(FINDING_CLASSES), a: party, b: party },
  ...{ point: z.nullable(vector), box: z.object({ low: vector, high: vector }) },
  ...{ thickness: z.optional(z.nullable(bracket)), bracket: z.optional(z.nullable(bracket)) },
  distance: z.optional(z.nullable(z.number())),
  asked: z.looseObject({ clearance: length }),
  contacts: z.optional(z.looseObject({ count, complete: z.boolean(), patches: z.optional(z.array(patch)) })),
});
const collision = z.strictObject({
  ...{ pair: count, type: z.literal('collision'), a: text, b: text, cubes: count },
  ...{ low: vector, high: vector, level },
});
const error = z.strictObject({ type: z.literal('error'), names: z.array(text), message: text });

const warningLine = z.strictObject({ type: z.literal('warning'), subject: text, message: text });
const unchecked = z.strictObject({
  ...{ type: z.literal('unchecked'), id, rule: z.null(), class: z.literal('unchecked'), level: z.literal('error') },
  a: z.looseObject({ name: text, file: z.nullable(text) }),
  ...{ reason: text, tool: text },
});

const sceneSummary = z.looseObject({
  type: z.literal('summary'),
  ...{ objects: count, pairs: count, apart: count, checked: count, unasked: count },
  ...{ overlap: count, inside: count, same: count, contact: count, touch: count, near: count, undecided: count },
  allowed: count,
  shard: z.optional(z.object({ index: count, count, others: count })),
  rules: z.optional(z.array(z.object({ id: text, pairs: count }))),
  allow: z.optional(z.array(z.object({ a: text, b: text, reason: z.nullable(text), pairs: count }))),
  ms: z.object({ broad: length, narrow: length, all: length }),
});
const cubesSummary = z.strictObject({
  type: z.literal('summary'),
  ...{ models: count, pairs: count, cubes: count, colliding: count, ms: length },
  counts: z.optional(z.array(count)).register(schemaNotes, {
    description: 'Cubes of each model in this share; absent in files of 0.1',
  }),
});

export const shardSchema = z
  .union([sceneHeader, cubesHeader, finding, collision, error, warningLine, unchecked, sceneSummary, cubesSummary])
  .register(schemaNotes, { title: 'A line of a shard of gicollide (shard-2-of-5.ndjson)' });

export type SceneHeader = z.infer<typeof sceneHeader>;
export type CubesHeader = z.infer<typeof cubesHeader>;
export type ShardHeader = SceneHeader | CubesHeader;
export type ShardCollision = z.infer<typeof collision>;
export type ShardError = z.infer<typeof error>;
export type ShardUnchecked = Omit<UncheckedFinding, 'type'> & { type: 'unchecked' };
export type SceneShardSummary = z.infer<typeof sceneSummary>;
export type CubesShardSummary = z.infer<typeof cubesSummary>;

const typeOf = (record: unknown): unknown => (record as { type?: unknown } | null)?.type;

/** Returns null if the line is no shard's first one. @throws FormatError for an invalid one */
export function readHeader(record: unknown): ShardHeader | null {
  if (typeof record !== 'object' || typeOf(record) !== 'shard') return null;
  const { gicollide } = record as { gicollide?: unknown };
  if (gicollide !== SHARD_FORMAT)
    throw new FormatError(
      null,
      `${SHARD_FORMAT}, which this version of gicollide knows`,
      `${JSON.stringify(gicollide)}`,
    );
  held(header, record);
  const sound = record as ShardHeader;
  if (sound.index > sound.count) throw new FormatError(null, `index: up to ${sound.count}`, `${sound.index}`);
  const run = runOf(sound);
  if (sound.run !== run) throw new FormatError(null, `run: ${run}, computed from this line`, sound.run);
  return sound;
}

const BODIES = {
  scene: { finding, error, warning: warningLine, unchecked, summary: sceneSummary },
  cubes: { collision, error, warning: warningLine, unchecked, summary: cubesSummary },
} as const;

/** Validates a line; its keys keep their order. @throws FormatError for an invalid line */
export function readBody<Line>(record: unknown, command: ShardHeader['command']): Line {
  const shapes = BODIES[command] as Record<string, z.ZodMiniType>;
  const type = String(typeOf(record));
  if (!Object.hasOwn(shapes, type))
    throw new FormatError(null, `type: one of ${Object.keys(shapes).join(', ')}`, JSON.stringify(type.slice(0, 40)));
  held(shapes[type], record);
  return record as Line;
}

/** Numbers of the objects whose surface is missing in part. */
export const partialOf = (names: readonly string[], open: ReadonlySet<string>): number[] =>
  names.flatMap((name, n) => (open.has(name) ? [n] : []));

/** Identifies a run: the same tool, command, objects and options. */
export const runOf = ({ tool, command, content, asked }: Pick<ShardHeader, 'tool' | 'command' | 'content' | 'asked'>) =>
  createHash('sha256')
    .update(JSON.stringify([tool, command, content, asked]))
    .digest('hex');

export const shardFileOf = ({ index, count }: Pick<ShardHeader, 'index' | 'count'>): string =>
  `shard-${index}-of-${count}.ndjson`;

const LINES_A_PIECE = 1000;

type Own = 'type' | 'gicollide' | 'index' | 'count' | 'run' | 'tool';
type Without<Header, Keys extends PropertyKey> = Header extends unknown ? Omit<Header, Keys> : never;

/** Writes a share's lines, for `gicollide merge`. */
export class ShardWriter {
  private readonly lines: string[] = [];
  private readonly objects: number;

  constructor(
    private readonly folder: string,
    private readonly shard: Shard,
    about: Without<ShardHeader, Own>,
  ) {
    const run = runOf({ tool: TOOL, ...about } as ShardHeader);
    this.lines.push(JSON.stringify({ type: 'shard', gicollide: SHARD_FORMAT, ...shard, run, tool: TOOL, ...about }));
    this.objects = about.names.length;
  }

  /** Adds a record about two objects by number, i < j. */
  add(i: number, j: number, record: object): void {
    this.lines.push(JSON.stringify({ pair: i * this.objects + j, ...record }));
  }

  async end(
    { failures, findings }: Pick<Covered, 'failures' | 'findings'>,
    warnings: readonly WarningRecord[],
    summary: object,
  ): Promise<void> {
    const errors = failures.map(({ names, problem }): ShardError => ({ type: 'error', names, message: problem }));
    const unchecked = findings.map((finding): ShardUnchecked => ({ ...finding, type: 'unchecked' }));
    for (const record of [...errors, ...warnings, ...unchecked, summary]) this.lines.push(JSON.stringify(record));
    await writeWhole(join(this.folder, shardFileOf(this.shard)), this.pieces());
  }

  private async *pieces(): AsyncGenerator<string, void, undefined> {
    for (let n = 0; n < this.lines.length; n += LINES_A_PIECE)
      yield `${this.lines.slice(n, n + LINES_A_PIECE).join('\n')}\n`;
  }
}

/** Digests values; a shared one, such as an asset of many objects, is digested once. */
class ContentDigest {
  private readonly known = new Map<object, string>();

  of(value: object): string {
    let digest = this.known.get(value);
    if (digest === undefined) {
      const hash = createHash('sha256');
      this.addParts(hash, value);
      digest = hash.digest('hex');
      this.known.set(value, digest);
    }
    return digest;
  }

  private add(hash: Hash, value: unknown): void {
    if (typeof value === 'object' && value !== null) hash.update(this.of(value));
    else hash.update(`${typeof value}:${Object.is(value, -0) ? '-0' : String(value)};`);
  }

  private addParts(hash: Hash, value: object): void {
    if (ArrayBuffer.isView(value)) {
      hash.update(`${value.constructor.name}:${value.byteLength};`);
      hash.update(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
      return;
    }
    const entries: Iterable<[unknown, unknown]> =
      value instanceof Map ? value : Object.entries(value).filter(([, part]) => part !== undefined);
    hash.update(Array.isArray(value) ? 'list;' : 'record;');
    for (const [key, part] of entries) {
      this.add(hash, key);
      this.add(hash, part);
    }
    hash.update('end;');
  }
}

/**
 * A digest of plain values and typed arrays: everything that a run looks at. Runs with the same
 * digest have the same objects, triangle by triangle, whatever their files.
 */
export const contentDigest = (...values: unknown[]): string => new ContentDigest().of(values);
