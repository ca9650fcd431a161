/**
 * A picture of a geometry image, to look at: its surface, shaded, with or without the spheres of a
 * level, and its pages.
 *
 * B. Benes, N. Gomez Villanueva, "GI-COLLIDE - Collision Detection with Geometry Images", SCCG
 * 2005: the spheres on the surface are its Figure 5; the page of the tree, centres above and radii
 * in brightened grey below, its Figure 6.
 */
import type { PixelRows } from '../containers/pixels.ts';
import { type Body, frame, type Paint, render, type Vector } from './shade.ts';
import { countsOf, type GeometryImage, type PlacedGroup, toMesh } from '../representations/gi/tree/geometry-image.ts';
import { sizeOf } from '../representations/gi/tree/grid.ts';
import { depthOf, spheresOfLevel } from '../representations/gi/tree/levels.ts';
import { centreRows, EMPTY_PIXEL, radiusRows, sampleRows } from '../representations/gi/tree/page-rows.ts';
import { treeHeight, treeWidth } from '../representations/gi/tree/tree-page.ts';
import { Canvas, resize } from './canvas.ts';
import { drawText, type TextStyle } from './text.ts';

/** Side of a panel, pixels. The tree's page, 3 : 2, stands twice in the height of one. */
const PANEL = 400;
const GAP = 20;
const TREE_HEIGHT = (PANEL - 16) / 2;
const TREE_WIDTH = (3 * TREE_HEIGHT) / 2;
const CAPTION_LINES = [34, 60, 82];

const PICTURE_WIDTH = 3 * PANEL + TREE_WIDTH + 5 * GAP;
const PICTURE_HEIGHT = GAP + PANEL + CAPTION_LINES[2] + 18;

/** From the front, a little from the right and above; y is up. */
const VIEWPOINT: Vector = [0.55, 0.42, 1];
/**
 * A surface is drawn in no more samples a side than these: more are finer than the picture's
 * pixels.
 */
const FINEST_DRAWN = 10;

const CLAY: Paint = [214, 208, 198];
const SEAM: Paint = [214, 69, 38];
/**
 * Of the spheres, by the quarter of the image that they lie in; every other one a little lighter.
 */
const QUARTERS: readonly Paint[] = [
  [48, 122, 204],
  [32, 164, 122],
  [236, 158, 46],
  [208, 66, 98],
];
const LIGHTER = QUARTERS.map(([r, g, b]): Paint => [r + (255 - r) / 4, g + (255 - g) / 4, b + (255 - b) / 4]);
const SPHERES_OPACITY = 0.7;

const TITLE: TextStyle = { unit: 1.55, weight: 2.5, paint: [32, 36, 44] };
const DETAIL: TextStyle = { unit: 1.25, weight: 1.55, paint: [96, 102, 114] };

/**
 * Draws an image and, where `level` is given, the spheres of that level over the surface.
 *
 * @returns PICTURE_WIDTH by PICTURE_HEIGHT pixels
 * @throws OptionError when the image has no such level
 */
export function drawGeometryImage(image: GeometryImage, level: number | null = null): Canvas {
  const canvas = new Canvas(PICTURE_WIDTH, PICTURE_HEIGHT);
  const left = (panel: number) => GAP + panel * (PANEL + GAP);

  const spheres = level === null ? null : spheresOf(image, level);
  drawSurface(canvas, left(0), image, spheres);
  const triangles = `${countsOf(image).triangles} triangles`;
  const isOne = image.charts === 1;
  if (!spheres)
    caption(canvas, left(0), [
      'stored surface',
      triangles,
      isOne ? 'red: where the sides of the square lie' : `red: the sides of ${image.charts} charts`,
    ]);
  else
    caption(canvas, left(0), [
      `spheres of level ${level}`,
      `${spheres.balls.length / 4} over ${triangles}`,
      isOne ? 'coloured by the quarter of the square' : 'coloured in turns',
    ]);

  const samples = `${sizeOf(image.groups[0].exponent)} x ${sizeOf(image.groups[0].exponent)} x 3 x 16 bit`;
  const extent = isOne ? samples : `${image.charts} charts, the largest ${samples}`;
  place(canvas, left(1), GAP, PANEL, sampleRows(image, 'geometry'));
  caption(canvas, left(1), ['geometry', extent, 'x, y, z as red, green, blue']);

  const hasNormals = image.groups[0].normals !== null;
  if (hasNormals) place(canvas, left(2), GAP, PANEL, sampleRows(image, 'normals'));
  else canvas.place(resize(blank, PANEL, PANEL), PANEL, left(2), GAP);
  caption(canvas, left(2), hasNormals ? ['normals', isOne ? samples : ''] : ['no normals', 'the file holds none']);

  const levels = `sphere tree, ${depthOf(image) + 1} levels`;
  const below = GAP + PANEL - TREE_HEIGHT;
  if (isOne) {
    canvas.place(resize(centreRows(image), TREE_WIDTH, TREE_HEIGHT), TREE_WIDTH, left(3), GAP);
    canvas.place(resize(radiusRows(image), TREE_WIDTH, TREE_HEIGHT), TREE_WIDTH, left(3), below);
    const { exponent } = image.groups[0];
    const page = `${treeWidth(exponent)} x ${treeHeight(exponent)} x 4 x 16 bit`;
    caption(canvas, left(3), [levels, page, 'above: centres, below: radii']);
  } else {
    place(canvas, left(3), GAP, TREE_HEIGHT, centreRows(image));
    place(canvas, left(3), below, TREE_HEIGHT, radiusRows(image));
    caption(canvas, left(3), [levels, `${image.quads} leaves`, 'above: centres, below: radii']);
  }
  return canvas;
}

