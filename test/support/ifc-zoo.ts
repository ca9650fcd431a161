/** An IFC file with many kinds of solids, each an element, and their ideal volumes. */
import { type IfcWriter, ifcWriter } from './ifc.ts';

export interface ZooSolid {
  name: string;
  /** Volume of the solid with polygons for circles, mm^3; null if it has other curves. */
  volume: number | null;
}

/**
 * Corners of a circle: a multiple of 4 whose chords are within a millimetre of it, and 32 at least.
 */
export const corners = (r: number): number => Math.max(32, 4 * Math.ceil(Math.PI / Math.acos(1 - 1 / r) / 4));

/** Area of a polygon with its corners on a circle or an ellipse. */
const disk = (a: number, b = a): number => {
  const n = corners(Math.max(a, b));
  return (n / 2) * Math.sin((2 * Math.PI) / n) * a * b;
};

const SQUARE = [
  [-500, -500],
  [500, -500],
  [500, 500],
  [-500, 500],
];
const CUBE = [0, 1, 2, 3, 4, 5, 6, 7].map((k) => [10 * (k & 1), 10 * ((k >> 1) & 1), 10 * (k >> 2)]);
const CUBE_FACES = ['0231', '4576', '0154', '1375', '3267', '2046'].map((face) => [...face].map(Number));

/** Millimetres. */
export function ifcZoo(): { text: string; solids: ZooSolid[] } {
  const w = ifcWriter({ unit: 'mm' });
  const solids: ZooSolid[] = [];
  const show = (name: string, item: string, volume: number | null): void => {
    solids.push({ name, volume });
    w.product('IFCMEMBER', { name, placement: w.placement([0, 0, 0]), shape: w.shape([item]), more: '$' });
  };
  addExtrusions(w, show);
  addBooleans(w, show);
  addFaces(w, show);
  const centre = () => w.axes([0, 0, 0]);
  show('block', w.add(`IFCBLOCK(${centre()},10.,20.,30.)`), 6000);
  show('cylinder', w.add(`IFCRIGHTCIRCULARCYLINDER(${centre()},30.,10.)`), disk(10) * 30);
  show('sphere', w.add(`IFCSPHERE(${centre()},10.)`), null);
  const line = w.add(`IFCPOLYLINE((${[w.point([0, 0, 0]), w.point([0, 0, 100]), w.point([100, 0, 100])]}))`);
  show('rod', w.add(`IFCSWEPTDISKSOLID(${line},5.,$,$,$)`), null);
  return { text: w.text(), solids };
}

type Show = (name: string, item: string, volume: number | null) => void;

function addExtrusions(w: IfcWriter, show: Show): void {
  const extruded = (name: string, record: string, area: number | null) =>
    show(name, w.extruded(w.add(record), [0, 0, 0], 1000), area === null ? null : 1000 * area);
  const flat = () => w.add(`IFCAXIS2PLACEMENT2D(${w.point([0, 0])},$)`);
  extruded('circle', `IFCCIRCLEPROFILEDEF(.AREA.,$,${flat()},500.)`, disk(500));
  extruded('tube', `IFCCIRCLEHOLLOWPROFILEDEF(.AREA.,$,${flat()},500.,50.)`, disk(500) - disk(450));
  extruded('ellipse', `IFCELLIPSEPROFILEDEF(.AREA.,$,${flat()},200.,100.)`, disk(200, 100));
  extruded('beam', `IFCISHAPEPROFILEDEF(.AREA.,$,${flat()},200.,300.,10.,16.,$,$,$)`, 2 * 16 * 200 + 10 * 268);
  extruded('square tube', `IFCRECTANGLEHOLLOWPROFILEDEF(.AREA.,$,${flat()},200.,100.,10.,$,$)`, 200 * 100 - 180 * 80);
  const points = w.add('IFCCARTESIANPOINTLIST2D(((0.,0.),(1000.,0.),(1500.,500.),(1000.,1000.),(0.,1000.)))');
  const segments = 'IFCLINEINDEX((1,2)),IFCARCINDEX((2,3,4)),IFCLINEINDEX((4,5,1))';
  const curve = w.add(`IFCINDEXEDPOLYCURVE(${points},(${segments}),.F.)`);
  extruded('arc', `IFCARBITRARYCLOSEDPROFILEDEF(.AREA.,$,${curve})`, null);
  const circle = w.add(`IFCCIRCLE(${flat()},300.)`);
  const trims = '(IFCPARAMETERVALUE(0.)),(IFCPARAMETERVALUE(3.14159265)),.T.,.PARAMETER.';
  const half = w.add(`IFCTRIMMEDCURVE(${circle},${trims})`);
  const base = w.add(`IFCPOLYLINE((${w.point([-300, 0])},${w.point([300, 0])}))`);
  const parts = [half, base].map((part) => w.add(`IFCCOMPOSITECURVESEGMENT(.CONTINUOUS.,.T.,${part})`));
  const joined = w.add(`IFCCOMPOSITECURVE((${parts}),.F.)`);
  extruded('half disk', `IFCARBITRARYCLOSEDPROFILEDEF(.AREA.,$,${joined})`, null);
  const profile = w.add(`IFCRECTANGLEPROFILEDEF(.AREA.,$,${flat()},100.,100.)`);
  const axis = w.add(`IFCAXIS1PLACEMENT(${w.point([1000, 0, 0])},${w.add('IFCDIRECTION((0.,1.,0.))')})`);
  show('ring', w.add(`IFCREVOLVEDAREASOLID(${profile},${w.axes([0, 0, 0])},${axis},1.5707963)`), null);
}

