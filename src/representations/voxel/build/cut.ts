/** A mesh into cubes, by the kernel or by its twin: the bytes are the same. */
import { inOrder, newBricks } from '../tree/brick-table.ts';
import { addInside } from './inside-cells.ts';
import { type AddInside, type Cut, type CutTask, cutByKernel } from './kernel.ts';
import { addSurface } from './surface-cells.ts';

/**
 * The cells that hold a point of a triangle, and with `fill` those with centres inside a model that
 * is closed.
 */
export function cut(task: CutTask, fill: boolean): Cut {
  const { positions, triangles, precision, most } = task;
  const inside: AddInside | undefined = fill
    ? (bricks, tell) => addInside(bricks, most, positions, triangles, precision, tell)
    : undefined;
  return cutByKernel(task, inside) ?? cutByTwin(task, inside);
}

function cutByTwin({ positions, triangles, precision, most, progress }: CutTask, inside: AddInside | undefined): Cut {
  const bricks = newBricks();
  addSurface(bricks, most, positions, triangles, precision, progress);
  if (bricks.count > most) return { set: null };
  const cubes = inside?.(bricks, progress);
  if (cubes !== undefined) return { set: null, cubes };
  progress('order', 0);
  const set = inOrder(bricks, precision);
  progress('order', 1);
  return { set };
}
