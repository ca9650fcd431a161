/**
 * The process that meets the mutants: `bases <folder> <golden>` writes the sound files, `run <folder> <seed> <from> <to>` asks the mutants of these
 * numbers everything. It says what it is about to do on stdout, a line of JSON each, so that whoever started it knows what it hangs in.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createLibrary, representations } from '../../src/api.ts';
import { sharpCodec } from '../../src/containers/pixels-sharp.ts';
import { seeded } from '../support/random.ts';
import { type Base, makeBases } from './bases.ts';
import { askEverything } from './calls.ts';
import { mutantOf } from './mutants.ts';

const say = (line: object): void => {
  writeSync(1, `${JSON.stringify(line)}\n`);
};

/** Milliseconds of processor time, which other processes do not change. */
const spent = (): number => process.cpuUsage().user / 1000;

const [command, folder, ...rest] = process.argv.slice(2);

if (command === 'bases') {
  mkdirSync(folder, { recursive: true });
  for (const [i, { name, kind, bytes }] of (await makeBases(rest[0])).entries()) {
    writeFileSync(join(folder, `${String(i).padStart(3, '0')}.${kind}`), bytes);
    writeFileSync(join(folder, `${String(i).padStart(3, '0')}.txt`), name);
  }
} else await run(Number(rest[0]), Number(rest[1]), Number(rest[2]), rest[3]);

async function run(seed: number, from: number, to: number, only = ''): Promise<void> {
  const files = readdirSync(folder).filter((file) => !file.endsWith('.txt'));
  const bases = files.sort().map((file): Base => {
    const kind = file.slice(file.indexOf('.') + 1) as Base['kind'];
    const name = readFileSync(join(folder, file.replace(/\..*/, '.txt')), 'utf8');
    return { name, kind, bytes: new Uint8Array(readFileSync(join(folder, file))) };
  });
  const { read } = createLibrary(sharpCodec);
  // Bundlers drop what nobody names, and this registers the kinds.
  if (representations.length === 0) throw new Error('no kinds');
  const sound = new Map<string, Base>();
  for (const base of bases) if (!sound.has(base.kind)) sound.set(base.kind, base);
  const others = await Promise.all([...sound.values()].map(async ({ bytes }) => (await read(bytes.slice())).asset));
  const candidates = bases.filter(({ name }) => name.includes(only));
  for (let number = from; number < to; number++) {
    const random = seeded(1000003 * seed + number);
    const base = candidates[number % candidates.length];
    say({ number, base: base.name });
    const bytes = await mutantOf(base, random);
    if (process.env.KEEP) writeFileSync(process.env.KEEP, bytes);
    let call = '';
    let began = spent();
    let slowest = { call: '', ms: 0 };
    const peak = process.resourceUsage().maxRSS;
    const begins = (next: string): void => {
      const now = spent();
      if (now - began > slowest.ms) slowest = { call, ms: now - began };
      call = next;
      began = now;
      say({ call });
    };
    const other = random.pick(others);
    const calls = await askEverything(bytes, [other], random, begins);
    begins('');
    const grown = (process.resourceUsage().maxRSS - peak) / 1024;
    say({ done: number, ...calls, slowest, grown, bytes: bytes.length });
  }
}
