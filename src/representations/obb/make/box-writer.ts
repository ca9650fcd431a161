/**
 * Writes boxes of 40 and of 20 bytes per node along given axes, for builds and updates.
 *
 * Conservative after decompression: the orientation is rounded first and decoded again. Extents are
 * then fitted in the decoded frame, about the decoded center, and rounded up. A point p of the box
 * must be c + R s with |s_i| <= h_i. These errors occur:
 *   s = R^-1 (p - c) differs from R^T (p - c) by at most 2^-48 |p - c| (node.ts).
 *   The products round by less.
 *   p - origin and c = origin + f round by at most 2^-53 of the coordinates' size each.
 * `margin` covers all of them.
 */
import type { StoredMesh } from '../../../containers/mesh-sections.ts';
import { floatExtent } from '../../../mesh/extent.ts';
import { DECODED, NodeReader, QUATERNION_STEP, quaternionOf } from '../tree/node.ts';

export class BoxWriter {
  readonly origin: Float64Array;
  readonly scale: Float64Array;
  readonly local: Float64Array;
  readonly low = new Float64Array(3);
  readonly high = new Float64Array(3);
  private readonly triangles: Uint32Array;
  private readonly margin: number;
  private readonly floats: Float32Array;
  private readonly shorts: Int16Array;
  private readonly unsigned: Uint16Array;
  private readonly reader: NodeReader;

  /**
   * @param nodes written to; starts at the start of its buffer
   * @param order ranges refer to these triangles as they are at the time of the call
   * @throws MeshError for coordinates beyond the range of float32 nodes
   */
  constructor(
    { positions, triangles }: StoredMesh,
    private readonly nodeBytes: 40 | 20,
    nodes: Uint8Array,
    private readonly order: Uint32Array,
  ) {
    const { origin, reach, largest } = floatExtent(positions, triangles);
    this.origin = origin;
    this.triangles = triangles;
    // Centers lie within the ball about the vertices' box, or (tilted boxes) are pulled into reach.
    this.scale = nodeBytes === 40 ? Float64Array.of(1, 1) : Float64Array.of(reach / 32767, (2 * reach) / 65535);
    this.margin = 2 ** -46 * reach + 2 ** -50 * largest;
    this.local = new Float64Array(positions.length);
    for (let i = 0; i < positions.length; i++) this.local[i] = positions[i] - origin[i % 3];
    this.floats = new Float32Array(nodes.buffer, 0, nodes.length >> 2);
    this.shorts = new Int16Array(nodes.buffer);
    this.unsigned = new Uint16Array(nodes.buffer);
    this.reader = new NodeReader(nodes, nodeBytes, origin, this.scale);
  }

  setAxes(node: number, axes: Float64Array): void {
    quaternionOf(axes, quaternion);
    const k = 10 * node;
    if (this.nodeBytes === 40) {
      for (let i = 0; i < 3; i++) this.floats[k + i] = towardsZero(quaternion[i]);
    } else {
      for (let i = 0; i < 3; i++) this.shorts[k + i] = Math.trunc(quaternion[i] / QUATERNION_STEP);
    }
    this.axesOf(node, axes);
  }

  axesOf(node: number, axes: Float64Array): void {
    this.reader.decode(node, decoded, 0);
    for (let row = 0; row < 3; row++) for (let i = 0; i < 3; i++) axes[3 * row + i] = decoded[3 * i + row];
  }

  fit(node: number, start: number, end: number, axes: Float64Array): void {
    const { low, high } = this;
    const k = 10 * node;
    this.extentsAlong(start, end, 1, axes);
    for (let i = 0; i < 3; i++) {
      let centre = 0;
      for (let row = 0; row < 3; row++) centre += ((low[row] + high[row]) / 2) * axes[3 * row + i];
      if (this.nodeBytes === 40) this.floats[k + 3 + i] = centre;
      else this.shorts[k + 3 + i] = Math.max(-32767, Math.min(32767, Math.round(centre / this.scale[0])));
    }
    this.reader.decode(node, decoded, 0);
    for (let row = 0; row < 3; row++) {
      let centre = 0;
      for (let i = 0; i < 3; i++) centre += axes[3 * row + i] * (decoded[9 + i] - this.origin[i]);
      const half = Math.max(high[row] - centre, centre - low[row]) * (1 + 2 ** -40) + this.margin;
      if (this.nodeBytes === 40) this.floats[k + 6 + row] = upwards(half);
      else {
        let steps = Math.ceil(half / this.scale[1]);
        if (steps * this.scale[1] < half) steps++;
        this.unsigned[k + 6 + row] = steps;
      }
    }
  }

  extentsAlong(start: number, end: number, step: number, axes: Float64Array): void {
    const { local, order, triangles, low, high } = this;
    let lx = Number.POSITIVE_INFINITY;
    let ly = lx;
    let lz = lx;
    let hx = Number.NEGATIVE_INFINITY;
    let hy = hx;
    let hz = hx;
    const [ax, ay, az, bx, by, bz, cx, cy, cz] = axes;
    for (let i = start; i < end; i += step) {
      const t = 3 * order[i];
      for (let k = t; k < t + 3; k++) {
        const v = 3 * triangles[k];
        const x = local[v];
        const y = local[v + 1];
        const z = local[v + 2];
        const p = ax * x + ay * y + az * z;
        const q = bx * x + by * y + bz * z;
        const r = cx * x + cy * y + cz * z;
        if (p < lx) lx = p;
        if (p > hx) hx = p;
        if (q < ly) ly = q;
        if (q > hy) hy = q;
        if (r < lz) lz = r;
        if (r > hz) hz = r;
      }
    }
    low[0] = lx;
    low[1] = ly;
    low[2] = lz;
    high[0] = hx;
    high[1] = hy;
    high[2] = hz;
  }
}

const quaternion = new Float64Array(3);
const decoded = new Float64Array(DECODED);

function towardsZero(x: number): number {
  const rounded = Math.fround(x);
  return Math.abs(rounded) <= Math.abs(x) ? rounded : Math.fround(x * (1 - 2 ** -24));
}

function upwards(x: number): number {
  const rounded = Math.fround(x);
  return rounded >= x ? rounded : Math.fround(x * (1 + 2 ** -23) + 2 ** -149);
}
