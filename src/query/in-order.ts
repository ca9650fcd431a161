/** Questions that are answered several at a time, and answers in the order of the questions. */

/**
 * Answers in the order of the questions, as they come: the next question is only asked for when
 * fewer than `ahead()` answers are on their way or not yet taken, so neither a source without an
 * end nor a slow reader piles anything up. An answer does not wait for the next question.
 *
 * @param next the next question; null when there is none
 * @throws what `next` or `answer` throws, after all answers before it
 * @example let x = 0;
 *          const next = async () => (x < 9 ? x++ : null);
 *          for await (const square of inOrder(next, async (y) => y * y, () => 4)) console.log(square);
 */
export async function* inOrder<Q, A>(
  next: () => Promise<Q | null>,
  answer: (question: Q) => Promise<A>,
  ahead: () => number,
): AsyncGenerator<A, void, undefined> {
  const pending: Promise<A>[] = [];
  let asking: Promise<Q | null> | null = null;
  let hasEnded = false;
  for (;;) {
    if (asking === null && !hasEnded && pending.length < ahead()) {
      asking = next();
      asking.catch(ignore); // until it is looked at
    }
    if (asking !== null && (await isFirst(asking, pending[0]))) {
      let question: Q | null;
      try {
        question = await asking;
      } catch (error) {
        for (const answering of pending) yield await answering;
        throw error;
      }
      asking = null;
      hasEnded = question === null;
      if (question !== null) {
        const answering = answer(question);
        answering.catch(ignore);
        pending.push(answering);
      }
    } else if (pending.length > 0) yield await (pending.shift() as Promise<A>);
    else return;
  }
}

const ignore = (): void => {};

/** Whether the next question is there before the oldest answer, where one is on its way. */
async function isFirst(next: Promise<unknown>, oldest: Promise<unknown> | undefined): Promise<boolean> {
  if (!oldest) return true;
  const [isTrue, isFalse] = [() => true, () => false];
  return Promise.race([oldest.then(isFalse, isFalse), next.then(isTrue, isTrue)]);
}
