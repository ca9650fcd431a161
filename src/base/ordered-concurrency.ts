/** Concurrent answers to a stream of questions, in the order of the questions. */

/**
 * Yields answers in the order of the questions. It asks for the next question only while fewer than
 * `ahead()` answers are under way or not yet read. So neither an endless source nor a slow reader
 * fills the memory. An answer does not wait for the next question.
 *
 * @param next the next question, or null at the end
 * @throws errors of `next` or `answer`, after all answers before it
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

async function isFirst(next: Promise<unknown>, oldest: Promise<unknown> | undefined): Promise<boolean> {
  if (!oldest) return true;
  const [isTrue, isFalse] = [() => true, () => false];
  return Promise.race([oldest.then(isFalse, isFalse), next.then(isTrue, isTrue)]);
}
