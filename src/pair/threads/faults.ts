/** Conversion of errors for posting between threads: structured cloning loses their class. */
import { InputError, MeshError, OptionError } from '../../math/errors.ts';

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

const CLASSES: Record<string, new (message: string) => InputError> = { MeshError, OptionError };

export function errorOf({ name, message, stack, isInput }: Fault): Error {
  const error = isInput ? new (CLASSES[name] ?? InputError)(message) : new Error(message);
  error.name = name;
  if (stack !== undefined) error.stack = stack;
  return error;
}