/** Draws rows into the square of that side, as large as their proportions allow. */
function place(canvas: Canvas, left: number, top: number, side: number, rows: PixelRows): void {
  const scale = side / Math.max(rows.width, rows.height);
  const width = Math.max(1, Math.round(rows.width * scale));
  canvas.place(resize(rows, width, Math.max(1, Math.round(rows.height * scale))), width, left, top);
}

function caption(canvas: Canvas, left: number, lines: readonly string[]): void {
  lines.forEach((line, i) => {
    const baseline = GAP + PANEL + CAPTION_LINES[i];
    drawText(canvas, line, { x: left + 2, baseline, ...(i === 0 ? TITLE : DETAIL) });
  });
}

/**
 * Everything is drawn in steps of the image's grid, so that no origin and no step is too large or
 * too small.
 */
function drawSurface(canvas: Canvas, left: number, image: GeometryImage, spheres: Balls | null): void {
  const groups = image.groups.map(coarsened);
  const quads = groups.reduce((sum, { count, exponent }) => sum + (count << (2 * exponent)), 0);
  const surface = toMesh({ groups, quads, origin: new Float64Array(3), step: 1 });
  const normals = new Float32Array(surface.positions.length);
  let at = 0;
  for (const group of groups) {
    if (group.normals) normals.set(unitNormals(group.normals), at);
    at += group.geometry.length;
  }
  const bodies: Body[] = [{ surface, normals: groups[0].normals ? normals : null, paint: CLAY }];
  if (!spheres) bodies.push(...sidesOf(groups, surface.positions).map((path) => ({ path, width: 1.6, paint: SEAM })));
  const view = frame(spheres ? [...bodies, spheres] : bodies, VIEWPOINT, PANEL);
  canvas.cover(render(bodies, view), PANEL, left, GAP);
  // The spheres of a level hold the surface: none of it is in front of them.
  if (spheres) canvas.cover(render([spheres], view), PANEL, left, GAP, SPHERES_OPACITY);
}

/** The charts of a group, or every 2^k-th sample of larger ones. */
function coarsened(group: PlacedGroup): PlacedGroup {
  if (group.exponent <= FINEST_DRAWN) return group;
  const stride = 1 << (group.exponent - FINEST_DRAWN);
  const size = sizeOf(group.exponent);
  const pick = (page: Uint16Array): Uint16Array => {
    const side = sizeOf(FINEST_DRAWN);
    const picked = new Uint16Array(3 * side * side * group.count);
    for (let v = 0; v < side * side * group.count; v++) {
      const chart = Math.floor(v / (side * side));
      const row = Math.floor(v / side) % side;
      const from = 3 * ((chart * size + stride * row) * size + stride * (v % side));
      for (let i = 0; i < 3; i++) picked[3 * v + i] = page[from + i];
    }
    return picked;
  };
  const normals = group.normals && pick(group.normals);
  return { ...group, exponent: FINEST_DRAWN, geometry: pick(group.geometry), normals };
}

const unitNormals = (normals: Uint16Array): Float32Array => Float32Array.from(normals, (q) => (q - 32768) / 32767);

/** The vertices along the four sides of every chart, round it once. */
function sidesOf(groups: PlacedGroup[], positions: Float64Array): Float64Array[] {
  const paths: Float64Array[] = [];
  let first = 0;
  for (const { exponent, count } of groups) {
    const size = sizeOf(exponent);
    const last = size - 1;
    for (let slot = 0; slot < count; slot++, first += size * size) {
      const path = new Float64Array(3 * (4 * last + 1));
      for (let i = 0; i <= 4 * last; i++) {
        const along = i % last;
        const side = ((i / last) | 0) % 4;
        const row = [0, along, last, last - along][side];
        const column = [along, last, last - along, 0][side];
        const vertex = 3 * (first + row * size + column);
        path.set(positions.subarray(vertex, vertex + 3), 3 * i);
      }
      paths.push(path);
    }
  }
  return paths;
}

type Balls = Extract<Body, { balls: Float64Array }>;

function spheresOf(image: GeometryImage, level: number): Balls {
  const balls = spheresOfLevel(image, level);
  for (let i = 3; i < balls.length; i += 4) balls[i] /= image.step;
  const nodes = image.charts === 1 ? 1 << level : 0;
  return {
    balls,
    paint: (i) => {
      if (nodes === 0) return i % 8 < 4 ? QUARTERS[i % 4] : LIGHTER[i % 4];
      const row = (i / nodes) | 0;
      const column = i % nodes;
      const paint = QUARTERS[2 * Math.floor((2 * row) / nodes) + Math.floor((2 * column) / nodes)];
      return (row + column) % 2 === 0 ? paint : LIGHTER[QUARTERS.indexOf(paint)];
    },
  };
}

const blank: PixelRows = {
  width: 1,
  height: 1,
  read: (_, into) => into.set(EMPTY_PIXEL),
};
