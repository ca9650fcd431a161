/**
 * Reads IFC (ISO 16739, as STEP files): a building's elements as nodes, with class, name and
 * GlobalId. web-ifc triangulates; its input is checked here, since it trusts files.
 *
 * Lengths stay in the file's unit. web-ifc multiplies all of them into meters. By a rounding, this
 * would separate parts that touch at 300 mm. So that factor is removed before it can act.
 */
import { FormatError } from '../../base/errors.ts';
import { matches } from '../../base/patterns.ts';
import { grouped, printable } from '../../base/printable.ts';
import {
  type FileNode,
  type IfcFacts,
  leftOut,
  linesOfNotes,
  type MeshFile,
  missing,
  NoSurfaceError,
  type ReaderNote,
  someOf,
  warning,
} from '../mesh-file.ts';
import { otherCoat } from '../signatures.ts';
import { requireIndices, SIGNATURES } from './arguments.ts';
import { type Engine, type EnginePart, openEngine } from './engine.ts';
import { Draft } from './lower/draft.ts';
import { lower } from './lower/lower.ts';
import { ElementMeshes } from './meshes.ts';
import { Relations, type ShownElement } from './relations.ts';
import {
  checkGraph,
  failure,
  indexRecords,
  isRef,
  isText,
  type RecordOf,
  type StepValue,
  stepArguments,
} from './step-records.ts';
import { type StepFile, scanStep } from './step-scanner.ts';
import { lengthIn, unitsOf } from './units.ts';
import { Uses } from './uses.ts';

/** The chord tolerance in meters, and a circle's least corners, unless an option changes them. */
const CHORD = 1e-3;
const CORNERS = 32;

/** Least number of corners of a circle with a user's tolerance. */
const FEWEST_CORNERS = 8;

export interface IfcOptions {
  /** Patterns of classes that are elements although they are left out by rule. */
  include?: readonly string[] | undefined;
  /** See `chordTolerance` of ReadMeshOptions. */
  chordTolerance?: number | string | undefined;
}

const SCHEMAS = /^IFC(2X3|2X_FINAL|4|4X[123]|4X2SCGL|4X3_(RC[1-4]|ADD[12]))$/;

/**
 * Reads an IFC file: one node per element, in the order of the file.
 *
 * @throws FormatError with the line for invalid STEP or IFC, for dangling or cyclic references, and
 *   for coordinates that are not finite
 * @throws OptionError if the package web-ifc is missing
 */
export async function readIfc(bytes: Uint8Array, options: IfcOptions = {}): Promise<MeshFile> {
  const { include = [], chordTolerance } = options;
  const coat = otherCoat(new TextDecoder('latin1').decode(bytes.subarray(0, 512)));
  if (coat !== null) throw new FormatError(null, 'IFC as a STEP file', coat);
  const file = scanStep(bytes, SIGNATURES);
  if (!SCHEMAS.test(file.schema)) throw wrongSchema(file);
  const recordOf = indexRecords(file);
  const included = include.map((pattern) => pattern.toUpperCase());
  const isIncluded = (type: string): boolean => included.some((pattern) => matches(pattern, type.toUpperCase()));
  const model = findProducts(file, recordOf, isIncluded);
  const { length: unit, radians } = unitsOf(file, recordOf);
  const drawn = model.products.filter(({ role }) => role === 'element');
  checkGraph(file, recordOf, [...drawn.map(({ record }) => record), ...model.relations], model.openings);
  requireIndices(file, recordOf);

  const chord = chordTolerance === undefined ? CHORD / unit.metres : lengthIn(chordTolerance, unit.metres);
  const corners = chordTolerance === undefined ? CORNERS : FEWEST_CORNERS;
  const uses = new Uses(file, recordOf, model.kept, model.openings);
  const used = uses.from(drawn.flatMap(rootsOf));
  const { unread, doubtful, curved } = lower(file, recordOf, model.draft, { chord, corners, radians, used });
  const engine = await openEngine(model.draft.done());
  try {
    const [whyUnread, whyDoubtful, curve] = [unread, doubtful, curved].map((marks) => {
      const first = uses.first(marks);
      return (product: IfcProduct): string | null =>
        rootsOf(product).reduce<string | null>((mark, root) => mark ?? first(root) ?? null, null);
    });
    const toleranceOf = (product: IfcProduct): number => (curve(product) === null ? 0 : chord);
    return readElements(
      file,
      model,
      { drawn, unit, relations: new Relations(file, recordOf), whyUnread, whyDoubtful, toleranceOf },
      engine,
    );
  } finally {
    engine.close();
  }
}

