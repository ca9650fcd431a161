/** `gicollide picture`: what is drawn where, as a user runs it, and what it refuses. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { tangentOf } from '../../src/viewer/camera.ts';
import { expectFailure, expectLine, listFiles, makeFolder, run, runAlone, writeMesh } from '../support/cli.ts';
import { box, mapped, octasphere } from '../support/shapes.ts';

const cwd = makeFolder();
/** Small: all is drawn by nine samples a pixel. */
const SIZE = ['--size', '320x264'];
/** The view, without the caption below. */
const [WIDTH, HEIGHT] = [320, 200];
/** From the front, 14 away: a unit is 23.4 pixels at the origin. */
const FRONT = 'camera=0,-14,0,0,0,0';
const SCALE = 100 / (14 * tangentOf(WIDTH / HEIGHT));

const SCENE = {
  gicollide: 'scene/1',
  units: 'm',
  assets: { cube: { file: 'cube.obj' }, plate: { file: 'plate.obj' } },
  instances: [
    { name: 'left', asset: 'cube', translate: [-2, 0, 0] },
    { name: 'middle', asset: 'cube', translate: [-1.25, 0, 0] },
    { name: '<b>right</b>\u202e', asset: 'cube', translate: [2, 0, 0] },
    { name: 'far', asset: 'plate', translate: [0, 8, 0] },
  ],
};

beforeAll(() => {
  writeMesh(join(cwd, 'cube.obj'), box(1));
  writeMesh(join(cwd, 'plate.obj'), box(4, 0.1, 4));
  writeMesh(join(cwd, 'large.obj'), box(4));
  writeMesh(
    join(cwd, 'shifted.obj'),
    mapped(box(4, 4, 3), (x, y, z) => [x + 1.3, y + 0.7, z + 0.5]),
  );
  writeMesh(join(cwd, 'ball.obj'), octasphere(3));
  const domain = { min: [-1.5, -1.5, -1.5], max: [1.5, 1.5, 1.5] };
  const sphere = { domain, object: { ellipsoid: { radii: [1, 1, 1] } } };
  writeFileSync(join(cwd, 'sphere.frep.json'), JSON.stringify(sphere));
  writeMesh(
    join(cwd, 'beside.obj'),
    mapped(box(1), (x, y, z) => [x + 3, y, z]),
  );
  writeFileSync(join(cwd, 'room.scene.json'), JSON.stringify(SCENE));
});

type Pixels = (column: number, row: number) => { r: number; g: number; b: number };

/** The pixels of a picture that these arguments draw. */
async function drawn(...args: string[]): Promise<Pixels> {
  const { code, stdout, stderr } = await run(['picture', ...args, '-o', 'out.png', ...SIZE], { cwd });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^wrote out\.png: 320 x 264 pixels, [\d,]+ bytes\n$/);
  expect(stderr).not.toMatch(/fault|warning/);
  return pixelsOf('out.png');
}

async function pixelsOf(name: string): Promise<Pixels> {
  const { data, info } = await sharp(join(cwd, name)).raw().toBuffer({ resolveWithObject: true });
  return (column, row) => {
    const at = 3 * (row * info.width + column);
    return { r: data[at]!, g: data[at + 1]!, b: data[at + 2]! };
  };
}

/** The pixel of a place x, 0, z before the camera of FRONT; `dy` away from it. */
const placeOf = (x: number, z: number, y = 0): [number, number] => [
  Math.floor(WIDTH / 2 + (SCALE * x * 14) / (14 + y)),
  Math.floor(HEIGHT / 2 - (SCALE * z * 14) / (14 + y)),
];

type Pixel = ReturnType<Pixels>;
const isBlue = ({ r, b }: Pixel): boolean => b > r + 60;
const isOrange = ({ r, b }: Pixel): boolean => r > b + 80;
const isMagenta = ({ r, g, b }: Pixel): boolean => r > 180 && g < 110 && b > 70;
/** Of a contact behind a surface. */
const isDot = ({ r, g, b }: Pixel): boolean => r > 140 && g < 90 && b > 50;
/** Most that neighboring pixels of a round shape differ; facets of 11 degrees differ by 25. */
const BEND = 12;
const isRed = ({ r, g, b }: Pixel): boolean => r > 130 && g < 110 && b < 100;
const isGreen = ({ r, g, b }: Pixel): boolean => g > r + 40 && g >= b;
/** In the paint of no object: quiet, and light. */
const isGround = ({ r, g, b }: Pixel): boolean => r > 200 && Math.max(r, g, b) - Math.min(r, g, b) < 8;
const isGrey = ({ r, g, b }: Pixel): boolean => r < 200 && Math.max(r, g, b) - Math.min(r, g, b) < 16;

