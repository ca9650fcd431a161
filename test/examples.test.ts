/**
 * Every example of the documentation runs as it stands: the @example of all that the library exports, and the blocks of JavaScript and
 * TypeScript of README.md and docs/; one after the other, in a folder where `gicollide` is installed. What they find there: CONTRIBUTING.md.
 *
 * Where a comment behind a statement, or alone on the line below, starts with a value (`// true`, `// 0.25: a quarter`, `// 'clear' | 'contact'`,
 * `// [1, 2]`), the statement must have it; decimals are compared as far as they are printed.
 */
// @module-tag all
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import { parseAst } from 'vitest/node';
import * as browserLibrary from '../src/browser.ts';
import * as gltfLibrary from '../src/gltf-extension/index.ts';
import * as nodeLibrary from '../src/index.ts';
import * as threeLibrary from '../src/three/index.ts';
import { makeFolder } from './support/cli.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const texts = new Map<string, string>();
function textOf(file: string): string {
  const text = texts.get(file) ?? readFileSync(join(root, file), 'utf8');
  texts.set(file, text);
  return text;
}

/** What an example that imports nothing finds, beside all that `gicollide` exports. */
const PRELUDE = `
import { readFile, writeFile } from 'node:fs/promises';
import { build, readObj } from 'gicollide';
export { readFile, writeFile };
export const bytes = await readFile('assets/bunny.obj');
export const bunny = build(readObj(bytes), { format: 'obb' });
export const blob = build(readObj(await readFile('assets/blob.obj')), { format: 'obb' });
`;
const PRELUDE_NAMES = ['readFile', 'writeFile', 'bytes', 'bunny', 'blob'];

/** What examples import beside the package, which its own doors for these take. */
const PEERS = ['three', '@gltf-transform'];

/** Runs the modules it is given, in turn; leaves in results.json why each failed, or null. */
const RUNNER = `
import { writeFileSync } from 'node:fs';
const asText = (value) => JSON.stringify(ArrayBuffer.isView(value) ? Array.from(value) : value);
const has = (value, literal, decimals) =>
  decimals > 0 ? value.toFixed(decimals) === literal.toFixed(decimals) : asText(value) === asText(literal);
globalThis.stated = (value, comment, literals) => {
  if (!literals.some(([literal, decimals]) => has(value, literal, decimals)))
    throw new Error('it says ' + comment + ', but it is ' + asText(value));
};
const results = [];
for (const file of process.argv.slice(2)) results.push(await import(file).then(() => null, (error) => String(error?.stack ?? error)));
writeFileSync('results.json', JSON.stringify(results));
`;

const LITERAL = String.raw`true|false|null|-?\d+(?:\.\d+)?|'(?:[^'\\]|\\.)*'|\[[-+\d., ]+\]`;
const LITERALS = new RegExp(String.raw`^(?:${LITERAL})(?: \| (?:${LITERAL}))*(?=$|[:,] [A-Za-z])`);

/** The example with a call that compares wherever a comment states a value; TypeScript, as it came. */
function withComparisons(text: string): string {
  let out = '';
  let at = 0;
  for (const statement of parseAst(text, { lang: 'ts' }).body) {
    const comment = /^[ \t]*\n?[ \t]*\/\/ ?(.*)/.exec(text.slice(statement.end))?.[1].trim() ?? '';
    const stated = LITERALS.exec(comment)?.[0];
    if (stated === undefined) continue;
    const literals = stated
      .split(' | ')
      .map((literal) => `[${literal}, ${/^-?\d+\.(\d+)$/.exec(literal)?.[1].length ?? 0}]`);
    const compared = (value: string) => `stated(${value}, ${JSON.stringify(stated)}, [${literals}]);`;
    const code = text.slice(statement.start, statement.end).replace(/;$/, '');
    out += text.slice(at, statement.start);
    at = statement.end;
    if (statement.type === 'ExpressionStatement') {
      out += compared(code);
    } else {
      const name = /^const (?:\{ (?:\w+: )?)?(\w+)(?: \})?(?:: [^=]+)? = /.exec(code)?.[1];
      if (name === undefined) throw new Error(`no one value is ${stated} in: ${code}`);
      out += `${code}; ${compared(name)}`;
    }
  }
  return out + text.slice(at);
}

