/**
 * Scenes of every format. The generator knows how many elements it wrote and what becomes of each:
 * checked + left out + allowed + unchecked = written, and exit code 0 only if nothing is unchecked.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder, run } from '../support/cli.ts';
import { gltfDraft } from '../support/glb.ts';
import { ifcWriter } from '../support/ifc.ts';
import { some } from '../support/long.ts';
import { BOX, cornersOf, offOf, plyOf, stlBinary, stlText } from '../support/mesh-files.ts';
import { type Random, seeded } from '../support/random.ts';
import { boxText } from '../support/shapes.ts';

type Fate = 'checked' | 'leftOut' | 'unchecked';

/** A file, and the fates of its elements by their names. */
interface Written {
  name: string;
  bytes: Uint8Array | string;
  fates: [name: string, fate: Fate][];
  /** Whether it may be one object. */
  isWhole: boolean;
}

const several = <T>(random: Random, make: (n: number) => T): T[] =>
  Array.from({ length: 1 + random.below(5) }, (_, n) => make(n));

/** Where the next box is: no two of a file touch. */
const at = (n: number): number => 3 * n;

function obj(random: Random): Omit<Written, 'name'> {
  let [text, vertices] = ['', 0];
  const box = (name: string, n: number): void => {
    text += boxText(name, at(n), vertices);
    vertices += 8;
  };
  const kind = random.pick(['o', 'g']);
  const fates = several(random, (n): [string, Fate] => {
    const name = `e${n}`;
    const what = random.pick(['box', 'box', 'lines', 'points', 'curve', 'part', 'surface']);
    if (what === 'box' || what === 'part') box(name, n);
    else text += `o ${name}\nv 0 0 ${n}\nv 1 0 ${n}\n`;
    if (what !== 'box' && what !== 'part') vertices += 2;
    text +=
      { box: '', lines: 'l -1 -2\n', points: 'p -1\n', curve: 'curv 0 1 -1 -2\n' }[what] ?? 'surf 0 1 0 1 -1 -2\n';
    return [name, what === 'box' ? 'checked' : what === 'part' || what === 'surface' ? 'unchecked' : 'leftOut'];
  });
  return { bytes: kind === 'o' ? text : text.replaceAll(/^o /gm, 'g '), fates, isWhole: true };
}

function stl(random: Random): Omit<Written, 'name'> {
  let text = '';
  const fates = several(random, (n): [string, Fate] => {
    const what = n === 0 ? 'box' : random.pick(['box', 'empty', 'endless']);
    const solid = stlText(`s${n}`, what === 'empty' ? [] : cornersOf(BOX).map(([x, y, z]) => [x + at(n), y, z]));
    text += what === 'endless' ? solid.replace(/endsolid.*\n/, '') : solid;
    return [`s${n}`, what === 'box' ? 'checked' : what === 'empty' ? 'leftOut' : 'unchecked'];
  });
  return { bytes: text, fates, isWhole: true };
}

function glb(random: Random): Omit<Written, 'name'> {
  const draft = gltfDraft();
  const { json } = draft;
  const corners = draft.accessor(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0), 'VEC3');
  const fates = several(random, (n): [string, Fate] => {
    const what = random.pick(['triangle', 'triangle', 'lines', 'outside']);
    const isThin = what === 'lines';
    draft.mesh({ attributes: { POSITION: corners }, ...(isThin && { mode: 3 }) });
    Object.assign(json.nodes[n], { name: `n${n}`, translation: [at(n), 0, 0] });
    if (what === 'outside') (json.scenes[0].nodes as number[]).pop();
    return [`n${n}`, what === 'triangle' ? 'checked' : 'leftOut'];
  });
  // A scene without nodes is no scene.
  if ((json.scenes[0].nodes as number[]).length === 0) return glb(random);
  return { bytes: draft.glb(), fates, isWhole: true };
}

function urdf(random: Random): Omit<Written, 'name'> {
  const collision = (size: string): string => `<collision><geometry><box size="${size}"/></geometry></collision>`;
  let text = `<link name="base">${collision('1 1 1')}</link>`;
  const fates: Written['fates'] = [['base', 'checked']];
  for (const [n, what] of several(random, () => random.pick(['box', 'flat', 'visual'])).entries()) {
    const inner = {
      box: collision('1 1 1'),
      flat: collision('0 0 0'),
      visual: '<visual><geometry><box size="1 1 1"/></geometry></visual>',
    }[what];
    text +=
      `<link name="l${n}">${inner}</link><joint name="j${n}" type="fixed"><parent link="base"/>` +
      `<child link="l${n}"/><origin xyz="${at(n + 1)} 0 0"/></joint>`;
    fates.push([`l${n}`, what === 'box' ? 'checked' : 'leftOut']);
  }
  return { bytes: `<robot name="r">${text}</robot>`, fates, isWhole: false };
}

