/**
 * Packages that reading glTF takes, loaded by names that bundlers of pages do not see. They would
 * refuse gltf-transform for the modules of Node that it names, and look for draco3dgltf where it is
 * not installed.
 */
import { FormatError } from '../math/errors.ts';

/** @throws FormatError that says what to install */
export async function loadPackage<T>(name: string): Promise<T> {
  try {
    return await import(/* @vite-ignore */ name);
  } catch {
    const expected = `the package ${name}, which this file takes (npm install ${name}; in a page, an import map that has it)`;
    throw new FormatError(null, expected, 'none');
  }
}
