/**
 * What gicollide/gi has in Node and in browsers: all but reading and writing, which take a codec.
 */
import { requireOptions } from '../math/require.ts';
import { meshInDoubles, type SourceMesh } from '../mesh/mesh.ts';
import type { CheckOptions } from '../pair/options.ts';
import { type Checker, check as checkTwo, prepare as prepareTwo } from '../pair/pair.ts';
import type { Report } from '../query/report.ts';
import type { Verification } from '../query/representation.ts';
import { buildGeometryImage, type GiBuildOptions } from '../representations/gi/build/index.ts';
import type { GiEncodeOptions } from '../representations/gi/format/codec.ts';
import { gi } from '../representations/gi/index.ts';
import type { GeometryImage } from '../representations/gi/tree/geometry-image.ts';
import { verifyGeometryImage } from '../representations/gi/tree/verify.ts';
import { register } from '../representations/kinds.ts';

export * from './common.ts';
export type { Checker, GeometryImage, GiBuildOptions, GiEncodeOptions };

/** Builds a geometry image of a mesh, as `build` of gicollide does. */
export function build(mesh: SourceMesh, options: GiBuildOptions = {}): GeometryImage {
  requireOptions(options);
  return buildGeometryImage(meshInDoubles(mesh), options);
}

/** Two of them, ready for any number of poses, as `prepare` of gicollide answers. */
export function prepare(a: GeometryImage, b: GeometryImage): Checker {
  register(gi);
  return prepareTwo(a, b);
}

/** All that two of them can be asked, as `check` of gicollide answers it. */
export function check(a: GeometryImage, b: GeometryImage, options?: CheckOptions): Report {
  register(gi);
  return checkTwo(a, b, options);
}

/** Proves that every bound contains what it bounds. */
export const verify = (asset: GeometryImage): Verification => verifyGeometryImage(asset);
