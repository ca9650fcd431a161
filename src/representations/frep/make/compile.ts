/**
 * Compiles the language to a program: transformations and sugar become coefficients in the model
 * cube M.
 *
 * S. Vyatkin, B. Dolgovesov, "Collision Detection of Functionally Defined Objects for Constant
 * Time": "while applying the geometric operations, rotations, displacements, and scaling to the
 * object constructor it performs all these operations on its descendants, and in addition changes
 * its Boolean function in the case of inversion" (section 3.2). So affine maps and a sign go down
 * the tree to the primitives. There a primitive's canonical coefficients (a sphere about the
 * origin, a torus about the z axis) are re-expressed once. Maps are composed first, and centers
 * subtracted before squaring. So an object far from the origin is as exact as its coordinates.
 *
 * A negated shape has negated coefficients and amounts, and minima for maxima (De Morgan). The Q of
 * a perturbation stays, since
 *   -(F + a max(Q, 0)^2) = -F - a max(Q, 0)^2.
 *
 * The noise is Gardner's (G. Gardner, "Simulation of Natural Scenes Using Textured Quadric
 * Surfaces", SIGGRAPH 1984): a product of one sine series per axis. From term to term amplitudes
 * are multiplied by sqrt(1/2) and frequencies by 2. A product of three sines is four plane waves:
 *   4 sin a sin b sin c = sin(a + b - c) + sin(a - b + c) + sin(-a + b + c) - sin(a + b + c).
 * Departure: in Gardner's series the phase of an axis depends on the others, which is no sum of
 * plane waves. Here the seed gives the phases.
 *
 * Time. A map into a moving shape has a velocity v: its leaves are functions of y + t v, where y is
 * the mapped point at time 0. For a polynomial that is a polynomial in y and t by Newton's formula,
 * stored as one in y per power of t, nested: f + t (g + t h). A wave with the direction k gains k .
 * v per unit of t in its phase.
 *
 * Only + - * / and Math.sqrt are used: the same model gives the same bytes on any machine.
 */
import { FormatError, OptionError } from '../../../base/errors.ts';
import { type Path, pathText, shortNumber } from '../../../base/json-messages.ts';
import type { Provenance } from '../../../engine/representation.ts';
import { assetHeader } from '../../../engine/representation.ts';
import { Random } from '../../../math/numbers.ts';
import { type PlacedPrimitive, resized } from '../../../readers/mesh-file.ts';
import { undefinedIn } from '../tree/defined.ts';
import { coefficientAt, substitutePolynomial } from '../tree/polynomial.ts';
import {
  coefficientsOf,
  DEFAULT_RESOLUTION,
  dependsOnTime,
  type FrepObject,
  isFunction,
  LARGEST_NUMBER,
  LARGEST_PHASE,
  MOST_INSTRUCTIONS,
  MOST_NUMBERS,
  numbersOfLeaf,
  OP,
  type Program,
} from '../tree/program.ts';
import { substituteQuadric } from '../tree/quadric.ts';
import { substituteWaves } from '../tree/waves.ts';
import { derivedDomain } from './domain.ts';
import { isPolynomial, negative, readExpression, type Term, termsOf } from './expression.ts';
import { kindOf } from './kinds.ts';
import type { Blend, FrepModel, Perturbation, Shape, Triangle } from './model.ts';
import {
  type Affine,
  boxOf,
  divided,
  frameOf,
  IDENTITY,
  intoCanonical,
  intoShape,
  minus,
  scaledBy,
  slopeOf,
  velocityOf,
} from './placement.ts';

const SMALLEST_HALF = 1e-60;

/**
 * Compiles a model to an object.
 *
 * @param options data for the header; `options.options.scale` above 0 multiplies all coordinates
 * @throws FormatError with the path to the unbounded part if the model needs a domain and has none,
 *   or with the path to numbers that are too large once compiled; OptionError for an invalid scale
 * @example const ball = compileFrep(readFrep('{"object": {"sphere": {"radius": 2}}}')); // ball.half is 2.04
 */
