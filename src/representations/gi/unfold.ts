/** A geometry image as the common engine sees it: spheres without extents, a quad's two triangles to a leaf. */
import { type NodeWriter, ROOT } from '../../query/bound-tree.ts';
import { cutsDown, type GeometryImage, sizeOf } from './geometry-image.ts';
import { nodeOffset } from './sphere-tree.ts';

/** A node in one integer: level, row and column; 4 + 13 + 13 bits. */
export const LEVEL_SHIFT = 26;
export const ROW_SHIFT = 13;
export const COORDINATE_MASK = (1 << 13) - 1;

/** Writes the root, or the four children of a node; those of the last level are leaves. */
export function unfoldGeometryImage(image: GeometryImage, node: number, into: NodeWriter): void {
  if (node === ROOT) {
    write(image, 0, 0, 0, into);
    return;
  }
  const level = (node >> LEVEL_SHIFT) + 1;
  const row = 2 * ((node >> ROW_SHIFT) & COORDINATE_MASK);
  const column = 2 * (node & COORDINATE_MASK);
  for (let k = 0; k < 4; k++) write(image, level, row + (k >> 1), column + (k & 1), into);
}

function write(image: GeometryImage, level: number, row: number, column: number, into: NodeWriter): void {
  const { exponent, origin, step, tree } = image;
  const at =
    level === exponent
      ? into.leaf(2 * (row * (1 << exponent) + column), 2)
      : into.branch((level << LEVEL_SHIFT) | (row << ROW_SHIFT) | column);
  const { bounds } = into;
  const o = nodeOffset(exponent, level, row, column);
  bounds.fill(0, at, at + 16);
  for (let k = 0; k < 3; k++) bounds[at + k] = origin[k] + tree.page[o + k] * step;
  bounds[at + 3] = tree.page[o + 3] * tree.radiusSteps[level];
  bounds[at + 4] = bounds[at + 9] = bounds[at + 14] = 1;
}

/** Triangle `id`, quad * 2 + half, decoded. */
export function hullOfGeometryImage(image: GeometryImage, id: number, out: Float64Array): number {
  const { exponent, geometry, origin, step } = image;
  const size = sizeOf(exponent);
  const quad = id >> 1;
  const row = quad >> exponent;
  const column = quad & ((1 << exponent) - 1);
  const a = row * size + column;
  const corners = cornersOf(a, size, (id & 1) === 0, cutsDown(geometry, size, row, column));
  for (let k = 0; k < 3; k++) {
    for (let i = 0; i < 3; i++) out[3 * k + i] = origin[i] + geometry[3 * corners[k] + i] * step;
  }
  return 3;
}

const corner = new Int32Array(3);

/** The vertices of one half of the quad at vertex a. */
function cornersOf(a: number, size: number, first: boolean, down: boolean): Int32Array {
  const b = a + 1;
  const c = a + size;
  const d = c + 1;
  corner[0] = first || down ? a : b;
  corner[1] = down ? (first ? d : b) : first ? b : d;
  corner[2] = down && !first ? d : c;
  return corner;
}

/** At least how far any vertex or centre of the image, and the largest radius, reaches from the origin of coordinates. */
export function reachOfGeometryImage(image: GeometryImage): number {
  const [x, y, z] = image.origin;
  return 4 * (Math.max(Math.abs(x), Math.abs(y), Math.abs(z)) + 65535 * image.step);
}
