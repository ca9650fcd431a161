/**
 * Solids whose faces are parts of surfaces (IfcAdvancedBrep and others), written as triangles. An
 * edge gets its corners once, so that the faces on both of its sides have the same points.
 */
import { orientConsistently } from '../../../mesh/topology.ts';
import { type StepValue, wordOf } from '../step-records.ts';
import { curveOf, flatten, trim } from './curves.ts';
import { faceSet } from './draft.ts';
import { cutFace, FaceFault, type Points } from './faces.ts';
import { cross, distance, dot, type Lowering, minus, threeOf } from './step.ts';
import { isDoublyCurved, planeOf, type Surface, surfaceOf } from './surfaces.ts';

/** IfcAdvancedBrep, with voids or without: the outer shell, and shells of hollows. */
export function lowerBrep(lowering: Lowering, record: number): void {
  const { step } = lowering;
  const [outer, voids] = step.args(record);
  lowerShells(lowering, record, [step.follow(outer), ...step.followAll(voids)], { isHollow: true });
}

/** IfcShellBasedSurfaceModel and IfcFaceBasedSurfaceModel, where a face has a surface. */
export function lowerSurfaceModel(lowering: Lowering, record: number): void {
  const { step } = lowering;
  const shells = step.followAll(step.args(record, 1)[0]);
  const hasSurface = (face: number): boolean => /^IFC(ADVANCEDFACE|FACESURFACE)$/.test(step.type(face));
  if (shells.some((shell) => step.followAll(step.args(shell, 1)[0]).some(hasSurface)))
    lowerShells(lowering, record, shells, { isHollow: false });
}

/** Shells after the first one are hollows of it, or solids beside it. */
function lowerShells(
  lowering: Lowering,
  record: number,
  shells: readonly number[],
  { isHollow }: { isHollow: boolean },
): void {
  const { step, draft } = lowering;
  const faces = shells.map((shell) => step.followAll(step.args(shell, 1)[0]));
  const isRound = faces.flat().some((face) => isDoublyCurved(step.type(step.follow(step.args(face, 2)[1]))));
  const solid = new Solid(isRound ? halfOf(lowering) : lowering, lowering.chord);
  let face = -1;
  try {
    const triangles = faces.flatMap((list, k) => {
      const shell: number[] = [];
      for (face of list) for (const v of solid.face(face)) shell.push(v);
      return outward(solid.points.list, shell, isHollow && k > 0 ? -1 : 1);
    });
    solid.requireSides();
    if (triangles.length > 0) draft.replace(record, faceSet(draft, ...used(solid.points.list, triangles)));
  } catch (fault) {
    if (!(fault instanceof FaceFault)) throw fault;
    lowering.doubtful.set(record, `face #${step.file.ids[face]} of its solid has ${fault.message}`);
  }
}

/** In a solid that curves in both directions, edges and faces get half of the tolerance each. */
const HALVES = new WeakMap<Lowering, Lowering>();
function halfOf(lowering: Lowering): Lowering {
  const half = HALVES.get(lowering) ?? { ...lowering, chord: lowering.chord / 2 };
  HALVES.set(lowering, half);
  return half;
}

/** A closed shell that faces outward, or inward with a sign of -1. */
function outward(points: readonly number[][], shell: number[], sign: number): number[] {
  const corners = Uint32Array.from(shell);
  orientConsistently(corners);
  let volume = 0;
  for (let t = 0; t < corners.length; t += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => minus(points[corners[t + k]], points[corners[0]]));
    volume += dot(a, cross(b, c));
  }
  if (volume * sign < 0) for (let t = 0; t < corners.length; t += 3) corners.subarray(t, t + 3).reverse();
  return [...corners];
}

/** The points that triangles use, and the triangles with new numbers. */
function used(points: readonly number[][], triangles: readonly number[]): [number[][], number[][]] {
  const numbers = new Map<number, number>();
  const kept: number[][] = [];
  const out: number[][] = [];
  triangles.forEach((v, k) => {
    if (!numbers.has(v)) numbers.set(v, kept.push(points[v]) - 1);
    if (k % 3 === 0) out.push([]);
    out[out.length - 1].push(numbers.get(v)!);
  });
  return [kept, out];
}

class Solid {
  readonly points: Points;
  private readonly numbers = new Map<string, number>();
  private readonly edges = new Map<number, number[]>();
  /** Edges by their ends. */
  private readonly between = new Map<string, number[][]>();
  private readonly surfaces = new Map<number, Surface | null>();
  private unsure = 0;
  private odd = 0;

  constructor(
    private readonly lowering: Lowering,
    chord: number,
  ) {
    this.points = { list: [], chord, budget: lowering.step.budget };
  }

  /** Corners of triangles, three each. */
  face(record: number): number[] {
    const { step } = this.lowering;
    const [bounds, surface, sense] = step.args(record);
    const loops = step.followAll(bounds).map((bound) => this.loop(bound));
    const given = step.follow(surface);
    const made =
      given < 0 ? flatSurface(loops.map((ids) => ids.map((id) => this.points.list[id]))) : this.surface(given);
    if (made === null) throw new FaceFault(`a surface that is not read: ${step.type(given)}`);
    const { triangles, isSure, isOdd } = cutFace(this.points, {
      surface: made,
      isAlong: wordOf(sense) !== 'F',
      loops: loops.filter((ids) => ids.length !== 2),
    });
    if (!isSure) this.unsure++;
    if (isOdd) this.odd++;
    return triangles;
  }

