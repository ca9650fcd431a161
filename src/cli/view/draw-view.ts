/**
 * A view as the page shows it, drawn without a browser: the same camera, colours, bounds and
 * contacts, and what the page's panels say of the two in a line below.
 */

import { counted, lengthText, printable } from '../../base/printable.ts';
import type { Pose } from '../../math/pose.ts';
import { sharpEdges } from '../../mesh/sharp-edges.ts';
import { nextInTriangle, type Surface } from '../../mesh/topology.ts';
import { Canvas } from '../../picture/canvas.ts';
import { CAPTION_HEIGHT, drawCaption, drawLayers, type Layer, linesOf } from '../../picture/draw.ts';
import { eyeView, type HalfSpace, type View } from '../../picture/perspective.ts';
import type { Body } from '../../picture/shade.ts';
import { patchesTogether } from '../../report/check-details.ts';
import type { Level, ReportFinding } from '../../report/finding.ts';
import { isOld } from '../../report/text.ts';
import {
  axesOf,
  type Box,
  boxAround,
  fitCamera,
  GHOSTS_FROM,
  laid,
  roundLength,
  stood,
  tangentOf,
  type Up,
} from '../../viewer/camera.ts';
import type { ViewDocument } from '../../viewer/document.ts';
import {
  type Paint as Colour,
  DARK,
  GHOST,
  LIGHT,
  marksOf,
  mixed,
  type Palette,
  shaded,
  shadeOf,
  toPaint,
} from '../../viewer/palette.ts';
import {
  type Answer,
  type AssetFacts,
  type FullAnswer,
  meetingText,
  type Name,
  type PairQuestion,
  type Question,
  type Shape,
} from '../../viewer/protocol.ts';
import { shortNames } from '../../viewer/short-names.ts';
import { framingQuestion, standingPose } from '../../viewer/standing.ts';
import type { Section, ViewState } from '../../viewer/view-state.ts';
import { distanceText, headlineOf, requiredText } from '../../viewer/words.ts';

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
/** What hides a contact is fainter, and what belongs to neither object even more so. */
const THROUGH = 0.25;
/** Larger ghosts, and functions, are drawn as their bounds. */
const MOST_OF_GHOST = 100_000;
const SHELL = { a: 0.4, b: 0.4, tested: 0.9 } as const;
/** Visibility of a contact behind something. */
const HIDDEN = 0.4;
/** A single point would be overlooked. */
const HIDDEN_POINT = 0.8;
const GRID = 0.3;
/** Samples between objects in one plane. */
const BEHIND = 0.2;
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
  const window = { width: size.width, height: size.height - CAPTION_HEIGHT };
  const camera = state.camera ?? cameraOf(drawing, state, shown, window);
  const view = viewFrom(camera, drawing.document.up ?? 'z', { ...window, isParallel: state.isOrthographic });
  drawLayers(canvas, ghostLayers(shown, state, palette, camera), view);
  const grid = gridBodies(boxOf(drawing, shown.standing), palette, drawing.document.up);
  drawLayers(canvas, layersOf(shown, state, palette, grid), view);
  const { title, detail, isNear } = wordsOf(drawing.document, shown);
  const all = drawing.document.objects.map(({ name }) => name);
  const labels = new Map(shortNames(all).map(({ label }, k) => [all[k], label]));
  const names = (['a', 'b'] as const).flatMap((side) => {
    const name = shown[side];
    return name === null ? [] : { name: labels.get(name) ?? name, paint: toPaint(palette[side]) };
  });
  const quiet = mixed(palette.grid, palette.pointer, 0.4);
  const ink = toPaint(palette.pointer);
  drawCaption(canvas, { names, title, detail, ink, ...(isNear && { accent: toPaint(palette.near) }), quiet });
  return canvas;
}

interface Standing {
  object: number;
  role: 'a' | 'b' | 'other';
  /** Translucent: it belongs to neither object, or hides their contact. */
  isGhost: boolean;
  /** Level of its findings; null if there is none. */
  mark: Level | null;
  pose: Pose;
  surface: Drawn;
}

/** Bounding volumes of an object, or triangles that were tested. */
interface Shell {
  paint: 'a' | 'b' | 'tested';
  pose: Pose;
  surface: Drawn;
}

