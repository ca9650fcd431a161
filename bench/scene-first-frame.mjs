// A scene of bunnies and its first frame, in a new process. Prints JSON.
import { build, createScene } from 'gicollide';
import { sample } from './inputs.mjs';
import { Flight, sideOf } from './scene-check.mjs';

const count = Number(process.argv[2]);
const asset = build(sample('bunny'), { format: 'obb', nodeBytes: 64 });
const { poses } = new Flight(count, sideOf(asset, count));
const objects = Array.from({ length: count }, (_, i) => ({
  name: `bunny-${i}`,
  asset,
  pose: poses.slice(16 * i, 16 * i + 16),
}));
const start = process.cpuUsage();
const scene = createScene(objects);
scene.step({});
const { user, system } = process.cpuUsage(start);
console.log(JSON.stringify({ ms: (user + system) / 1000, contacts: scene.touching().length }));
