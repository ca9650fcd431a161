/** What of a view is drawn, as bodies that its sight has bent: surfaces, bounds, contacts. */
import { triangleNormal } from '../../geometry/triangle-normal.ts';
import { identity, type Pose } from '../../math/pose.ts';
import { bentLines, bentPoint, bentSurface, type HalfSpace, type Sight } from '../../picture/perspective.ts';
import type { Body, Paint } from '../../picture/shade.ts';
import type { Surface } from '../../mesh/topology.ts';
import type { ContactPatch, Witness } from '../../query/report.ts';
import type { Level } from '../../report/model.ts';
import type { Box } from '../../viewer/camera.ts';
import { shadeOf } from '../../viewer/marks.ts';
import type { Paint as Colour, Palette } from '../../viewer/palette.ts';
import type { Section } from '../../viewer/view-state.ts';

/** How everything is looked at. */
export interface Look {
  sight: Sight;
  palette: Palette;
  /** What a section leaves; null where there is none. */
  kept: HalfSpace | null;
  isWire: boolean;
}

/** An object that is shown. */
export interface Standing {
  /** Its number in the document. */
  object: number;
  role: 'a' | 'b' | 'other';
  /** What was found of it; null: nothing. */
  mark: Level | null;
  pose: Pose;
  surface: Surface;
}

/** What stands about an object: bounding volumes, or triangles that were tested. */
export interface Shell {
  paint: 'a' | 'b' | 'tested';
  pose: Pose;
  surface: Surface;
}

/** Widths of lines and radii of dots, pixels. */
const WIRE = 0.8;
const CUT = 2;
const CONTACT = 4;
const DISTANCE = 2.5;
const DOT = 5;
const EDGE = 1;
const GRID = 1;
/** About so many lines of the grid lie along the radius of what is shown, and so far beside it. */
const GRID_LINES = 6;
const GRID_REACH = 1.5;
/** The cosine of the least angle of an edge. */
const CREASE = 0.85;
const UNMOVED = identity();

export const toPaint = ([red, green, blue]: Colour): Paint => [
  Math.min(255, Math.round(255 * red)),
  Math.min(255, Math.round(255 * green)),
  Math.min(255, Math.round(255 * blue)),
];

/** A paint between two, `share` of the second. */
export const mixed = (p: Colour, q: Colour, share: number): Paint =>
  toPaint([p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1]), p[2] + share * (q[2] - p[2])]);

/** The half-space that a section leaves. */
export function keptBy({ axis, at, isFlipped }: Section): HalfSpace {
  const sign = isFlipped ? -1 : 1;
  const normal: [number, number, number] = [0, 0, 0];
  normal['xyz'.indexOf(axis)] = sign;
  return { normal, offset: sign * at };
}

/** The triangles of an object, and where a section cuts them. */
export function* surfaceBodies(standing: Standing, look: Look): Generator<Body> {
  const { pose, surface } = standing;
  const { sight, palette, kept, isWire } = look;
  const colour = colourOf(standing, palette);
  if (isWire) {
    const stroke = { width: WIRE, paint: mixed(colour, palette.rim, 0.25) };
    yield* bentLines(sight, surface.positions, sidesOf(surface), pose, stroke, kept);
    return;
  }
  const cuts: number[] = [];
  const dress = { paint: toPaint(colour), ...(kept && { inside: mixed(colour, palette.rim, 0.5) }) };
  yield* bentSurface(sight, surface, pose, dress, kept, (from, to) => cuts.push(...from, ...to));
  const ends = Array.from({ length: cuts.length / 3 }, (_, i) => i);
  yield* bentLines(sight, cuts, ends, UNMOVED, { width: CUT, paint: mixed(colour, palette.rim, 0.75) });
}

function colourOf({ object, role, mark }: Standing, palette: Palette): Colour {
  if (role !== 'other') return palette[role];
  const [red, green, blue] = palette[mark ?? 'other'];
  const shade = shadeOf(object);
  return [shade * red, shade * green, shade * blue];
}

/** A shell, with its edges. */
export function* shellBodies({ paint, pose, surface }: Shell, { sight, palette, kept }: Look): Generator<Body> {
  const colour = palette[paint];
  yield* bentSurface(sight, surface, pose, { paint: toPaint(colour) }, kept);
  const stroke = { width: EDGE, paint: mixed(colour, palette.rim, 0.6) };
  yield* bentLines(sight, surface.positions, creasesOf(surface), pose, stroke, kept);
}