describe('what is drawn', () => {
  test('an orthographic view has far things as large as near ones', { tags: ['all'] }, async () => {
    // Above the cubes, in the plate's size, but not in its size from so far away.
    const place = placeOf(0, 1.9);
    const near = await drawn('room.scene.json', '--view', FRONT);
    expect(isGrey(near(...place))).toBe(false);
    const far = await drawn('room.scene.json', '--view', `${FRONT}&orthographic=1`);
    expect(isGrey(far(...place))).toBe(true);
    expect(isBlue(far(...placeOf(-2, 0)))).toBe(true);
  });

  test('y is up for OBJ, and --up says otherwise', { tags: ['all'] }, async () => {
    writeMesh(join(cwd, 'tall.obj'), box(1, 4, 1));
    const above = ['tall.obj', '--view', 'camera=0,0,14,0,0,0'];
    const [up, beside] = [placeOf(0, 1.5), placeOf(1.5, 0)];
    const standing = await drawn(...above);
    expect([isBlue(standing(...up)), isBlue(standing(...beside))]).toEqual([true, false]);
    const lying = await drawn(...above, '--up', 'x');
    expect([isBlue(lying(...up)), isBlue(lying(...beside))]).toEqual([false, true]);
  });

  test('a is blue, b is orange, and their nearest points have a line', { tags: ['all'] }, async () => {
    const at = await drawn('cube.obj', 'beside.obj', '--view', FRONT);
    expect(isBlue(at(...placeOf(0, 0)))).toBe(true);
    expect(isOrange(at(...placeOf(3, 0)))).toBe(true);
    const between = Array.from({ length: HEIGHT }, (_, row) => at(placeOf(1.5, 0)[0], row));
    expect(between.filter(isGreen).length).toBeGreaterThan(1);
    const bare = await drawn('cube.obj', 'beside.obj', '--view', `${FRONT}&distance=0`);
    expect(Array.from({ length: HEIGHT }, (_, row) => bare(placeOf(1.5, 0)[0], row)).some(isGreen)).toBe(false);
  });

  test('a curve of contact is where the faces meet, and a moved object where the view has it', {
    tags: ['long'],
  }, async () => {
    const pose = 'pose.beside.obj=1,0,0,-2.5,0,1,0,0.25,0,0,1,0.25,0,0,0,1';
    const at = await drawn('cube.obj', 'beside.obj', '--view', `http://127.0.0.1:80/#${FRONT}&${pose}`);
    // b stands half a unit to the right, and behind: its front is at y = -0.25, and a's at -0.5.
    const edge = placeOf(0.5, 0.25, -0.25);
    const near = [-2, -1, 0, 1, 2].flatMap((dx) => [-1, 0, 1].map((dy) => at(edge[0] + dx, edge[1] + dy)));
    expect(near.some(isMagenta)).toBe(true);
    const quiet = await drawn('cube.obj', 'beside.obj', '--view', `${FRONT}&${pose}&contacts=0`);
    for (let column = 0; column < WIDTH; column++)
      for (let row = 0; row < HEIGHT; row++) expect(isMagenta(quiet(column, row))).toBe(false);
  });

  test('others are grey, or red where something was found; gone where the pair is isolated; a section cuts', {
    tags: ['long'],
  }, async () => {
    const all = await drawn('room.scene.json', '--view', `${FRONT}&a=left&b=middle`);
    expect(isBlue(all(...placeOf(-2.2, 0)))).toBe(true);
    expect(isOrange(all(...placeOf(-1, 0)))).toBe(true);
    expect(isGrey(all(...placeOf(2, 0)))).toBe(true);
    expect(isGrey(all(...placeOf(0, 1, 8)))).toBe(true);
    const marked = await drawn('room.scene.json', '--view', `${FRONT}&a=left&b=far`);
    expect(isRed(marked(...placeOf(-1, 0)))).toBe(true);
    const two = await drawn('room.scene.json', '--view', `${FRONT}&a=left&b=middle&isolated=1`);
    expect(isGround(two(...placeOf(2, 0)))).toBe(true);
    const cut = await drawn('room.scene.json', '--view', `${FRONT}&a=left&b=middle&section=x,-1.4`);
    expect(isGround(cut(...placeOf(2, 0)))).toBe(true);
    expect(isOrange(cut(...placeOf(-1, 0)))).toBe(false);
    expect(isBlue(cut(...placeOf(-2.2, 0)))).toBe(true);
    const other = await drawn('room.scene.json', '--view', `${FRONT}&a=left&b=middle&section=x,-1.4,flipped`);
    expect(isBlue(other(...placeOf(-2.2, 0)))).toBe(false);
    expect(isOrange(other(...placeOf(-1, 0)))).toBe(true);
  });

  test('surfaces may be hidden, and the bounds of a level stand about them', { tags: ['all'] }, async () => {
    const bare = await drawn('cube.obj', 'beside.obj', '--view', `${FRONT}&surface=hidden`);
    expect(isGround(bare(...placeOf(0.1, 0.1)))).toBe(true);
    const bounds = await drawn('cube.obj', 'beside.obj', '--view', `${FRONT}&surface=hidden&level=0`);
    const { r, b } = bounds(...placeOf(0.1, 0.1));
    expect(b).toBeGreaterThan(r + 20);
    // A level deeper than the tree is its deepest.
    await drawn('cube.obj', 'beside.obj', '--view', `${FRONT}&surface=wire&level=99`);
    await drawn('cube.obj', 'beside.obj', '--view', `${FRONT}&surface=glass`);
  });

  test('of two faces in one plane the first one is seen', { tags: ['all'] }, async () => {
    const at = await drawn('large.obj', 'shifted.obj', '--view', 'camera=5,4,13,0,0,0&contacts=0&distance=0');
    const row = Array.from({ length: WIDTH }, (_, column) => at(column, HEIGHT / 2));
    const [first, last] = [row.findIndex(isBlue), row.findLastIndex(isBlue)];
    expect(last - first).toBeGreaterThan(60);
    expect(row.slice(first, last).every(isBlue)).toBe(true);
  });

  test('a ball of 512 triangles has no facets', { tags: ['all'] }, async () => {
    const at = await drawn('ball.obj', 'beside.obj', '--view', 'camera=0,-4,0,0,0,0&distance=0&isolated=1');
    const row = Array.from({ length: WIDTH }, (_, column) => at(column, Math.round(0.4 * HEIGHT))).filter(isBlue);
    expect(row.length).toBeGreaterThan(100);
    const light = row.slice(row.length / 6, -row.length / 6).map(({ r, g, b }) => r + g + b);
    expect(Math.max(...light.slice(1).map((x, i) => Math.abs(x - light[i])))).toBeLessThan(BEND);
  });

  test('the contact of two F-reps has a point, in words, too', { tags: ['all'] }, async () => {
    const at = await drawn('sphere.frep.json', 'sphere.frep.json', '--translate-b', '1.5,0,0', '--view', FRONT);
    let dots = 0;
    for (let row = 0; row < HEIGHT; row++)
      for (let column = 0; column < WIDTH; column++) dots += isDot(at(column, row)) ? 1 : 0;
    expect(dots).toBeGreaterThan(20);
  });

  test('themes, and a caption with two swatches', { tags: ['all'] }, async () => {
    const light = await drawn('cube.obj', 'beside.obj', '--view', FRONT);
    const dark = await drawn('cube.obj', 'beside.obj', '--view', `${FRONT}&theme=light`, '--theme', 'dark');
    expect(isGround(light(2, 2))).toBe(true);
    expect(dark(2, 2).r).toBeLessThan(60);
    const row = Array.from({ length: WIDTH }, (_, column) => dark(column, HEIGHT + 18));
    expect(row.findIndex(isBlue)).toBe(16);
    expect(row.findIndex(isOrange)).toBeGreaterThan(40);
  });

  test('a finding is framed, and its two stand alone', { tags: ['all'] }, async () => {
    const scene = await run(['scene', 'room.scene.json', '--json'], { cwd });
    const [{ id, rule, class: kind }] = scene.stdout.split('\n').flatMap((line) => {
      const record = line === '' ? {} : JSON.parse(line);
      return record.type === 'finding' ? [record] : [];
    });
    expect({ rule, kind }).toEqual({ rule: null, kind: 'overlap' });
    const at = await drawn('room.scene.json', '--finding', id);
    const middle = at(WIDTH / 2, HEIGHT / 2);
    expect(isBlue(middle) || isOrange(middle) || isMagenta(middle)).toBe(true);
    // Whichever pair the view is of.
    const same = readFileSync(join(cwd, 'out.png'));
    await drawn('room.scene.json', '--finding', id, '--view', 'a=far&b=left');
    expect(Buffer.compare(readFileSync(join(cwd, 'out.png')), same)).toBe(0);
    await drawn('room.scene.json', '--finding', id.slice(0, 6));
    expect(Buffer.compare(readFileSync(join(cwd, 'out.png')), same)).toBe(0);
    const wrong = await run(['picture', 'room.scene.json', '--finding', `${id}0`, '-o', 'x.png'], { cwd });
    expectFailure(wrong, new RegExp(`^no finding has the id ${id}0; did you mean "${id}"\\?$`));
    const none = await run(['picture', 'room.scene.json', '--finding', 'zz', '-o', 'x.png'], { cwd });
    expectFailure(none, new RegExp(`^no finding has the id zz; found 1: ${id}$`));
    expect(existsSync(join(cwd, 'x.png'))).toBe(false);
  });

  test('hostile names are letters', { tags: ['all'] }, async () => {
    const name = encodeURIComponent('<b>right</b>\u202e');
    await drawn('room.scene.json', '--view', `a=${name}&b=left`);
  });

  test('the least picture has all that fits, and one of two bands is whole', { tags: ['all'] }, async () => {
    for (const size of ['160x160', '1200x1000']) {
      const args = ['picture', 'cube.obj', 'beside.obj', '-o', 'sized.png', '--size', size];
      expect(await run(args, { cwd })).toMatchObject({ code: 0, stderr: '' });
    }
    const { info } = await sharp(join(cwd, 'sized.png')).toBuffer({ resolveWithObject: true });
    expect([info.width, info.height]).toEqual([1200, 1000]);
    // 873 rows are drawn at once, and 936 are there: the ground goes on.
    const at = await pixelsOf('sized.png');
    const shades = Array.from({ length: 1200 }, (_, column) => at(column, 930).r);
    expect(Math.min(...shades)).toBeLessThan(Math.max(...shades));
  });

  test('twice the same bytes, of one asset alone too, and with --quiet not a word', { tags: ['all'] }, async () => {
    for (const name of ['1.png', '2.png']) {
      const args = ['picture', 'cube.obj', '-o', `made/${name}`, ...SIZE, '--quiet'];
      expect(await run(args, { cwd })).toMatchObject({ code: 0, stdout: '', stderr: '' });
    }
    const [first, second] = ['1.png', '2.png'].map((name) => readFileSync(join(cwd, 'made', name)));
    expect(Buffer.compare(first!, second!)).toBe(0);
  });

  test('the triangles that a query tested are yellow', { tags: ['all'] }, async () => {
    const near = 'pose.beside.obj=1,0,0,-2.01,0,1,0,0,0,0,1,0,0,0,0,1';
    const isYellow = ({ r, g, b }: Pixel): boolean => Math.min(r, g) > b + 60 && Math.abs(r - g) < 40;
    const count = (at: Pixels): number => {
      let found = 0;
      for (let i = 0; i < WIDTH * HEIGHT; i++) if (isYellow(at(i % WIDTH, Math.floor(i / WIDTH)))) found++;
      return found;
    };
    const view = `surface=hidden&contacts=0&distance=0&${near}`;
    expect(count(await drawn('cube.obj', 'beside.obj', '--view', view))).toBe(0);
    expect(count(await drawn('cube.obj', 'beside.obj', '--view', `${view}&visits=0`))).toBeGreaterThan(50);
  });

  test('what the page alone draws is said, and the rest is drawn', { tags: ['all'] }, async () => {
    const args = ['picture', 'cube.obj', 'beside.obj', '--view', 'pages=1', '-o', 'pages.png', ...SIZE];
    const { code, stderr } = await run(args, { cwd });
    expect(code).toBe(0);
    expect(stderr).toContain('the pages of images are left out; only gicollide view draws them');
  });
});

