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
 * @param {typeof import('#src/representations/frep/build/model').frepNotes} notes
 */
export function makeSchema(schema, notes) {
  const json = toJSONSchema(schema, { metadata: notes, target: 'draft-2020-12', io: 'input', reused: 'inline' });
  return `${JSON.stringify(json, null, 2)}\n`;
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { frepSchema, frepNotes } = await import('../dist/representations/frep/build/model.js');
  const { sceneSchema } = await import('../dist/scene/model.js');
  const { motionSchema } = await import('../dist/motion/motion-file.js');
  const { placementNotes } = await import('../dist/motion/placement.js');
  const { manifestSchema, manifestNotes } = await import('../dist/project/manifest.js');
  const { projectSchema, projectNotes } = await import('../dist/project/model.js');
  const { baselineSchema, baselineNotes } = await import('../dist/report/baseline.js');
  const { shardSchema, shardNotes } = await import('../dist/cli/shards/shard-file.js');
  writeFileSync(new URL('../docs/baseline.schema.json', import.meta.url), makeSchema(baselineSchema, baselineNotes));
  writeFileSync(new URL('../docs/frep.schema.json', import.meta.url), makeSchema(frepSchema, frepNotes));
  writeFileSync(new URL('../docs/shard.schema.json', import.meta.url), makeSchema(shardSchema, shardNotes));
  writeFileSync(new URL('../docs/motion.schema.json', import.meta.url), makeSchema(motionSchema, placementNotes));
  writeFileSync(new URL('../docs/manifest.schema.json', import.meta.url), makeSchema(manifestSchema, manifestNotes));
  writeFileSync(new URL('../docs/project.schema.json', import.meta.url), makeSchema(projectSchema, projectNotes));
  writeFileSync(new URL('../docs/scene.schema.json', import.meta.url), makeSchema(sceneSchema, placementNotes));
}
