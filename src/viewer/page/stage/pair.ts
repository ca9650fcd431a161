/** The chosen pair, and which of the two has the handles. */
import type { Loaded, Store } from '../parts.ts';
import type { Bodies } from './bodies.ts';
import { moved } from './space.ts';

export interface Pair {
  numbers(): (number | null)[];
  handled(): number | null;
  handle(object: number): void;
  pivot(bodies: Bodies): [number, number, number] | null;
}

export function createPair({ document, facts, numbers }: Loaded, store: Store): Pair {
  let last: number | null = null;
  const numberOf = (name: string | null): number | null => (name === null ? null : (numbers.get(name) ?? null));
  const both = (): (number | null)[] => [numberOf(store.state.a), numberOf(store.state.b)];
  const handled = (): number | null => {
    const [a, b] = both();
    return last !== null && (last === a || last === b) ? last : (b ?? a);
  };
  return {
    numbers: both,
    handled,
    handle(object) {
      last = object;
    },
    pivot(bodies) {
      const object = handled();
      if (object === null) return null;
      // The middle of the box in its own frame stays fixed when the object turns.
      const { low, high } = facts[document.objects[object].asset];
      const middle = low.map((x, k) => x / 2 + high[k] / 2);
      return moved(bodies.poseOf(object), middle);
    },
  };
}
