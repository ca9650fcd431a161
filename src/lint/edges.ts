/**
 * Finds edges that are open, that have inconsistent orientation, or that have more than two
 * triangles. Connected edges are one finding, so a hole is one finding however many edges its rim
 * has.
 */
import { NO_EDGE, NON_MANIFOLD_EDGE, OPEN_EDGE, placeOf, type Shells, UNBALANCED_EDGE } from '../mesh/shells.ts';
import { nextInTriangle, type Surface } from '../mesh/topology.ts';
import { counted, type Findings, LISTED } from './found.ts';
import type { LintRule } from './report.ts';

type EdgeRule = LintRule & ('open-edge' | 'orientation' | 'non-manifold-edge');

const KINDS: readonly [EdgeRule, (kinds: number) => boolean][] = [
  ['open-edge', (kinds) => (kinds & OPEN_EDGE) !== 0],
  ['orientation', (kinds) => (kinds & UNBALANCED_EDGE) !== 0 && (kinds & OPEN_EDGE) === 0],
  ['non-manifold-edge', (kinds) => (kinds & NON_MANIFOLD_EDGE) !== 0],
];

const MESSAGES: Readonly<Record<EdgeRule, (edges: number, triangles: number) => string>> = {
  'open-edge': (edges, triangles) =>
    `the surface does not close: ${counted(edges, 'open edge')} in a run, ${counted(triangles, 'triangle')} at the first`,
  orientation: (edges) => `neighbours disagree which side is outside: at ${counted(edges, 'edge')} in a run`,
  'non-manifold-edge': (edges, triangles) =>
    `more than two triangles at ${counted(edges, 'edge')} in a run, ${triangles.toLocaleString('en-US')} at the first`,
};

export function lintEdges({ positions }: Surface, shells: Shells, found: Findings): void {
  const { corners, edgeKinds } = shells;
  const runs = edgeKinds.some((kinds) => kinds !== 0) ? new Runs(corners, positions.length / 3) : null;
  for (const [rule, isOf] of KINDS) {
    if (!runs || !found.isOn(rule)) continue;
    const firsts = runs.find(edgeKinds, isOf);
    const listed = firsts.slice(0, found.roomOf(rule));
    const triangles = trianglesAt(shells, listed);
    listed.forEach(([edge, edges], i) => {
      const { from, to } = placeOf({ positions, triangles: corners }, edge);
      const point = from.map((x, k) => x / 2 + to[k] / 2);
      const message = MESSAGES[rule](edges, triangles[i].length);
      found.add(rule, { triangles: triangles[i].slice(0, LISTED), count: edges, point, message });
    });
    found.count(rule, firsts.length - listed.length);
  }
}

class Runs {
  private readonly above: Int32Array;

  constructor(
    private readonly corners: Uint32Array,
    vertexCount: number,
  ) {
    this.above = new Int32Array(vertexCount);
  }

  /** Returns the first edge of each run and the number of its edges. */
  find(edgeKinds: Uint8Array, isOf: (kinds: number) => boolean): [edge: number, edges: number][] {
    const { corners, above } = this;
    for (let v = 0; v < above.length; v++) above[v] = v;
    for (let edge = 0; edge < edgeKinds.length; edge++) {
      if (edgeKinds[edge] === 0 || !isOf(edgeKinds[edge])) continue;
      const a = this.root(corners[edge]);
      const b = this.root(corners[nextInTriangle(edge)]);
      above[Math.max(a, b)] = Math.min(a, b);
    }
    const runs = new Map<number, [number, number]>();
    for (let edge = 0; edge < edgeKinds.length; edge++) {
      if (edgeKinds[edge] === 0 || !isOf(edgeKinds[edge])) continue;
      const root = this.root(corners[edge]);
      const run = runs.get(root);
      if (run) run[1]++;
      else runs.set(root, [edge, 1]);
    }
    return [...runs.values()];
  }

  private root(v: number): number {
    const { above } = this;
    while (above[v] !== v) {
      above[v] = above[above[v]];
      v = above[v];
    }
    return v;
  }
}

function trianglesAt({ edgeOf }: Shells, edges: readonly [number, number][]): number[][] {
  const lists: number[][] = edges.map(() => []);
  if (edges.length === 0) return lists;
  const numbers = new Map(edges.map(([edge], i) => [edge, i]));
  for (let side = 0; side < edgeOf.length; side++) {
    if (edgeOf[side] === NO_EDGE) continue;
    const list = lists[numbers.get(edgeOf[side]) ?? -1];
    const triangle = (side / 3) | 0;
    if (list && list.at(-1) !== triangle) list.push(triangle);
  }
  return lists;
}
