// node scripts/make-schema.mjs ->
// docs/{frep,scene,motion,baseline,project,manifest,shard}.schema.json: the JSON schemas for
// editors, of the .frep.json, .scene.json and .motion.json files, baselines, projects, manifests
// and lines of shards. They come from the schemas of the readers. dist must be compiled.
import { realpathSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { toJSONSchema } from 'zod/mini';

/**
 * The text of a file.
 *
 * @param {import('zod/mini').ZodMiniType} schema
 * @param {typeof import('#src/base/schema-notes').schemaNotes} notes
 */
export function makeSchema(schema, notes) {
  const json = toJSONSchema(schema, { metadata: notes, target: 'draft-2020-12', io: 'input', reused: 'inline' });
  return `${JSON.stringify(json, null, 2)}\n`;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { schemaNotes } = await import('../dist/base/schema-notes.js');
  const { SCHEMAS } = await import('../dist/cli/schemas.js');
  for (const [name, schema] of Object.entries(SCHEMAS))
    writeFileSync(new URL(`../docs/${name}.schema.json`, import.meta.url), makeSchema(schema, schemaNotes));
}
