/** The inputs and options of a run of scenes, as the summary of `scene --json` records them. */
import * as z from 'zod/mini';
import { FAIL_CLASSES } from '../../scene/classes.ts';
import { choice } from '../../scene/scene-file.ts';

const texts = z.optional(z.array(z.string()));
const text = z.optional(z.string());
const length = z.optional(z.number().check(z.gte(0)));
const reason = text;

export const sceneRunSchema = z.object({
  files: z.array(z.string()).check(z.minLength(1)),
  with: texts,
  against: texts,
  asked: z.object({
    ...{ units: text, include: texts, exclude: texts, srdf: text, state: text },
    ifcRelations: z.optional(z.enum(['allow', 'check'])),
    allow: z.optional(z.array(z.object({ a: choice, b: z.optional(choice), reason }))),
    allowIncomplete: z.optional(z.array(z.object({ a: choice, reason }))),
    ...{ a: z.optional(z.array(choice)), b: z.optional(z.array(choice)) },
    ...{ clearance: length, tolerance: length, touchGap: length },
    solid: z.optional(z.enum(['auto', 'require', 'off'])),
    depth: z.optional(z.enum(['off', 'coarse', 'fine'])),
    failOn: z.optional(z.array(z.enum(FAIL_CLASSES))),
    weld: z.optional(z.number().check(z.gt(0))),
    chordTolerance: text,
    package: z.optional(z.record(z.string(), z.string())),
  }),
});

/** The inputs of a run, and its options for loading and asking. */
export type SceneRun = z.infer<typeof sceneRunSchema>;

/** Reads the run of a summary; null if it has none. */
export function runOfSummary(record: unknown): SceneRun | null {
  const { type, run } = record as { type?: unknown; run?: unknown };
  const held = type === 'summary' ? z.safeParse(sceneRunSchema, run) : null;
  return held?.success ? held.data : null;
}
