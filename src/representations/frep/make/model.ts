/**
 * Defines and checks the language of `.frep.json`, which describes functionally defined objects.
 *
 * S. Vyatkin, B. Dolgovesov, "Collision Detection of Functionally Defined Objects for Constant
 * Time", sections 2 (noise), 3.1 (quadrics, triangle bases, perturbation functions), 3.2
 * (set-theoretic operations) and 3.3.1 (polynomials). Every shape is a function F, inside where F
 * >= 0. That includes sets, whose F is a minimum, a maximum or a negation. So any shape can be
 * perturbed, perturb, be summed and be moved. Section 1 names "time-dependent surfaces" among the
 * hard problems. Here F may depend on the time t, by t in polynomials, coefficients, waves and
 * velocities.
 *
 * zod/mini, for a page that bundles this: 20 kB minified, zod 74 (esbuild --bundle --minify of one
 * small schema). It omits messages; the code here writes them from its issues.
 */
import * as z from 'zod/mini';
import { FormatError } from '../../../base/errors.ts';
import { at, describe, expectedBy, type Path, valueAt, worst } from '../../../base/json-messages.ts';
import { parseJson } from '../../../base/json-text.ts';
import { nearest } from '../../../base/nearest.ts';
import { quoted } from '../../../base/printable.ts';
import { schemaNotes } from '../../../base/schema-notes.ts';
import type { PlacedPrimitive } from '../../../readers/mesh-file.ts';
import { LARGEST_NUMBER, LARGEST_TIME, MOST_DEGREE, SMALLEST_WIDTH } from '../tree/program.ts';
import { KINDS, KINDS_OF_SETS, kindsOf, LONGEST_EXPRESSION } from './kinds.ts';

/** Maximum nesting depth of shapes, including the outermost. */
const MOST_NESTED = 256;

const knownKeys = new Map<string, string[]>();

function record<T extends z.core.$ZodLooseShape>(key: string, shape: T): z.ZodMiniObject<T, z.core.$strict> {
  knownKeys.set(key, [...(knownKeys.get(key) ?? []), ...Object.keys(shape)]);
  return z.strictObject(shape);
}

const must = <T>(expected: string, holds: (value: T) => boolean) => z.refine<T>(holds, { error: expected });

const number = z.number().check(z.gte(-LARGEST_NUMBER), z.lte(LARGEST_NUMBER)).register(schemaNotes, { id: 'number' });
const length = z.number().check(z.gt(0), z.lte(LARGEST_NUMBER)).register(schemaNotes, { id: 'length' });
const width = z.number().check(z.gte(SMALLEST_WIDTH), z.lte(LARGEST_NUMBER)).register(schemaNotes, { id: 'width' });
const time = z.number().check(z.gte(-LARGEST_TIME), z.lte(LARGEST_TIME)).register(schemaNotes, { id: 'time' });
const numberBut0 = z
  .number()
  .check(
    z.gte(-LARGEST_NUMBER),
    z.lte(LARGEST_NUMBER),
    must('a number other than 0', (x) => x !== 0),
  )
  .register(schemaNotes, { id: 'numberBut0', not: { const: 0 } });
const whole = z.int().check(z.gte(0), z.lte(MOST_DEGREE)).register(schemaNotes, { id: 'exponent' });
const point = z.array(number).check(z.length(3)).register(schemaNotes, { id: 'point', description: '[x, y, z]' });
const direction = z
  .array(number)
  .check(
    z.length(3),
    must('a direction other than 0, 0, 0', (v) => v.some((x) => x !== 0)),
  )
  .register(schemaNotes, { id: 'direction', description: '[x, y, z], of any length but 0' });
const center = z.optional(point);
/** A number, or the coefficients of 1, t, t^2, ... */
const inTime = z.union([number, z.array(number).check(z.minLength(1), z.maxLength(MOST_DEGREE + 1))]);
const axis = z.optional(z.enum(['x', 'y', 'z']).register(schemaNotes, { id: 'axis', description: 'z unless given' }));
const radii = (count: number) => z.array(length).check(z.length(count));

