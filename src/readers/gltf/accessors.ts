/**
 * Checks a glTF file's accessors against the available bytes, before anything is allocated. Reads
 * typed members of its JSON, and loads packages for glTF. Errors name their place.
 *
 * Khronos Group, "glTF 2.0 Specification", sections 3.6.2 and 5.1; KHR_mesh_quantization,
 * EXT_meshopt_compression, KHR_meshopt_compression, KHR_accessor_float64.
 */
import { FormatError } from '../../base/errors.ts';
import { at, describe, type Path } from '../../base/json-messages.ts';
import { grouped } from '../../base/printable.ts';

const COMPONENT_BYTES: Record<number, number> = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4, 5130: 8 };
/** Types of vertex numbers: 8, 16 and 32 bits. */
export const INDEX_TYPES: readonly number[] = [5121, 5123, 5125];
export const POSITION_TYPES: readonly number[] = [5126, 5130, 5120, 5121, 5122, 5123];
export const COMPONENTS = { SCALAR: 1, VEC3: 3, VEC4: 4, MAT4: 16 } as const;
type AccessorType = keyof typeof COMPONENTS;

export interface Plain {
  view: number;
  byteOffset: number;
  componentType: number;
  type: AccessorType;
  count: number;
}

export interface Accessor {
  path: Part['path'];
  componentType: number;
  type: AccessorType;
  count: number;
  /** Divides each component; 0 for none. */
  divisor: number;
  /** Null if all are 0, or if Draco has them. */
  base: Plain | null;
  sparse: { indices: Plain; values: Plain } | null;
}

/** For normalized types: the value that means 1. */
export const DIVISORS: Readonly<Record<number, number>> = { 5120: 127, 5121: 255, 5122: 32767, 5123: 65535 };

/** Limits the bytes that a file expands to, so that memory is a multiple of the file. */
export class Budget {
  private left: number;

  constructor(bytesOfFile: number) {
    this.left = 2 ** 28 + 64 * bytesOfFile;
  }

  grow(bytes: number): void {
    this.left += 64 * bytes;
  }

  take(bytes: number, what: string): void {
    this.left -= bytes;
    if (this.left >= 0) return;
    throw new FormatError(null, "data of at most 64 times the file's size plus 256 MiB", `more, with ${what}`);
  }
}

export interface Views {
  root: Part;
  budget: Budget;
  buffer(n: number): Uint8Array;
  seen: Map<number, View>;
  accessors: Map<number, Accessor>;
}

export interface View {
  buffer: number;
  byteOffset: number;
  /** Bytes in the buffer; for compressed data its place there. */
  stored: number;
  /** Bytes after decompression. */
  byteLength: number;
  /** Bytes from an element to the next; 0 if packed. */
  byteStride: number;
  meshopt: Meshopt | null;
}

interface Meshopt {
  count: number;
  byteStride: number;
  mode: string;
  filter: string;
}

export function accessorOf(
  views: Views,
  n: number,
  type: AccessorType,
  allowed: readonly number[],
  { isUnfolded = false }: { isUnfolded?: boolean } = {},
): Accessor {
  const part = itemOf(views.root, 'accessors', n);
  const { path, value } = part;
  if (value.type !== type) refuse(type, [...path, 'type'], value.type);
  const componentType = wholeOf(part, 'componentType', 0, 65535);
  if (!allowed.includes(componentType)) refuse(allowed.join(' or '), [...path, 'componentType'], componentType);
  const accessor = views.accessors.get(n) ?? checkedOf(views, n, part, { type, componentType });
  // By the specification all are zero. No surface is, so some extension has the numbers.
  if (!accessor.base && !accessor.sparse && !isUnfolded) refuse('a bufferView', path, value);
  return accessor;
}

function checkedOf(views: Views, n: number, part: Part, kind: Pick<Shape, 'type' | 'componentType'>): Accessor {
  const count = wholeOf(part, 'count', 1, 2 ** 32 - 1);
  const shape = { ...kind, count };
  const accessor: Accessor = {
    ...shape,
    path: part.path,
    divisor: flagOf(part, 'normalized') ? (DIVISORS[kind.componentType] ?? 0) : 0,
    base: plainOf(views, part, shape),
    sparse: sparseOf(views, part, shape),
  };
  views.budget.take(count * sizeOf(shape), `${grouped(count)} elements of accessors[${n}]`);
  views.accessors.set(n, accessor);
  return accessor;
}

type Shape = Omit<Plain, 'view' | 'byteOffset'>;

const sizeOf = ({ type, componentType }: Shape): number => COMPONENTS[type] * COMPONENT_BYTES[componentType];

