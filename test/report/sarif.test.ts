/** SARIF: states, suppressions, places, what is cut, and that text comes back. */
import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import type { Invocation, Log, Result, Run } from 'sarif';
import { expect, test } from 'vitest';
import type { Report } from '../../src/report/finding.ts';
import { sarif } from '../../src/report/sarif.ts';
import {
  asWritten,
  findingOf,
  manyFindings,
  oneOfEach,
  report,
  reportOf,
  subjectOf,
  written,
} from '../support/findings.ts';
import { long } from '../support/long.ts';
import { schemaFile, testWithSchemas } from '../support/schemas.ts';

type WrittenRun = Pick<Run, 'tool' | 'properties'> & { results: Result[]; invocations: Invocation[] };

async function runOf(one: Report): Promise<WrittenRun> {
  const log = JSON.parse(await written(sarif, one)) as Log;
  expect(log.version).toBe('2.1.0');
  expect(log.runs.length).toBe(1);
  return log.runs[0] as WrittenRun;
}

const byId = (results: Result[]): Record<string, Result> =>
  Object.fromEntries(results.map((result) => [result.partialFingerprints!['gicollideFinding/v1'], result]));

test('states of a baseline, and what somebody accepted', async () => {
  const results = byId((await runOf(reportOf(oneOfEach))).results);
  const states = Object.fromEntries(Object.entries(results).map(([id, { baselineState }]) => [id, baselineState]));
  expect(states).toMatchObject({ a4: 'unchanged', a6: 'updated', a7: 'absent', a8: 'unchanged', a9: 'new' });
  // Section 3.27.24: of all results or of none.
  expect(Object.values(states)).not.toContain(undefined);
  expect(results.a5.suppressions).toEqual([
    { kind: 'external', status: 'accepted', justification: 'cast in, see drawing 7' },
  ]);
  expect(results.a4.suppressions).toEqual([]);
  // What is gone is no finding: section 3.27.10 wants no level then.
  expect([results.a7.kind, results.a7.level]).toEqual(['pass', 'none']);
  expect([results.a8.kind, results.a8.level]).toEqual(['open', 'none']);
});

test('without a baseline there are no states and no suppressions', async () => {
  const { results } = await runOf(reportOf([findingOf()]));
  expect(Object.keys(results[0])).not.toContain('baselineState');
  expect(Object.keys(results[0])).not.toContain('suppressions');
});

test('each result names its rule by number, and its file and line', async () => {
  const run = await runOf(reportOf(oneOfEach));
  for (const { ruleId, ruleIndex } of run.results) expect(run.tool.driver.rules![ruleIndex!].id).toBe(ruleId);
  const [{ locations, relatedLocations, message }] = run.results;
  expect(message.text).toBe('pipe-3 and wall-2: overlap, 20 thick');
  expect(locations![0].physicalLocation).toEqual({
    artifactLocation: { uri: 'plan/house.obj' },
    region: { startLine: 12 },
  });
  expect(relatedLocations!.map((location) => location.physicalLocation!.region!.startLine)).toEqual([70]);
});

test.each([
  ['a b/c#d?.obj', 'a%20b/c%23d%3F.obj'],
  ['c:d.obj', 'c%3Ad.obj'],
  ['C:/x y.obj', 'file:///C:/x%20y.obj'],
  ['/tmp/ü.obj', 'file:///tmp/%C3%BC.obj'],
  ['../\ud800.obj', '../%EF%BF%BD.obj'],
])('the file %j is %s', async (file, uri) => {
  const subject = { ...subjectOf('x'), file };
  const [{ locations }] = (await runOf(reportOf([findingOf({ subjects: [subject] })]))).results;
  expect(locations![0].physicalLocation!.artifactLocation!.uri).toBe(uri);
  // Read as other programs do, from a folder.
  expect(new URL(uri, 'file:///base/folder/').protocol).toBe('file:');
});

test('a subject without a file does not stand first', async () => {
  const subjects = [{ ...subjectOf('x'), file: null }, subjectOf('y')];
  const [{ locations }] = (await runOf(reportOf([findingOf({ subjects })]))).results;
  expect(locations![0].logicalLocations![0].name).toBe('y');
});

