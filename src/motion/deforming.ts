/**
 * Finds the first contact of meshes whose vertices move along straight lines from one set of
 * positions to another: of two meshes, or of one with itself.
 *
 * Trees of swept boxes (swept-tree.ts), refitted to each step, leave pairs of triangles. Each is
 * tested up to the `from` of the earliest sure contact so far (triangle-impact.ts). Every pair is
 * apart before its own `from`, so all are apart before the least of these.
 */

import { OptionError } from '../base/errors.ts';
import { requireMeshArrays, requireOptionTypes, requirePositions, requireThat } from '../base/require.ts';
import { derived } from '../engine/asset-cache.ts';
import type { ContactPair } from '../engine/records.ts';
import { type ImpactTimes, movingTriangles, triangleImpact } from '../geometry/triangle-impact.ts';
import { weld } from '../mesh/clean.ts';
import type { Surface } from '../mesh/topology.ts';
import { readTriangle } from '../mesh/topology.ts';
import type { Impact, ImpactOptions } from './motion.ts';
import { forSweptPairs, SweptTree } from './swept-tree.ts';

/** Options for deforming meshes; times are from 0 to 1. */
export type DeformOptions = Pick<ImpactOptions, 'timeResolution' | 'clearance' | 'budget'>;

/** Positions of all vertices: x, y, z each, in the order of the mesh. */
export type Positions = Float64Array | Float32Array;

/** Cubes of coordinates and squares of areas stay far from the ends of doubles. */
const LARGEST_COORDINATE = 1e60;
const SHORTEST_RESOLUTION = 2 ** -40;
const PAIRS_BETWEEN = 64;

const OPTIONS = { timeResolution: 'number', clearance: 'number', budget: 'number' } as const;

interface Asked {
  resolution: number;
  clearance: number;
  deadline: number;
}

const trees = /* @__PURE__ */ derived<Surface, SweptTree>();
const twins = /* @__PURE__ */ derived<Surface, SweptTree>();
const welds = /* @__PURE__ */ derived<Surface, Int32Array>();

/**
 * Finds the first contact of two deforming meshes, at any time from 0 to 1.
 *
 * Every vertex moves along a straight line at constant speed. `clear` and `first.from` are proved:
 * the two share no point before. At `first.to` they surely touch, or are surely within the
 * clearance. Only surfaces count: the inside of a closed mesh is empty. For a sequence of frames,
 * pass the same two mesh records each time: their trees are kept.
 *
 * @param a any triangles; their own positions only guide the build of the tree
 * @param b the same
 * @param positionsA0 of all vertices of a at time 0, in the common frame
 * @param positionsA1 of the same at time 1
 * @param positionsB0 of all vertices of b at time 0
 * @param positionsB1 of the same at time 1
 * @throws OptionError, MeshError for invalid options and coordinates
 * @example const mesh = readObj(await readFile('assets/bunny.obj'));
 *          const still = mesh.positions;
 *          const [from, to] = [3, -3].map((x) => still.map((c, i) => (i % 3 === 0 ? c + x : c)));
 *          const { verdict, first } = impactOfDeforming(mesh, mesh, still, still, from, to);
 *          verdict // 'contact'
 *          first.to - first.from < 1e-5 // true
 */
export function impactOfDeforming(
  a: Surface,
  b: Surface,
  positionsA0: Positions,
  positionsA1: Positions,
  positionsB0: Positions,
  positionsB1: Positions,
  options: DeformOptions = {},
): Impact {
  const asked = requireAsked(options);
  const [a0, a1] = requireStep(a, positionsA0, positionsA1, ['a', 'positionsA0', 'positionsA1']);
  const [b0, b1] = requireStep(b, positionsB0, positionsB1, ['b', 'positionsB0', 'positionsB1']);
  const search = new Search(a.triangles, b.triangles, a0, a1, b0, b1, asked);
  const treeA = sweptTreeOf(a, a0, a1, trees);
  const treeB = sweptTreeOf(b, b0, b1, a === b ? twins : trees);
  if (treeA && treeB) forSweptPairs(treeA, treeB, asked.clearance, search.count, (t, u) => search.take(t, u));
  return search.answer();
}

/**
 * Finds the first contact of a deforming mesh with itself. Triangles that share a vertex are not
 * tested, because neighbors always touch. Vertices at one point from start to end count as shared.
 *
 * @param positions0 of all vertices at time 0
 * @param positions1 of all vertices at time 1
 * @throws OptionError, MeshError for invalid options and coordinates
 * @example const mesh = readObj(await readFile('assets/bunny.obj'));
 *          const half = mesh.positions.map((x) => x / 2);
 *          selfImpactOfDeforming(mesh, mesh.positions, half).verdict // 'clear'
 */
export function selfImpactOfDeforming(
  mesh: Surface,
  positions0: Positions,
  positions1: Positions,
  options: DeformOptions = {},
): Impact {
  const asked = requireAsked(options);
  const [from, to] = requireStep(mesh, positions0, positions1, ['mesh', 'positions0', 'positions1']);
  const { triangles } = mesh;
  const search = new Search(triangles, triangles, from, to, from, to, asked);
  const first = commonVertices(mesh, from, to);
  const corner = (c: number): number => first[triangles[c]];
  const areNeighbours = (t: number, u: number): boolean => {
    for (let k = 3 * t; k < 3 * t + 3; k++) {
      const v = corner(k);
      if (v === corner(3 * u) || v === corner(3 * u + 1) || v === corner(3 * u + 2)) return true;
    }
    return false;
  };
  const tree = sweptTreeOf(mesh, from, to, trees);
  if (tree)
    forSweptPairs(tree, tree, asked.clearance, search.count, (t, u) =>
      areNeighbours(t, u) ? false : t < u ? search.take(t, u) : search.take(u, t),
    );
  return search.answer();
}

