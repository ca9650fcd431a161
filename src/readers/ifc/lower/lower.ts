/**
 * Rewrites what web-ifc gets wrong or drops into what it gets right, before it sees the file: each
 * record of a type in REWRITES is replaced by another of the same meaning.
 */
import type { RecordOf } from '../step-records.ts';
import type { StepFile } from '../step-scanner.ts';
import type { Fineness } from './arcs.ts';
import type { Draft } from './draft.ts';
import { lowerArbitrary, lowerHalfSpace, lowerOpen } from './outlines.ts';
import { lowerZ } from './profiles.ts';
import { Step } from './step.ts';
import { lowerDisk, lowerFixedReference, lowerOnSurface, lowerRevolved } from './sweeps.ts';

export interface Lowering extends Fineness {
  step: Step;
  draft: Draft;
}

/** Replaces the record in the draft, or leaves it as it is. */
type Rewrite = (lowering: Lowering, record: number) => void;

const REWRITES: Readonly<Record<string, Rewrite>> = {
  IFCZSHAPEPROFILEDEF: lowerZ,
  IFCARBITRARYCLOSEDPROFILEDEF: lowerArbitrary,
  IFCARBITRARYPROFILEDEFWITHVOIDS: lowerArbitrary,
  IFCARBITRARYOPENPROFILEDEF: lowerOpen,
  IFCPOLYGONALBOUNDEDHALFSPACE: lowerHalfSpace,
  IFCSWEPTDISKSOLID: lowerDisk,
  IFCSWEPTDISKSOLIDPOLYGONAL: lowerDisk,
  IFCFIXEDREFERENCESWEPTAREASOLID: lowerFixedReference,
  IFCSURFACECURVESWEPTAREASOLID: lowerOnSurface,
  IFCREVOLVEDAREASOLID: lowerRevolved,
  IFCREVOLVEDAREASOLIDTAPERED: lowerRevolved,
};

/** Rewrites the records of a file; `radians` is its unit of plane angles. */
export function lower(
  file: StepFile,
  recordOf: RecordOf,
  draft: Draft,
  { radians, ...fineness }: Fineness & { radians: number },
): void {
  const lowering = { step: new Step(file, recordOf, radians), draft, ...fineness };
  const rewrites = file.typeNames.map((name) => (Object.hasOwn(REWRITES, name) ? REWRITES[name] : null));
  for (let record = 0; record < file.count; record++) rewrites[file.types[record]]?.(lowering, record);
}
