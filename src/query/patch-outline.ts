/** Joins lines between nodes to paths. */
import type { Lines } from './contact-lines.ts';

/**
 * Returns paths of nodes over the given lines, each line in one of them. A path ends unless exactly
 * two lines meet; a closed one returns to its first node. Open ones come first; each begins with
 * its first line in the given order.
 */
export function traceLines({ low, high }: Pick<Lines, 'low' | 'high'>, lines: Int32Array): number[][] {
  const at = new Map<number, number[]>();
  for (const line of lines) {
    for (const node of [low[line], high[line]]) {
      const there = at.get(node);
      if (there) there.push(line);
      else at.set(node, [line]);
    }
  }
  const used = new Set<number>();
  const paths: number[][] = [];
  const linesAt = (node: number): number[] => at.get(node) ?? [];
  const follow = (from: number, first: number): void => {
    const path = [from];
    let node = from;
    for (let line: number | undefined = first; line !== undefined; ) {
      used.add(line);
      node = low[line] === node ? high[line] : low[line];
      path.push(node);
      const next = linesAt(node);
      line = next.length === 2 && node !== from ? next.find((other) => !used.has(other)) : undefined;
    }
    paths.push(path);
  };
  for (const isEnd of [true, false]) {
    for (const line of lines) {
      for (const node of [low[line], high[line]]) {
        if (!used.has(line) && (linesAt(node).length !== 2) === isEnd) follow(node, line);
      }
    }
  }
  return paths;
}