const isBox = must<{ min: number[]; max: number[] }>('every coordinate of min below the one of max', ({ min, max }) =>
  min.every((x, k) => x < max[k]),
);

const primitives = {
  sphere: record('sphere', { radius: length, center }).register(schemaNotes, { description: 'r^2 - |x - center|^2' }),
  ellipsoid: record('ellipsoid', { radii: radii(3), center }).register(schemaNotes, {
    description: '1 - (x/a)^2 - (y/b)^2 - (z/c)^2',
  }),
  cylinder: record('cylinder', { radius: length, axis, center, height: z.optional(length) }).register(schemaNotes, {
    description: 'r^2 - x^2 - y^2; with a height its part with |z - center| <= height / 2',
  }),
  cone: record('cone', {
    angle: z.optional(z.number().check(z.gt(0), z.lt(90))),
    slope: z.optional(length),
    axis,
    apex: center,
    height: z.optional(length),
  })
    .check(must('either angle or slope', ({ angle, slope }) => (angle === undefined) !== (slope === undefined)))
    .register(schemaNotes, {
      description:
        '(slope z)^2 - x^2 - y^2, both halves; with a height its part with 0 <= z <= height. angle: between axis and surface, in degrees',
      oneOf: [{ required: ['angle'] }, { required: ['slope'] }],
    }),
  paraboloid: record('paraboloid', { radii: radii(2), axis, apex: center }).register(schemaNotes, {
    description:
      'z - (x/a)^2 - (y/b)^2: opens along its axis. About axis x the radii are those along y and z, about y along z and x',
  }),
  hyperboloid: record('hyperboloid', { radii: radii(3), sheets: z.literal([1, 2]), axis, center }).register(
    schemaNotes,
    {
      description:
        'One sheet: 1 - (x/a)^2 - (y/b)^2 + (z/c)^2. Two sheets: (z/c)^2 - (x/a)^2 - (y/b)^2 - 1. About axis x, a is along y, b along z and c along x; about y: z, x, y',
    },
  ),
  halfSpace: record('halfSpace', { normal: direction, offset: number }).register(schemaNotes, {
    description: 'offset - normal . x, the normal as it is given',
  }),
  box: z
    .union([record('box', { min: point, max: point }).check(isBox), record('box', { size: radii(3), center })])
    .register(schemaNotes, { description: 'The least of (x - min)(max - x) along x, y and z' }),
  torus: record('torus', { major: length, minor: length, axis, center })
    .check(must('minor at most as large as major', ({ major, minor }) => minor <= major))
    .register(schemaNotes, { description: '4 R^2 (x^2 + y^2) - (x^2 + y^2 + z^2 + R^2 - r^2)^2, R major and r minor' }),
  goursat: record('goursat', { a: number, b: number, c: number, center }).register(schemaNotes, {
    description: '-(x^4 + y^4 + z^4 + a s^2 + b s + c) with s = x^2 + y^2 + z^2',
  }),
  quadric: z.array(inTime).check(z.length(10)).register(schemaNotes, {
    description:
      'A11 x^2 + A22 y^2 + A33 z^2 + A12 xy + A13 xz + A23 yz + A14 x + A24 y + A34 z + A44, the ten in this order; a list [a, b, c, ...] in the place of a number is a + b t + c t^2 + ...',
  }),
  polynomial: z
    .array(
      z
        .tuple([number, whole, whole, whole, z.optional(whole)])
        .check(
          must(
            `exponents with a sum of at most ${MOST_DEGREE}`,
            ([, i, j, k, l]) => i + j + k + (l ?? 0) <= MOST_DEGREE,
          ),
        ),
    )
    .check(z.minLength(1))
    .register(schemaNotes, {
      description: 'A list of [c, i, j, k] or [c, i, j, k, l]: the sum of c x^i y^j z^k t^l, l 0 unless given',
    }),
  waves: z
    .array(
      z
        .array(number)
        .check(must('a list of 5 or 6', ({ length }) => length === 5 || length === 6))
        .register(schemaNotes, { minItems: 5, maxItems: 6 }),
    )
    .check(z.minLength(1))
    .register(schemaNotes, {
      description:
        'A list of [a, kx, ky, kz, p] or [a, kx, ky, kz, p, o]: the sum of a sin(kx x + ky y + kz z + p + o t), in radians, o 0 unless given. For a sum',
    }),
  noise: record('noise', {
    amplitude: length,
    frequency: length,
    octaves: z.optional(z.int().check(z.gte(1), z.lte(3))),
    seed: z.optional(z.int().check(z.gte(0), z.lt(2 ** 32))),
  }).register(schemaNotes, {
    description:
      "Gardner's series, between -amplitude and amplitude: the product of a series of sines along each axis, the frequency doubled from octave to octave (2 unless given). frequency: radians a unit of length. For a sum",
  }),
  expression: z.string().check(z.minLength(1), z.maxLength(LONGEST_EXPRESSION)).register(schemaNotes, {
    description:
      'A formula in x, y, z, the time t, numbers and pi, with + - * / ^ ( ), sin, cos, tan, exp, log, sqrt, abs, min and max: 0.1 * sin(8*x) * cos(8*y). Angles in radians. It needs a value everywhere in the domain',
  }),
};

