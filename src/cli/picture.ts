/**
 * A picture of a geometry image, to look at: its surface, shaded, with or without the spheres of a level, and its pages.
 *
 * B. Benes, N. Gomez Villanueva, "GI-COLLIDE - Collision Detection with Geometry Images", SCCG 2005: the spheres on the surface
 * are its Figure 5; the page of the tree, centres above and radii in brightened grey below, its Figure 6.
 */
import sharp from 'sharp';
import { OptionError } from '../math/errors.ts';
import { type Body, frame, type Paint, render, type Vector } from '../mesh/shade.ts';
import { type GeometryImage, sizeOf, toMesh } from '../representations/gi/geometry-image.ts';
import { nodeOffset, treeHeight, treeWidth } from '../representations/gi/sphere-tree.ts';
import { Canvas, type Rows, resize } from './picture-canvas.ts';
import { drawText, type TextStyle } from './picture-text.ts';

/** Side of a panel, pixels. The tree's page, 3 : 2, stands twice in the height of one. */
const PANEL = 400;
const GAP = 20;
const TREE_HEIGHT = (PANEL - 16) / 2;
const TREE_WIDTH = (3 * TREE_HEIGHT) / 2;
const CAPTION_LINES = [34, 60, 82];

export const PICTURE_WIDTH = 3 * PANEL + TREE_WIDTH + 5 * GAP;
export const PICTURE_HEIGHT = GAP + PANEL + CAPTION_LINES[2] + 18;

/** From the front, a little from the right and above; y is up. */
const VIEWPOINT: Vector = [0.55, 0.42, 1];
/** A surface is drawn in no more samples a side than these: more are finer than the picture's pixels. */
const FINEST_DRAWN = 10;

const CLAY: Paint = [214, 208, 198];
const SEAM: Paint = [214, 69, 38];
const EMPTY: Paint = [236, 237, 240];
/** Of the spheres, by the quarter of the image that they lie in; every other one a little lighter. */
const QUARTERS: readonly Paint[] = [
  [48, 122, 204],
  [32, 164, 122],
  [236, 158, 46],
  [208, 66, 98],
];
const LIGHTER = QUARTERS.map(([r, g, b]): Paint => [r + (255 - r) / 4, g + (255 - g) / 4, b + (255 - b) / 4]);
const SPHERES_OPACITY = 0.7;
/** What a sphere of mean size at the root would be in the picture of the radii, 1 being white. */
const MEAN_GREY = 0.75;

const TITLE: TextStyle = { unit: 1.55, weight: 2.5, paint: [32, 36, 44] };
const DETAIL: TextStyle = { unit: 1.25, weight: 1.55, paint: [96, 102, 114] };

/**
 * Draws an image and, where `level` is given, the spheres of that level over the surface.
 *
 * @returns PICTURE_WIDTH by PICTURE_HEIGHT pixels
 * @throws OptionError when the image has no such level
 */
export function drawGeometryImage(image: GeometryImage, level: number | null = null): Canvas {
  if (level !== null && (!Number.isInteger(level) || level < 0 || level > image.exponent)) {
    throw new OptionError(`level ${level}: this image has the levels 0 to ${image.exponent}`);
  }
  const size = sizeOf(image.exponent);
  const samples = `${size} x ${size} x 3 x 16 bit`;
  const canvas = new Canvas(PICTURE_WIDTH, PICTURE_HEIGHT);
  const left = (panel: number) => GAP + panel * (PANEL + GAP);

  drawSurface(canvas, left(0), image, level);
  const triangles = `${2 * (size - 1) * (size - 1)} triangles`;
  if (level === null) caption(canvas, left(0), ['stored surface', triangles, 'red: where the sides of the square lie']);
  else
    caption(canvas, left(0), [
      `spheres of level ${level}`,
      `${4 ** level} over ${triangles}`,
      'coloured by the quarter of the square',
    ]);

  canvas.place(resize(pageOf(image.geometry, size), PANEL, PANEL), PANEL, left(1), GAP);
  caption(canvas, left(1), ['geometry', samples, 'x, y, z as red, green, blue']);

  const normals = image.normals ? pageOf(image.normals, size) : blank;
  canvas.place(resize(normals, PANEL, PANEL), PANEL, left(2), GAP);
  caption(canvas, left(2), image.normals ? ['normals', samples] : ['no normals', 'the file holds none']);

  canvas.place(resize(centresOf(image), TREE_WIDTH, TREE_HEIGHT), TREE_WIDTH, left(3), GAP);
  canvas.place(resize(radiiOf(image), TREE_WIDTH, TREE_HEIGHT), TREE_WIDTH, left(3), GAP + PANEL - TREE_HEIGHT);
  const page = `${treeWidth(image.exponent)} x ${treeHeight(image.exponent)} x 4 x 16 bit`;
  caption(canvas, left(3), [`sphere tree, ${image.exponent + 1} levels`, page, 'above: centres, below: radii']);
  return canvas;
}

