/** Builds hierarchies of k-DOPs, and fits k-DOPs to vertices, in WebAssembly (kernel.as.ts). */
import { OptionError } from '../../base/errors.ts';
import { runBuild, type Workshop, whileBusy, whyNotBuilt } from '../../kernels/memory.ts';
import { KERNEL, type KernelName } from './kernel.generated.ts';
import { type DopSize, dopDirections } from './tree/dop-directions.ts';
import { roundedHeights } from './tree/fixed-point.ts';
import {
  type Coefficients,
  coefficientArray,
  type KdopTree,
  largestCoefficient,
  SMALLEST_EXPONENT,
} from './tree/kdop-tree.ts';

interface Mesh {
  positions: Float64Array | Float32Array;
  triangles: Uint32Array;
}

type Precision = Pick<KdopTree, 'k' | 'bits'>;

type Fitted = Pick<KdopTree, 'coefficients' | 'origin' | 'exponent'>;

type DopWorkshop = Workshop<KernelName>;

/** Leaves between two calls of onProgress. */
const STRIDE = 1 << 16;

/**
 * The tree of all triangles, including degenerate ones: one triangle per leaf, and less than 97
 * levels.
 *
 * @param mesh x, y, z of each vertex, up to 1e100; three vertex numbers a triangle
 * @throws OptionError without WebAssembly, or if its 4 GB of memory are not enough: for some 30
 *   million triangles
 */
export function makeKdops(
  mesh: Mesh,
  precision: Precision,
  onProgress?: (stage: string, fraction: number) => void,
): Fitted & Pick<KdopTree, 'links'> {
  const count = mesh.triangles.length / 3;
  const tree = runBuild(KERNEL, (workshop) => {
    const { memory, functions, hold, giveBack } = workshop;
    const placed = placeMesh(workshop, mesh);
    const links = hold(8 * count);
    const own = [hold(4 * count), hold(48 * count)];
    const scratch = hold(functions.kdopBuildScratch());
    functions.kdopBuildBegin(placed.positions, placed.triangles, count, ...own, links, scratch);
    while (functions.kdopBuildRun(functions.kdopBuildDone() + STRIDE)) {
      // The listener may build another tree.
      whileBusy(() => onProgress?.('tree', functions.kdopBuildDone() / count));
    }
    own.map(giveBack);
    const fitted = fit(workshop, { ...placed, links, nodes: 2 * count - 1 }, precision);
    return fitted && { ...fitted, links: new Uint32Array(new Uint32Array(memory.buffer, links, 2 * count - 1)) };
  });
  if (!tree) throw noKdops();
  return tree;
}

/**
 * Fits the k-DOPs of a hierarchy to a mesh.
 *
 * @returns null if the links are no tree over all triangles, or corners no vertices
 * @throws OptionError as makeKdops
 */
export function fitKdops(mesh: Mesh, links: Uint32Array, precision: Precision): Fitted | null {
  const fitted = runBuild(KERNEL, (workshop) =>
    fit(workshop, { ...placeMesh(workshop, mesh), links: workshop.put(links), nodes: links.length }, precision),
  );
  if (fitted === undefined) throw noKdops();
  return fitted;
}

const noKdops = (): OptionError =>
  new OptionError(`k-DOP trees are made in WebAssembly, ${whyNotBuilt()}; stored trees can be read`);

/** Addresses of doubles and of vertex numbers; the lengths of both, in vertices and triangles. */
interface PlacedMesh {
  positions: number;
  triangles: number;
  vertices: number;
  total: number;
}

interface PlacedTree extends PlacedMesh {
  links: number;
  nodes: number;
}

function placeMesh({ memory, hold, put }: DopWorkshop, { positions, triangles }: Mesh): PlacedMesh {
  const address = hold(8 * positions.length);
  new Float64Array(memory.buffer, address, positions.length).set(positions);
  return {
    positions: address,
    triangles: put(triangles),
    vertices: positions.length / 3,
    total: triangles.length / 3,
  };
}

