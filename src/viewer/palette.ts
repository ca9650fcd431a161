/**
 * The drawing's colors in light and dark, from Okabe and Ito (2008), which color-blind people can
 * distinguish. Marks objects outside the chosen pair by their findings.
 */
import type { Level } from '../report/finding.ts';
import type { ViewDocument } from './document.ts';

/** How far ghosts stand out from the background. */
export const GHOST = 0.16;

/** Red, green and blue from 0 to 1, in the screen's color space. */
export type Paint = readonly [number, number, number];

export interface Palette {
  background: Paint;
  grid: Paint;
  a: Paint;
  b: Paint;
  other: Paint;
  error: Paint;
  warning: Paint;
  note: Paint;
  /** Words about objects that are apart but too close. */
  near: Paint;
  contact: Paint;
  distance: Paint;
  pointer: Paint;
  tested: Paint;
  /** Around strokes, so that they stand out on any background. */
  halo: Paint;
  axes: readonly [Paint, Paint, Paint];
  rim: Paint;
}

const paint = (hex: number): Paint => [(hex >> 16) / 255, ((hex >> 8) & 255) / 255, (hex & 255) / 255];

const SHARED = {
  contact: paint(0xe6007a),
  warning: paint(0xcc79a7),
  note: paint(0x7fb59f),
  tested: paint(0xf0e442),
};

export const LIGHT: Palette = {
  ...SHARED,
  background: paint(0xf3f4f6),
  grid: paint(0x8a9099),
  a: paint(0x1f7fc4),
  b: paint(0xeb9b0c),
  other: paint(0xb4b8be),
  error: paint(0xc8402c),
  near: paint(0x7b3fb3),
  distance: paint(0x007a5a),
  pointer: paint(0x111317),
  halo: paint(0xffffff),
  axes: [paint(0xc8102e), paint(0x00843d), paint(0x1b4fd0)],
  rim: paint(0x1a1d22),
};

export const DARK: Palette = {
  ...SHARED,
  contact: paint(0xff4fa3),
  background: paint(0x14171c),
  grid: paint(0x5f6772),
  a: paint(0x3d9be0),
  b: paint(0xf0a820),
  other: paint(0x8d949e),
  error: paint(0xe0543c),
  near: paint(0xc9a2ff),
  distance: paint(0x2fd6a3),
  pointer: paint(0xffffff),
  halo: paint(0x0a0c0f),
  axes: [paint(0xff5a6e), paint(0x4fd37f), paint(0x6f9bff)],
  rim: paint(0x000000),
};

/** A lighter or darker color. */
export const shaded = ([red, green, blue]: Paint, shade: number): Paint => [red * shade, green * shade, blue * shade];

/** From 0 to 255, as in pictures; a shade may be lighter than 1. */
export const toPaint = ([red, green, blue]: Paint): Paint => [toByte(red), toByte(green), toByte(blue)];

/** Mixes two colors, with `share` of the second; returns a color like toPaint. */
export const mixed = (p: Paint, q: Paint, share: number): Paint =>
  toPaint([p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1]), p[2] + share * (q[2] - p[2])]);

const toByte = (x: number): number => Math.min(255, Math.round(255 * x));

const RANK: Record<Level, number> = { note: 0, warning: 1, error: 2 };

/** Returns each object's worst level. Notes do not count: in buildings everything touches. */
export function marksOf({ objects, findings }: Pick<ViewDocument, 'objects' | 'findings'>): Map<number, Level> {
  const numbers = new Map(objects.map(({ name }, number) => [name, number]));
  const marks = new Map<number, Level>();
  for (const { subjects, level } of findings) {
    if (level === 'note') continue;
    for (const { name } of subjects) {
      const object = numbers.get(name);
      if (object === undefined) continue;
      const known = marks.get(object);
      if (known === undefined || RANK[level] > RANK[known]) marks.set(object, level);
    }
  }
  return marks;
}

/** Brightness of an object: neighbors differ slightly, so that you can tell them apart. */
export const shadeOf = (object: number): number => 0.94 + 0.12 * ((object * 0.618034) % 1);
