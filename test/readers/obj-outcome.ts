/** What an OBJ reader made of some bytes, in a form that two readers can be compared by. */

import { FormatError } from '../../src/base/errors.ts';
import { readObj } from '../../src/readers/obj/obj.ts';

export const PARSERS = ['obj-file-parser', 'scanner'] as const;

/** Coordinates by their bits, so that -0 differs from 0; an error by its message. Anything else that is thrown passes. */
export function outcome(bytes: Uint8Array, parser: (typeof PARSERS)[number]): object {
  try {
    const { positions, triangles, groups, skipped } = readObj(bytes, { parser });
    return {
      bits: Array.from(new BigUint64Array(positions.buffer)),
      triangles: Array.from(triangles),
      groups,
      skipped,
    };
  } catch (error) {
    if (error instanceof FormatError) return { error: error.message };
    throw error;
  }
}

export const text = (source: string): Uint8Array => new TextEncoder().encode(source);