/** Null if the hierarchy is invalid; throws if memory is short. */
function fit(workshop: DopWorkshop, tree: PlacedTree, { k, bits }: Precision): Fitted | null {
  const { memory, functions, hold, giveBack } = workshop;
  const { positions, triangles, vertices, total, links, nodes } = tree;
  const marks = hold(Math.max(vertices, total + nodes));
  new Uint8Array(memory.buffer, marks, vertices).fill(0);
  if (!functions.kdopUse(positions, vertices, triangles, 3 * total, marks)) return null;
  const heights = new HeightWriter(workshop, tree, { k, bits });
  const { origin, exponent, rows, width } = heights.write();
  new Uint8Array(memory.buffer, marks, total).fill(0);
  const to = hold(width * k * nodes + 16);
  const at = [links, nodes, triangles, total, rows, width, width * k, to, marks];
  if (!functions.kdopRows(...at)) return null;
  giveBack(rows);
  const count = k * nodes;
  if (bits <= 8) functions.kdopNarrow(to, count);
  const numbers = coefficientArray(bits, 0).constructor as new (
    from: SharedView,
    at: number,
    n: number,
  ) => Coefficients;
  // A copy: the memory is shared, and its next user overwrites it.
  return { origin, exponent, coefficients: new numbers(memory.buffer, to, count).slice() };
}

type SharedView = WebAssembly.Memory['buffer'];

// A frame of kernel.as.ts, in doubles.
const TINY = 3;
const MOST = 4;
const PAIRS = 8;
const PAIR = 12;
const ERRORS = 6;
const EXACT_ERRORS = 8;
const LOWEST = 6;
const HIGHEST = 8;

/** Places the rounded heights of all vertices, relative to an origin that suits them. */
class HeightWriter {
  private readonly memory: WebAssembly.Memory;
  private readonly functions: DopWorkshop['functions'];
  private readonly vectors: Float64Array;
  private readonly half: number;
  private readonly bits: number;
  private readonly frame: number;
  private readonly rows: number;
  private readonly doubts: number;
  private readonly width: number;

  constructor(
    { memory, functions, hold }: DopWorkshop,
    private readonly mesh: PlacedMesh,
    { k, bits }: { k: DopSize; bits: number },
  ) {
    this.memory = memory;
    this.functions = functions;
    this.vectors = dopDirections(k).vectors;
    this.half = k / 2;
    this.bits = bits;
    this.width = bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
    this.frame = hold(8 * (PAIRS + PAIR * Math.ceil(k / 4)));
    this.rows = hold(this.width * k * mesh.vertices + 16);
    this.doubts = hold(4 * mesh.vertices + 4);
  }

  write() {
    const { origin, reach } = this.chooseOrigin();
    const { rows, width } = this;
    // The largest coefficient is 1 - 2^(1 - bits) of the scale: a larger one needs the next scale.
    for (let exponent = exponentAbove(reach); ; exponent++) {
      if (this.fill(origin, exponent)) return { origin, exponent, rows, width };
    }
  }

  /** Returns (0, 0, 0), or a point near the mesh's middle if that makes the scale smaller. */
  private chooseOrigin(): { origin: Float64Array; reach: number } {
    const zero = new Float64Array(3);
    const { low, high, reach } = this.measure(zero);
    const middle = low.map((x, i) => x / 2 + high[i] / 2);
    const widest = Math.max(...middle.map((x, i) => Math.max(high[i] - x, x - low[i])));
    if (exponentAbove(reach) <= exponentAbove(widest)) return { origin: zero, reach };
    const exponent = exponentAbove(this.measure(middle).reach);
    if (exponentAbove(reach) <= exponent) return { origin: zero, reach };
    // A number with few digits keeps differences from short coordinates exact.
    const grid = 2 ** (exponent - 10);
    const origin = middle.map((x) => Math.round(x / grid) * grid + 0);
    return { origin, reach: this.measure(origin).reach };
  }

