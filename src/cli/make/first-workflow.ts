/** Finds the repository and the package around a folder, and makes a first workflow for GitHub. */
import { existsSync, realpathSync } from 'node:fs';
import { basename, delimiter, join, relative, resolve, sep } from 'node:path';
import { ANYWHERE, upwards, withSlashes } from '../inputs/name.ts';
import { readNamed } from '../inputs/open.ts';

/** Absolute paths, with links resolved. */
export interface Surroundings {
  folder: string;
  /** The top of the repository; outside of git, the folder whose packages are used. */
  root: string;
  isInGit: boolean;
  /** The folder where `npm ci` runs. */
  packages: string;
  /** True if package.json there depends on gicollide, or is gicollide's own. */
  hasGicollide: boolean;
  /** The lock file; null if there is none. */
  lock: string | null;
  /** The tarball that package.json takes gicollide from; null for other sources. */
  tarball: string | null;
}

export function surroundingsOf(path: string): Surroundings {
  const folder = realpathSync(path);
  const top = upwards(folder).find((at) => existsSync(join(at, '.git')));
  const all = top === undefined ? upwards(folder) : upwards(folder, top);
  const own = all.find((at) => dependencyIn(at) !== null);
  const packages =
    own ??
    (top === undefined ? undefined : all.find((at) => existsSync(join(at, PACKAGE)))) ??
    all.find((at) => existsSync(join(at, INSTALLED))) ??
    folder;
  const root = top ?? packages;
  const locks = upwards(packages, root).flatMap((at) => LOCKS.map((name) => join(at, name)));
  const [, archive] = /^file:(.*\.t(?:ar\.)?gz)$/.exec(dependencyIn(packages) ?? '') ?? [];
  return {
    ...{ folder, root, isInGit: top !== undefined, packages, hasGicollide: own !== undefined },
    lock: locks.find((file) => existsSync(file)) ?? null,
    tarball: archive === undefined ? null : resolve(packages, archive),
  };
}

const PACKAGE = 'package.json';
const LOCKS = ['package-lock.json', 'npm-shrinkwrap.json'];
const INSTALLED = 'node_modules/gicollide';

/** Returns the source of gicollide in package.json; '.' if that is its own, null for none. */
function dependencyIn(folder: string): string | null {
  try {
    const text = JSON.parse(new TextDecoder().decode(readNamed(join(folder, PACKAGE), ANYWHERE)));
    if (text.name === 'gicollide') return '.';
    const all = { ...text.optionalDependencies, ...text.devDependencies, ...text.dependencies };
    return typeof all.gicollide === 'string' ? all.gicollide : null;
  } catch {
    return null;
  }
}

/** Returns the folder of the JSON Schemas, relative to the given one, or where `npm ci` puts it. */
export function schemasOf({ folder, root, packages }: Surroundings): string {
  const schemas = upwards(folder, root)
    .flatMap((at) => [join(at, INSTALLED, 'docs'), ...(dependencyIn(at) === '.' ? [join(at, 'docs')] : [])])
    .find((at) => existsSync(join(at, 'project.schema.json')));
  const path = pathFrom(folder, schemas ?? join(packages, INSTALLED, 'docs'));
  return path.startsWith('.') ? path : `./${path}`;
}

export const pathFrom = (folder: string, file: string): string => withSlashes(relative(folder, file));

/** The workflow's file, relative to the folder: GitHub reads those at the top of a repository. */
export const workflowFile = ({ folder, root }: Surroundings): string =>
  pathFrom(folder, join(root, '.github/workflows', `${nameOf(folder, root, '-')}.yml`));

const nameOf = (folder: string, root: string, between: string): string =>
  ['gicollide', ...relative(root, folder).split(sep)].filter((part) => part !== '').join(between);

/** @param command arguments of gicollide, for a POSIX shell */
export function workflowText(around: Surroundings, command: string): string {
  const { folder, root, packages } = around;
  const inFolder = (at: string): string =>
    at === root ? '' : `\n        working-directory: ${yamlText(pathFrom(root, at))}`;
  return `name: ${yamlText(nameOf(folder, root, ' '))}
on:
  pull_request:
  push:
    branches: [main, master]

permissions:
  contents: read

jobs:
  collisions:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@d23441a48e516b6c34aea4fa41551a30e30af803 # v6.1.0
      - uses: actions/setup-node@249970729cb0ef3589644e2896645e5dc5ba9c38 # v6.5.0
        with:
          node-version: 22
      - run: npm ci${inFolder(packages)}
      - run: npx --no-install gicollide ${command}${inFolder(folder)}
`;
}

/** A plain word of YAML, unless it would mean another value. */
const yamlText = (text: string): string =>
  /^[a-z][\w ./-]*\w$/i.test(text) && !/^(true|false|null|yes|no|on|off)$/i.test(text) ? text : JSON.stringify(text);

/** Returns `gicollide` if the shell finds it, otherwise npx, which finds it in node_modules. */
export function programName({ PATH = '' } = process.env): string {
  const names = process.platform === 'win32' ? ['gicollide.cmd', 'gicollide.exe'] : ['gicollide'];
  // npx and npm run add folders that are gone afterwards.
  const folders = PATH.split(delimiter).filter((folder) => folder !== '' && basename(folder) !== '.bin');
  const isFound = folders.some((folder) => names.some((name) => existsSync(join(folder, name))));
  return isFound ? 'gicollide' : 'npx --no-install gicollide';
}
