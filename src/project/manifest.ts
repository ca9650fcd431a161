/**
 * Manifests record by digests which outputs a build made from which inputs, for shipping or
 * signing. Equal files, options and version give equal manifests. Manifests of all shards can be
 * merged.
 */
import * as z from 'zod/mini';
import { FormatError, InputError } from '../base/errors.ts';
import { type Language, messageOf, worst } from '../base/json-messages.ts';
import { parseJson } from '../base/json-text.ts';
import { quoted } from '../base/printable.ts';
import { schemaNotes } from '../base/schema-notes.ts';
import { MOST_SHARES } from '../base/shares.ts';

const text = z.string().check(z.minLength(1), z.maxLength(10_000));
const digest = z.string().check(z.regex(/^[0-9a-f]{64}$/, { error: 'a digest: 64 hexadecimal digits' }));
const LARGEST = 2 ** 53;
const share = z.int().check(z.gte(1), z.lte(MOST_SHARES));

const SHAPES = {
  shard: { index: share, count: share },
  outputs: {
    file: text,
    source: text,
    element: z.optional(z.string()),
    format: text,
    bytes: z.int().check(z.gte(0), z.lte(LARGEST)),
    sha256: digest,
    sourceSha256: digest,
    request: digest.register(schemaNotes, {
      description: 'Of the source, the options, the version and the geometry revisions together',
    }),
  },
  failed: { source: text, message: z.string() },
};

export const manifestSchema = z
  .strictObject({
    $schema: z.optional(z.string()),
    gicollide: z.literal('manifest/1').register(schemaNotes, { description: 'The format and its version' }),
    tool: text,
    plan: z.clone(digest).register(schemaNotes, { description: 'Of all that the build was asked for' }),
    shard: z.optional(z.strictObject(SHAPES.shard)),
    outputs: z.array(z.strictObject(SHAPES.outputs)),
    failed: z.array(z.strictObject(SHAPES.failed)),
  })
  .register(schemaNotes, { title: 'A manifest of gicollide build (--manifest)' });

export type Manifest = z.infer<typeof manifestSchema>;
export type ManifestOutput = Manifest['outputs'][number];

const KEYS: Record<string, readonly string[]> = {
  '': Object.keys(manifestSchema.shape),
  ...Object.fromEntries(Object.entries(SHAPES).map(([name, shape]) => [name, Object.keys(shape)])),
};
const IN_MANIFESTS: Language = { keysAt: (path) => KEYS[String(path[0] ?? '')] ?? [], largest: LARGEST };

/** @throws FormatError of one line if the text is no manifest */
export function readManifest(source: string | Uint8Array): Manifest {
  const value = parseJson(source);
  const result = z.safeParse(manifestSchema, value);
  if (!result.success) throw messageOf(worst(result.error.issues, value), value, IN_MANIFESTS);
  const { shard } = result.data;
  if (shard && shard.index > shard.count)
    throw new FormatError(null, `a number up to ${shard.count} at shard.index`, String(shard.index));
  return result.data;
}

export function writeManifest({ outputs, failed, ...head }: Manifest): string {
  const start = Object.entries(head).map(([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)},`);
  const list = (items: readonly object[]): string =>
    items.length === 0 ? '[]' : `[\n${items.map((item) => `    ${JSON.stringify(item)}`).join(',\n')}\n  ]`;
  const byFile = [...outputs].sort((a, b) => compare(a.file, b.file));
  const bySource = [...failed].sort((a, b) => compare(a.source, b.source) || compare(a.message, b.message));
  return `{\n${start.join('\n')}\n  "outputs": ${list(byFile)},\n  "failed": ${list(bySource)}\n}\n`;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** @throws InputError if a shard is missing, repeated, or of another build */
export function mergeManifests(parts: readonly (readonly [name: string, manifest: Manifest])[]): Manifest {
  if (parts.length === 0) throw new InputError('expected the manifests of shards, found none');
  const [first, head] = parts[0];
  const names = new Map<number, string>();
  for (const [name, { shard, plan, tool }] of parts) {
    if (!shard) throw new InputError(`${name}: expected the manifest of a shard, found that of a whole build`);
    if (tool !== head.tool)
      throw new InputError(`${name}: expected ${quoted(head.tool)}, as in ${first}, found ${quoted(tool)}`);
    if (plan !== head.plan) throw new InputError(`${name}: expected the build of ${first}, found another one`);
    if (shard.count !== head.shard?.count)
      throw new InputError(
        `${name}: expected one of ${head.shard?.count} shards, as in ${first}, found one of ${shard.count}`,
      );
    const other = names.get(shard.index);
    if (other !== undefined)
      throw new InputError(`${name}: shard ${shard.index}/${shard.count} comes twice: it is also in ${other}`);
    names.set(shard.index, name);
  }
  const count = head.shard?.count as number;
  for (let index = 1; index <= count; index++)
    if (!names.has(index)) throw new InputError(`shard ${index}/${count} is missing`);
  const outputs = parts.flatMap(([, manifest]) => manifest.outputs);
  requireOnce(outputs);
  const failed = parts.flatMap(([, manifest]) => manifest.failed);
  return { gicollide: 'manifest/1', tool: head.tool, plan: head.plan, outputs, failed };
}

function requireOnce(outputs: readonly ManifestOutput[]): void {
  const seen = new Set<string>();
  for (const { file } of outputs) {
    if (seen.has(file)) throw new InputError(`${quoted(file)} is an output of two shards`);
    seen.add(file);
  }
}
