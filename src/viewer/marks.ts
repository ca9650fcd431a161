/** Colors objects outside the chosen pair by their findings. */
import type { Level } from '../report/finding.ts';
import type { ViewDocument } from './document.ts';

const RANK: Record<Level, number> = { note: 0, warning: 1, error: 2 };

/** Returns each object's worst level. Notes do not count: in buildings everything touches. */
export function marksOf({ objects, findings }: Pick<ViewDocument, 'objects' | 'findings'>): Map<number, Level> {
  const numbers = new Map(objects.map(({ name }, number) => [name, number]));
  const marks = new Map<number, Level>();
  for (const { subjects, level } of findings) {
    if (level === 'note') continue;
    for (const { name } of subjects) {
      const object = numbers.get(name);
      if (object === undefined) continue;
      const known = marks.get(object);
      if (known === undefined || RANK[level] > RANK[known]) marks.set(object, level);
    }
  }
  return marks;
}

/** Brightness of an object: neighbors differ slightly, so that you can tell them apart. */
export const shadeOf = (object: number): number => 0.94 + 0.12 * ((object * 0.618034) % 1);
