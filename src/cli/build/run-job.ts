/** Does one job, and puts what it makes where it belongs. */
import { InputError } from '../../math/errors.ts';
import type { BuildCache } from '../cache/cache.ts';
import type { Session } from '../inputs.ts';
import { writeWhole } from '../write-whole.ts';
import { cacheKey } from './cached.ts';
import type { BuildJob, BuildRecord, BuildRun, JobRecord } from './job.ts';

/**
 * Does a job, a record an output, as it is written. What is fresh is left as it is, and what fails
 * is a record, too, and does not stop the rest.
 *
 * @example for (const job of plan.jobs) for await (const record of runJob(job, run, session, null)) print(record);
 */
export async function* runJob(
  job: BuildJob,
  run: BuildRun,
  session: Session,
  cache: BuildCache | null,
): AsyncGenerator<BuildRecord, void> {
  // Takes what builds, which a run in which all is fresh does without.
  const { makeJob } = await import('./make-job.ts');
  for await (const record of makeJob(job, run, session, cache)) yield await landed(record, cache);
}

/** Writes what was made, wherever that was; others are as they are. */
export async function landed(record: JobRecord, cache: BuildCache | null): Promise<BuildRecord> {
  if (!('bytes' in record)) return record;
  const { bytes, ...rest } = record;
  try {
    await writeWhole(record.output, bytes);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { status: 'failed', source: record.source, message: error.message };
  }
  if (record.status === 'built') await cache?.put(cacheKey(record.request), bytes, { ...record.facts });
  return { ...rest, size: bytes.length };
}
