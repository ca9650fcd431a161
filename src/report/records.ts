/**
 * Converts the JSON lines of scene, lint, check (also of many poses), cubes and verify to findings.
 * A file may contain anything, so every line is validated.
 */
import * as z from 'zod/mini';
import { FormatError } from '../base/errors.ts';
import { at, describe, expectedBy, valueAt, worst } from '../base/json-messages.ts';
import { rangeText, short } from '../base/printable.ts';
import { findingId } from '../scene/finding-id.ts';
import type { Failure, Level, ReportFinding } from './finding.ts';
import { levelOf } from './finding.ts';
import {
  askedOf,
  LARGEST,
  messageOf,
  missingFinding,
  NO_SUBJECT,
  pairFinding,
  sizeOf,
  UNMARKED,
} from './pair-finding.ts';

const text = z.string();
const count = z.number().check(z.gte(0), z.lte(LARGEST));
const vector = z.array(z.number()).check(z.length(3));
const box = z.object({ low: vector, high: vector });
/** Infinity is null in JSON. */
const bracket = z.object({ lower: z.nullable(z.number()), upper: z.nullable(z.number()) });
const maybe = <T extends z.ZodMiniType>(schema: T) => z.optional(z.nullable(schema));

const MARKS = {
  level: z.optional(z.enum(['error', 'warning', 'note'])),
  state: z.optional(z.enum(['new', 'known', 'worse', 'gone', 'unchecked'])),
  note: z.optional(text),
  accepted: z.optional(z.boolean()),
};

const length = z.optional(count);
const ASKED = {
  ...{ clearance: length, tolerance: length, touchGap: length },
  solid: z.optional(z.enum(['auto', 'require', 'off'])),
};

const party = z.object({
  name: text,
  file: maybe(text),
  line: maybe(count),
  sha256: maybe(text),
  guid: maybe(text),
});

const pairSchema = z.object({
  ...MARKS,
  id: text,
  rule: z.nullable(text),
  class: text,
  a: party,
  b: party,
  point: maybe(vector),
  box: maybe(box),
  inner: maybe(z.enum(['a', 'b'])),
  thickness: maybe(bracket),
  distance: maybe(z.number()),
  bracket: maybe(bracket),
  reason: maybe(text),
  asked: maybe(z.object(ASKED)),
  contacts: maybe(z.object({ patches: maybe(z.array(z.unknown())) })),
});

/** An element without a surface; baselines don't have it. */
const uncheckedSchema = z.object({
  id: text,
  class: z.literal('unchecked'),
  a: party,
  reason: text,
});

const lintSchema = z.object({
  ...MARKS,
  id: text,
  rule: text,
  severity: z.enum(['error', 'warning']),
  file: z.nullable(text),
  element: z.nullable(text),
  line: maybe(count),
  sha256: maybe(text),
  triangles: z.array(count),
  count,
  point: z.nullable(vector),
  message: text,
});

const knownSchema = z.object({
  type: z.enum(['gone', 'unchecked']),
  id: text,
  rule: text,
  class: text,
  names: z.array(text).check(z.minLength(1)),
  note: z.optional(text),
  accepted: z.optional(z.boolean()),
});

const side = z.object({ file: maybe(text) });
/** Its `level` is a level of the trees. */
const checkSchema = z.object({
  verdict: z.enum(['clear', 'contact', 'undecided']),
  a: side,
  b: side,
  pose: z.optional(count),
  class: z.optional(text),
  thickness: maybe(bracket),
  /** A bracket of a motion is not converted to a finding's distance. */
  distance: maybe(z.union([z.number(), z.object({ lower: z.number(), upper: z.number() })])),
  /** Only for motions. */
  first: maybe(z.object({ from: z.number(), to: z.number() })),
  expected: z.optional(z.boolean()),
  run: z.optional(
    z.object({
      id: text,
      sha256: z.array(z.nullable(text)).check(z.length(2)),
      asked: z.optional(z.object({ ...ASKED, patches: z.optional(z.literal(true)) })),
    }),
  ),
});

const cubesSchema = z.object({
  verdict: z.enum(['clear', 'contact']),
  precision: z.number(),
  models: count,
  pairs: count,
  totalPairCount: z.optional(z.number()),
  expected: z.optional(z.boolean()),
  collisions: z.array(z.object({ a: text, b: text, cubes: count, ...box.def.shape, id: z.optional(text), ...MARKS })),
});