export function compileFrep(model: FrepModel, options: Provenance = {}): FrepObject {
  const span = [model.time?.begin ?? 0, model.time?.end ?? 1] as const;
  const { min, max } = model.domain ?? derivedDomain(model.object, span);
  const center = [0, 1, 2].map((k) => min[k] + (max[k] - min[k]) / 2);
  const extents = [0, 1, 2].map((k) => (max[k] - min[k]) / 2);
  const half = Math.max(...extents);
  const domain = extents.map((extent) => extent / half);
  if (!(half >= SMALLEST_HALF && domain.every((extent) => extent > 0))) {
    const found = `extents of ${extents.map((extent) => shortNumber(2 * extent)).join(', ')}`;
    throw new FormatError(null, `a domain with a size of at least ${2 * SMALLEST_HALF}`, found);
  }
  const compiler = new Compiler(Math.max(Math.abs(span[0]), Math.abs(span[1])));
  compiler.shape(model.object, scaledBy(half, center), false, ['object']);
  const { program, names } = compiler.finished();
  const isTimed = dependsOnTime(program);
  if (model.time && !isTimed)
    throw new FormatError(null, 'a model that depends on time for the option time', 'one that does not');
  requireValues(program, domain, isTimed ? span : [0, 0], compiler.functions, (u) =>
    center.map((x, k) => x + half * u[k]),
  );
  const scale = scaleOf(options);
  const scaled = [half, ...center].map((x) => x * scale);
  if (!(scaled[0] >= SMALLEST_HALF && scaled.every((x) => Math.abs(x) <= LARGEST_NUMBER))) {
    throw new OptionError(`scale: coordinates times ${scale} are beyond the range of numbers`);
  }
  return {
    representation: 'frep',
    center: [scaled[1], scaled[2], scaled[3]],
    half: scaled[0],
    domain: [domain[0], domain[1], domain[2]],
    program,
    names,
    ...(isTimed && { span }),
    ...(model.primitive && { primitive: scaledPrimitive(model.primitive, scale) }),
    header: assetHeader(options, {}),
    resolution: DEFAULT_RESOLUTION,
  };
}

/** Throws unless all functions of expressions are proved to have values in the whole domain. */
function requireValues(
  program: Program,
  domain: readonly number[],
  span: readonly [number, number],
  functions: ReadonlyMap<number, Path>,
  placeOf: (u: readonly number[]) => number[],
): void {
  if (functions.size === 0) return;
  const found = undefinedIn(program, [domain[0], domain[1], domain[2]], span);
  if (!found) return;
  const expected = `${found.expected} in the whole domain at ${pathText(functions.get(found.instruction)!)}`;
  const short = (x: number): string => shortNumber(Number(x.toPrecision(4)));
  const time = span[0] < span[1] ? ` at time ${short(found.time)}` : '';
  throw new FormatError(null, expected, `${found.found} near ${placeOf(found.place).map(short).join(', ')}${time}`);
}

function scaleOf({ options }: Provenance): number {
  const scale = options?.scale ?? 1;
  if (typeof scale === 'number' && scale > 0 && scale < Number.POSITIVE_INFINITY) return scale;
  throw new OptionError(`scale: expected a number above 0, found ${scale}`);
}

function scaledPrimitive(primitive: PlacedPrimitive, scale: number): PlacedPrimitive {
  const larger: PlacedPrimitive = resized(primitive, (length) => length * scale);
  return { ...larger, frame: larger.frame?.map((x, i) => (i % 4 === 3 && i < 12 ? x * scale : x)) };
}

const LARGEST = shortNumber(LARGEST_NUMBER);

const squares = (x: number, y: number, z: number, constant: number): number[] => [x, y, z, 0, 0, 0, 0, 0, 0, constant];
const linear = ([x, y, z]: readonly number[], constant: number): number[] => [0, 0, 0, 0, 0, 0, x, y, z, constant];