/** A module to run: as it is where it imports what it needs, else in a block of its own behind the prelude. */
async function moduleOf(text: string, exported: object): Promise<string> {
  const names = [...Object.keys(exported), ...PRELUDE_NAMES.filter((name) => !(name in exported))];
  const { code } = await transform(withComparisons(text), { loader: 'ts', target: 'es2022', format: 'esm' });
  if (/^import\b/m.test(text)) return code;
  const fromPackage = Object.keys(exported);
  return `import { ${fromPackage} } from 'gicollide';
import { ${names.filter((name) => !fromPackage.includes(name))} } from './prelude.mjs';
{
${code}
}`;
}

interface Example {
  /** Where it stands and what it is of. */
  name: string;
  text: string;
}

/** The texts behind the @example tags of a documentation comment, without the comment's own indentation. */
function examplesIn(comment: string): string[] {
  const lines = comment.slice('/**'.length, -'*/'.length).split('\n');
  const text = lines.map((line) => line.replace(/^ *\* ?/, '')).join('\n');
  const blocks = text.split(/^@/m).filter((block) => block.startsWith('example'));
  return blocks.map((block) => block.slice('example'.length).replaceAll(/^ {9}/gm, '').trim());
}

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .map((file) => `src/${file.split(sep).join('/')}`)
  .filter((file) => /(?<!\.as)\.ts$/.test(file) && !file.startsWith('src/cli/'));

/** The file that declares what the library exports under that name, and the comment above the declaration. */
async function documentationOf(name: string, value: unknown): Promise<{ file: string; comment: string }> {
  const declaration = new RegExp(
    `(?:(/\\*\\*(?:(?!\\*/)[\\s\\S])*\\*/)\\n)?^export (?:async )?(?:function|const|class) ${name}\\b`,
    'm',
  );
  for (const file of sources) {
    const found = declaration.exec(textOf(file));
    if (found && (await import(join(root, file)))[name] === value) return { file, comment: found[1] ?? '' };
  }
  throw new Error(`nothing declares ${name}`);
}

async function examplesOf(exported: object): Promise<Example[]> {
  const found = await Promise.all(
    Object.entries(exported).map(async ([name, value]) => {
      const { file, comment } = await documentationOf(name, value);
      return examplesIn(comment).map((text) => ({ name: `${file}, ${name}`, text }));
    }),
  );
  return found.flat();
}