describe('what is refused', { tags: ['all'] }, () => {
  test.each([
    ['no name', ['cube.obj'], /^required option '-o, --out <file>' not specified$/],
    ['an empty name', ['cube.obj', '-o', ''], /^--out: expected a name for the PNG file, found nothing$/],
    ['a folder', ['cube.obj', '-o', '.'], /^\.: expected a name for the PNG file, found a folder$/],
    ['the input', ['cube.obj', '-o', './cube.obj'], /^\.\/cube\.obj: would overwrite the input$/],
    [
      'an asset of the scene',
      ['room.scene.json', '-o', 'plate.obj'],
      /^plate\.obj: expected a name that ends with \.png for PNG, found \.obj/,
    ],
    ['a view that is none', ['cube.obj', '-o', 'x.png', '--view', 'levl=3'], /^--view: "levl": expected one of a, b, /],
    ['half a level', ['cube.obj', '-o', 'x.png', '--view', 'level=1.5'], /^--view: level: expected a whole number/],
    [
      'an unknown object',
      ['room.scene.json', '-o', 'x.png', '--view', 'a=lft'],
      /^--view: no object is called "lft"; did you mean "left"\?$/,
    ],
    [
      'a frame where nothing moves',
      ['room.scene.json', '-o', 'x.png', '--view', 'frame=3'],
      /^--view: there is no frame 3: nothing moves here$/,
    ],
    [
      'a pose of nothing',
      ['room.scene.json', '-o', 'x.png', '--view', 'pose.lft=1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1'],
      /^--view: no object is called "lft"; did you mean "left"\?$/,
    ],
    ['a size', ['cube.obj', '-o', 'x.png', '--size', '10x10'], /^.*Expected a width and a height from 160 to 8192/],
    ['too many pixels', ['cube.obj', '-o', 'x.png', '--size', '8192x8192'], /Expected at most 33554432 pixels in all/],
    ['no theme', ['cube.obj', '-o', 'x.png', '--theme', 'blue'], /Allowed choices are light, dark/],
    ['no input', ['nothing.obj', '-o', 'x.png'], /^nothing\.obj: /],
  ])('%s', async (_, args, line) => {
    const before = readFileSync(join(cwd, 'cube.obj'));
    expectFailure(await run(['picture', ...args], { cwd }), line);
    expect(existsSync(join(cwd, 'x.png'))).toBe(false);
    expect(Buffer.compare(readFileSync(join(cwd, 'cube.obj')), before)).toBe(0);
  });

  test.skipIf(process.getuid?.() === 0)('a folder that may not be written to', async () => {
    const folder = join(cwd, 'locked');
    mkdirSync(folder);
    chmodSync(folder, 0o500);
    expectFailure(await run(['picture', 'cube.obj', '-o', 'locked/x.png'], { cwd }), /^locked\/x\.png: /);
  });

  test('a file where a folder should be; nothing is left behind', async () => {
    const before = listFiles(cwd);
    expectFailure(await run(['picture', 'cube.obj', '-o', 'cube.obj/x.png'], { cwd }), /^cube\.obj\/x\.png: /);
    expect(listFiles(cwd)).toEqual(before);
  });

  test('without sharp: one line, before anything is loaded', async () => {
    const preload = `import { register } from 'node:module'; register('data:text/javascript,' + encodeURIComponent(
      "export const resolve = (name, context, next) => { if (name === 'sharp') throw new Error('no sharp here'); return next(name, context); }"));`;
    const outcome = await runAlone(['picture', 'cube.obj', '-o', 'x.png'], { cwd, preload });
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    expectLine(outcome.stderr, /^a picture needs the package sharp, which cannot be loaded \(no sharp here\)$/);
  });
});