function single(random: Random): Omit<Written, 'name'> {
  const bytes = random.pick([stlBinary(cornersOf(BOX)), plyOf(BOX), offOf(BOX)]);
  return { bytes, fates: [['unnamed', 'checked']], isWhole: true };
}

/** A file that ends too early; nobody knows its elements. */
function broken(random: Random): Omit<Written, 'name'> {
  const bytes = random.pick([stlBinary(cornersOf(BOX)).slice(0, 200), 'OFF\n8 6 0\n0 0 0\n', 'v 0 0\n']);
  return { bytes, fates: [], isWhole: true };
}

function ifc(random: Random): Omit<Written, 'name'> {
  const w = ifcWriter({ unit: 'm' });
  const fates = several(random, (n): [string, Fate] => {
    const what = n === 0 ? 'box' : random.pick(['box', 'part', 'odd', 'axis', 'space']);
    const odd = (): string => w.add('IFCINVENTEDSOLID(1.)');
    const box = (): string => w.box([1, 1, 1], [at(n), 0, 0]);
    const shape =
      what === 'axis'
        ? w.shape([box()], 'Curve3D', 'Axis')
        : w.shape(what === 'part' ? [box(), odd()] : [what === 'odd' ? odd() : box()]);
    w.product(what === 'space' ? 'IFCANNOTATION' : 'IFCWALL', {
      ...{ name: `i${n}`, placement: w.placement([0, 0, 0]), shape },
      ...(what !== 'space' && { more: '$' }),
    });
    const fate: Fate = what === 'box' ? 'checked' : what === 'axis' || what === 'space' ? 'leftOut' : 'unchecked';
    return [`i${n}`, fate];
  });
  return { bytes: w.text(), fates, isWhole: true };
}

const MAKERS = { obj, stl, glb, urdf, single, broken, ifc };
const ENDINGS: Record<string, string> = { single: 'mesh', broken: 'stl' };

function write(cwd: string, n: number, kind: keyof typeof MAKERS, random: Random): Written {
  const name = `${kind}${n}.${ENDINGS[kind] ?? kind}`;
  const made = { name, ...MAKERS[kind](random) };
  writeFileSync(join(cwd, name), made.bytes);
  return made;
}

const fateOf = ({ fates }: Written): Fate => {
  const all = fates.map(([, fate]) => fate);
  if (all.length === 0 || all.includes('unchecked')) return 'unchecked';
  return all.includes('checked') ? 'checked' : 'leftOut';
};

interface Coverage extends Record<Fate, number> {
  elements: number;
  allowed: number;
}

const summaryOf = (stdout: string): { coverage: Coverage; unread?: number } =>
  JSON.parse(stdout.trimEnd().split('\n').at(-1)!);

/** Holds an outcome to what was written. */
function expectCounts(outcome: { code: number | null; stdout: string }, fates: Fate[], allowed: number): void {
  const count = (fate: Fate): number => fates.filter((each) => each === fate).length;
  const unchecked = count('unchecked') - allowed;
  expect(summaryOf(outcome.stdout).coverage).toEqual({
    ...{ elements: fates.length, checked: count('checked'), leftOut: count('leftOut'), allowed, unchecked },
  });
  expect(outcome.code).toBe(unchecked > 0 ? 2 : 0);
}

