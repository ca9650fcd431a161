/**
 * A digest of plain values with typed arrays in them: of all that a run looks at. Two runs with one
 * digest have the same objects, triangle by triangle, whichever files these came from.
 */
import { createHash, type Hash } from 'node:crypto';

/** Adds values to a digest; one that several hold, an asset of many objects, is gone through once. */
class ContentDigest {
  private readonly known = new Map<object, string>();

  /** The digest of an object, hexadecimal. */
  of(value: object): string {
    let digest = this.known.get(value);
    if (digest === undefined) {
      const hash = createHash('sha256');
      this.addParts(hash, value);
      digest = hash.digest('hex');
      this.known.set(value, digest);
    }
    return digest;
  }

  private add(hash: Hash, value: unknown): void {
    if (typeof value === 'object' && value !== null) hash.update(this.of(value));
    else hash.update(`${typeof value}:${Object.is(value, -0) ? '-0' : String(value)};`);
  }

  private addParts(hash: Hash, value: object): void {
    if (ArrayBuffer.isView(value)) {
      hash.update(`${value.constructor.name}:${value.byteLength};`);
      hash.update(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
      return;
    }
    const entries: Iterable<[unknown, unknown]> =
      value instanceof Map ? value : Object.entries(value).filter(([, part]) => part !== undefined);
    hash.update(Array.isArray(value) ? 'list;' : 'record;');
    for (const [key, part] of entries) {
      this.add(hash, key);
      this.add(hash, part);
    }
    hash.update('end;');
  }
}

/** The digest of values, in their order. */
export const contentDigest = (...values: unknown[]): string => new ContentDigest().of(values);
