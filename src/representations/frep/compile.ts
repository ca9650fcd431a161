/**
 * From the language to the program: every transformation and all sugar folded into coefficients in the model cube M.
 *
 * S. Vyatkin, B. Dolgovesov, "Collision Detection of Functionally Defined Objects for Constant Time": "while applying the geometric operations,
 * rotations, displacements, and scaling to the object constructor it performs all these operations on its descendants, and in addition changes
 * its Boolean function in the case of inversion" (section 3.2). So here: affine maps and a sign go down the tree to the primitives, and there a
 * primitive's canonical coefficients (a sphere about the origin, a torus about the z axis) are re-expressed once. The maps are composed first,
 * centers subtracted before anything is squared: far from the origin an object is as exact as its coordinates are.
 *
 * A negated shape has negated coefficients and amounts, and minima for maxima (De Morgan); the Q of a perturbation stay as they are, since
 * -(F + a max(Q, 0)^2) = -F - a max(Q, 0)^2.
 *
 * The noise is Gardner's (G. Gardner, "Simulation of Natural Scenes Using Textured Quadric Surfaces", SIGGRAPH 1984): a series of sines along
 * each axis, amplitudes times sqrt(1/2) and frequencies times 2 from term to term, multiplied. As plane waves a product of three sines is four:
 * 4 sin a sin b sin c = sin(a + b - c) + sin(a - b + c) + sin(-a + b + c) - sin(a + b + c). Our departure: Gardner lets the phase of an axis
 * depend on the others, which is no sum of plane waves; here phases are drawn from the seed.
 *
 * + - * / and Math.sqrt only: the same model gives the same bytes on any machine.
 */
import { FormatError, OptionError } from '../../math/errors.ts';
import { Random } from '../../math/random.ts';
import { cosineSineOfDegrees } from '../../math/sine.ts';
import { assetHeader } from '../../query/asset-header.ts';
import type { Provenance } from '../../query/representation.ts';
import {
  type FrepModel,
  kindOf,
  type Perturbation,
  pathText,
  type Shape,
  shortNumber,
  type Triangle,
  type Turn,
} from './model.ts';
import { coefficientAt, substitutePolynomial } from './polynomial.ts';
import {
  coefficientsOf,
  DEFAULT_RESOLUTION,
  type FrepObject,
  LARGEST_NUMBER,
  LARGEST_PHASE,
  MOST_INSTRUCTIONS,
  MOST_NUMBERS,
  numbersOfLeaf,
  OP,
} from './program.ts';
import { substituteQuadric } from './quadric.ts';
import { substituteWaves } from './waves.ts';

/** Row-major 3x4, (M | t): y = M x + t. */
type Affine = Float64Array;
type Path = readonly PropertyKey[];
type Axis = 'x' | 'y' | 'z';

/** Of half the domain. */
const SMALLEST_HALF = 1e-60;

/** A derived domain is larger than what bounds the object, on every side, by this part of the largest extent. */
const MARGIN = 0.01;

/**
 * The object that a model describes.
 *
 * @param options what the header records; `options.options.scale` above 0 multiplies all coordinates
 * @throws FormatError with the path to what is unbounded where the model needs a domain and has none, and to numbers too large once folded;
 *   OptionError for a scale that makes no sense
 * @example const ball = compileFrep(readFrep('{"object": {"sphere": {"radius": 2}}}')); // ball.half is 2.04
 */
export function compileFrep(model: FrepModel, options: Provenance = {}): FrepObject {
  const { min, max } = model.domain ?? derivedDomain(model.object);
  const center = [0, 1, 2].map((k) => min[k] + (max[k] - min[k]) / 2);
  const extents = [0, 1, 2].map((k) => (max[k] - min[k]) / 2);
  const half = Math.max(...extents);
  const domain = extents.map((extent) => extent / half);
  if (!(half >= SMALLEST_HALF && domain.every((extent) => extent > 0))) {
    const found = `extents of ${extents.map((extent) => shortNumber(2 * extent)).join(', ')}`;
    throw new FormatError(null, `a domain with a size of at least ${2 * SMALLEST_HALF}`, found);
  }
  const program = new Compiler();
  program.shape(
    model.object,
    Float64Array.of(half, 0, 0, center[0], 0, half, 0, center[1], 0, 0, half, center[2]),
    false,
    ['object'],
  );
  const scale = scaleOf(options);
  const scaled = [half, ...center].map((x) => x * scale);
  if (!(scaled[0] >= SMALLEST_HALF && scaled.every((x) => Math.abs(x) <= LARGEST_NUMBER))) {
    throw new OptionError(`scale: with ${scale} coordinates leave what numbers can hold`);
  }
  return {
    representation: 'frep',
    center: [scaled[1], scaled[2], scaled[3]],
    half: scaled[0],
    domain: [domain[0], domain[1], domain[2]],
    ...program.finished(),
    header: assetHeader(options, {}),
    resolution: DEFAULT_RESOLUTION,
  };
}