/** The sides of triangles, two numbers of vertices each. */
function sidesOf({ triangles }: Surface): Uint32Array {
  const ends = new Uint32Array(2 * triangles.length);
  for (let c = 0; c < triangles.length; c++) {
    ends[2 * c] = triangles[c];
    ends[2 * c + 1] = triangles[c % 3 === 2 ? c - 2 : c + 1];
  }
  return ends;
}

/** Edges where a surface turns by more than about 32 degrees, or ends. */
function creasesOf(surface: Surface): number[] {
  const sides = sidesOf(surface);
  const normals = normalsOf(surface);
  const vertices = surface.positions.length / 3;
  const open = new Map<number, number>();
  const creases: number[] = [];
  for (let side = 0; side < sides.length / 2; side++) {
    const [p, q] = [sides[2 * side], sides[2 * side + 1]];
    const key = Math.min(p, q) * vertices + Math.max(p, q);
    const other = open.get(key);
    if (other === undefined) {
      open.set(key, side);
      continue;
    }
    open.delete(key);
    let cosine = 0;
    for (let k = 0; k < 3; k++) cosine += normals[side - (side % 3) + k] * normals[other - (other % 3) + k];
    if (cosine < CREASE) creases.push(p, q);
  }
  for (const side of open.values()) creases.push(sides[2 * side], sides[2 * side + 1]);
  return creases;
}

/** x, y, z a triangle; zero of one without an area. */
function normalsOf({ positions, triangles }: Surface): Float64Array {
  const normals = new Float64Array(triangles.length);
  const corners = new Float64Array(9);
  for (let c = 0; c < triangles.length; c++) {
    const [vertex, corner] = [3 * triangles[c], c % 3];
    corners.set(positions.subarray(vertex, vertex + 3), 3 * corner);
    if (corner === 2) normals.set(triangleNormal(corners) ?? NO_NORMAL, c - 2);
  }
  return normals;
}

const NO_NORMAL = [0, 0, 0];

/** Curves, the borders of areas, and points. */
export function* contactBodies(patches: readonly ContactPatch[], { sight, palette, kept }: Look): Generator<Body> {
  const stroke = { width: CONTACT, paint: toPaint(palette.contact) };
  for (const { kind, outline, centre } of patches) {
    for (const path of outline) yield* bentLines(sight, path.flat(), alongPath(path.length), UNMOVED, stroke, kept);
    if (kind === 'point') yield* dotBodies(centre, palette.contact, { sight });
  }
}

const alongPath = (points: number): number[] => Array.from({ length: 2 * (points - 1) }, (_, i) => (i + 1) >> 1);

/** The line between the nearest points. */
export function* distanceBodies({ a, b }: Witness, { sight, palette }: Look): Generator<Body> {
  yield* bentLines(sight, [...a, ...b], [0, 1], UNMOVED, { width: DISTANCE, paint: toPaint(palette.distance) });
  for (const end of [a, b]) yield* dotBodies(end, palette.distance, { sight });
}

/** A dot at a place of the common frame. */
export function* dotBodies(place: ArrayLike<number>, colour: Colour, { sight }: Pick<Look, 'sight'>): Generator<Body> {
  const at = bentPoint(sight, place);
  if (at) yield { balls: Float64Array.of(...at, DOT / sight.view.scale), paint: () => toPaint(colour) };
}

/** A quiet grid below everything, its lines a round length apart. */
export function* gridBodies(box: Box, { sight, palette }: Look): Generator<Body> {
  const size = [0, 1, 2].map((k) => box.high[k] - box.low[k]);
  const radius = Math.sqrt(size[0] * size[0] + size[1] * size[1] + size[2] * size[2]) / 2;
  const step = roundLength(radius / GRID_LINES);
  if (!(step > 0)) return;
  const first = [0, 1].map((k) => Math.ceil((box.low[k] - GRID_REACH * radius) / step));
  const last = [0, 1].map((k) => Math.floor((box.high[k] + GRID_REACH * radius) / step));
  const [positions, ends]: [number[], number[]] = [[], []];
  for (const axis of [0, 1]) {
    for (let n = first[axis]; n <= last[axis]; n++) {
      for (const end of [first[1 - axis], last[1 - axis]]) {
        ends.push(positions.length / 3);
        positions.push(step * (axis === 0 ? n : end), step * (axis === 0 ? end : n), box.low[2]);
      }
    }
  }
  yield* bentLines(sight, positions, ends, UNMOVED, { width: GRID, paint: toPaint(palette.grid) });
}

/** The largest 1, 2 or 5 times a power of ten that is no longer. */
function roundLength(length: number): number {
  const power = Number(`1e${Math.floor(Math.log10(length))}`);
  return power * ([5, 2].find((times) => times * power <= length) ?? 1);
}
