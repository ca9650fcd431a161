/**
 * Looks for an existing output: the file itself, or the entry of the cache under the output's key.
 */

import { createHash } from 'node:crypto';
import type { BuildCache } from '../cache/cache.ts';
import { programDigest } from '../cache/program-digest.ts';
import { stalenessOf } from './fresh.ts';
import type { AssetFacts, BuildRun, DoneRecord, MadeRecord, OutputFacts, StaleRecord } from './job.ts';

export const FORCED = { status: 'stale', reason: 'up to date, but --force builds all' } as const;

export async function knownOf(
  facts: OutputFacts,
  { force = false, looks = false }: BuildRun,
  cache: BuildCache | null,
): Promise<DoneRecord | MadeRecord | StaleRecord | null> {
  if (force && !looks) return null;
  const found = await stalenessOf(facts);
  if (found.status === 'fresh' && !force) return { ...facts, status: 'fresh', size: found.size };
  if (looks) return { ...facts, ...(found.status === 'fresh' ? FORCED : found) };
  const start = performance.now();
  const known = await cache?.get(cacheKey(facts.request));
  if (!known) return null;
  const made = { bytes: known.bytes, facts: known.facts as unknown as AssetFacts };
  return { ...facts, status: 'cached', ...made, seconds: (performance.now() - start) / 1000 };
}

/** Includes the program's digest, since two programs of one version may differ. */
export const cacheKey = (request: string): string =>
  createHash('sha256').update(`${request}\n${programDigest()}`).digest('hex');