  /** Faces whose side follows from directions need a solid whose directions are right. */
  requireSides(): void {
    if (this.unsure > 0 && this.odd > 0) throw new FaceFault('a direction that its edges do not have');
  }

  private surface(record: number): Surface | null {
    const known = this.surfaces.get(record);
    if (known !== undefined) return known;
    const made = surfaceOf(this.lowering, record);
    this.surfaces.set(record, made);
    return made;
  }

  private numberOf(p: number[]): number {
    if (!p.every(Number.isFinite)) throw new FaceFault('points that are not finite');
    const key = p.map((x) => x + 0).join();
    const known = this.numbers.get(key) ?? this.points.list.push(p) - 1;
    this.numbers.set(key, known);
    return known;
  }

  private vertex(value: StepValue | undefined): number {
    const { step } = this.lowering;
    return this.numberOf(threeOf(step.numbers(step.args(step.follow(value), 1)[0])));
  }

  /** Numbers of the points of a bound, in its direction. */
  private loop(bound: number): number[] {
    const { step } = this.lowering;
    const [value, orientation] = step.args(bound);
    const record = step.follow(value);
    const [list] = step.args(record, 1);
    const ids: number[] = [];
    switch (step.type(record)) {
      case 'IFCVERTEXLOOP':
        return [this.vertex(list)];
      case 'IFCPOLYLOOP':
        for (const point of Array.isArray(list) ? list : []) ids.push(this.numberOf(threeOf(step.numbers(point))));
        break;
      case 'IFCEDGELOOP': {
        let end = -1;
        for (const oriented of step.followAll(list)) {
          const [, , edge, isForward] = step.args(oriented);
          const known = this.edge(step.follow(edge));
          const walk = wordOf(isForward) === 'F' ? [...known].reverse() : known;
          if (end >= 0 && walk[0] !== end) throw new FaceFault('a loop with a gap');
          end = walk[walk.length - 1];
          for (const id of walk.slice(0, -1)) ids.push(id);
        }
        if (end !== ids[0]) throw new FaceFault('a loop that does not close');
        break;
      }
      default:
        throw new FaceFault(`a loop that is not read: ${step.type(record)}`);
    }
    const distinct = ids.filter((id, k) => id !== ids[(k + 1) % ids.length]);
    return wordOf(orientation) === 'F' ? distinct.reverse() : distinct;
  }

  /** Numbers of an edge's points, from its start to its end. */
  private edge(record: number): number[] {
    const known = this.edges.get(record);
    if (known) return known;
    const { step } = this.lowering;
    const [start, end, geometry, sense] = step.args(record);
    const ends = [this.vertex(start), this.vertex(end)];
    const isCurve = step.type(record) === 'IFCEDGECURVE';
    const inner = isCurve ? this.inner(step.follow(geometry), ends, wordOf(sense) !== 'F') : [];
    const made = this.shared(ends, inner);
    this.edges.set(record, made);
    return made;
  }

  private inner(geometry: number, ends: readonly number[], isForward: boolean): number[][] {
    const { step } = this.lowering;
    if (step.type(geometry) === 'IFCLINE') return [];
    const curve = curveOf(this.lowering, geometry);
    if (curve === null) throw new FaceFault(`an edge that is not read: ${step.type(geometry)}`);
    const [p, q] = ends.map((id) => this.points.list[id]);
    const [a, b] = [curve.parameter(p), curve.parameter(q)];
    const walk = flatten(curve, ...trim(curve, a, b, { isForward }));
    const isNear = distance(walk[0], p) <= this.points.chord && distance(walk[walk.length - 1], q) <= this.points.chord;
    if (!isNear) throw new FaceFault('an edge that ends away from its vertex');
    // A vertex may be off a corner by a rounding.
    return walk.slice(1, -1).filter((x) => Math.min(distance(x, p), distance(x, q)) > this.points.chord / 1000);
  }

  /** If a file has an edge twice, its points are made once. */
  private shared([a, b]: readonly number[], inner: number[][]): number[] {
    const key = a < b ? `${a} ${b}` : `${b} ${a}`;
    const alike = this.between.get(key) ?? [];
    this.between.set(key, alike);
    const { list, chord } = this.points;
    for (const edge of alike) {
      if (edge.length !== inner.length + 2) continue;
      for (const walk of [edge, [...edge].reverse()]) {
        const isSame = inner.every((p, k) => distance(p, list[walk[k + 1]]) <= chord / 1000);
        if (walk[0] === a && walk[walk.length - 1] === b && isSame) return walk;
      }
    }
    const made = [a, ...inner.map((p) => list.push(p) - 1), b];
    alike.push(made);
    return made;
  }
}

/** The plane of polygons that have no surface (M. Newell); null if they have no area. */
function flatSurface(loops: readonly (readonly number[][])[]): Surface | null {
  const longest = loops.reduce((a, b) => (b.length > a.length ? b : a), []);
  const normal = [0, 0, 0];
  longest.forEach((p, k) => {
    const n = cross(minus(p, longest[0]), minus(longest[(k + 1) % longest.length], longest[0]));
    for (let i = 0; i < 3; i++) normal[i] += n[i];
  });
  return normal.some((x) => x !== 0) ? planeOf(longest[0], normal) : null;
}
