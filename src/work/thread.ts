/** The entry point of each thread of a pool (pool.ts). */
import { workerData } from 'node:worker_threads';
import { adoptPlacement, joinKernels } from '../kernels/memory.ts';
import { type Begin, faultOf, type Start } from './pool.ts';

const { module, parts, placed, kernels } = workerData as Start;
if (kernels) {
  joinKernels(kernels);
  for (const [owner, address] of placed) adoptPlacement(owner, address);
}
const { begin }: { begin: Begin<unknown, unknown, unknown> } = await import(module);
const answer = await begin([...parts.assets], parts.data);

export default async (task: unknown) => {
  const start = performance.now();
  if (task === null) return { ms: 0 }; // has begun
  try {
    return { answer: await answer(task), ms: performance.now() - start };
  } catch (error) {
    return { fault: faultOf(error) };
  }
};
