/**
 * The kinds of shapes in a `.frep.json`, and how messages about one name places and numbers: what
 * needs no schema.
 */

import { printable } from '../../../math/printable.ts';

// biome-ignore format: two lines
const KINDS_OF_FUNCTIONS = [
  'sphere', 'ellipsoid', 'cylinder', 'cone', 'paraboloid', 'hyperboloid', 'halfSpace', 'box', 'torus', 'goursat',
  'quadric', 'polynomial', 'waves', 'noise', 'triangle', 'sum',
] as const;
export const KINDS_OF_SETS = ['union', 'intersection', 'difference', 'complement'] as const;
/** Of these keys a shape has exactly one. */
export const KINDS = [...KINDS_OF_FUNCTIONS, ...KINDS_OF_SETS];

export type Kind = (typeof KINDS)[number];

export const kindsOf = (shape: object): Kind[] => KINDS.filter((kind) => Object.hasOwn(shape, kind));

/**
 * Which one of the kinds a shape is.
 *
 * @example kindOf({ sphere: { radius: 1 }, name: 'ball' }) // 'sphere'
 */
export const kindOf = (shape: object): Kind => kindsOf(shape)[0];

/** A number without the plus in its exponent: 1e60. */
export const shortNumber = (x: unknown): string => String(x).replace('e+', 'e');

/** Keys and indices that lead from the whole to a part. */
export type Path = readonly PropertyKey[];

/**
 * A path as a message shows it: object.union[1].sphere.radius; long ones without their middle.
 *
 * @example pathText(['object', 'union', 1, 'sphere']) // 'object.union[1].sphere'
 */
export function pathText(path: Path): string {
  const step = (key: PropertyKey, i: number): string => {
    if (typeof key === 'number') return `[${key}]`;
    const text = String(key);
    return /^[\w$]{1,40}$/.test(text) ? `${i === 0 ? '' : '.'}${text}` : `[${quoted(text)}]`;
  };
  if (path.length <= 24) return path.map(step).join('');
  const start = path.slice(0, 6).map(step).join('');
  return `${start} ... ${path.slice(-10).map(step).join('').replace(/^\./, '')}`;
}

/** A file's words on one line, and of a length for one. */
export function quoted(text: string): string {
  const line = printable(text.slice(0, 60));
  return `"${line.length > 40 ? `${line.slice(0, 37)}...` : line}"`;
}
