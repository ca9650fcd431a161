/** Reads the numbers of a PLY file's body in any encoding. */
import { FormatError, type Place } from '../base/errors.ts';
import { grouped } from '../base/printable.ts';
import { type PlyElement, type PlyType, TYPE_BYTES } from './ply-header.ts';
import { quote } from './text.ts';
import type { TextCursor } from './text-cursor.ts';

export interface PlyValues {
  /** In a binary file the number may not be finite. */
  next(type: PlyType): number;
  skip(type: PlyType, count: number): void;
  /** Throws FormatError if the file is too short. */
  requireList(type: PlyType, count: number): void;
  /**
   * Before memory is allocated; lists may be empty. Throws FormatError if the file is too short.
   */
  requireElements(element: PlyElement): void;
  place(): Place;
  /** Describes data after the last element; null if there are none. */
  end(): string | null;
}

export class BinaryValues implements PlyValues {
  readonly #view: DataView;
  readonly #isLittle: boolean;
  #at: number;
  #last = 0;

  constructor(bytes: Uint8Array, at: number, encoding: 'little' | 'big') {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#at = at;
    this.#isLittle = encoding === 'little';
  }

  next(type: PlyType): number {
    const at = this.#at;
    this.#last = at;
    this.#at = at + TYPE_BYTES[type];
    if (this.#at > this.#view.byteLength) throw new FormatError({ byte: at }, 'a number', 'the end of the file');
    switch (type) {
      case 0:
        return this.#view.getInt8(at);
      case 1:
        return this.#view.getUint8(at);
      case 2:
        return this.#view.getInt16(at, this.#isLittle);
      case 3:
        return this.#view.getUint16(at, this.#isLittle);
      case 4:
        return this.#view.getInt32(at, this.#isLittle);
      case 5:
        return this.#view.getUint32(at, this.#isLittle);
      case 6:
        return this.#view.getFloat32(at, this.#isLittle);
      default:
        return this.#view.getFloat64(at, this.#isLittle);
    }
  }

  skip(type: PlyType, count: number): void {
    this.#last = this.#at;
    this.#at += TYPE_BYTES[type] * count;
    if (this.#at > this.#view.byteLength) throw new FormatError(this.place(), 'a number', 'the end of the file');
  }

  requireList(type: PlyType, count: number): void {
    const left = this.#view.byteLength - this.#at;
    if (count * TYPE_BYTES[type] > left) throw shortList(this.place(), count, `${grouped(left)} bytes`);
  }

  requireElements({ name, count, properties }: PlyElement): void {
    const least = properties.reduce((sum, { type, length }) => sum + TYPE_BYTES[length ?? type], 0);
    const left = this.#view.byteLength - this.#at;
    if (count * least > left) throw shortBody({ byte: this.#at }, name, count, least * count, left);
  }

  place(): Place {
    return { byte: this.#last };
  }

  end(): string | null {
    const left = this.#view.byteLength - this.#at;
    return left > 0 ? `${grouped(left)} bytes behind the last element were skipped` : null;
  }
}

export class TextValues implements PlyValues {
  readonly #cursor: TextCursor;

  constructor(cursor: TextCursor) {
    this.#cursor = cursor;
  }

  next(): number {
    this.#cursor.toWord();
    return this.#cursor.number();
  }

  skip(_: PlyType, count: number): void {
    for (let k = 0; k < count; k++) {
      if (!this.#cursor.toWord()) throw this.#cursor.wrong('a number');
      this.#cursor.passWord();
    }
  }

  requireList(_: PlyType, count: number): void {
    const left = this.#left();
    // A letter and a blank each, but for the last.
    if (2 * count - 1 > left) throw shortList(this.place(), count, `${grouped(left)} bytes`);
  }

  requireElements({ name, count, properties }: PlyElement): void {
    const least = 2 * count * properties.length - 1;
    const left = this.#left();
    if (least > left) throw shortBody(this.place(), name, count, least, left);
  }

  place(): Place {
    return { line: this.#cursor.line };
  }

  end(): string | null {
    // An earlier element may have had the surplus number.
    if (this.#cursor.toWord()) throw this.#cursor.wrong('the end of the file after the last element');
    return null;
  }

  #left(): number {
    return this.#cursor.bytes.length - this.#cursor.at;
  }
}

const shortList = (place: Place, count: number, found: string) =>
  new FormatError(place, `a list of ${grouped(count)} numbers`, found);

const shortBody = (place: Place, name: string, count: number, least: number, left: number) =>
  new FormatError(place, `${grouped(least)} bytes or more for ${grouped(count)} ${quote(name)}`, grouped(left));
