/**
 * Assets as all threads see them: their typed arrays move to shared memory, once, and what kernels
 * have of them (kernels/memory.ts) stays where it is, in the memory that all threads have anyway.
 */
import { placementOf } from '../../kernels/memory.ts';
import type { Asset } from '../../query/representation.ts';

/** Assets as they can be posted to any number of threads without copying their arrays. */
export interface SharedAssets {
  assets: Asset[];
  /** Which of them, or of their parts, are in the kernels' memory, and where. */
  placed: [owner: object, address: number][];
}

/**
 * Copies of assets whose arrays are in shared memory. What is the same in several is copied once;
 * what a kernel has of them is placed before this, so that no thread need do it for itself.
 *
 * @throws Error where one holds something that cannot be posted, such as an open file
 */
export function shareAssets(...assets: Asset[]): SharedAssets {
  const placed: SharedAssets['placed'] = [];
  const shared = { assets: copyShared(assets, new Copies(), placed) as Asset[], placed };
  originals.set(shared, assets);
  return shared;
}

/** What kernels have of an asset lasts as long as the asset: see `adoptPlacement`. */
const originals = new WeakMap<SharedAssets, Asset[]>();

/** Where something is not shared. */
function refuse(): never {
  throw new Error('an asset that threads cannot share');
}

/** Bytes of a block that small arrays share: thousands of assets are posted by some dozens of these. */
const BLOCK = 2 ** 20;
const SMALL = 2 ** 16;

/** What was copied, by what it is a copy of. */
class Copies extends Map<object, object> {
  private block = new SharedArrayBuffer(0);
  private used = 0;

  /** Where the bytes of a buffer are in shared memory. */
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
    // As aligned as sections of files are.
    this.used += Math.ceil(bytes / 64) * 64;
    return taken;
  }
}

function copyShared(value: unknown, copies: Copies, placed: SharedAssets['placed']): unknown {
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
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) refuse();
  const copy: Record<string, unknown> = keep({});
  for (const [key, part] of Object.entries(value)) copy[key] = inner(part);
  return copy;
}

type ViewOf = new (buffer: SharedArrayBuffer, offset: number, length: number) => ArrayBufferView;

const VIEWS: Record<string, ViewOf> = {
  Uint8Array,
  Int8Array,
  Uint8ClampedArray,
  Uint16Array,
  Int16Array,
  Uint32Array,
  Int32Array,
  BigUint64Array,
  BigInt64Array,
  Float32Array,
  Float64Array,
  DataView,
};

/** By the tag, which Node's Buffer shares with what it extends. */
function kindOf(view: ArrayBufferView): ViewOf {
  const tag = (view as unknown as { [Symbol.toStringTag]: string })[Symbol.toStringTag];
  const kind = VIEWS[tag];
  if (!kind) refuse();
  return kind;
}
