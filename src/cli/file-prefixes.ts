/** Prefixes of object names, so that objects of several files are distinct. */
import { basename, dirname, join, resolve, sep } from 'node:path';
import { extensionOf, kindOf } from './files.ts';
import { nameOf, type Session } from './inputs.ts';

const SCENE = '.scene.json';

/** Returns nothing for a single file, otherwise its name without extension or its whole path. */
export function prefixes(args: readonly string[], session: Session): (arg: string) => string {
  if (args.length === 1) return () => '';
  const stems = new Map(args.map((arg) => [arg, stemOf(nameOf(arg, session))]));
  const pathOf = (arg: string): string =>
    join(dirname(nameOf(arg, session)), stems.get(arg)!)
      .split(sep)
      .join('/');
  const isOnly = (arg: string): boolean => args.filter((other) => stems.get(other) === stems.get(arg)).length === 1;
  return (arg) => `${isOnly(arg) ? stems.get(arg) : pathOf(arg)}/`;
}

export function stemOf(file: string): string {
  const name = basename(resolve(file));
  const ending = name.toLowerCase().endsWith(SCENE) ? SCENE : extensionOf(name);
  return kindOf(file) === 'folder' ? name : name.slice(0, -ending.length || undefined);
}
