/** The part of gicollide/gi that needs no codec: everything except reading and writing. */
import { requireBuildNames } from '../engine/build-options.ts';
import type { CheckOptions } from '../engine/options.ts';
import { type Checker, check as checkTwo, prepare as prepareTwo } from '../engine/prepared.ts';
import type { Report } from '../engine/records.ts';
import type { Verification } from '../engine/representation.ts';
import { meshInDoubles, type SourceMesh } from '../mesh/mesh.ts';
import type { GiEncodeOptions } from '../representations/gi/format/codec.ts';
import { gi } from '../representations/gi/index.ts';
import { buildGeometryImage, type GiBuildOptions, giBuilder } from '../representations/gi/make/index.ts';
import type { GeometryImage } from '../representations/gi/tree/geometry-image.ts';
import { verifyGeometryImage } from '../representations/gi/tree/verify.ts';
import { register } from '../representations/kinds.ts';

export * from './common.ts';
export type { Checker, GeometryImage, GiBuildOptions, GiEncodeOptions };

/**
 * Builds a geometry image of a mesh, like `build` of gicollide.
 *
 * @example import { build, check, read, translation, write } from 'gicollide/gi';
 *          const positions = Float64Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0);
 *          const mesh = { positions, triangles: Uint32Array.of(0, 1, 2), groups: [] };
 *          const image = build(mesh, { size: 17 });
 *          const { asset } = await read(await write(image, { compression: 'deflate' }));
 *          check(image, asset, { poseB: translation(0, 0, 2) }).verdict // 'clear'
 */
export function build(mesh: SourceMesh, options: GiBuildOptions = {}): GeometryImage {
  requireBuildNames(options, giBuilder.options);
  return buildGeometryImage(meshInDoubles(mesh), options);
}

/** Prepares two images for any number of poses, like `prepare` of gicollide. */
export function prepare(a: GeometryImage, b: GeometryImage): Checker {
  register(gi);
  return prepareTwo(a, b);
}

/** Checks two images with all options, like `check` of gicollide. */
export function check(a: GeometryImage, b: GeometryImage, options?: CheckOptions): Report {
  register(gi);
  return checkTwo(a, b, options);
}

/** Proves that every bound contains what it bounds. */
export const verify = (asset: GeometryImage): Verification => verifyGeometryImage(asset);
