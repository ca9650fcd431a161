/** What a finding is called from run to run. */
import { sha256 } from '../containers/hash.ts';

/** Letters of an id: 2^64 of them are hardly ever twice the same. */
const LETTERS = 16;

/** The same for the same two names and rule, in whatever order the names come. */
export async function findingId(rule: string | null, a: string, b: string): Promise<string> {
  const names = a < b ? [a, b] : [b, a];
  const text = JSON.stringify([rule, ...names]);
  return (await sha256(new TextEncoder().encode(text))).slice(0, LETTERS);
}
