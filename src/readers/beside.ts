/** Paths of files that another file names. */
import { InputError } from '../math/errors.ts';
import { quoted } from './json-messages.ts';

/**
 * The path of a file that another one names.
 *
 * @throws InputError unless it is in the same folder or below
 */
export function besidePath(file: string, path: string): string {
  const isOutside = /^[/\\]|^[a-z][a-z0-9+.-]*:/i.test(path) || path.split(/[/\\]/).includes('..');
  if (path === '' || isOutside)
    throw new InputError(`expected a file in the same folder or below, found ${quoted(path)}`);
  return file.slice(0, 1 + Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\'))) + path;
}