const rootsOf = ({ record, roots = [record] }: IfcProduct): readonly number[] => roots;

function wrongSchema({ schema }: StepFile): FormatError {
  const found =
    schema === '' ? 'none' : `${schema}: a STEP file, which gicollide does not read; export IFC, glTF or OBJ`;
  return new FormatError(null, 'the schema IFC2X3, IFC4 or IFC4X3', /^IFC/.test(schema) ? schema : found);
}

/**
 * A matrix for web-ifc, column-major: from its axes, with y up, to the file's, and from meters to
 * the file's unit. The scale times web-ifc's own is exactly 1, so that coordinates do not change.
 */
function placeOf(metres: number): number[] {
  const scale = inverseOf(metres);
  return [scale, 0, 0, 0, 0, 0, scale, 0, 0, -scale, 0, 0, 0, 0, 0, 1];
}

/** A double whose rounded product with x is 1, or else the quotient. */
function inverseOf(x: number): number {
  const quotient = 1 / x;
  const step = quotient * 2 ** -53;
  return [quotient, quotient + step, quotient - step, quotient + 2 * step].find((y) => y * x === 1) ?? quotient;
}

/** Makes the meshes of products. */
function makeElements(
  file: StepFile,
  engine: Engine,
  drawn: readonly IfcProduct[],
  { meshes, metres }: { meshes: ElementMeshes; metres: number },
) {
  const byId = new Map(drawn.map((product) => [product.id, product]));
  const made = {
    shown: new Map<IfcProduct, ReturnType<ElementMeshes['add']>>(),
    madeOf: new Map<IfcProduct, string>(),
    scaleOf: new Map<IfcProduct, number>(),
    /** Geometries with complaints; the engine reports a shared one only once. */
    doubtful: new Set<string>(),
    isExact: true,
  };
  engine.stream([...byId.keys()], placeOf(metres), (id, parts, complaints) => {
    const product = byId.get(id)!;
    requireFinite(file, product, parts);
    made.isExact &&= parts.every((part) => part.isExact);
    const key = parts.map(({ geometry }) => geometry).join(' ');
    made.madeOf.set(product, key);
    if (complaints > 0) made.doubtful.add(key);
    made.scaleOf.set(product, Math.max(...parts.map(({ matrix }) => stretchOf(matrix))));
    if (parts.length > 0) made.shown.set(product, meshes.add(parts));
  });
  return made;
}

function readElements(
  file: StepFile,
  model: IfcModel,
  of: {
    drawn: readonly IfcProduct[];
    unit: { name: string | null; metres: number };
    relations: Relations;
    whyUnread: (product: IfcProduct) => string | null;
    whyDoubtful: (product: IfcProduct) => string | null;
    toleranceOf: (product: IfcProduct) => number;
  },
  engine: Engine,
): MeshFile {
  const { unit, relations, whyUnread, whyDoubtful, toleranceOf } = of;
  const drawn = of.drawn.filter((product) => whyUnread(product) === null);
  const meshes = new ElementMeshes();
  const { shown, madeOf, scaleOf, doubtful, isExact } = makeElements(file, engine, drawn, {
    meshes,
    metres: unit.metres,
  });
  const kindOf = ({ type, id }: IfcProduct): string => (type === CLEARANCE ? type : (engine.kindOf(id) ?? type));
  const factsOf = factsBy(file, relations, engine, kindOf);
  const nameOf = (product: IfcProduct): string =>
    [kindOf(product), product.name, product.globalId].filter((part) => part !== '').join('/');
  const nodes: FileNode[] = [];
  const elements: ShownElement[] = [];
  const open: string[] = [];
  const notes: ReaderNote[] = [];
  for (const product of drawn) {
    const name = nameOf(product);
    const placed = shown.get(product);
    const ifc = factsOf(product);
    if (!placed) {
      notes.push(missing(name, 'web-ifc makes no triangles from it', { id: product.globalId, ifc }));
      continue;
    }
    const { mesh, matrix, isClosed } = placed;
    const complaint = doubtful.has(madeOf.get(product)!) ? 'web-ifc complains about it: a part may be missing' : null;
    const why = whyDoubtful(product) ?? complaint;
    if (why !== null) {
      notes.push(missing(name, why, { id: product.globalId, isPart: true, ifc }));
    }
    if (!isClosed) open.push(name);
    elements.push({ record: product.record, node: nodes.length, isClearance: product.type === CLEARANCE });
    const tolerance = toleranceOf(product) * scaleOf.get(product)!;
    nodes.push({
      ...{ name, parent: -1, matrix, mesh, id: product.globalId, kind: kindOf(product), ifc },
      ...(tolerance > 0 && { tolerance: { missing: tolerance, excess: tolerance } }),
    });
  }
  for (const product of of.drawn) {
    const why = whyUnread(product);
    if (why !== null) notes.push(missing(nameOf(product), why, { id: product.globalId, ifc: factsOf(product) }));
  }
  for (const [node, related] of relations.related(elements)) nodes[node].related = related;
  for (const product of model.products) {
    if (!isLeftOut(product)) continue;
    const why = product.role === 'no body' ? 'no body, only axes, boxes or footprints' : 'no part of the building';
    notes.push(leftOut(nameOf(product), why, product.globalId));
  }
  const warnings = [
    ...warningsOf(model, kindOf),
    ...warningsOfEngine({ open, isExact, complaints: engine.complaints() }),
    ...(unit.name === null ? ['the file states no known unit of length'] : []),
  ];
  notes.push(...warnings.map(warning));
  if (nodes.length === 0)
    throw new NoSurfaceError(notes, 'an element with a body', ['none', ...linesOfNotes(notes)].join(': '));
  return { meshes: meshes.meshes.map((mesh) => ({ name: '', mesh })), nodes, units: unit.name, notes };
}