/** A growing list of instructions. Methods return the number of the instruction with the value. */
class Compiler {
  #ops: number[] = [];
  #left: number[] = [];
  #right: number[] = [];
  #third: number[] = [];
  #numbers: number[] = [];
  #names: string[] = [];
  /** The expression of each function, by its instruction. */
  readonly functions = new Map<number, Path>();

  constructor(private readonly farthest: number) {}

  finished(): Pick<FrepObject, 'program' | 'names'> {
    const program = {
      ops: Uint8Array.from(this.#ops),
      left: Uint32Array.from(this.#left),
      right: Uint32Array.from(this.#right),
      third: Uint32Array.from(this.#third),
      numbers: Float64Array.from(this.#numbers),
    };
    return { program, names: this.#names };
  }

  shape(shape: Shape, map: Affine, negated: boolean, path: Path): number {
    const own = intoShape(shape, map);
    const kind = kindOf(shape);
    const value = this.#kind(shape, own, negated, [...path, kind]);
    const perturbed = this.#perturbed(value, shape.perturbations, own, negated, path);
    // A complement and a union of one have no instruction of their own.
    if (this.#names[value] === '') this.#names[value] = kind;
    if (shape.name !== undefined) this.#names[perturbed] = shape.name;
    return perturbed;
  }

  #perturbed(value: number, list: Perturbation[] = [], map: Affine, negated: boolean, path: Path): number {
    return list.reduce((before, { by, amount = 1 }, i) => {
      const here = [...path, 'perturbations', i];
      const q = this.shape(by, map, false, [...here, 'by']);
      this.#numbers.push(negated ? -amount : amount);
      return this.#push(OP.PERTURBATION, before, q, here, this.#numbers.length - 1);
    }, value);
  }

  #kind(shape: Shape, map: Affine, negated: boolean, path: Path): number {
    const quadric = (numbers: number[], canonical: Affine) => this.#quadric(numbers, canonical, negated, path);
    const [meet, join] = negated ? [OP.UNION, OP.INTERSECTION] : [OP.INTERSECTION, OP.UNION];
    const all = (op: number, parts: Shape[]): number =>
      this.#balanced(op, parts.length, path, (i) => this.shape(parts[i], map, negated, [...path, i]));
    if (shape.union) return all(join, shape.union);
    if (shape.intersection) return all(meet, shape.intersection);
    if (shape.sum) return all(OP.SUM, shape.sum);
    if (shape.blend) return this.#blend(shape.blend, map, negated, path);
    if (shape.complement) return this.shape(shape.complement, map, !negated, path);
    if (shape.difference) {
      const parts = shape.difference;
      const part = (i: number) => this.shape(parts[i], map, i > 0 !== negated, [...path, i]);
      return this.#balanced(meet, parts.length, path, part);
    }
    if (shape.quadric) return this.#polynomial(termsOfQuadric(shape.quadric), map, negated, path);
    if (shape.sphere) {
      const { radius, center } = shape.sphere;
      return quadric(squares(-1, -1, -1, radius * radius), intoCanonical(map, center));
    }
    if (shape.ellipsoid) {
      const { radii, center } = shape.ellipsoid;
      return quadric(squares(-1, -1, -1, 1), divided(intoCanonical(map, center), radii));
    }
    if (shape.cylinder) {
      const { radius, height, center, axis } = shape.cylinder;
      const canonical = intoCanonical(map, center, axis);
      const side = quadric(squares(-1, -1, 0, radius * radius), canonical);
      if (height === undefined) return side;
      return this.#push(meet, side, quadric(squares(0, 0, -1, (height / 2) * (height / 2)), canonical), path);
    }
    if (shape.cone) {
      const { height, apex, axis } = shape.cone;
      const slope = slopeOf(shape.cone);
      const canonical = intoCanonical(map, apex, axis);
      const side = quadric(squares(-1, -1, slope * slope, 0), canonical);
      if (height === undefined) return side;
      return this.#push(meet, side, quadric([0, 0, -1, 0, 0, 0, 0, 0, height, 0], canonical), path);
    }
    if (shape.paraboloid) {
      const { radii, apex, axis } = shape.paraboloid;
      const canonical = divided(intoCanonical(map, apex, axis), [...radii, 1]);
      return quadric([-1, -1, 0, 0, 0, 0, 0, 0, 1, 0], canonical);
    }
    if (shape.hyperboloid) {
      const { radii, sheets, center, axis } = shape.hyperboloid;
      const canonical = divided(intoCanonical(map, center, axis), radii);
      return quadric(squares(-1, -1, 1, sheets === 1 ? 1 : -1), canonical);
    }
    if (shape.halfSpace) {
      const { normal, offset } = shape.halfSpace;
      return quadric(
        linear(
          normal.map((x) => -x),
          offset,
        ),
        map,
      );
    }
    if (shape.box) {
      const { middle, halves } = boxOf(shape.box);
      const canonical = intoCanonical(map, middle);
      const slab = (k: number): number => {
        const numbers = squares(0, 0, 0, halves[k] * halves[k]);
        numbers[k] = -1;
        return quadric(numbers, canonical);
      };
      return this.#balanced(meet, 3, path, slab);
    }
    if (shape.torus) {
      const { major, minor, center, axis } = shape.torus;
      // -(s + R^2 - r^2)^2 + 4 R^2 (x^2 + y^2), s = x^2 + y^2 + z^2.
      const inner = (major - minor) * (major + minor);
      const outer = 2 * (major * major + minor * minor);
      const terms = [...squaresSquared(-1), ...sumOfSquares(outer, outer, -2 * inner), [-inner * inner, 0, 0, 0]];
      return this.#polynomial(terms, intoCanonical(map, center, axis), negated, path);
    }
    if (shape.goursat) {
      const { a, b, c, center } = shape.goursat;
      const fourth = [0, 1, 2].map((k) => [-1, ...[0, 1, 2].map((l) => (k === l ? 4 : 0))]);
      const terms = [...fourth, ...squaresSquared(-a), ...sumOfSquares(-b, -b, -b), [-c, 0, 0, 0]];
      return this.#polynomial(terms, intoCanonical(map, center), negated, path);
    }
    if (shape.polynomial) return this.#polynomial(shape.polynomial as number[][], map, negated, path);
    if (shape.waves) {
      const waves = shape.waves.flatMap((wave) => wave.slice(0, 5));
      const frequencies = shape.waves.map((wave) => wave[5] ?? 0);
      return this.#waves(waves, map, negated, path, frequencies);
    }
    if (shape.expression !== undefined) {
      const term = readExpression(shape.expression, map, path);
      return this.#term(negated ? negative(term) : term, path, { made: new Map(), by: new Map() });
    }
    if (shape.noise) return this.#waves(noiseWaves(shape.noise), map, negated, path);
    return this.#triangle(shape.triangle!, map, negated, path);
  }

  #term(term: Term, path: Path, known: Known): number {
    const before = known.made.get(term);
    if (before !== undefined) return before;
    const made = this.#madeOf(term, path, known);
    known.made.set(term, made);
    return made;
  }

  #madeOf(term: Term, path: Path, known: Known): number {
    if (isPolynomial(term)) {
      const terms = termsOf(term);
      return shared(known, `${terms}`, () => this.#polynomial(terms, IDENTITY, false, path));
    }
    const { op, amount, exponent, isSymmetric } = term;
    const parts = isSymmetric
      ? this.#bothSigns(term.parts[0], path, known)
      : term.parts.map((part) => this.#term(part, path, known));
    return shared(known, `${op}: ${amount} ${exponent} ${parts}`, () => {
      if (!isFunction(op)) return this.#balanced(op, parts.length, path, (i) => parts[i]);
      if (!(Math.abs(amount) <= LARGEST_NUMBER)) {
        throw new FormatError(null, `factors of at most ${LARGEST} at ${pathText(path)}`, shortNumber(amount));
      }
      const start = this.#numbers.length;
      this.#numbers.push(amount, ...(op === OP.POWER ? [exponent] : []));
      this.functions.set(this.#ops.length, path);
      return this.#push(op, parts[0], parts[0], path, start);
    });
  }

  /** A value and its negative, which is a product, as its own instructions may be many. */
  #bothSigns(term: Term, path: Path, known: Known): number[] {
    const value = this.#term(term, path, known);
    const minus1 = shared(known, '-1,0,0,0,0', () => this.#polynomial([[-1, 0, 0, 0, 0]], IDENTITY, false, path));
    return [value, shared(known, `-${value}`, () => this.#push(OP.PRODUCT, minus1, value, path))];
  }

  #blend({ set, shapes, amount = 0, widths = [1, 1] }: Blend, map: Affine, negated: boolean, path: Path): number {
    const [f, g] = shapes.map((part, i) =>
      this.shape(part, map, (set === 'difference' && i === 1) !== negated, [...path, 'shapes', i]),
    );
    this.#numbers.push((negated ? -amount : amount) + 0, ...widths);
    const isJoin = (set === 'union') !== negated;
    return this.#push(isJoin ? OP.JOIN : OP.MEET, f, g, path, this.#numbers.length - widths.length - 1);
  }

  /** min(plane + perturbations, thickness - plane, the three sides); plane > 0 lies below it. */
  #triangle(triangle: Triangle, map: Affine, negated: boolean, path: Path): number {
    const { normal, inward } = frameOf(triangle, path);
    const { vertices, thickness, perturbations } = triangle;
    const from = (vertex: number[], direction: number[], constant: number) =>
      this.#quadric(linear(direction, constant), minus(map, vertex), negated, path);
    const down = normal.map((x) => -x);
    const parts = [
      () => this.#perturbed(from(vertices[0], down, 0), perturbations, map, negated, path),
      () => from(vertices[0], normal, thickness),
      () => from(vertices[0], inward[0], 0),
      () => from(vertices[1], inward[1], 0),
      () => from(vertices[2], inward[2], 0),
    ];
    return this.#balanced(negated ? OP.UNION : OP.INTERSECTION, parts.length, path, (i) => parts[i]());
  }

  /** Builds a balanced tree over the parts, in order; their instructions precede the reader. */
  #balanced(op: number, count: number, path: Path, part: (i: number) => number, from = 0): number {
    if (count === 1) return part(from);
    const first = Math.ceil(count / 2);
    const left = this.#balanced(op, first, path, part, from);
    return this.#push(op, left, this.#balanced(op, count - first, path, part, from + first), path);
  }

  #quadric(canonical: number[], map: Affine, negated: boolean, path: Path): number {
    if (velocityOf(map)) return this.#polynomial(termsOfQuadric(canonical), map, negated, path);
    return this.#leaf(OP.QUADRIC, 10, canonical, substituteQuadric, map, negated, path);
  }

  /** Terms are [c, i, j, k, l]; powers may repeat, and l, of t, may be missing. */
  #polynomial(terms: readonly (readonly number[])[], map: Affine, negated: boolean, path: Path): number {
    const velocity = velocityOf(map);
    const moved = velocity ? terms.flatMap((term) => movedTerms(term, velocity)) : terms;
    const highest = moved.reduce((most, [c, , , , l = 0]) => (c === 0 ? most : Math.max(most, l)), 0);
    const still = (power: number): number => {
      const own = moved.filter(([, , , , l = 0]) => l === power);
      const isLeft = highest > 0 && power < highest && own.every(([c]) => c === 0);
      return isLeft ? -1 : this.#stillPolynomial(own, map, negated, path);
    };
    let value = -1;
    for (let power = highest; power >= 0; power--) {
      if (value >= 0) value = this.#push(OP.TIMED, value, value, path);
      const own = still(power);
      if (value >= 0 && own >= 0) value = this.#push(OP.SUM, own, value, path);
      else if (own >= 0) value = own;
    }
    return value;
  }

  #stillPolynomial(terms: readonly (readonly number[])[], map: Affine, negated: boolean, path: Path): number {
    const degree = terms.reduce((most, [c, i, j, k]) => (c === 0 ? most : Math.max(most, i + j + k)), 0);
    const coefficients: number[] = new Array(coefficientsOf(Math.max(degree, 2))).fill(0);
    for (const [c, i, j, k] of terms) if (c !== 0) coefficients[coefficientAt(Math.max(degree, 2), i, j, k)] += c;
    if (degree > 2) return this.#leaf(OP.POLYNOMIAL, degree, coefficients, substitutePolynomial, map, negated, path);
    const powers = ['200', '020', '002', '110', '101', '011', '100', '010', '001', '000'];
    const quadric = powers.map((p) => coefficients[coefficientAt(2, Number(p[0]), Number(p[1]), Number(p[2]))]);
    return this.#leaf(OP.QUADRIC, 10, quadric, substituteQuadric, map, negated, path);
  }

  /** `frequencies` are the waves' radians per unit of time; may be missing. */
  #waves(waves: number[], map: Affine, negated: boolean, path: Path, frequencies?: number[]): number {
    const count = waves.length / 5;
    const [x, y, z] = map.subarray(12);
    const all = Array.from({ length: count }, (_, n) => {
      const [kx, ky, kz] = waves.slice(5 * n + 1, 5 * n + 4);
      return (frequencies?.[n] ?? 0) + (kx * x + ky * y + kz * z);
    });
    const fastest = Math.max(...all.map(Math.abs));
    const largest = fastest * Math.max(1, this.farthest);
    if (!(largest <= LARGEST_PHASE)) {
      const expected = `waves of at most ${LARGEST_PHASE} radians in the time at ${pathText(path)}`;
      throw new FormatError(null, expected, shortNumber(largest));
    }
    return this.#leaf(OP.WAVES, count, waves, substituteWaves, map, negated, path, fastest > 0 ? all : []);
  }

  #leaf(
    op: number,
    size: number,
    canonical: number[],
    substitute: typeof substituteQuadric,
    map: Affine,
    negated: boolean,
    path: Path,
    frequencies: readonly number[] = [],
  ): number {
    const count = numbersOfLeaf(op, size);
    const out = new Float64Array(count);
    // Infinite if the kernel gives up: then the coefficients are useless.
    const error = substitute({ numbers: Float64Array.from(canonical), at: 0, size }, map, 0, out, 0);
    const start = this.#numbers.length;
    for (let i = 0; i < count; i++) {
      // Negating a wave negates only its amplitude.
      const isPhase = op === OP.WAVES && i % 5 > 0;
      const most = isPhase ? LARGEST_PHASE : LARGEST_NUMBER;
      if (!(Math.abs(out[i]) <= most && error < Number.POSITIVE_INFINITY)) {
        const isWave = isPhase || (op === OP.WAVES && error === Number.POSITIVE_INFINITY);
        const what = isWave
          ? `waves of at most ${LARGEST_PHASE} radians in the domain`
          : `coefficients of at most ${LARGEST}`;
        const found = error < Number.POSITIVE_INFINITY ? shortNumber(out[i]) : 'far larger ones';
        throw new FormatError(null, `${what} at ${pathText(path)}`, found);
      }
      // Adding 0 avoids -0.
      this.#numbers.push((negated && !isPhase ? -out[i] : out[i]) + 0);
    }
    for (const frequency of frequencies) this.#numbers.push(frequency + 0);
    return this.#push(op, start, size, path, frequencies.length > 0 ? start + count : 0);
  }

