/**
 * Loads packages for glTF by names that bundlers of pages do not see. Bundlers would fail on
 * gltf-transform's modules of Node, and on draco3dgltf if it is not installed.
 */
import { FormatError } from '../base/errors.ts';

export async function loadPackage<T>(name: string): Promise<T> {
  try {
    return await import(/* @vite-ignore */ name);
  } catch {
    const expected = `the package ${name}, which this file takes (npm install ${name}; in a page, an import map that has it)`;
    throw new FormatError(null, expected, 'none');
  }
}
