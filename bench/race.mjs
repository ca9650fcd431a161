// What the tasks share: seeded poses near contact, the peer's trees, and a fair race.
import { appendFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { check, compose, rotation, translation, VERSION } from 'gicollide';
import { BufferAttribute, BufferGeometry, Matrix4 } from 'three';
import { MeshBVH } from 'three-mesh-bvh';

/** A small generator of numbers in [0, 1): mulberry32. */
export function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function direction(random) {
  for (;;) {
    const v = [0, 0, 0].map(() => 2 * random() - 1);
    const length = Math.hypot(...v);
    if (length > 0.1 && length <= 1) return v.map((x) => x / length);
  }
}

/**
 * Poses of b: seeded rotations and directions; the distance along the direction is bisected until the bodies just touch, then moved by a
 * thousandth either way. Even ones are barely clear, odd ones barely in contact.
 */
export function nearContactPoses(a, b, count, seed) {
  const random = seeded(seed);
  const poses = [];
  while (poses.length < count) {
    const turn = rotation(...direction(random), 360 * random());
    const along = direction(random);
    const at = (s) => compose(translation(...along.map((x) => s * x)), turn);
    let [inside, outside] = [0, 2];
    if (check(a, b, { poseB: at(inside) }).verdict !== 'contact') continue;
    while (outside - inside > 1e-6) {
      const middle = (inside + outside) / 2;
      if (check(a, b, { poseB: at(middle) }).verdict === 'contact') inside = middle;
      else outside = middle;
    }
    poses.push(at(poses.length % 2 === 0 ? outside + 1e-3 : inside - 1e-3));
  }
  return poses;
}

/** three-mesh-bvh's tree of a surface. */
export function peerTree({ positions, triangles }) {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(Float32Array.from(positions), 3));
  geometry.setIndex(new BufferAttribute(Uint32Array.from(triangles), 1));
  geometry.boundsTree = new MeshBVH(geometry);
  return geometry;
}

export const peerFirst = (a, b, pose) => a.boundsTree.intersectsGeometry(b, new Matrix4().set(...pose));

export function peerAll(a, b, pose) {
  let count = 0;
  a.boundsTree.bvhcast(b.boundsTree, new Matrix4().set(...pose), {
    intersectsTriangles(p, q) {
      if (p.intersectsTriangle(q)) count++;
      return false;
    },
  });
  return count;
}

export const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** Median microseconds over the poses; at each pose the contestants run in turn, `rounds` times, and count by their median. */
export function race(contestants, poses, rounds = 9) {
  const times = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  let sink = 0;
  for (const warmUp of [true, false]) {
    for (const pose of warmUp ? poses.slice(0, 12) : poses) {
      const samples = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
      for (let round = 0; round < rounds; round++) {
        for (const [name, query] of Object.entries(contestants)) {
          const start = performance.now();
          sink += Number(query(pose));
          samples[name].push(1000 * (performance.now() - start));
        }
      }
      if (!warmUp) for (const name of Object.keys(samples)) times[name].push(median(samples[name]));
    }
  }
  if (Number.isNaN(sink)) throw new Error('the results were used');
  return Object.fromEntries(Object.entries(times).map(([name, values]) => [name, Number(median(values).toFixed(1))]));
}

export function printRace(title, times) {
  const [own] = Object.values(times);
  console.log(`${title}, median microseconds a query`);
  for (const [name, time] of Object.entries(times)) {
    console.log(`  ${name.padEnd(34)} ${time.toFixed(1).padStart(9)}   ${(time / own).toFixed(2)} x`);
  }
}

/** Appends the row to results.jsonl where --record asks for it. */
export function keep(task, row) {
  if (!process.argv.includes('--record')) return;
  const head = {
    task,
    date: new Date().toISOString().slice(0, 10),
    version: VERSION,
    node: process.version,
    cpu: cpus()[0].model,
  };
  appendFileSync(new URL('results.jsonl', import.meta.url), `${JSON.stringify({ ...head, ...row })}\n`);
}