const name = z.optional(
  z
    .string()
    .check(z.minLength(1), z.maxLength(200))
    .register(schemaNotes, { id: 'name', description: 'What info calls it' }),
);
const turn = record('rotate', { axis: direction, degrees: number }).register(schemaNotes, {
  id: 'turn',
  description: 'Counter-clockwise seen from the tip of the axis',
});
const placement = {
  scale: z.optional(z.union([numberBut0, z.array(numberBut0).check(z.length(3))])),
  rotate: z.optional(z.union([turn, z.array(turn).check(z.minLength(1))])),
  translate: center,
  velocity: z.optional(
    z.array(number).check(z.length(3)).register(schemaNotes, { description: 'Moved by t times this, after all else' }),
  ),
};

/** F + amount max(Q, 0)^2. */
export interface Perturbation {
  /** The shape whose function is Q, in the coordinates of the perturbed shape. */
  by: Shape;
  /** Default 1; never 0. */
  amount?: number | undefined;
}

export interface Triangle {
  vertices: number[][];
  thickness: number;
  perturbations?: Perturbation[] | undefined;
}

/** Two shapes joined without an edge between them (blend.ts). */
export interface Blend {
  set: 'union' | 'intersection' | 'difference';
  /** Exactly two. */
  shapes: Shape[];
  /** Default 0. */
  amount?: number | undefined;
  /** Default 1 and 1. */
  widths?: number[] | undefined;
}

type Primitives = { [kind in keyof typeof primitives]?: z.infer<(typeof primitives)[kind]> };

/**
 * A shape. Its F is that of its kind, plus its perturbations. It is scaled, then rotated, then
 * translated, then moved by its velocity. Exactly one key is a kind; see `kindOf`.
 */
export interface Shape extends Primitives {
  triangle?: Triangle;
  blend?: Blend;
  sum?: Shape[];
  union?: Shape[];
  intersection?: Shape[];
  difference?: Shape[];
  complement?: Shape;
  name?: string;
  perturbations?: Perturbation[];
  scale?: number | number[];
  rotate?: Turn | Turn[];
  translate?: number[];
  /** Relative to its surroundings; at time 0 the shape is at its given place. */
  velocity?: number[];
}

export type Turn = z.infer<typeof turn>;

/** The model of an F-rep: the content of a `.frep.json` (docs/frep.md). */
export interface FrepModel {
  $schema?: string;
  description?: string;
  /** The object is F >= 0 restricted to it. */
  domain?: { min: number[]; max: number[] };
  /** The time span of an object that depends on time (default 0 to 1). */
  time?: { begin: number; end: number };
  object: Shape;
  /** The primitive of a mesh file that the object is; never in a `.frep.json`. */
  primitive?: PlacedPrimitive;
}