test('the worst 5,000 are written, in order, and a notification says how many are not', {
  tags: ['long'],
}, async () => {
  const count = long ? 340_000 : 20_000;
  const { results, invocations } = await runOf({ ...reportOf([]), findings: () => manyFindings(count) });
  expect(results.length).toBe(5000);
  const errors = [...manyFindings(20_000)].filter(({ level }) => level === 'error').slice(0, 5000);
  expect(results.map(({ partialFingerprints }) => partialFingerprints!.primaryLocationLineHash)).toEqual(
    errors.map(({ id }) => id),
  );
  expect(invocations[0].toolExecutionNotifications!.map(({ message }) => message.text)).toEqual([
    `${count - 5000} findings were left out: the worst 5000 are listed`,
  ]);
});

test('warnings fill what errors leave, and what is known comes last', async () => {
  const known = Array.from({ length: 3000 }, (_, k) => findingOf({ id: `k${k}`, state: 'known' }));
  const fresh = Array.from({ length: 3000 }, (_, k) => findingOf({ id: `f${k}`, level: 'note', state: 'new' }));
  const { results } = await runOf(reportOf([...known, ...fresh]));
  const ids = results.map(({ partialFingerprints }) => partialFingerprints!.primaryLocationLineHash);
  expect(ids).toEqual([...known.slice(0, 2000), ...fresh].map(({ id }) => id));
});

test('what could not be checked is a notification', async () => {
  const failures = [{ subject: 'a.obj', message: 'broken' }];
  const { invocations, properties } = await runOf(reportOf([], { failures, incomplete: ['cut'] }));
  expect(invocations[0].executionSuccessful).toBe(false);
  expect(invocations[0].toolExecutionNotifications!.map(({ level, message }) => [level, message.text])).toEqual([
    ['error', 'a.obj: broken'],
    ['warning', 'cut'],
  ]);
  expect(properties!.complete).toBe(false);
});

/** A message as section 3.11 has a viewer show it. */
function shown(message: string): string {
  const text = message.includes('](') || message.includes('\\](') ? message.replaceAll(/\\([\\[\]])/g, '$1') : message;
  return text.replaceAll('{{', '{').replaceAll('}}', '}');
}

test('any text comes back, and no name makes a link or an argument, seed 6', { tags: ['quick', 'long'] }, async () => {
  await fc.assert(
    fc.asyncProperty(report, async (one) => {
      const { results } = await runOf(one);
      const findings = [...(one.findings() as Iterable<ReturnType<typeof findingOf>>)];
      expect(results.map(({ ruleId }) => ruleId)).toEqual(findings.map(({ rule }) => asWritten(rule)));
      expect(results.map(({ message }) => shown(message.text!))).toEqual(
        findings.map(({ subjects, message, state }) =>
          asWritten(
            `${subjects.map(({ name }) => name).join(' and ')}: ${message}${state === 'unchecked' ? ' (not checked in this run)' : ''}`,
          ),
        ),
      );
      for (const { message } of results) {
        expect(message.text).not.toMatch(/(?<!\\)\[[^[\]\\]*\]\(/);
        expect(message.text!.replaceAll(/\{\{|\}\}/g, '')).not.toMatch(/[{}]/);
      }
    }),
    { seed: 6, numRuns: long ? 1000 : 200 },
  );
});

testWithSchemas(['sarif-schema-2.1.0.json'], 'SARIF is valid by the schema of OASIS, seed 7', async () => {
  // It is draft 4, whose words that it uses mean the same in draft 7, but for `id`.
  const { $schema, id, ...schema } = JSON.parse(readFileSync(schemaFile('sarif-schema-2.1.0.json'), 'utf8'));
  const ajv = new Ajv({ strict: false });
  addFormats.default(ajv);
  const isValid = ajv.compile(schema);
  const valid = async (one: Report) => {
    expect(isValid(JSON.parse(await written(sarif, one))), JSON.stringify(isValid.errors)).toBe(true);
  };
  await valid(reportOf(oneOfEach, { incomplete: ['cut'], failures: [{ subject: 'a.obj', message: 'broken' }] }));
  await fc.assert(fc.asyncProperty(report, valid), { seed: 7, numRuns: long ? 340 : 100 });
  expect(isValid({ version: '2.1.0', runs: [{ results: [] }] })).toBe(false);
});