  #push(op: number, left: number, right: number, path: Path, third = 0): number {
    if (this.#ops.length >= MOST_INSTRUCTIONS || this.#numbers.length > MOST_NUMBERS) {
      const found = this.#ops.length >= MOST_INSTRUCTIONS ? 'more' : `${this.#numbers.length} numbers`;
      const expected = `at most ${MOST_INSTRUCTIONS} instructions and ${MOST_NUMBERS} numbers`;
      throw new FormatError(null, `${expected}, reached at ${pathText(path)}`, found);
    }
    this.#ops.push(op);
    this.#left.push(left);
    this.#right.push(right);
    this.#third.push(third);
    this.#names.push('');
    return this.#ops.length - 1;
  }
}

/**
 * Instructions of an expression's terms; equal terms share one. A term is found by itself, because
 * a tangent has its argument twice, and nested ones have it 2^n times. It is also found by its
 * parts.
 */
interface Known {
  made: Map<Term, number>;
  by: Map<string, number>;
}

function shared({ by }: Known, key: string, make: () => number): number {
  const before = by.get(key);
  if (before !== undefined) return before;
  const made = make();
  by.set(key, made);
  return made;
}

const POWERS_OF_QUADRIC = [
  ...[
    [2, 0, 0],
    [0, 2, 0],
    [0, 0, 2],
    [1, 1, 0],
    [1, 0, 1],
    [0, 1, 1],
  ],
  ...[
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [0, 0, 0],
  ],
];