const shape: z.ZodMiniType<Shape> = z
  .lazy(() => shapeRecord)
  .register(schemaNotes, {
    id: 'shape',
    description:
      'A function F, inside where F >= 0. Perturbed first, then scaled, rotated, translated and moved by its velocity',
  });
const shapes = (least: number) => z.array(shape).check(z.minLength(least));

const perturbations = z
  .array(record('perturbations', { by: shape, amount: z.optional(numberBut0) }))
  .register(schemaNotes, {
    id: 'perturbations',
    description: "F' = F + the sum of amount max(Q, 0)^2, Q the function of `by`; amount is 1 unless given",
  });

const triangle = record('triangle', {
  vertices: z.array(point).check(z.length(3)),
  thickness: length,
  perturbations: z.optional(perturbations),
}).register(schemaNotes, {
  description:
    'What lies in the prism over the triangle, above or below it, no deeper than thickness and no higher than its face: the plane, the normal by the right hand, plus perturbations of the distance to it. No bulge leaves the prism',
});

const blend = record('blend', {
  set: z.enum(['union', 'intersection', 'difference']),
  shapes: z.array(shape).check(z.length(2)),
  amount: z.optional(number),
  widths: z.optional(z.array(width).check(z.length(2))),
}).register(schemaNotes, {
  description:
    'f + g + sqrt(f^2 + g^2) + amount / (1 + (f/p)^2 + (g/q)^2) of two, [p, q] the widths; of an intersection with - sqrt; of a difference that of f and -g',
});

const shapeRecord = record('shape', {
  name,
  ...(Object.fromEntries(Object.entries(primitives).map(([kind, schema]) => [kind, z.optional(schema)])) as unknown as {
    [kind in keyof typeof primitives]: z.ZodMiniOptional<(typeof primitives)[kind]>;
  }),
  triangle: z.optional(triangle),
  blend: z.optional(blend),
  sum: z.optional(shapes(1)).register(schemaNotes, { description: 'f + g + ...' }),
  union: z.optional(shapes(1)).register(schemaNotes, { description: 'max(f, g, ...)' }),
  intersection: z.optional(shapes(1)).register(schemaNotes, { description: 'min(f, g, ...)' }),
  difference: z.optional(shapes(2)).register(schemaNotes, {
    description: 'The first without all others, but with the surfaces it shares with them: min(f, -g, ...)',
  }),
  complement: z
    .optional(shape)
    .register(schemaNotes, { description: '-f: what is outside, and the surface: the closed complement' }),
  perturbations: z.optional(perturbations),
  ...placement,
})
  .check(must(`one of ${KINDS.join(', ')}`, (value) => kindsOf(value as object).length === 1))
  .register(schemaNotes, { oneOf: KINDS.map((kind) => ({ required: [kind] })) }) as unknown as z.ZodMiniType<Shape>;

/**
 * The schema that a text is held against; what JSON Schema cannot say is in `schemaNotes`.
 * scripts/make-schema.mjs reads it.
 */
export const frepSchema = record('', {
  $schema: z.optional(z.string()),
  description: z.optional(z.string()),
  domain: z.optional(record('domain', { min: point, max: point }).check(isBox)).register(schemaNotes, {
    description: 'The object is what of F >= 0 lies in this box; needed where no bound is known',
  }),
  time: z.optional(
    record('time', { begin: time, end: time })
      .check(must('begin before end', ({ begin, end }) => begin < end))
      .register(schemaNotes, {
        description: 'The times t that an object which depends on them may be asked of; from 0 to 1 unless given',
      }),
  ),
  object: shape,
}).register(schemaNotes, {
  title: 'A functionally defined object of gicollide (.frep.json)',
});

const SHAPES_AT = new Set<string>(['object', 'by', 'sum', 'shapes', ...KINDS_OF_SETS]);

