/**
 * Finds the products of an IFC file, their roles, and their bodies.
 *
 * Products have the same seven first attributes in every class and schema: GlobalId, OwnerHistory,
 * Name, Description, ObjectType, ObjectPlacement, Representation.
 */
import { failure, type RecordOf } from './step-graph.ts';
import type { StepFile } from './step-scanner.ts';
import { isRef, isText, stepArguments } from './step-values.ts';

export interface IfcProduct {
  record: number;
  type: string;
  globalId: string;
  name: string;
  /** `bare`: it has no shape. `no body`: its shape encloses nothing. */
  role: 'element' | 'left out' | 'bare' | 'no body';
}

export interface IfcModel {
  products: IfcProduct[];
  relations: number[];
  openings: Map<number, number[]>;
  /** The file, with other shapes than bodies and with long strings blanked. */
  bytes: Uint8Array;
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

export function findProducts(file: StepFile, recordOf: RecordOf): IfcModel {
  const { count, refs, firstRef, types, typeNames } = file;
  const isPlaced = typeNames.map((name) => name === SHAPE || PLACEMENTS.test(name));
  const voids = typeNames.indexOf('IFCRELVOIDSELEMENT');
  const model: IfcModel = { products: [], relations: [], openings: new Map(), bytes: file.bytes };
  const blanks = new Blanks(file);
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
      bodies.set(shapeRecord, keepBodies(file, recordOf, shapeRecord, blanks));
    const role = roleOf(type, shapeRecord < 0 ? null : bodies.get(shapeRecord)!);
    if (role === 'bare' && CONTAINERS.test(type)) continue;
    model.products.push({ record: r, type, globalId: globalId.text, name: isText(name) ? name.text : '', role });
  }
  model.bytes = blanks.done();
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
function keepBodies(file: StepFile, recordOf: RecordOf, shape: number, blanks: Blanks): boolean {
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
  if (kept.length < all.length && kept.length > 0) blanks.setShape(shape, kept);
  return kept.length > 0;
}

/** A copy of the file, made on demand; blanking keeps all places. */
class Blanks {
  private copy: Uint8Array | null = null;

  /** Blanks strings that are too long for web-ifc's 16-bit counts. */
  constructor(private readonly file: StepFile) {
    for (const [from, to] of file.longStrings) {
      this.copy ??= file.bytes.slice();
      this.copy[from + 1] = this.copy[from];
      this.copy.fill(SPACE, from + 2, to);
    }
  }

  /** Writes an IfcProductDefinitionShape without name and description. */
  setShape(record: number, kept: readonly { ref: number }[]): void {
    const start = this.file.starts[record];
    const text = `($,$,(${kept.map(({ ref }) => `#${ref}`).join(',')}))`;
    this.copy ??= this.file.bytes.slice();
    const end = endOf(this.file.bytes, start);
    this.copy.fill(SPACE, start, end);
    for (let k = 0; k < text.length; k++) this.copy[start + k] = text.charCodeAt(k);
  }

  done(): Uint8Array {
    return this.copy ?? this.file.bytes;
  }
}

const SPACE = 32;

/** The byte after the matching bracket; strings and comments may hold brackets. */
function endOf(bytes: Uint8Array, start: number): number {
  let depth = 0;
  for (let at = start; ; at++) {
    const c = bytes[at];
    if (c === 39 || c === 34) at = bytes.indexOf(c, at + 1);
    else if (c === 47 && bytes[at + 1] === 42) {
      at += 2;
      while (bytes[at] !== 42 || bytes[at + 1] !== 47) at++;
      at++;
    } else if (c === 40) depth++;
    else if (c === 41 && --depth === 0) return at + 1;
  }
}
