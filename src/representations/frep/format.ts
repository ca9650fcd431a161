/** A functionally defined object to a blob and back; the bytes are described in FORMAT.md. */
import { readBlob, sectionOf, writeBlob } from '../../containers/blob.ts';
import { FormatError, MeshError } from '../../math/errors.ts';
import { type AssetHeader, areNumbers, readAssetHeader, requireField } from '../../query/asset-header.ts';
import type { Decoded } from '../../query/representation.ts';
import {
  DEFAULT_RESOLUTION,
  type FrepObject,
  isLeaf,
  LARGEST_NUMBER,
  LARGEST_PHASE,
  MOST_DEGREE,
  MOST_INSTRUCTIONS,
  MOST_NUMBERS,
  numbersOfLeaf,
  OP,
  OP_NAMES,
  type Program,
} from './tree/program.ts';

export const FORMAT_VERSION = 1;
const LARGEST_CENTER = 1e60;
export const SMALLEST_HALF = 1e-60;
export const LARGEST_HALF = 1e60;
export const LONGEST_NAME = 200;
/** Of all names as JSON: half of what a blob's header holds. */
const MOST_NAME_BYTES = 2 ** 23;

interface HeaderJson extends AssetHeader {
  center: number[];
  half: number;
  domain: number[];
  names: string[];
}

/** @throws MeshError when the names take more than 8 MiB */
export async function encodeFrep(object: FrepObject): Promise<Uint8Array> {
  const { center, half, domain, names, program } = object;
  const nameBytes = new TextEncoder().encode(JSON.stringify(names)).length;
  if (nameBytes > MOST_NAME_BYTES) {
    throw new MeshError(`${nameBytes} bytes of names to store, a file holds ${MOST_NAME_BYTES}`);
  }
  const header: HeaderJson = { ...object.header, center, half, domain, names };
  return writeBlob('frep', FORMAT_VERSION, header, [
    { name: 'ops', data: program.ops },
    { name: 'left', data: program.left },
    { name: 'right', data: program.right },
    { name: 'third', data: program.third },
    { name: 'numbers', data: program.numbers },
  ]);
}

/** @throws FormatError for whatever program.ts does not promise; time and memory stay linear in the file */
export async function decodeFrep(bytes: Uint8Array): Promise<Decoded<FrepObject>> {
  const blob = await readBlob(bytes, 'frep', [FORMAT_VERSION]);
  const ops = sectionOf(blob, 'ops', 'u8');
  if (ops.length < 1 || ops.length > MOST_INSTRUCTIONS) {
    throw new FormatError(null, `1 to ${MOST_INSTRUCTIONS} instructions`, `${ops.length}`);
  }
  const numbers = sectionOf(blob, 'numbers', 'f64');
  if (numbers.length > MOST_NUMBERS)
    throw new FormatError(null, `at most ${MOST_NUMBERS} numbers`, `${numbers.length}`);
  const program: Program = {
    ops,
    left: sectionOf(blob, 'left', 'u32', ops.length),
    right: sectionOf(blob, 'right', 'u32', ops.length),
    third: sectionOf(blob, 'third', 'u32', ops.length),
    numbers,
  };
  const { center, half, domain, names } = readHeader(blob.header, ops.length);
  requireProgram(program);
  const object: FrepObject = {
    representation: 'frep',
    center: [center[0], center[1], center[2]],
    half,
    domain: [domain[0], domain[1], domain[2]],
    program,
    names,
    header: readAssetHeader(blob.header),
    resolution: DEFAULT_RESOLUTION,
  };
  return { asset: object, warnings: [] };
}

function readHeader(json: Record<string, unknown>, instructions: number): HeaderJson {
  const { center, half, domain, names } = json;
  const isCoordinate = (v: number) => Math.abs(v) <= LARGEST_CENTER;
  requireField(areNumbers(center, 3, isCoordinate), 'center, three coordinates,', center);
  const isLength = typeof half === 'number' && half >= SMALLEST_HALF && half <= LARGEST_HALF;
  requireField(isLength, `half, ${SMALLEST_HALF} to ${LARGEST_HALF},`, half);
  const isDomain = areNumbers(domain, 3, (v) => v > 0 && v <= 1) && Math.max(...domain) === 1;
  requireField(isDomain, 'domain, three numbers above 0, the largest of them 1,', domain);
  const isList = Array.isArray(names);
  requireField(
    isList && names.length === instructions,
    `names, ${instructions} of them,`,
    isList ? names.length : names,
  );
  for (const name of names as unknown[]) {
    const isName = typeof name === 'string' && name.length <= LONGEST_NAME;
    requireField(isName, `names of at most ${LONGEST_NAME} characters`, name);
  }
  return json as unknown as HeaderJson;
}

