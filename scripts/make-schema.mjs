// node scripts/make-schema.mjs -> docs/frep.schema.json: what an editor checks a .frep.json
// against, from the schema that readFrep uses. dist must be compiled.
import { realpathSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { toJSONSchema } from 'zod/mini';

/**
 * The text of the file.
 *
 * @param {Pick<typeof import('#src/representations/frep/build/model'), 'frepSchema' | 'frepNotes'>}
 *   model
 */
export function makeSchema({ frepSchema, frepNotes }) {
  const schema = toJSONSchema(frepSchema, {
    metadata: frepNotes,
    target: 'draft-2020-12',
    io: 'input',
    reused: 'inline',
  });
  return `${JSON.stringify(schema, null, 2)}\n`;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const model = await import('../dist/representations/frep/build/model.js');
  writeFileSync(new URL('../docs/frep.schema.json', import.meta.url), makeSchema(model));
}
