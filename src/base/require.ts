/**
 * Checks of the arguments of public functions; an error is one line with the name, what was
 * expected and what was found.
 *
 * Internal functions trust the values that have passed.
 */
import { MeshError, OptionError } from './errors.ts';
import { brief, printable } from './printable.ts';

/** Shows a value in a message: short, on one line. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 37)}...` : value);
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  const tag = tagOf(value);
  return Array.isArray(value) || ArrayBuffer.isView(value)
    ? `${tag} of ${(value as unknown as ArrayLike<unknown>).length ?? 'bytes'}`
    : tag === 'Object'
      ? 'an object'
      : tag;
}

/** 'Float64Array', 'Uint8Array', ... also for values from another realm. */
export const tagOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1);

/** @throws OptionError "<what>: expected <expected>, found ..." unless the condition holds */
export function requireThat(condition: boolean, what: string, expected: string, found: unknown): asserts condition {
  if (!condition) throw new OptionError(`${what}: expected ${expected}, found ${shown(found)}`);
}

export function requireBytes(bytes: unknown): asserts bytes is Uint8Array {
  requireThat(tagOf(bytes) === 'Uint8Array', 'bytes', 'a Uint8Array', bytes);
}

/** @throws OptionError unless it is a text, its bytes, or an object */
export function requireJson(source: unknown, what: string): void {
  const isSource = typeof source === 'string' || (typeof source === 'object' && source !== null);
  requireThat(isSource, what, 'a text, its bytes or an object', source);
}

export function requireDoubles(numbers: unknown, what: string): asserts numbers is Float64Array {
  requireThat(tagOf(numbers) === 'Float64Array', what, 'a Float64Array', numbers);
}

/**
 * @param what name in messages
 * @throws OptionError for another type or number; MeshError for an invalid coordinate
 */
export function requirePositions(
  positions: unknown,
  count: number,
  largest: number,
  what = 'positions',
): asserts positions is Float64Array | Float32Array {
  const isArray = ['Float64Array', 'Float32Array'].includes(tagOf(positions));
  requireThat(isArray, what, 'a Float64Array or a Float32Array', positions);
  const numbers = positions as Float64Array | Float32Array;
  const expected = `${count} numbers, three for each of the asset's ${count / 3} vertices`;
  if (numbers.length !== count) throw new OptionError(`${what}: expected ${expected}, found ${numbers.length}`);
  for (let i = 0; i < count; i++) {
    if (Math.abs(numbers[i]) <= largest) continue;
    const found = `${numbers[i]} at vertex ${Math.floor(i / 3)}`;
    throw new MeshError(`${what}: expected finite coordinates up to ${largest}, found ${found}`);
  }
}

/** @throws OptionError for anything but a record or undefined */
export function requireOptions(options: unknown, what = 'options'): void {
  requireThat(options === undefined || isPlain(options) || tagOf(options) === 'Object', what, 'an object', options);
}

/** The quick test for most records, since every check needs it. */
const isPlain = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Type of each option's value; 'any' is checked elsewhere. */
export type OptionTypes = Readonly<Record<string, 'boolean' | 'number' | 'string' | 'function' | 'numbers' | 'any'>>;

/**
 * Allows options of these names and types only; undefined counts as absent.
 *
 * @throws OptionError for an unknown name, with a similar one, and for a value of another type
 */
export function requireOptionTypes(options: object, types: OptionTypes): void {
  requireOptions(options);
  for (const name in options) {
    const value = (options as Record<string, unknown>)[name];
    const type = Object.hasOwn(types, name) ? types[name] : undefined;
    if (type === undefined) throw unknownOption(name, Object.keys(types));
    if (value === undefined || type === 'any') continue;
    if (type === 'numbers') {
      requireThat(typeof value === 'object' && value !== null && 'length' in value, name, '16 numbers', value);
    } else {
      const article = type === 'boolean' ? 'true or false' : `a ${type}`;
      requireThat(typeof value === type, name, article, value);
    }
  }
}

/** @param name of an option that is none of `known` */
export function unknownOption(name: string, known: readonly string[]): OptionError {
  const near = known.find((one) => isLike(one, name));
  const rest = near ? `did you mean ${near}?` : `expected ${known.join(', ')}`;
  return new OptionError(`${brief(printable(name), 40)}: no such option; ${rest}`);
}

/** True if the two differ by case and one letter more, less or other, or two exchanged. */
function isLike(a: string, b: string): boolean {
  const [x, y] = [a.toLowerCase(), b.toLowerCase()];
  if (Math.abs(x.length - y.length) > 1) return false;
  let start = 0;
  while (start < x.length && x[start] === y[start]) start++;
  let end = 0;
  while (end < Math.min(x.length, y.length) - start && x.at(-1 - end) === y.at(-1 - end)) end++;
  const [restX, restY] = [x.slice(start, x.length - end), y.slice(start, y.length - end)];
  return Math.max(restX.length, restY.length) <= 1 || (restX.length === 2 && restX === restY[1] + restY[0]);
}

/** @throws MeshError unless the arrays are whole triples, coordinates finite, corners vertices */
export function requireMeshArrays(mesh: unknown, what = 'mesh'): void {
  requireMeshShape(mesh, what);
  const { positions, triangles } = mesh as { positions: Float64Array; triangles: Uint32Array };
  for (let i = 0; i < positions.length; i++) {
    if (Number.isFinite(positions[i])) continue;
    const found = `${positions[i]} at vertex ${Math.floor(i / 3)}`;
    throw new MeshError(`${what}.positions: expected finite coordinates, found ${found}`);
  }
  const vertices = positions.length / 3;
  for (let c = 0; c < triangles.length; c++) {
    if (triangles[c] < vertices) continue;
    const found = `${triangles[c]} in triangle ${Math.floor(c / 3)}`;
    throw new MeshError(`expected vertex numbers below ${vertices}, found ${found}`);
  }
}

/** Checks everything but the arrays' contents. */
export function requireMeshShape(mesh: unknown, what = 'mesh'): void {
  const refuse = (part: string, expected: string, found: string): never => {
    throw new MeshError(`${part}: expected ${expected}, found ${found}`);
  };
  if (typeof mesh !== 'object' || mesh === null) refuse(what, 'positions and triangles', shown(mesh));
  if (tagOf(mesh) === 'Promise') refuse(what, 'positions and triangles', 'a promise; await it');
  const { positions, triangles } = mesh as { positions: Float64Array; triangles: Uint32Array };
  if (tagOf(positions) !== 'Float64Array') refuse(`${what}.positions`, 'a Float64Array', shown(positions));
  if (tagOf(triangles) !== 'Uint32Array') refuse(`${what}.triangles`, 'a Uint32Array', shown(triangles));
  if (positions.length % 3 !== 0) refuse(`${what}.positions`, 'three numbers a vertex', `${positions.length}`);
  if (triangles.length % 3 !== 0) refuse(`${what}.triangles`, 'three vertex numbers a triangle', `${triangles.length}`);
}

/** Calls `make` on the first call only, and returns its result from then on. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
