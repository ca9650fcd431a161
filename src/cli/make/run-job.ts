/** Runs one job and writes its results. */
import { InputError } from '../../base/errors.ts';
import { writeWhole } from '../atomic-write.ts';
import type { BuildCache } from '../cache/cache.ts';
import { kindOf, STDIN } from '../inputs/name.ts';
import type { Session } from '../session.ts';
import { cacheKey } from './existing-output.ts';
import type { BuildJob, BuildRecord, BuildRun, JobRecord } from './job.ts';

/** Like `makeJob`, but yields each record after its output is written. */
export async function* runJob(
  job: BuildJob,
  run: BuildRun,
  session: Session,
  cache: BuildCache | null,
): AsyncGenerator<BuildRecord, void> {
  // Loads the builders, which a run with only fresh outputs does not need.
  const { makeJob } = await import('./make-job.ts');
  for await (const record of makeJob(job, run, session, cache)) yield await landed(record, cache);
}

/** True if a file gives its bytes only once, and only to this process. */
export const isStream = ({ inputs }: BuildJob): boolean =>
  inputs.some(({ file }) => file === STDIN || kindOf(file) === 'device');

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
