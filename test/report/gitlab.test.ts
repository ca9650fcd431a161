/** GitLab's code quality: the members it asks for, severities, and what it must not take for solved. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ReportFinding } from '../../src/report/finding.ts';
import { gitlab } from '../../src/report/gitlab.ts';
import { asWritten, findingOf, oneOfEach, report, reportOf, subjectOf, written } from '../support/findings.ts';
import { long } from '../support/long.ts';

test('each finding has what GitLab asks for', async () => {
  expect(JSON.parse(await written(gitlab, reportOf([findingOf()])))).toEqual([
    {
      description: 'pipe-3 and wall-2: overlap, 20 thick',
      check_name: 'mep',
      fingerprint: '00c0ffee00c0ffee',
      severity: 'critical',
      location: { path: 'plan/house.obj', lines: { begin: 12 } },
    },
  ]);
});

test('what is gone is left out, since it is solved; what is unchecked stays', async () => {
  const entries = JSON.parse(await written(gitlab, reportOf(oneOfEach)));
  const severities = Object.fromEntries(entries.map((one: Record<string, string>) => [one.fingerprint, one.severity]));
  expect(severities).toEqual({
    ...{ '00c0ffee00c0ffee': 'critical', a1: 'minor', a2: 'info', a3: 'critical', a4: 'info', a5: 'info' },
    ...{ a6: 'critical', a8: 'info', a9: 'critical' },
  });
});

test('what was not checked blocks, by a fingerprint that stays', async () => {
  const changes = { failures: [{ subject: 'a.obj', message: 'broken' }], incomplete: ['cut'] };
  const [failure, cut] = JSON.parse(await written(gitlab, reportOf([], changes)));
  expect([failure.severity, cut.severity]).toEqual(['blocker', 'blocker']);
  expect(failure).toMatchObject({ description: 'a.obj: broken', location: { path: 'a.obj' } });
  expect(failure.fingerprint).toMatch(/^[0-9a-f]{64}$/);
  expect(failure.fingerprint).not.toBe(cut.fingerprint);
});

test('nothing found is an empty list; a path has no dot before it', async () => {
  expect(JSON.parse(await written(gitlab, reportOf([])))).toEqual([]);
  const subjects = [{ ...subjectOf('x'), file: './././a.obj' }];
  const [entry] = JSON.parse(await written(gitlab, reportOf([findingOf({ subjects })])));
  expect(entry.location).toEqual({ path: 'a.obj', lines: { begin: 1 } });
});

test('any text comes back, seed 9', { tags: ['quick', 'long'] }, async () => {
  await fc.assert(
    fc.asyncProperty(report, async (one) => {
      const entries: Record<string, string>[] = JSON.parse(await written(gitlab, one));
      const findings = [...(one.findings() as Iterable<ReportFinding>)].filter(({ state }) => state !== 'gone');
      const { failures, incomplete } = one.summary;
      const own = entries.slice(failures.length + incomplete.length);
      expect(own.map(({ check_name, fingerprint }) => [check_name, fingerprint])).toEqual(
        findings.map(({ rule, id }) => [asWritten(rule), asWritten(id)]),
      );
    }),
    { seed: 9, numRuns: long ? 1000 : 200 },
  );
});

test('paths are from the folder that GitLab looks in', async () => {
  const changes = { failures: [{ subject: 'sub/a.obj', message: 'broken' }] };
  const pathOf = (path: string) => `from-root/${path}`;
  const entries = JSON.parse(await written(gitlab, reportOf([findingOf()], changes), { pathOf }));
  expect(entries.map((one: { location: { path: string } }) => one.location.path)).toEqual([
    'from-root/sub/a.obj',
    'from-root/plan/house.obj',
  ]);
});
