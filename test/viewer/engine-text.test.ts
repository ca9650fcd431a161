/** What the page says of two, and the line that it gives to copy: a shell runs that line, and the program prints the same. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { compose, identity, type Pose, rotation, translation } from '../../src/math/pose.ts';
import { commandLine, type Named } from '../../src/viewer/command-line.ts';
import { ViewEngine } from '../../src/viewer/engine.ts';
import { randomRotation } from '../support/agreement.ts';
import { makeFolder, program } from '../support/cli.ts';
import { some } from '../support/long.ts';
import { seeded } from '../support/random.ts';
import { box } from '../support/shapes.ts';
import { assetOfKind, documentOf, KINDS, obbOf } from '../support/view-documents.ts';

/** What a shell prints of a line, where `gicollide` is the program, or tells its words. */
async function shell(line: string, cwd: string, call = `"${process.execPath}" "${program}" "$@"`): Promise<string> {
  const run = promisify(execFile)('/bin/sh', ['-c', `gicollide() { ${call}; }\n${line}`], { cwd });
  // A contact has exit code 1.
  return run.then(({ stdout }) => stdout).catch((error: { stdout: string }) => error.stdout);
}

const ENDINGS: Record<string, string> = { gi: 'tiff', kdop: 'kdop', obb: 'obb', voxel: 'voxel', frep: 'frep' };

const pairs = KINDS.map((kind, i) => [kind, KINDS[(i + 2) % KINDS.length]] as const);

test.each([
  ...pairs,
  ...some(0, [
    ['obb', 'obb'],
    ['kdop', 'kdop'],
    ['frep', 'frep'],
  ] as const),
])('%s and %s: the text is what the copied line prints, seed 5', { tags: ['all', 'long'] }, async (p, q) => {
  const folder = makeFolder();
  const names = [`a 'first' $(touch harm) \`one\`.${ENDINGS[p]}`, `-b "second"\\.${ENDINGS[q]}`];
  const again = { command: 'check' as const, files: names, options: ['--solid', 'auto'] };
  const { document, files } = await documentOf([{ asset: assetOfKind(p) }, { asset: assetOfKind(q) }], { again });
  for (const [n, name] of names.entries()) writeFileSync(join(folder, name), files[n]);
  const engine = new ViewEngine();
  await engine.answer('open', { document, files });
  const random = seeded(5);
  const poses: [Pose, Pose][] = [
    [identity(), compose(translation(1.1, 0.2, 0.1), randomRotation(random))],
    [randomRotation(random), translation(2.5, 1 / 3, 1e-7)],
  ];
  for (const [poseA, poseB] of poses) {
    const { text, command, report } = await engine.answer('full', { a: 0, b: 1, poseA, poseB });
    expect(text).toMatch(new RegExp(`^${report.verdict}( at \\(.*\\))?  a 'first'`));
    expect(await shell(command, folder)).toBe(text);
  }
});

test('b may be named first, and twice', async () => {
  const { document, files } = await documentOf([{ asset: obbOf(box(1)) }, { asset: obbOf(box(2)) }]);
  const engine = new ViewEngine();
  await engine.answer('open', { document, files });
  const question = { poseA: identity(), poseB: translation(9, 0, 0) };
  const swapped = await engine.answer('full', { a: 1, b: 0, ...question });
  expect(swapped.command).toBe('gicollide check b.bin a.bin --translate-b 9,0,0 --solid auto --distance --patches');
  const self = await engine.answer('full', { a: 0, b: 0, poseA: identity(), poseB: identity() });
  expect(self.command).toBe('gicollide check a.bin a.bin --solid auto --distance --patches');
});

const named = (number: number, name: string, pose = identity()): Named => ({ number, name, pose });
const home = (one: Named): Named => ({ ...one, isHome: true });

test('a scene names its inputs and two objects, which stand where they are said to be', () => {
  const again = {
    command: 'scene' as const,
    files: ['my room.scene.json', 'x.obj'],
    options: ['--units', 'mm', '--clearance', '3', '--all'],
  };
  const two = [named(4, 'a/b'), named(2, 'chair 1', translation(0.1, 0, 0))] as const;
  const line = commandLine(again, two, ['--solid', 'auto']);
  expect(line).toBe(
    "gicollide check a/b 'chair 1' --scene 'my room.scene.json' --scene x.obj " +
      '--translate-a 0,0,0 --translate-b 0.1,0,0 --units mm --solid auto',
  );
  const still = [home(two[0]), home(two[1])] as const;
  expect(commandLine(again, still, ['--solid', 'auto'])).toBe(
    "gicollide check a/b 'chair 1' --scene 'my room.scene.json' --scene x.obj --units mm --solid auto",
  );
  const turned = named(2, 'chair 1', rotation(0, 0, 1, 90));
  expect(commandLine(again, [still[0], turned], [])).toMatch(/ --pose-b [^ ,]+(,[^ ,]+){11} --units mm$/);
});

test('a listed finding is asked again by its id, unless an object has moved or the list is a pipe', () => {
  const options = [
    '--units',
    'mm',
    '--clearance',
    '3',
    '--solid',
    'auto',
    '--package',
    'arm=arm dir',
    '--allow-outside',
  ];
  const again = { command: 'scene' as const, files: ['f.ndjson'], findings: 'f.ndjson', options };
  const words = ['--clearance', '0.6', '--solid', 'auto', '--distance', '--patches'];
  expect(commandLine(again, [home(named(0, 'p')), home(named(1, 'q'))], words, 'ab12')).toBe(
    "gicollide check --finding 'f.ndjson#ab12' --package 'arm=arm dir' --allow-outside --distance --patches",
  );
  expect(commandLine(again, [home(named(0, 'p')), named(1, 'q')], words, 'ab12')).toMatch(
    /^gicollide check p q --scene f.ndjson /,
  );
  expect(commandLine({ ...again, findings: '-' }, [home(named(0, 'p')), home(named(1, 'q'))], words, 'ab12')).toMatch(
    / --clearance 0.6 /,
  );
});

const hostile = [
  "it's",
  '$(touch harm) `touch harm` ; touch harm | & > harm',
  '--help',
  '',
  'two\nlines',
  '\u001b[201~touch harm\r',
  '\u202egnp.exe',
  'back\\slash \u0007 \\0101 %s',
  'ünï \u{1f600} \u200b \u{e0041}',
  '-n',
  '~root *? [a] {b,c} #d !e',
];

test.each(hostile)('a shell reads the name %j as it is, and nothing of it reaches a terminal', async (name) => {
  const again = { command: 'scene' as const, files: [name], options: [] };
  const line = commandLine(again, [named(0, name), named(1, 'b')], []);
  expect(line).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  const words = (await shell(line, makeFolder(), 'for word; do printf "%s\\0" "$word"; done')).split('\0');
  expect(words).toContain('b');
  expect(words.filter((word) => word === name).length).toBeGreaterThanOrEqual(2);
  expect(words.indexOf('--') >= 0).toBe(name.startsWith('-'));
});
