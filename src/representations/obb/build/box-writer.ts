/**
 * Writes boxes of 40 and of 20 bytes a node: whatever has chosen their axes, builds and updates
 * alike.
 *
 * Conservative after decompression. The orientation is rounded first and decoded again; extents are
 * then fitted in the frame that the stored numbers decode to, about the centre that they decode to,
 * and rounded up. A point p of the box must be c + R s with |s_i| <= h_i; s = R^-1 (p - c) differs
 * from R^T (p - c) by at most 2^-48 |p - c| (quaternion.ts), the products round by less, and p -
 * origin and c = origin + f round by at most 2^-53 of the coordinates' size each: `margin` is added
 * for all of these.
 */
import type { StoredMesh } from '../../../containers/mesh-sections.ts';
import { floatExtent } from '../../../mesh/extent.ts';
import { DECODED, NodeReader, QUATERNION_STEP } from '../tree/node.ts';
import { quaternionOf } from '../tree/quaternion.ts';

export class BoxWriter {
  readonly origin: Float64Array;
  readonly scale: Float64Array;
  /** Vertices relative to the origin. */
  readonly local: Float64Array;
  /** What `extentsAlong` found. */
  readonly low = new Float64Array(3);
  readonly high = new Float64Array(3);
  private readonly triangles: Uint32Array;
  private readonly margin: number;
  private readonly floats: Float32Array;
  private readonly shorts: Int16Array;
  private readonly unsigned: Uint16Array;
  private readonly reader: NodeReader;

  /**
   * @param nodes written to, from the start of their buffer
   * @param order ranges are of these triangles, wherever they stand when one is asked for
   * @throws MeshError for coordinates beyond what float32 nodes hold
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
    // Centres lie within the ball about the box of the vertices, or (that of a tilted box) are
    // pulled into reach, half extents below its diameter.
    this.scale = nodeBytes === 40 ? Float64Array.of(1, 1) : Float64Array.of(reach / 32767, (2 * reach) / 65535);
    this.margin = 2 ** -46 * reach + 2 ** -50 * largest;
    this.local = new Float64Array(positions.length);
    for (let i = 0; i < positions.length; i++) this.local[i] = positions[i] - origin[i % 3];
    this.floats = new Float32Array(nodes.buffer, 0, nodes.length >> 2);
    this.shorts = new Int16Array(nodes.buffer);
    this.unsigned = new Uint16Array(nodes.buffer);
    this.reader = new NodeReader(nodes, nodeBytes, origin, this.scale);
  }

  /** Rounds and stores the orientation, and leaves the axes (rows) as they decode. */
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

  /** The axes of a node, in rows. */
  axesOf(node: number, axes: Float64Array): void {
    this.reader.decode(node, decoded, 0);
    for (let row = 0; row < 3; row++) for (let i = 0; i < 3; i++) axes[3 * row + i] = decoded[3 * i + row];
  }

  /** Stores the centre of a range, then fits the extents to what the node decodes to. */
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

  /**
   * Leaves the lowest and highest projections of every `step`th triangle of the range on the axes
   * in `low` and `high`.
   */
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

/** The float32 next to x, no farther from 0. */
function towardsZero(x: number): number {
  const rounded = Math.fround(x);
  return Math.abs(rounded) <= Math.abs(x) ? rounded : Math.fround(x * (1 - 2 ** -24));
}

/** The least float32 that is at least x >= 0, or a little above. */
function upwards(x: number): number {
  const rounded = Math.fround(x);
  return rounded >= x ? rounded : Math.fround(x * (1 + 2 ** -23) + 2 ** -149);
}