const verifySchema = z.object({ file: text, verified: z.boolean(), problems: z.array(text) });
const warningSchema = z.object({ type: z.literal('warning'), subject: text, message: text });
const errorSchema = z.object({ type: z.literal('error'), subject: text, message: text });
const firstSchema = z.record(
  text,
  z.object({ frame: count, time: maybe(z.number()), from: maybe(z.number()), to: maybe(z.number()) }),
);
const summarySchema = z.looseObject({
  type: z.literal('summary'),
  pairs: z.optional(z.union([count, z.array(z.object({ a: text, b: text, first: firstSchema }))])),
});

export type Summary = z.infer<typeof summarySchema>;

export interface Told {
  findings: ReportFinding[];
  command?: string;
  failure?: Failure;
  warning?: Failure;
  summary?: Summary;
  /** The extent of the check that this line alone reports. */
  asked?: { pairs: number; models?: number; pairsOfCubes?: number | undefined };
}

function marksOf({ level, state, note, accepted }: z.infer<z.ZodMiniObject<typeof MARKS>>, otherwise: Level) {
  return {
    ...UNMARKED,
    level: level ?? otherwise,
    state: state ?? null,
    note: note ?? null,
    accepted: accepted ?? false,
  };
}

type Shape = (record: Record<string, unknown>) => Told;

const ofPair: Shape = (record) => {
  const found = held(pairSchema, record);
  return { findings: [pairFinding(found, marksOf(found, levelOf(found.class)))], command: 'scene' };
};

const ofUnchecked: Shape = (record) => {
  const { id, class: found, a, reason } = held(uncheckedSchema, record);
  const { name, file = null, guid = null } = a;
  const finding: ReportFinding = {
    ...{ ...UNMARKED, id, rule: found, class: found, level: 'error', message: `unchecked, ${reason}` },
    subjects: [{ ...NO_SUBJECT, name, file, guid }],
    ...{ point: null, box: null, size: null },
  };
  return { findings: [finding] };
};

const ofKnown: Shape = (record) => {
  const found = held(knownSchema, record);
  return { findings: [missingFinding({ ...found, state: found.type })] };
};

const ofMesh: Shape = (record) => {
  const found = held(lintSchema, record);
  const { id, rule, severity, file, element, line, sha256, triangles, point, message } = found;
  const name = element ?? file ?? 'mesh';
  const numbers = triangles.length === 0 ? '' : `; triangle${triangles.length === 1 ? '' : 's'} ${triangles.join(' ')}`;
  const subject = { ...NO_SUBJECT, name, file, line: line ?? null, sha256: sha256 ?? null };
  return {
    findings: [
      {
        ...marksOf(found, severity),
        ...{ id, rule, class: rule, subjects: [subject], message: message + numbers, point, box: null, size: null },
      },
    ],
    command: 'lint',
  };
};

const ofCheck: Shape = (record) => {
  const { distance: far, ...found } = held(checkSchema, record);
  const { verdict, a, b, pose, first } = found;
  const distance = typeof far === 'object' ? null : far;
  const kind = found.class ?? verdict;
  const asked = { pairs: 1 };
  if (found.expected ?? kind === 'clear') return { findings: [], command: 'check', asked };
  const [p, q] = [a.file ?? 'a', b.file ?? 'b'];
  const where = pose === undefined ? '' : `pose ${pose}, `;
  const when = first ? `, first between the times ${first.from} and ${first.to}` : '';
  const question = `check ${first ? 'motion' : (pose ?? '')}`;
  const finding: ReportFinding = {
    ...marksOf({}, kind === 'undecided' ? 'warning' : 'error'),
    id: found.run?.id ?? findingId(question, `a ${p}`, `b ${q}`),
    ...{ rule: 'check', class: kind },
    subjects: [p, q].map((file, n) => ({ ...NO_SUBJECT, name: file, file, sha256: found.run?.sha256[n] ?? null })),
    message: where + messageOf({ ...found, distance, class: kind, asked: found.run?.asked }) + when,
    ...{ point: null, box: null, size: sizeOf({ ...found, distance, class: kind, bracket: null }) },
    ...askedOf({ asked: found.run?.asked, contacts: found.run?.asked }),
  };
  return { findings: [finding], command: 'check', asked };
};

