/** The other end of crew.ts: what a module that a crew runs calls. */
import { parentPort, workerData } from 'node:worker_threads';
import { adoptPlacement, joinKernels } from '../../kernels/memory.ts';
import type { Asset } from '../../query/representation.ts';
import { faultOf, type Message, READY, type Start } from './crew.ts';

/** An answer, and the buffers in it that are handed over and not copied. */
export interface Given<Answer> {
  answer: Answer;
  transfer?: ArrayBuffer[];
}

/**
 * Answers tasks until the thread is ended.
 *
 * @param begin is handed the assets and the data that the crew was opened with; what it returns
 *   answers a task after the other
 * @example serve<Data, number, number>(async ([a, b], data) => async (task) => ({ answer: task + 1 }));
 */
export async function serve<Data, Task, Answer>(
  begin: (assets: Asset[], data: Data) => Promise<(task: Task) => Promise<Given<Answer>>>,
): Promise<void> {
  if (!parentPort) throw new Error('serve: not in a thread of a crew');
  const port = parentPort;
  const { shared, kernels, data } = workerData as Start;
  if (kernels) {
    joinKernels(kernels);
    for (const [owner, address] of shared.placed) adoptPlacement(owner, address);
  }
  const post = (message: Message, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer);
  const answer = await begin(shared.assets, data as Data);
  let turn: Promise<void> = Promise.resolve();
  port.on('message', ({ task, question }: { task: number; question: Task }) => {
    turn = turn.then(async () => {
      try {
        const given = await answer(question);
        post({ task, answer: given.answer }, given.transfer);
      } catch (error) {
        post({ task, fault: faultOf(error) });
      }
    });
  });
  post({ task: READY });
}
