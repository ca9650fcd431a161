/** Ids of findings, the same from run to run. */
import { ownSha256 } from '../containers/own-sha256.ts';

/** Made when it is needed: some hosts have none. */
let encoder: InstanceType<typeof TextEncoder> | undefined;

/** Eight digits of four bytes. */
const word = (digest: DataView, at: number): string => digest.getUint32(at).toString(16).padStart(8, '0');

/** The same for the same two names and rule, in either order of the names. */
export function findingId(rule: string | null, a: string, b: string): string {
  const names = a < b ? [a, b] : [b, a];
  encoder ??= new TextEncoder();
  const { buffer, byteOffset } = ownSha256(encoder.encode(JSON.stringify([rule, ...names])));
  const digest = new DataView(buffer, byteOffset);
  // 64 bits: collisions are very unlikely.
  return word(digest, 0) + word(digest, 4);
}
