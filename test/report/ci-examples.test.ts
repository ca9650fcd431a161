/** The files of examples/ci: they parse, and what a later step takes is what a report was written to. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { WRITERS } from '../../src/report/writers.ts';

const folder = new URL('../../examples/ci/', import.meta.url);
const textOf = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

/** Where the one command line of a file writes its reports, by their formats. */
function reportsOf(commands: readonly string[]): Record<string, string | undefined> {
  const lines = commands.filter((command) => command.startsWith('npx --no-install gicollide scene '));
  expect(lines.length).toBe(1);
  const reports = [...lines[0].matchAll(/--report ([\w-]+)(?:=("[^"]*"|\S+))?/g)].map(([, name, file]) => [name, file]);
  expect(reports.length).toBeGreaterThan(1);
  for (const [name] of reports) expect(WRITERS.map((writer) => writer.name)).toContain(name);
  return Object.fromEntries(reports);
}

test('GitHub: SARIF and the page are uploaded, also when findings fail', () => {
  const { jobs, permissions } = parse(textOf('github.yml'));
  const steps: { run?: string; uses?: string; if?: string; with?: Record<string, string> }[] = jobs.collisions.steps;
  const reports = reportsOf(steps.flatMap(({ run }) => run ?? []));
  const step = (name: string) => steps.find(({ uses }) => uses?.startsWith(name))!;
  expect(step('github/codeql-action/upload-sarif').with!.sarif_file).toBe(reports.sarif);
  expect(step('actions/upload-artifact').with!.path).toBe(reports.html);
  for (const name of ['github/codeql-action/upload-sarif', 'actions/upload-artifact'])
    expect(step(name).if).toContain('!cancelled()');
  expect(permissions['security-events']).toBe('write');
  expect(reports['github-summary']).toBe('"$GITHUB_STEP_SUMMARY"');
});

test('GitLab: reports are those that were written', () => {
  const { collisions } = parse(textOf('gitlab-ci.yml'));
  const reports = reportsOf(collisions.script);
  const { artifacts } = collisions;
  expect(artifacts.reports).toEqual({ junit: reports.junit, codequality: reports.gitlab });
  expect(artifacts.paths).toEqual([reports.html]);
  expect(artifacts.when).toBe('always');
});

test('Jenkins: likewise, and its braces close', () => {
  const text = textOf('Jenkinsfile');
  const [, script] = /sh '''(.*?)'''/s.exec(text)!;
  const reports = reportsOf([script.trim().replaceAll(/\\\n\s*/g, '')]);
  expect(/post \{\s*always \{\s*junit '(.*?)'\s*archiveArtifacts artifacts: '(.*?)'/.exec(text)!.slice(1)).toEqual([
    reports.junit,
    reports.html,
  ]);
  expect(text.split('{').length).toBe(text.split('}').length);
});

test('there are no others', () => {
  const files = readdirSync(fileURLToPath(folder)).filter((name) => !/^(package.*\.json|node_modules)$/.test(name));
  expect(files.sort()).toEqual(['Jenkinsfile', 'github.yml', 'gitlab-ci.yml']);
});
