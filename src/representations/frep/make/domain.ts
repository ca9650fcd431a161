/** Derives the domain of a model that gives none: the smallest provable box, slightly enlarged. */
import { FormatError } from '../../../base/errors.ts';
import { type Path, pathText, shortNumber } from '../../../base/json-messages.ts';
import { LARGEST_NUMBER } from '../tree/program.ts';
import { kindOf } from './kinds.ts';
import type { Perturbation, Shape } from './model.ts';
import { type Affine, boxOf, frameOf, IDENTITY, outOfCanonical, outOfShape, slopeOf } from './placement.ts';

const MARGIN = 0.01;
const LARGEST = shortNumber(LARGEST_NUMBER);

interface Bounds {
  low: number[];
  high: number[];
}

type Span = readonly [begin: number, end: number];

interface Unbounded {
  path: Path;
  why: string;
}

const isBounds = (bounds: Bounds | Unbounded): bounds is Bounds => 'low' in bounds;

/**
 * Returns the bounds of an object in model units, enlarged by a hundredth of the longest side.
 *
 * @param span the first and the last possible time
 * @throws FormatError that names the unbounded part, or if the object is empty
 */
export function derivedDomain(object: Shape, span: Span = [0, 0]): { min: number[]; max: number[] } {
  const bounds = boundsOf(object, IDENTITY, false, ['object'], span);
  if (!isBounds(bounds)) {
    throw new FormatError(null, `a domain, since ${pathText(bounds.path)} ${bounds.why}`, 'none');
  }
  const { low, high } = bounds;
  const extent = Math.max(...high.map((x, k) => x - low[k]));
  if (!high.every((x, k) => x >= low[k]) || !(extent > 0)) {
    throw new FormatError(null, 'an object that is not empty, or a domain', 'an intersection of disjoint parts');
  }
  const largest = Math.max(...[...low, ...high].map(Math.abs));
  if (!(largest <= LARGEST_NUMBER)) throw new FormatError(null, `coordinates of at most ${LARGEST}`, `${largest}`);
  // Far from the origin, rounding dominates the error of bounds.
  const margin = MARGIN * extent + 2 ** -48 * largest;
  return { min: low.map((x) => x - margin), max: high.map((x) => x + margin) };
}

/** Bounds the shape, or its complement if negated; `map` leads from around it to the asset. */
function boundsOf(shape: Shape, map: Affine, negated: boolean, path: Path, span: Span): Bounds | Unbounded {
  const own = outOfShape(shape, map);
  const bounds = around([
    boundsOfBase(shape, own, negated, path, span),
    ...growth(shape.perturbations, own, negated, path, span),
  ]);
  return shape.velocity && isBounds(bounds) ? swept(bounds, map, shape.velocity, span) : bounds;
}

function swept({ low, high }: Bounds, map: Affine, [x, y, z]: readonly number[], [begin, end]: Span): Bounds {
  const along = [0, 4, 8].map((row) => map[row] * x + map[row + 1] * y + map[row + 2] * z);
  return {
    low: low.map((at, k) => at + Math.min(begin * along[k], end * along[k])),
    high: high.map((at, k) => at + Math.max(begin * along[k], end * along[k])),
  };
}

function boundsOfBase(shape: Shape, own: Affine, negated: boolean, path: Path, span: Span): Bounds | Unbounded {
  const kind = kindOf(shape);
  const here = [...path, kind];
  switch (kind) {
    case 'union':
    case 'intersection': {
      const parts = shape[kind]!.map((part, i) => boundsOf(part, own, negated, [...here, i], span));
      return (kind === 'union') === negated ? common(parts) : around(parts);
    }
    case 'difference': {
      const parts = shape.difference!.map((part, i) => boundsOf(part, own, i > 0 !== negated, [...here, i], span));
      return negated ? around(parts) : common(parts);
    }
    case 'blend': {
      const { set, shapes, amount = 0 } = shape.blend!;
      if (amount > 0 !== negated && amount !== 0) return { path: here, why: 'has an amount that enlarges it' };
      const isDifference = set === 'difference';
      const parts = shapes.map((part, i) =>
        boundsOf(part, own, (isDifference && i > 0) !== negated, [...here, 'shapes', i], span),
      );
      return (set === 'union') === negated ? common(parts) : around(parts);
    }
    case 'complement':
      return boundsOf(shape.complement!, own, !negated, here, span);
    default:
      return negated ? { path: here, why: 'has no bound outside' } : boundsOfPrimitive(shape, own, here, span);
  }
}

/** Bounds where Q > 0 for the perturbations that enlarge a shape; others add nothing. */
function growth(
  perturbations: Perturbation[] = [],
  own: Affine,
  negated: boolean,
  path: Path,
  span: Span,
): (Bounds | Unbounded)[] {
  return perturbations.flatMap(({ by, amount = 1 }, i) =>
    amount > 0 === negated ? [] : [boundsOf(by, own, false, [...path, 'perturbations', i, 'by'], span)],
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

function boundsOfPrimitive(shape: Shape, map: Affine, path: Path, span: Span): Bounds | Unbounded {
  if (shape.sphere) {
    const { radius, center } = shape.sphere;
    return ellipsoid(outOfCanonical(map, center), [radius, radius, radius]);
  }
  if (shape.ellipsoid) return ellipsoid(outOfCanonical(map, shape.ellipsoid.center), shape.ellipsoid.radii);
  if (shape.torus) {
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
    return around([...prism, ...growth(shape.triangle.perturbations, map, false, path, span)]);
  }
  const isOpen =
    shape.cylinder || shape.cone || shape.paraboloid || shape.hyperboloid || shape.halfSpace || shape.waves;
  return { path, why: isOpen ? 'is unbounded' : 'has no known bound' };
}

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