/** The length of the longest axis of a matrix; 1 if it differs from 1 only by roundings. */
function stretchOf(matrix: Float64Array): number {
  const axes = [0, 4, 8].map((k) => Math.sqrt(matrix[k] ** 2 + matrix[k + 1] ** 2 + matrix[k + 2] ** 2));
  const longest = Math.max(...axes);
  return Math.abs(longest - 1) < 1e-9 ? 1 : longest;
}

/** An opening is a part of its wall, so it is not counted. */
const isLeftOut = ({ role, type }: IfcProduct): boolean =>
  role === 'no body' || (role === 'left out' && !/^IFC(OPENING|VOIDING)/.test(type));

function requireFinite(file: StepFile, { record }: IfcProduct, parts: readonly EnginePart[]): void {
  const areFinite = parts.every(({ vertices, matrix }) => [vertices, matrix].every((a) => a.every(Number.isFinite)));
  if (!areFinite)
    throw failure(file, record, `finite coordinates of element #${file.ids[record]}`, 'NaN or infinite ones');
}

/** Elements of one class, and of types of one class, share a list of classes. */
function factsBy(
  file: StepFile,
  relations: Relations,
  engine: Engine,
  kindOf: (product: IfcProduct) => string,
): (product: IfcProduct) => IfcFacts {
  const known = new Map<string, IfcFacts['kinds']>();
  return (product) => {
    const { record, id, type } = product;
    const ofType = type === CLEARANCE ? -1 : relations.typeOf(record);
    const made = ofType < 0 ? null : (engine.kindOf(file.ids[ofType])?.replace(/Type$/, '') ?? null);
    const key = `${type} ${made}`;
    const kinds = known.get(key) ?? {
      own: [...new Set([kindOf(product), ...(made === null ? [] : [made])])],
      above: type === CLEARANCE ? [] : engine.kindsAbove(id),
    };
    known.set(key, kinds);
    return relations.factsOf(record, kinds);
  };
}

function warningsOf({ products }: IfcModel, kindOf: (product: IfcProduct) => string): string[] {
  const counted = (role: IfcProduct['role']): string => {
    const counts = new Map<string, number>();
    for (const product of products) {
      if (product.role === role) counts.set(kindOf(product), (counts.get(kindOf(product)) ?? 0) + 1);
    }
    const parts = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, count]) => `${grouped(count)} ${kind}`);
    return parts.length < 2 ? parts.join() : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
  };
  const [left, bare, thin] = [counted('left out'), counted('bare'), counted('no body')];
  const ids = new Set<string>();
  const own = products.filter(({ type }) => type !== CLEARANCE);
  const twice = own.filter(({ globalId }) => ids.size === ids.add(globalId).size).map(({ globalId }) => globalId);
  return [
    ...(left ? [`${left} left out`] : []),
    ...(bare ? [`${bare} without geometry of their own`] : []),
    ...(thin ? [`${thin} without a body left out: their shapes are axes, boxes or footprints`] : []),
    ...(twice.length > 0
      ? [
          `${grouped(twice.length)} ${twice.length === 1 ? 'GlobalId' : 'GlobalIds'} used more than once: ${someOf(twice)}`,
        ]
      : []),
  ];
}