/** The examples of the comment that a file starts with. */
const examplesOfHead = (file: string): Example[] =>
  examplesIn(/^\/\*\*[\s\S]*?\*\//.exec(textOf(file))?.[0] ?? '').map((text) => ({ name: `${file}, its head`, text }));

/** The examples of all comments in a file, for names that several subpaths export. */
const examplesInside = (file: string): Example[] =>
  [...textOf(file).matchAll(/^\/\*\*[\s\S]*?\*\//gm)]
    .flatMap(([comment]) => examplesIn(comment))
    .map((text, n) => ({ name: `${file}, example ${n + 1}`, text }));

const blocksOf = (file: string): Example[] =>
  [...textOf(file).matchAll(/^```(?:js|mjs|ts)\n([\s\S]*?)^```/gm)].map(([, text], n) => ({
    name: `${file}, block ${n + 1}`,
    text,
  }));

/** Why each example failed, or null. */
async function runAll(examples: Example[], exported: object, conditions: string[]): Promise<(string | null)[]> {
  const cwd = makeFolder();
  mkdirSync(join(cwd, 'out'));
  mkdirSync(join(cwd, 'node_modules'));
  cpSync(join(root, 'assets'), join(cwd, 'assets'), { recursive: true });
  symlinkSync(root, join(cwd, 'node_modules/gicollide'), 'junction');
  for (const name of PEERS) symlinkSync(join(root, 'node_modules', name), join(cwd, 'node_modules', name), 'junction');
  writeFileSync(join(cwd, 'prelude.mjs'), PRELUDE);
  writeFileSync(join(cwd, 'runner.mjs'), RUNNER);
  for (const [n, { text }] of examples.entries()) {
    // What is no JavaScript fails when its turn comes, not all the others with it.
    const failing = (error: unknown) => `throw new Error(${JSON.stringify(String(error))});`;
    writeFileSync(join(cwd, `example-${n}.mjs`), await moduleOf(text, exported).catch(failing));
  }
  const files = examples.map((_, n) => `./example-${n}.mjs`);
  const { status, stderr } = spawnSync(process.execPath, [...conditions, 'runner.mjs', ...files], { cwd });
  if (status !== 0) throw new Error(String(stderr));
  return JSON.parse(readFileSync(join(cwd, 'results.json'), 'utf8'));
}

/** Names that only the entry of browsers has; their examples run as there. */
const browserOnly = Object.fromEntries(Object.entries(browserLibrary).filter(([name]) => !(name in nodeLibrary)));
const LIES: Example[] = [
  '1 + 1; // 3',
  "const word: string = 'a'; // 'b' | 'c'",
  '1 / 3; // 0.34',
  '[0, 1] // [1, 0]',
].map((text) => ({ name: text, text }));
const inNode = [
  ...['src/api.ts', 'src/index.ts'].flatMap(examplesOfHead),
  ...(await examplesOf(nodeLibrary)),
  ...(await examplesOf({ ...threeLibrary, ...gltfLibrary })),
  ...sources.filter((file) => file.startsWith('src/subpaths/')).flatMap(examplesInside),
  ...blocksOf('README.md'),
  ...['docs', 'docs/guides'].flatMap((folder) =>
    readdirSync(join(root, folder)).flatMap((file) => (file.endsWith('.md') ? blocksOf(`${folder}/${file}`) : [])),
  ),
];
const inBrowser = [...examplesOfHead('src/browser.ts'), ...(await examplesOf(browserOnly))];
const failures = new Map<Example, string | null>();

beforeAll(async () => {
  const nodeExamples = [...inNode, ...LIES];
  const nodeResults = await runAll(nodeExamples, nodeLibrary, []);
  const browserResults = await runAll(inBrowser, browserLibrary, ['--conditions=browser']);
  for (const [n, example] of nodeExamples.entries()) failures.set(example, nodeResults[n]);
  for (const [n, example] of inBrowser.entries()) failures.set(example, browserResults[n]);
});

test.each([...inNode, ...inBrowser].map((example) => [example.name, example] as const))('%s', (_name, example) => {
  expect(failures.get(example), example.text).toBeNull();
});

test.each(LIES.map((example) => [example.name, example] as const))(
  'an example that is wrong fails: %s',
  (_, example) => {
    expect(failures.get(example)).toMatch(/it says .*, but it is /);
  },
);

const functions = Object.entries({ ...browserLibrary, ...threeLibrary, ...gltfLibrary, ...nodeLibrary }).filter(
  ([, value]) => typeof value === 'function' && !/^class\b/.test(String(value)),
);

test.each(functions)('%s has an example', async (name, value) => {
  expect(examplesIn((await documentationOf(name, value)).comment)).not.toEqual([]);
});

// Most of these are classes.
test.each(Object.entries(threeLibrary))('%s of gicollide/three has an example', async (name, value) => {
  expect(examplesIn((await documentationOf(name, value)).comment)).not.toEqual([]);
});

test('the README shows the library at work', () => {
  expect(blocksOf('README.md').length).toBeGreaterThan(0);
});