function scaleOf({ options }: Provenance): number {
  const scale = options?.scale ?? 1;
  if (typeof scale === 'number' && scale > 0 && scale < Number.POSITIVE_INFINITY) return scale;
  throw new OptionError(`scale: a number above 0, not ${scale}`);
}

// ---------------------------------------------------------------------------------------------------- affine maps

/** A map followed by x -> x - p. */
function minus(map: Affine, p: readonly number[] = [0, 0, 0]): Affine {
  const out = map.slice();
  for (let k = 0; k < 3; k++) out[4 * k + 3] -= p[k];
  return out;
}

/** A map followed by x_k -> x_k / by_k. */
function divided(map: Affine, by: readonly number[]): Affine {
  return map.map((x, i) => x / by[i >> 2]);
}

/** outer(inner(x)). */
function composed(outer: Affine, inner: Affine): Affine {
  const out = new Float64Array(12);
  for (let row = 0; row < 12; row += 4) {
    for (let column = 0; column < 4; column++) {
      out[row + column] =
        outer[row] * inner[column] + outer[row + 1] * inner[4 + column] + outer[row + 2] * inner[8 + column];
    }
    out[row + 3] += outer[row + 3];
  }
  return out;
}

const IDENTITY: Affine = Float64Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0);

/** By the angle about the axis; multiples of 90 degrees about a coordinate axis are exact. */
function rotationOf({ axis, degrees }: Turn): Affine {
  const [x, y, z] = unit(axis) as number[];
  const [c, s] = cosineSineOfDegrees(degrees);
  const d = 1 - c;
  // Rodrigues: c I + s [axis]x + (1 - c) axis axis^T.
  return Float64Array.of(
    ...[c + d * x * x, d * x * y - s * z, d * x * z + s * y, 0],
    ...[d * y * x + s * z, c + d * y * y, d * y * z - s * x, 0],
    ...[d * z * x - s * y, d * z * y + s * x, c + d * z * z, 0],
  );
}

/** Linear parts of rotations are their own inverses, transposed. */
function transposed(turn: Affine): Affine {
  return turn.map((_, i) => (i % 4 === 3 ? 0 : turn[4 * (i % 4) + (i >> 2)]));
}

const turnsOf = ({ rotate = [] }: Shape): Affine[] => (Array.isArray(rotate) ? rotate : [rotate]).map(rotationOf);

const scalesOf = ({ scale = 1 }: Shape): number[] => (typeof scale === 'number' ? [scale, scale, scale] : scale);

/** A map into the coordinates around a shape, continued into its own. */
function intoShape(shape: Shape, map: Affine): Affine {
  let inner = minus(map, shape.translate);
  for (const turn of turnsOf(shape).reverse()) inner = composed(transposed(turn), inner);
  return divided(inner, scalesOf(shape));
}

/** A map from the coordinates around a shape, from its own instead. */
function outOfShape(shape: Shape, map: Affine): Affine {
  const [sx, sy, sz] = scalesOf(shape);
  let own: Affine = Float64Array.of(sx, 0, 0, 0, 0, sy, 0, 0, 0, 0, sz, 0);
  for (const turn of turnsOf(shape)) own = composed(turn, own);
  return composed(
    map,
    minus(
      own,
      shape.translate?.map((x) => -x),
    ),
  );
}

/** Which coordinates are the canonical x, y and z of a shape with an axis: the same order around. */
const CANONICAL: Record<Axis, readonly number[]> = { x: [1, 2, 0], y: [2, 0, 1], z: [0, 1, 2] };

/** A map into a shape's coordinates, continued into its canonical ones: about the origin, along z. */
function intoCanonical(map: Affine, center: readonly number[] | undefined, axis: Axis = 'z'): Affine {
  const inner = minus(map, center);
  return inner.map((_, i) => inner[4 * CANONICAL[axis][i >> 2] + (i & 3)]);
}

/** The other way. */
function outOfCanonical(map: Affine, center: readonly number[] = [0, 0, 0], axis: Axis = 'z'): Affine {
  const own = new Float64Array(12);
  CANONICAL[axis].forEach((k, i) => {
    own[4 * k + i] = 1;
  });
  return composed(
    map,
    minus(
      own,
      center.map((x) => -x),
    ),
  );
}