/**
 * Instructions read instructions before them, and all but the last are read; numbers belong to leaves and amounts in the order of the
 * instructions, without gaps, and what an instruction does not use is 0: one object has one form.
 */
function requireProgram({ ops, left, right, third, numbers }: Program): void {
  const isRead = new Uint8Array(ops.length);
  const last = ops.length - 1;
  // The first number that belongs to no instruction so far.
  let free = 0;
  for (let i = 0; i < ops.length; i++) {
    const op = ops[i];
    if (op >= OP_NAMES.length) {
      throw new FormatError(null, `instructions below ${OP_NAMES.length}`, `${op} at instruction ${i}`);
    }
    if (isLeaf(op)) {
      free = requireLeaf(op, i, left[i], right[i], free, numbers);
    } else {
      if (left[i] >= i || right[i] >= i) {
        const found = `${Math.max(left[i], right[i])} at instruction ${i}`;
        throw new FormatError(null, 'arguments before their instruction', found);
      }
      isRead[left[i]] = isRead[right[i]] = 1;
    }
    if (op === OP.PERTURBATION) {
      requireNext(i, third[i], free);
      requireNumbers(i, numbers, free, 1);
      if (numbers[free] === 0) throw new FormatError(null, 'amounts that are not 0', `0 at instruction ${i}`);
      free++;
    } else if (third[i] !== 0) {
      throw new FormatError(null, `0 as third of what is no perturbation`, `${third[i]} at instruction ${i}`);
    }
  }
  for (let i = 0; i < last; i++) {
    if (isRead[i] === 0) throw new FormatError(null, 'every instruction but the last used', `instruction ${i} unused`);
  }
  if (free !== numbers.length) {
    throw new FormatError(null, `${free} numbers, which the instructions take`, `${numbers.length}`);
  }
}

/** Returns the number after the leaf's last one. */
function requireLeaf(op: number, i: number, left: number, right: number, free: number, numbers: Float64Array): number {
  if (op === OP.QUADRIC && right !== 10) {
    throw new FormatError(null, '10 as right of a quadric', `${right} at instruction ${i}`);
  }
  if (op === OP.POLYNOMIAL && (right < 3 || right > MOST_DEGREE)) {
    throw new FormatError(null, `polynomials of degree 3 to ${MOST_DEGREE}`, `${right} at instruction ${i}`);
  }
  if (op === OP.WAVES && right === 0) throw new FormatError(null, 'one wave or more', `none at instruction ${i}`);
  requireNext(i, left, free);
  const count = numbersOfLeaf(op, right);
  requireNumbers(i, numbers, free, count);
  if (op === OP.WAVES) {
    for (let at = free; at < free + count; at++) {
      // The first of five is the amplitude.
      if ((at - free) % 5 !== 0 && Math.abs(numbers[at]) > LARGEST_PHASE) {
        throw new FormatError(null, `phases up to ${LARGEST_PHASE}`, `${numbers[at]} at instruction ${i}`);
      }
    }
  }
  return free + count;
}

/** The numbers of an instruction start where those before end. */
function requireNext(i: number, at: number, free: number): void {
  if (at !== free) throw new FormatError(null, `the numbers of instruction ${i} from number ${free} on`, `${at}`);
}

function requireNumbers(i: number, numbers: Float64Array, at: number, count: number): void {
  if (at + count > numbers.length) {
    throw new FormatError(null, `${at + count} numbers, as instruction ${i} says`, `${numbers.length}`);
  }
  for (let k = at; k < at + count; k++) {
    // NaN is not within anything.
    if (!(Math.abs(numbers[k]) <= LARGEST_NUMBER)) {
      throw new FormatError(null, `numbers up to ${LARGEST_NUMBER}`, `${numbers[k]} at instruction ${i}`);
    }
  }
}
