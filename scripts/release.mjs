// npm run release -- <version | major | minor | patch> [options]
//
// Makes a release from a clean working tree, in this order:
// 1. Writes the new version into package.json, package-lock.json and src/version.ts, and gives the
//    entries under "Unreleased" of CHANGELOG.md the version and today's date.
// 2. Runs all checks. If one fails, it restores the files and stops.
// 3. Commits, and makes the annotated tag vX.Y.Z.
// --notes writes these entries to a file, as the text of a GitHub release. --dry-run prints the
// plan, and changes no other file. --from leaves out the checks before one, after a run in which
// they passed; --from commit leaves out all. The script pushes and publishes nothing: it prints
// the commands.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/** npm scripts that must pass with the new version. Together they take about 25 minutes. */
const CHECKS = ['lint', 'types', 'test', 'test:all', 'test:long'];
/** What --from may begin with. */
const STAGES = [...CHECKS, 'commit'];
const UNRELEASED = '## Unreleased\n';

/** A reason to stop, printed in one line, with exit code 2. */
class Refusal extends Error {}

/** @param {string[]} args */
function git(...args) {
  const { status, stdout, stderr, error } = spawnSync('git', args, { encoding: 'utf8' });
  if (error || status !== 0)
    throw new Refusal(`git ${args[0]}: ${(error?.message ?? stderr).trim().split('\n', 1)[0]}`);
  return stdout.trim();
}

/**
 * The next version: three numbers, above the present version.
 *
 * @param {string} present
 * @param {string} wanted a version, or the part to increase
 */
function nextVersion(present, wanted) {
  const numbers = present.split('.').map(Number);
  const part = ['major', 'minor', 'patch'].indexOf(wanted);
  const next =
    part < 0 ? wanted : numbers.map((number, i) => (i < part ? number : i === part ? number + 1 : 0)).join('.');
  if (!/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(next)) {
    throw new Refusal(`expected a version such as 1.2.3, or major, minor or patch, found ${wanted}`);
  }
  const first = next.split('.').findIndex((number, i) => Number(number) !== numbers[i]);
  if (first < 0 || Number(next.split('.')[first]) < numbers[first]) {
    throw new Refusal(`expected a version above ${present}, found ${next}`);
  }
  return next;
}

/**
 * The files to change, each with its text before and after.
 *
 * @param {string} present
 * @param {string} next
 * @param {string} date
 */
function edits(present, next, date) {
  /** @param {string} file @param {(text: string) => string} edit */
  const edited = (file, edit) => {
    const before = readFileSync(file, 'utf8');
    const after = edit(before);
    if (after === before) throw new Refusal(`${file}: expected version ${present}, found none`);
    return { file, before, after };
  };
  /** @typedef {{ version: string, packages: Record<string, { version: string }> }} Manifest */
  /** @type {(edit: (value: Manifest) => void) => (text: string) => string} */
  const json = (edit) => (text) => {
    const value = JSON.parse(text);
    edit(value);
    return `${JSON.stringify(value, null, 2)}\n`;
  };
  return [
    edited(
      'package.json',
      json((manifest) => {
        manifest.version = next;
      }),
    ),
    edited(
      'package-lock.json',
      json((lock) => {
        lock.version = lock.packages[''].version = next;
      }),
    ),
    edited('src/version.ts', (text) => text.replace(`= '${present}'`, `= '${next}'`)),
    edited('CHANGELOG.md', (text) => text.replace(UNRELEASED, `${UNRELEASED}\n## ${next}, ${date}\n`)),
  ];
}

/**
 * The unreleased entries of CHANGELOG.md as the text of a release. Links to files of the repository
 * become their paths, because a release page does not resolve them.
 *
 * @param {string} next
 */
