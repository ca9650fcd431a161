/** `check --finding`: restores the two objects of a printed finding. */
import * as z from 'zod/mini';
import { InputError, OptionError } from '../../base/errors.ts';
import { parseJson } from '../../base/json-text.ts';
import type { Pose } from '../../math/pose.ts';
import { toldBy } from '../../report/records.ts';
import { FAIL_CLASSES } from '../../scene/classes.ts';
import type { Finding, SceneObject } from '../../scene/records.ts';
import { TOOL } from '../../version.ts';
import { type NamedPlace, placeOfFindings } from '../inputs/name.ts';
import { requireNamed } from '../inputs/open.ts';
import { inLine, linesOf } from '../lines.ts';
import type { Session } from '../session.ts';
import { digestOf } from './check-run.ts';
import { objectsOf } from './finding-objects.ts';

export interface FilePair {
  fileA: string;
  fileB: string;
  poseA: number[];
  poseB: number[];
  named: NamedPlace;
  asked: z.infer<typeof askedSchema>;
}

const length = z.optional(z.number().check(z.gte(0)));
const flag = z.optional(z.literal(true));
const text = z.optional(z.string());

const askedSchema = z.object({
  ...{ all: flag, distance: flag, source: flag, contactPoints: flag, patches: flag, exactDepth: flag },
  ...{ maxContacts: length, clearance: length, budget: length, level: length, lod: length, maxError: length },
  ...{ resolution: length, axes: length, tolerance: length, touchGap: length },
  subdivision: z.optional(z.enum(['octants', 'slices'])),
  engine: z.optional(z.literal('search')),
  time: z.optional(z.number()),
  ...{ units: text, unitsA: text, unitsB: text },
  solid: z.optional(z.enum(['auto', 'require', 'off'])),
  expect: z.optional(z.enum(['clear', 'contact'])),
  failOn: z.optional(z.array(z.enum(FAIL_CLASSES))),
});

const poseSchema = z.array(z.number()).check(z.length(16));
export const runSchema = z.object({
  a: z.object({ file: z.string() }),
  b: z.object({ file: z.string() }),
  run: z.object({
    tool: z.string(),
    sha256: z.array(z.nullable(z.string())).check(z.length(2)),
    poses: z.array(poseSchema).check(z.length(2)),
    asked: askedSchema,
  }),
});

export interface FindingPair {
  a: SceneObject;
  b: SceneObject;
  poseA: Pose;
  poseB: Pose;
  asked: Finding['asked'];
}

/** @param place a file printed by `scene --json` or `check --json`, then # and an id */
export async function openFinding(place: string, session: Session): Promise<FindingPair | FilePair> {
  const at = place.lastIndexOf('#');
  if (at < 1) throw new OptionError(`--finding: expected a file, # and an id, found ${JSON.stringify(place)}`);
  const [file, id] = [place.slice(0, at), place.slice(at + 1)];
  const finding = await findingIn(file, id);
  const { tool } = 'run' in finding ? finding.run : finding;
  if (tool !== TOOL) session.log.warn(`${file}: the finding is of ${tool}, this is ${TOOL}`);
  const named = placeOfFindings(file, session);
  for (const side of [finding.a, finding.b]) requireNamed(side.file!, { ...named, maxBytes: session.global.maxBytes });
  if ('run' in finding) return filesOf(finding, named, session);
  const [a, b] = (await objectsOf([finding.a, finding.b], { ...session, named })).map((made) => {
    if ('problem' in made) throw new InputError(made.problem);
    return made;
  });
  return { a, b, poseA: a.pose!, poseB: b.pose!, asked: finding.asked };
}

function filesOf({ a, b, run }: z.infer<typeof runSchema>, named: NamedPlace, { log }: Session): FilePair {
  for (const [n, { file }] of [a, b].entries())
    if (run.sha256[n] !== null && run.sha256[n] !== digestOf(file, named))
      log.warn(`${file}: has changed since it was checked`);
  return { named, fileA: a.file, fileB: b.file, poseA: run.poses[0], poseB: run.poses[1], asked: run.asked };
}

async function findingIn(file: string, id: string): Promise<Finding | z.infer<typeof runSchema>> {
  for await (const { text, line } of linesOf(file)) {
    if (!text.includes(id)) continue;
    const record = inLine(file, line, () => parseJson(text)) as Finding;
    const told = inLine(file, line, () => toldBy(record));
    if ('run' in record && (record.run as { id?: unknown } | null)?.id === id) {
      const held = z.safeParse(runSchema, record);
      if (held.success) return held.data;
      throw new InputError(`${file}:${line}: expected what gicollide check --json prints, found another record`);
    }
    if (told.findings[0]?.id !== id) continue;
    if (!record.a?.file || !record.b?.file || !record.asked)
      throw new InputError(
        `${file}:${line}: expected a finding of gicollide scene --json with its files, found another`,
      );
    return record;
  }
  throw new InputError(`${file}: no finding has the id ${id}`);
}
