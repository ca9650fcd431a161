/**
 * Reads the size that Draco's data declare, before decoding: a few kilobytes can be a mesh that
 * fills all of its memory. KHR_draco_mesh_compression allows only version 2.2.
 *
 * "Draco Bitstream Specification", version 2.2, sections 3 to 8.
 */
import { FormatError } from '../../base/errors.ts';

const MAGIC = [68, 82, 65, 67, 79];
const HAS_METADATA = 0x8000;

/** With the Edgebreaker method the decoder may make more points. */
interface DracoCounts {
  faces: number;
  points: number;
  isExact: boolean;
}

/** @throws FormatError for anything but a triangle mesh of version 2.2, and for truncated data */
export function dracoCounts(bytes: Uint8Array): DracoCounts {
  const reader = new Reader(bytes);
  const magic = MAGIC.map(() => reader.byte());
  if (magic.some((byte, k) => byte !== MAGIC[k])) throw new FormatError(null, 'Draco data', 'other data');
  const version = `${reader.byte()}.${reader.byte()}`;
  if (version !== '2.2') throw new FormatError(null, 'version 2.2 of Draco', version);
  if (reader.byte() !== 1) throw new FormatError(null, 'a mesh compressed with Draco', 'something else');
  const method = reader.byte();
  if (method > 1) throw new FormatError(null, 'a mesh encoding of Draco (0 or 1)', `${method}`);
  const flags = reader.byte() + 256 * reader.byte();
  if ((flags & HAS_METADATA) !== 0) skipMetadata(reader);
  if (method === 0) {
    const faces = reader.number();
    return { faces, points: reader.number(), isExact: true };
  }
  reader.byte(); // how its symbols are coded
  const points = reader.number();
  return { faces: reader.number(), points, isExact: false };
}

function skipMetadata(reader: Reader): void {
  // A set for each attribute after its number, then the mesh's own.
  for (let attributes = reader.number(); attributes >= 0; attributes--) {
    if (attributes > 0) reader.number();
    skipSet(reader);
  }
}

/** Skips a set of names and values, and all sets below it, each with a name. */
function skipSet(reader: Reader): void {
  for (let sets = 1, isFirst = true; sets > 0; sets--, isFirst = false) {
    if (!isFirst) reader.skip(reader.byte());
    for (let entries = reader.number(); entries > 0; entries--) {
      reader.skip(reader.byte());
      reader.skip(reader.number());
    }
    sets += reader.number();
  }
}

class Reader {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  byte(): number {
    if (this.at >= this.bytes.length) throw new FormatError(null, 'more Draco data', `${this.bytes.length} bytes`);
    return this.bytes[this.at++];
  }

  skip(count: number): void {
    this.at += count;
  }

  /** A number of 32 bits, seven a byte, the lowest first; the last byte's highest bit is 0. */
  number(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += scale * (byte & 127);
      if (byte < 128) return value;
      if (scale > 2 ** 28) throw new FormatError(null, 'a 32-bit number in Draco data', 'a larger one');
    }
  }
}