async function checkScene(seed: number, kinds: readonly (keyof typeof MAKERS)[]): Promise<void> {
  const cwd = makeFolder();
  const random = seeded(seed);
  const files = several(random, (n) => write(cwd, n, random.pick(kinds), random));
  writeFileSync(join(cwd, 'far.obj'), boxText('far', 900) + boxText('farther', 910, 8));
  const assets: Record<string, object> = { far: { file: 'far.obj', split: 'elements' } };
  const instances: object[] = [{ name: 'far', asset: 'far' }];
  const fates: Fate[] = ['checked', 'checked'];
  const lost: string[] = [];
  for (const [n, file] of files.entries()) {
    const split = !file.isWhole || random.next() < 0.7;
    assets[`a${n}`] = { file: file.name, ...(split && { split: 'elements' }) };
    for (let k = 0; k < 1 + random.below(2); k++) {
      const name = `f${n}-${k}`;
      instances.push({ name, asset: `a${n}`, translate: [0, 30 * n, 30 * k] });
      if (!split || file.fates.length === 0) {
        fates.push(fateOf(file));
        if (fateOf(file) === 'unchecked') lost.push(name);
        continue;
      }
      for (const [element, fate] of file.fates) {
        fates.push(fate);
        if (fate === 'unchecked')
          lost.push(file.name.startsWith('ifc') ? `${name}/*/${element}/*` : `${name}/${element}`);
      }
    }
  }
  const incomplete = lost.filter(() => random.next() < 0.4).map((a) => ({ a, reason: 'fuzz' }));
  const scene = { gicollide: 'scene/1', units: 'm', assets, instances, incomplete };
  writeFileSync(join(cwd, 'all.scene.json'), JSON.stringify(scene));
  const outcome = await run(['scene', 'all.scene.json', '--json', '--fail-on', 'none'], { cwd });
  expectCounts(outcome, fates, incomplete.length);
}

const QUICK = ['obj', 'stl', 'glb', 'urdf', 'single', 'broken'] as const;

test.each(
  some(
    12,
    Array.from({ length: 200 }, (_, n) => n + 1),
  ),
)('a scene accounts for what its generator wrote (seed %i)', { tags: ['all', 'long'] }, (seed) =>
  checkScene(seed, QUICK),
);

test.each(
  some(
    2,
    Array.from({ length: 30 }, (_, n) => n + 1),
  ),
)('a scene with buildings (seed %i)', { tags: ['all', 'long'] }, (seed) =>
  checkScene(1000 + seed, ['ifc', 'ifc', 'obj']),
);

test.each(
  some(
    6,
    Array.from({ length: 100 }, (_, n) => n + 1),
  ),
)('lint and cubes account for the elements of one file (seed %i)', { tags: ['all', 'long'] }, async (seed) => {
  const cwd = makeFolder();
  const random = seeded(2000 + seed);
  const file = write(cwd, 0, random.pick(['obj', 'stl', 'glb']), random);
  const fates = file.fates.map(([, fate]) => fate);
  // Lint takes groups together: objects alone are elements.
  if (!/^g /m.test(String(file.bytes)))
    expectCounts(await run(['lint', file.name, '--json', '--severity', 'all=off,scale=warning'], { cwd }), fates, 0);
  const cubes = await run(['cubes', file.name, '--precision', '0.5', '--json'], { cwd });
  if (fates.filter((fate) => fate === 'checked').length > 1) expectCounts(cubes, fates, 0);
});

/** Changes a few bytes: nobody knows what is left, but the counts add up. */
test.each(
  some(
    10,
    Array.from({ length: 300 }, (_, n) => n + 1),
  ),
)(
  'changed files: counts add up, and exit code 0 leaves nothing unchecked (seed %i)',
  { tags: ['all', 'long'] },
  async (seed) => {
    const cwd = makeFolder();
    const random = seeded(3000 + seed);
    mkdirSync(join(cwd, 'in'));
    for (const [n, kind] of several(random, () => random.pick(['obj', 'stl', 'glb', 'urdf'] as const)).entries()) {
      const { name, bytes } = write(join(cwd, 'in'), n, kind, random);
      const changed = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes.slice();
      const changes = random.below(4);
      for (let k = 0; k < changes; k++) changed[random.below(changed.length)] = random.below(256);
      const end = random.next() < 0.3 ? random.below(changed.length) : changed.length;
      writeFileSync(join(cwd, 'in', name), changed.slice(0, end));
    }
    for (const name of ['x', 'y'])
      writeFileSync(join(cwd, 'in', `${name}.obj`), boxText(name, name === 'x' ? 900 : 910));
    const { code, stdout, stderr } = await run(['scene', 'in', '--json', '--units', 'm'], { cwd });
    expect(stderr).not.toMatch(/fault|^ +at /m);
    if (stdout === '') return expect(code).toBe(2);
    const { elements, checked, leftOut, allowed, unchecked } = summaryOf(stdout).coverage;
    expect(checked + leftOut + allowed + unchecked).toBe(elements);
    expect(code === 2).toBe(unchecked > 0);
  },
);
