/**
 * A view as the page shows it, drawn without a browser: the same camera, colours, bounds and
 * contacts, and what the page's panels say of the two in a line below.
 */

import { bracketText } from '../../base/printable.ts';
import type { ContactPatch } from '../../engine/records.ts';
import { patchesTogether } from '../../engine/report.ts';
import type { Pose } from '../../math/pose.ts';
import { sharpEdges } from '../../mesh/sharp-edges.ts';
import { nextInTriangle, type Surface } from '../../mesh/topology.ts';
import { Canvas } from '../../picture/canvas.ts';
import { CAPTION_HEIGHT, drawCaption, drawLayers, type Layer, linesOf } from '../../picture/draw.ts';
import { eyeView, type HalfSpace, type View } from '../../picture/perspective.ts';
import type { Body } from '../../picture/shade.ts';
import type { Level, ReportFinding } from '../../report/finding.ts';
import { axesOf, type Box, boxAround, fitCamera, frameFinding, roundLength, tangentOf } from '../../viewer/camera.ts';
import type { ViewDocument } from '../../viewer/document.ts';
import {
  type Paint as Colour,
  DARK,
  LIGHT,
  marksOf,
  mixed,
  type Palette,
  shaded,
  shadeOf,
  toPaint,
} from '../../viewer/palette.ts';
import type { Answer, AssetFacts, FullAnswer, Name, PairQuestion, Question, Shape } from '../../viewer/protocol.ts';
import { shortNames } from '../../viewer/short-names.ts';
import { standingPose } from '../../viewer/standing.ts';
import type { Section, ViewState } from '../../viewer/view-state.ts';

export type Ask = <N extends Name>(name: N, question: Question<N>) => Promise<Answer<N>>;

export interface Drawing {
  document: ViewDocument;
  /** In the order of the document's assets. */
  facts: readonly AssetFacts[];
  ask: Ask;
}

export interface Size {
  width: number;
  height: number;
}

const GLASS = 0.4;
const SHELL = { a: 0.4, b: 0.4, tested: 0.9 } as const;
/** Visibility of a contact behind something. */
const HIDDEN = 0.4;
const GRID = 0.3;
/** Widths of lines and radii of dots, pixels. */
const WIDTH = { wire: 0.8, cut: 2, contact: 4, distance: 2.5, edge: 1, grid: 1 };
const DOT = 5;
/** Grid lines along the radius of the content, and beyond it. */
const GRID_LINES = 6;
const GRID_REACH = 1.5;

/** Returns a canvas of `size` with the caption. `state` must be complete: see `begun`. */
export async function drawView(drawing: Drawing, state: ViewState, size: Size): Promise<Canvas> {
  const palette = state.theme === 'dark' ? DARK : LIGHT;
  const canvas = new Canvas(size.width, size.height, toPaint(palette.background));
  const shown = await shownBy(drawing, state);
  const view = viewOf(drawing, state, shown, { width: size.width, height: size.height - CAPTION_HEIGHT });
  drawLayers(canvas, layersOf(shown, state, palette, boxOf(drawing, shown.standing)), view);
  const [title, detail] = wordsOf(drawing.document, shown);
  const all = drawing.document.objects.map(({ name }) => name);
  const labels = new Map(shortNames(all).map(({ label }, k) => [all[k], label]));
  const names = (['a', 'b'] as const).flatMap((side) => {
    const name = shown[side];
    return name === null ? [] : { name: labels.get(name) ?? name, paint: toPaint(palette[side]) };
  });
  const quiet = mixed(palette.grid, palette.pointer, 0.4);
  drawCaption(canvas, { names, title, detail, ink: toPaint(palette.pointer), quiet });
  return canvas;
}

interface Standing {
  object: number;
  role: 'a' | 'b' | 'other';
  /** Level of its findings; null if there is none. */
  mark: Level | null;
  pose: Pose;
  surface: Surface;
}

/** Bounding volumes of an object, or triangles that were tested. */
interface Shell {
  paint: 'a' | 'b' | 'tested';
  pose: Pose;
  surface: Surface;
}

interface Shown {
  standing: Standing[];
  shells: Shell[];
  /** The answer about the pair; null if there is none. */
  full: FullAnswer | null;
  a: string | null;
  b: string | null;
  finding: ReportFinding | null;
}