function notesOf(next) {
  const entries = readFileSync('CHANGELOG.md', 'utf8').split(UNRELEASED)[1]?.split(/^## /m)[0].trim() ?? '';
  if (!/^- /m.test(entries)) throw new Refusal('CHANGELOG.md: nothing under Unreleased');
  const [, named] = /^### Upgrading to (\S+)$/m.exec(entries) ?? [];
  if (named !== undefined && !`${next}.`.startsWith(`${named}.`))
    throw new Refusal(`CHANGELOG.md: expected "Upgrading to ${next}", found "Upgrading to ${named}"`);
  const plain = entries.replaceAll(/\[([^\]]+)\]\((?!\w+:)([^)]+)\)/g, (_, words, path) =>
    words === path ? `\`${path}\`` : `${words} (\`${path}\`)`,
  );
  return `${plain}\n`;
}

/** @param {string} file @param {string} text */
function writeNotes(file, text) {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new Refusal(`${file}: cannot be written (${/** @type {NodeJS.ErrnoException} */ (error).code})`);
  }
  console.log(`Wrote the release notes to ${file} (${text.split('\n').length - 1} lines).`);
}

/** @param {number} count @param {string} noun */
const counted = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/**
 * @param {string} wanted
 * @param {{ dryRun: boolean, notes: string | undefined, from: string | undefined }} options
 */
function release(wanted, { dryRun, notes, from = CHECKS[0] }) {
  const { version: present } = JSON.parse(readFileSync('package.json', 'utf8'));
  const next = nextVersion(present, wanted);
  const tag = `v${next}`;
  const dirty = git('status', '--porcelain');
  if (dirty)
    throw new Refusal(`expected a clean working tree, found ${counted(dirty.split('\n').length, 'changed file')}`);
  if (git('tag', '--list', tag)) throw new Refusal(`tag ${tag} exists already`);
  if (!STAGES.includes(from)) throw new Refusal(`--from: expected one of ${STAGES.join(', ')}, found ${from}`);
  const checks = CHECKS.slice(STAGES.indexOf(from));
  const text = notesOf(next);
  const files = edits(present, next, new Date().toISOString().slice(0, 10));
  const names = files.map(({ file }) => file);
  console.log(`Release ${present} -> ${next}`);
  console.log(`  change  ${names.join(', ')}`);
  console.log(`  check   ${checks.map((name) => `npm run ${name}`).join(', ') || 'nothing'}`);
  console.log(`  commit  Version ${next}, with tag ${tag}`);
  if (notes !== undefined) writeNotes(notes, text);
  if (dryRun) return;
  for (const { file, after } of files) writeFileSync(file, after);
  try {
    for (const name of checks) {
      const { status } = spawnSync('npm', ['run', name], { stdio: 'inherit', shell: process.platform === 'win32' });
      if (status !== 0) throw new Refusal(`npm run ${name} failed: nothing was released; --from ${name} goes on there`);
    }
    git('add', ...names);
    git('commit', '--quiet', '--message', `Version ${next}`);
  } catch (error) {
    for (const { file, before } of files) writeFileSync(file, before);
    git('add', ...names); // restores the index if git refused the commit
    throw error;
  }
  git('tag', '--annotate', tag, '--message', `Version ${next}`);
  console.log(`Tagged ${tag}. Next:`);
  console.log('  git push --follow-tags');
  console.log('  npm publish');
  if (notes !== undefined) console.log(`  gh release create ${tag} --title ${tag} --notes-file ${notes}`);
}

const USAGE =
  'usage: npm run release -- <version | major | minor | patch> [--dry-run] [--notes <file>] [--from <check | commit>]';

try {
  const { values, positionals } = parseArgs({
    options: { 'dry-run': { type: 'boolean' }, notes: { type: 'string' }, from: { type: 'string' } },
    allowPositionals: true,
  });
  if (positionals.length !== 1) throw new Refusal(USAGE);
  const { 'dry-run': dryRun = false, notes, from } = values;
  release(positionals[0], { dryRun, notes, from });
} catch (error) {
  const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
  if (!(error instanceof Refusal) && !code?.startsWith('ERR_PARSE_ARGS')) throw error;
  console.error(`error: ${message}`);
  process.exitCode = 2;
}
