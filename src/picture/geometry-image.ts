/**
 * A picture of a geometry image for people: its surface, shaded, with or without the spheres of a
 * level, and its pages.
 *
 * B. Benes, N. Gomez Villanueva, "GI-COLLIDE - Collision Detection with Geometry Images", SCCG
 * 2005. The spheres on the surface are its Figure 5. The page of the tree, with centers above and
 * radii in brightened gray below, is its Figure 6.
 */
import type { PixelRows } from '../containers/pixels.ts';
import { countsOf, type GeometryImage, type PlacedGroup, toMesh } from '../representations/gi/tree/geometry-image.ts';
import { isOneScale, sizeOf, treeHeight, treeWidth } from '../representations/gi/tree/grid.ts';
import { depthOf, spheresOfLevel } from '../representations/gi/tree/levels.ts';
import { centreRows, EMPTY_PIXEL, radiusRows, sampleRows } from '../representations/gi/tree/page-rows.ts';
import { everySample } from '../representations/gi/tree/subsample.ts';
import { type Canvas, resize } from './canvas.ts';
import { CLAY, FRONT, GAP, paintOfQuarter, Sheet } from './draw.ts';
import { type Body, frame, type Paint } from './shade.ts';

/** Side of a panel, pixels. The tree's page, 3 : 2, fits twice into the height of one. */
const PANEL = 400;
const TREE_HEIGHT = (PANEL - 16) / 2;
const TREE_WIDTH = (3 * TREE_HEIGHT) / 2;

/** Maximum exponent of a drawn surface: more samples are finer than the picture's pixels. */
const FINEST_DRAWN = 10;

const SEAM: Paint = [214, 69, 38];
const SPHERES_OPACITY = 0.7;

/**
 * Draws an image. With `level`, it also draws the spheres of that level over the surface.
 *
 * @throws OptionError if the image has no such level
 */
export function drawGeometryImage(image: GeometryImage, level: number | null = null): Canvas {
  const sheet = new Sheet(4, PANEL, TREE_WIDTH);
  const spheres = level === null ? null : spheresOf(image, level);
  drawSurface(sheet, image, spheres);
  const triangles = `${countsOf(image).triangles} triangles`;
  const isOne = image.charts === 1;
  const sides = isOne ? 'red: where the sides of the square lie' : `red: the sides of ${image.charts} charts`;
  const colours = isOne ? 'coloured by the quarter of the square' : 'coloured in turns';
  if (!spheres) sheet.caption(0, ['stored surface', triangles, sides]);
  else sheet.caption(0, [`spheres of level ${level}`, `${spheres.balls.length / 4} over ${triangles}`, colours]);

  const { exponent, normals } = image.groups[0];
  const samples = `${sizeOf(exponent)} x ${sizeOf(exponent)} x 3 x 16 bit`;
  const extent = isOne ? samples : `${image.charts} charts, the largest ${samples}`;
  const { canvas } = sheet;
  place(canvas, sheet.left(1), GAP, PANEL, sampleRows(image, 'geometry'));
  sheet.caption(1, ['geometry', extent, 'x, y, z as red, green, blue']);
  place(canvas, sheet.left(2), GAP, PANEL, normals ? sampleRows(image, 'normals') : blank);
  sheet.caption(2, normals ? ['normals', isOne ? samples : ''] : ['no normals', 'the file holds none']);

  const page = `${treeWidth(exponent)} x ${treeHeight(exponent)} x 4 x 16 bit`;
  // The page of one square is 3 : 2, and fills the width.
  const side = isOne ? TREE_WIDTH : TREE_HEIGHT;
  place(canvas, sheet.left(3), GAP, side, centreRows(image));
  place(canvas, sheet.left(3), GAP + PANEL - TREE_HEIGHT, side, radiusRows(image));
  const isShared = isOneScale(image.groups[0].tree.radiusSteps);
  sheet.caption(3, [
    `sphere tree, ${depthOf(image) + 1} levels`,
    isOne ? page : `${image.quads} leaves`,
    isShared ? 'centres, radii on one scale' : 'above: centres, below: radii',
  ]);
  return canvas;
}

function place(canvas: Canvas, left: number, top: number, side: number, rows: PixelRows): void {
  const scale = side / Math.max(rows.width, rows.height);
  const width = Math.max(1, Math.round(rows.width * scale));
  canvas.place(resize(rows, width, Math.max(1, Math.round(rows.height * scale))), width, left, top);
}

/** Draws in steps of the image's grid, so that no origin and no step is too large or small. */
function drawSurface(sheet: Sheet, image: GeometryImage, spheres: Balls | null): void {
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
  if (!spheres) bodies.push({ points: surface.positions, ends: sidesOf(groups), width: 1.6, paint: SEAM });
  const view = frame(spheres ? [...bodies, spheres] : bodies, FRONT, PANEL);
  // The spheres of a level hold the surface, so no part of it is in front of them.
  const over = spheres ? [{ bodies: [spheres], opacity: SPHERES_OPACITY }] : [];
  sheet.draw(0, [{ bodies }, ...over], view);
}

/** Returns the charts of a group, or every 2^k-th sample of larger ones. */
function coarsened(group: PlacedGroup): PlacedGroup {
  const { exponent, count, geometry, normals } = group;
  if (exponent <= FINEST_DRAWN) return group;
  const pick = (page: Uint16Array): Uint16Array => everySample(page, exponent, FINEST_DRAWN, count);
  return { ...group, exponent: FINEST_DRAWN, geometry: pick(geometry), normals: normals && pick(normals) };
}

const unitNormals = (normals: Uint16Array): Float32Array => Float32Array.from(normals, (q) => (q - 32768) / 32767);

/** The four sides of every chart, once around it: two vertices per line. */
function sidesOf(groups: PlacedGroup[]): number[] {
  const ends: number[] = [];
  let first = 0;
  for (const { exponent, count } of groups) {
    const size = sizeOf(exponent);
    const last = size - 1;
    const vertexAt = (i: number): number => {
      const along = i % last;
      const side = ((i / last) | 0) % 4;
      return [0, along, last, last - along][side] * size + [along, last, last - along, 0][side];
    };
    for (let slot = 0; slot < count; slot++, first += size * size)
      for (let i = 0; i < 4 * last; i++) ends.push(first + vertexAt(i), first + vertexAt(i + 1));
  }
  return ends;
}

type Balls = Extract<Body, { balls: Float64Array }>;

function spheresOf(image: GeometryImage, level: number): Balls {
  const balls = spheresOfLevel(image, level);
  for (let i = 3; i < balls.length; i += 4) balls[i] /= image.step;
  const nodes = image.charts === 1 ? 1 << level : 0;
  return {
    balls,
    paint: (i) => {
      if (nodes === 0) return paintOfQuarter(i % 4, { isLighter: i % 8 >= 4 });
      const [row, column] = [(i / nodes) | 0, i % nodes];
      const quarter = 2 * Math.floor((2 * row) / nodes) + Math.floor((2 * column) / nodes);
      return paintOfQuarter(quarter, { isLighter: (row + column) % 2 === 1 });
    },
  };
}

const blank: PixelRows = {
  width: 1,
  height: 1,
  read: (_, into) => into.set(EMPTY_PIXEL),
};