/** Of length 1; null for a zero vector. Divided by the largest first, so that squares stay in range. */
function unit(v: readonly number[]): number[] | null {
  const largest = Math.max(Math.abs(v[0]), Math.abs(v[1]), Math.abs(v[2]));
  if (!(largest > 0)) return null;
  const [x, y, z] = v.map((c) => c / largest);
  const length = Math.sqrt(x * x + y * y + z * z);
  return [x / length, y / length, z / length];
}

const cross = (a: readonly number[], b: readonly number[]): number[] => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

const difference = (a: readonly number[], b: readonly number[]): number[] => a.map((x, k) => x - b[k]);

/** Middle and half extents of the two ways to say a box. */
function boxOf(box: NonNullable<Shape['box']>): { middle: number[]; halves: number[] } {
  if ('size' in box) return { middle: box.center ?? [0, 0, 0], halves: box.size.map((x) => x / 2) };
  return {
    middle: box.min.map((x, k) => x + (box.max[k] - x) / 2),
    halves: box.min.map((x, k) => (box.max[k] - x) / 2),
  };
}

function slopeOf({ angle, slope }: NonNullable<Shape['cone']>): number {
  if (slope !== undefined) return slope;
  const [cosine, sine] = cosineSineOfDegrees(angle ?? 45);
  return sine / cosine;
}

/** The triangle's unit normal and, for each edge, the unit vector in its plane that points inward from it. */
function frameOf({ vertices }: Triangle, path: Path): { normal: number[]; inward: number[][] } {
  const [a, b, c] = vertices;
  const edges = [difference(b, a), difference(c, b), difference(a, c)].map(unit);
  const normal = edges[0] && edges[1] && edges[2] ? unit(cross(edges[0], edges[1])) : null;
  if (normal === null) {
    throw new FormatError(null, `a triangle of an area above 0 at ${pathText(path)}`, 'vertices on one line');
  }
  return { normal, inward: edges.map((edge) => cross(normal, edge as number[])) };
}

// ---------------------------------------------------------------------------------------------------- the domain

/** Nothing where a low is above its high. */
interface Bounds {
  low: number[];
  high: number[];
}

/** Why no bounds are known: where, and what of it. */
interface Unbounded {
  path: Path;
  why: string;
}

const isBounds = (bounds: Bounds | Unbounded): bounds is Bounds => 'low' in bounds;

function derivedDomain(object: Shape): { min: number[]; max: number[] } {
  const bounds = boundsOf(object, IDENTITY, false, ['object']);
  if (!isBounds(bounds)) {
    throw new FormatError(null, `a domain, since ${pathText(bounds.path)} ${bounds.why}`, 'none');
  }
  const { low, high } = bounds;
  const extent = Math.max(...high.map((x, k) => x - low[k]));
  if (!high.every((x, k) => x >= low[k]) || !(extent > 0)) {
    throw new FormatError(null, 'an object that is not empty, or a domain', 'parts of an intersection that are apart');
  }
  const largest = Math.max(...[...low, ...high].map(Math.abs));
  if (!(largest <= LARGEST_NUMBER)) throw new FormatError(null, `coordinates of at most ${LARGEST}`, `${largest}`);
  // Far from the origin bounds are as wrong as their rounding.
  const margin = MARGIN * extent + 2 ** -48 * largest;
  return { min: low.map((x) => x - margin), max: high.map((x) => x + margin) };
}

/** The least box with the shape in it, or with its complement where it is negated; `map` leads from around the shape to the asset's frame. */
function boundsOf(shape: Shape, map: Affine, negated: boolean, path: Path): Bounds | Unbounded {
  const own = outOfShape(shape, map);
  return around([boundsOfBase(shape, own, negated, path), ...growth(shape.perturbations, own, negated, path)]);
}

/** Of the shape without its perturbations; `own` leads from its own frame to the asset's. */
function boundsOfBase(shape: Shape, own: Affine, negated: boolean, path: Path): Bounds | Unbounded {
  const kind = kindOf(shape);
  const here = [...path, kind];
  switch (kind) {
    case 'union':
    case 'intersection': {
      const parts = shape[kind]!.map((part, i) => boundsOf(part, own, negated, [...here, i]));
      return (kind === 'union') === negated ? common(parts) : around(parts);
    }
    case 'difference': {
      const parts = shape.difference!.map((part, i) => boundsOf(part, own, i > 0 !== negated, [...here, i]));
      return negated ? around(parts) : common(parts);
    }
    case 'complement':
      return boundsOf(shape.complement!, own, !negated, here);
    default:
      return negated ? { path: here, why: 'has no bound outside' } : boundsOfPrimitive(shape, own, here);
  }
}

