/**
 * Stores the source's triangles in an image's file: a blob (containers/blob.ts) that other readers
 * of the TIFF skip.
 */

import { FormatError } from '../../../base/errors.ts';
import { type ReadOptions, readBlob, sectionOf, writeBlob } from '../../../containers/blob.ts';
import { meshSections, narrowPositions, readMesh } from '../../../containers/mesh-sections.ts';
import type { EmbeddedSource } from '../tree/geometry-image.ts';

const KIND = 'src';
const VERSION = 1;
const LARGEST_COORDINATE = 1e110;

export function encodeSource({ positions, triangles, offsets, items }: EmbeddedSource): Promise<Uint8Array> {
  const counts = new Uint32Array(offsets.length - 1);
  for (let quad = 0; quad < counts.length; quad++) counts[quad] = offsets[quad + 1] - offsets[quad];
  const isNarrow = counts.every((count) => count < 65536);
  return writeBlob(KIND, VERSION, { vertices: positions.length / 3, triangles: triangles.length / 3 }, [
    ...meshSections({ positions: narrowPositions(positions), triangles }),
    { name: 'counts', data: isNarrow ? Uint16Array.from(counts) : counts },
    { name: 'items', data: items },
  ]);
}

/** Throws FormatError unless it is such a blob. `quads` is the image's number of quads. */
export async function decodeSource(bytes: Uint8Array, quads: number, options?: ReadOptions): Promise<EmbeddedSource> {
  const blob = await readBlob(bytes, KIND, [VERSION], options);
  const { vertices, triangles: count } = blob.header;
  for (const number of [vertices, count]) {
    if (!(Number.isInteger(number) && (number as number) >= 0))
      throw new FormatError(null, 'numbers of vertices and triangles in the embedded source', String(number));
  }
  const mesh = readMesh(blob, vertices as number, count as number, LARGEST_COORDINATE);
  const isNarrow = blob.sections.get('counts') instanceof Uint16Array;
  const counts = sectionOf(blob, 'counts', isNarrow ? 'u16' : 'u32', quads);
  const items = sectionOf(blob, 'items', 'u32');
  const offsets = new Uint32Array(quads + 1);
  let sum = 0;
  for (let quad = 0; quad < quads; quad++) {
    sum += counts[quad];
    if (sum > items.length) break;
    offsets[quad + 1] = sum;
  }
  if (sum !== items.length)
    throw new FormatError(null, `${items.length} triangles in the quads' lists`, `${sum} or more`);
  const odd = items.find((triangle) => triangle >= (count as number));
  if (odd !== undefined) throw new FormatError(null, `triangle numbers below ${count} in the quads' lists`, `${odd}`);
  return { positions: Float64Array.from(mesh.positions), triangles: mesh.triangles, offsets, items };
}
