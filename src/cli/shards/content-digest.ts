/**
 * Computes a digest of plain values and typed arrays: everything that a run looks at. Runs with the
 * same digest have the same objects, triangle by triangle, whatever their files.
 */
import { createHash, type Hash } from 'node:crypto';

/** Digests values; a shared one, such as an asset of many objects, is digested once. */
class ContentDigest {
  private readonly known = new Map<object, string>();

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

export const contentDigest = (...values: unknown[]): string => new ContentDigest().of(values);
