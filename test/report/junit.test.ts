/** JUnit: what fails, what is skipped, what is an error, and that text comes back. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { junit } from '../../src/report/junit.ts';
import { asWritten, findingOf, manyFindings, oneOfEach, report, reportOf, written } from '../support/findings.ts';
import { long } from '../support/long.ts';
import { testWithSchemas, xmllint } from '../support/schemas.ts';
import { elementsOf, parseXml, type XmlElement } from '../support/xml-tree.ts';

const MANY = 60_000;

/** What CI systems make of a case. */
const outcomeOf = ({ children }: XmlElement): string =>
  children.find(({ name }) => name !== 'system-out')?.name ?? 'passed';

function expectTotals(root: XmlElement): void {
  const suites = elementsOf(root, 'testsuite');
  for (const suite of suites) {
    const cases = elementsOf(suite, 'testcase');
    const count = (outcome: string) => String(cases.filter((one) => outcomeOf(one) === outcome).length);
    const { tests, failures, errors, skipped } = suite.attributes;
    expect({ tests, failures, errors, skipped }).toEqual({
      ...{ tests: String(cases.length), failures: count('failure') },
      ...{ errors: count('error'), skipped: count('skipped') },
    });
  }
  for (const key of ['tests', 'failures', 'errors']) {
    const sum = suites.reduce((total, suite) => total + Number(suite.attributes[key]), 0);
    expect(root.attributes[key]).toBe(String(sum));
  }
}

test('a suite is a rule, a case a finding; new errors fail, known ones are skipped', async () => {
  const root = parseXml(await written(junit, reportOf(oneOfEach)));
  expectTotals(root);
  const [own, ...suites] = elementsOf(root, 'testsuite');
  expect(elementsOf(own, 'testcase').map(outcomeOf)).toEqual(['passed']);
  expect(suites.map(({ attributes }) => attributes.name)).toEqual(['mep', 'pipes', 'open-edge']);
  const outcomes = new Map(
    elementsOf(root, 'testcase').map((one) => [/\[(.*)\]$/.exec(one.attributes.name)?.[1], outcomeOf(one)]),
  );
  expect(Object.fromEntries(outcomes)).toMatchObject({
    ...{ '00c0ffee00c0ffee': 'failure', a1: 'passed', a2: 'passed', a3: 'error', a4: 'skipped', a5: 'skipped' },
    ...{ a6: 'failure', a7: 'passed', a8: 'error', a9: 'failure' },
  });
});

test('what was not checked is an error, also where nothing was found', async () => {
  const changes = { incomplete: ['the budget ended the search'], failures: [{ subject: 'a.obj', message: 'broken' }] };
  const root = parseXml(await written(junit, reportOf([], changes)));
  expectTotals(root);
  expect(root.attributes).toMatchObject({ tests: '2', errors: '2' });
  expect(elementsOf(root, 'error').map(({ attributes }) => attributes.message)).toEqual([
    'the budget ended the search',
    'broken',
  ]);
});

test('a failure says where to look and how to ask again', async () => {
  const [failure] = elementsOf(parseXml(await written(junit, reportOf([findingOf()]))), 'failure');
  expect(failure.attributes).toEqual({ type: 'overlap', message: 'pipe-3 and wall-2: overlap, 20 thick' });
  expect(failure.text).toContain('object 1: pipe-3, plan/house.obj:12\n');
  expect(failure.text).toContain('point: 1000, 2000, 3000 mm\n');
  expect(failure.text).toContain('thickness: 19.9 to 20.1 mm\n');
  expect(failure.text).toContain('again: gicollide check --finding findings.ndjson#00c0ffee00c0ffee\n');
});

test('any text is well-formed and comes back, seed 5', { tags: ['quick', 'long'] }, async () => {
  await fc.assert(
    fc.asyncProperty(report, async (one) => {
      const root = parseXml(await written(junit, one));
      expectTotals(root);
      const findings = [...(one.findings() as Iterable<ReturnType<typeof findingOf>>)];
      const names = elementsOf(root, 'testcase').map(({ attributes }) => attributes.name);
      const expected = findings.map(({ id, subjects }) =>
        asWritten(`${subjects.map(({ name }) => name).join(' and ')} [${id}]`),
      );
      expect(names.slice(1 + one.summary.failures.length).sort()).toEqual(expected.sort());
      const rules = elementsOf(root, 'testsuite').map(({ attributes }) => attributes.name);
      expect(rules.slice(1)).toEqual([...new Set(findings.map(({ rule }) => rule))].map(asWritten));
    }),
    { seed: 5, numRuns: long ? 1000 : 40 },
  );
});

test('rules that do not fit into memory together come all the same, each case once', { tags: ['long'] }, async () => {
  let passes = 0;
  const findings = () => {
    passes++;
    return manyFindings(MANY);
  };
  const root = await written(junit, { ...reportOf([]), findings });
  // To count, then for five rules and for two.
  expect(passes).toBe(3);
  const ids = [...root.matchAll(/\[id-(\d+)\]"/g)].map((match) => Number(match[1]));
  expect(ids.length).toBe(MANY);
  expect(new Set(ids).size).toBe(ids.length);
  // Rules one after the other, and the report's order in each.
  expect([...root.matchAll(/<testsuite name="(rule-\d)"/g)].map((match) => match[1])).toEqual(
    [0, 1, 2, 3, 4, 5, 6].map((k) => `rule-${k}`),
  );
  expect(ids.filter((id, k) => k > 0 && id % 7 === ids[k - 1] % 7 && id !== ids[k - 1] + 7)).toEqual([]);
});

testWithSchemas(['junit-10.xsd'], "JUnit is valid by the schema of Jenkins' xUnit plugin", async () => {
  const changes = { incomplete: ['cut'], failures: [{ subject: 'a.obj', message: 'broken' }] };
  for (const findings of [[], oneOfEach])
    expect(xmllint(await written(junit, reportOf(findings, changes)), 'junit-10.xsd')).toBe('');
});
