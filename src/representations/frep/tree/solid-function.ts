/** The functions of a solid for queries, with frames that are kept from query to query. */
import { CellFunction } from './cell-function.ts';
import { type FrepObject, type Program, requireProgram, timesOf } from './program.ts';

const made = new WeakMap<Program, Partial<Record<'a' | 'b', CellFunction>>>();

/** F restricted to the domain, in the model cube, or the complement's; `side` of a pair. */
export function functionOf(object: FrepObject, side: 'a' | 'b' = 'a'): CellFunction {
  let both = made.get(object.program);
  if (!both) {
    requireProgram(object.program);
    both = {};
    made.set(object.program, both);
  }
  const solid = (both[side] ??= new CellFunction(object.program, object.domain, object));
  const [from, to] = timesOf(object);
  solid.during(from, to);
  return solid;
}

export function reachOfFrep({ center: [x, y, z], half }: FrepObject): number {
  return (Math.abs(x) + Math.abs(y) + Math.abs(z) + 1.75 * half) * (1 + 2 ** -40);
}
