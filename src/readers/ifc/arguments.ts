/**
 * Checks arguments of IFC's geometry: their signatures, and the point numbers in faces and arcs.
 * web-ifc does not check arguments, and may never return from a wrong one. Attributes that later
 * schemas appended are ignored.
 *
 * A signature has a letter for each argument: r a reference, n a number, s a string, e a word
 * between points, l a list of references, p a list of numbers, q a list of lists of numbers, k a
 * list of lists of references, t any list. In capitals, the argument may be missing. `?` is
 * anything.
 */
import { failure, isRef, type RecordOf, type StepValue, stepArguments } from './step-records.ts';
import type { StepFile } from './step-scanner.ts';

/** Profiles have a type, a name and a position; the rest of these are numbers. */
const profile = (numbers: string): string => `eSR${numbers}`;

export const SIGNATURES: Readonly<Record<string, string>> = {
  IFCPRODUCTDEFINITIONSHAPE: 'SSl',
  IFCSHAPEREPRESENTATION: 'rSSl',
  IFCTOPOLOGYREPRESENTATION: 'rSSl',
  IFCREPRESENTATIONMAP: 'rr',
  IFCMAPPEDITEM: 'rr',
  IFCLOCALPLACEMENT: 'Rr',
  IFCCARTESIANPOINT: 'p',
  IFCDIRECTION: 'p',
  IFCVECTOR: 'rn',
  IFCAXIS1PLACEMENT: 'rR',
  IFCAXIS2PLACEMENT2D: 'rR',
  IFCAXIS2PLACEMENT3D: 'rRR',
  IFCCARTESIANTRANSFORMATIONOPERATOR2D: 'RRrN',
  IFCCARTESIANTRANSFORMATIONOPERATOR2DNONUNIFORM: 'RRrNN',
  IFCCARTESIANTRANSFORMATIONOPERATOR3D: 'RRrNR',
  IFCCARTESIANTRANSFORMATIONOPERATOR3DNONUNIFORM: 'RRrNRNN',

  IFCEXTRUDEDAREASOLID: 'rRrn',
  IFCEXTRUDEDAREASOLIDTAPERED: 'rRrnr',
  IFCREVOLVEDAREASOLID: 'rRrn',
  IFCREVOLVEDAREASOLIDTAPERED: 'rRrnr',
  IFCSURFACECURVESWEPTAREASOLID: 'rRr??r',
  IFCFIXEDREFERENCESWEPTAREASOLID: 'rRr??r',
  IFCSWEPTDISKSOLID: 'rnN??',
  IFCSWEPTDISKSOLIDPOLYGONAL: 'rnN??N',
  IFCSECTIONEDSOLIDHORIZONTAL: 'rll',
  IFCSECTIONEDSPINE: 'rll',
  IFCBOOLEANRESULT: 'err',
  IFCBOOLEANCLIPPINGRESULT: 'err',
  IFCHALFSPACESOLID: 're',
  IFCBOXEDHALFSPACE: 'rer',
  IFCPOLYGONALBOUNDEDHALFSPACE: 'rerr',
  IFCCSGSOLID: 'r',
  IFCBLOCK: 'rnnn',
  IFCRECTANGULARPYRAMID: 'rnnn',
  IFCRIGHTCIRCULARCONE: 'rnn',
  IFCRIGHTCIRCULARCYLINDER: 'rnn',
  IFCSPHERE: 'rn',

  IFCFACETEDBREP: 'r',
  IFCFACETEDBREPWITHVOIDS: 'rl',
  IFCADVANCEDBREP: 'r',
  IFCADVANCEDBREPWITHVOIDS: 'rl',
  IFCCLOSEDSHELL: 'l',
  IFCOPENSHELL: 'l',
  IFCCONNECTEDFACESET: 'l',
  IFCFACEBASEDSURFACEMODEL: 'l',
  IFCSHELLBASEDSURFACEMODEL: 'l',
  IFCFACE: 'l',
  IFCFACESURFACE: 'lre',
  IFCADVANCEDFACE: 'lre',
  IFCFACEBOUND: 're',
  IFCFACEOUTERBOUND: 're',
  IFCPOLYLOOP: 'l',
  IFCEDGELOOP: 'l',
  IFCORIENTEDEDGE: '??re',
  IFCEDGE: 'rr',
  IFCEDGECURVE: 'rrre',
  IFCVERTEXPOINT: 'r',
  IFCVERTEXLOOP: 'r',
  IFCCARTESIANPOINTLIST2D: 'q',
  IFCCARTESIANPOINTLIST3D: 'q',
  IFCPOLYGONALFACESET: 'rElP',
  IFCINDEXEDPOLYGONALFACE: 'p',
  IFCINDEXEDPOLYGONALFACEWITHVOIDS: 'pq',
  IFCTRIANGULATEDFACESET: 'rQEqP',
  IFCTRIANGULATEDIRREGULARNETWORK: 'rQEqPp',

  IFCARBITRARYCLOSEDPROFILEDEF: 'eSr',
  IFCARBITRARYPROFILEDEFWITHVOIDS: 'eSrl',
  IFCARBITRARYOPENPROFILEDEF: 'eSr',
  IFCCENTERLINEPROFILEDEF: 'eSrn',
  IFCCOMPOSITEPROFILEDEF: 'eSlS',
  IFCDERIVEDPROFILEDEF: 'eSrrS',
  IFCMIRROREDPROFILEDEF: 'eSr?S',
  IFCRECTANGLEPROFILEDEF: profile('nn'),
  IFCROUNDEDRECTANGLEPROFILEDEF: profile('nnn'),
  IFCRECTANGLEHOLLOWPROFILEDEF: profile('nnnNN'),
  IFCCIRCLEPROFILEDEF: profile('n'),
  IFCCIRCLEHOLLOWPROFILEDEF: profile('nn'),
  IFCELLIPSEPROFILEDEF: profile('nn'),
  IFCTRAPEZIUMPROFILEDEF: profile('nnnn'),
  IFCISHAPEPROFILEDEF: profile('nnnnNNN'),
  IFCASYMMETRICISHAPEPROFILEDEF: profile('nnnnNnNNNNNN'),
  IFCLSHAPEPROFILEDEF: profile('nNnNNNNN'),
  IFCTSHAPEPROFILEDEF: profile('nnnnNNNNNN'),
  IFCUSHAPEPROFILEDEF: profile('nnnnNNNN'),
  IFCZSHAPEPROFILEDEF: profile('nnnnNN'),
  IFCCSHAPEPROFILEDEF: profile('nnnnNN'),

  IFCPOLYLINE: 'l',
  IFCLINE: 'rr',
  IFCCIRCLE: 'rn',
  IFCELLIPSE: 'rnn',
  IFCTRIMMEDCURVE: 'rttee',
  IFCINDEXEDPOLYCURVE: 'rTE',
  IFCCOMPOSITECURVE: 'le',
  IFC2DCOMPOSITECURVE: 'le',
  IFCCOMPOSITECURVESEGMENT: 'eer',
  IFCBSPLINECURVEWITHKNOTS: 'nleeeppe',
  IFCRATIONALBSPLINECURVEWITHKNOTS: 'nleeeppep',
  IFCOFFSETCURVE2D: 'rne',
  IFCOFFSETCURVE3D: 'rner',
  IFCPCURVE: 'rr',
  IFCSURFACECURVE: 'rle',
  IFCINTERSECTIONCURVE: 'rle',
  IFCSEAMCURVE: 'rle',
  IFCPLANE: 'r',
  IFCCYLINDRICALSURFACE: 'rn',
  IFCSPHERICALSURFACE: 'rn',
  IFCTOROIDALSURFACE: 'rnn',
  IFCBSPLINESURFACEWITHKNOTS: 'nnkeeeeppppe',
  IFCRATIONALBSPLINESURFACEWITHKNOTS: 'nnkeeeeppppeq',
  IFCSURFACEOFLINEAREXTRUSION: 'rRrn',
  IFCSURFACEOFREVOLUTION: 'rRr',
  IFCCURVEBOUNDEDPLANE: 'rrL',
  IFCCURVEBOUNDEDSURFACE: 'rle',
  IFCRECTANGULARTRIMMEDSURFACE: 'rnnnnee',

  // web-ifc reads these when it opens a file.
  IFCRELVOIDSELEMENT: 'sRSSrr',
  IFCRELAGGREGATES: 'sRSSrl',
  IFCRELNESTS: 'sRSSrl',
  IFCRELASSOCIATESMATERIAL: 'sRSSLr',
  IFCMATERIALDEFINITIONREPRESENTATION: 'SSlr',
  IFCSTYLEDITEM: 'RtS',
  IFCUNITASSIGNMENT: 'l',
  IFCSIUNIT: '?eEe',
  IFCCONVERSIONBASEDUNIT: 'resr',
  IFCMEASUREWITHUNIT: '?r',
  IFCCOLOURRGB: 'Snnn',
  IFCSURFACESTYLE: 'Set',
  IFCSURFACESTYLERENDERING: 'rN',
  IFCSURFACESTYLESHADING: 'r',
};

