/** How bad input must end: in an error of ours that says one line. */
import { expect } from 'vitest';
import { FormatError } from '../../src/base/errors.ts';

/**
 * The FormatError that reading ends with; fails where what was read is accepted, or another error comes.
 *
 * @example expect((await refusal(decodeObbTree(bytes))).message).toMatch(/256 levels/);
 */
export function refusal(reading: Promise<unknown>): Promise<FormatError>;
export function refusal(read: () => unknown): FormatError;
export function refusal(reading: Promise<unknown> | (() => unknown)): Promise<FormatError> | FormatError {
  if (reading instanceof Promise) return reading.then(accepted, checked);
  try {
    reading();
  } catch (error) {
    return checked(error);
  }
  return accepted();
}

function accepted(): never {
  throw new Error('it was read');
}

function checked(error: unknown): FormatError {
  if (!(error instanceof FormatError)) throw error;
  expect(error.message).toMatch(/^[^\n\r\p{Zl}\p{Zp}]+$/u);
  return error;
}
