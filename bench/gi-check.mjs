// Two bunnies as geometry images against three-mesh-bvh in the same run: near-contact poses, first contact and all contacts.
//
//   npm run bench            prints the table
//   npm run bench -- --record    and appends the row to bench/results.jsonl
//
// Poses: seeded random rotations and directions; the distance along the direction is bisected until the bodies just touch, then
// moved by a thousandth of the diagonal either way: half of the poses are barely clear, half barely in contact. Each
// query runs `ROUNDS` times in turn with its peers; a query's time is its median, a row's time the median over the queries.
// three-mesh-bvh runs on the very triangles that the images store, and on the 3,674 of the source.
import { appendFileSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { build, check, compose, readObj, rotation, toMesh, translation, VERSION } from 'gicollide';
import { BufferAttribute, BufferGeometry, Matrix4 } from 'three';
import { MeshBVH } from 'three-mesh-bvh';

const POSES = 60;
const ROUNDS = 9;
const SIZE = 257;

/** A small generator of numbers in [0, 1): mulberry32. */
function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function direction(random) {
  for (;;) {
    const v = [0, 0, 0].map(() => 2 * random() - 1);
    const length = Math.hypot(...v);
    if (length > 0.1 && length <= 1) return v.map((x) => x / length);
  }
}

function nearContactPoses(image, count) {
  const random = seeded(2005);
  const poses = [];
  while (poses.length < count) {
    const turn = rotation(...direction(random), 360 * random());
    const along = direction(random);
    const at = (s) => compose(translation(...along.map((x) => s * x)), turn);
    let [inside, outside] = [0, 2];
    if (check(image, image, { poseB: at(inside) }).verdict !== 'contact') continue;
    while (outside - inside > 1e-6) {
      const middle = (inside + outside) / 2;
      if (check(image, image, { poseB: at(middle) }).verdict === 'contact') inside = middle;
      else outside = middle;
    }
    poses.push(at(poses.length % 2 === 0 ? outside + 1e-3 : inside - 1e-3));
  }
  return poses;
}

function treeOf({ positions, triangles }) {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(Float32Array.from(positions), 3));
  geometry.setIndex(new BufferAttribute(Uint32Array.from(triangles), 1));
  geometry.boundsTree = new MeshBVH(geometry);
  return geometry;
}

const peerFirst = (geometry, pose) => geometry.boundsTree.intersectsGeometry(geometry, new Matrix4().set(...pose));

function peerAll(geometry, pose) {
  let count = 0;
  geometry.boundsTree.bvhcast(geometry.boundsTree, new Matrix4().set(...pose), {
    intersectsTriangles(a, b) {
      if (a.intersectsTriangle(b)) count++;
      return false;
    },
  });
  return count;
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** Median milliseconds over the poses, the contestants in turn at each pose. */
function race(contestants, poses) {
  const times = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  let sink = 0;
  for (const warmUp of [true, false]) {
    for (const pose of warmUp ? poses.slice(0, 12) : poses) {
      const samples = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
      for (let round = 0; round < ROUNDS; round++) {
        for (const [name, query] of Object.entries(contestants)) {
          const start = performance.now();
          sink += Number(query(pose));
          samples[name].push(performance.now() - start);
        }
      }
      if (!warmUp) for (const name of Object.keys(samples)) times[name].push(median(samples[name]));
    }
  }
  if (Number.isNaN(sink)) throw new Error('unreachable: keeps the results alive');
  return Object.fromEntries(Object.entries(times).map(([name, values]) => [name, median(values)]));
}

const mesh = readObj(readFileSync(new URL('../assets/bunny.obj', import.meta.url)));
const image = build(mesh, { size: SIZE });
const poses = nearContactPoses(image, POSES);
const stored = treeOf(toMesh(image));
const source = treeOf(mesh);

const contestants = {
  first: {
    gicollide: (pose) => check(image, image, { poseB: pose }).verdict === 'contact',
    'three-mesh-bvh, same triangles': (pose) => peerFirst(stored, pose),
    'three-mesh-bvh, source': (pose) => peerFirst(source, pose),
  },
  all: {
    gicollide: (pose) => check(image, image, { poseB: pose, all: true, maxContacts: 1e6 }).contacts.count,
    'three-mesh-bvh, same triangles': (pose) => peerAll(stored, pose),
    'three-mesh-bvh, source': (pose) => peerAll(source, pose),
  },
};
const row = {
  date: new Date().toISOString().slice(0, 10),
  version: VERSION,
  node: process.version,
  cpu: cpus()[0].model,
  size: SIZE,
  poses: POSES,
};
for (const [query, group] of Object.entries(contestants)) {
  const times = race(group, poses);
  row[query] = Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, Number((1000 * ms).toFixed(1))]));
  console.log(`${query === 'first' ? 'first contact' : 'all contacts'}, median microseconds a query`);
  for (const [name, ms] of Object.entries(times)) {
    console.log(`  ${name.padEnd(32)} ${(1000 * ms).toFixed(1).padStart(9)}   ${(ms / times.gicollide).toFixed(2)} x`);
  }
}
let disagreements = 0;
for (const pose of poses) {
  if (contestants.first.gicollide(pose) !== contestants.first['three-mesh-bvh, same triangles'](pose)) disagreements++;
}
console.log(`verdicts that differ from three-mesh-bvh on the same triangles: ${disagreements} of ${poses.length}`);
const tests = poses.map((pose) => check(image, image, { poseB: pose }).tests);
row.tests = { bounds: median(tests.map((t) => t.bounds)), hulls: median(tests.map((t) => t.hulls)) };
console.log(`first contact, median tests: ${row.tests.bounds} pairs of spheres, ${row.tests.hulls} pairs of triangles`);
if (process.argv.includes('--record')) {
  appendFileSync(new URL('results.jsonl', import.meta.url), `${JSON.stringify(row)}\n`);
}
