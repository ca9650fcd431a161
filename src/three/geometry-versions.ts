/** Detects changes to a geometry by three's versions (`needsUpdate`) and its arrays. */
import type { BufferAttribute, BufferGeometry, InterleavedBufferAttribute } from 'three';

export interface Seen {
  position: object | undefined;
  positionVersion: number;
  count: number;
  index: object | null;
  indexVersion: number;
  start: number;
  end: number;
}

export function seenOf({ attributes, index, drawRange }: BufferGeometry): Seen {
  const position = attributes.position as BufferAttribute | InterleavedBufferAttribute | undefined;
  return {
    position,
    positionVersion: position ? versionOf(position) : 0,
    count: position?.count ?? 0,
    index,
    indexVersion: index?.version ?? 0,
    start: drawRange.start,
    end: drawRange.count,
  };
}

const versionOf = (attribute: BufferAttribute | InterleavedBufferAttribute): number =>
  'data' in attribute ? attribute.data.version : attribute.version;

export const isSame = (a: Seen, b: Seen): boolean =>
  a.position === b.position && a.positionVersion === b.positionVersion && hasSameTriangles(a, b);

/** True if only vertices have moved. */
export const hasSameTriangles = (a: Seen, b: Seen): boolean =>
  a.count === b.count &&
  a.index === b.index &&
  a.indexVersion === b.indexVersion &&
  a.start === b.start &&
  a.end === b.end;
