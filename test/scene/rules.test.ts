/** What is asked of which pair, against rules that are applied pair by pair; patterns against a plain matcher. */
import { describe, expect, test } from 'vitest';
import { matches } from '../../src/base/patterns.ts';
import type { IfcFacts } from '../../src/readers/mesh-file.ts';
import { type Asked, asksOf, type Choice, type IfcChoice, type Rule, withoutIfc } from '../../src/scene/rules.ts';
import { long, some } from '../support/long.ts';
import { seeded } from '../support/random.ts';

/** `*` any letters, `?` one: by trying all ways. */
function bruteMatch(pattern: string, name: string): boolean {
  if (pattern === '') return name === '';
  if (pattern[0] === '*')
    return Array.from({ length: name.length + 1 }, (_, n) => n).some((n) =>
      bruteMatch(pattern.slice(1), name.slice(n)),
    );
  return name !== '' && (pattern[0] === '?' || pattern[0] === name[0]) && bruteMatch(pattern.slice(1), name.slice(1));
}

test.each(some(1, [1, 2, 3]))('patterns, seed %i', { tags: ['quick', 'long'] }, (seed) => {
  const random = seeded(seed);
  const word = (letters: string, most: number) =>
    Array.from({ length: random.below(most) }, () => random.pick([...letters])).join('');
  for (let i = 0; i < 5000; i++) {
    const [pattern, name] = [word('ab*?/', 7), word('ab/', 9)];
    if (matches(pattern, name) !== bruteMatch(pattern, name)) throw new Error(`${pattern} and ${name}`);
  }
  expect(matches(`${'*a'.repeat(2000)}b`, 'a'.repeat(20_000))).toBe(false);
});

