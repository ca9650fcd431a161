/**
 * Reads IFC (ISO 16739, as STEP files): a building's elements as nodes, with class, name and
 * GlobalId. web-ifc triangulates; its input is checked here, since it trusts files.
 *
 * Lengths stay in the file's unit. web-ifc multiplies all of them into meters, which would separate
 * parts that touch at 300 mm by a rounding; that factor is removed before it can act.
 */
import { FormatError } from '../../base/errors.ts';
import { grouped, printable } from '../../base/printable.ts';
import {
  type FileNode,
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
import { checkGraph, failure, indexRecords, isRef, isText, type RecordOf, stepArguments } from './step-records.ts';
import { type StepFile, scanStep } from './step-scanner.ts';
import { unitsOf } from './units.ts';

/** The chord tolerance, in meters. */
const CHORD = 1e-3;

/** Least corners of a circle, as web-ifc makes them. */
const CORNERS = 32;

const SCHEMAS = /^IFC(2X3|2X_FINAL|4|4X[123]|4X2SCGL|4X3_(RC[1-4]|ADD[12]))$/;

/**
 * Reads an IFC file: a node an element, in the order of the file.
 *
 * @throws FormatError with the line for invalid STEP or IFC, for dangling or cyclic references, and
 *   for coordinates that are not finite
 * @throws OptionError if the package web-ifc is missing
 */
export async function readIfc(bytes: Uint8Array): Promise<MeshFile> {
  const coat = otherCoat(new TextDecoder('latin1').decode(bytes.subarray(0, 512)));
  if (coat !== null) throw new FormatError(null, 'IFC as a STEP file', coat);
  const file = scanStep(bytes, SIGNATURES);
  if (!SCHEMAS.test(file.schema)) throw wrongSchema(file);
  const recordOf = indexRecords(file);
  const model = findProducts(file, recordOf);
  const { length: unit, radians } = unitsOf(file, recordOf);
  const drawn = model.products.filter(({ role }) => role === 'element');
  checkGraph(file, recordOf, [...drawn.map(({ record }) => record), ...model.relations], model.openings);
  requireIndices(file, recordOf);

  const unread = lower(file, recordOf, model.draft, { chord: CHORD / unit.metres, corners: CORNERS, radians });
  const engine = await openEngine(model.draft.done());
  try {
    return readElements(file, model, {
      drawn,
      unit,
      engine,
      whyUnread: unreadOf(file, recordOf, unread, model.openings),
    });
  } finally {
    engine.close();
  }
}

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

function readElements(
  file: StepFile,
  model: IfcModel,
  {
    drawn: all,
    unit,
    engine,
    whyUnread,
  }: {
    drawn: readonly IfcProduct[];
    unit: { name: string | null; metres: number };
    engine: Engine;
    whyUnread: (record: number) => string | null;
  },
): MeshFile {
  const drawn = all.filter(({ record }) => whyUnread(record) === null);
  const byId = new Map(drawn.map((product) => [file.ids[product.record], product]));
  const shown = new Map<IfcProduct, ReturnType<ElementMeshes['add']>>();
  const meshes = new ElementMeshes();
  let isExact = true;
  /** Geometries with complaints; the engine reports a shared one only once. */
  const doubtful = new Set<string>();
  const madeOf = new Map<IfcProduct, string>();
  engine.stream([...byId.keys()], placeOf(unit.metres), (id, parts, complaints) => {
    const product = byId.get(id)!;
    requireFinite(file, product, parts);
    isExact &&= parts.every((part) => part.isExact);
    const key = parts.map(({ geometry }) => geometry).join(' ');
    madeOf.set(product, key);
    if (complaints > 0) doubtful.add(key);
    if (parts.length > 0) shown.set(product, meshes.add(parts));
  });
  const kindOf = (product: IfcProduct): string => engine.kindOf(file.ids[product.record]) ?? product.type;
  const nameOf = (product: IfcProduct): string =>
    [kindOf(product), product.name, product.globalId].filter((part) => part !== '').join('/');
  const nodes: FileNode[] = [];
  const open: string[] = [];
  const notes: ReaderNote[] = [];
  for (const product of drawn) {
    const name = nameOf(product);
    const placed = shown.get(product);
    if (!placed) {
      notes.push(missing(name, 'web-ifc makes no triangles of it', { id: product.globalId }));
      continue;
    }
    const { mesh, matrix, isClosed } = placed;
    if (doubtful.has(madeOf.get(product)!)) {
      const why = 'web-ifc complains about it: a part may be missing';
      notes.push(missing(name, why, { id: product.globalId, isPart: true }));
    }
    if (!isClosed) open.push(name);
    nodes.push({ name, parent: -1, matrix, mesh, id: product.globalId, kind: kindOf(product) });
  }
  for (const product of all) {
    const why = whyUnread(product.record);
    if (why !== null) notes.push(missing(nameOf(product), why, { id: product.globalId }));
  }
  for (const product of model.products) {
    if (!isLeftOut(product)) continue;
    const why = product.role === 'no body' ? 'no body: axes, boxes or footprints alone' : 'no part of the building';
    notes.push(leftOut(nameOf(product), why, product.globalId));
  }
  const warnings = [
    ...warningsOf(model, kindOf),
    ...warningsOfEngine({ open, isExact, complaints: engine.complaints() }),
    ...(unit.name === null ? ['the file says no unit of length that is known'] : []),
  ];
  notes.push(...warnings.map(warning));
  if (nodes.length === 0)
    throw new NoSurfaceError(notes, 'an element with a body', ['none', ...linesOfNotes(notes)].join(': '));
  return { meshes: meshes.meshes.map((mesh) => ({ name: '', mesh })), nodes, units: unit.name, notes };
}

/** Why a record cannot be read: the reason of the first unread one that it leads to, or null. */
function unreadOf(
  file: StepFile,
  recordOf: RecordOf,
  unread: ReadonlyMap<number, string>,
  openings: ReadonlyMap<number, readonly number[]>,
): (record: number) => string | null {
  const known = new Map<number, string | null>(unread);
  const find = (record: number): string | null => {
    const seen = known.get(record);
    if (seen !== undefined) return seen;
    known.set(record, null);
    let why: string | null = null;
    for (let k = file.firstRef[record]; k < file.firstRef[record + 1] && why === null; k++)
      why = find(recordOf(file.refs[k]));
    for (const opening of openings.get(record) ?? []) why ??= find(opening);
    known.set(record, why);
    return why;
  };
  return unread.size === 0 ? () => null : find;
}

/** An opening is a part of its wall, so it is not counted. */
const isLeftOut = ({ role, type }: IfcProduct): boolean =>
  role === 'no body' || (role === 'left out' && !/^IFC(OPENING|VOIDING)/.test(type));

function requireFinite(file: StepFile, { record }: IfcProduct, parts: readonly EnginePart[]): void {
  const areFinite = parts.every(({ vertices, matrix }) => [vertices, matrix].every((a) => a.every(Number.isFinite)));
  if (!areFinite) throw failure(file, record, `finite coordinates of element #${file.ids[record]}`, 'others');
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
  const twice = products.filter(({ globalId }) => ids.size === ids.add(globalId).size).map(({ globalId }) => globalId);
  return [
    ...(left ? [`${left} left out`] : []),
    ...(bare ? [`${bare} without geometry of their own`] : []),
    ...(thin ? [`${thin} without a body left out: their shapes are axes, boxes or footprints`] : []),
    ...(twice.length > 0 ? [`${grouped(twice.length)} GlobalIds stand in the file before: ${someOf(twice)}`] : []),
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
    ...(isExact ? [] : ['this web-ifc gives coordinates of 24 bits alone, so that what touches may look apart']),
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
  type: string;
  globalId: string;
  name: string;
  /** `bare`: it has no shape. `no body`: its shape encloses nothing. */
  role: 'element' | 'left out' | 'bare' | 'no body';
}

interface IfcModel {
  products: IfcProduct[];
  relations: number[];
  openings: Map<number, number[]>;
  /** The file, with other shapes than bodies left out. */
  draft: Draft;
}

/** Not elements: rooms, holes, and drawings for people or other programs. */
const LEFT_OUT =
  /^IFC(SPACE|SPATIALZONE|EXTERNALSPATIAL(ELEMENT|STRUCTUREELEMENT)|OPENING(ELEMENT|STANDARDCASE)|VOIDINGFEATURE|VIRTUALELEMENT|ANNOTATION|GRID|PORT|DISTRIBUTIONPORT|STRUCTURAL\w+|ALIGNMENT\w*|LINEARELEMENT|LINEARPOSITIONINGELEMENT|POSITIONINGELEMENT|REFERENT)$/;

/** Containers of elements, normally without a shape, which gives no warning. */
const CONTAINERS = /^IFC(SITE|BUILDING|BUILDINGSTOREY)$/;

/** Identifiers of representations other than bodies. */
const NO_BODY = /^(axis|box|footprint|annotation|clearance|lighting|cog|profile|surveypoints|reference|plan)$/i;

const SHAPE = 'IFCPRODUCTDEFINITIONSHAPE';
const REPRESENTATION = 'IFCSHAPEREPRESENTATION';
const PLACEMENTS = /^IFC(LOCAL|GRID|LINEAR)PLACEMENT$/;

function findProducts(file: StepFile, recordOf: RecordOf): IfcModel {
  const { count, refs, firstRef, types, typeNames } = file;
  const isPlaced = typeNames.map((name) => name === SHAPE || PLACEMENTS.test(name));
  const voids = typeNames.indexOf('IFCRELVOIDSELEMENT');
  const model: IfcModel = { products: [], relations: [], openings: new Map(), draft: new Draft(file, recordOf) };
  const bodies = new Map<number, boolean>();
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
      bodies.set(shapeRecord, keepBodies(file, recordOf, shapeRecord, model.draft));
    const role = roleOf(type, shapeRecord < 0 ? null : bodies.get(shapeRecord)!);
    if (role === 'bare' && CONTAINERS.test(type)) continue;
    model.products.push({ record: r, type, globalId: globalId.text, name: isText(name) ? name.text : '', role });
  }
  return model;
}

function roleOf(type: string, hasBody: boolean | null): IfcProduct['role'] {
  if (LEFT_OUT.test(type)) return 'left out';
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

/**
 * Keeps representations named Body, or else those that are nothing else: web-ifc draws all,
 * bounding boxes too. Returns false if none is a body.
 */
function keepBodies(file: StepFile, recordOf: RecordOf, shape: number, draft: Draft): boolean {
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
  if (kept.length < all.length && kept.length > 0)
    draft.replace(shape, `${SHAPE}($,$,(${kept.map(({ ref }) => `#${ref}`).join()}))`);
  return kept.length > 0;
}