  /** The box of the vertices, relative to a point, and their largest height along any direction. */
  private measure(origin: Float64Array): { low: Float64Array; high: Float64Array; reach: number } {
    const { half } = this;
    const numbers = this.writeFrame(origin, 1);
    this.functions.kdopMeasure(this.mesh.positions, this.mesh.vertices, this.frame, Math.ceil(half / 2));
    const along = (i: number, part: number) => numbers[PAIRS + PAIR * (i >> 1) + part + (i & 1)];
    let reach = 0;
    for (let i = 0; i < half; i++) reach = Math.max(reach, -along(i, LOWEST), along(i, HIGHEST));
    const [low, high] = [LOWEST, HIGHEST].map((part) => Float64Array.of(0, 1, 2).map((i) => along(i, part)));
    return { low, high, reach };
  }

  private writeFrame(origin: Float64Array, factor: number): Float64Array {
    const { half, vectors } = this;
    const pairs = Math.ceil(half / 2);
    const numbers = new Float64Array(this.memory.buffer, this.frame, PAIRS + PAIR * pairs);
    numbers.fill(0);
    numbers.set(origin);
    for (let i = 0; i < 2 * pairs; i++) {
      const at = PAIRS + PAIR * (i >> 1) + (i & 1);
      for (let c = 0; c < 3; c++) numbers[at + 2 * c] = i < half ? vectors[3 * i + c] * factor : 0;
    }
    return numbers;
  }

  /** False if a height is too large for the bits. */
  private fill(origin: Float64Array, exponent: number): boolean {
    const { bits, half, rows, width, doubts } = this;
    const { positions, vertices } = this.mesh;
    const quantumExponent = exponent - bits + 1;
    const numbers = this.writeFrame(origin, 2 ** -quantumExponent);
    numbers[TINY] = 2 ** (quantumExponent - 1000);
    numbers[MOST] = largestCoefficient(bits);
    for (let i = 0; i < 2 * Math.ceil(half / 2); i++) {
      const at = PAIRS + PAIR * (i >> 1) + (i & 1);
      const error = i < half ? 2 ** (bits - 50) : -1;
      numbers[at + ERRORS] = error;
      // The first three directions are the axes.
      numbers[at + EXACT_ERRORS] = i < 3 ? -1 : error;
    }
    const count = this.functions.kdopHeights(positions, vertices, this.frame, half, width, rows, doubts);
    return count >= 0 && this.roundExactly(count, { origin, vectors: this.vectors, quantumExponent });
  }

  private roundExactly(count: number, heights: Parameters<typeof roundedHeights>[3]): boolean {
    const { buffer } = this.memory;
    const k = 2 * this.half;
    const most = largestCoefficient(this.bits);
    const doubts = new Uint32Array(buffer, this.doubts, count);
    const length = k * this.mesh.vertices;
    const rows =
      this.width === 2
        ? new Int16Array(buffer, this.rows, length)
        : this.width === 4
          ? new Int32Array(buffer, this.rows, length)
          : new Float64Array(buffer, this.rows, length);
    const row = new Float64Array(k);
    const point = new Float64Array(3);
    for (const v of doubts) {
      point.set(new Float64Array(buffer, this.mesh.positions + 24 * v, 3));
      roundedHeights(point[0], point[1], point[2], heights, row, 0);
      if (row.some((height) => height > most || height < -most)) return false;
      rows.set(row, k * v);
    }
    return true;
  }
}

/** Returns the least e with reach < 2^e, at least SMALLEST_EXPONENT; 0 for a single point. */
function exponentAbove(reach: number): number {
  if (reach === 0) return 0;
  let exponent = SMALLEST_EXPONENT;
  for (let step = 1024; step >= 1; step /= 2) if (2 ** (exponent + step - 1) <= reach) exponent += step;
  return exponent;
}
