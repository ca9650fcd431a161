/** Finds the buffers of an answer that can be transferred to the page instead of copied. */

/**
 * The memory of the arrays of numbers in a record and the records and lists in it, three deep: no
 * answer has arrays deeper, and lists of contacts are long.
 */
export function buffersOf(answer: unknown): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  const visit = (value: unknown, left: number): void => {
    if (ArrayBuffer.isView(value)) {
      if (value.buffer instanceof ArrayBuffer) found.add(value.buffer);
    } else if (left > 0 && typeof value === 'object' && value !== null) {
      for (const part of Object.values(value)) visit(part, left - 1);
    }
  };
  visit(answer, 3);
  return [...found];
}