/** Where the perturbations that make a shape larger do so: where their Q > 0. Of the others nothing. */
function growth(perturbations: Perturbation[] = [], own: Affine, negated: boolean, path: Path): (Bounds | Unbounded)[] {
  return perturbations.flatMap(({ by, amount = 1 }, i) =>
    amount > 0 === negated ? [] : [boundsOf(by, own, false, [...path, 'perturbations', i, 'by'])],
  );
}

function around(parts: (Bounds | Unbounded)[]): Bounds | Unbounded {
  const all: Bounds = { low: [Infinity, Infinity, Infinity], high: [-Infinity, -Infinity, -Infinity] };
  for (const part of parts) {
    if (!isBounds(part)) return part;
    if (part.low.some((x, k) => x > part.high[k])) continue;
    part.low.forEach((x, k) => {
      all.low[k] = Math.min(all.low[k], x);
      all.high[k] = Math.max(all.high[k], part.high[k]);
    });
  }
  return all;
}

function common(parts: (Bounds | Unbounded)[]): Bounds | Unbounded {
  const bounded = parts.filter(isBounds);
  if (bounded.length === 0) return parts[0];
  return {
    low: [0, 1, 2].map((k) => Math.max(...bounded.map(({ low }) => low[k]))),
    high: [0, 1, 2].map((k) => Math.min(...bounded.map(({ high }) => high[k]))),
  };
}

/** `map` leads from the shape's own coordinates to the asset's frame. */
function boundsOfPrimitive(shape: Shape, map: Affine, path: Path): Bounds | Unbounded {
  if (shape.sphere) {
    const { radius, center } = shape.sphere;
    return ellipsoid(outOfCanonical(map, center), [radius, radius, radius]);
  }
  if (shape.ellipsoid) return ellipsoid(outOfCanonical(map, shape.ellipsoid.center), shape.ellipsoid.radii);
  if (shape.torus) {
    // A disc's bounds about a ball's.
    const { major, minor, center, axis } = shape.torus;
    const canonical = outOfCanonical(map, center, axis);
    const disc = ellipsoid(canonical, [major, major, 0]);
    const ball = ellipsoid(canonical, [minor, minor, minor]);
    const grown = ball.high.map((x, k) => x - canonical[4 * k + 3]);
    return { low: disc.low.map((x, k) => x - grown[k]), high: disc.high.map((x, k) => x + grown[k]) };
  }
  if (shape.cylinder?.height !== undefined) {
    const { radius, height, center, axis } = shape.cylinder;
    const ends = [-height / 2, height / 2].map((z) => outOfCanonical(outOfCanonical(map, center, axis), [0, 0, z]));
    return around(ends.map((end) => ellipsoid(end, [radius, radius, 0])));
  }
  if (shape.cone?.height !== undefined) {
    const { height, apex, axis } = shape.cone;
    const canonical = outOfCanonical(map, apex, axis);
    const radius = slopeOf(shape.cone) * height;
    const end = ellipsoid(outOfCanonical(canonical, [0, 0, height]), [radius, radius, 0]);
    return around([ellipsoid(canonical, [0, 0, 0]), end]);
  }
  if (shape.box) {
    const { middle, halves } = boxOf(shape.box);
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((i) =>
      middle.map((x, k) => (((i >> k) & 1) === 0 ? x - halves[k] : x + halves[k])),
    );
    return around(corners.map((corner) => ellipsoid(outOfCanonical(map, corner), [0, 0, 0])));
  }
  if (shape.triangle) {
    const { vertices, thickness } = shape.triangle;
    const { normal } = frameOf(shape.triangle, path);
    const lower = vertices.map((vertex) => vertex.map((x, k) => x - thickness * normal[k]));
    const prism = [...vertices, ...lower].map((corner) => ellipsoid(outOfCanonical(map, corner), [0, 0, 0]));
    return around([...prism, ...growth(shape.triangle.perturbations, map, false, path)]);
  }
  const isOpen =
    shape.cylinder || shape.cone || shape.paraboloid || shape.hyperboloid || shape.halfSpace || shape.waves;
  return { path, why: isOpen ? 'is unbounded' : 'has no bound that is known' };
}

/** Of the image of { x : sum (x_k / radii_k)^2 <= 1 }; radii may be 0. */
function ellipsoid(map: Affine, radii: readonly number[]): Bounds {
  const rows = [0, 4, 8];
  const extents = rows.map((row) => {
    const [x, y, z] = radii.map((radius, k) => map[row + k] * radius);
    return Math.sqrt(x * x + y * y + z * z);
  });
  return {
    low: rows.map((row, k) => map[row + 3] - extents[k]),
    high: rows.map((row, k) => map[row + 3] + extents[k]),
  };
}

