// node scripts/make-schema.mjs -> docs/{frep,scene,motion,baseline,project,manifest,shard}.schema.json: what an
// editor checks a .frep.json, a .scene.json, a .motion.json, a baseline, a project and a line of a shard
// against, from the schemas that their readers use.
// dist must be compiled.
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
