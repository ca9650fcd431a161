/**
 * Values whose typed arrays move to shared memory, once, so that threads need no copies. Assets'
 * records for kernels (kernels/memory.ts) stay in the kernels' memory, which all threads share
 * anyway.
 */
import { placementOf } from '../kernels/memory.ts';

export interface Shared<Value> {
  parts: Value;
  /** Parts in the kernels' memory, with addresses. */
  placed: [owner: object, address: number][];
}

/** Arrays that several parts share are copied once. Throws Error for open files and the like. */
export function shared<Value>(value: Value): Shared<Value> {
  const placed: Shared<Value>['placed'] = [];
  return { parts: copyShared(value, new Copies(), placed) as Value, placed };
}

function refuse(): never {
  throw new Error('an asset that threads cannot share');
}

/** Small arrays share blocks: some dozens are posted, not thousands. */
const BLOCK = 2 ** 20;
const SMALL = 2 ** 16;

class Copies extends Map<object, object> {
  private block = new SharedArrayBuffer(0);
  private used = 0;

  bytesOf(buffer: ArrayBufferLike): Uint8Array<SharedArrayBuffer> {
    if (buffer instanceof SharedArrayBuffer) return new Uint8Array(buffer);
    const known = this.get(buffer);
    if (known) return known as Uint8Array<SharedArrayBuffer>;
    const copy = this.take(buffer.byteLength);
    copy.set(new Uint8Array(buffer));
    this.set(buffer, copy);
    return copy;
  }

  private take(bytes: number): Uint8Array<SharedArrayBuffer> {
    if (bytes > SMALL) return new Uint8Array(new SharedArrayBuffer(bytes));
    if (this.used + bytes > this.block.byteLength) {
      this.block = new SharedArrayBuffer(BLOCK);
      this.used = 0;
    }
    const taken = new Uint8Array(this.block, this.used, bytes);
    // As sections of files are aligned.
    this.used += Math.ceil(bytes / 64) * 64;
    return taken;
  }
}

function copyShared(value: unknown, copies: Copies, placed: [object, number][]): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') refuse();
  if (typeof value !== 'object' || value === null) return value;
  const known = copies.get(value);
  if (known) return known;
  const keep = <T extends object>(copy: T): T => {
    copies.set(value, copy);
    const address = placementOf(value);
    if (address !== undefined) placed.push([copy, address]);
    return copy;
  };
  const inner = (part: unknown): unknown => copyShared(part, copies, placed);
  if (ArrayBuffer.isView(value)) {
    const bytes = copies.bytesOf(value.buffer);
    const length = value instanceof DataView ? value.byteLength : (value as Uint8Array).length;
    return keep(new (kindOf(value))(bytes.buffer, bytes.byteOffset + value.byteOffset, length));
  }
  if (Array.isArray(value)) {
    const copy: unknown[] = keep([]);
    for (const part of value) copy.push(inner(part));
    return copy;
  }
  if (value instanceof Map) {
    const copy: Map<unknown, unknown> = keep(new Map());
    for (const [key, part] of value) copy.set(inner(key), inner(part));
    return copy;
  }
  if (value instanceof Set) return keep(new Set([...value].map(inner)));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) refuse();
  const copy: Record<string, unknown> = keep({});
  // Names are the user's: one may be `__proto__`.
  for (const [key, part] of Object.entries(value))
    Object.defineProperty(copy, key, { value: inner(part), enumerable: true, writable: true, configurable: true });
  return copy;
}

type ViewOf = new (buffer: SharedArrayBuffer, offset: number, length: number) => ArrayBufferView;

/** The tag, which is the name of its class, is the same for Node's Buffer and Uint8Array. */
function kindOf(view: ArrayBufferView): ViewOf {
  const tag = (view as unknown as { [Symbol.toStringTag]: string })[Symbol.toStringTag];
  return (globalThis as unknown as Record<string, ViewOf>)[tag];
}
