/** Connects builds and the cache: the keys of outputs. */
import { createHash } from 'node:crypto';
import { programDigest } from '../cache/program-digest.ts';

/** Includes the program's digest, since two programs of one version may differ. */
export const cacheKey = (request: string): string =>
  createHash('sha256').update(`${request}\n${programDigest()}`).digest('hex');