function warningsOfEngine(found: {
  open: readonly string[];
  isExact: boolean;
  complaints: readonly string[];
}): string[] {
  const { open, isExact, complaints } = found;
  const elements = (names: readonly string[]): string =>
    `${grouped(names.length)} ${names.length === 1 ? 'element' : 'elements'}`;
  return [
    ...(open.length > 0 ? [`${elements(open)} not closed, so faces may be missing: ${someOf(open)}`] : []),
    ...(complaints.length > 0 ? [`web-ifc complains (${grouped(complaints.length)}): ${short(complaints[0])}`] : []),
    ...(isExact
      ? []
      : ['this web-ifc gives coordinates of only 24 bits, so elements that touch may appear to be apart']),
  ];
}

const short = (text: string): string => printable(text.length > 120 ? `${text.slice(0, 117)}...` : text);

/*
 * Finds the products of an IFC file, their roles, and their bodies.
 *
 * Products have the same seven first attributes in every class and schema: GlobalId, OwnerHistory,
 * Name, Description, ObjectType, ObjectPlacement, Representation.
 */

export interface IfcProduct {
  record: number;
  /** The record's id; that of an added product for a clearance. */
  id: number;
  /** In capitals, or CLEARANCE. */
  type: string;
  globalId: string;
  name: string;
  /** `bare`: it has no shape. `no body`: its shape encloses nothing. */
  role: 'element' | 'left out' | 'bare' | 'no body';
  /** For a clearance, whose record is its element's: the representations that it consists of. */
  roots?: readonly number[];
}

interface IfcModel {
  products: IfcProduct[];
  relations: number[];
  openings: Map<number, number[]>;
  /** The records of the bodies, for shapes that also have other representations. */
  kept: Map<number, readonly number[]>;
  /** The file, without the shapes that are no bodies. */
  draft: Draft;
}

/** The class of the space that an element needs around it, such as for opening a door. */
const CLEARANCE = 'Clearance';

/** Not elements: sites and rooms, holes, and drawings for people or other programs. */
const LEFT_OUT =
  /^IFC(SITE|BUILDING(STOREY)?|(BRIDGE|ROAD|RAILWAY|MARINE|FACILITY)(FACILITY|PART|PARTCOMMON)?|SPACE|SPATIALZONE|EXTERNALSPATIAL(ELEMENT|STRUCTUREELEMENT)|OPENING(ELEMENT|STANDARDCASE)|VOIDINGFEATURE|VIRTUALELEMENT|ANNOTATION|GRID|PORT|DISTRIBUTIONPORT|STRUCTURAL\w+|ALIGNMENT\w*|LINEARELEMENT|LINEARPOSITIONINGELEMENT|POSITIONINGELEMENT|REFERENT)$/;

/** Classes left out that are normally without a shape, which gives no warning. */
const CONTAINERS = /^IFC(SITE|BUILDING(STOREY)?|(BRIDGE|ROAD|RAILWAY|MARINE|FACILITY)(FACILITY|PART|PARTCOMMON)?)$/;

/** Identifiers of representations other than bodies. */
const NO_BODY = /^(axis|box|footprint|annotation|clearance|lighting|cog|profile|surveypoints|reference|plan)$/i;

const SHAPE = 'IFCPRODUCTDEFINITIONSHAPE';
const REPRESENTATION = 'IFCSHAPEREPRESENTATION';
const PLACEMENTS = /^IFC(LOCAL|GRID|LINEAR)PLACEMENT$/;