const termsOfQuadric = (quadric: readonly (number | readonly number[])[]): number[][] =>
  quadric.flatMap((entry, n) =>
    (typeof entry === 'number' ? [entry] : entry).map((c, power) => [c, ...POWERS_OF_QUADRIC[n], power]),
  );

function movedTerms([c, i, j, k, l = 0]: readonly number[], velocity: Float64Array): number[][] {
  const [ofX, ofY, ofZ] = [i, j, k].map((power, axis) => binomial(power, velocity[axis]));
  const terms: number[][] = [];
  ofX.forEach((x, a) => {
    ofY.forEach((y, b) => {
      ofZ.forEach((z, d) => {
        const factor = x * y * z;
        if (factor !== 0) terms.push([c * factor, i - a, j - b, k - d, l + a + b + d]);
      });
    });
  });
  return terms;
}

function binomial(n: number, u: number): number[] {
  const out = [1];
  for (let a = 1; a <= n; a++) out.push(((out[a - 1] * (n - a + 1)) / a) * u);
  return out;
}

const squaresSquared = (c: number): number[][] => [
  ...[
    [c, 4, 0, 0],
    [c, 0, 4, 0],
    [c, 0, 0, 4],
  ],
  ...[
    [2 * c, 2, 2, 0],
    [2 * c, 2, 0, 2],
    [2 * c, 0, 2, 2],
  ],
];