describe.each(some(2, [1, 2, 3, 4, 5, 6, 7, 8]))('rules, seed %i', (seed) => {
  const names = ['a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'c', 'd'];
  const groups = { as: ['a/*'], odd: ['?/1', 'a/3', 'd'] };
  const patterns = [...names, 'a/*', '*/1', '*', '?', 'as', 'odd'];
  const isIn = (text: string, name: string): boolean =>
    Object.hasOwn(groups, text)
      ? groups[text as keyof typeof groups].some((pattern) => bruteMatch(pattern, name))
      : bruteMatch(text, name);
  type Sides = { a: string; b?: string | undefined };
  const isOf = ({ a, b = '*' }: Sides, p: string, q: string): boolean =>
    (isIn(a, p) && isIn(b, q)) || (isIn(a, q) && isIn(b, p));

  test('as pair by pair', { tags: ['quick', 'long'] }, () => {
    const random = seeded(seed);
    const pair = () => {
      for (;;) {
        const [a, b] = [random.pick(patterns), random.pick(patterns)];
        // One object and itself makes no pair, and is refused.
        if (a !== b || !names.includes(a)) return { a, b };
      }
    };
    for (let i = 0; i < (long ? 120 : 60); i++) {
      const rules: (Rule & Sides)[] = Array.from({ length: random.below(i % 8 === 0 ? 80 : 5) }, (_, r) => ({
        ...pair(),
        id: `${r}`,
        clearance: random.below(4),
      }));
      const allow: Sides[] = Array.from({ length: random.below(4) }, () =>
        random.below(4) === 0 ? { a: random.pick(patterns) } : pair(),
      );
      const against = random.below(3) === 0 ? new Set(names.filter(() => random.below(2) === 0)) : undefined;
      const problems: string[] = [];
      const onUnmatched = (problem: string) => problems.push(problem);
      const still = random.below(3) === 0 ? new Set(names.filter(() => random.below(2) === 0)) : undefined;
      const sides = { ...(against && { against }), ...(still && { still }) };
      const options = { rules: { groups, rules, allow }, clearance: 1, ...sides };
      const asked = asksOf(names, { ...options, onUnmatched });
      const all = names.flatMap((p, i) => names.slice(i + 1).map((q) => [p, q] as const));
      const isApart = (p: string, q: string) => !against || against.has(p) !== against.has(q);
      const apart = all.filter(([p, q]) => isApart(p, q) && !(still?.has(p) && still.has(q)));
      const countOf = (sides: Sides): number => apart.filter(([p, q]) => isOf(sides, p, q)).length;
      expect(asked.matched).toEqual({ rules: rules.map(countOf), allow: allow.map(countOf) });
      const empty = [...asked.matched.rules, ...asked.matched.allow].filter((count) => count === 0).length;
      expect(problems.length).toBe(empty);
      if (empty > 0) expect(() => asksOf(names, options)).toThrow('no pair of objects is of both sides');
      let [pairs, allowed, widest] = [0, 0, 0];
      for (let p = 0; p < names.length; p++) {
        for (let q = p + 1; q < names.length; q++) {
          const isApart =
            (against && against.has(names[p]) === against.has(names[q])) ||
            (still?.has(names[p]) && still.has(names[q]));
          const own = rules.filter((rule) => isOf(rule, names[p], names[q])).map(({ id }) => id);
          const expected = isApart ? [] : rules.length === 0 ? [null] : own;
          const isAllowed = expected.length > 0 && allow.some((excuse) => isOf(excuse, names[p], names[q]));
          const asks = asked.asks(p, q);
          expect(asked.asks(q, p)).toEqual(asks);
          expect(asks.map(({ rule }) => rule).sort((x, y) => Number(x) - Number(y))).toEqual(isAllowed ? [] : expected);
          pairs += Number(asks.length > 0);
          allowed += Number(isAllowed);
          for (const ask of asks) widest = Math.max(widest, ask.clearance);
        }
      }
      expect({ pairs: asked.pairs, allowed: asked.allowed }).toEqual({ pairs, allowed });
      // Of a rule whose pairs are all allowed, too, perhaps.
      expect(asked.widest).toBeGreaterThanOrEqual(widest);
    }
  });
});

test('thousands of pairs that are allowed by their names take no time of their own', () => {
  const names = Array.from({ length: 5000 }, (_, i) => `object-${i}`);
  const allow = names.slice(1).map((b) => ({ a: 'object-0', b }));
  const asked = asksOf(names, { rules: { allow } });
  expect(asked).toMatchObject({ allowed: 4999, pairs: (5000 * 4999) / 2 - 4999 });
  expect(asked.asks(0, 7)).toEqual([]);
  expect(asked.asks(1, 7)).toEqual([{ rule: null, clearance: 0, tolerance: 0 }]);
});

test('a thousand rules of one object each with all others', () => {
  const names = Array.from({ length: 2000 }, (_, i) => `object-${i}`);
  const rules = names.slice(0, 1000).map((a, r) => ({ id: `${r}`, a, b: '*', clearance: r }));
  const asked = asksOf(names, { rules: { rules } });
  expect(asked).toMatchObject({ allowed: 0, pairs: (1000 * 999) / 2 + 1000 * 1000, widest: 999 });
  expect(asked.matched.rules).toEqual(rules.map(() => 1999));
  expect(asked.asks(31, 32).map(({ rule }) => rule)).toEqual(['31', '32']);
  expect(asked.asks(1999, 999).map(({ rule }) => rule)).toEqual(['999']);
  expect(asked.asks(1000, 1999)).toEqual([]);
});

describe('objects of IFC', () => {
  const facts = (own: string, rest: Partial<IfcFacts> = {}): IfcFacts => {
    const above = own.startsWith('IfcWall') ? ['IfcWall', 'IfcBuildingElement', 'IfcElement'] : ['IfcElement'];
    return { class: own, kinds: { own: [own], above }, ...rest };
  };
  const pipe = (storey: string): IfcFacts =>
    facts('IfcPipeSegment', { storey, type: 'DN 50', material: ['copper', 'wool'] });
  const objects: [string, IfcFacts | undefined][] = [
    ['a', facts('IfcWallStandardCase', { storey: 'L1' })],
    ['b', facts('IfcWall', { storey: 'L2' })],
    ['c', pipe('L1')],
    ['d', pipe('L2')],
    [
      'e',
      { ...facts('IfcFlowSegment', { storey: 'L2' }), kinds: { own: ['IfcFlowSegment', 'IfcPipeSegment'], above: [] } },
    ],
    ['f', undefined],
  ];
  const names = objects.map(([name]) => name);
  const ifc = objects.map(([, own]) => own);
  /** The objects that are asked against f. */
  const chosen = (choice: Choice, more: object = {}): string => {
    const asked = asksOf(names, { rules: { rules: [{ id: 'r', a: choice, b: 'f' }] }, ifc, ...more });
    return names.filter((_, i) => i < 5 && asked.asks(i, 5).length > 0).join('');
  };

  test.each<[IfcChoice['ifc'], string]>([
    [{ class: 'IfcWall' }, 'ab'],
    [{ class: 'ifcwall' }, 'ab'],
    [{ class: 'IfcWallStandardCase' }, 'a'],
    [{ class: 'IfcWall*' }, 'ab'],
    [{ class: 'IfcWal?' }, 'b'],
    [{ class: 'IfcBuildingElement' }, 'ab'],
    [{ class: 'IfcPipe*' }, 'cde'],
    [{ class: 'IfcPipe*', storey: 'L2' }, 'de'],
    [{ storey: 'L?' }, 'abcde'],
    [{ type: 'DN*' }, 'cd'],
    [{ material: 'w*l', storey: 'L1' }, 'c'],
  ])('%j', (choice, expected) => {
    expect(chosen({ ifc: choice })).toBe(expected);
  });

  test.each<[IfcChoice['ifc'], string]>([
    [{ class: 'IfcPip' }, '"ifc:class=IfcPip" matches no object: no object has such a class'],
    [
      { class: 'IfcWal', storey: 'L1' },
      '"ifc:class=IfcWal,storey=L1" matches no object: no object has such a class; did you mean "IfcWall"?',
    ],
    [{ class: 'IfcBuilding*' }, 'no object has such a class'],
    [{ storey: 'l1' }, 'no object has such a storey'],
    [{ type: 'DN*', storey: 'L3' }, 'no object has such a storey'],
    [{ class: 'IfcWall', material: 'copper' }, 'none has all of these'],
  ])('%j matches nothing', (choice, problem) => {
    expect(() => chosen({ ifc: choice })).toThrow(problem);
    const problems: string[] = [];
    expect(chosen({ ifc: choice }, { onUnmatched: (text: string) => problems.push(text) })).toBe('');
    expect(problems[0]).toContain(problem);
  });

  test('none of them is of IFC: said; one that could not be read may be', () => {
    const rules = { rules: [{ id: 'r', a: { ifc: { class: 'IfcDoor' } }, b: 'y' }] };
    expect(() => asksOf(['x', 'y'], { rules })).toThrow(
      'rules[0].a: "ifc:class=IfcDoor" matches no object; none is of IFC',
    );
    expect(asksOf(['x', 'y'], { rules, absent: ['z'] }).pairs).toBe(0);
    const known = (own: string) => ({ rules, absent: ['z'], absentIfc: new Map([['z', facts(own)]]) });
    expect(asksOf(['x', 'y'], known('IfcDoor')).pairs).toBe(0);
    expect(() => asksOf(['x', 'y'], known('IfcWall'))).toThrow('matches no object');
  });

  test('groups, allowances and sides take them, and names for them say the same', () => {
    const groups = { wet: [{ ifc: { class: 'IfcPipe*' } }, 'f'], walls: [{ ifc: { class: 'IfcWall' } }] };
    const rules = { groups, rules: [{ id: 'r', a: 'wet', b: 'walls' }], allow: [{ a: { ifc: { storey: 'L1' } } }] };
    const sides = { a: ['walls'], b: [{ ifc: { class: 'IfcPipe*', storey: 'L2' } }, 'f'] };
    const pairsOf = (asked: Asked): string[] =>
      names.flatMap((p, i) =>
        names.slice(i + 1).flatMap((q, k) => (asked.asks(i, i + 1 + k).length > 0 ? [p + q] : [])),
      );
    const asked = asksOf(names, { rules, sides, ifc });
    expect(pairsOf(asked)).toEqual(['bd', 'be', 'bf']);
    expect(asked).toMatchObject({ pairs: 3, allowed: 3, matched: { rules: [6], allow: [3] } });
    const plain = withoutIfc(
      rules,
      sides,
      objects.map(([name, own]) => ({ name, ifc: own })),
    );
    const again = asksOf(names, plain as Parameters<typeof asksOf>[1]);
    expect(pairsOf(again)).toEqual(pairsOf(asked));
    expect(again).toMatchObject({ pairs: 3, allowed: 3 });
  });
});

test.each(some(2, [1, 2, 3, 4]))(
  'pairs that belong together are allowed, whatever is asked, seed %i',
  { tags: ['quick', 'long'] },
  (seed) => {
    const random = seeded(seed);
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (let k = 0; k < 40; k++) {
      const one = () => random.pick(names);
      const related = Array.from({ length: random.below(5) }, () => ({ a: one(), b: one(), why: 'so' }));
      const rules = { rules: [{ id: 'r', a: '*', b: one() }], allow: random.below(2) ? [{ a: one() }] : [] };
      const sides = random.below(2) ? { sides: { a: [one(), one()] } } : {};
      const options = { rules, onUnmatched: () => {}, ...sides };
      const [without, asked] = [asksOf(names, options), asksOf(names, { ...options, related })];
      let count = 0;
      for (let i = 0; i < 5; i++) {
        for (let j = 0; j < 5; j++) {
          if (i === j) continue;
          const areRelated = related.some(
            ({ a, b }) => (a === names[i] && b === names[j]) || (b === names[i] && a === names[j]),
          );
          expect(asked.asks(i, j)).toEqual(areRelated ? [] : without.asks(i, j));
          expect(asked.isAllowed(i, j)).toBe(areRelated || without.isAllowed(i, j));
          if (i < j && areRelated && without.asks(i, j).length > 0) count++;
        }
      }
      expect(asked.related.length).toBe(count);
      expect([asked.pairs, asked.allowed]).toEqual([without.pairs - count, without.allowed + count]);
    }
  },
);