// ---------------------------------------------------------------------------------------------------- the program

const LARGEST = shortNumber(LARGEST_NUMBER);

/** Canonical quadrics, in the order of program.ts. */
const squares = (x: number, y: number, z: number, constant: number): number[] => [x, y, z, 0, 0, 0, 0, 0, 0, constant];
const linear = ([x, y, z]: readonly number[], constant: number): number[] => [0, 0, 0, 0, 0, 0, x, y, z, constant];

/** An instruction list that grows; its functions return the number of the instruction that has the value. */
class Compiler {
  #ops: number[] = [];
  #left: number[] = [];
  #right: number[] = [];
  #third: number[] = [];
  #numbers: number[] = [];
  #names: string[] = [];

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

  /** `map` leads from the model cube to what is around the shape. */
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
    if (shape.complement) return this.shape(shape.complement, map, !negated, path);
    if (shape.difference) {
      const parts = shape.difference;
      const part = (i: number) => this.shape(parts[i], map, i > 0 !== negated, [...path, i]);
      return this.#balanced(meet, parts.length, path, part);
    }
    if (shape.quadric) return quadric(shape.quadric, map);
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
    if (shape.polynomial) return this.#polynomial(shape.polynomial, map, negated, path);
    if (shape.waves) return this.#waves(shape.waves.flat(), map, negated, path);
    if (shape.noise) return this.#waves(noiseWaves(shape.noise), map, negated, path);
    return this.#triangle(shape.triangle!, map, negated, path);
  }

  /** min(plane + perturbations, thickness - plane, the three sides), the plane's function above 0 below it. */
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

  /** A balanced tree over the parts `from` to `to`, in order, each part's instructions just before what reads them. */
  #balanced(op: number, count: number, path: Path, part: (i: number) => number, from = 0): number {
    if (count === 1) return part(from);
    const first = Math.ceil(count / 2);
    const left = this.#balanced(op, first, path, part, from);
    return this.#push(op, left, this.#balanced(op, count - first, path, part, from + first), path);
  }

  #quadric(canonical: number[], map: Affine, negated: boolean, path: Path): number {
    return this.#leaf(OP.QUADRIC, 10, canonical, substituteQuadric, map, negated, path);
  }

  /** Terms are [c, i, j, k], some perhaps of the same powers. */
  #polynomial(terms: number[][], map: Affine, negated: boolean, path: Path): number {
    const degree = terms.reduce((most, [c, i, j, k]) => (c === 0 ? most : Math.max(most, i + j + k)), 0);
    const coefficients: number[] = new Array(coefficientsOf(Math.max(degree, 2))).fill(0);
    for (const [c, i, j, k] of terms) if (c !== 0) coefficients[coefficientAt(Math.max(degree, 2), i, j, k)] += c;
    if (degree > 2) return this.#leaf(OP.POLYNOMIAL, degree, coefficients, substitutePolynomial, map, negated, path);
    const powers = ['200', '020', '002', '110', '101', '011', '100', '010', '001', '000'];
    const quadric = powers.map((p) => coefficients[coefficientAt(2, Number(p[0]), Number(p[1]), Number(p[2]))]);
    return this.#quadric(quadric, map, negated, path);
  }

  #waves(waves: number[], map: Affine, negated: boolean, path: Path): number {
    return this.#leaf(OP.WAVES, waves.length / 5, waves, substituteWaves, map, negated, path);
  }

  #leaf(
    op: number,
    size: number,
    canonical: number[],
    substitute: typeof substituteQuadric,
    map: Affine,
    negated: boolean,
    path: Path,
  ): number {
    const count = numbersOfLeaf(op, size);
    const out = new Float64Array(count);
    // Infinite where the kernel gives up: coefficients are no use then.
    const error = substitute(Float64Array.from(canonical), 0, size, map, 0, out, 0);
    const start = this.#numbers.length;
    for (let i = 0; i < count; i++) {
      // Negated, a wave has its amplitude so and nothing else.
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
      // 0 is added so that none is -0.
      this.#numbers.push((negated && !isPhase ? -out[i] : out[i]) + 0);
    }
    return this.#push(op, start, size, path);
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

/** c (x^2 + y^2 + z^2)^2 as terms. */
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

/** a x^2 + b y^2 + c z^2 as terms. */
const sumOfSquares = (a: number, b: number, c: number): number[][] => [
  [a, 2, 0, 0],
  [b, 0, 2, 0],
  [c, 0, 0, 2],
];

/** Five numbers a wave; no sum of them is larger than the amplitude. */
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