function sparseOf(views: Views, part: Part, shape: Shape): Accessor['sparse'] {
  const sparse = childOf(part, 'sparse');
  if (!sparse) return null;
  const count = wholeOf(sparse, 'count', 1, shape.count);
  const [indices, values] = ['indices', 'values'].map((key) => {
    const child = childOf(sparse, key);
    if (!child || child.value.bufferView === undefined) refuse(`${key} with a bufferView`, sparse.path, sparse.value);
    return child;
  });
  const componentType = wholeOf(indices, 'componentType', 0, 65535);
  if (!INDEX_TYPES.includes(componentType))
    refuse(INDEX_TYPES.join(' or '), [...indices.path, 'componentType'], componentType);
  views.budget.take(count * 32, `${grouped(count)} sparse elements`);
  return {
    indices: plainOf(views, indices, { componentType, type: 'SCALAR', count })!,
    values: plainOf(views, values, { ...shape, count })!,
  };
}

function plainOf(views: Views, part: Part, shape: Shape): Plain | null {
  const view = referenceOf(views.root, part, 'bufferView', 'bufferViews');
  if (view === null) return null;
  const byteOffset = wholeOf(part, 'byteOffset', 0, Number.MAX_SAFE_INTEGER, 0);
  const { byteLength, byteStride } = viewOf(views, view);
  const size = sizeOf(shape);
  if (byteStride > 0 && byteStride < size)
    refuse(`a byteStride of at least ${size}`, ['bufferViews', view], byteStride);
  const needed = byteOffset + (shape.count - 1) * (byteStride || size) + size;
  if (needed > byteLength) {
    refuse(
      `a bufferView of at least ${grouped(needed)} bytes for ${grouped(shape.count)} elements`,
      part.path,
      byteLength,
    );
  }
  return { ...shape, view, byteOffset };
}

export function viewOf(views: Views, n: number): View {
  const known = views.seen.get(n);
  if (known) return known;
  const part = itemOf(views.root, 'bufferViews', n);
  const byteLength = wholeOf(part, 'byteLength', 1, Number.MAX_SAFE_INTEGER);
  const byteStride = wholeOf(part, 'byteStride', 1, 256, 0);
  const compressed = extensionOf(part, 'EXT_meshopt_compression') ?? extensionOf(part, 'KHR_meshopt_compression');
  const where = compressed ?? part;
  const buffer = referenceOf(views.root, where, 'buffer', 'buffers');
  if (buffer === null) refuse('the number of a buffer', [...where.path, 'buffer'], undefined);
  const { length } = views.buffer(buffer);
  const byteOffset = wholeOf(where, 'byteOffset', 0, Number.MAX_SAFE_INTEGER, 0);
  const stored = wholeOf(where, 'byteLength', 1, Number.MAX_SAFE_INTEGER);
  if (byteOffset + stored > length) {
    refuse(`a buffer of at least ${grouped(byteOffset + stored)} bytes`, where.path, length);
  }
  const meshopt = compressed && meshoptOf(compressed, byteLength, stored);
  if (meshopt) views.budget.take(byteLength, `bufferViews[${n}]`);
  const unfolded = meshopt?.mode === 'ATTRIBUTES' ? meshopt.byteStride : 0;
  if (unfolded > 0 && byteStride > 0 && byteStride !== unfolded)
    refuse(`${unfolded}`, [...part.path, 'byteStride'], byteStride);
  const view = { buffer, byteOffset, stored, byteLength, byteStride: byteStride || unfolded, meshopt };
  views.seen.set(n, view);
  return view;
}

const FILTERS: Record<string, (stride: number) => boolean> = {
  NONE: () => true,
  OCTAHEDRAL: (stride) => stride === 4 || stride === 8,
  QUATERNION: (stride) => stride === 8,
  EXPONENTIAL: (stride) => stride % 4 === 0,
  COLOR: (stride) => stride === 4 || stride === 8,
};

/** meshopt's best ratio: two bits replace a byte of each of 256 vertices. */
const MOST_MESHOPT = 1024;

