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

/** True if a geometry has not changed since it was seen. */
export function isCurrent(seen: Seen, geometry: BufferGeometry): boolean {
  const position = geometry.attributes.position as BufferAttribute | InterleavedBufferAttribute | undefined;
  if (seen.position !== position || (position && seen.positionVersion !== versionOf(position))) return false;
  return hasSameTriangles(seen, geometry);
}

/** True if at most vertices have moved. */
export const hasSameTriangles = (seen: Seen, { attributes, index, drawRange }: BufferGeometry): boolean =>
  seen.count === (attributes.position?.count ?? 0) &&
  seen.index === index &&
  seen.indexVersion === (index?.version ?? 0) &&
  seen.start === drawRange.start &&
  seen.end === drawRange.count;
