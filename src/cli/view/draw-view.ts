/**
 * A view as the page shows it, drawn without a browser: the same camera, colours, bounds and
 * contacts, and what the page's panels say of the two in a line below.
 */
import { rowsOf, type Sight, sightFrom } from '../../picture/perspective.ts';
import { type Body, render } from '../../picture/shade.ts';
import type { Surface } from '../../mesh/topology.ts';
import type { ReportFinding } from '../../report/model.ts';
import { axesOf, type Box, boxAround, fitCamera, frameFinding, tangentOf } from '../../viewer/camera.ts';
import type { ViewDocument } from '../../viewer/document.ts';
import { marksOf } from '../../viewer/marks.ts';
import { DARK, LIGHT } from '../../viewer/palette.ts';
import type { Answer, AssetFacts, FullAnswer, Name, PairQuestion, Question, Shape } from '../../viewer/protocol.ts';
import { standingPose } from '../../viewer/standing.ts';
import type { ViewState } from '../../viewer/view-state.ts';
import { Canvas } from '../../picture/canvas.ts';
import {
  contactBodies,
  distanceBodies,
  dotBodies,
  gridBodies,
  keptBy,
  type Look,
  type Shell,
  type Standing,
  shellBodies,
  surfaceBodies,
  toPaint,
} from './view-bodies.ts';
import { CAPTION_HEIGHT, drawCaption } from './view-caption.ts';

/** What answers for the page's worker. */
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

/** Pixels that are drawn at once: each takes 180 bytes. */
const MOST_AT_ONCE = 1 << 20;
const GLASS = 0.4;
const SHELL = { a: 0.4, b: 0.4, tested: 0.9 } as const;
/** How much is seen of a contact that lies behind something. */
const HIDDEN = 0.4;
const GRID = 0.3;

/**
 * Draws a view, whose state says of everything what is shown: see `begun`.
 *
 * @returns as large as `size`, with the caption
 */
export async function drawView(drawing: Drawing, state: ViewState, size: Size): Promise<Canvas> {
  const palette = state.theme === 'dark' ? DARK : LIGHT;
  const canvas = new Canvas(size.width, size.height, toPaint(palette.background));
  const shown = await shownBy(drawing, state);
  const height = size.height - CAPTION_HEIGHT;
  const sight = sightOf(drawing, state, shown, { width: size.width, height });
  const look: Look = { sight, palette, kept: state.section && keptBy(state.section), isWire: state.surface === 'wire' };
  const box = boxOf(drawing, shown.standing);
  for (const { opacity, bodies } of layersOf(shown, state, look, box)) {
    const rows = Math.max(1, Math.floor(MOST_AT_ONCE / size.width));
    for (let top = 0; top < height; top += rows) {
      const view = rowsOf(sight, top, Math.min(rows, height - top));
      canvas.cover(render(bodies(), view), size.width, 0, top, opacity);
    }
  }
  drawCaption(canvas, drawing.document, shown, palette);
  return canvas;
}

/** What a view shows, as it was answered. */
export interface Shown {
  standing: Standing[];
  shells: Shell[];
  /** What was answered of the two; null where there are none. */
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

/** The bounds of the level that is shown over the two. */
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

/** The nodes of a level that the query of the two visited, and all triangles that it tested. */
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

/** The box of what is shown. */
function boxOf({ document, facts }: Drawing, standing: readonly Standing[]): Box {
  const boxes = standing.map(({ object, pose }) => [facts[document.objects[object].asset], pose] as const);
  return boxAround(boxes) ?? { low: [0, 0, 0], high: [1, 1, 1] };
}

function sightOf(drawing: Drawing, state: ViewState, { standing, finding }: Shown, { width, height }: Size): Sight {
  const two = standing.filter(({ role }) => role !== 'other');
  const boxes = two.map((one) => boxOf(drawing, [one]));
  const { box, direction } = finding?.box
    ? frameFinding(finding.box, boxes)
    : { box: boxOf(drawing, standing), direction: undefined };
  const { eye, target } = state.camera ?? fitCamera(box, width / height, direction);
  const [x, y, z] = [eye[0] - target[0], eye[1] - target[1], eye[2] - target[2]];
  const distance = Math.sqrt(x * x + y * y + z * z);
  return sightFrom(axesOf([x, y, z]), target, distance, tangentOf(width / height), { width, height });
}

/** Bodies that hide each other, and how much they hide of what was drawn before. */
interface Layer {
  opacity: number;
  bodies: () => Iterable<Body>;
}

/** What is drawn first is hidden by what comes after. */
function layersOf({ standing, shells, full, finding }: Shown, state: ViewState, look: Look, box: Box): Layer[] {
  const { contact } = look.palette;
  const patches = (state.showsContacts && full?.contacts.patches) || [];
  const contacts = () => contactBodies(patches, look);
  const layers: Layer[] = [{ opacity: GRID, bodies: () => gridBodies(box, look) }];
  const isSolid = state.surface === 'solid';
  if (isSolid || state.surface === 'wire') {
    const surfaces = standing.map((one) => () => surfaceBodies(one, look));
    layers.push({ opacity: 1, bodies: () => chained(isSolid ? [...surfaces, contacts] : surfaces) });
  } else if (state.surface === 'glass') {
    // Each by itself, so that what is inside another is seen.
    for (const one of standing) layers.push({ opacity: GLASS, bodies: () => surfaceBodies(one, look) });
  }
  for (const shell of shells) layers.push({ opacity: SHELL[shell.paint], bodies: () => shellBodies(shell, look) });
  if (patches.length > 0) layers.push({ opacity: isSolid ? HIDDEN : 1, bodies: contacts });
  const isApart = full?.report.distance !== 0;
  const witness = state.showsDistance && isApart ? full?.report.witness : null;
  if (witness) layers.push({ opacity: 1, bodies: () => distanceBodies(witness, look) });
  if (finding?.point) layers.push({ opacity: 1, bodies: () => dotBodies(finding.point!, contact, look) });
  return layers;
}

function* chained(parts: readonly (() => Iterable<Body>)[]): Generator<Body> {
  for (const part of parts) yield* part();
}