function addBooleans(w: IfcWriter, show: Show): void {
  const wall = () => w.box([3000, 200, 2800], [0, 0, 1400]);
  const slope = w.add(`IFCPLANE(${w.axes([0, 0, 1400], [0, 1, 1], [1, 0, 0])})`);
  const below = w.add(`IFCHALFSPACESOLID(${slope},.F.)`);
  show('sloped', w.add(`IFCBOOLEANCLIPPINGRESULT(.DIFFERENCE.,${wall()},${below})`), (3000 * 200 * 2800) / 2);
  const outline = w.add(`IFCPOLYLINE((${[...SQUARE, SQUARE[0]].map((p) => w.point(p))}))`);
  const level = w.add(`IFCPLANE(${w.axes([0, 0, 1400])})`);
  const bounded = w.add(`IFCPOLYGONALBOUNDEDHALFSPACE(${level},.F.,${w.axes([0, 0, 0])},${outline})`);
  const notched = w.add(`IFCBOOLEANCLIPPINGRESULT(.DIFFERENCE.,${wall()},${bounded})`);
  show('notched', notched, 200 * (3000 * 2800 - 1000 * 1400));
  const other = w.box([200, 3000, 2800], [0, 0, 1400]);
  show('cross', w.add(`IFCBOOLEANRESULT(.UNION.,${wall()},${other})`), 2800 * (2 * 3000 * 200 - 200 * 200));
}

function addFaces(w: IfcWriter, show: Show): void {
  show('faces', w.solid(CUBE, CUBE_FACES), 1000);
  const points = w.add(`IFCCARTESIANPOINTLIST3D((${CUBE.map((p) => `(${p.map((x) => `${x}.`)})`)}))`);
  const triangles = CUBE_FACES.flatMap(([a, b, c, d]) => [
    `(${[a, b, c].map((v) => v + 1)})`,
    `(${[a, c, d].map((v) => v + 1)})`,
  ]);
  show('triangles', w.add(`IFCTRIANGULATEDFACESET(${points},$,.T.,(${triangles}),$)`), 1000);
  const faces = CUBE_FACES.map((face) => {
    const loop = w.add(`IFCPOLYLOOP((${face.map((v) => w.point(CUBE[v]))}))`);
    return w.add(`IFCFACE((${w.add(`IFCFACEOUTERBOUND(${loop},.T.)`)}))`);
  });
  show('brep', w.add(`IFCFACETEDBREP(${w.add(`IFCCLOSEDSHELL((${faces}))`)})`), 1000);
}