async function shownBy(drawing: Drawing, state: ViewState): Promise<Shown> {
  const { document, ask } = drawing;
  const { objects, findings } = document;
  const numberOf = (name: string | null): number => objects.findIndex((object) => object.name === name);
  const [a, b] = [numberOf(state.a), numberOf(state.b)];
  const poses = objects.map((_, object) => Float64Array.from(standingPose(document, state, object)));
  const surfaces = new Map<number, Promise<Surface>>();
  const marks = marksOf(document);
  const standing: Standing[] = [];
  for (const [object, { asset }] of objects.entries()) {
    const role = object === a ? 'a' : object === b ? 'b' : 'other';
    if (state.isIsolated && role === 'other') continue;
    if (!surfaces.has(asset)) surfaces.set(asset, ask('surface', { asset }).then(surfaceOf));
    const surface = await surfaces.get(asset)!;
    standing.push({ object, role, mark: marks.get(object) ?? null, pose: poses[object], surface });
  }
  const pair: PairQuestion | null = a < 0 || b < 0 || a === b ? null : { a, b, poseA: poses[a], poseB: poses[b] };
  const full = pair && (await ask('full', pair));
  const finding = findings.find(({ id }) => id === state.finding) ?? null;
  const shells = [...(await boundsOf(drawing, state, standing)), ...(await visitsOf(drawing, state, pair))];
  return { standing, shells, full, a: state.a, b: pair ? state.b : null, finding };
}

async function boundsOf(
  { document, facts, ask }: Drawing,
  { level }: ViewState,
  standing: Standing[],
): Promise<Shell[]> {
  const shells: Shell[] = [];
  for (const { object, role, pose } of standing) {
    if (role === 'other' || level === null) continue;
    const { asset } = document.objects[object];
    const shape = await ask('bounds', { asset, level: Math.min(level, facts[asset].depth) });
    shells.push({ paint: role, pose, surface: surfaceOf(shape) });
  }
  return shells;
}

/** Returns the nodes of a level that the pair's query visited, and all triangles that it tested. */
async function visitsOf({ ask }: Drawing, { visits }: ViewState, pair: PairQuestion | null): Promise<Shell[]> {
  if (visits === null || !pair) return [];
  const { a, b, trianglesA, trianglesB } = await ask('visits', { ...pair, level: visits });
  const [poseA, poseB] = [Float64Array.from(pair.poseA), Float64Array.from(pair.poseB)];
  return [
    { paint: 'a', pose: poseA, surface: surfaceOf(a) },
    { paint: 'b', pose: poseB, surface: surfaceOf(b) },
    { paint: 'tested', pose: poseA, surface: surfaceOf(trianglesA) },
    { paint: 'tested', pose: poseB, surface: surfaceOf(trianglesB) },
  ];
}

function surfaceOf({ origin, positions, triangles }: Shape): Surface {
  return { positions: Float64Array.from(positions, (x, i) => origin[i % 3] + x), triangles };
}

function boxOf({ document, facts }: Drawing, standing: readonly Standing[]): Box {
  const boxes = standing.map(({ object, pose }) => [facts[document.objects[object].asset], pose] as const);
  return boxAround(boxes) ?? { low: [0, 0, 0], high: [1, 1, 1] };
}

function viewOf(drawing: Drawing, state: ViewState, { standing, finding }: Shown, { width, height }: Size): View {
  const two = standing.filter(({ role }) => role !== 'other');
  const boxes = two.map((one) => boxOf(drawing, [one]));
  const { box, direction } = finding?.box
    ? frameFinding(finding.box, boxes)
    : { box: boxOf(drawing, standing), direction: undefined };
  const { eye, target } = state.camera ?? fitCamera(box, width / height, direction);
  const [x, y, z] = [eye[0] - target[0], eye[1] - target[1], eye[2] - target[2]];
  const distance = Math.sqrt(x * x + y * y + z * z);
  return eyeView(axesOf([x, y, z]), target, distance, tangentOf(width / height), { width, height });
}

/** Layers in their order: what is drawn first is hidden by what comes after. */
function layersOf({ standing, shells, full, finding }: Shown, state: ViewState, palette: Palette, box: Box): Layer[] {
  const kept = state.section && keptBy(state.section);
  const isSolid = state.surface === 'solid';
  const contacts = contactBodies((state.showsContacts && full?.contacts.patches) || [], palette);
  const surfaces =
    state.surface === 'wire'
      ? standing.map((one) => wireBody(one, palette))
      : standing.map((one) => surfaceBody(one, palette));
  const layers: Layer[] = [{ bodies: gridBodies(box, palette), opacity: GRID }];
  if (state.surface === 'wire') layers.push({ bodies: surfaces, kept });
  else if (isSolid) layers.push({ bodies: [...surfaces, ...contacts], kept });
  // Each by itself, so that what is inside another is seen.
  else if (state.surface === 'glass')
    for (const body of surfaces) layers.push({ bodies: [body], opacity: GLASS, kept });
  for (const shell of shells) layers.push({ bodies: shellBodies(shell, palette), opacity: SHELL[shell.paint], kept });
  if (contacts.length > 0) layers.push({ bodies: contacts, opacity: isSolid ? HIDDEN : 1, kept });
  const isApart = full?.report.distance !== 0;
  const witness = state.showsDistance && isApart ? full?.report.witness : null;
  if (witness)
    layers.push({ bodies: pathBodies([[witness.a, witness.b]], [witness.a, witness.b], palette, 'distance') });
  if (finding?.point) layers.push({ bodies: pathBodies([], [finding.point], palette, 'contact') });
  return layers;
}

