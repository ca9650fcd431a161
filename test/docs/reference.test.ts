/** docs/reference says what the program and the types say: it is what `npm run reference` makes of them. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import * as browserLibrary from '../../src/browser.ts';
import * as nodeLibrary from '../../src/index.ts';
import { makeFolder, run } from '../support/cli.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('the pages are those that npm run reference makes', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/make-reference.mjs', '--check'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(stdout + stderr).toBe('');
  expect(status).toBe(0);
});

test('the page of the command line has every command and every option that --help shows', async () => {
  const page = readFileSync(`${root}/docs/reference/cli.md`, 'utf8');
  const cwd = makeFolder();
  const commandsIn = (help: string) => [...help.matchAll(/^ {2}([a-z]+)(?: \[| <| {2,})/gm)].map(([, name]) => name);
  const names = commandsIn((await run(['--help'], { cwd })).stdout).filter((name) => !['cd', 'help'].includes(name));
  expect(names.length).toBeGreaterThanOrEqual(14);
  for (const name of names) {
    const section = new RegExp(`^## ${name}$[\\s\\S]*?(?=^## |$(?![\\s\\S]))`, 'm').exec(page)?.[0];
    expect(section, name).toBeDefined();
    const own = (await run([name, '--help-all'], { cwd })).stdout.split('Global Options:')[0];
    for (const [, flags] of own.matchAll(/^ {2}((?:-\w, )?--[\w-]+(?: [<[][^ ]+[>\]])?)/gm))
      if (!flags.includes('--help')) expect(section, name).toContain(`| \`${flags}\` |`);
  }
});

test('the pages of the library have a section for every name that it exports', () => {
  const pageOf = (path: string) => readFileSync(`${root}/docs/reference/${path}`, 'utf8');
  const list = pageOf('api.md');
  for (const name of Object.keys({ ...browserLibrary, ...nodeLibrary })) {
    const page = new RegExp(`^- \\[\`${name}\`\\]\\((api/[a-z]+\\.md)#`, 'm').exec(list)?.[1];
    expect(page, name).toBeDefined();
    const section = new RegExp(`^## ${name}\\n(?:(?!^## )[\\s\\S])*`, 'm').exec(pageOf(page!))?.[0];
    expect(section, name).toMatch(/```ts\n(?:declare )?(?:function|const|class|abstract class) /);
  }
});
