/** Ids of findings, the same from run to run. */
import { ownSha256 } from '../containers/own-sha256.ts';

/** 64 bits: collisions are very unlikely. */
const BYTES = 8;

/** The same for the same two names and rule, in either order of the names. */
export function findingId(rule: string | null, a: string, b: string): string {
  const names = a < b ? [a, b] : [b, a];
  const digest = ownSha256(new TextEncoder().encode(JSON.stringify([rule, ...names])));
  return Array.from(digest.subarray(0, BYTES), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
