/** The placed parts of a wide tree (layout.as.ts) that updates also read and write. */
import type { Kernels } from '../../../kernels/memory.ts';
import { CORNERS, LOCAL_REACH, NODES, ORIGIN, POSITIONS, REACH, RECORD_BYTES } from './layout.as.ts';

/** Addresses of a placed tree's arrays that change with its vertices or identify them. */
export interface PlacedArrays {
  nodes: number;
  corners: number;
  positions: number;
}

export function placedArrays({ memory }: Kernels, record: number): PlacedArrays {
  const from = new DataView(memory.buffer, record, RECORD_BYTES);
  return {
    nodes: from.getUint32(NODES, true),
    corners: from.getUint32(CORNERS, true),
    positions: from.getUint32(POSITIONS, true),
  };
}

export function writePlacedNumbers(
  { memory }: Kernels,
  record: number,
  { origin, reach, localReach }: { origin: Float64Array; reach: number; localReach: number },
): void {
  const into = new DataView(memory.buffer, record, RECORD_BYTES);
  for (let k = 0; k < 3; k++) into.setFloat64(ORIGIN + 8 * k, origin[k], true);
  into.setFloat64(REACH, reach, true);
  into.setFloat64(LOCAL_REACH, localReach, true);
}

/** Copies the triangles' vertices in leaf order, so that a query reads adjacent memory. */
export function writeCorners(corners: Uint32Array, order: Uint32Array, triangles: Uint32Array): void {
  for (let i = 0; i < order.length; i++) {
    const t = 3 * order[i];
    corners[3 * i] = triangles[t];
    corners[3 * i + 1] = triangles[t + 1];
    corners[3 * i + 2] = triangles[t + 2];
  }
}
