/**
 * Letters for captions, drawn as strokes of our own: a bare machine has no fonts, and fonts differ
 * between machines.
 *
 * A glyph is one or more strokes. A stroke is a control polygon of two hexadecimal digits per
 * point: x, then y. Descenders extend down to 0, the baseline is 3, small letters extend up to 9,
 * tall ones and digits to d. Two points are a straight line. More are the quadratic B-spline that
 * starts at the first and ends at the last; the polygon's sides touch it half way (I. J.
 * Schoenberg, "Contributions to the Problem of Approximation of Equidistant Data by Analytic
 * Functions", 1946).
 */
import type { Canvas } from './canvas.ts';

/** Replaces letters without strokes. */
const MISSING = '\ufffd';

const GLYPHS: Record<string, string> = {
  a: '336369090333 6963',
  b: '336369090333 0d03',
  c: '685909035364',
  d: '336369090333 6d63',
  e: '0666 666909035364',
  f: '5d2d2a23 0949',
  g: '336369090333 6964601001',
  h: '0d03 0609595653',
  i: '0903 0c0c',
  j: '29222000 2c2c',
  k: '0d03 5905 2753',
  l: '0d03',
  m: '0903 0609494643 4649898683',
  n: '0903 0609595653',
  o: '336369090333',
  p: '336369090333 0900',
  q: '336369090333 6960',
  r: '0903 060949',
  s: '5849090656531304',
  t: '2c262343 0949',
  u: '0906035356 5953',
  v: '0933 3369',
  w: '0923 2349 4963 6389',
  x: '0953 0359',
  y: '0933 6910',
  z: '0959 5903 0353',
  0: '33636d0d0333',
  1: '0b2d 2d23',
  2: '0b0d6d6903 0363',
  3: '0c1d6d6828 2868631304',
  4: '4d06 0666 4d43',
  5: '5d0d 0d08 081969631304',
  6: '336369090333 060d5d',
  7: '0d6d 6d23',
  8: '38585d1d1838 386863030838',
  9: '37676d0d0737 6a6313',
  '.': '0303',
  ',': '1301',
  ':': '0303 0808',
  '-': '0646',
  A: '033d 3d63 1656',
  B: '0d03 0d5d5808 08686303',
  C: '6b6d0d036365',
  D: '0d03 0d7d7303',
  E: '0d03 0d5d 0848 0353',
  F: '0d03 0d5d 0848',
  G: '6b6d0d036368 6838',
  H: '0d03 6d63 0868',
  I: '1d13 0d2d 0323',
  J: '4d430306',
  K: '0d03 6d07 2963',
  L: '0d03 0353',
  M: '0d03 0d47 478d 8d83',
  N: '0d03 0d63 636d',
  O: '43838d0d0343',
  P: '0d03 0d6d6707',
  Q: '43838d0d0343 5683',
  R: '0d03 0d6d6707 3763',
  S: '6b6d0d0868630305',
  T: '3d33 0d6d',
  U: '0d07 07036367 676d',
  V: '0d33 336d',
  W: '0d23 234a 4a63 638d',
  X: '0d63 036d',
  Y: '0d38 6d38 3833',
  Z: '0d6d 6d03 0363',
  _: '0262',
  '/': '015d',
  '(': '2d0a0622',
  ')': '0d2a2602',
  '[': '0d02 0d2d 0222',
  ']': '2d22 0d2d 0222',
  '+': '0646 2824',
  '=': '0848 0545',
  '#': '1d13 4d43 0a5a 0656',
  "'": '0d0a',
  '!': '0d07 0303',
  '*': '0a46 064a',
  '<': '5b07 0753',
  '>': '0b57 5703',
  '|': '0d02',
  '~': '062a4468',
  '%': '035d 0d0c 5453',
  [MISSING]: '0d03 0353 535d 5d0d',
};

/** Replaces letters without strokes by boxes, and drops accents. */
export const drawable = (text: string): string =>
  Array.from(text.normalize('NFKD').replaceAll(/\p{M}/gu, ''), (letter) =>
    letter === ' ' || Object.hasOwn(GLYPHS, letter) ? letter : MISSING,
  ).join('');

/** Returns a text's width in pixels, with `unit` pixels per step of the letters' grid. */
export const widthOf = (text: string, unit: number): number => unit * strokesOf(text).width;

