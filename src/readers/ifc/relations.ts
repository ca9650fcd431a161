/**
 * Reads the facts in an IFC file about its elements, apart from their shapes: types, storeys,
 * materials, and elements that belong together. It takes one pass over the records. An invalid
 * relation is skipped.
 *
 * Two elements belong together in three cases. One is a part of the other at any depth
 * (IfcRelAggregates). One is the other's projection (IfcRelProjectsElement). Or one fills an
 * opening of the other (IfcRelVoidsElement and IfcRelFillsElement) or of the other's whole. Parts
 * of one whole do not belong together. IfcRelNests is about things that an element carries, such as
 * a tap on a sink; these are no parts.
 */
import { FormatError } from '../../base/errors.ts';
import type { FileNode, IfcFacts } from '../mesh-file.ts';
import { isRef, isText, type RecordOf, type StepValue, stepArguments } from './step-records.ts';
import type { StepFile } from './step-scanner.ts';

/** How one element belongs to another. The last one in this list names a path of several steps. */
const BELONGS = [
  'a whole and its part',
  'an element and its projection',
  'an element and its opening',
  'an element and the filling of an opening',
  'an element and its clearance',
] as const;
const [PART, PROJECTION, OPENING, FILLING, CLEARANCE] = [0, 1, 2, 3, 4];

/** The places of the one and the others in each relation; `up` leads from the others to the one. */
const RELATIONS: Readonly<Record<string, { one: number; others: number; kind: Kind }>> = {
  IFCRELAGGREGATES: { one: 4, others: 5, kind: PART },
  IFCRELPROJECTSELEMENT: { one: 4, others: 5, kind: PROJECTION },
  IFCRELVOIDSELEMENT: { one: 4, others: 5, kind: OPENING },
  IFCRELFILLSELEMENT: { one: 4, others: 5, kind: FILLING },
  IFCRELNESTS: { one: 4, others: 5, kind: 'nests' },
  IFCRELCONTAINEDINSPATIALSTRUCTURE: { one: 5, others: 4, kind: 'inside' },
  IFCRELDEFINESBYTYPE: { one: 5, others: 4, kind: 'types' },
  IFCRELASSOCIATESMATERIAL: { one: 5, others: 4, kind: 'materials' },
};
type Kind = number | 'nests' | 'inside' | 'types' | 'materials';

const STOREY = 'IFCBUILDINGSTOREY';
/** Records between a relation and the materials that it means. */
const MATERIALS = /^IFCMATERIAL($|LIST|LAYER|PROFILE|CONSTITUENT)/;
/** Usage, set, layer, material: more are not nested. */
const MOST_NESTED = 8;
const MOST_MATERIALS = 1000;

/** Steps from elements to those that they belong to. Real buildings need a few for each element. */
const MOST_STEPS = 2 ** 24;

interface Link {
  to: number;
  kind: number;
}
type Related = NonNullable<FileNode['related']>[number];
type Links = ReadonlyMap<number, readonly Link[]>;

export interface ShownElement {
  record: number;
  node: number;
  /** True for the space that an element needs about it. */
  isClearance: boolean;
}

export class Relations {
  private readonly up = new Map<number, Link[]>();
  private readonly parts = new Map<number, Link[]>();
  private readonly single = {
    nests: new Map<number, number>(),
    inside: new Map<number, number>(),
    types: new Map<number, number>(),
  };
  private readonly materials = new Map<number, number[]>();
  private readonly storeys = new Map<number, string | null>();
  private readonly materialNames = new Map<number, readonly string[]>();

  constructor(
    private readonly file: StepFile,
    private readonly recordOf: RecordOf,
  ) {
    const relations = file.typeNames.map((name) => (Object.hasOwn(RELATIONS, name) ? RELATIONS[name] : null));
    for (let record = 0; record < file.count; record++) {
      const relation = relations[file.types[record]];
      if (!relation) continue;
      const values = this.values(record, 6);
      const one = this.follow(values[relation.one]);
      const others = values[relation.others];
      if (one < 0) continue;
      for (const value of Array.isArray(others) ? others : [others]) {
        const other = this.follow(value);
        if (other >= 0 && other !== one) this.add(relation.kind, one, other);
      }
    }
  }

  private add(kind: Kind, one: number, other: number): void {
    if (kind === 'materials') push(this.materials, other, one);
    else if (typeof kind !== 'number') {
      if (!this.single[kind].has(other)) this.single[kind].set(other, one);
    } else {
      push(this.up, other, { to: one, kind });
      if (kind === PART || kind === PROJECTION) push(this.parts, one, { to: other, kind });
    }
  }

  factsOf(record: number, kinds: IfcFacts['kinds']): IfcFacts {
    const type = this.typeOf(record);
    const [typeName, storey] = [type < 0 ? null : this.name(type), this.storeyOf(record)];
    const own = this.materialsOf(record);
    const material = own.length > 0 || type < 0 ? own : this.materialsOf(type);
    return {
      class: kinds.own[0],
      kinds,
      ...(typeName && { type: typeName }),
      ...(storey && { storey }),
      ...(material.length > 0 && { material }),
    };
  }

