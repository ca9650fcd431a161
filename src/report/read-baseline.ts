/** Reads a baseline, which anybody may have written, by its schema. */
import * as z from 'zod/mini';
import { FormatError } from '../base/errors.ts';
import { at, describe, expectedBy, valueAt, worst } from '../base/json-messages.ts';
import { parseJson } from '../base/json-text.ts';
import { quoted } from '../base/printable.ts';
import { schemaNotes } from '../base/schema-notes.ts';
import { type Baseline, type BaselineEntry, joined } from './baseline.ts';

const text = z.string().check(z.maxLength(10_000));
const name = z.string().check(z.minLength(1), z.maxLength(10_000));
const LARGEST = 1e300;
const length = z.number().check(z.gte(0), z.lte(LARGEST));

const SHAPES = {
  '': {
    $schema: z.optional(z.string()),
    gicollide: z.literal('baseline/1').register(schemaNotes, { description: 'The format and its version' }),
  },
  finding: {
    id: z.string().check(z.regex(/^[0-9a-f]{16}$/, { error: 'an id: 16 hexadecimal digits' })),
    rule: name,
    names: z.array(text).check(z.minLength(1), z.maxLength(3)).register(schemaNotes, {
      description: 'The two objects of a pair; the file and the element of a mesh',
    }),
    class: name,
    size: z
      .optional(z.strictObject({ kind: z.enum(['thickness', 'distance']), lower: length, upper: length }))
      .register(schemaNotes, { description: 'Proved bounds, when it was recorded' }),
    accepted: z.optional(z.literal(true)).register(schemaNotes, { description: 'Somebody lives with it' }),
    note: z.optional(text),
  },
};

const entrySchema = z.strictObject(SHAPES.finding);

export const baselineSchema = z
  .strictObject({ ...SHAPES[''], findings: z.array(z.nullable(entrySchema)) })
  .register(schemaNotes, { title: 'A baseline of gicollide (gicollide-baseline.json)' });

export interface BaselineDocument {
  /** Where editors find the schema of the file. */
  $schema?: string | undefined;
  entries: Baseline;
}

export const readBaseline = (source: string | Uint8Array): Baseline => readBaselineDocument(source).entries;

export function readBaselineDocument(source: string | Uint8Array): BaselineDocument {
  const value = parseJson(source);
  const result = z.safeParse(baselineSchema, value);
  if (!result.success) {
    const issue = worst(result.error.issues, value);
    if (issue.code === 'unrecognized_keys')
      throw new FormatError(null, `only known keys${at(issue.path)}`, quoted(issue.keys[0]));
    throw new FormatError(
      null,
      `${expectedBy(issue, LARGEST)}${at(issue.path)}`,
      describe(valueAt(value, issue.path), issue),
    );
  }
  const entries = new Map<string, BaselineEntry>();
  for (const entry of result.data.findings) {
    if (!entry) continue;
    const other = entries.get(entry.id);
    entries.set(entry.id, other ? joined(other, entry) : entry);
  }
  return { $schema: result.data.$schema, entries };
}