function keptBy({ axis, at, isFlipped }: Section): HalfSpace {
  const sign = isFlipped ? -1 : 1;
  const normal: [number, number, number] = [0, 0, 0];
  normal['xyz'.indexOf(axis)] = sign;
  return { normal, offset: sign * at };
}

/** The triangles of an object, and where a section cuts them. */
function surfaceBody(standing: Standing, palette: Palette): Body {
  const { pose, surface } = standing;
  const colour = colourOf(standing, palette);
  const cut = { width: WIDTH.cut, paint: mixed(colour, palette.rim, 0.75) };
  return { surface, pose, paint: toPaint(colour), inside: mixed(colour, palette.rim, 0.5), cut };
}

function wireBody(standing: Standing, palette: Palette): Body {
  const { positions, triangles } = standing.surface;
  const ends = new Uint32Array(2 * triangles.length);
  for (let c = 0; c < triangles.length; c++) {
    ends[2 * c] = triangles[c];
    ends[2 * c + 1] = triangles[nextInTriangle(c)];
  }
  const paint = mixed(colourOf(standing, palette), palette.rim, 0.25);
  return { points: positions, ends, pose: standing.pose, width: WIDTH.wire, paint };
}

const colourOf = ({ object, role, mark }: Standing, palette: Palette): Colour =>
  role === 'other' ? shaded(palette[mark ?? 'other'], shadeOf(object)) : palette[role];

/** A shell, with its edges. */
function shellBodies({ paint, pose, surface }: Shell, palette: Palette): Body[] {
  const ends = sharpEdges(surface);
  const edges = { width: WIDTH.edge, paint: mixed(palette[paint], palette.rim, 0.6) };
  return [
    { surface, pose, paint: toPaint(palette[paint]) },
    { points: surface.positions, ends, pose, ...edges },
  ];
}

/** Curves, the borders of areas, and points. */
function contactBodies(patches: readonly ContactPatch[], palette: Palette): Body[] {
  const points = patches.filter(({ kind }) => kind === 'point').map(({ centre }) => centre);
  return patches.length === 0
    ? []
    : pathBodies(
        patches.flatMap(({ outline }) => outline),
        points,
        palette,
        'contact',
      );
}

type Place = readonly number[];

/** Paths of places, and dots at places. */
function pathBodies(
  paths: readonly Place[][],
  dots: readonly Place[],
  palette: Palette,
  of: 'contact' | 'distance',
): Body[] {
  const paint = toPaint(palette[of]);
  return [
    { ...linesOf(paths), width: WIDTH[of], paint },
    { dots: dots.flat(), radius: DOT, paint },
  ];
}

/** A quiet grid below everything, its lines a round length apart. */
function gridBodies(box: Box, palette: Palette): Body[] {
  const size = [0, 1, 2].map((k) => box.high[k] - box.low[k]);
  const radius = Math.sqrt(size[0] * size[0] + size[1] * size[1] + size[2] * size[2]) / 2;
  const step = roundLength(radius / GRID_LINES);
  if (!(step > 0)) return [];
  const first = [0, 1].map((k) => Math.ceil((box.low[k] - GRID_REACH * radius) / step));
  const last = [0, 1].map((k) => Math.floor((box.high[k] + GRID_REACH * radius) / step));
  const paths: Place[][] = [];
  for (let n = first[0]; n <= last[0]; n++)
    paths.push([first[1], last[1]].map((m) => [step * n, step * m, box.low[2]]));
  for (let n = first[1]; n <= last[1]; n++)
    paths.push([first[0], last[0]].map((m) => [step * m, step * n, box.low[2]]));
  return [{ ...linesOf(paths), width: WIDTH.grid, paint: toPaint(palette.grid) }];
}

/** What is said beside the names, and below them. */
function wordsOf({ title, summary, units }: ViewDocument, { full, finding }: Shown): [string, string] {
  const unit = units === null ? [] : [`in ${units}`];
  if (finding) return [finding.message, [finding.rule, finding.id, ...unit].join(', ')];
  if (!full) return [title, summary ?? ''];
  if (full.problem !== null) return ['', full.problem];
  const { verdict, class: kind } = full.report;
  // The class, where it says more.
  const found = kind === undefined || kind === verdict ? verdict : `${verdict}: ${kind}`;
  return [found, [...sizesOf(full), ...unit].join(', ')];
}

function sizesOf({ report: { thickness, distance }, contacts }: FullAnswer): string[] {
  const together = patchesTogether(contacts.patches);
  return [
    ...(thickness && thickness.upper > 0 ? [`${bracketText(thickness)} thick`] : []),
    ...(distance !== null && distance > 0 ? [`distance ${distance}`] : []),
    ...(together === '' ? [] : [together]),
  ];
}
