/** How objects stand out beside the two that are chosen: by what was found of them. */
import type { Level } from '../report/model.ts';
import type { ViewDocument } from './document.ts';

const RANK: Record<Level, number> = { note: 0, warning: 1, error: 2 };

/**
 * The most that is said of an object in any finding, by its number. Notes mark nothing: in a
 * building everything touches something.
 */
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

/**
 * How light an object is beside its colour: neighbours differ a little, so that each can be told
 * from the next.
 */
export const shadeOf = (object: number): number => 0.94 + 0.12 * ((object * 0.618034) % 1);