/** Checks for meshopt's decoder, compiled without its own. `byteLength` is decompressed. */
function meshoptOf(part: Part, byteLength: number, stored: number): Meshopt {
  const byteStride = wholeOf(part, 'byteStride', 1, 256);
  const count = wholeOf(part, 'count', 1, 2 ** 32 - 1);
  const mode = textOf(part, 'mode');
  const filter = textOf(part, 'filter') || 'NONE';
  const isIndex = mode === 'TRIANGLES' || mode === 'INDICES';
  if (!isIndex && mode !== 'ATTRIBUTES') refuse('ATTRIBUTES, TRIANGLES or INDICES', [...part.path, 'mode'], mode);
  const fits = isIndex ? byteStride === 2 || byteStride === 4 : byteStride % 4 === 0;
  if (!fits) refuse(isIndex ? '2 or 4' : 'a multiple of 4', [...part.path, 'byteStride'], byteStride);
  if (mode === 'TRIANGLES' && count % 3 !== 0) refuse('a multiple of 3', [...part.path, 'count'], count);
  if (!Object.hasOwn(FILTERS, filter) || !FILTERS[filter](byteStride) || (isIndex && filter !== 'NONE')) {
    refuse('a meshopt filter for this mode and stride', [...part.path, 'filter'], filter);
  }
  if (count * byteStride !== byteLength)
    refuse(`count x byteStride to be ${byteLength} bytes`, part.path, count * byteStride);
  if (byteLength > MOST_MESHOPT * stored) {
    refuse(
      `at most ${grouped(MOST_MESHOPT * stored)} bytes from ${grouped(stored)} compressed ones`,
      part.path,
      byteLength,
    );
  }
  return { count, byteStride, mode, filter };
}

export interface Part {
  value: Record<string, unknown>;
  path: Path;
}

export function refuse(expected: string, path: Path, found: unknown): never {
  throw new FormatError(null, `${expected}${at(path)}`, describe(found));
}

export function partOf(value: unknown, path: Path): Part {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse('an object', path, value);
  return { value: value as Record<string, unknown>, path };
}

export function childOf({ value, path }: Part, key: string): Part | null {
  return value[key] === undefined ? null : partOf(value[key], [...path, key]);
}

export const extensionOf = (part: Part, name: string): Part | null => {
  const extensions = childOf(part, 'extensions');
  return extensions && childOf(extensions, name);
};

export function listOf({ value, path }: Part, key: string): unknown[] {
  const list = value[key] === undefined ? [] : value[key];
  if (!Array.isArray(list)) refuse('a list', [...path, key], list);
  return list;
}

export const itemOf = (root: Part, list: string, n: number): Part => partOf(listOf(root, list)[n], [list, n]);

export function textOf({ value, path }: Part, key: string): string {
  const text = value[key] === undefined ? '' : value[key];
  if (typeof text !== 'string') refuse('text', [...path, key], text);
  return text;
}

export function flagOf({ value, path }: Part, key: string): boolean {
  const flag = value[key] === undefined ? false : value[key];
  if (typeof flag !== 'boolean') refuse('true or false', [...path, key], flag);
  return flag;
}

export function wholeOf({ value, path }: Part, key: string, least: number, most: number, otherwise?: number): number {
  if (value[key] === undefined && otherwise !== undefined) return otherwise;
  return wholeAt(value[key], [...path, key], least, most);
}

function wholeAt(value: unknown, path: Path, least: number, most: number): number {
  const isOne = typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
  if (!isOne) refuse(`a whole number from ${least} to ${most}`, path, value);
  return value;
}

/** The index into a list of the whole file, or null. */
export function referenceOf(root: Part, { value, path }: Part, key: string, list: string): number | null {
  return value[key] === undefined ? null : referenceAt(root, value[key], [...path, key], list);
}

export function referenceAt(root: Part, value: unknown, path: Path, list: string): number {
  const { length } = listOf(root, list);
  if (length === 0) refuse(`no number, since the file has no ${list}`, path, value);
  return wholeAt(value, path, 0, length - 1);
}

/** `count` numbers of size at most `largest`, or null. */
export function numbersOf({ value, path }: Part, key: string, count: number, largest: number): number[] | null {
  const numbers = value[key];
  if (numbers === undefined) return null;
  const place = [...path, key];
  if (!Array.isArray(numbers) || numbers.length !== count) refuse(`a list of ${count} numbers`, place, numbers);
  for (const [k, x] of numbers.entries()) {
    if (typeof x !== 'number' || !(Math.abs(x) <= largest))
      refuse(`a number of size at most ${largest}`, [...place, k], x);
  }
  return numbers;
}

/**
 * Loads packages for glTF by names that bundlers of pages do not see. Bundlers would fail on
 * gltf-transform's modules of Node, and on draco3dgltf if it is not installed.
 */
export async function loadPackage<T>(name: string): Promise<T> {
  try {
    return await import(/* @vite-ignore */ name);
  } catch {
    const expected = `the package ${name}, which this file needs (npm install ${name}; in a page, an import map with it)`;
    throw new FormatError(null, expected, 'none');
  }
}