  /** The record of an element's type, or -1. */
  typeOf(record: number): number {
    return this.single.types.get(record) ?? -1;
  }

  /** The next storey up: by containment, else by whole, host or opening. */
  private storeyOf(record: number): string | null {
    const { nests, inside } = this.single;
    const way: number[] = [];
    let [at, found]: [number | undefined, string | null] = [record, null];
    for (; at !== undefined; at = inside.get(at) ?? this.up.get(at)?.[0].to ?? nests.get(at)) {
      const known = this.storeys.get(at);
      found = this.type(at) === STOREY ? (this.name(at) ?? this.text(at, 7)) : (known ?? null);
      if (found !== null || known === null) break;
      way.push(at);
      // A ring ends here.
      this.storeys.set(at, null);
    }
    for (const each of way) this.storeys.set(each, found);
    return found;
  }

  private materialsOf(record: number): readonly string[] {
    const all = this.materials.get(record) ?? [];
    return joined(all.map((material) => this.namesIn(material, 0)));
  }

  private namesIn(record: number, depth: number): readonly string[] {
    const known = this.materialNames.get(record);
    if (known || depth > MOST_NESTED) return known ?? [];
    const { refs, firstRef } = this.file;
    let names: readonly string[] = [];
    // A ring ends here.
    this.materialNames.set(record, names);
    if (this.type(record) === 'IFCMATERIAL') names = [this.text(record, 0) ?? ''].filter((name) => name !== '');
    else {
      const inner = Array.from(refs.subarray(firstRef[record], firstRef[record + 1]), this.recordOf);
      const own = new Set(inner.filter((each) => each >= 0 && MATERIALS.test(this.type(each))));
      names = joined(Array.from(own, (each) => this.namesIn(each, depth + 1)));
    }
    this.materialNames.set(record, names);
    return names;
  }

  /**
   * For each node, the nodes that it belongs to; a pair comes once.
   *
   * @throws FormatError for relations that are nested too deeply
   */
  related(shown: readonly ShownElement[]): Map<number, Related[]> {
    const nodeOf = new Map(shown.flatMap((each) => (each.isClearance ? [] : [[each.record, each.node] as const])));
    const found = new Map<number, Related[]>();
    const pairs = new Set<number>();
    let steps = 0;
    const add = (a: number, b: number | undefined, kind: number): void => {
      if (b === undefined || a === b) return;
      // Numbers of nodes are below 2^26.
      const key = Math.min(a, b) * 2 ** 26 + Math.max(a, b);
      if (pairs.has(key)) return;
      pairs.add(key);
      push(found, a, { node: b, why: BELONGS[kind] });
    };
    const walk = (start: number, links: Links, visit: (to: number, kind: number, last: number) => void): void => {
      const seen = new Set([start]);
      const next: Link[] = [{ to: start, kind: PART }];
      for (let from = next.pop(); from; from = next.pop()) {
        for (const { to, kind: last } of links.get(from.to) ?? []) {
          if (++steps > MOST_STEPS) throw new FormatError(null, `at most ${MOST_STEPS} relations of elements`, 'more');
          const kind = Math.max(from.kind, last);
          visit(to, kind, last);
          if (seen.has(to)) continue;
          seen.add(to);
          next.push({ to, kind });
        }
      }
    };
    for (const { record, node, isClearance } of shown) {
      if (isClearance) add(node, nodeOf.get(record), CLEARANCE);
      walk(record, this.up, (to, kind, last) => {
        add(node, nodeOf.get(to), isClearance ? CLEARANCE : kind);
        // An opening goes through the parts of its element, too.
        if (last === OPENING && !isClearance) walk(to, this.parts, (part) => add(node, nodeOf.get(part), kind));
      });
    }
    return found;
  }

  private values(record: number, most: number): StepValue[] {
    return stepArguments(this.file.bytes, this.file.starts[record], most);
  }

  private follow(value: StepValue | undefined): number {
    return isRef(value) ? this.recordOf(value.ref) : -1;
  }

  private type(record: number): string {
    return this.file.typeNames[this.file.types[record]];
  }

  private text(record: number, n: number): string | null {
    const value = this.values(record, n + 1)[n];
    return isText(value) && value.text !== '' ? value.text : null;
  }

  private name(record: number): string | null {
    return this.text(record, 2);
  }
}

function push<T>(map: Map<number, T[]>, key: number, value: T): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

/** Each once. A single list is shared, not copied: many elements may have the same materials. */
function joined(all: readonly (readonly string[])[]): readonly string[] {
  const lists = [...new Set(all)];
  return lists.length === 1 ? lists[0] : [...new Set(lists.flat())].slice(0, MOST_MATERIALS);
}
