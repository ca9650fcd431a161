/** The doubles of doubles.wgsl are those of the processor, to the bit. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findDevice } from '../../src/gpu/open.ts';
import { gpu } from '../support/gpu.ts';
import { some } from '../support/long.ts';
import { type Random, seeded } from '../support/random.ts';

/** Pairs of doubles, and a power of two for `floorOf`: what each function gives, ten words a pair. */
const SHADER = `
@group(0) @binding(0) var<storage, read> given: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> powers: array<i32>;
@group(0) @binding(2) var<storage, read_write> found: array<u32>;

@compute @workgroup_size(64)
fn run(@builtin(global_invocation_id) id: vec3<u32>) {
  let n = id.x;
  if (n >= arrayLength(&given)) { return; }
  let a = given[n].xy;
  let b = given[n].zw;
  let results = array<Double, 4>(plus(a, b), times(a, b), root(sizeOf(a)), doubleOf(a.y));
  for (var k = 0u; k < 4u; k++) {
    found[10u * n + 2u * k] = results[k].x;
    found[10u * n + 2u * k + 1u] = results[k].y;
  }
  found[10u * n + 8u] = u32(floorOf(a, powers[n]));
  found[10u * n + 9u] = u32(isLess(a, b));
}
`;

const bits = new DataView(new ArrayBuffer(8));

function fromWords(low: number, high: number): number {
  bits.setUint32(0, low, true);
  bits.setUint32(4, high, true);
  return bits.getFloat64(0, true);
}

function highWordOf(x: number): number {
  bits.setFloat64(0, x, true);
  return bits.getUint32(4, true);
}

/** Of 32 random bits, all of them, a few, none or the first. */
const randomWord = (random: Random): number =>
  random.pick([() => random.below(2 ** 32), () => 2 ** random.below(32), () => 0, () => 2 ** 32 - 1])();

/** Any double of a size from 2^-400 to 2^400: products are in range. */
function randomDouble(random: Random, exponent = random.below(800) - 400): number {
  const high = ((random.below(2) << 31) | ((1023 + exponent) << 20) | (randomWord(random) & 0xfffff)) >>> 0;
  return fromWords(randomWord(random), high);
}

/** One that makes a sum hard: near -a, about half of a unit of a's last place, or of any size nearby. */
function randomOther(random: Random, a: number): number {
  const unit = Math.abs(a) * 2 ** -52;
  const kinds = [
    () => randomDouble(random),
    () => -a,
    () => 0,
    () => -0,
    () => -a * (1 + random.pick([-1, 1]) * 2 ** -(1 + random.below(52))),
    () => random.pick([-1, 1]) * unit * random.pick([0.25, 0.5, 0.75, 1, 1.5]),
    () => {
      // A hair more than half a unit, which the last of its bits alone says.
      const behind = 12 + random.below(20);
      const high = highWordOf(a) - (behind << 20);
      return fromWords(((1 << (behind - 1)) | random.below(2)) >>> 0, (high ^ (random.below(2) << 31)) >>> 0);
    },
    () => {
      const near = Math.floor(Math.log2(Math.abs(a))) + random.below(131) - 65;
      return randomDouble(random, Math.max(-400, Math.min(400, near)));
    },
  ];
  return random.pick(kinds)();
}

/** What a pair gives here. Subnormal numbers stand for none: they are not for the shader. */
function expectedOf(a: number, b: number, power: number): number[] {
  const cut = Math.max(-(2 ** 30), Math.min(2 ** 30, Math.floor(a * 2 ** power)));
  return [a + b, a * b, Math.sqrt(Math.abs(a)), highWordOf(a), cut, Number(a < b)];
}

async function runShader(given: Float64Array, powers: Int32Array): Promise<Uint32Array> {
  const { device } = await findDevice();
  const code = SHADER + readFileSync(new URL('../../src/gpu/doubles.wgsl', import.meta.url), 'utf8');
  const module = device.createShaderModule({ code });
  const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module, entryPoint: 'run' } });
  const [STORAGE, COPY_FROM, COPY_TO, MAP_READ] = [128, 4, 8, 1];
  const words = 10 * powers.length;
  const buffers = [given.byteLength, powers.byteLength, 4 * words].map((size) =>
    device.createBuffer({ size, usage: STORAGE | COPY_FROM | COPY_TO }),
  );
  for (const [n, data] of [given, powers].entries()) device.queue.writeBuffer(buffers[n], 0, data);
  const copy = device.createBuffer({ size: 4 * words, usage: MAP_READ | COPY_TO });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  const entries = buffers.map((buffer, binding) => ({ binding, resource: { buffer } }));
  pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
  pass.dispatchWorkgroups(Math.ceil(powers.length / 64));
  pass.end();
  encoder.copyBufferToBuffer(buffers[2], 0, copy, 0, 4 * words);
  device.queue.submit([encoder.finish()]);
  await copy.mapAsync(1);
  const found = new Uint32Array(copy.getMappedRange().slice(0));
  device.destroy();
  return found;
}

test.skipIf(!gpu).each(some(1, [1, 2, 3, 4]))(
  'sums, products, roots, whole numbers and order, seed %i',
  { tags: ['all', 'long'] },
  async (seed) => {
    const random = seeded(seed);
    const asked: { a: number; b: number; power: number }[] = [];
    while (asked.length < 20_000) {
      const a = random.below(20) === 0 ? random.pick([0, -0]) : randomDouble(random);
      const power = (a === 0 ? 0 : -Math.floor(Math.log2(Math.abs(a)))) + random.below(60) - 15;
      asked.push({ a, b: randomOther(random, a || 1), power });
    }
    const given = Float64Array.from(asked.flatMap(({ a, b }) => [a, b]));
    const found = await runShader(
      given,
      Int32Array.from(asked, ({ power }) => power),
    );
    let ties = 0;
    for (const [n, { a, b, power }] of asked.entries()) {
      const words = found.subarray(10 * n, 10 * n + 10);
      const numbers = [0, 2, 4, 6].map((k) => fromWords(words[k], words[k + 1]));
      const own = [...numbers, words[8] | 0, words[9]].map((x) => x + 0);
      expect([a, b, own]).toEqual([a, b, expectedOf(a, b, power).map((x) => x + 0)]);
      if (a + b === a && b !== 0) ties++;
    }
    expect(ties).toBeGreaterThan(1000);
  },
);