export function fittedTo(text: string, unit: number, pixels: number): string {
  if (widthOf(text, unit) <= pixels) return text;
  let end = text.length;
  while (end > 0 && widthOf(`${text.slice(0, end)}...`, unit) > pixels) end--;
  return end === 0 ? '' : `${text.slice(0, end)}...`;
}

/** The space between two letters' strokes, and the width of a blank. */
const SPACING = 3.2;
const BLANK = 2.4;

/** Line segments per curve of three control points. */
const PIECES = 6;

/**
 * Returns the line segments x0, y0, x1, y1 of a text that starts at 0 on a baseline at y = 0 (y
 * up), and its end. Exported for its test, which looks at every letter.
 */
export function strokesOf(text: string): { pieces: number[]; width: number } {
  const pieces: number[] = [];
  let pen = 0;
  for (const letter of text) {
    const glyph = GLYPHS[letter];
    if (glyph === undefined) {
      if (letter !== ' ') throw new Error(`no glyph for '${letter}'`);
      pen += BLANK + SPACING;
      continue;
    }
    let width = 0;
    for (const stroke of glyph.split(' ')) {
      const points = Array.from({ length: stroke.length / 2 }, (_, i) => {
        const x = Number.parseInt(stroke[2 * i], 16);
        width = Math.max(width, x);
        return [pen + x, Number.parseInt(stroke[2 * i + 1], 16) - 3] as const;
      });
      flatten(points, pieces);
    }
    pen += width + SPACING;
  }
  return { pieces, width: Math.max(0, pen - SPACING) };
}

type Point = readonly [number, number];

function flatten(points: readonly Point[], pieces: number[]): void {
  let from = points[0];
  if (points.length === 2) pieces.push(...from, ...points[1]);
  for (let i = 1; i + 1 < points.length; i++) {
    const control = points[i];
    const next = points[i + 1];
    const to: Point = i + 2 === points.length ? next : [(control[0] + next[0]) / 2, (control[1] + next[1]) / 2];
    let last = from;
    for (let k = 1; k <= PIECES; k++) {
      const t = k / PIECES;
      const at = (axis: 0 | 1) => (1 - t) * (1 - t) * from[axis] + 2 * t * (1 - t) * control[axis] + t * t * to[axis];
      const point: Point = [at(0), at(1)];
      pieces.push(...last, ...point);
      last = point;
    }
    from = to;
  }
}

/** Draws from (x, baseline), `unit` pixels per grid step, in lines `weight` pixels wide. */
export function drawText(
  canvas: Canvas,
  text: string,
  { x, baseline, unit, weight, paint }: TextStyle & { x: number; baseline: number },
): void {
  const { pieces, width } = strokesOf(text);
  const reach = weight / 2 + 1;
  const left = Math.floor(x - reach);
  const top = Math.floor(baseline - 10 * unit - reach);
  const columns = Math.ceil(x + width * unit + reach) - left;
  const rows = Math.ceil(baseline + 3 * unit + reach) - top;
  const cover = new Float32Array(columns * rows);
  for (let i = 0; i < pieces.length; i += 4) {
    const ax = x + unit * pieces[i] - left;
    const ay = baseline - unit * pieces[i + 1] - top;
    const bx = x + unit * pieces[i + 2] - left;
    const by = baseline - unit * pieces[i + 3] - top;
    const length2 = (bx - ax) * (bx - ax) + (by - ay) * (by - ay);
    const lastRow = Math.ceil(Math.max(ay, by) + reach);
    const lastColumn = Math.ceil(Math.max(ax, bx) + reach);
    for (let row = Math.max(0, Math.floor(Math.min(ay, by) - reach)); row < Math.min(rows, lastRow); row++) {
      const first = Math.max(0, Math.floor(Math.min(ax, bx) - reach));
      for (let column = first; column < Math.min(columns, lastColumn); column++) {
        const px = column + 0.5 - ax;
        const py = row + 0.5 - ay;
        const along = length2 > 0 ? (px * (bx - ax) + py * (by - ay)) / length2 : 0;
        const s = Math.min(1, Math.max(0, along));
        const dx = px - s * (bx - ax);
        const dy = py - s * (by - ay);
        const covered = Math.min(1, Math.max(0, weight / 2 + 0.5 - Math.sqrt(dx * dx + dy * dy)));
        const at = row * columns + column;
        if (covered > cover[at]) cover[at] = covered;
      }
    }
  }
  canvas.stain(cover, columns, left, top, paint);
}

export interface TextStyle {
  unit: number;
  weight: number;
  paint: readonly [number, number, number];
}
