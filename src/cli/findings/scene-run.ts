/** Opens the scene of a run again, by the summary that `gicollide scene --json` printed. */
import * as z from 'zod/mini';
import { InputError } from '../../base/errors.ts';
import { FAIL_CLASSES } from '../../scene/classes.ts';
import { choice } from '../../scene/scene-file.ts';
import { isWithin } from '../inputs/name.ts';
import type { OpenedScene, OpenFlags } from '../scene/open-scene.ts';
import type { NamedSession } from '../session.ts';

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

/**
 * Opens the objects and questions of a run.
 *
 * @throws InputError if an input cannot be read, or lies outside the places that findings may name
 */
export async function openRun(run: SceneRun, session: NamedSession): Promise<OpenedScene> {
  const { files, asked } = run;
  const { weld, chordTolerance, package: packages = {}, ...flags } = asked;
  const named = [...files, ...(run.against ?? []), ...(asked.srdf ? [asked.srdf] : []), ...Object.values(packages)];
  for (const path of named)
    if (!isWithin(path, session.named))
      throw new InputError(`${path}: lies outside ${session.named.called}; --allow-outside reads it`);
  const { loadObjects, openScene } = await import('../scene/open-scene.ts');
  const all = {
    ...flags,
    ...(run.with && { with: run.with }),
    ...(run.against && { against: run.against }),
    // Files may have changed since.
    ...{ allowUnmatched: true, limits: 'warn' },
  } as OpenFlags;
  const reading = {
    ...session,
    global: {
      ...session.global,
      ...(weld !== undefined && { weld }),
      ...(chordTolerance !== undefined && { chordTolerance }),
      package: new Map([...(session.global.package ?? []), ...Object.entries(packages)]),
    },
  };
  return openScene(await loadObjects(files, all, reading), all, reading);
}
