/**
 * Rewrites what web-ifc gets wrong or drops into what it gets right, before it sees the file: each
 * record of a type in REWRITES is replaced by another of the same meaning.
 */
import type { RecordOf } from '../step-records.ts';
import type { StepFile } from '../step-scanner.ts';
import type { Draft } from './draft.ts';
import { lowerZ } from './profiles.ts';
import { Step } from './step.ts';

/** The chord tolerance, in the file's unit of length, and its unit of angles in radians. */
export interface LowerOptions {
  chord: number;
  radians: number;
}

export interface Lowering {
  step: Step;
  draft: Draft;
  chord: number;
}

/** Replaces the record in the draft, or leaves it as it is. */
type Rewrite = (lowering: Lowering, record: number) => void;

const REWRITES: Readonly<Record<string, Rewrite>> = {
  IFCZSHAPEPROFILEDEF: lowerZ,
};

/** Only records that an element uses are rewritten: `isUsed`. */
export function lower(file: StepFile, recordOf: RecordOf, draft: Draft, options: LowerOptions): void {
  const lowering = { step: new Step(file, recordOf, options.radians), draft, chord: options.chord };
  const rewrites = file.typeNames.map((name) => (Object.hasOwn(REWRITES, name) ? REWRITES[name] : null));
  for (let record = 0; record < file.count; record++) rewrites[file.types[record]]?.(lowering, record);
}
