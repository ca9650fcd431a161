/**
 * Ids of findings, the same from run to run.
 *
 * FIPS 180-4, "Secure Hash Standard", section 6.2, SHA-256. Web Crypto's is asynchronous: thousands
 * of findings waited for as long as they took to be found.
 */
import { once } from '../base/require.ts';

/** 64 bits: collisions are very unlikely. */
const LETTERS = 16;

/** The same for the same two names and rule, in either order of the names. */
export function findingId(rule: string | null, a: string, b: string): string {
  const names = a < b ? [a, b] : [b, a];
  return shortDigest(JSON.stringify([rule, ...names]));
}

const BLOCK = 64;
/** 32 fractional bits of the cube roots of the first 64 primes, and of the square roots of 8. */
const ROUNDS = wordsOf(`
  428a2f98 71374491 b5c0fbcf e9b5dba5 3956c25b 59f111f1 923f82a4 ab1c5ed5
  d807aa98 12835b01 243185be 550c7dc3 72be5d74 80deb1fe 9bdc06a7 c19bf174
  e49b69c1 efbe4786 0fc19dc6 240ca1cc 2de92c6f 4a7484aa 5cb0a9dc 76f988da
  983e5152 a831c66d b00327c8 bf597fc7 c6e00bf3 d5a79147 06ca6351 14292967
  27b70a85 2e1b2138 4d2c6dfc 53380d13 650a7354 766a0abb 81c2c92e 92722c85
  a2bfe8a1 a81a664b c24b8b70 c76c51a3 d192e819 d6990624 f40e3585 106aa070
  19a4c116 1e376c08 2748774c 34b0bcb5 391c0cb3 4ed8aa4a 5b9cca4f 682e6ff3
  748f82ee 78a5636f 84c87814 8cc70208 90befffa a4506ceb bef9a3f7 c67178f2
`);
const START = wordsOf(`
  6a09e667 bb67ae85 3c6ef372 a54ff53a 510e527f 9b05688c 1f83d9ab 5be0cd19
`);
const words = new Int32Array(BLOCK);

function wordsOf(text: string): Int32Array {
  return Int32Array.from(text.trim().split(/\s+/), (word) => Number.parseInt(word, 16));
}

/** Room for ordinary texts. */
const PADDED = new Uint8Array(16 * BLOCK);
const state = new Int32Array(8);
const encoder = once(() => new TextEncoder());

function shortDigest(text: string): string {
  // A letter takes three bytes at most, the padding nine.
  const room = BLOCK * Math.ceil((3 * text.length + 9) / BLOCK);
  const padded = room > PADDED.length ? new Uint8Array(room) : PADDED;
  const length = encoder().encodeInto(text, padded).written;
  const end = BLOCK * Math.ceil((length + 9) / BLOCK);
  padded.fill(0, length, end);
  padded[length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(end - 8, Math.floor(length / 2 ** 29));
  view.setUint32(end - 4, length << 3);
  state.set(START);
  for (let at = 0; at < end; at += BLOCK) addBlock(view, at);
  return (hex(state[0]) + hex(state[1])).slice(0, LETTERS);
}

const hex = (word: number): string => (word >>> 0).toString(16).padStart(8, '0');

const turn = (x: number, by: number): number => (x >>> by) | (x << (32 - by));

function addBlock(view: DataView, at: number): void {
  for (let i = 0; i < BLOCK; i++) {
    if (i < 16) {
      words[i] = view.getInt32(at + 4 * i);
      continue;
    }
    const p = words[i - 15];
    const q = words[i - 2];
    const early = turn(p, 7) ^ turn(p, 18) ^ (p >>> 3);
    const late = turn(q, 17) ^ turn(q, 19) ^ (q >>> 10);
    words[i] = words[i - 16] + early + words[i - 7] + late;
  }
  let a = state[0];
  let b = state[1];
  let c = state[2];
  let d = state[3];
  let e = state[4];
  let f = state[5];
  let g = state[6];
  let h = state[7];
  for (let i = 0; i < BLOCK; i++) {
    const first = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[i] + words[i]) | 0;
    const second = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}
