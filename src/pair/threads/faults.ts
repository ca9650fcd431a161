/** Errors on their way between threads: structured cloning forgets their class. */
import { InputError, MeshError, OptionError } from '../../math/errors.ts';

/** An error as it is posted. */
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

/** Those that a message is enough to make again. */
const CLASSES: Record<string, new (message: string) => InputError> = { MeshError, OptionError };

export function errorOf({ name, message, stack, isInput }: Fault): Error {
  const error = isInput ? new (CLASSES[name] ?? InputError)(message) : new Error(message);
  error.name = name;
  if (stack !== undefined) error.stack = stack;
  return error;
}