/*
 * Checks point numbers in IFC's faces and arcs. For numbers beyond the last point web-ifc would
 * read memory behind it, and triangulate that.
 */

/** The argument of each type with point numbers, and the one whose numbers replace them. */
const INDEXED: Readonly<Record<string, { indices: number; instead: number }>> = {
  IFCTRIANGULATEDFACESET: { indices: 3, instead: 4 },
  IFCTRIANGULATEDIRREGULARNETWORK: { indices: 3, instead: 4 },
  IFCPOLYGONALFACESET: { indices: 2, instead: 3 },
  IFCINDEXEDPOLYCURVE: { indices: 1, instead: Infinity },
};

export function requireIndices(file: StepFile, recordOf: RecordOf): void {
  const { bytes, starts, types, typeNames, count } = file;
  const indexed = typeNames.map((name) => (Object.hasOwn(INDEXED, name) ? INDEXED[name] : null));
  for (let r = 0; r < count; r++) {
    const where = indexed[types[r]];
    if (where === null) continue;
    const values = stepArguments(bytes, starts[r]);
    const points = recordOf((values[0] as { ref: number }).ref);
    if (points < 0) continue; // belongs to no element: the check is made where elements refer to it
    const list = stepArguments(bytes, starts[points], 1)[0];
    const instead = values[where.instead];
    let most = Array.isArray(list) ? list.length : 0;
    if (Array.isArray(instead)) {
      requireWithin(file, r, instead, most);
      most = instead.length;
    }
    for (const value of (values[where.indices] ?? []) as StepValue[]) {
      const face = isRef(value) ? recordOf(value.ref) : -1;
      if (face >= 0) requireWithin(file, face, stepArguments(bytes, starts[face]), most);
      else requireWithin(file, r, [value], most);
    }
  }
}

function requireWithin(file: StepFile, record: number, values: readonly StepValue[], most: number): void {
  for (const value of values) {
    if (Array.isArray(value)) requireWithin(file, record, value, most);
    else if (typeof value === 'number') {
      if (!(Number.isInteger(value) && value >= 1 && value <= most))
        throw failure(file, record, `the number of a point, 1 to ${most}`, `${value}`);
    } else if (value !== null && 'values' in value) requireWithin(file, record, value.values, most);
  }
}
