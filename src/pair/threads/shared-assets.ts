/**
 * Assets in shared memory: their typed arrays move there once. Their records for kernels
 * (kernels/memory.ts) stay in the kernels' memory, which all threads share anyway.
 */
import { placementOf } from '../../kernels/memory.ts';
import type { Asset } from '../../query/representation.ts';

export interface SharedAssets {
  assets: Asset[];
  /** Assets or parts of them in the kernels' memory, with addresses. */
  placed: [owner: object, address: number][];
}

/** Arrays that several assets share are copied once. Throws Error for open files and the like. */
export function shareAssets(...assets: Asset[]): SharedAssets {
  const placed: SharedAssets['placed'] = [];
  const shared = { assets: copyShared(assets, new Copies(), placed) as Asset[], placed };
  originals.set(shared, assets);
  return shared;
}

/** Keeps originals alive: kernel records last as long as their asset (see `adoptPlacement`). */
const originals = new WeakMap<SharedAssets, Asset[]>();

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

/** The tag is the same for Node's Buffer and Uint8Array. */
function kindOf(view: ArrayBufferView): ViewOf {
  const tag = (view as unknown as { [Symbol.toStringTag]: string })[Symbol.toStringTag];
  const kind = VIEWS[tag];
  if (!kind) refuse();
  return kind;
}