/** The picture as a PNG file. */
export async function toPng({ pixels, width, height }: Canvas): Promise<Uint8Array> {
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .png({ compressionLevel: 6, adaptiveFiltering: true })
    .toBuffer();
}

function caption(canvas: Canvas, left: number, lines: readonly string[]): void {
  lines.forEach((line, i) => {
    const baseline = GAP + PANEL + CAPTION_LINES[i];
    drawText(canvas, line, { x: left + 2, baseline, ...(i === 0 ? TITLE : DETAIL) });
  });
}

/** Everything is drawn in steps of the image's grid, so that no origin and no step is too large or too small. */
function drawSurface(canvas: Canvas, left: number, image: GeometryImage, level: number | null): void {
  const drawn = coarsened(image);
  const surface = toMesh({ ...drawn, origin: new Float64Array(3), step: 1 });
  const bodies: Body[] = [{ surface, normals: drawn.normals ? unitNormals(drawn.normals) : null, paint: CLAY }];
  if (level === null)
    bodies.push({ path: sidesOf(surface.positions, sizeOf(drawn.exponent)), width: 1.6, paint: SEAM });
  const spheres: Body[] = level === null ? [] : [spheresOf(image, level)];
  const view = frame([...bodies, ...spheres], VIEWPOINT, PANEL);
  canvas.cover(render(bodies, view), PANEL, left, GAP);
  // The spheres of a level hold the surface: none of it is in front of them.
  if (level !== null) canvas.cover(render(spheres, view), PANEL, left, GAP, SPHERES_OPACITY);
}

/** The image, or every 2^k-th sample of a larger one. */
function coarsened(image: GeometryImage): GeometryImage {
  if (image.exponent <= FINEST_DRAWN) return image;
  const stride = 1 << (image.exponent - FINEST_DRAWN);
  const size = sizeOf(image.exponent);
  const pick = (page: Uint16Array): Uint16Array => {
    const side = sizeOf(FINEST_DRAWN);
    const picked = new Uint16Array(3 * side * side);
    for (let v = 0; v < side * side; v++) {
      const from = 3 * stride * (((v / side) | 0) * size + (v % side));
      for (let i = 0; i < 3; i++) picked[3 * v + i] = page[from + i];
    }
    return picked;
  };
  const normals = image.normals && pick(image.normals);
  return { ...image, exponent: FINEST_DRAWN, geometry: pick(image.geometry), normals };
}

const unitNormals = (normals: Uint16Array): Float32Array => Float32Array.from(normals, (q) => (q - 32768) / 32767);

/** The vertices along the image's four sides, round it once. */
function sidesOf(positions: Float64Array, size: number): Float64Array {
  const last = size - 1;
  const path = new Float64Array(3 * (4 * last + 1));
  for (let i = 0; i <= 4 * last; i++) {
    const along = i % last;
    const side = ((i / last) | 0) % 4;
    const row = [0, along, last, last - along][side];
    const column = [along, last, last - along, 0][side];
    path.set(positions.subarray(3 * (row * size + column), 3 * (row * size + column) + 3), 3 * i);
  }
  return path;
}

