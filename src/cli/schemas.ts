/** Schemas of the JSON files that are read. scripts/make-schema.mjs writes them to docs. */
import { motionSchema } from '../motion/motion-file.ts';
import { manifestSchema } from '../project/manifest.ts';
import { projectSchema } from '../project/project-file.ts';
import { baselineSchema } from '../report/read-baseline.ts';
import { frepSchema } from '../representations/frep/make/model.ts';
import { sceneSchema } from '../scene/scene-file.ts';
import { shardSchema } from './shards/shard-file.ts';

export const SCHEMAS = {
  baseline: baselineSchema,
  frep: frepSchema,
  manifest: manifestSchema,
  motion: motionSchema,
  project: projectSchema,
  scene: sceneSchema,
  shard: shardSchema,
};
