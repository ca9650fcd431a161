/** Finds triangles that meet where they have no common vertex or edge. */
import { type ContactSegment, contactSegment } from '../geometry/contact-segment.ts';
import { selfContacts } from '../mesh/self-contacts.ts';
import type { Shells } from '../mesh/shells.ts';
import type { Surface } from '../mesh/topology.ts';
import type { Findings } from './found.ts';

/** Pairs of a rule and an element after which the search stops: such a mesh is no surface. */
const MOST_PAIRS = 1_000_000;

type ContactRule = 'self-intersection' | 'self-touch';

export function lintContacts(surface: Surface, { corners }: Shells, cleaned: Int32Array, found: Findings): void {
  const rules = (['self-intersection', 'self-touch'] as const).filter((rule) => found.isOn(rule));
  if (rules.length === 0) return;
  const count = cleaned.length;
  // One number per pair sorts pairs by their triangles and tells whether they are folded.
  const keys: Record<ContactRule, number[]> = { 'self-intersection': [], 'self-touch': [] };
  const complete = selfContacts(
    surface,
    (t, u, contact) => {
      const rule: ContactRule = contact === 'touch' ? 'self-touch' : 'self-intersection';
      if (!found.isOn(rule)) return false;
      return keys[rule].push(2 * (t * count + u) + Number(contact === 'fold')) >= MOST_PAIRS;
    },
    { corners, cleaned },
  );
  if (!complete) found.complete = false;
  for (const rule of rules) {
    const sorted = Float64Array.from(keys[rule]).sort();
    const listed = sorted.subarray(0, found.roomOf(rule));
    for (const key of listed) {
      const pair = Math.floor(key / 2);
      const [t, u] = [Math.floor(pair / count), pair % count];
      const message =
        rule === 'self-touch'
          ? 'two triangles touch beside what vertices and edges they share'
          : key % 2 === 1
            ? 'two neighbours are folded onto each other'
            : 'two triangles cross';
      found.add(rule, { triangles: [t, u], count: 1, point: meetingPoint(surface, t, u), message });
    }
    found.count(rule, sorted.length - listed.length);
  }
}

const both = new Float64Array(18);
const segment: ContactSegment = {
  from: new Float64Array(3),
  to: new Float64Array(3),
  normal: new Float64Array(3),
  depth: 0,
};

function meetingPoint({ positions, triangles }: Surface, t: number, u: number): number[] {
  for (let k = 0; k < 6; k++) {
    const vertex = 3 * triangles[k < 3 ? 3 * t + k : 3 * u + k - 3];
    for (let axis = 0; axis < 3; axis++) both[3 * k + axis] = positions[vertex + axis];
  }
  contactSegment(both, 0, both, 9, segment);
  return Array.from(segment.from, (x, k) => x / 2 + segment.to[k] / 2);
}
