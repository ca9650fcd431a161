/** Writes small IFC files for tests: elements, openings, mapped items and placements, in any unit. */

type Point = readonly number[];

/** Lengths that a file may be in: SI prefixes, or a foot as a conversion of the metre. */
export type IfcUnit = 'm' | 'mm' | 'cm' | 'ft' | 'in';

const SI: Partial<Record<IfcUnit, string>> = { m: '$', mm: '.MILLI.', cm: '.CENTI.' };
const CONVERTED: Partial<Record<IfcUnit, [name: string, metres: number]>> = {
  ft: ['FOOT', 0.3048],
  in: ['INCH', 0.0254],
};

/** A real as STEP has it: with a point. */
export const real = (x: number): string => {
  const text = String(x).replace('e', 'E');
  if (text.includes('.')) return text;
  return text.includes('E') ? text.replace('E', '.E') : `${text}.`;
};

const list = (items: readonly (string | number)[]): string =>
  `(${items.map((item) => (typeof item === 'number' ? real(item) : item)).join(',')})`;

/** 22 of the 64 characters that IFC writes numbers of 128 bits with; the first has two bits. */
function globalId(n: number): string {
  const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$';
  let [text, rest] = ['', n + 1];
  for (let i = 0; i < 21; i++) {
    text = letters[rest % 64] + text;
    rest = Math.floor(rest / 64);
  }
  return `1${text}`;
}

/** Options of an element. */
export interface IfcProduct {
  name?: string;
  placement?: string;
  shape?: string;
  /** Attributes after the eighth, the tag; empty for a class that ends there. */
  more?: string;
}

/** A file that grows line by line. Methods that add a record return its name, `#12`. */
export interface IfcWriter {
  /** @param record without number and semicolon: `IFCDIRECTION((0.,0.,1.))` */
  add(record: string): string;
  point(p: Point): string;
  /** @param z its own axis, @param x its own x, in its parent's frame */
  axes(at: Point, z?: Point, x?: Point): string;
  /** @param parent another placement */
  placement(at: Point, parent?: string, z?: Point, x?: Point): string;
  /** A rectangle of x and y about a centre, extruded along z: a solid. */
  box(size: Point, centre?: Point): string;
  /** A polygon in the plane z = 0, counter-clockwise, extruded along z. */
  prism(outline: readonly Point[], height: number): string;
  /** Planar faces as they are: an IfcFacetedBrep, or an IfcPolygonalFaceSet where the schema has one. */
  solid(points: readonly Point[], faces: readonly (readonly number[])[]): string;
  /** A profile moved along z: a solid. */
  extruded(profile: string, at: Point, height: number): string;
  /** The shape of an element, of solids. @param kind, identifier as IfcShapeRepresentation says them */
  shape(items: readonly string[], kind?: string, identifier?: string): string;
  /** A shape to be used many times: `mapped(map)` is an item that shows it. */
  map(items: readonly string[]): string;
  mapped(map: string): string;
  product(kind: string, product: IfcProduct): string;
  /** Takes an opening out of an element. */
  voids(element: string, opening: string): void;
  /** Adds a relation, by its fifth and sixth attributes. @param kind IFCRELAGGREGATES, ... */
  relate(kind: string, fifth: string | readonly string[], sixth: string | readonly string[]): void;
  text(): string;
}