const sumOfSquares = (a: number, b: number, c: number): number[][] => [
  [a, 2, 0, 0],
  [b, 0, 2, 0],
  [c, 0, 0, 2],
];

/** Returns five numbers per wave; no sum of the waves exceeds the amplitude. */
function noiseWaves({ amplitude, frequency, octaves = 2, seed = 0 }: NonNullable<Shape['noise']>): number[] {
  const random = new Random(seed);
  const phases = [0, 1, 2].map(() => Array.from({ length: octaves }, () => 2 * Math.PI * random.unit()));
  const parts: number[] = [1];
  for (let n = 1; n < octaves; n++) parts.push(parts[n - 1] * Math.sqrt(0.5));
  const total = parts.reduce((sum, part) => sum + part, 0);
  const share = amplitude / (4 * total * total * total);
  const waves: number[] = [];
  for (let i = 0; i < octaves; i++) {
    for (let j = 0; j < octaves; j++) {
      for (let k = 0; k < octaves; k++) {
        const height = share * parts[i] * parts[j] * parts[k];
        const [kx, ky, kz] = [i, j, k].map((n) => frequency * 2 ** n);
        const [px, py, pz] = [phases[0][i], phases[1][j], phases[2][k]];
        waves.push(height, kx, ky, -kz, px + py - pz, height, kx, -ky, kz, px - py + pz);
        waves.push(height, -kx, ky, kz, py - px + pz, -height, kx, ky, kz, px + py + pz);
      }
    }
  }
  return waves;
}
