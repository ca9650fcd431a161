/**
 * Which records of an IFC file are products, what each is for, and which of their shapes are
 * bodies.
 *
 * Products are told by their attributes, the same seven first ones in every class and schema:
 * GlobalId, OwnerHistory, Name, Description, ObjectType, ObjectPlacement, Representation.
 */
import { failure, type RecordOf } from './step-graph.ts';
import type { StepFile } from './step-scanner.ts';
import { isRef, isText, stepArguments } from './step-values.ts';

/** A thing of the building. */
export interface IfcProduct {
  record: number;
  /** In capitals. */
  type: string;
  globalId: string;
  name: string;
  /** `bare`: it has no shape. `no body`: it has one that encloses nothing. */
  role: 'element' | 'left out' | 'bare' | 'no body';
}

/** What a file has. */
export interface IfcModel {
  /** In the order of the file. */
  products: IfcProduct[];
  /** Records that say which opening is taken out of which element. */
  relations: number[];
  /** For the record of an element, those of its openings. */
  openings: Map<number, number[]>;
  /** The file, with shapes that are no bodies and long strings blanked. */
  bytes: Uint8Array;
}

/** What is no element: rooms, holes, and what is drawn to be read by people or other programs. */
const LEFT_OUT =
  /^IFC(SPACE|SPATIALZONE|EXTERNALSPATIAL(ELEMENT|STRUCTUREELEMENT)|OPENING(ELEMENT|STANDARDCASE)|VOIDINGFEATURE|VIRTUALELEMENT|ANNOTATION|GRID|PORT|DISTRIBUTIONPORT|STRUCTURAL\w+|ALIGNMENT\w*|LINEARELEMENT|LINEARPOSITIONINGELEMENT|POSITIONINGELEMENT|REFERENT)$/;

/** What contains the elements. It hardly ever has a shape, which need not be said. */
const CONTAINERS = /^IFC(SITE|BUILDING|BUILDINGSTOREY)$/;

/** Representations that stand for a body, or describe it otherwise, by their identifiers. */
const NO_BODY = /^(axis|box|footprint|annotation|clearance|lighting|cog|profile|surveypoints|reference|plan)$/i;

const SHAPE = 'IFCPRODUCTDEFINITIONSHAPE';
const REPRESENTATION = 'IFCSHAPEREPRESENTATION';
const PLACEMENTS = /^IFC(LOCAL|GRID|LINEAR)PLACEMENT$/;

/**
 * @throws FormatError with the line of a relation that relates nothing
 */
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
 * Of a product's representations, those that are bodies: those with the identifier Body, or, where
 * none has it, those that are nothing else. web-ifc would draw all of them, bounding boxes too.
 *
 * @returns whether there is one
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

/** A copy of the file, made when something of it is to be blanked; everything stays where it is. */
class Blanks {
  private copy: Uint8Array | null = null;

  /** Without strings whose bytes web-ifc, which counts them in 16 bits, cannot count. */
  constructor(private readonly file: StepFile) {
    for (const [from, to] of file.longStrings) {
      this.copy ??= file.bytes.slice();
      this.copy[from + 1] = this.copy[from];
      this.copy.fill(SPACE, from + 2, to);
    }
  }

  /**
   * An IfcProductDefinitionShape that has these representations alone, and neither name nor
   * description.
   */
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

/**
 * The byte behind the bracket that closes the one at a byte; strings and comments may hold
 * brackets.
 */
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
