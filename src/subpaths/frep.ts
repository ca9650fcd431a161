/** gicollide/frep: F-reps only. */

import { requireBytes } from '../base/require.ts';
import type { ReadOptions } from '../containers/blob.ts';
import { requireBuildNames } from '../engine/build-options.ts';
import type { CheckOptions } from '../engine/options.ts';
import { type Checker, check as checkTwo, prepare as prepareTwo } from '../engine/prepared.ts';
import type { Report } from '../engine/records.ts';
import type { Decoded, Provenance, Verification } from '../engine/representation.ts';
import { decodeFrep, encodeFrep } from '../representations/frep/format.ts';
import { frep } from '../representations/frep/index.ts';
import { compileFrep } from '../representations/frep/make/compile.ts';
import { type FrepModel, readFrep } from '../representations/frep/make/model.ts';
import type { FrepObject } from '../representations/frep/tree/program.ts';
import { frozen } from '../representations/frep/tree/program.ts';
import { register } from '../representations/kinds.ts';

export * from './common.ts';
export type { Checker, FrepModel, FrepObject };
export { frozen, readFrep };

/**
 * Compiles the model of an F-rep, like `build` of gicollide.
 *
 * @example import { build, check, read, readFrep, translation, write } from 'gicollide/frep';
 *          const ball = build(readFrep('{"object": {"sphere": {"radius": 1}}}'));
 *          const { asset } = await read(await write(ball));
 *          check(ball, asset, { poseB: translation(3, 0, 0) }).verdict // 'clear'
 */
export function build(model: FrepModel, options: Provenance = {}): FrepObject {
  requireBuildNames(options, {});
  return compileFrep(model, options);
}

/** Decodes a file, like `read` of gicollide. */
export async function read(bytes: Uint8Array, options?: ReadOptions): Promise<Decoded<FrepObject>> {
  requireBytes(bytes);
  return decodeFrep(bytes, undefined, options);
}

/** Encodes an F-rep. */
export const write = (asset: FrepObject): Promise<Uint8Array> => encodeFrep(asset);

/** Prepares two F-reps for any number of poses, like `prepare` of gicollide. */
export function prepare(a: FrepObject, b: FrepObject): Checker {
  register(frep);
  return prepareTwo(a, b);
}

/** Checks two F-reps with all options, like `check` of gicollide. */
export function check(a: FrepObject, b: FrepObject, options?: CheckOptions): Report {
  register(frep);
  return checkTwo(a, b, options);
}

/** Proves that every bound contains what it bounds. */
export const verify = (asset: FrepObject): Verification => frep.verify(asset);
