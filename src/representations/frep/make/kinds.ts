/** The kinds of shapes in a `.frep.json` and a limit of theirs, without the schema. */

// biome-ignore format: two lines
const KINDS_OF_FUNCTIONS = [
  'sphere', 'ellipsoid', 'cylinder', 'cone', 'paraboloid', 'hyperboloid', 'halfSpace', 'box', 'torus', 'goursat',
  'quadric', 'polynomial', 'waves', 'noise', 'expression', 'triangle', 'sum', 'blend',
] as const;
export const KINDS_OF_SETS = ['union', 'intersection', 'difference', 'complement'] as const;
/** A shape has exactly one of these keys. */
export const KINDS = [...KINDS_OF_FUNCTIONS, ...KINDS_OF_SETS];

/** Most characters of an expression. */
export const LONGEST_EXPRESSION = 10_000;

export type Kind = (typeof KINDS)[number];

export const kindsOf = (shape: object): Kind[] => KINDS.filter((kind) => Object.hasOwn(shape, kind));

/**
 * Returns the kind of a shape.
 *
 * @example kindOf({ sphere: { radius: 1 }, name: 'ball' }) // 'sphere'
 */
export const kindOf = (shape: object): Kind => kindsOf(shape)[0];
