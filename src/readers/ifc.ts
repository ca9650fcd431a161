/**
 * Reads IFC (ISO 16739, as STEP files): a building's elements as nodes, with class, name and
 * GlobalId. web-ifc triangulates; its input is checked here, since it trusts files.
 *
 * Lengths stay in the file's unit. web-ifc multiplies all of them into meters, which would separate
 * parts that touch at 300 mm by a rounding; that factor is removed before it can act.
 */
import { FormatError } from '../base/errors.ts';
import { grouped, printable } from '../base/printable.ts';
import { type Engine, type EnginePart, openEngine } from './ifc-engine.ts';
import { requireIndices } from './ifc-indices.ts';
import { otherCoat } from './ifc-mark.ts';
import { ElementMeshes } from './ifc-meshes.ts';
import { findProducts, type IfcModel, type IfcProduct } from './ifc-model.ts';
import { SIGNATURES } from './ifc-signatures.ts';
import { lengthUnitOf } from './ifc-units.ts';
import type { FileNode, MeshFile } from './mesh-file.ts';
import { leftOut, linesOfNotes, missing, NoSurfaceError, type ReaderNote, someOf, warning } from './notes.ts';
import { checkGraph, failure, indexRecords } from './step-graph.ts';
import { type StepFile, scanStep } from './step-scanner.ts';

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
  const unit = lengthUnitOf(file, recordOf);
  const drawn = model.products.filter(({ role }) => role === 'element');
  checkGraph(file, recordOf, [...drawn.map(({ record }) => record), ...model.relations], model.openings);
  requireIndices(file, recordOf);

  const engine = await openEngine(model.bytes);
  try {
    return readElements(file, model, drawn, unit, engine);
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
  drawn: readonly IfcProduct[],
  unit: { name: string | null; metres: number },
  engine: Engine,
): MeshFile {
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
