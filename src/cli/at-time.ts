/** Applies `--time` for commands that draw or describe one asset. */
import { OptionError } from '../base/errors.ts';
import type { Asset } from '../engine/representation.ts';
import type { FrepObject } from '../representations/frep/tree/program.ts';
import { frozen } from '../representations/frep/tree/program.ts';

/** Returns the asset itself without a time. @throws OptionError for an asset without times */
export function atTime(asset: Asset, time: number | undefined): Asset {
  if (time === undefined) return asset;
  if (asset.representation !== 'frep' || !(asset as FrepObject).span)
    throw new OptionError(`--time ${time}: of F-reps that depend on time, and this does not`);
  return frozen(asset as FrepObject, time);
}