/** A file with a project, a unit and an empty world. */
export function ifcWriter({ schema = 'IFC4', unit = 'mm' as IfcUnit } = {}): IfcWriter {
  const lines: string[] = [];
  let [count, products] = [0, 0];
  const add = (record: string): string => {
    lines.push(`#${++count}=${record};`);
    return `#${count}`;
  };
  const id = () => `'${globalId(products++)}'`;
  const point = (p: Point) => add(`IFCCARTESIANPOINT(${list(p)})`);
  const direction = (p: Point) => add(`IFCDIRECTION(${list(p)})`);
  const axes = (at: Point, z?: Point, x?: Point) =>
    add(`IFCAXIS2PLACEMENT3D(${point(at)},${z ? direction(z) : '$'},${x ? direction(x) : '$'})`);
  const extruded = (profile: string, at: Point, height: number) =>
    add(`IFCEXTRUDEDAREASOLID(${profile},${axes(at)},${direction([0, 0, 1])},${real(height)})`);

  const length = lengthUnit(add, unit);
  const units = add(`IFCUNITASSIGNMENT((${length}))`);
  const context = add(`IFCGEOMETRICREPRESENTATIONCONTEXT($,'Model',3,1.E-05,${axes([0, 0, 0])},$)`);
  add(`IFCPROJECT(${id()},$,'Test',$,$,$,$,(${context}),${units})`);

  const representation = (items: readonly string[], kind: string, identifier = 'Body') =>
    add(`IFCSHAPEREPRESENTATION(${context},'${identifier}','${kind}',${list(items)})`);
  return {
    add,
    point,
    axes,
    placement: (at, parent = '$', z, x) => add(`IFCLOCALPLACEMENT(${parent},${axes(at, z, x)})`),
    box([x, y, z], [a, b, c] = [0, 0, 0]) {
      const centre = add(`IFCAXIS2PLACEMENT2D(${point([0, 0])},$)`);
      return extruded(add(`IFCRECTANGLEPROFILEDEF(.AREA.,$,${centre},${real(x)},${real(y)})`), [a, b, c - z / 2], z);
    },
    prism(outline, height) {
      const curve = add(`IFCPOLYLINE(${list([...outline, outline[0]].map(point))})`);
      return extruded(add(`IFCARBITRARYCLOSEDPROFILEDEF(.AREA.,$,${curve})`), [0, 0, 0], height);
    },
    solid(points, faces) {
      if (schema === 'IFC2X3') return facetedBrep(add, points.map(point), faces);
      const coordinates = add(`IFCCARTESIANPOINTLIST3D(${list(points.map((p) => list(p)))})`);
      const numbers = (face: readonly number[]) => `(${face.map((v) => v + 1).join(',')})`;
      const polygons = faces.map((face) => add(`IFCINDEXEDPOLYGONALFACE(${numbers(face)})`));
      return add(`IFCPOLYGONALFACESET(${coordinates},.T.,${list(polygons)},$)`);
    },
    extruded,
    shape: (items, kind = 'SweptSolid', identifier) =>
      add(`IFCPRODUCTDEFINITIONSHAPE($,$,(${representation(items, kind, identifier)}))`),
    map: (items) => add(`IFCREPRESENTATIONMAP(${axes([0, 0, 0])},${representation(items, 'SweptSolid')})`),
    mapped(map) {
      const operator = add(`IFCCARTESIANTRANSFORMATIONOPERATOR3D($,$,${point([0, 0, 0])},$,$)`);
      return add(`IFCMAPPEDITEM(${map},${operator})`);
    },
    product(kind, { name, placement = '$', shape = '$', more = '' }) {
      const called = name === undefined ? '$' : `'${name}'`;
      return add(`${kind}(${id()},$,${called},$,$,${placement},${shape},$${more && `,${more}`})`);
    },
    voids: (element, opening) => void add(`IFCRELVOIDSELEMENT(${id()},$,$,$,${element},${opening})`),
    relate: (kind, fifth, sixth) => {
      const written = [fifth, sixth].map((side) => (typeof side === 'string' ? side : list(side)));
      add(`${kind}(${id()},$,$,$,${written.join()})`);
    },
    text: () => `${[...head(schema), ...lines, 'ENDSEC;', 'END-ISO-10303-21;'].join('\n')}\n`,
  };
}

const head = (schema: string): string[] => [
  'ISO-10303-21;',
  'HEADER;',
  "FILE_DESCRIPTION(('ViewDefinition [CoordinationView]'),'2;1');",
  "FILE_NAME('test.ifc','2026-01-01T00:00:00',(''),(''),'','gicollide tests','');",
  `FILE_SCHEMA(('${schema}'));`,
  'ENDSEC;',
  'DATA;',
];

function lengthUnit(add: (record: string) => string, unit: IfcUnit): string {
  const converted = CONVERTED[unit];
  const metre = (prefix: string) => add(`IFCSIUNIT(*,.LENGTHUNIT.,${prefix},.METRE.)`);
  if (!converted) return metre(SI[unit]!);
  const measure = add(`IFCMEASUREWITHUNIT(IFCRATIOMEASURE(${real(converted[1])}),${metre('$')})`);
  const exponents = add('IFCDIMENSIONALEXPONENTS(1,0,0,0,0,0,0)');
  return add(`IFCCONVERSIONBASEDUNIT(${exponents},.LENGTHUNIT.,'${converted[0]}',${measure})`);
}

function facetedBrep(
  add: (record: string) => string,
  points: readonly string[],
  faces: readonly (readonly number[])[],
): string {
  const made = faces.map((face) => {
    const loop = add(`IFCPOLYLOOP(${list(face.map((v) => points[v]))})`);
    return add(`IFCFACE((${add(`IFCFACEOUTERBOUND(${loop},.T.)`)}))`);
  });
  return add(`IFCFACETEDBREP(${add(`IFCCLOSEDSHELL(${list(made)})`)})`);
}