const ofCubes: Shape = (record) => {
  const cubes = held(cubesSchema, record);
  const level: Level = cubes.expected && cubes.verdict === 'contact' ? 'note' : 'error';
  const findings = cubes.collisions.map((found): ReportFinding => {
    const { a, b, cubes: number, low, high } = found;
    return {
      ...marksOf(found, level),
      ...{ id: found.id ?? findingId('cubes', a, b), rule: 'cubes', class: 'contact' },
      subjects: [a, b].map((name) => ({ ...NO_SUBJECT, name })),
      message: `contact, in ${number} ${number === 1 ? 'cube' : 'cubes'} of ${short(cubes.precision)}`,
      point: low.map((x, k) => (x + high[k]) / 2),
      ...{ box: { low, high }, size: null },
    };
  });
  const { models, pairs, totalPairCount: pairsOfCubes } = cubes;
  return { findings, command: 'cubes', asked: { pairs, models, pairsOfCubes } };
};

const ofVerify: Shape = (record) => {
  const { file, problems } = held(verifySchema, record);
  const findings = problems.map((message, n): ReportFinding => {
    return {
      ...{ ...UNMARKED, id: findingId(`verify ${n}`, file, message), rule: 'verify', class: 'refuted', level: 'error' },
      ...{ subjects: [{ ...NO_SUBJECT, name: file, file }], message, point: null, box: null, size: null },
    };
  });
  return { findings, command: 'verify', asked: { pairs: 1 } };
};

/** A summary of frames lists the pairs that ever touched. */
const ofSummary: Shape = (record) => {
  const summary = held(summarySchema, record);
  const { pairs = [] } = summary;
  if (typeof pairs === 'number') return { findings: [], summary };
  const findings = pairs.flatMap(({ a, b, first }) =>
    Object.entries(first).map(([found, { frame, time, from, to }]): ReportFinding => {
      const isBetween = typeof from === 'number' && typeof to === 'number';
      const shown = typeof time === 'number' ? `, time ${short(time)}` : '';
      const when = isBetween
        ? `before frame ${frame}, between ${rangeText({ lower: from, upper: to }, 'and')}`
        : `in frame ${frame}${shown}`;
      return {
        ...{ ...UNMARKED, id: findingId(`frames ${found}`, a, b), rule: 'frames', class: found, level: levelOf(found) },
        subjects: [a, b].map((name) => ({ ...NO_SUBJECT, name })),
        ...{ message: `${found}, first ${when}`, point: null, box: null, size: null },
      };
    }),
  );
  return { findings, command: 'scene', summary };
};

/** @throws FormatError for a line of an unknown kind */
export function toldBy(record: unknown): Told {
  if (typeof record !== 'object' || record === null || Array.isArray(record))
    throw new FormatError(null, 'an object of JSON that gicollide printed', 'another value');
  const found = record as Record<string, unknown>;
  switch (found.type) {
    case 'finding':
      if ('triangles' in found) return ofMesh(found);
      return found.class === 'unchecked' && !('b' in found) ? ofUnchecked(found) : ofPair(found);
    case 'gone':
    case 'unchecked':
      return ofKnown(found);
    case 'error': {
      const { subject, message } = held(errorSchema, found);
      return { findings: [], failure: { subject, message } };
    }
    case 'warning': {
      const { subject, message } = held(warningSchema, found);
      return { findings: [], warning: { subject, message } };
    }
    case 'summary':
      return ofSummary(found);
    case 'frame':
    case 'impact':
    case 'event':
      return { findings: [] }; // the summary has them all
  }
  if ('collisions' in found) return ofCubes(found);
  if ('verdict' in found) return ofCheck(found);
  if ('verified' in found) return ofVerify(found);
  throw new FormatError(null, 'a finding, a report or a summary that gicollide printed', 'an object of another kind');
}

/** @throws FormatError of one line with the place of the invalid value */
export function held<T extends z.ZodMiniType>(schema: T, record: unknown): z.infer<T> {
  const result = z.safeParse(schema, record);
  if (result.success) return result.data;
  const issue = worst(result.error.issues, record);
  throw new FormatError(
    null,
    `${expectedBy(issue, LARGEST)}${at(issue.path)}`,
    describe(valueAt(record, issue.path), issue),
  );
}