interface Shown {
  standing: Standing[];
  shells: Shell[];
  /** The answer about the pair; null if there is none. */
  full: FullAnswer | null;
  a: string | null;
  b: string | null;
  finding: ReportFinding | null;
  /** The frame of the finding, if the view has no camera. */
  framing: Answer<'framing'> | null;
}

async function shownBy(drawing: Drawing, state: ViewState): Promise<Shown> {
  const { document, facts, ask } = drawing;
  const { objects, findings } = document;
  const finding = findings.find(({ id }) => id === state.finding) ?? null;
  const question = finding && state.camera === null && framingQuestion(document, state, finding);
  const framing = question ? await ask('framing', question) : null;
  const numberOf = (name: string | null): number => objects.findIndex((object) => object.name === name);
  const [a, b] = [numberOf(state.a), numberOf(state.b)];
  const poses = objects.map((_, object) => Float64Array.from(standingPose(document, state, object)));
  const surfaces = new Map<string, Promise<Drawn>>();
  const marks = marksOf(document);
  const standing: Standing[] = [];
  for (const [object, { asset, name }] of objects.entries()) {
    const role = object === a ? 'a' : object === b ? 'b' : 'other';
    if (state.isIsolated && !state.showsGhosts && role === 'other') continue;
    const isThrough = framing ? framing.through === object : state.through === name;
    const isGhost = state.isIsolated && (role === 'other' || isThrough);
    const { triangles } = facts[asset];
    const isRough = isGhost && role === 'other' && (triangles === 0 || triangles > MOST_OF_GHOST);
    const key = `${asset} ${isRough}`;
    const asked =
      surfaces.get(key) ?? (isRough ? ask('bounds', { asset, level: 0 }) : ask('surface', { asset })).then(surfaceOf);
    surfaces.set(key, asked);
    const surface = await asked;
    standing.push({ object, role, isGhost, mark: marks.get(object) ?? null, pose: poses[object], surface });
  }
  const places = { poseA: poses[a], poseB: poses[b], finding: state.finding };
  const pair: PairQuestion | null = a < 0 || b < 0 || a === b ? null : { a, b, ...places };
  const full = pair && (await ask('full', pair));
  const shells = [...(await boundsOf(drawing, state, standing)), ...(await visitsOf(drawing, state, pair))];
  return { standing, shells, full, a: state.a, b: pair ? state.b : null, finding, framing };
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

type Drawn = Surface & Pick<Shape, 'normals'>;

function surfaceOf({ origin, positions, ...others }: Shape): Drawn {
  return { ...others, positions: Float64Array.from(positions, (x, i) => origin[i % 3] + x) };
}

function boxOf({ document, facts }: Drawing, standing: readonly Standing[]): Box {
  const boxes = standing.map(({ object, pose }) => [facts[document.objects[object].asset], pose] as const);
  return boxAround(boxes) ?? { low: [0, 0, 0], high: [1, 1, 1] };
}

type Camera = NonNullable<ViewState['camera']>;

function cameraOf(drawing: Drawing, state: ViewState, { standing, framing }: Shown, { width, height }: Size): Camera {
  const two = standing.filter(({ role }) => role !== 'other');
  const { up = 'z' } = drawing.document;
  const { isOrthographic } = state;
  const box = framing?.box ?? boxOf(drawing, state.isIsolated && two.length > 0 ? two : standing);
  const sight = { up, isOrthographic, ...(framing && { direction: framing.direction }) };
  return fitCamera(box, width / height, sight);
}

function viewFrom(
  { eye, target }: Camera,
  up: Up,
  { width, height, isParallel }: Size & { isParallel: boolean },
): View {
  const [x, y, z] = [eye[0] - target[0], eye[1] - target[1], eye[2] - target[2]];
  const distance = Math.sqrt(x * x + y * y + z * z);
  const axes = axesOf([x, y, z], up);
  const near = eyeView(axes, target, distance, tangentOf(width / height), { width, height });
  if (!isParallel) return near;
  const along = (axis: readonly number[]): number => axis.reduce((sum, a, k) => sum + a * target[k], 0);
  const { eye: _, ...far } = near;
  return { ...far, middle: [along(axes.right), along(axes.up)] };
}

/** Layers in their order: what is drawn first is hidden by what comes after. */
function layersOf(
  { standing, shells, full, finding }: Shown,
  state: ViewState,
  palette: Palette,
  grid: Body[],
): Layer[] {
  const kept = state.section && keptBy(state.section);
  const isSolid = state.surface === 'solid';
  const contacts = state.showsContacts && full ? contactBodies(full, palette) : [];
  const hidden = full?.contacts.patches ? HIDDEN : HIDDEN_POINT;
  const bodiesOf = (some: readonly Standing[]): Body[] =>
    some.map((one) => (state.surface === 'wire' ? wireBody(one, palette) : surfaceBody(one, palette)));
  const surfaces = bodiesOf(standing.filter(({ isGhost }) => !isGhost));
  const through = bodiesOf(standing.filter(({ role, isGhost }) => isGhost && role !== 'other'));
  const layers: Layer[] = [{ bodies: grid, opacity: GRID }];
  if (state.surface === 'wire') layers.push({ bodies: surfaces, kept });
  else if (isSolid) layers.push({ bodies: [...surfaces, ...contacts], kept });
  // Each by itself, so that what is inside another is seen.
  else if (state.surface === 'glass')
    for (const body of surfaces) layers.push({ bodies: [body], opacity: GLASS, kept });
  if (state.surface !== 'hidden' && through.length > 0) layers.push({ bodies: through, opacity: THROUGH, kept });
  for (const shell of shells) layers.push({ bodies: shellBodies(shell, palette), opacity: SHELL[shell.paint], kept });
  if (contacts.length > 0)
    layers.push({ bodies: contacts, opacity: isSolid && through.length === 0 ? hidden : 1, kept });
  const isApart = full?.report.distance !== 0;
  const witness = state.showsDistance && isApart ? full?.report.witness : null;
  if (witness)
    layers.push({ bodies: pathBodies([[witness.a, witness.b]], [witness.a, witness.b], palette, 'distance') });
  if (finding?.point) layers.push({ bodies: pathBodies([], [finding.point], palette, 'contact') });
  return layers;
}

/** Objects of neither side, which come first so that they hide nothing; cut away near the eye. */
function ghostLayers({ standing }: Shown, state: ViewState, palette: Palette, { eye, target }: Camera): Layer[] {
  const ghosts = standing.filter(({ role, isGhost }) => isGhost && role === 'other');
  if (ghosts.length === 0 || state.surface === 'hidden') return [];
  const bodies = ghosts.map((one) => ({
    ...formOf(one.surface),
    pose: one.pose,
    paint: toPaint(colourOf(one, palette)),
  }));
  const normal = [eye[0] - target[0], eye[1] - target[1], eye[2] - target[2]] as const;
  const offset = normal.reduce((sum, x, k) => sum + x * (target[k] + (1 - GHOSTS_FROM) * x), 0);
  return [{ bodies, opacity: GHOST, kept: state.section ? keptBy(state.section) : { normal, offset } }];
}

function keptBy({ axis, at, isFlipped }: Section): HalfSpace {
  const sign = isFlipped ? -1 : 1;
  const normal: [number, number, number] = [0, 0, 0];
  normal['xyz'.indexOf(axis)] = sign;
  return { normal, offset: sign * at };
}

const formOf = (surface: Drawn) => ({ surface, normals: surface.normals ?? null });

/** The triangles of an object, and where a section cuts them. */
function surfaceBody(standing: Standing, palette: Palette): Body {
  const { pose, surface } = standing;
  const colour = colourOf(standing, palette);
  const cut = { width: WIDTH.cut, paint: mixed(colour, palette.rim, 0.75) };
  // The chosen two before others, and neighbors in the order of their shades.
  const behind = BEHIND * (standing.role === 'other' ? 1 + shadeOf(standing.object) : standing.role === 'b' ? 0.5 : 0);
  return { ...formOf(surface), pose, behind, paint: toPaint(colour), inside: mixed(colour, palette.rim, 0.5), cut };
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
    { ...formOf(surface), pose, paint: toPaint(palette[paint]) },
    { points: surface.positions, ends, pose, ...edges },
  ];
}