/** A file of sweeps, revolutions and profiles along all kinds of curves. */
export function ifcCurveZoo(): string {
  const w = ifcWriter({ unit: 'mm' });
  const show = (item: string): string =>
    w.product('IFCMEMBER', { placement: w.placement([0, 0, 0]), shape: w.shape([item]), more: '$' });
  const points = (...all: number[][]): string => `(${all.map((p) => w.point(p)).join()})`;
  const polyline = (...all: number[][]): string => w.add(`IFCPOLYLINE(${points(...all)})`);
  const circle = w.add(`IFCCIRCLE(${w.axes([900, 100, 0])},100.)`);
  const arc = w.add(
    `IFCTRIMMEDCURVE(${circle},(${w.point([900, 0, 0])},IFCPARAMETERVALUE(4.712388980384690)),(${w.point([1000, 100, 0])}),.T.,.CARTESIAN.)`,
  );
  const parts = [polyline([0, 0, 0], [900, 0, 0]), arc, polyline([1000, 100, 0], [1000, 1000, 0])];
  const segments = parts.map((part) => w.add(`IFCCOMPOSITECURVESEGMENT(.CONTINUOUS.,.T.,${part})`));
  const composite = w.add(`IFCCOMPOSITECURVE((${segments}),.F.)`);
  show(w.add(`IFCSWEPTDISKSOLID(${composite},10.,5.,0.,3.)`));
  show(w.add(`IFCSWEPTDISKSOLID(${arc},10.,$,$,$)`));
  const spots = w.add(
    'IFCCARTESIANPOINTLIST3D(((0.,0.,0.),(900.,0.,0.),(970.,30.,0.),(1000.,100.,0.),(1000.,900.,9.)))',
  );
  const indexed = w.add(
    `IFCINDEXEDPOLYCURVE(${spots},(IFCLINEINDEX((1,2)),IFCARCINDEX((2,3,4)),IFCLINEINDEX((4,5))),.F.)`,
  );
  show(w.add(`IFCSWEPTDISKSOLID(${indexed},300.,$,0.5,2.5)`));
  show(
    w.add(
      `IFCSWEPTDISKSOLIDPOLYGONAL(${polyline([0, 0, 0], [100, 0, 0], [100, 100, 0], [100, 100, 90])},5.,$,$,$,20.)`,
    ),
  );
  const controls = points([0, 0, 0], [100, 400, 0], [300, 400, 50], [400, 0, 0], [500, 0, 0]);
  const knots = '(4,1,4),(0.,0.5,1.),.UNSPECIFIED.';
  const spline = w.add(
    `IFCRATIONALBSPLINECURVEWITHKNOTS(3,${controls},.UNSPECIFIED.,.F.,.F.,${knots},(1.,2.,1.,0.5,1.))`,
  );
  show(w.add(`IFCSWEPTDISKSOLID(${spline},20.,$,0.,0.7)`));
  const flat = w.add(`IFCAXIS2PLACEMENT2D(${w.point([300, 0])},$)`);
  const ellipse = w.add(`IFCELLIPSE(${flat},100.,50.)`);
  const offset = w.add(`IFCOFFSETCURVE2D(${ellipse},5.,.F.)`);
  const profile = w.add(`IFCARBITRARYPROFILEDEFWITHVOIDS(.AREA.,$,${ellipse},(${offset}))`);
  const axis = w.add(`IFCAXIS1PLACEMENT(${w.point([0, 0, 0])},${w.add('IFCDIRECTION((0.,1.,0.))')})`);
  show(w.extruded(profile, [0, 0, 0], 10));
  show(w.add(`IFCREVOLVEDAREASOLID(${profile},${w.axes([0, 0, 0])},${axis},4.)`));
  show(w.add(`IFCREVOLVEDAREASOLIDTAPERED(${profile},${w.axes([0, 0, 0])},${axis},1.,${profile})`));
  const up = w.add('IFCDIRECTION((0.,0.,1.))');
  show(w.add(`IFCFIXEDREFERENCESWEPTAREASOLID(${profile},${w.axes([0, 0, 0])},${spline},$,0.5,${up})`));
  const plane = w.add(`IFCPLANE(${w.axes([0, 0, 0])})`);
  show(w.add(`IFCSURFACECURVESWEPTAREASOLID(${profile},${w.axes([0, 0, 0])},${arc},$,$,${plane})`));
  const half = w.add(`IFCPOLYGONALBOUNDEDHALFSPACE(${plane},.T.,${w.axes([0, 0, 0])},${offset})`);
  show(w.add(`IFCBOOLEANCLIPPINGRESULT(.DIFFERENCE.,${w.box([400, 400, 100])},${half})`));
  return w.text();
}
