/**
 * Rewrites records that web-ifc gets wrong or drops, before it sees the file. Each record of a type
 * in REWRITES is replaced by another record with the same meaning that web-ifc reads correctly.
 */
import { type RecordOf, typeOf } from '../step-records.ts';
import type { StepFile } from '../step-scanner.ts';
import type { Fineness } from './arcs.ts';
import { lowerBrep, lowerSurfaceModel } from './brep.ts';
import type { Draft } from './draft.ts';
import {
  lowerAxes,
  lowerExtrusion,
  lowerGridPlacement,
  lowerMirrored,
  lowerOperator2D,
  lowerOperator3D,
} from './frames.ts';
import { lowerArbitrary, lowerHalfSpace, lowerOpen, lowerTapered } from './outlines.ts';
import { isRoundProfile, lowerCenterLine, lowerProfile, PARAMETRIC } from './profiles.ts';
import { lowerCone, lowerCylinder, lowerSphere } from './solids.ts';
import { type Lowering, Step } from './step.ts';
import { lowerDisk, lowerFixedReference, lowerOnSurface, lowerRevolved, lowerSectioned } from './sweeps.ts';

/** Replaces the record in the draft, or leaves it as it is. */
type Rewrite = (lowering: Lowering, record: number) => void;

const REWRITES: Readonly<Record<string, Rewrite>> = {
  IFCEXTRUDEDAREASOLID: lowerExtrusion,
  IFCEXTRUDEDAREASOLIDTAPERED: lowerTapered,
  IFCRIGHTCIRCULARCONE: lowerCone,
  IFCRIGHTCIRCULARCYLINDER: lowerCylinder,
  IFCSPHERE: lowerSphere,
  IFCAXIS2PLACEMENT3D: lowerAxes,
  IFCCARTESIANTRANSFORMATIONOPERATOR2D: lowerOperator2D,
  IFCCARTESIANTRANSFORMATIONOPERATOR2DNONUNIFORM: lowerOperator2D,
  IFCCARTESIANTRANSFORMATIONOPERATOR3D: lowerOperator3D,
  IFCCARTESIANTRANSFORMATIONOPERATOR3DNONUNIFORM: lowerOperator3D,
  IFCGRIDPLACEMENT: lowerGridPlacement,
  IFCCENTERLINEPROFILEDEF: lowerCenterLine,
  IFCMIRROREDPROFILEDEF: lowerMirrored,
  ...Object.fromEntries(PARAMETRIC.map((type) => [type, lowerProfile])),
  IFCARBITRARYCLOSEDPROFILEDEF: lowerArbitrary,
  IFCARBITRARYPROFILEDEFWITHVOIDS: lowerArbitrary,
  IFCARBITRARYOPENPROFILEDEF: lowerOpen,
  IFCPOLYGONALBOUNDEDHALFSPACE: lowerHalfSpace,
  IFCSWEPTDISKSOLID: lowerDisk,
  IFCSWEPTDISKSOLIDPOLYGONAL: lowerDisk,
  IFCFIXEDREFERENCESWEPTAREASOLID: lowerFixedReference,
  IFCSURFACECURVESWEPTAREASOLID: lowerOnSurface,
  IFCSECTIONEDSOLIDHORIZONTAL: lowerSectioned,
  IFCREVOLVEDAREASOLID: lowerRevolved,
  IFCREVOLVEDAREASOLIDTAPERED: lowerRevolved,
  IFCADVANCEDBREP: lowerBrep,
  IFCADVANCEDBREPWITHVOIDS: lowerBrep,
  IFCSHELLBASEDSURFACEMODEL: lowerSurfaceModel,
  IFCFACEBASEDSURFACEMODEL: lowerSurfaceModel,
  // web-ifc looks for colors there, and complains about layers of air and layers with offsets.
  IFCRELASSOCIATESMATERIAL: ({ draft }, record) => draft.replace(record, 'IFCDIRECTION((0.,0.,1.))'),
};

/**
 * Rewrites the records of a file that are `used`; `radians` is its unit of plane angles. Returns
 * the records that are not read or are doubtful, with the reasons, and those with curves, which are
 * cut within the chord tolerance.
 */
export function lower(
  file: StepFile,
  recordOf: RecordOf,
  draft: Draft,
  { radians, used, ...fineness }: Fineness & { radians: number; used: Uint8Array },
): Record<'unread' | 'doubtful' | 'curved', ReadonlyMap<number, string>> {
  const step = new Step(file, recordOf, radians);
  const lowering: Lowering = { step, draft, unread: new Map(), doubtful: new Map(), ...fineness };
  const rewrites = file.typeNames.map((name) => (Object.hasOwn(REWRITES, name) ? REWRITES[name] : null));
  const isCurved = file.typeNames.map((name) => CURVED.test(name));
  const curved = new Map<number, string>();
  for (let record = 0; record < file.count; record++) {
    const type = file.types[record];
    if (used[record] === 0 && file.typeNames[type] !== READ_AT_ONCE) continue;
    if (isCurved[type] && (!/PROFILEDEF|INDEXED/.test(file.typeNames[type]) || isRound(lowering, record)))
      curved.set(record, file.typeNames[type]);
    const tooMany = step.budget.within(() => rewrites[type]?.(lowering, record));
    if (tooMany !== null) lowering.unread.set(record, tooMany);
  }
  return { unread: lowering.unread, doubtful: lowering.doubtful, curved };
}

/** web-ifc reads these when it opens the file, even if they are not drawn. */
const READ_AT_ONCE = 'IFCRELASSOCIATESMATERIAL';

/** Types that are curved, or may be. */
const CURVED =
  /^IFC(CIRCLE|ELLIPSE|SPHERE|RIGHTCIRCULAR\w+|SWEPTDISK\w+|REVOLVED\w+|\w*BSPLINE\w+|CYLINDRICALSURFACE|SPHERICALSURFACE|TOROIDALSURFACE|SURFACEOFREVOLUTION|INDEXEDPOLYCURVE|\w+PROFILEDEF)$/;

/** True for a profile with round parts, or a curve with arcs. */
function isRound(lowering: Lowering, record: number): boolean {
  const { step } = lowering;
  if (step.type(record) !== 'IFCINDEXEDPOLYCURVE') return isRoundProfile(lowering, record);
  const [, segments] = step.args(record, 2);
  return Array.isArray(segments) && segments.some((one) => typeOf(one) === 'IFCARCINDEX');
}
