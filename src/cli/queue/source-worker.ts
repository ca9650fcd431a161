/** The entry point of a worker's threads for builds: bytes in, bytes out, and no file. */
import { serve } from '../../pair/threads/serve.ts';
import type { BuildJob, BuildRun } from '../build/job.ts';
import { makeJob } from '../build/make-job.ts';
import { saying } from '../build/said.ts';
import type { Session } from '../session.ts';
import type { Row, Source } from './build-run.ts';

export default await serve<boolean, Source, Row[]>(async (_, measures) => {
  const run: BuildRun = { inputs: new Set(), measures, force: true };
  return async ({ task, bytes, beside }) => {
    const { kind, name, formats } = task;
    const rows: Row[] = [];
    const session: Session = {
      global: { quiet: true },
      log: saying((record) => rows.push(record)),
      held: new Map([[name, bytes]]),
      beside: new Map(beside),
    };
    // Elements are named after outputs, which a worker does not know.
    const { split: _, ...flags } = task.flags;
    const job: BuildJob = { kind, inputs: [{ file: name, outputs: formats.map(() => '') }], formats, flags };
    for await (const record of makeJob(job, run, session, null)) {
      if (record.status === 'failed') rows.push({ status: 'failed', message: record.message });
      else if ('bytes' in record) {
        const { bytes: made, facts, seconds } = record;
        rows.push({ status: 'built', bytes: made, facts, seconds });
      }
    }
    return rows;
  };
});
