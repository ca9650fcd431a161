// What it costs to speak of the sources: --source of two bunnies' images, with and without their sources' triangles, against the plain check of the
// images and against OBB trees of the same meshes, in one run; and how near two images may come before --source can tell them apart no more.
//
//   npm run bench -- source               prints the tables
//   npm run bench -- source --record      and appends the row to bench/results.jsonl
import { readFileSync } from 'node:fs';
import { build, check, compose, readObj, translation, write } from 'gicollide';
import { keep, median, nearContactPoses, printRace, race } from './race.mjs';

const SIZE = 257;

const mesh = readObj(readFileSync(new URL('../assets/bunny.obj', import.meta.url)));
const image = build(mesh, { size: SIZE });
const exact = build(mesh, { size: SIZE, embedSource: true });
const tree = build(mesh, { format: 'obb' });
const poses = nearContactPoses(tree, tree, 60, 2006);
const asks = (asset, options) => (pose) => check(asset, asset, { poseB: pose, ...options }).verdict === 'contact';

const first = race(
  {
    'images, plain': asks(image, {}),
    'images, common path': asks(image, { path: 'common' }),
    'images, --source': asks(image, { source: true }),
    'images with sources, --source': asks(exact, { source: true }),
    'OBB trees': asks(tree, {}),
  },
  poses,
);
printRace('first contact', first);
const counts = (asset, options) => (pose) =>
  check(asset, asset, { poseB: pose, all: true, maxContacts: 1e6, ...options }).contacts.count;
const all = race(
  {
    'images, plain': counts(image, {}),
    'images with sources, --source': counts(exact, { source: true }),
    'OBB trees': counts(tree, {}),
  },
  poses,
);
printRace('all contacts', all);
const wrong = poses.filter((pose) => counts(exact, { source: true })(pose) !== counts(tree, {})(pose)).length;
console.log(`lists of the sources that differ in length from the OBB trees': ${wrong} of ${poses.length}`);

// From barely clear outward, in doublings, until --source says clear: how far apart the sources are then, in tolerances of both.
const { missing } = check(image, image, { poseB: poses[0] }).tolerance;
const apart = poses
  .filter((_, i) => i % 2 === 0)
  .map((pose) => {
    for (let s = missing / 64; ; s *= 1.25) {
      const away = compose(translation(s * pose[3], s * pose[7], s * pose[11]), pose);
      if (check(image, image, { poseB: away, source: true }).verdict !== 'clear') continue;
      return check(tree, tree, { poseB: away, distance: true }).distance / missing;
    }
  });
const told = Number(median(apart).toFixed(3));
console.log(`--source tells sources apart from ${told} of both tolerances on (median)`);
const bytes = { plain: (await write(image)).length, withSource: (await write(exact)).length };
console.log(`bytes: ${bytes.plain}, with the source ${bytes.withSource}`);
keep('source-check', { size: SIZE, poses: poses.length, first, all, told, bytes });
