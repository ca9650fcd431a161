/**
 * Which charts: cut in two while that lowers the error, as it is measured on a quick embedding of each.
 *
 * With N samples in all, charts of costs c (squared error times the square of the quads, see allocate.ts) come best to (sum of c^(1/3))^3 / N^2. So a cut
 * pays where the sum of the parts' c^(1/3) is below the whole's. Measured, since stretch alone cuts too much: a seam costs samples and bends what
 * lies beside it.
 */
import type { ManifoldMesh } from '../../../mesh/manifold.ts';
import { bisect, cutIntoDisks } from './segment.ts';

/** What a cut must leave of the cost's cube root, so that seams are few. */
const LEAST_GAIN = 0.94;
/** Charts, beyond which none is cut any more. */
const MOST_CHARTS = 64;

export interface PricedChart {
  triangles: Int32Array;
  /** Infinite where it could not be embedded. */
  cost: number;
  /** Where round the square, from 0 to 4, a vertex of its boundary stood when that was measured. */
  corner: { vertex: number; place: number };
}

/**
 * @param price embeds a chart that is a disk and measures its cost
 * @returns disks; one that cannot be embedded is cut as long as there are two triangles
 */
export function chooseCharts(
  mesh: ManifoldMesh,
  disks: readonly Int32Array[],
  price: (triangles: Int32Array) => PricedChart,
): PricedChart[] {
  const open = disks.map(price);
  const done: PricedChart[] = [];
  // The dearest last.
  open.sort((a, b) => a.cost - b.cost);
  while (open.length > 0) {
    const chart = open.pop()!;
    const isEmbedded = chart.cost < Number.POSITIVE_INFINITY;
    const mayBeCut = chart.triangles.length > 1 && (!isEmbedded || done.length + open.length + 2 <= MOST_CHARTS);
    if (!mayBeCut || chart.cost === 0) {
      done.push(chart);
      continue;
    }
    const parts = halve(mesh, chart.triangles).map(price);
    const sum = parts.reduce((total, { cost }) => total + Math.cbrt(cost), 0);
    if (!isEmbedded || sum < LEAST_GAIN * Math.cbrt(chart.cost)) {
      open.push(...parts);
      open.sort((a, b) => a.cost - b.cost);
    } else done.push(chart);
  }
  return done;
}

const halve = (mesh: ManifoldMesh, triangles: Int32Array): Int32Array[] =>
  bisect(mesh, triangles).flatMap((part) => cutIntoDisks(mesh, part));

/** A chart that could not be embedded after all, cut; its parts' costs are guessed. */
export function cutFurther(mesh: ManifoldMesh, { triangles, cost, corner }: PricedChart): PricedChart[] {
  const parts = halve(mesh, triangles);
  return parts.map((part) => ({ triangles: part, cost: part.length === 1 ? 0 : cost / parts.length ** 3, corner }));
}