function commonVertices(mesh: Surface, from: Float64Array, to: Float64Array): Int32Array {
  let own = welds.get(mesh);
  if (!own) welds.set(mesh, (own = weld(mesh).representative));
  return own.map((w, v) => (w >= 0 && isAt(from, v, w) && isAt(to, v, w) ? w : v));
}

const isAt = (p: Float64Array, v: number, w: number): boolean =>
  p[3 * v] === p[3 * w] && p[3 * v + 1] === p[3 * w + 1] && p[3 * v + 2] === p[3 * w + 2];

class Search {
  readonly count = { boxes: 0 };
  readonly #moving = movingTriangles();
  readonly #found: ImpactTimes = { from: Infinity, to: Infinity, stretches: 0 };
  #from = Infinity;
  #to = Infinity;
  /** The `from` of the pair surely in contact at `to`; later times are not searched. */
  #before = Infinity;
  #pair: ContactPair | null = null;
  #undecided: ContactPair | null = null;
  #asked = 0;
  #isLate = false;

  constructor(
    readonly trianglesA: Uint32Array,
    readonly trianglesB: Uint32Array,
    readonly a0: Float64Array,
    readonly a1: Float64Array,
    readonly b0: Float64Array,
    readonly b1: Float64Array,
    readonly options: Asked,
  ) {}

  /** Returns true to end the search. */
  take(t: number, u: number): boolean {
    const moving = this.#moving;
    const found = this.#found;
    const { resolution, clearance, deadline } = this.options;
    if (++this.#asked % PAIRS_BETWEEN === 0 && deadline < Infinity && performance.now() >= deadline) {
      this.#isLate = true;
      return true;
    }
    readTriangle(this.a0, this.trianglesA, t, moving.a0);
    readTriangle(this.a1, this.trianglesA, t, moving.a1);
    readTriangle(this.b0, this.trianglesB, u, moving.b0);
    readTriangle(this.b1, this.trianglesB, u, moving.b1);
    triangleImpact(moving, clearance, resolution, this.#before, found);
    if (found.from < this.#from) {
      this.#from = found.from;
      this.#undecided = [t, u];
    }
    if (found.to < this.#to) {
      this.#to = found.to;
      this.#before = found.from;
      this.#pair = [t, u];
    }
    return this.#to === 0;
  }

  answer(): Impact {
    const tests = { bounds: this.count.boxes, hulls: this.#asked, times: this.#found.stretches };
    const from = this.#isLate ? 0 : this.#from;
    const rest = { intervals: null, distance: null, tests };
    if (from === Infinity) return { verdict: 'clear', first: null, pair: null, ...rest };
    if (this.#to === Infinity) return { verdict: 'undecided', first: { from, to: 1 }, pair: this.#undecided, ...rest };
    return { verdict: 'contact', first: { from, to: this.#to }, pair: this.#pair, ...rest };
  }
}

function sweptTreeOf(
  mesh: Surface,
  from: Float64Array,
  to: Float64Array,
  known: WeakMap<Surface, SweptTree>,
): SweptTree | null {
  if (mesh.triangles.length === 0) return null;
  let tree = known.get(mesh);
  tree?.sweep(from, to);
  if (!tree || tree.hasGrown) {
    tree = new SweptTree(mesh.triangles, from);
    tree.sweep(from, to);
    known.set(mesh, tree);
  }
  return tree;
}

function requireStep(
  mesh: Surface,
  from: Positions,
  to: Positions,
  [name, nameOfFrom, nameOfTo]: readonly [string, string, string],
): [Float64Array, Float64Array] {
  if (!trees.has(mesh)) requireMeshArrays(mesh, name);
  const count = mesh.positions.length;
  requirePositions(from, count, LARGEST_COORDINATE, nameOfFrom);
  requirePositions(to, count, LARGEST_COORDINATE, nameOfTo);
  return [doubles(from), doubles(to)];
}

const doubles = (positions: Positions): Float64Array =>
  positions instanceof Float64Array ? positions : Float64Array.from(positions);

function requireAsked(options: DeformOptions): Asked {
  requireOptionTypes(options, OPTIONS);
  const { timeResolution = 2 ** -20, clearance = 0, budget } = options;
  const isPart = timeResolution >= SHORTEST_RESOLUTION && timeResolution <= 1;
  requireThat(isPart, 'timeResolution', `a part of the time, from ${SHORTEST_RESOLUTION} to 1`, timeResolution);
  requireThat(clearance >= 0 && clearance <= LARGEST_COORDINATE, 'clearance', 'a length from 0', clearance);
  if (budget !== undefined && !(budget >= 0))
    throw new OptionError(`budget: expected milliseconds from 0, found ${budget}`);
  // A power of two, so that times have few digits.
  const resolution = Math.min(1 / 4, 2 ** Math.floor(Math.log2(timeResolution)));
  return { resolution, clearance, deadline: budget === undefined ? Infinity : performance.now() + budget };
}