function spheresOf(image: GeometryImage, level: number): Body {
  const nodes = 1 << level;
  const { page, radiusSteps } = image.tree;
  const balls = new Float64Array(4 * nodes * nodes);
  for (let i = 0; i < nodes * nodes; i++) {
    const o = nodeOffset(image.exponent, level, (i / nodes) | 0, i % nodes);
    for (let k = 0; k < 3; k++) balls[4 * i + k] = page[o + k];
    balls[4 * i + 3] = (page[o + 3] * radiusSteps[level]) / image.step;
  }
  return {
    balls,
    paint: (i) => {
      const row = (i / nodes) | 0;
      const column = i % nodes;
      const paint = QUARTERS[2 * Math.floor((2 * row) / nodes) + Math.floor((2 * column) / nodes)];
      return (row + column) % 2 === 0 ? paint : LIGHTER[QUARTERS.indexOf(paint)];
    },
  };
}

/** A page of three 16-bit channels as colours. */
function pageOf(page: Uint16Array, size: number): Rows {
  return {
    width: size,
    height: size,
    read: (row, into) => {
      for (let i = 0; i < 3 * size; i++) into[i] = page[3 * row * size + i] >> 8;
    },
  };
}

const blank: Rows = {
  width: 1,
  height: 1,
  read: (_, into) => into.set(EMPTY),
};

/** The tree's page drawn by `paint`, which is asked with a node's level and its offset in the page; EMPTY where there is none. */
function treeRows(
  image: GeometryImage,
  paint: (level: number, offset: number, into: Uint8Array, at: number) => void,
): Rows {
  const { exponent } = image;
  const side = 1 << exponent;
  return {
    width: treeWidth(exponent),
    height: treeHeight(exponent),
    read: (row, into) => {
      for (let i = 0; i < into.length; i++) into[i] = EMPTY[i % 3];
      for (let column = 0; column < side; column++)
        paint(exponent, nodeOffset(exponent, exponent, row, column), into, 3 * column);
      // Level L has the rows 2^n - 2^(L+1) to 2^n - 2^L - 1, and the last row none.
      const level = 31 - Math.clz32(side - row - 1);
      if (level < 0) return;
      const inLevel = row - side + (2 << level);
      for (let column = 0; column < 1 << level; column++)
        paint(level, nodeOffset(exponent, level, inLevel, column), into, 3 * (side + column));
    },
  };
}

function centresOf(image: GeometryImage): Rows {
  const { page } = image.tree;
  return treeRows(image, (_, offset, into, at) => {
    for (let k = 0; k < 3; k++) into[at + k] = page[offset + k] >> 8;
  });
}

/**
 * Radii in grey, the square root of their ratio to their own level's mean, so that every level shows its structure, times a
 * factor from a half at the leaves to 1 at the root, so that larger spheres are brighter all the same.
 */
function radiiOf({ exponent, tree, ...image }: GeometryImage): Rows {
  const means = Array.from({ length: exponent + 1 }, (_, level) => meanAlpha(tree.page, exponent, level));
  return treeRows({ exponent, tree, ...image }, (level, offset, into, at) => {
    const ratio = means[level] > 0 ? tree.page[offset + 3] / means[level] : 0;
    const grey = (1 - (0.5 * level) / exponent) * Math.min(1, MEAN_GREY * Math.sqrt(ratio));
    into.fill(Math.round(255 * grey), at, at + 3);
  });
}

function meanAlpha(page: Uint16Array, exponent: number, level: number): number {
  const nodes = 1 << level;
  let sum = 0;
  for (let row = 0; row < nodes; row++) {
    const first = nodeOffset(exponent, level, row, 0) + 3;
    for (let column = 0; column < nodes; column++) sum += page[first + 4 * column];
  }
  return sum / (nodes * nodes);
}
