/** Ids of findings, the same from run to run. */
import { ownSha256 } from '../containers/own-sha256.ts';

/** Made when it is needed: some hosts have none. */
let encoder: InstanceType<typeof TextEncoder> | undefined;

/** 64 bits: collisions are very unlikely. */
const BYTES = 8;
const DIGITS = '0123456789abcdef';

/** The same for the same two names and rule, in either order of the names. */
export function findingId(rule: string | null, a: string, b: string): string {
  const names = a < b ? [a, b] : [b, a];
  encoder ??= new TextEncoder();
  const digest = ownSha256(encoder.encode(JSON.stringify([rule, ...names])));
  let id = '';
  for (let i = 0; i < BYTES; i++) id += DIGITS[digest[i] >> 4] + DIGITS[digest[i] & 15];
  return id;
}
