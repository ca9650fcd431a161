/** Errors on their way between threads, which forgets their class. */
import { InputError } from '../../math/errors.ts';

/** An error as it is posted: structured cloning forgets its class. */
export interface Fault {
  name: string;
  message: string;
  stack: string | undefined;
  isInput: boolean;
}

export function faultOf(error: unknown): Fault {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  return { name, message, stack, isInput: error instanceof InputError };
}

export function errorOf({ name, message, stack, isInput }: Fault): Error {
  const error = isInput ? new InputError(message) : new Error(message);
  error.name = name;
  if (stack !== undefined) error.stack = stack;
  return error;
}