function findProducts(file: StepFile, recordOf: RecordOf, isIncluded: (type: string) => boolean): IfcModel {
  const { count, refs, firstRef, types, typeNames } = file;
  const isPlaced = typeNames.map((name) => name === SHAPE || PLACEMENTS.test(name));
  const voids = typeNames.indexOf('IFCRELVOIDSELEMENT');
  const model: IfcModel = {
    products: [],
    relations: [],
    openings: new Map(),
    kept: new Map(),
    draft: new Draft(file, recordOf),
  };
  const bodies = new Map<number, Bodies>();
  for (let r = 0; r < count; r++) {
    if (types[r] === voids) addOpening(file, recordOf, r, model);
    if (isPlaced[types[r]]) continue;
    let candidate = false;
    for (let k = firstRef[r]; k < firstRef[r + 1] && !candidate; k++) {
      const other = recordOf(refs[k]);
      candidate = other >= 0 && isPlaced[types[other]];
    }
    if (!candidate) continue;
    const [globalId, , name, , , placement, shape] = stepArguments(file.bytes, file.starts[r], 7);
    const shapeRecord = isRef(shape) ? recordOf(shape.ref) : -1;
    if (!isText(globalId) || (!isRef(placement) && shapeRecord < 0)) continue;
    const type = typeNames[types[r]];
    if (shapeRecord >= 0 && !bodies.has(shapeRecord))
      bodies.set(shapeRecord, keepBodies(file, recordOf, shapeRecord, model));
    const { hasBody = null, clearances = [] } = bodies.get(shapeRecord) ?? {};
    const isOut = LEFT_OUT.test(type) && !isIncluded(type);
    const role = roleOf(isOut, hasBody);
    if (shapeRecord < 0 && CONTAINERS.test(type)) continue;
    const product = { record: r, globalId: globalId.text, name: isText(name) ? name.text : '' };
    model.products.push({ ...product, id: file.ids[r], type, role });
    if (isOut || clearances.length === 0) continue;
    const clearance = { ...product, id: file.ids[r], type: CLEARANCE };
    if (!isIncluded(CLEARANCE)) model.products.push({ ...clearance, role: 'left out' });
    else {
      const roots = [...(isRef(placement) ? [placement] : []), ...clearances].map(({ ref }) => recordOf(ref));
      const id = addProduct(model.draft, placement, clearances);
      model.products.push({ ...clearance, id, roots, role: 'element' });
    }
  }
  return model;
}

/** Adds an element with the placement of another, which shows representations of that one. */
function addProduct(draft: Draft, placement: StepValue, representations: readonly { ref: number }[]): number {
  const shape = draft.add(`${SHAPE}($,$,(${representations.map(({ ref }) => `#${ref}`).join()}))`);
  const place = isRef(placement) ? `#${placement.ref}` : '$';
  return Number(draft.add(`IFCBUILDINGELEMENTPROXY('0000000000000000000000',$,$,$,$,${place},${shape},$,$)`).slice(1));
}

function roleOf(isOut: boolean, hasBody: boolean | null): IfcProduct['role'] {
  if (isOut) return 'left out';
  if (hasBody === null) return 'bare';
  return hasBody ? 'element' : 'no body';
}

/** IfcRelVoidsElement: element and opening are its fifth and sixth attributes. */
function addOpening(file: StepFile, recordOf: RecordOf, record: number, { relations, openings }: IfcModel): void {
  const [, , , , element, opening] = stepArguments(file.bytes, file.starts[record], 6);
  const [a, b] = [element, opening].map((value) => (isRef(value) ? recordOf(value.ref) : -1));
  if (a < 0 || b < 0) throw failure(file, record, 'an element and its opening', 'none');
  relations.push(record);
  const of = openings.get(a);
  if (of) of.push(b);
  else openings.set(a, [b]);
}

interface Bodies {
  hasBody: boolean;
  clearances: readonly { ref: number }[];
}

/**
 * Keeps representations named Body, or else all that can be bodies: web-ifc draws everything, even
 * bounding boxes.
 */
function keepBodies(file: StepFile, recordOf: RecordOf, shape: number, { draft, kept: known }: IfcModel): Bodies {
  const [, , list] = stepArguments(file.bytes, file.starts[shape], 3);
  const all = (Array.isArray(list) ? list : []).filter(isRef);
  const identifiers = all.map(({ ref }) => {
    const record = recordOf(ref);
    if (record < 0 || file.typeNames[file.types[record]] !== REPRESENTATION) return '';
    const [, identifier] = stepArguments(file.bytes, file.starts[record], 2);
    return isText(identifier) ? identifier.text.trim().toLowerCase() : '';
  });
  const hasBody = identifiers.includes('body');
  const kept = all.filter((_, k) => (hasBody ? identifiers[k] === 'body' : !NO_BODY.test(identifiers[k])));
  if (kept.length < all.length && kept.length > 0) {
    draft.replace(shape, `${SHAPE}($,$,(${kept.map(({ ref }) => `#${ref}`).join()}))`);
    known.set(
      shape,
      kept.map(({ ref }) => recordOf(ref)),
    );
  }
  return { hasBody: kept.length > 0, clearances: all.filter((_, k) => identifiers[k] === 'clearance') };
}
