/** The paths of files that another file names: only its own folder and below. */
import { InputError } from '../base/errors.ts';
import { quoted } from '../base/printable.ts';

export function besidePath(file: string, path: string): string {
  const isOutside = /^[/\\]|^[a-z][a-z0-9+.-]*:/i.test(path) || path.split(/[/\\]/).includes('..');
  if (path === '' || isOutside)
    throw new InputError(`expected a file in the same folder or below, found ${quoted(path)}`);
  return file.slice(0, 1 + Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\'))) + path;
}
