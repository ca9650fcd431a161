/** Builds and the cache: under which keys what was built is kept. */
import { createHash } from 'node:crypto';
import { programDigest } from '../cache/program-digest.ts';

/** The key of a request: another program, even of one version, may answer otherwise. */
export const cacheKey = (request: string): string =>
  createHash('sha256').update(`${request}\n${programDigest()}`).digest('hex');
