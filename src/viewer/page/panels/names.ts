/** The objects' names: short, and as a tree, split at slashes, with its visible rows. */
import { printable } from '../../../base/printable.ts';
import type { ViewDocument } from '../../document.ts';
import { classPathOf, shortNames } from '../../short-names.ts';

/** Short names of objects, ready to be shown: see `shortNames`. Other names stay whole. */
export interface Names {
  label(name: string): string;
  place(name: string): string;
}

export function createNames({ objects, findings }: Pick<ViewDocument, 'objects' | 'findings'>): Names {
  const all = [...new Set([objects, ...findings.map(({ subjects }) => subjects)].flat().map(({ name }) => name))];
  const known = new Map(shortNames(all).map((short, k) => [all[k], short]));
  return {
    label: (name) => printable(known.get(name)?.label ?? name),
    place: (name) => printable(known.get(name)?.place ?? ''),
  };
}

export interface Branch {
  label: string;
  path: string;
  /** The number of the object with this name; null for a mere group. */
  object: number | null;
  count: number;
  parts: Branch[];
}

/** Maximum nesting; further slashes are ordinary letters. */
const DEEPEST = 30;

/** Returns the paths of the groups of a name. Elements of IFC lie right below their class. */
export function groupsOf(name: string): string[] {
  const path = classPathOf(name);
  if (path !== null) return [...groupsOf(path), path];
  const groups: string[] = [];
  for (let at = name.indexOf('/'); at >= 0 && groups.length < DEEPEST; at = name.indexOf('/', at + 1))
    groups.push(name.slice(0, at));
  return groups;
}

const plain = (text: string): string => text.toLowerCase();

/** @param labelOf gives the labels of elements of IFC, which are not the ends of their names */
export function treeOf(names: readonly string[], labelOf = (name: string): string => name): Branch {
  const root: Branch = { label: '', path: '', object: null, count: 0, parts: [] };
  const known = new Map<string, Branch>();
  for (const [object, name] of names.entries()) {
    let branch = root;
    root.count++;
    for (const path of [...groupsOf(name), name]) {
      let part = known.get(path);
      if (!part) {
        const isShort = path === name && classPathOf(name) !== null;
        const label = isShort ? labelOf(name) : branch === root ? path : path.slice(branch.path.length + 1);
        part = { label, path, object: null, count: 0, parts: [] };
        known.set(path, part);
        branch.parts.push(part);
      }
      part.count++;
      branch = part;
    }
    branch.object = object;
  }
  return root;
}

export interface TreeRow {
  branch: Branch;
  depth: number;
}

/** Returns the rows below open branches, or the objects that match a search with their groups. */
export function rowsOf(root: Branch, open: ReadonlySet<string>, search: string): TreeRow[] {
  const words = plain(search).split(/\s+/).filter(Boolean);
  const found = words.length > 0 ? new Set<Branch>() : null;
  if (found) mark(root, words, found);
  const rows: TreeRow[] = [];
  const waiting: TreeRow[] = root.parts.map((branch) => ({ branch, depth: 1 })).reverse();
  for (let row = waiting.pop(); row; row = waiting.pop()) {
    const { branch, depth } = row;
    if (found && !found.has(branch)) continue;
    rows.push(row);
    if (!found && !open.has(branch.path)) continue;
    for (const part of branch.parts.toReversed()) waiting.push({ branch: part, depth: depth + 1 });
  }
  return rows;
}

/** Finds the matching branches and those above them. Uses a stack, since names may be deep. */
function mark(root: Branch, words: string[], found: Set<Branch>): void {
  const path: Branch[] = [];
  const waiting: [Branch, number][] = [[root, 0]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [branch, depth] = next;
    path.length = depth;
    path.push(branch);
    const name = plain(branch.path);
    if (branch.object !== null && words.every((word) => name.includes(word)))
      for (let k = path.length - 1; k >= 0 && !found.has(path[k]); k--) found.add(path[k]);
    for (const part of branch.parts) waiting.push([part, depth + 1]);
  }
}