/**
 * Reads the text of a `.frep.json`: the model of an F-rep (docs/frep.md), for `build`.
 *
 * @param text UTF-8 if it is bytes; a byte order mark is skipped
 * @throws FormatError of one line: with the line of the text if it is not JSON, otherwise with the
 *   path to the invalid part
 * @example readFrep('{"object": {"sphere": {"radius": 2}}}').object.sphere // { radius: 2 }
 */
export function readFrep(text: string | Uint8Array): FrepModel {
  if (typeof text !== 'string' && !(text instanceof Uint8Array)) {
    throw new FormatError(null, 'the text of a model, or its bytes', typeof text);
  }
  const value = parseJson(text);
  refuseDeep(value);
  const result = z.safeParse(frepSchema, value);
  if (!result.success) throw messageOf(worst(result.error.issues, value), value, []);
  return result.data as FrepModel;
}

/** Refuses deep nesting first, since zod's functions are recursive. */
function refuseDeep(root: unknown): void {
  interface Step {
    value: unknown;
    depth: number;
    key: PropertyKey;
    from: Step | null;
  }
  const steps: Step[] = [{ value: root, depth: 0, key: '', from: null }];
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    const { value, depth } = step;
    if (depth > MOST_NESTED) {
      const path: PropertyKey[] = [];
      for (let up: Step | null = step; up?.from; up = up.from) path.unshift(up.key);
      throw new FormatError(null, `at most ${MOST_NESTED} shapes, one inside the other${at(path)}`, 'more');
    }
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value)) {
      value.forEach((item, i) => {
        steps.push({ value: item, depth, key: i, from: step });
      });
      continue;
    }
    for (const [key, child] of Object.entries(value)) {
      if (typeof child !== 'object' || child === null) continue;
      if (key === 'perturbations' || key === 'triangle' || key === 'blend' || SHAPES_AT.has(key)) {
        const isShape = SHAPES_AT.has(key);
        steps.push({ value: child, depth: isShape ? depth + 1 : depth, key, from: step });
      }
    }
  }
}

// ---------------------------------------------------------------------------------------- messages

/** Returns one line on the error. `value` is at `path`, where the issue's path starts. */
function messageOf(issue: z.core.$ZodIssue, value: unknown, path: Path): FormatError {
  const here = [...path, ...issue.path];
  const found = valueAt(value, issue.path);
  if (issue.code === 'invalid_union') {
    const isSecond =
      Array.isArray(found) || (typeof found === 'object' && found !== null && ('size' in found || 'center' in found));
    const inner = issue.errors[isSecond ? 1 : 0];
    if (inner?.length > 0) return messageOf(worst(inner, found), found, here);
  }
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0];
    if (here.at(-1) === 'box' && keysAt(here).includes(key)) {
      const keys = Object.keys(found as object)
        .map(quoted)
        .join(', ');
      return new FormatError(null, `either min and max, or size and center${at(here)}`, keys);
    }
    const near = nearest(key, keysAt(here));
    const suggestion = near === null ? '' : `: did you mean ${near}?`;
    return new FormatError(null, `only known keys${at(here)}`, quoted(key) + suggestion);
  }
  if (issue.code === 'custom' && issue.message.startsWith('one of sphere')) return kindMessage(found as Shape, here);
  return new FormatError(null, `${expectedBy(issue, LARGEST_NUMBER)}${at(here)}`, describe(found, issue));
}

function kindMessage(found: Shape, path: Path): FormatError {
  const kinds = kindsOf(found);
  const expected = kinds.length === 0 ? `one of ${KINDS.join(', ')}` : 'one shape';
  return new FormatError(null, `${expected}${at(path)}`, kinds.length === 0 ? 'none' : kinds.join(' and '));
}

function keysAt(path: Path): string[] {
  const last = String(path.findLast((key) => typeof key === 'string') ?? '');
  return knownKeys.get(SHAPES_AT.has(last) ? 'shape' : last) ?? [];
}
