/** The entry point of each thread of `gicollide build`. */
import { serve } from '../../pair/threads/serve.ts';
import { openCache } from '../cache/cache.ts';
import type { Session } from '../session.ts';
import type { BuildJob } from './job.ts';
import { makeJob } from './make-job.ts';
import { saying } from './said.ts';
import type { ThreadAnswer, ThreadData } from './threads.ts';

export default await serve<ThreadData, BuildJob, ThreadAnswer>(async (_, { run, global }) => {
  let records: ThreadAnswer = [];
  const log = saying((record) => records.push(record));
  const session: Session = { global, log, named: run.named };
  const cache = run.cache ? await openCache({ folder: run.cache.folder, log }) : null;
  return async (job) => {
    records = [];
    for await (const record of makeJob(job, run, session, cache)) records.push(record);
    return records;
  };
});
