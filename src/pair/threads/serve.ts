/** The thread's end of crew.ts, called by the modules that a pool runs. */
import { workerData } from 'node:worker_threads';
import { adoptPlacement, joinKernels } from '../../kernels/memory.ts';
import type { Asset } from '../../query/representation.ts';
import type { Given, Start } from './crew.ts';
import { faultOf } from './faults.ts';

/**
 * @param begin receives the pool's assets and data; returns the function that answers tasks
 * @example export default await serve<Data, number, number>(async ([a, b], data) => (task) => task + 1);
 */
export async function serve<Data, Task, Answer>(
  begin: (assets: Asset[], data: Data) => Promise<(task: Task) => Answer | Promise<Answer>>,
): Promise<(task: Task | null) => Promise<Given<Answer> | { ms: number }>> {
  const { shared, kernels, data } = workerData as Start;
  if (kernels) {
    joinKernels(kernels);
    for (const [owner, address] of shared.placed) adoptPlacement(owner, address);
  }
  const answer = await begin(shared.assets, data as Data);
  return async (task) => {
    const start = performance.now();
    if (task === null) return { ms: 0 }; // has begun
    try {
      return { answer: await answer(task), ms: performance.now() - start };
    } catch (error) {
      return { fault: faultOf(error) };
    }
  };
}