/** Curves, the borders of areas, and points. */
function contactBodies(
  { contacts: { patches = [] }, report: { distance, witness } }: FullAnswer,
  palette: Palette,
): Body[] {
  const points = patches.filter(({ kind }) => kind === 'point').map(({ centre }) => centre);
  if (patches.length === 0 && distance === 0 && witness) points.push(witness.a);
  const paths = patches.flatMap(({ outline }) => outline);
  return paths.length + points.length === 0 ? [] : pathBodies(paths, points, palette, 'contact');
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
function gridBodies(box: Box, palette: Palette, above: Up = 'z'): Body[] {
  const ends = [stood(box.low, above), stood(box.high, above)];
  const low = [0, 1, 2].map((k) => Math.min(ends[0][k], ends[1][k]));
  const high = [0, 1, 2].map((k) => Math.max(ends[0][k], ends[1][k]));
  const size = [0, 1, 2].map((k) => high[k] - low[k]);
  const radius = Math.sqrt(size[0] * size[0] + size[1] * size[1] + size[2] * size[2]) / 2;
  const step = roundLength(radius / GRID_LINES);
  if (!(step > 0)) return [];
  const first = [0, 1].map((k) => Math.ceil((low[k] - GRID_REACH * radius) / step));
  const last = [0, 1].map((k) => Math.floor((high[k] + GRID_REACH * radius) / step));
  const at = (n: number, m: number): Place => laid([step * n, step * m, low[2]], above);
  const paths: Place[][] = [];
  for (let n = first[0]; n <= last[0]; n++) paths.push([at(n, first[1]), at(n, last[1])]);
  for (let n = first[1]; n <= last[1]; n++) paths.push([at(first[0], n), at(last[0], n)]);
  return [{ ...linesOf(paths), width: WIDTH.grid, paint: toPaint(palette.grid) }];
}

/** What is said beside the names, and below them, in the words of the page. */
function wordsOf(document: ViewDocument, shown: Shown) {
  const words = plainWordsOf(document, shown);
  const place = placeOf(document.findings, shown);
  return { ...words, title: place === null ? words.title : `${place}: ${words.title}` };
}

/** `1 of 2 findings`, of those that fail; null for one alone, and for a pair without a finding. */
function placeOf(findings: readonly ReportFinding[], { finding, a, b }: Shown): string | null {
  const failing = findings.filter((one) => one.level !== 'note' && !isOld(one));
  const isShown = ({ id, subjects }: ReportFinding): boolean =>
    finding ? id === finding.id : subjects.length === 2 && subjects.every(({ name }) => name === a || name === b);
  const k = failing.findIndex(isShown);
  return failing.length < 2 || k < 0 ? null : `${k + 1} of ${counted(failing.length, 'finding')}`;
}

function plainWordsOf({ title, summary, units }: ViewDocument, { full, finding }: Shown) {
  const about = [...(finding ? [finding.id] : []), ...(units === null ? [] : [`in ${units}`])].join(', ');
  if (!full && finding) return { title: finding.message, detail: `${finding.rule}, ${about}`, isNear: false };
  if (!full) return { title, detail: summary ?? '', isNear: false };
  if (full.problem !== null) return { title: '', detail: full.problem, isNear: false };
  const { words, kind } = headlineOf(full.report, full.judged, units === null ? '' : ` ${units}`);
  return { title: words, detail: [...sizesOf(full), about].filter(Boolean).join(', '), isNear: kind === 'near' };
}

/** `required by the rules mep, wide`, which are joined with commas in their order. */
const requiredBy = ({ rule, by }: FullAnswer['judged']): string =>
  rule === null || by === 'allowed' || by === 'unasked'
    ? 'required'
    : `required by the ${rule.includes(', ') ? 'rules' : 'rule'} ${printable(rule)}`;

/** Lengths without their unit, which comes last. */
function sizesOf(full: FullAnswer): string[] {
  const { report, judged, contacts } = full;
  const { thickness, distance } = report;
  const together = patchesTogether(contacts.patches);
  return [
    ...(thickness && thickness.upper > 0 ? [`${lengthText(thickness)} thick`] : []),
    ...(distance !== null && distance > 0 ? [`distance ${distanceText(report, '')}`] : []),
    ...(together === '' ? [] : [together]),
    ...[meetingText(full)].filter(Boolean),
    `${requiredBy(judged)}: ${requiredText({ ...judged, rule: null }, '')}`,
  ];
}
