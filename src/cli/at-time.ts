/** `--time` of commands that draw or describe one asset. */
import { OptionError } from '../math/errors.ts';
import type { Asset } from '../query/representation.ts';
import type { FrepObject } from '../representations/frep/tree/program.ts';
import { frozen } from '../representations/frep/tree/times.ts';

/** The asset as it is at a time; itself where none is given. @throws OptionError for one that has no times */
export function atTime(asset: Asset, time: number | undefined): Asset {
  if (time === undefined) return asset;
  if (asset.representation !== 'frep' || !(asset as FrepObject).span)
    throw new OptionError(`--time ${time}: of F-reps that depend on time, and this does not`);
  return frozen(asset as FrepObject, time);
}
