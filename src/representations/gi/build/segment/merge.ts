/**
 * Regions merged, the best pair first, as long as the union is a disk or a tube and its shape worth it.
 *
 * Two disks that share s edges, and j vertices that become inner ones when both are one region, have a union with
 * V - E + F = 2 - s + j (regions.ts): b sinks by 2 s, I grows by j. So disks merge to a disk exactly where j = s - 1, and to a
 * tube where j = s - 2; with other numbers than 1 + 1 for the 2, so do disks and tubes. Where the sum is 0 the union is a tube if
 * it has a rim: 2 genus + loops = 2.
 *
 * Merging disks only was tried first: it gets stuck with twice to five times as many charts (fertility 43, knot 54), since
 * around a tube no two disks are left that meet in one arc.
 */
import { regionCost } from './cost.ts';
import type { Patch } from './patch.ts';

/** What two neighbouring charts share. */
interface Seam {
  edges: number;
  /** Vertices that would be inner ones of the union. */
  vertices: number;
  length: number;
}

/**
 * Merges regions as long as their unions are disks or tubes and it pays, the best ones first; relabels from 0.
 *
 * @param pieces V - E + F of every region, 1 or 0
 * @returns V - E + F of those that are left
 */
export function merge(patch: Patch, label: Int32Array, pieces: number[], wanted: number): number[] {
  const count = pieces.length;
  const { twin, fan, isInner, length } = patch;
  const area = new Float64Array(count);
  const perimeter = new Float64Array(count);
  const rimEdges = new Int32Array(count);
  const seams: Map<number, Seam>[] = Array.from({ length: count }, () => new Map());
  const seamOf = (i: number, j: number): Seam => {
    let seam = seams[i].get(j);
    if (seam === undefined) {
      seam = { edges: 0, vertices: 0, length: 0 };
      seams[i].set(j, seam);
      seams[j].set(i, seam);
    }
    return seam;
  };
  for (let t = 0; t < label.length; t++) area[label[t]] += patch.area[t];
  const meeting: Set<number>[] = [];
  const meetingOf = new Int32Array(isInner.length).fill(-1);
  for (let h = 0; h < twin.length; h++) {
    const own = label[(h / 3) | 0];
    const other = twin[h] < 0 ? -1 : label[(twin[h] / 3) | 0];
    if (own === other) continue;
    perimeter[own] += length[h];
    rimEdges[own]++;
    if (other < 0) continue;
    if (h < twin[h]) {
      const seam = seamOf(own, other);
      seam.edges++;
      seam.length += length[h];
    }
    const f = fan[h];
    if (isInner[f] === 0) continue;
    if (meetingOf[f] < 0) meetingOf[f] = meeting.push(new Set()) - 1;
    meeting[meetingOf[f]].add(own).add(other);
  }
  const junctions = meeting.filter((labels) => {
    if (labels.size > 2) return true;
    const [i, j] = labels;
    seamOf(i, j).vertices++;
    return false;
  });
  const junctionsOf: Set<Set<number>>[] = Array.from({ length: count }, () => new Set());
  for (const junction of junctions) for (const i of junction) junctionsOf[i].add(junction);

  let total = 0;
  for (let i = 0; i < count; i++) total += area[i];
  const share = total / wanted;
  const cost = new Float64Array(count);
  const euler = pieces.slice();
  for (let i = 0; i < count; i++) cost[i] = regionCost(euler[i], area[i], perimeter[i], share);
  const into = new Int32Array(count);
  for (let i = 0; i < count; i++) into[i] = i;
  for (;;) {
    let best = 0;
    let left = -1;
    let right = -1;
    for (let i = 0; i < count; i++) {
      if (into[i] !== i) continue;
      for (const [j, seam] of seams[i]) {
        const kind = euler[i] + euler[j] - seam.edges + seam.vertices;
        const rim = perimeter[i] + perimeter[j] - 2 * seam.length;
        // Neither a sphere nor a torus: those have no rim.
        if (j < i || kind < 0 || kind > 1 || rimEdges[i] + rimEdges[j] === 2 * seam.edges) continue;
        const score = regionCost(kind, area[i] + area[j], rim, share) - cost[i] - cost[j];
        if (score < best) {
          best = score;
          left = i;
          right = j;
        }
      }
    }
    if (left < 0) break;
    into[right] = left;
    area[left] += area[right];
    perimeter[left] += perimeter[right] - 2 * seams[left].get(right)!.length;
    const between = seams[left].get(right)!;
    euler[left] += euler[right] - between.edges + between.vertices;
    cost[left] = regionCost(euler[left], area[left], perimeter[left], share);
    rimEdges[left] += rimEdges[right] - 2 * between.edges;
    seams[left].delete(right);
    for (const [j, seam] of seams[right]) {
      if (j === left) continue;
      seams[j].delete(right);
      const joined = seamOf(left, j);
      joined.edges += seam.edges;
      joined.vertices += seam.vertices;
      joined.length += seam.length;
    }
    for (const junction of junctionsOf[right]) {
      junction.delete(right);
      junction.add(left);
      if (junction.size > 2) {
        junctionsOf[left].add(junction);
        continue;
      }
      const [i, j] = junction;
      seamOf(i, j).vertices++;
      junctionsOf[i].delete(junction);
      junctionsOf[j].delete(junction);
    }
  }
  const number = new Int32Array(count).fill(-1);
  let kept = 0;
  for (let i = 0; i < count; i++) if (into[i] === i) number[i] = kept++;
  for (let i = 0; i < count; i++) {
    let root = i;
    while (into[root] !== root) root = into[root];
    number[i] = number[root];
  }
  for (let t = 0; t < label.length; t++) label[t] = number[label[t]];
  return euler.filter((_, i) => into[i] === i);
}
